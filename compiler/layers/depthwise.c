/* Depthwise convolutions: one output channel for each input channel. */
#include "base/integer.h"
#include "compiler/emit/work.h"
#include "compiler/layers/layers.h"

/* Those of convolutions find it: lower_product(). */

/* ---- tiles ---- */

static void exchange(int64_t pair[2]) {
    int64_t first = pair[0];
    pair[0] = pair[1];
    pair[1] = first;
}

/* What the window is for a walk along rows, or down columns: as if these were rows. */
static struct layer window_of(const struct layer *layer, bool downwards) {
    struct layer window = *layer;
    if (downwards) {
        exchange(window.kernel);
        exchange(window.stride);
        exchange(window.dilation);
    }
    return window;
}

/* Cycles of a part of the window over a tile. Every row that is walked along begins with the
 * columns of a whole window. */
static int64_t pass_of(const struct layer *layer, const struct tiling *tiling,
                       const struct window_part *part) {
    const struct layer window = window_of(layer, tiling->downwards);
    return tiling->downwards ? tiling->columns * column_cost(&window, tiling->rows, part->columns)
                             : tiling->rows * column_cost(&window, tiling->columns, part->columns);
}

/* Cycles of all parts over a tile, once it is said which way the window walks. */
static int64_t find_parts_of(const struct plan *plan, const struct layer *layer, bool downwards,
                             struct tiling *tiling) {
    const struct layer window = window_of(layer, downwards);
    int64_t cycles = 0;
    tiling->downwards = downwards;
    tiling->part_count = window_parts(plan->config, &window, window.kernel[0], window.kernel[1],
                                      downwards ? tiling->rows : tiling->columns, tiling->parts);
    for (int i = 0; i < tiling->part_count; i++) {
        const struct window_part *part = &tiling->parts[i];
        cycles += weft_max(pass_of(layer, tiling, part), (int64_t)plan->config->block / 2) *
                  part->row_groups * part->column_groups;
    }
    return cycles;
}

/* Tiles that are higher than wide take fewer cycles downwards. */
static int64_t find_best_parts(const struct plan *plan, int index, struct tiling *tiling) {
    const struct layer *layer = plan->layers[index];
    struct tiling down = *tiling;
    int64_t cycles = find_parts_of(plan, layer, false, tiling);
    if (layer->kernel[0] > 1 && tiling->rows > tiling->columns) {
        int64_t down_cycles = find_parts_of(plan, layer, true, &down);
        if (down_cycles < cycles) {
            *tiling = down;
            cycles = down_cycles;
        }
    }
    return cycles;
}

static void find_parts(const struct plan *plan, int index, struct tiling *tiling) {
    find_best_parts(plan, index, tiling);
}

static void choose(const struct plan *plan, int index, const struct hint *hint, struct cut *cut) {
    const struct layer *layer = plan->layers[index];
    struct tiling tiling = {.rows = cut->tile_rows, .columns = cut->tile_columns, .chunks = 1};
    int64_t bytes = 0;
    int64_t stream = find_best_parts(plan, index, &tiling);
    for (int i = 0; i < tiling.part_count; i++) {
        bytes = weft_max(bytes, part_weight_bytes(plan->config, &tiling.parts[i]));
    }
    choose_blocks(plan, index, hint, &tiling, bytes, stream, cut);
    cut->tile_blocks = whole_multiples(layer, cut->tile_blocks);
}

