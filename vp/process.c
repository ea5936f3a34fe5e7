#include "vp/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "driver/shared_library.h"
#include "isa/config.h"

enum {
    PAGE_BYTES = 4096,
    EXIT_NOT_STARTED = 127,
};

static const uint64_t most_ram = (UINT64_C(1) << 31) - PAGE_BYTES;

/* ---- memory ---- */

/* NULL: there is no memory. */
static void *map_file(int file, size_t bytes) {
    if (file < 0 || ftruncate(file, (off_t)bytes) != 0) {
        return NULL;
    }
    void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return mapped == MAP_FAILED ? NULL : mapped;
}

bool weft_vp_create(uint64_t ram_bytes, struct weft_vp *vp, struct weft_error *error) {
    _Static_assert(sizeof(struct weft_vp_job) <= WEFT_VP_RAM_OFFSET, "a job has no room");
    struct weft_vp made = {.bytes = WEFT_VP_RAM_OFFSET + (size_t)ram_bytes};
    if (ram_bytes == 0 || ram_bytes % PAGE_BYTES != 0 || ram_bytes > most_ram) {
        return weft_fail(error, WEFT_ARGUMENT, ram_bytes,
                         "the platform's RAM must be a multiple of 4096 bytes, at most %llu",
                         (unsigned long long)most_ram);
    }
    made.file = memfd_create("weft_vp", 0);
    made.job = map_file(made.file, made.bytes);
    if (made.job == NULL) {
        weft_vp_free(&made);
        return weft_no_memory(error, "the platform");
    }
    made.ram = (uint8_t *)made.job + WEFT_VP_RAM_OFFSET;
    *made.job = (struct weft_vp_job){.version = WEFT_VP_VERSION,
                                     .bytes = sizeof *made.job,
                                     .target = "cycle",
                                     .ram_bytes = ram_bytes,
                                     .cycle_ps = 10000,
                                     .quantum_ns = 10000,
                                     .last_cycle = UINT64_C(1000000000000),
                                     .waves = -1};
    if (!weft_config_find("ref16", &made.job->config, error)) {
        weft_vp_free(&made);
        return false;
    }
    *vp = made;
    return true;
}

void weft_vp_free(struct weft_vp *vp) {
    if (vp->job != NULL) {
        (void)munmap(vp->job, vp->bytes);
    }
    if (vp->file > 0) {
        (void)close(vp->file);
    }
    *vp = (struct weft_vp){0};
}

/* ---- the process ---- */

static bool find_program(char path[WEFT_SHARED_LIBRARY_PATH], struct weft_error *error) {
    const char *chosen = getenv("WEFT_VP_PATH");
    if (chosen != NULL) {
        (void)snprintf(path, WEFT_SHARED_LIBRARY_PATH, "%.4000s/weft_vp", chosen);
    } else if (!weft_path_find("weft_vp", path, error)) {
        return false;
    }
    return access(path, X_OK) == 0 ||
           weft_fail(error, WEFT_TARGET, 0,
                     "the virtual platform is not built (no file %.200s): scripts/setup system "
                     "installs SystemC, scripts/build builds it",
                     path);
}

/* In the child: its standard output is the pipe, and it ends with its parent. Returns when it
 * cannot be started. */
static void become(const char *path, int file, int output, pid_t parent) {
    char number[16];
    (void)snprintf(number, sizeof number, "%d", file);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent &&
        dup2(output, STDOUT_FILENO) == STDOUT_FILENO) {
        (void)execl(path, "weft_vp", number, (char *)NULL);
    }
}

static void forward(int input, void (*print)(void *, const char *, size_t), void *context) {
    char bytes[4096];
    for (;;) {
        ssize_t length = read(input, bytes, sizeof bytes);
        if (length > 0 && print != NULL) {
            print(context, bytes, (size_t)length);
        } else if (length == 0 || (length < 0 && errno != EINTR)) {
            return;
        }
    }
}

static bool judge(const struct weft_vp *vp, const char *path, int status,
                  struct weft_error *error) {
    if (vp->job->is_answered != 0) {
        if (vp->job->error.code != WEFT_OK) {
            *error = vp->job->error;
            return false;
        }
        return true;
    }
    if (WIFSIGNALED(status)) {
        return weft_fail(error, WEFT_INTERNAL, (uint64_t)WTERMSIG(status),
                         "the virtual platform was ended by signal %d (%s)", WTERMSIG(status),
                         strsignal(WTERMSIG(status)));
    }
    /* Before there was a status for it, a process of another version ended well. */
    if (WEXITSTATUS(status) == WEFT_VP_EXIT_VERSION || WEXITSTATUS(status) == 0) {
        return weft_fail(error, WEFT_TARGET, WEFT_VP_VERSION,
                         "%.200s has another version of the interface, expected %d: build again",
                         path, WEFT_VP_VERSION);
    }
    return weft_fail(error, WEFT_TARGET, 0, "%.200s could not be started (status %d)", path,
                     WEXITSTATUS(status));
}

bool weft_vp_run(struct weft_vp *vp, void (*print)(void *context, const char *bytes, size_t length),
                 void *context, struct weft_error *error) {
    char path[WEFT_SHARED_LIBRARY_PATH];
    int ends[2];
    int status = 0;
    if (!find_program(path, error)) {
        return false;
    }
    if (pipe(ends) != 0) {
        return weft_fail(error, WEFT_TARGET, 0, "no pipe to the virtual platform: %s",
                         strerror(errno));
    }
    vp->job->is_answered = 0;
    vp->job->error = (struct weft_error){.code = WEFT_OK};
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
        (void)close(ends[0]);
        become(path, vp->file, ends[1], parent);
        _exit(EXIT_NOT_STARTED);
    }
    (void)close(ends[1]);
    if (child < 0) {
        (void)close(ends[0]);
        return weft_fail(error, WEFT_TARGET, 0, "no process for the virtual platform: %s",
                         strerror(errno));
    }
    forward(ends[0], print, context);
    (void)close(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return judge(vp, path, status, error);
}
