/* Random changes of decisions, each within what its field can be, with what else must follow. */
#ifndef WEFT_COMPILER_TUNE_MOVES_H
#define WEFT_COMPILER_TUNE_MOVES_H

#include "compiler/plan/plan.h"
#include "compiler/tune/draw.h"
#include "compiler/tune/fields.h"

/* What is changed. */
enum move_kind {
    MOVE_TILE_ROWS,
    MOVE_TILE_COLUMNS,
    MOVE_TILE_BLOCKS,
    MOVE_STRIPE_ROWS,
    MOVE_STRIPE_GROUPS,
    MOVE_STRIPE_BUFFERS,
    MOVE_PIECES, /* of weights */
    MOVE_INPUTS, /* with which the first tile begins */
    MOVE_ORDER,  /* of weights */
    MOVE_APART,
    MOVE_AHEAD,
    MOVE_LINK,
    MOVE_BESIDE,
    MOVE_TURN,
    MOVE_RESIDENT, /* a tensor of the layer is on chip as a whole, or not */
    MOVE_BANKS,    /* how a tensor of the layer lies in banks */
    MOVE_PACK,
    MOVE_REGION,  /* what holds for all layers */
    MOVE_PUT_OFF, /* of layers abreast; last, since few regions have any */
    MOVE_KINDS
};
extern const char *const move_kind_names[MOVE_KINDS];

/* What moves are made for. */
struct move_field {
    const struct region *region;
    int layer_count; /* that are any work */
    int *layers;
    int *class_of; /* by layer of the region: the first layer that is like it */
};

/* Lists what can be changed, in the arena. */
void move_field_list(struct weft_arena *arena, const struct region *region,
                     struct move_field *field);

/* Are two layers alike: of one kind, with the same shapes and window? */
bool layers_alike(const struct layer *a, const struct layer *b);

/* Changes one thing about the layer `layer` or, if `all_alike`, about all that are like it. False:
 * it cannot be changed so, or nothing would be another; decisions are then perhaps changed in part.
 */
bool move_make(struct draw *draw, const struct move_field *field, enum move_kind kind, int layer,
               bool all_alike, struct decisions *decisions);

/* Fields that can be no longer what they are, after others were changed, become what is next to
 * it. Room is not looked at. */
void move_repair(const struct region *region, struct decisions *decisions);

#endif
