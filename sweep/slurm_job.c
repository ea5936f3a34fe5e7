#include "sweep/slurm_job.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"

extern char **environ;

enum {
    MOST_WORDS = 64, /* of a command */
    POLL_MILLISECONDS = 500,
};

/* ---- commands ---- */

static bool read_output(int descriptor, char *text, size_t size) {
    size_t length = 0;
    ssize_t count = 0;
    do {
        char rest[256];
        bool has_room = length + 1 < size;
        count = has_room ? read(descriptor, text + length, size - 1 - length)
                         : read(descriptor, rest, sizeof rest);
        length += has_room && count > 0 ? (size_t)count : 0;
    } while (count > 0 || (count < 0 && errno == EINTR));
    text[length] = '\0';
    return count == 0;
}

/* Runs a command, and takes what it says on both outputs. */
static bool command(char *const *words, char *text, size_t size, struct weft_error *error) {
    int ends[2];
    pid_t process = 0;
    int status = 0;
    posix_spawn_file_actions_t actions;
    if (pipe(ends) != 0 || posix_spawn_file_actions_init(&actions) != 0) {
        return weft_fail(error, WEFT_IO, 0, "no pipe for %s: %s", words[0], strerror(errno));
    }
    (void)posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    (void)posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    (void)posix_spawn_file_actions_addclose(&actions, ends[0]);
    (void)posix_spawn_file_actions_addclose(&actions, ends[1]);
    int failed = posix_spawnp(&process, words[0], &actions, NULL, words, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(ends[1]);
    if (failed != 0) {
        (void)close(ends[0]);
        return weft_fail(error, WEFT_TARGET, 0, "%s cannot be run: %s; is Slurm installed here?",
                         words[0], strerror(failed));
    }
    bool read = read_output(ends[0], text, size);
    (void)close(ends[0]);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) {
        text[--length] = '\0';
    }
    return (read && WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
           weft_fail(error, WEFT_TARGET, 0, "%s failed: %.300s", words[0], text);
}

/* ---- the folder ---- */

bool slurm_folder(const char *path, char folder[SLURM_PATH_BYTES], struct weft_error *error) {
    char here[SLURM_PATH_BYTES];
    if (getcwd(here, sizeof here) == NULL) {
        return weft_fail(error, WEFT_IO, 0, "no current folder: %s", strerror(errno));
    }
    int length = path[0] == '/' ? snprintf(folder, SLURM_PATH_BYTES, "%s.slurm", path)
                                : snprintf(folder, SLURM_PATH_BYTES, "%s/%s.slurm", here, path);
    return (length > 0 && length < SLURM_PATH_BYTES - SLURM_NAME_BYTES) ||
           weft_fail(error, WEFT_LIMIT, 0, "the path has too many bytes");
}

bool slurm_make_folder(const char *folder, struct weft_error *error) {
    return mkdir(folder, 0777) == 0 || errno == EEXIST ||
           weft_fail(error, WEFT_IO, 0, "%.200s: %s", folder, strerror(errno));
}

void slurm_add_word(struct weft_text *text, const char *word) {
    weft_text_add(text, "'");
    for (const char *at = word; *at != '\0'; at++) {
        weft_text_add(text, *at == '\'' ? "'\\''" : "%c", *at);
    }
    weft_text_add(text, "'");
}

bool slurm_write(const char *folder, const char *name, struct weft_text *text,
                 struct weft_error *error) {
    char path[SLURM_PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    bool good =
        weft_text_finish(text, error) && weft_file_write(path, text->bytes, text->length, error);
    weft_text_free(text);
    return good;
}

static bool ends_so(const char *name, const char *end) {
    size_t length = strlen(name);
    return length > strlen(end) && strcmp(name + length - strlen(end), end) == 0;
}

bool slurm_each(const char *folder, const char *end,
                bool (*found)(void *context, const char *path, struct weft_error *error),
                void *context, struct weft_error *error) {
    DIR *files = opendir(folder);
    bool good = true;
    if (files == NULL) {
        return errno == ENOENT ||
               weft_fail(error, WEFT_IO, 0, "%.200s: %s", folder, strerror(errno));
    }
    for (struct dirent *file = readdir(files); good && file != NULL; file = readdir(files)) {
        char path[SLURM_PATH_BYTES + sizeof file->d_name];
        if (ends_so(file->d_name, end)) {
            (void)snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
            good = found(context, path, error);
        }
    }
    (void)closedir(files);
    return good;
}

/* ---- the job ---- */

bool slurm_is_job(const char *text) {
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits < SLURM_JOB_BYTES && text[digits] == '\0';
}

bool slurm_submit(const struct slurm_request *request, char job[SLURM_JOB_BYTES],
                  struct weft_error *error) {
    char name[64];
    char array[48];
    char output[SLURM_PATH_BYTES + 32];
    char script[SLURM_PATH_BYTES + 32];
    char said[512];
    char *words[MOST_WORDS] = {"sbatch", "--parsable", name, array, output};
    size_t count = 5;
    (void)snprintf(name, sizeof name, "--job-name=%s", request->name);
    (void)snprintf(array, sizeof array, "--array=1-%" PRIu32, request->tasks);
    (void)snprintf(output, sizeof output, "--output=%s/%%A-%%a.out", request->folder);
    (void)snprintf(script, sizeof script, "%s/task.sh", request->folder);
    for (size_t i = 0; i < request->option_count && count < MOST_WORDS - 2; i++) {
        words[count++] = (char *)(uintptr_t)request->options[i];
    }
    words[count] = script;
    if (!command(words, said, sizeof said, error)) {
        return false;
    }
    said[strcspn(said, ";")] = '\0'; /* "JOB;CLUSTER" */
    if (!slurm_is_job(said)) {
        return weft_fail(error, WEFT_TARGET, 0, "sbatch says '%.100s', not a job's number", said);
    }
    (void)snprintf(job, SLURM_JOB_BYTES, "%s", said);
    return true;
}

/* Is a task of the job still waiting or running? */
static bool ask(const char *job, bool *is_there, struct weft_error *error) {
    char text[4096];
    char list[SLURM_JOB_BYTES];
    char *words[] = {"squeue", "--noheader", "--format=%i", "--jobs", list, NULL};
    (void)snprintf(list, sizeof list, "%s", job);
    if (!command(words, text, sizeof text, error)) {
        *is_there = false;
        return strstr(error->message, "Invalid job id") != NULL;
    }
    *is_there = text[0] != '\0';
    return true;
}

bool slurm_wait(const char *job, bool (*look)(void *context, struct weft_error *error),
                void *context, struct weft_error *error) {
    bool is_there = true;
    while (is_there) {
        const struct timespec pause = {0, POLL_MILLISECONDS * 1000000L};
        if (!ask(job, &is_there, error) || (look != NULL && !look(context, error))) {
            return false;
        }
        if (is_there) {
            (void)nanosleep(&pause, NULL);
        }
    }
    return true;
}
