/* The search for the fastest schedule of a region. */
#ifndef WEFT_COMPILER_SCHEDULE_SEARCH_H
#define WEFT_COMPILER_SCHEDULE_SEARCH_H

#include "compiler/schedule/attempt.h"
#include "compiler/schedule/log.h"

struct search {
    struct division *divisions; /* of layers that would have no room, or NULL */
    bool has_room;              /* for every layer */
    struct crew crew;
    struct search_log *log; /* of what is tried, or NULL */
    struct candidate *candidates;
    size_t count, capacity;
    size_t ways[MULTIPLIED_WAYS + 1]; /* the first candidates of each way of multipliers */
    struct known known;
};

/* Finds candidates, and notes in `log`, which may be NULL, what was tried. Errors: WEFT_CAPACITY,
 * none of them fits; all others. */
bool search_schedules(struct weft_arena *arena, const struct weft_config *config,
                      const struct weft_graph *region, struct search_log *log,
                      struct search *search, struct weft_error *error);

/* The fastest candidate that is left; NULL when there is none. */
struct candidate *search_fastest(const struct search *search);

#endif
