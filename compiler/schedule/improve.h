/* A candidate with its layers cut in other ways. */
#ifndef WEFT_COMPILER_SCHEDULE_IMPROVE_H
#define WEFT_COMPILER_SCHEDULE_IMPROVE_H

#include "compiler/schedule/candidates.h"
#include "compiler/schedule/moves.h"

/* Looks for better hints for the layers of a candidate that fits, beginning with its own; in later
 * rounds of a search for longer. Notes what was tried, and adds to what is known. */
bool improve_layers(struct weft_arena *arena, struct search *search, enum scope scope,
                    struct candidate *best, struct weft_error *error);

#endif
