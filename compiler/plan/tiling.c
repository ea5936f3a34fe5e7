/* Cutting layers into tiles. */
#include "base/integer.h"
#include "compiler/plan/plan.h"
#include "isa/record.h"

enum {
    /* A MATRIX should stream at least this many cycles, so that dispatch and the requantising of
     * the one before hide behind it; small layers take several channel blocks at once to get
     * there. Where the search begins: hints make it coarser. */
    LEAST_STREAM = 256,
    /* Vectors in one VECTOR of elementwise work. */
    VECTORS = 512,
    /* What works by element alone has several stripes, of so many vectors at least, so that loads
     * and stores run beside the work. */
    STRIPES = 4,
    STRIPE_VECTORS = 64
};

int64_t even_part(int64_t size, int64_t most) {
    return weft_ceil_div(size, weft_ceil_div(size, weft_max(most, 1)));
}

/* A tile of a layer abreast is a row. */
static void choose_row(const struct plan *plan, const struct layer *layer, struct cut *cut) {
    cut->tile_columns = even_part(layer->out.w, weft_acc_bank_entries(plan->config));
    cut->tile_rows = 1;
}

/* Rows and columns of a tile whose accumulators fit a bank, or two when a row does not. */
static void choose_pixels(const struct plan *plan, const struct layer *layer,
                          const struct hint *hint, struct cut *cut) {
    int64_t bank = weft_acc_bank_entries(plan->config);
    int64_t entries = layer->out.w <= bank ? bank : 2 * bank;
    cut->tile_columns = even_part(layer->out.w, entries);
    cut->tile_rows =
        even_part(cut->stripe_rows, entries / cut->tile_columns / weft_max(hint->tile_part, 1));
    if (hint->more_tiles != 0) {
        int64_t tiles = weft_ceil_div(cut->stripe_rows, cut->tile_rows) + hint->more_tiles;
        cut->tile_rows = weft_min(weft_ceil_div(cut->stripe_rows, weft_max(tiles, 1)),
                                  2 * bank / cut->tile_columns);
    }
}

int64_t blocks_of_piece(const struct plan *plan, int layer, int64_t blocks, int64_t most) {
    return even_part(blocks,
                     weft_min(most, weft_ceil_div(blocks, cut_of(plan, layer)->weight_pieces)));
}

int64_t most_early_blocks(const struct region *region, int index) {
    const struct layer *layer = &region->layers[index];
    bool can_be = operations_of(layer)->cuts_weights && !layer->clips && !is_abreast(region, index);
    return can_be ? blocks_of(region->config, layer->in.c) - 1 : 0;
}

void choose_pieces(const struct plan *plan, int index, const struct hint *hint,
                   struct tiling *tiling, struct cut *cut) {
    int64_t blocks = tiling->input_blocks;
    if (hint->more_pieces > 0) {
        int64_t pieces = weft_ceil_div(blocks, tiling->chunk[0]) + hint->more_pieces;
        cut->weight_pieces = weft_min(pieces, blocks);
        operations_of(plan->layers[index])->tile(plan, index, tiling);
    }
}

static int64_t vectors_of_row(const struct plan *plan, const struct layer *layer) {
    return layer->out.w * blocks_of(plan->config, layer->out.c);
}

void choose_vectors(const struct plan *plan, int index, const struct hint *hint, struct cut *cut) {
    const struct layer *layer = plan->layers[index];
    int64_t rows = weft_max(VECTORS / vectors_of_row(plan, layer), 1);
    (void)hint;
    cut->tile_columns = layer->out.w;
    cut->tile_rows = weft_min(even_part(layer->out.h, rows), cut->stripe_rows);
}

void choose_stripes(const struct plan *plan, int index, const struct hint *hint, struct cut *cut) {
    const struct layer *layer = plan->layers[index];
    if (hint->stripe_rows == 0 && plan->chain_first[index] == plan->chain_last[index]) {
        int64_t rows = weft_max(weft_ceil_div(layer->out.h, STRIPES),
                                weft_ceil_div(STRIPE_VECTORS, vectors_of_row(plan, layer)));
        cut->stripe_rows = weft_min(cut->stripe_rows, rows);
    }
    choose_vectors(plan, index, hint, cut);
}

