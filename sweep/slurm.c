#include "sweep/slurm.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

extern char **environ;

enum {
    PATH_BYTES = 4096,
    MOST_WORDS = 64, /* of a command */
    POLL_MILLISECONDS = 500,
};

#define JOB_NOTE "slurm_job"

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

/* ---- files ---- */

/* The text of a path in a script of the shell. */
static void add_quoted(struct weft_text *text, const char *path) {
    weft_text_add(text, "'");
    for (const char *at = path; *at != '\0'; at++) {
        weft_text_add(text, *at == '\'' ? "'\\''" : "%c", *at);
    }
    weft_text_add(text, "'");
}

static bool write_text(const char *folder, const char *name, struct weft_text *text,
                       struct weft_error *error) {
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    bool good =
        weft_text_finish(text, error) && weft_file_write(path, text->bytes, text->length, error);
    weft_text_free(text);
    return good;
}

/* "PATH.slurm", absolute. */
static bool folder_of(const char *path, char folder[PATH_BYTES], struct weft_error *error) {
    char here[PATH_BYTES];
    if (getcwd(here, sizeof here) == NULL) {
        return weft_fail(error, WEFT_IO, 0, "no current folder: %s", strerror(errno));
    }
    int length = path[0] == '/' ? snprintf(folder, PATH_BYTES, "%s.slurm", path)
                                : snprintf(folder, PATH_BYTES, "%s/%s.slurm", here, path);
    /* Room for names in it, too. */
    return (length > 0 && length < PATH_BYTES - 64) ||
           weft_fail(error, WEFT_LIMIT, 0, "the path has too many bytes");
}

static bool write_script(const char *folder, const struct sweep_options *options, uint32_t tasks,
                         struct weft_error *error) {
    struct weft_text text = {0};
    weft_text_add(&text, "#!/bin/sh\n"
                         "# A task of a job array: a part of the points, in a file of its own,\n"
                         "# which gets its name when it is whole.\nset -e\n");
    weft_text_add(&text, "part=");
    add_quoted(&text, folder);
    weft_text_add(&text, "/$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID\n");
    add_quoted(&text, options->program);
    weft_text_add(&text, " sweep ");
    add_quoted(&text, folder);
    weft_text_add(&text, "/points.json --part \"$SLURM_ARRAY_TASK_ID/%" PRIu32 "\" --workers %u",
                  tasks, options->workers == 0 ? 1 : options->workers);
    if (options->seconds > 0) {
        weft_text_add(&text, " --time-limit %.0f", options->seconds);
    }
    if (options->bytes > 0) {
        weft_text_add(&text, " --memory-limit %" PRIu64, options->bytes);
    }
    if (options->technology_name != NULL) {
        weft_text_add(&text, " --technology ");
        add_quoted(&text, options->technology_name);
    }
    if (options->area_name != NULL) {
        weft_text_add(&text, " --area ");
        add_quoted(&text, options->area_name);
    }
    if (options->clock_text != NULL) {
        weft_text_add(&text, " --clock ");
        add_quoted(&text, options->clock_text);
    }
    weft_text_add(&text, " -o \"$part.partial\"\nmv \"$part.partial\" \"$part.sqlite\"\n");
    return write_text(folder, "task.sh", &text, error);
}

static bool write_points(const struct sweep_definition *definition,
                         const struct sweep_point *points, size_t count, const char *folder,
                         struct weft_error *error) {
    char here[PATH_BYTES];
    struct weft_text text = {0};
    if (getcwd(here, sizeof here) == NULL) {
        return weft_fail(error, WEFT_IO, 0, "no current folder: %s", strerror(errno));
    }
    if (!sweep_print(definition, points, count, here, &text, error)) {
        weft_text_free(&text);
        return false;
    }
    return write_text(folder, "points.json", &text, error);
}

/* ---- what tasks made ---- */

/* Does a name end so? */
static bool ends_so(const char *name, const char *end) {
    size_t length = strlen(name);
    return length > strlen(end) && strcmp(name + length - strlen(end), end) == 0;
}

