/* The log of a search of machines: JSON lines, for people and to be gone on with (docs/tune.md).
 * Nothing in it is trusted. After the first line there is one for each machine that was tried, and
 * one for each schedule that was faster than all before it on its machine. */
#ifndef WEFT_SWEEP_CODESIGN_LOG_H
#define WEFT_SWEEP_CODESIGN_LOG_H

#include "compiler/tune/log.h"
#include "sweep/codesign.h"

enum {
    CODESIGN_LOG_VERSION = 1
};

/* The first line. */
struct codesign_log_head {
    int64_t version; /* CODESIGN_LOG_VERSION */
    const char *model, *model_fingerprint;
    const char *config, *config_fingerprint; /* where it begins */
    const char *area;                        /* name of the model of area */
    const char *compiler;                    /* its version */
    int64_t frames;
    bool one_by_one;
    int64_t effort;
    int64_t cycles; /* of the first machine, as compiled */
};

/* A parameter that is not that of the first machine. */
struct codesign_log_parameter {
    const char *name;
    int64_t value;
};

/* Every other line. */
struct codesign_log_line {
    bool is_machine;
    uint64_t number; /* of the line */
    int64_t machine; /* index */
    /* Of a machine: */
    size_t parameter_count;
    struct codesign_log_parameter *parameters;
    int64_t cycles;      /* as compiled; 0: refused */
    const char *refused; /* why; "": it was not */
    /* Of a schedule: */
    int64_t total; /* cycles of all regions with it */
    size_t better_count;
    struct tune_log_line *better;
};

struct codesign_log {
    struct codesign_log_head head;
    size_t line_count;
    struct codesign_log_line *lines;
    size_t whole; /* bytes up to the end of the last whole line */
};

/* Append a line. */
void codesign_log_print_head(struct weft_text *out, const struct codesign_log_head *head);
void codesign_log_print_machine(struct weft_text *out, size_t index,
                                const struct codesign_machine *machine,
                                const struct weft_config *first);
void codesign_log_print_better(struct weft_text *out, size_t index, uint64_t total,
                               const struct region *region, const struct tune_better *better);

/* Reads a log into the arena. Error: WEFT_DECISIONS, position = line. */
bool codesign_log_parse(struct weft_arena *arena, const char *text, size_t length,
                        struct codesign_log *log, struct weft_error *error);

#endif
