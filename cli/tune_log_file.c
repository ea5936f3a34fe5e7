#include "cli/tune_log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/version.h"

struct tune_log_head tune_log_head_of(struct weft_arena *arena, const struct weft_module *module,
                                      const char *strategy, uint64_t seed, uint32_t effort) {
    return (struct tune_log_head){
        .version = TUNE_LOG_VERSION,
        .model = module->model_name,
        .model_fingerprint = weft_arena_print(arena, "%016" PRIx64, module->fingerprint),
        .config = module->config.name,
        .config_fingerprint =
            weft_arena_print(arena, "%016" PRIx64, weft_config_fingerprint(&module->config)),
        .compiler = weft_version,
        .strategy = strategy,
        .seed = (int64_t)seed,
        .frames = module->frames,
        .one_by_one = module->one_by_one,
        .effort = effort,
        .cycles = (int64_t)weft_module_cycles(module)};
}

bool tune_log_read(struct weft_arena *arena, const char *path, struct tune_log *log,
                   struct weft_error *error) {
    uint8_t *bytes = NULL;
    size_t length = 0;
    if (!weft_file_read(path, &bytes, &length, error)) {
        return false;
    }
    bool good = tune_log_parse(arena, (const char *)bytes, length, log, error);
    free(bytes);
    return good;
}

static bool failed(const struct tune_log_file *file, const char *what, struct weft_error *error) {
    return weft_fail(error, WEFT_IO, 0, "cannot %s %s: %s", what, file->path, strerror(errno));
}

/* Writes the first line of a log without any, and closes it if it cannot. */
static bool begin(const struct tune_log_head *head, struct tune_log_file *file,
                  struct weft_error *error) {
    struct weft_text text = {0};
    tune_log_print_head(&text, head);
    bool good = weft_text_finish(&text, error) && tune_log_append(file, &text, error);
    weft_text_free(&text);
    if (!good) {
        tune_log_close(file);
    }
    return good;
}

/* Is it an empty file? One who was killed before the first line leaves it. */
static bool is_empty(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0;
}

/* Opens a log that is there, and goes to the end of its last whole line. */
static bool go_on(struct weft_arena *arena, const struct tune_log_head *head, struct tune_log *log,
                  struct tune_log_file *file, struct weft_error *error) {
    if (!tune_log_read(arena, file->path, log, error)) {
        return false;
    }
    if (!tune_log_is_of(log, head)) {
        return weft_fail(error, WEFT_DECISIONS, 1,
                         "line 1: a log of %.80s on %.80s, %" PRId64
                         " cycles, not of this model, configuration and options; give another "
                         "file, or this one to weft compile --use-log",
                         log->head.model, log->head.config, log->head.cycles);
    }
    file->descriptor = open(file->path, O_WRONLY | O_APPEND | O_CLOEXEC);
    return (file->descriptor >= 0 && ftruncate(file->descriptor, (off_t)log->whole) == 0) ||
           failed(file, "write", error);
}

bool tune_log_open(struct weft_arena *arena, const char *path, const struct tune_log_head *head,
                   struct tune_log *log, struct tune_log_file *file, struct weft_error *error) {
    bool was_empty = is_empty(path);
    int created = was_empty ? 0 : O_CREAT | O_EXCL;
    *file = (struct tune_log_file){path, -1};
    *log = (struct tune_log){.head = *head};
    file->descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | created, 0666);
    if (file->descriptor < 0 && errno == EEXIST) {
        bool good = go_on(arena, head, log, file, error);
        if (!good) {
            tune_log_close(file);
        }
        return good;
    }
    if (file->descriptor < 0) {
        return failed(file, "write", error);
    }
    bool good = begin(head, file, error);
    if (!good && !was_empty) {
        (void)unlink(path); /* a log without its first line is none */
    }
    return good;
}

bool tune_log_append(const struct tune_log_file *file, const struct weft_text *text,
                     struct weft_error *error) {
    size_t done = 0;
    while (done < text->length) {
        ssize_t written = write(file->descriptor, text->bytes + done, text->length - done);
        if (written < 0 && errno != EINTR) {
            return failed(file, "write", error);
        }
        done += written < 0 ? 0 : (size_t)written;
    }
    return true;
}

void tune_log_close(struct tune_log_file *file) {
    if (file->descriptor >= 0) {
        (void)close(file->descriptor);
    }
    file->descriptor = -1;
}
