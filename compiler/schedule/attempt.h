/* Attempts to schedule a region in one way. */
#ifndef WEFT_COMPILER_SCHEDULE_ATTEMPT_H
#define WEFT_COMPILER_SCHEDULE_ATTEMPT_H

#include "base/parallel.h"
#include "base/team.h"
#include "compiler/schedule/known.h"

/* A way to schedule a region. */
struct candidate {
    const struct region *region;
    struct weft_config as_if; /* the machine that its decisions are made for: its own, or smaller */
    struct style style;
    const struct hint *hints; /* by layer, or NULL */
    uint64_t cycles;          /* 0: it does not fit, or needs too many tokens */
    bool is_least;            /* it takes more: counting ended there */
    size_t instructions;      /* of the groups of images that are counted */
};

/* Instructions for one group of images. */
static inline size_t instructions_of_group(const struct candidate *candidate) {
    return candidate->instructions / (size_t)candidate->region->counted;
}

/* Threads that try candidates, and memory for each, which is empty between tries. */
struct crew {
    struct weft_team *team;
    struct weft_arena *arenas[WEFT_MOST_THREADS]; /* as many as the team's size */
};

/* What becomes of a candidate. */
struct attempt {
    struct decisions decisions;
    struct plan plan;
    struct program program;
    struct outcome outcome;
    uint64_t program_key; /* what the outcome of a window is known as, too; 0: nothing */
};

/* Makes the whole program of a candidate and counts its cycles. Error: WEFT_CAPACITY. */
bool attempt_make(struct weft_arena *arena, const struct candidate *candidate,
                  struct attempt *attempt, struct weft_error *error);

/* *key: what the outcome of a candidate is known as. Error: WEFT_CAPACITY. */
bool attempt_key(struct weft_arena *arena, const struct candidate *candidate, uint64_t *key,
                 struct weft_error *error);

/* Decides and plans as attempt_make() does, and finds out what the program takes, which is not made
 * when that is known. With a `window`, which may be NULL, the layers of the window alone are
 * emitted, for one group of images, and what they take is estimated. Counting may end at `limit`
 * cycles, if that is not 0. *key: what to add to the known as, beside the attempt's program_key. */
bool attempt_try(struct weft_arena *arena, const struct candidate *candidate,
                 const struct window *window, const struct known *known, uint64_t limit,
                 struct attempt *attempt, uint64_t *key, struct weft_error *error);

/* What an attempt may take at most, in cycles; 0: as many as it does. */
struct attempt_limits {
    const struct window *window; /* a part of the region that is estimated first; NULL: none is */
    uint64_t window_cycles;      /* of that; it is not gone on with when it takes as many */
    uint64_t cycles;             /* of the whole program */
};

/* The whole program of the attempt's decisions, which are from anywhere. What is at a limit ends
 * there: outcome.is_least. Errors: WEFT_DECISIONS, they are not possible; WEFT_CAPACITY. */
bool attempt_use(struct weft_arena *arena, const struct region *region,
                 const struct attempt_limits *limits, struct attempt *attempt,
                 struct weft_error *error);

/* Estimates a window of the program of the attempt's decisions: outcome. Errors: the same. */
bool attempt_estimate(struct weft_arena *arena, const struct region *region,
                      const struct window *window, struct attempt *attempt,
                      struct weft_error *error);

#endif