/* Adds the files of tasks that are whole, and removes them. */
static bool collect(const char *folder, struct sweep_store *store, struct weft_error *error) {
    DIR *files = opendir(folder);
    bool good = true;
    if (files == NULL) {
        return errno == ENOENT ||
               weft_fail(error, WEFT_IO, 0, "%.200s: %s", folder, strerror(errno));
    }
    for (struct dirent *file = readdir(files); good && file != NULL; file = readdir(files)) {
        char path[PATH_BYTES + sizeof file->d_name];
        if (ends_so(file->d_name, ".sqlite")) {
            (void)snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
            good = sweep_store_merge(store, path, error);
            if (good) {
                (void)unlink(path);
            }
        }
    }
    (void)closedir(files);
    return good;
}

/* ---- the job ---- */

static bool is_number(const char *text) {
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits < 20 && text[digits] == '\0';
}

/* Is a task of the job still waiting or running? A job that Slurm has forgotten is not. */
static bool ask(const char *job, bool *is_there, struct weft_error *error) {
    char text[4096];
    char list[32];
    char *words[] = {"squeue", "--noheader", "--format=%i", "--jobs", list, NULL};
    (void)snprintf(list, sizeof list, "%s", job);
    if (!command(words, text, sizeof text, error)) {
        *is_there = false;
        return strstr(error->message, "Invalid job id") != NULL;
    }
    *is_there = text[0] != '\0';
    return true;
}

static bool wait_for(const char *job, const char *folder, struct sweep_store *store,
                     struct weft_error *error) {
    bool is_there = true;
    while (is_there) {
        const struct timespec pause = {0, POLL_MILLISECONDS * 1000000L};
        if (!ask(job, &is_there, error) || !collect(folder, store, error)) {
            return false;
        }
        if (is_there) {
            (void)nanosleep(&pause, NULL);
        }
    }
    return sweep_store_set(store, JOB_NOTE, "", error);
}

/* Hands the script to Slurm; the number of its job. */
static bool submit(const char *folder, const struct sweep_options *options, uint32_t tasks,
                   char *job, size_t size, struct weft_error *error) {
    char array[48];
    char output[PATH_BYTES + 32];
    char script[PATH_BYTES + 32];
    char *words[MOST_WORDS] = {"sbatch", "--parsable", "--job-name=weft-sweep", array, output};
    size_t count = 5;
    (void)snprintf(array, sizeof array, "--array=1-%" PRIu32, tasks);
    (void)snprintf(output, sizeof output, "--output=%s/%%A-%%a.out", folder);
    (void)snprintf(script, sizeof script, "%s/task.sh", folder);
    for (size_t i = 0; i < options->sbatch_count && count < MOST_WORDS - 2; i++) {
        words[count++] = (char *)(uintptr_t)options->sbatch[i];
    }
    words[count] = script;
    if (!command(words, job, size, error)) {
        return false;
    }
    job[strcspn(job, ";")] = '\0'; /* "JOB;CLUSTER" */
    return is_number(job) ||
           weft_fail(error, WEFT_TARGET, 0, "sbatch says '%.100s', not a job's number", job);
}

bool sweep_slurm_run(const struct sweep_definition *definition, const struct sweep_point *points,
                     size_t count, const char *path, const struct sweep_options *options,
                     struct sweep_store *store, struct weft_error *error) {
    char folder[PATH_BYTES];
    char job[512];
    uint32_t tasks = options->slurm < count ? options->slurm : (uint32_t)count;
    if (!folder_of(path, folder, error)) {
        return false;
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return weft_fail(error, WEFT_IO, 0, "%.200s: %s", folder, strerror(errno));
    }
    return write_points(definition, points, count, folder, error) &&
           write_script(folder, options, tasks, error) &&
           submit(folder, options, tasks, job, sizeof job, error) &&
           sweep_store_set(store, JOB_NOTE, job, error) && wait_for(job, folder, store, error);
}

bool sweep_slurm_resume(const char *path, struct sweep_store *store, struct weft_error *error) {
    char folder[PATH_BYTES];
    char job[64];
    if (!folder_of(path, folder, error) ||
        !sweep_store_get(store, JOB_NOTE, job, sizeof job, error)) {
        return false;
    }
    return is_number(job) ? wait_for(job, folder, store, error) : collect(folder, store, error);
}
