/* Attempts to schedule a region in one way. */
#ifndef WEFT_COMPILER_SCHEDULE_ATTEMPT_H
#define WEFT_COMPILER_SCHEDULE_ATTEMPT_H

#include "compiler/schedule/known.h"

/* A way to schedule a region. */
struct candidate {
    const struct region *region;
    struct weft_config as_if; /* the machine that its decisions are made for: its own, or smaller */
    struct style style;
    const struct hint *hints; /* by layer, or NULL */
    uint64_t cycles;          /* 0: it does not fit, or needs too many tokens */
    size_t instructions;
};

/* What becomes of a candidate. */
struct attempt {
    struct decisions decisions;
    struct plan plan;
    struct program program;
    struct outcome outcome;
};

/* Makes the whole program of a candidate and counts its cycles. Error: WEFT_CAPACITY. */
bool attempt_make(struct weft_arena *arena, const struct candidate *candidate,
                  struct attempt *attempt, struct weft_error *error);

/* Decides and plans as attempt_make() does, and finds out what the program takes, which is not made
 * when that is known. Counting may end at `limit` cycles, if that is not 0. *key: what to add to
 * the known as. */
bool attempt_count(struct weft_arena *arena, const struct candidate *candidate,
                   const struct known *known, uint64_t limit, struct attempt *attempt,
                   uint64_t *key, struct weft_error *error);

/* The same, but emits the layers of a window alone, for one group of images, and estimates what
 * they take. */
bool attempt_window(struct weft_arena *arena, const struct candidate *candidate,
                    const struct window *window, const struct known *known, uint64_t limit,
                    struct attempt *attempt, uint64_t *key, struct weft_error *error);

/* The whole program of the attempt's decisions, which are from anywhere. Errors: WEFT_DECISIONS,
 * they are not possible; WEFT_CAPACITY. */
bool attempt_use(struct weft_arena *arena, const struct region *region, struct attempt *attempt,
                 struct weft_error *error);

#endif
