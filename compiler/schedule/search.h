/* The search for the fastest schedule of a region. */
#ifndef WEFT_COMPILER_SCHEDULE_SEARCH_H
#define WEFT_COMPILER_SCHEDULE_SEARCH_H

#include "compiler/emit/emit.h"

/* A way to schedule a region. */
struct candidate {
    const struct region *region;
    struct style style;
    const struct hint *hints; /* by layer, or NULL */
    uint64_t cycles;          /* 0: it does not fit, or needs too many tokens */
    size_t instructions;
};

/* ---- attempt.c ---- */

/* What becomes of a candidate. */
struct attempt {
    struct decisions decisions;
    struct plan plan;
    struct program program;
    uint64_t cycles;
};

/* Makes the whole program of a candidate and counts its cycles. Error: WEFT_CAPACITY. */
bool attempt_make(struct weft_arena *arena, const struct candidate *candidate,
                  struct attempt *attempt, struct weft_error *error);

/* The same, but emits the layers of a window alone, and estimates what they take. */
bool attempt_window(struct weft_arena *arena, const struct candidate *candidate,
                    const struct window *window, struct attempt *attempt, struct weft_error *error);

/* ---- improve.c ---- */

/* Looks for better hints for the layers of a candidate that fits. */
bool improve_layers(struct weft_arena *arena, struct candidate *best, struct weft_error *error);

/* ---- search.c ---- */

enum {
    STYLES = 4,
    SHORT_PROGRAM = 1000,   /* instructions: cheap to count as a whole */
    CANDIDATES = STYLES + 2 /* the best style improved, and that with short last LOADs */
};

struct search {
    struct division *divisions; /* of layers that would have no room, or NULL */
    struct region regions[2];   /* without and with arithmetic behind products */
    struct candidate candidates[CANDIDATES];
};

/* Counts the cycles of a candidate, in memory of its own; they are 0 when it does not fit. */
bool try_candidate(struct candidate *candidate, struct weft_error *error);

/* Finds candidates; the divisions are given. Errors: WEFT_CAPACITY, none of them fits; all others.
 */
bool search_schedules(struct weft_arena *arena, const struct weft_config *config,
                      const struct weft_graph *region, struct search *search,
                      struct weft_error *error);

/* The fastest candidate that is left; NULL when there is none. */
struct candidate *search_fastest(struct search *search);

#endif
