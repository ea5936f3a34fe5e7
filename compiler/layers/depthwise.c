/* Depthwise convolutions: one output channel for each input channel. */
#include "base/integer.h"
#include "compiler/emit/work.h"
#include "compiler/layers/layers.h"

/* Those of convolutions find it: lower_product(). */

/* ---- tiles ---- */

static void find_parts(const struct plan *plan, int index, struct tiling *tiling) {
    const struct layer *layer = plan->layers[index];
    tiling->part_count = window_parts(plan->config, layer, layer->kernel[0], layer->kernel[1],
                                      tiling->columns, tiling->parts);
}

static void choose(const struct plan *plan, int index, const struct hint *hint, struct cut *cut) {
    const struct layer *layer = plan->layers[index];
    struct tiling tiling = {.rows = cut->tile_rows, .columns = cut->tile_columns, .chunks = 1};
    int64_t bytes = 0;
    int64_t stream = 0;
    find_parts(plan, index, &tiling);
    for (int i = 0; i < tiling.part_count; i++) {
        const struct window_part *part = &tiling.parts[i];
        int64_t pass = tiling.rows * column_cost(layer, tiling.columns, part->columns);
        bytes = weft_max(bytes, part_weight_bytes(plan->config, part));
        stream += weft_max(pass, (int64_t)plan->config->block / 2) * part->row_groups *
                  part->column_groups;
    }
    choose_blocks(plan, index, hint, &tiling, bytes, stream, cut);
    cut->tile_blocks = whole_multiples(layer, cut->tile_blocks);
}

static int64_t matrix_columns(const struct layer *layer, const struct tiling *tiling) {
    int64_t columns = 0;
    for (int i = 0; i < tiling->part_count; i++) {
        const struct window_part *part = &tiling->parts[i];
        columns += part->row_groups * part->column_groups *
                   column_cost(layer, layer->out.w, part->columns);
    }
    return columns;
}

/* ---- weights ---- */

/* The weight of a tap for an output channel; weight_zero, which counts as nothing, where there is
 * none. */
static int8_t tap_weight(const struct layer *layer, int64_t o, int64_t row, int64_t column) {
    bool is_there = o < layer->out.c && row < layer->kernel[0] && column < layer->kernel[1];
    return is_there ? layer->weights[(o * layer->kernel[0] + row) * layer->kernel[1] + column]
                    : (int8_t)layer->weight_zero;
}

/* The pieces of a group of channel blocks, part by part. Each holds, for each block and group of
 * rows and columns, one line for each tap; see sim/exec/matrix.c for the order of taps. */
static void pack_group(struct packing *packing, int index, int64_t group) {
    const struct plan *plan = packing->plan;
    const struct layer *layer = plan->layers[index];
    const struct tiling *t = &plan->tilings[index];
    int64_t block = plan->config->block;
    int64_t first = group * t->blocks;
    int64_t blocks = weft_min(t->blocks, blocks_of(plan->config, layer->out.c) - first);
    for (int i = 0; i < t->part_count; i++) {
        const struct window_part *part = &t->parts[i];
        int64_t taps = part->rows * part->columns;
        int64_t tiles = part->row_groups * part->column_groups;
        uint8_t *to = add_piece(packing, PIECES_WGT, blocks * tiles * taps * block);
        for (int64_t k = 0; to != NULL && k < blocks * tiles * taps; k++, to += block) {
            int64_t tap = k % taps;
            int64_t tile = k / taps % tiles;
            int64_t channel = (first + k / taps / tiles) * block;
            int64_t row =
                part->first_row + tile / part->column_groups * part->rows + tap % part->rows;
            int64_t column = part->first_column + tile % part->column_groups * part->columns +
                             part->columns - 1 - tap / part->rows;
            for (int64_t n = 0; n < block; n++) {
                to[n] = (uint8_t)tap_weight(layer, channel + n, row, column);
            }
        }
    }
}

static void pack(struct packing *packing, int index) {
    for (int64_t group = 0; group < packing->plan->tilings[index].groups; group++) {
        pack_group(packing, index, group);
        pack_requant(packing, index, group);
    }
}

/* ---- instructions ---- */

static void emit_depthwise_part(const struct work *work, const struct view *in,
                                const struct tile *tile, int64_t group, int index) {
    const struct layer *layer = layer_of(work);
    const struct tiling *t = tiling_of(work);
    const struct window_part *part = &t->parts[index];
    int piece = work->plan->first_weights[work->layer] + (int)group * t->part_count + index;
    int64_t row_stride = layer->dilation[0] * in->pitch;
    int64_t column_stride = layer->dilation[1] * in->pixel;
    /* A group has all that some blocks of the operand make, or a part of what one makes. */
    int64_t multiples = weft_max(layer->multiplied, 1);
    int64_t blocks = group_blocks(work, group);
    int64_t act = view_pixel(in, tile->image, group * t->blocks / multiples,
                             tile->first_row * layer->stride[0] - layer->pad[TOP],
                             tile->first_column * layer->stride[1] - layer->pad[LEFT]);
    struct weft_instruction instruction = weft_instruction_new(WEFT_OPCODE_MATRIX);
    struct weft_matrix_fields *m = &instruction.matrix;
    m->mode = WEFT_MODE_DEPTHWISE;
    m->accumulate = index > 0;
    m->act = (uint32_t)(act + part->first_row * row_stride + part->first_column * column_stride);
    m->weight_zero = layer->weight_zero;
    const int64_t count[4] = {weft_ceil_div(blocks, multiples), weft_min(blocks, multiples),
                              part->row_groups, part->column_groups};
    const int64_t stride[4] = {in->plane, 0, part->rows * row_stride,
                               part->columns * column_stride};
    for (int i = 0; i < 4; i++) {
        m->tile_count[i] = (uint32_t)count[i];
        m->tile_act_stride[i] = (int32_t)stride[i];
    }
    m->tile_acc_stride[0] = (int32_t)(count[1] * tile->rows * tile->columns);
    m->tile_acc_stride[1] = count[1] > 1 ? (int32_t)(tile->rows * tile->columns) : 0;
    set_pixels(m, layer, in, tile);
    m->window_rows = (uint32_t)part->rows;
    m->window_columns = (uint32_t)part->columns;
    m->window_row_stride = (int32_t)row_stride;
    /* A window of one column reads just the columns it needs. */
    m->window_step = part->columns == 1 ? 1 : (uint32_t)layer->stride[1];
    if (part->columns > 1) {
        m->pixel_act_stride[1] = (int32_t)in->pixel;
    }
    emit_with_accumulators(work, &instruction, PIECES_WGT, piece,
                           index > 0 ? 0 : tile_accumulators(work, tile, group));
}

static void emit_depthwise_tile(const struct work *work, const struct operands *operands,
                                const struct tile *tile, int64_t group) {
    for (int i = 0; i < tiling_of(work)->part_count; i++) {
        emit_depthwise_part(work, &operands->in, tile, group, i);
    }
    emit_tile_end(work, operands, tile, group);
}

static void emit_depthwise(const struct work *work, const struct rows *rows) {
    emit_tiles(work, rows, emit_depthwise_tile);
}

const struct layer_operations depthwise_operations = {.name = "depthwise convolution",
                                                      .reads_on_chip = true,
                                                      .makes_on_chip = true,
                                                      .has_window = true,
                                                      .has_products = true,
                                                      .reads_rows_at_once = true,
                                                      .rows_read = rows_of_window,
                                                      .choose = choose,
                                                      .tile = find_parts,
                                                      .pack = pack,
                                                      .matrix_columns = matrix_columns,
                                                      .emit = emit_depthwise};
