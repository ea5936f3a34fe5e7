/* The search for the fastest schedule of a region. */
#ifndef WEFT_COMPILER_SCHEDULE_SEARCH_H
#define WEFT_COMPILER_SCHEDULE_SEARCH_H

#include "compiler/schedule/candidates.h"
#include "compiler/schedule/terms.h"

/* Finds candidates, and notes in `log`, which may be NULL, what was tried. Of many
 * frames candidates have the cycles of the first few. Errors:
 * WEFT_CAPACITY, none of them fits; all others. */
bool search_schedules(struct weft_arena *arena, const struct weft_config *config,
                      const struct weft_graph *region, const struct schedule_terms *terms,
                      struct search_log *log, struct search *search, struct weft_error *error);

/* The fastest candidate that is left; NULL when there is none. */
struct candidate *search_fastest(const struct search *search);

#endif
