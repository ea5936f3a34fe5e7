/* What the search changes of how a layer is cut, one hint at a time. */
#ifndef WEFT_COMPILER_SCHEDULE_MOVES_H
#define WEFT_COMPILER_SCHEDULE_MOVES_H

#include "compiler/plan/plan.h"

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

enum move {
#define WEFT_MOVE(name, what) MOVE_##name,
#include "compiler/schedule/moves.def"
    MOVE_END
};

/* The moves that are tried in a scope, one after the other, and MOVE_END; `abreast`: the region has
 * layers abreast. */
const enum move *moves_of(enum scope scope, bool abreast);

/* What a move makes of a layer, in words. */
const char *move_name(enum move move);

/* Can move_layer() move it from this hint? */
bool can_move_layer(const struct region *region, int index, enum move move, int64_t rows,
                    const struct hint *hint);

/* Changes the hints, one for each layer, for a layer whose stripes have `rows` rows. False: such a
 * schedule cannot be, or is the one that there was; the hints are changed all the same. */
bool move_layer(const struct region *region, int index, enum move move, int64_t rows,
                struct hint *hints);

/* Could a layer be linked with the next that is any work? */
bool may_link(const struct region *region, int index);

/* Can the weights of a layer be in more pieces? */
bool may_cut_weights(const struct weft_config *config, const struct layer *layer);

/* Does a bank of WGT hold the weights of one block of the result alone, or not even these? Smaller
 * pieces may leave less of it empty. */
bool has_large_weights(const struct weft_config *config, const struct layer *layer);

#endif
