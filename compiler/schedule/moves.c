/* Moves of the search: each changes one hint of a layer. */
#include "compiler/schedule/moves.h"

#include "base/integer.h"

enum {
    MOST_PIECES = 4, /* of weights, more than there have to be */
    LEAST_MORE = -2, /* tiles of a stripe than there would be */
    MOST_MORE = 3,
    EACH = 1 << 16, /* channel blocks: more than there are */
    A_LITTLE = 64   /* cycles */
};

static const char *const move_names[] = {
#define WEFT_MOVE(name, what) [MOVE_##name] = (what),
#include "compiler/schedule/moves.def"
};

static const enum move all_moves[] = {MOVE_STREAM,       MOVE_SHORTER, MOVE_LONGER, MOVE_SMALLER,
                                      MOVE_FINER,        MOVE_COARSER, MOVE_OUTER,  MOVE_TURN,
                                      MOVE_APART,        MOVE_AHEAD,   MOVE_LINK,   MOVE_BESIDE,
                                      MOVE_BESIDE_OTHER, MOVE_END};
/* What is best for a chain depends on what lies on chip beside it, more than on its layers. */
static const enum move chain_moves[] = {MOVE_LINK, MOVE_STREAM, MOVE_SHORTER, MOVE_LONGER,
                                        MOVE_END};
static const enum move tile_moves[] = {MOVE_MORE, MOVE_FEWER, MOVE_COARSER, MOVE_THIRD, MOVE_END};
/* Where layers are abreast, how long MATRIX is comes with their steps. */
static const enum move tile_moves_abreast[] = {MOVE_MORE, MOVE_FEWER, MOVE_END};
static const enum move input_moves[] = {MOVE_ONE_LATE,
                                        MOVE_TWO_LATE,
                                        MOVE_EACH_LATE,
                                        MOVE_ONE_LATE_OF_WHOLE,
                                        MOVE_TWO_LATE_OF_WHOLE,
                                        MOVE_EACH_LATE_OF_WHOLE,
                                        MOVE_NONE_LATE,
                                        MOVE_THIRD,
                                        MOVE_END};
static const enum move piece_moves[] = {MOVE_MORE_PIECES, MOVE_END};
static const enum move beside_moves[] = {MOVE_BESIDE, MOVE_BESIDE_OTHER, MOVE_END};
static const enum move abreast_moves[] = {MOVE_FINER,      MOVE_COARSER, MOVE_APART,
                                          MOVE_SOONER,     MOVE_LATER,   MOVE_MUCH_SOONER,
                                          MOVE_MUCH_LATER, MOVE_END};
static const enum move *const moves_by_scope[] = {
    [BY_KIND] = all_moves,           [BY_CHAIN] = chain_moves,   [BY_LAYER] = all_moves,
    [BY_TILES] = tile_moves,         [BY_INPUTS] = input_moves,  [BY_PIECES] = piece_moves,
    [BY_SMALL_PIECES] = piece_moves, [BY_BESIDE] = beside_moves, [BY_ABREAST] = abreast_moves};

const enum move *moves_of(enum scope scope, bool abreast) {
    return scope == BY_TILES && abreast ? tile_moves_abreast : moves_by_scope[scope];
}

const char *move_name(enum move move) {
    return move_names[move];
}

bool may_link(const struct region *region, int index) {
    int next = next_busy_layer(region, index);
    return next >= 0 && operations_of(&region->layers[index])->in_chains &&
           operations_of(&region->layers[next])->in_chains &&
           slot_between(region, index, next) >= 0;
}

bool may_cut_weights(const struct weft_config *config, const struct layer *layer) {
    return operations_of(layer)->cuts_weights && layer->in.c > config->block;
}

bool has_large_weights(const struct weft_config *config, const struct layer *layer) {
    int64_t block = config->block;
    int64_t bytes =
        blocks_of(config, layer->in.c) * layer->kernel[0] * layer->kernel[1] * block * block;
    return 2 * bytes > weft_bank_bytes(config, WEFT_MEMORY_WGT);
}

static bool change_late(struct hint *hint, int64_t late) {
    bool is_other = hint->late != late;
    hint->late = late;
    hint->more_pieces = 0; /* those of a tile that begins early are in one */
    return is_other;
}

static bool change_put_off(const struct region *region, int index, int64_t by, struct hint *hint) {
    int64_t most = most_put_off(region, index);
    hint->put_off += by;
    return hint->put_off >= -most && hint->put_off <= most;
}

