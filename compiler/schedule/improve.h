/* A candidate with its layers cut in other ways. */
#ifndef WEFT_COMPILER_SCHEDULE_IMPROVE_H
#define WEFT_COMPILER_SCHEDULE_IMPROVE_H

#include "compiler/schedule/candidates.h"

/* What hints are changed for at once. */
enum scope {
    BY_KIND,  /* all layers that are alike; work by element stays as it is */
    BY_CHAIN, /* a chain: where it ends, and its stripes */
    BY_LAYER,
    BY_TILES,        /* all layers that are alike, in how many tiles they are cut alone */
    BY_PIECES,       /* the same, in how many pieces large weights are */
    BY_BESIDE,       /* the same, between whose tiles they are carried out */
    BY_INPUTS,       /* a layer: with what of its operand its first tile begins */
    BY_SMALL_PIECES, /* a layer of other weights: MATRIX begins with those that are there */
    BY_ABREAST       /* a layer abreast: its MATRIX, and when its steps come */
};

/* Looks for better hints for the layers of a candidate that fits, beginning with its own; in later
 * rounds of a search for longer. Notes what was tried, and adds to what is known. */
bool improve_layers(struct weft_arena *arena, struct search *search, enum scope scope,
                    struct candidate *best, struct weft_error *error);

#endif
