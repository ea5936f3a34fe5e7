/* The log of weft tune as a file that grows line by line. */
#ifndef WEFT_CLI_TUNE_LOG_FILE_H
#define WEFT_CLI_TUNE_LOG_FILE_H

#include "compiler/tune/log.h"

struct tune_log_file {
    const char *path;
    int descriptor; /* -1: it is not open */
};

/* What a log of this module, which was just compiled without decisions, says first. `arena`: for
 * its texts. */
struct tune_log_head tune_log_head_of(struct weft_arena *arena, const struct weft_module *module,
                                      const char *strategy, uint64_t seed, uint32_t effort);

/* Reads a log into the arena. *bytes are freed by the caller. Errors: WEFT_IO, WEFT_LIMIT,
 * WEFT_OUT_OF_MEMORY, WEFT_DECISIONS. */
bool tune_log_read(struct weft_arena *arena, const char *path, struct tune_log *log,
                   struct weft_error *error);

/* Opens the log of a model: one that is there is gone on with, and a last line that was not written
 * to its end goes; else, or if it is empty, it begins with `head`. *log: what it holds, no lines if
 * it is new. Errors: those of tune_log_read(); WEFT_DECISIONS, it is of another model. */
bool tune_log_open(struct weft_arena *arena, const char *path, const struct tune_log_head *head,
                   struct tune_log *log, struct tune_log_file *file, struct weft_error *error);

/* Appends text at once. Error: WEFT_IO. */
bool tune_log_append(const struct tune_log_file *file, const struct weft_text *text,
                     struct weft_error *error);

void tune_log_close(struct tune_log_file *file);

#endif
