/* A candidate with its layers in another order. */
#ifndef WEFT_COMPILER_SCHEDULE_REORDER_H
#define WEFT_COMPILER_SCHEDULE_REORDER_H

#include "compiler/schedule/candidates.h"

/* Looks for a faster order of the layers of a candidate that fits, and adds the candidates that it
 * comes to; the fastest takes its place. Nothing is tried where there is only one order. What was
 * noted of its layers, from the note `noted` on, is of the same ones after that. Error: as
 * try_candidates(). */
bool reorder_layers(struct weft_arena *arena, struct search *search, size_t noted,
                    struct candidate *best, struct weft_error *error);

#endif
