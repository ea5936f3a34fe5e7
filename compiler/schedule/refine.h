/* A candidate that was tried, made faster: as if memories were smaller than they are, with short
 * last LOADs, and with its layers cut in other ways. */
#ifndef WEFT_COMPILER_SCHEDULE_REFINE_H
#define WEFT_COMPILER_SCHEDULE_REFINE_H

#include "compiler/schedule/candidates.h"

enum {
    FEW_INSTRUCTIONS = 1000 /* for a group of images: such programs are refined at length */
};

/* Adds candidates that begin with one that fits, and tries them. Error: as try_candidates(). */
bool refine_candidate(struct weft_arena *arena, struct search *search,
                      const struct candidate *tried, struct weft_error *error);

/* Has the first tiles of a candidate that was tried begin with what is there of their operands,
 * where that is faster: with them other tiles are best, and with other tiles they are. */
bool refine_inputs(struct weft_arena *arena, struct search *search, const struct candidate *tried,
                   struct weft_error *error);

/* Improves the fastest candidate of all once more, as often as the search has rounds, or as long as
 * that helps. */
bool refine_again(struct weft_arena *arena, struct search *search, struct weft_error *error);

#endif