bool takes_several_blocks(const struct layer *layer, const struct tiling *tiling) {
    return tiling->chunks == 1 && (layer->groups == 1 || layer->kind != LAYER_CONV);
}

int64_t whole_multiples(const struct layer *layer, int64_t blocks) {
    int64_t multiples = weft_max(layer->multiplied, 1);
    if (blocks >= multiples) {
        return blocks - blocks % multiples;
    }
    while (multiples % blocks != 0) {
        blocks--;
    }
    return blocks;
}

void choose_blocks(const struct plan *plan, int index, const struct hint *hint,
                   const struct tiling *tiling, int64_t weight_bytes, int64_t stream,
                   struct cut *cut) {
    const struct weft_config *config = plan->config;
    const struct layer *layer = plan->layers[index];
    int64_t least = hint->coarser < 0 ? LEAST_STREAM >> (-2 * hint->coarser)
                                      : LEAST_STREAM << (2 * hint->coarser);
    int64_t bank = weft_bank_bytes(config, WEFT_MEMORY_WGT);
    int64_t entries = 2 * (int64_t)weft_acc_bank_entries(config);
    int64_t record = weft_record_lines(layer->requant.per_channel, false) * config->block;
    int64_t all = blocks_of(config, layer->out.c);
    int64_t blocks = weft_min(weft_ceil_div(least, stream), all);
    blocks = weft_min(blocks, bank / weight_bytes);
    blocks = weft_min(blocks, weft_bank_bytes(config, WEFT_MEMORY_PAR) / record);
    blocks = weft_min(blocks, entries / (tiling->rows * tiling->columns));
    blocks = cut->early_blocks > 0 ? 1 : blocks;
    cut->tile_blocks = takes_several_blocks(layer, tiling) ? even_part(all, blocks) : 1;
    bool is_large = all * weight_bytes * tiling->chunks > (int64_t)config->wgt_bytes * 3 / 4;
    cut->weights_outer = is_large != hint->other_order;
}

/* The layer as its cut wants it. */
static void turn_as(struct plan *plan, int index, const struct cut *cut) {
    const struct layer *layer = &plan->region->layers[index];
    if (cut->turned) {
        struct layer *turned = WEFT_NEW(plan->arena, struct layer);
        *turned = *layer;
        layer_turn(turned);
        layer = turned;
    }
    plan->layers[index] = layer;
}

void tiling_follow(struct plan *plan, int index) {
    const struct cut *cut = cut_of(plan, index);
    turn_as(plan, index, cut);
    const struct layer *layer = plan->layers[index];
    struct tiling tiling = {.rows = cut->tile_rows,
                            .columns = cut->tile_columns,
                            .blocks = cut->tile_blocks,
                            .chunks = 1};
    tiling.groups = weft_ceil_div(blocks_of(plan->config, layer->out.c), tiling.blocks);
    if (operations_of(layer)->tile != NULL) {
        operations_of(layer)->tile(plan, index, &tiling);
    }
    plan->tilings[index] = tiling;
}

void tiling_choose(struct plan *plan, struct decisions *decisions, int index,
                   const struct hint *hint) {
    struct cut *cut = &decisions->cuts[index];
    turn_as(plan, index, cut);
    const struct layer *layer = plan->layers[index];
    bool is_limited = hint->stripe_rows > 0 && !layer->turned;
    int64_t most_rows = is_limited ? hint->stripe_rows : layer->out.h;
    cut->stripe_rows = weft_min(most_rows, layer->out.h);
    cut->stripe_images = layer->out.n;
    bool has_third = hint->third_buffer || is_looked_up_in(tensor_at(plan, index, 0));
    cut->stripe_buffers = has_third ? MOST_BUFFERS : 2;
    cut->tile_blocks = blocks_of(plan->config, layer->out.c);
    cut->weight_pieces = 1;
    cut->early_blocks = 0;
    cut->weights_outer = false;
    if (is_abreast(plan->region, index)) {
        choose_row(plan, layer, cut);
        cut->put_off = hint->put_off;
    } else {
        choose_pixels(plan, layer, hint, cut);
    }
    if (operations_of(layer)->choose != NULL) {
        operations_of(layer)->choose(plan, index, hint, cut);
    }
    tiling_follow(plan, index);
    cut->stripe_groups = plan->tilings[index].groups;
}