/* Changes the hint for a layer; false: it cannot be. */
static bool change(const struct region *region, int index, struct hint *hint, enum move move,
                   int64_t rows) {
    const struct layer *layer = &region->layers[index];
    int64_t height = layer->out.h;
    switch (move) {
    case MOVE_STREAM:
        if (hint->streams || height < 2 ||
            !is_from_memory(&region->tensors[region->tensors_of[index][0]])) {
            return false;
        }
        hint->streams = true;
        hint->stripe_rows = (rows + 1) / 2; /* of the last of a chain alone */
        return true;
    case MOVE_SHORTER:
        hint->stripe_rows = (rows + 1) / 2;
        return rows > 1;
    case MOVE_LONGER:
        hint->stripe_rows = rows + (rows + 1) / 2;
        return hint->stripe_rows < height;
    case MOVE_SMALLER:
        hint->tile_part = weft_max(hint->tile_part, 1) * 2;
        return hint->tile_part <= 8;
    case MOVE_MORE:
        return ++hint->more_tiles <= MOST_MORE && height > 1 && operations_of(layer)->has_products;
    case MOVE_FEWER:
        return --hint->more_tiles >= LEAST_MORE && height > 1 && operations_of(layer)->has_products;
    case MOVE_MORE_PIECES:
        return ++hint->more_pieces <= MOST_PIECES && may_cut_weights(region->config, layer);
    case MOVE_NONE_LATE:
        return change_late(hint, 0);
    case MOVE_ONE_LATE:
    case MOVE_ONE_LATE_OF_WHOLE:
        return most_early_blocks(region, index) >= 1 && change_late(hint, 1);
    case MOVE_TWO_LATE:
    case MOVE_TWO_LATE_OF_WHOLE:
        return most_early_blocks(region, index) >= 2 && change_late(hint, 2);
    case MOVE_EACH_LATE:
    case MOVE_EACH_LATE_OF_WHOLE:
        return most_early_blocks(region, index) >= 3 && change_late(hint, EACH);
    case MOVE_FINER:
        return --hint->coarser >= -2;
    case MOVE_COARSER:
        return ++hint->coarser <= 2;
    case MOVE_THIRD:
        hint->third_buffer = !hint->third_buffer;
        return hint->third_buffer && is_from_memory(&region->tensors[region->tensors_of[index][0]]);
    case MOVE_SOONER:
        return change_put_off(region, index, -A_LITTLE, hint);
    case MOVE_LATER:
        return change_put_off(region, index, A_LITTLE, hint);
    case MOVE_MUCH_SOONER:
        return change_put_off(region, index, -4 * A_LITTLE, hint);
    case MOVE_MUCH_LATER:
        return change_put_off(region, index, 4 * A_LITTLE, hint);
    case MOVE_OUTER:
        hint->other_order = !hint->other_order;
        return hint->other_order && operations_of(layer)->has_products;
    case MOVE_TURN:
        hint->other_turn = !hint->other_turn;
        return hint->other_turn && layer->can_turn;
    case MOVE_AHEAD:
        hint->other_ahead = !hint->other_ahead;
        return hint->other_ahead && operations_of(layer)->by_vector;
    case MOVE_BESIDE:
    case MOVE_BESIDE_OTHER:
        hint->beside = (hint->beside + (move == MOVE_BESIDE ? 1 : 2)) % BESIDE_WAYS;
        return can_be_beside(region, index);
    case MOVE_LINK:
        hint->other_link = !hint->other_link;
        return may_link(region, index);
    default:
        hint->other_apart = !hint->other_apart;
        return hint->other_apart && can_be_apart(region, index) && are_rams_shared(region->config);
    }
}

static bool is_of_whole(enum move move) {
    return move == MOVE_ONE_LATE_OF_WHOLE || move == MOVE_TWO_LATE_OF_WHOLE ||
           move == MOVE_EACH_LATE_OF_WHOLE;
}

/* The tiles of the layer that makes the operand of another one are as large as can be. */
static void make_whole(const struct region *region, int index, struct hint *hints) {
    int producer = region->tensors[region->tensors_of[index][0]].producer;
    if (producer >= 0) {
        hints[producer].tile_part = 0;
        hints[producer].more_tiles = LEAST_MORE;
    }
}

bool can_move_layer(const struct region *region, int index, enum move move, int64_t rows,
                    const struct hint *hint) {
    struct hint changed = *hint;
    return change(region, index, &changed, move, rows);
}

bool move_layer(const struct region *region, int index, enum move move, int64_t rows,
                struct hint *hints) {
    bool good = change(region, index, &hints[index], move, rows);
    if (good && is_of_whole(move)) {
        make_whole(region, index, hints);
    }
    return good;
}