static int64_t matrix_columns(const struct layer *layer, const struct tiling *tiling) {
    int64_t columns = 0;
    for (int i = 0; i < tiling->part_count; i++) {
        const struct window_part *part = &tiling->parts[i];
        int64_t pass = pass_of(layer, tiling, part) * layer->out.w;
        columns += part->row_groups * part->column_groups *
                   weft_ceil_div(pass, tiling->rows * tiling->columns);
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

/* Is nothing of a value outside of so many bits? */
static bool fits(int64_t value, int bits) {
    return value >= 0 && value < INT64_C(1) << bits;
}

/* What pieces of a part of the window hold of each block, as a number of 26 bits; 0: it has none.
 * The top bit tells parts of a window from whole ones, which may be longer. */
static uint32_t form_of(const struct tiling *tiling, const struct window_part *part) {
    bool is_whole = tiling->part_count == 1;
    const struct {
        int64_t value;
        int bits;
    } fields[] = {{part->rows, 3},
                  {part->columns, is_whole ? 6 : 5},
                  {part->row_groups, is_whole ? 6 : 3},
                  {part->column_groups, is_whole ? 6 : 3},
                  {part->first_row, is_whole ? 1 : 5},
                  {part->first_column, is_whole ? 1 : 5},
                  {tiling->downwards, 1}};
    uint32_t form = !is_whole;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (!fits(fields[i].value, fields[i].bits)) {
            return 0;
        }
        form = form << fields[i].bits | (uint32_t)fields[i].value;
    }
    return form;
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
        const struct piece_of of = {i * blocks_of(plan->config, layer->out.c) + first, blocks,
                                    form_of(t, part)};
        uint8_t *to = add_weights(packing, index, &of, blocks * tiles * taps * block);
        for (int64_t k = 0; to != NULL && k < blocks * tiles * taps; k++, to += block) {
            int64_t tap = k % taps;
            int64_t tile = k / taps % tiles;
            int64_t channel = (first + k / taps / tiles) * block;
            int64_t row =
                part->first_row + tile / part->column_groups * part->rows + tap % part->rows;
            int64_t column = part->first_column + tile % part->column_groups * part->columns +
                             part->columns - 1 - tap / part->rows;
            int64_t image_row = t->downwards ? column : row;
            int64_t image_column = t->downwards ? row : column;
            for (int64_t n = 0; n < block; n++) {
                to[n] = (uint8_t)tap_weight(layer, channel + n, image_row, image_column);
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

/* Exchanges rows and columns of pixels. */
static void walk_down(struct weft_matrix_fields *m) {
    struct weft_matrix_fields along = *m;
    for (int i = 0; i < 2; i++) {
        m->pixel_count[i] = along.pixel_count[1 - i];
        m->pixel_act_stride[i] = along.pixel_act_stride[1 - i];
        m->pixel_acc_stride[i] = along.pixel_acc_stride[1 - i];
    }
}

static void emit_depthwise_part(const struct work *work, const struct view *in,
                                const struct tile *tile, int64_t group, int index) {
    const struct layer *layer = layer_of(work);
    const struct tiling *t = tiling_of(work);
    const struct window_part *part = &t->parts[index];
    int piece = first_weights_of(work, group) + index;
    int64_t row_stride = window_row_bytes(layer, in);
    int64_t column_stride = layer->dilation[1] * in->pixel;
    if (t->downwards) {
        row_stride = layer->dilation[1] * in->pixel;
        column_stride = window_row_bytes(layer, in);
    }
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
    if (t->downwards) {
        walk_down(m);
    }
    m->window_rows = (uint32_t)part->rows;
    m->window_columns = (uint32_t)part->columns;
    m->window_row_stride = (int32_t)row_stride;
    /* A window of one column reads just the columns it needs. */
    m->window_step = part->columns == 1 ? 1 : (uint32_t)layer->stride[t->downwards ? 0 : 1];
    if (part->columns > 1) {
        m->pixel_act_stride[1] = (int32_t)(t->downwards ? in->pitch : in->pixel);
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
                                                      .in_chains = true,
                                                      .has_window = true,
                                                      .has_products = true,
                                                      .reads_rows_at_once = true,
                                                      .rows_read = rows_of_window,
                                                      .choose = choose,
                                                      .tile = find_parts,
                                                      .pack = pack,
                                                      .matrix_columns = matrix_columns,
                                                      .emit = emit_depthwise};
