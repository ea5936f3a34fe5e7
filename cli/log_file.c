#include "cli/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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

bool log_check(const struct tune_log *log, const struct tune_log_head *head,
               struct weft_error *error) {
    return tune_log_is_of(log, head) ||
           weft_fail(error, WEFT_DECISIONS, 1,
                     "line 1: a log of %.80s on %.80s, %" PRId64
                     " cycles, not of this model, configuration and options; give another file, or "
                     "this one to weft compile --use-log",
                     log->head.model, log->head.config, log->head.cycles);
}

static bool failed(const struct log_file *file, const char *what, struct weft_error *error) {
    return weft_fail(error, WEFT_IO, 0, "cannot %s %s: %s", what, file->path, strerror(errno));
}

/* Goes on with what a log holds, from the end of its last whole line. */
static bool go_on(log_taker *take, void *context, const struct log_file *file,
                  struct weft_error *error) {
    uint8_t *bytes = NULL;
    size_t length = 0;
    size_t whole = 0;
    if (!weft_file_read(file->path, &bytes, &length, error)) {
        return false;
    }
    bool good = take(context, (const char *)bytes, length, &whole, error);
    free(bytes);
    return good && (ftruncate(file->descriptor, (off_t)whole) == 0 || failed(file, "write", error));
}

/* A log of nothing is one whose tuning was killed before the first line. */
static bool begin(const struct weft_text *head, log_taker *take, void *context,
                  const struct log_file *file, bool is_new, struct weft_error *error) {
    struct stat status;
    if (fstat(file->descriptor, &status) != 0) {
        return failed(file, "read", error);
    }
    if (flock(file->descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return weft_fail(error, WEFT_IO, 0, "another weft tune writes it");
    }
    if (!S_ISREG(status.st_mode) || status.st_size > 0) {
        return go_on(take, context, file, error);
    }
    bool good = log_append(file, head, error);
    if (!good && is_new) {
        (void)unlink(file->path); /* a log without its first line is none */
    }
    return good;
}

bool log_open(const char *path, const struct weft_text *head, log_taker *take, void *context,
              struct log_file *file, struct weft_error *error) {
    struct stat status;
    bool is_new = stat(path, &status) != 0;
    *file = (struct log_file){
        path, open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666)};
    bool good = file->descriptor < 0 ? failed(file, "write", error)
                                     : begin(head, take, context, file, is_new, error);
    if (!good) {
        log_close(file);
    }
    return good;
}

bool log_append(const struct log_file *file, const struct weft_text *text,
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

void log_close(struct log_file *file) {
    if (file->descriptor >= 0) {
        (void)close(file->descriptor);
    }
    file->descriptor = -1;
}
