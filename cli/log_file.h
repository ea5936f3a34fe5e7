/* The logs of weft tune as files that grow line by line. */
#ifndef WEFT_CLI_LOG_FILE_H
#define WEFT_CLI_LOG_FILE_H

#include "compiler/tune/log.h"

struct log_file {
    const char *path;
    int descriptor; /* -1: it is not open */
};

/* What a log of tuning this module, which was just compiled without decisions, says first. `arena`:
 * for its texts. */
struct tune_log_head tune_log_head_of(struct weft_arena *arena, const struct weft_module *module,
                                      const char *strategy, uint64_t seed, uint32_t effort);

/* Is a log of this model, configuration and options? Error: WEFT_DECISIONS. */
bool log_check(const struct tune_log *log, const struct tune_log_head *head,
               struct weft_error *error);

/* Takes what a log that is there holds. *whole: bytes up to the end of its last whole line. */
typedef bool log_taker(void *context, const char *text, size_t length, size_t *whole,
                       struct weft_error *error);

/* Opens a log: one that is there is taken and gone on with, and a last line that was not written to
 * its end goes; else, or if it is empty, it begins with `head`. Nobody else can open it for writing
 * meanwhile. Errors: WEFT_IO, WEFT_LIMIT, WEFT_OUT_OF_MEMORY, those of `take`. */
bool log_open(const char *path, const struct weft_text *head, log_taker *take, void *context,
              struct log_file *file, struct weft_error *error);

/* Appends text at once. Error: WEFT_IO. */
bool log_append(const struct log_file *file, const struct weft_text *text,
                struct weft_error *error);

void log_close(struct log_file *file);

#endif
