/* What tuning found, as a file that grows line by line: JSON lines, for people and to be read back
 * (docs/tune.md). Nothing in it is trusted. */
#ifndef WEFT_COMPILER_TUNE_LOG_H
#define WEFT_COMPILER_TUNE_LOG_H

#include "base/form.h"
#include "compiler/tune/tune.h"

enum {
    TUNE_LOG_VERSION = 1
};

/* The first line: what the log is of. */
struct tune_log_head {
    int64_t version; /* TUNE_LOG_VERSION */
    const char *model, *model_fingerprint;
    const char *config, *config_fingerprint;
    const char *compiler; /* its version */
    const char *strategy;
    int64_t seed;
    int64_t frames;
    bool one_by_one;
    int64_t effort;
    int64_t cycles; /* of the schedules that tuning began with */
};

/* A field of a layer, tensor or region that was changed. */
struct tune_log_change {
    const char *of; /* field_owner_names */
    int64_t item;
    const char *like; /* what the layer, or the tensor, is: tune_likeness() */
    const char *field;
    int64_t from, to;
};

/* Schedules that a log may say: sums of many of them are numbers, too. */
#define TUNE_MOST_TRIED (INT64_C(1) << 40)

/* Every other line: a schedule that was faster than all before it, as what differs from the one
 * before it of the same region. */
struct tune_log_line {
    int64_t region;
    int64_t tried; /* until then, in all regions */
    int64_t milliseconds;
    int64_t cycles; /* of the region */
    const char *what;
    size_t change_count;
    struct tune_log_change *changes;
    uint64_t number; /* of the line in its file */
};
extern const struct weft_form tune_log_line_form; /* without `number` */

struct tune_log {
    struct tune_log_head head;
    size_t line_count;
    struct tune_log_line *lines;
    size_t whole; /* bytes up to the end of the last whole line */
};

/* Appends a line. */
void tune_log_print_head(struct weft_text *out, const struct tune_log_head *head);
void tune_log_print_line(struct weft_text *out, const struct region *region,
                         const struct tune_better *better, int64_t milliseconds);

/* Reads a log into the arena. What stands after the last end of a line was not written to its end,
 * and is left out. Error: WEFT_DECISIONS, position = line. */
bool tune_log_parse(struct weft_arena *arena, const char *text, size_t length, struct tune_log *log,
                    struct weft_error *error);

/* What a layer or tensor is, in the arena: the same for those that are alike, in any model. */
const char *tune_likeness(struct weft_arena *arena, const struct region *region, enum field_of of,
                          int64_t item);

/* Does a text begin with an object whose first field has this name? Logs are told apart by it. */
bool tune_log_begins(const char *text, const char *end, const char *name);

/* Is a log of this model, this configuration and these options? */
bool tune_log_is_of(const struct tune_log *log, const struct tune_log_head *head);

/* The cycles that a log of the same model says its best schedules take, in all regions; `tuning` is
 * just opened. Error: WEFT_DECISIONS, position = line, it is of a region that there is not, has no
 * cycles, or says schedules or a time that cannot be. */
bool tune_log_cycles(const struct tune_log *log, const struct tuning *tuning, uint64_t *cycles,
                     struct weft_error *error);

/* Takes the best schedules of a log of the same model. Errors: WEFT_DECISIONS, position = line, its
 * changes are not possible, or come to other cycles than it says; those of tuning_take(). */
bool tune_log_resume(struct weft_arena *arena, const struct tune_log *log, struct tuning *tuning,
                     struct weft_error *error);

/* Takes of the changes that a log holds for layers like those of this model what makes it faster.
 * Errors: WEFT_DECISIONS, position = line, a value that its field cannot have; those of
 * tuning_take(). */
bool tune_log_transfer(struct weft_arena *arena, const struct tune_log *log, struct tuning *tuning,
                       struct weft_error *error);

#endif
