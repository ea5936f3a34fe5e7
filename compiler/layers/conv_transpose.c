/* Transposed convolutions, phase by phase.
 *
 * They are convolutions of the operand with its rows and columns `spread` apart (zero points in
 * between) by the window turned round. The results whose rows, and columns, lie `spread` apart are
 * a phase: their windows meet elements of the operand in the same taps, which are some `spread`
 * apart themselves, and zero points in all others. So each phase is a dense product of its own taps
 * with the operand as it is, and its accumulators lie between those of the other phases: all of a
 * tile is requantised at once. Zero points are subtracted by MATRIX, not folded into the bias,
 * which is the same for all phases, each with other taps.
 */
#include "base/integer.h"
#include "compiler/emit/work.h"
#include "compiler/layers/layers.h"

/* ---- rows ---- */

/* Output row y reads the rows of the spread operand from y + begin[1] on. */
static void rows_of_phases(const struct layer *layer, int64_t first, int64_t end, int64_t *in_first,
                           int64_t *in_end) {
    int64_t spread = layer->spread[0];
    int64_t top = first + layer->begin[1];
    int64_t bottom = end - 1 + layer->begin[1] + layer->kernel[0] - 1;
    *in_first = weft_floor_div(top + spread - 1, spread);
    *in_end = weft_floor_div(bottom, spread) + 1;
}

static int64_t most_rows_of_phases(const struct layer *layer, int64_t rows) {
    return (rows + layer->kernel[0] - 2) / layer->spread[0] + 1;
}

/* ---- phases ---- */

/* A phase of a tile, along rows and columns. */
struct phase {
    int64_t first[2]; /* its first result, from the first of the tile */
    int64_t count[2]; /* its results */
    int64_t in[2];    /* row and column of the operand that the first tap of that reads */
    int64_t tap[2];   /* the first tap, the others are `spread` apart */
    int64_t taps[2];
};

/* Taps along an axis of the phase whose first is `tap`. */
static int64_t taps_from(const struct layer *layer, int axis, int64_t tap) {
    return weft_ceil_div(layer->kernel[axis] - tap, layer->spread[axis]);
}

/* Along one axis, the phase of the results from `at` on, `first` after the first of the tile. */
static void find_phase(const struct layer *layer, int axis, int64_t at, int64_t first,
                       int64_t results, struct phase *phase) {
    int64_t spread = layer->spread[axis];
    int64_t from = at + layer->begin[1 + axis]; /* in the spread operand */
    phase->first[axis] = first;
    phase->count[axis] = weft_ceil_div(results - first, spread);
    phase->in[axis] = weft_floor_div(from + spread - 1, spread);
    phase->tap[axis] = phase->in[axis] * spread - from;
    phase->taps[axis] = taps_from(layer, axis, phase->tap[axis]);
}

/* Taps of the window that lie before those of a phase in a piece: rows of taps by their first row,
 * in each columns of taps by their first column. */
static int64_t taps_before(const struct layer *layer, const struct phase *phase) {
    int64_t before = 0;
    for (int64_t row = 0; row < phase->tap[0]; row++) {
        before += taps_from(layer, 0, row) * layer->kernel[1];
    }
    for (int64_t column = 0; column < phase->tap[1]; column++) {
        before += phase->taps[0] * taps_from(layer, 1, column);
    }
    return before;
}

/* ---- tiles ---- */

static int64_t window_of(const struct layer *layer) {
    return layer->kernel[0] * layer->kernel[1];
}

/* A piece has all taps, of as many channel blocks of the operand as there is room for. */
static void find_tiling(const struct plan *plan, int index, struct tiling *tiling) {
    const struct layer *layer = plan->layers[index];
    int64_t block = plan->config->block;
    int64_t tiles = weft_bank_bytes(&plan->as_if, WEFT_MEMORY_WGT) / (block * block);
    tiling->input_blocks = blocks_of(plan->config, layer->in.c);
    tiling->row_steps = layer->kernel[0];
    tiling->column_steps = layer->kernel[1];
    tiling->rows_a_step = 1;
    tiling->chunk[0] = blocks_of_piece(plan, index, tiling->input_blocks, tiles / window_of(layer));
    tiling->chunk[1] = tiling->row_steps;
    tiling->chunk[2] = tiling->column_steps;
    tiling->chunks = weft_ceil_div(tiling->input_blocks, tiling->chunk[0]);
}

static void choose(const struct plan *plan, int index, const struct hint *hint, struct cut *cut) {
    const struct layer *layer = plan->layers[index];
    struct tiling tiling = {.rows = cut->tile_rows, .columns = cut->tile_columns};
    int64_t block = plan->config->block;
    find_tiling(plan, index, &tiling);
    choose_pieces(plan, index, hint, &tiling, cut);
    int64_t tiles = tiling.chunk[0] * window_of(layer);
    int64_t phases = layer->spread[0] * layer->spread[1];
    int64_t pass = weft_max(tiling.rows * tiling.columns / phases, block / 2);
    choose_blocks(plan, index, hint, &tiling, tiles * block * block, tiles * tiling.chunks * pass,
                  cut);
}

static int64_t matrix_columns(const struct layer *layer, const struct tiling *tiling) {
    return weft_ceil_div(layer->out.w * tiling->input_blocks * window_of(layer),
                         layer->spread[0] * layer->spread[1]);
}

/* ---- weights ---- */

/* The tiles of a phase for `blocks` blocks of results and `inputs` of the operand, in loop order:
 * row j of a tile belongs to input lane j. Returns where they end. */
static uint8_t *fill_phase(const struct plan *plan, int index, const struct phase *phase,
                           int64_t first, int64_t blocks, int64_t input, int64_t inputs,
                           uint8_t *to) {
    const struct layer *layer = plan->layers[index];
    int64_t block = plan->config->block;
    int64_t taps = phase->taps[0] * phase->taps[1];
    for (int64_t i = 0; i < blocks * inputs * taps; i++) {
        int64_t row = phase->tap[0] + i % taps / phase->taps[1] * layer->spread[0];
        int64_t column = phase->tap[1] + i % phase->taps[1] * layer->spread[1];
        int64_t lane = (input + i / taps % inputs) * block;
        for (int64_t j = 0; j < block; j++, to += block) {
            fill_lane(layer, (first + i / taps / inputs) * block, block, row, column, lane + j, to);
        }
    }
    return to;
}

/* All phases, in the order of taps_before(). */
static void fill_piece(const struct plan *plan, int index, int64_t first, int64_t blocks,
                       int64_t input, int64_t inputs, uint8_t *to) {
    const struct layer *layer = plan->layers[index];
    struct phase phase = {.tap = {0}};
    for (phase.tap[0] = 0; phase.tap[0] < layer->spread[0]; phase.tap[0]++) {
        phase.taps[0] = taps_from(layer, 0, phase.tap[0]);
        for (phase.tap[1] = 0; phase.tap[1] < layer->spread[1]; phase.tap[1]++) {
            phase.taps[1] = taps_from(layer, 1, phase.tap[1]);
            to = fill_phase(plan, index, &phase, first, blocks, input, inputs, to);
        }
    }
}

static void pack(struct packing *packing, int index) {
    const struct plan *plan = packing->plan;
    const struct layer *layer = plan->layers[index];
    const struct tiling *t = &plan->tilings[index];
    int64_t tap_bytes = (int64_t)plan->config->block * plan->config->block;
    for (int64_t group = 0; group < t->groups; group++) {
        int64_t first = group * t->blocks;
        int64_t blocks = weft_min(t->blocks, blocks_of(plan->config, layer->out.c) - first);
        const struct piece_of of = {first, blocks, 0};
        for (int64_t input = 0; input < t->input_blocks; input += t->chunk[0]) {
            int64_t inputs = weft_min(t->chunk[0], t->input_blocks - input);
            uint8_t *to =
                add_weights(packing, index, &of, blocks * inputs * window_of(layer) * tap_bytes);
            if (to != NULL) {
                fill_piece(plan, index, first, blocks, input, inputs, to);
            }
        }
        pack_requant(packing, index, group);
    }
}

/* ---- instructions ---- */

/* A phase of a tile, for the channel blocks of the operand that a piece of a group's weights is
 * of. */
static void emit_phase(const struct work *work, const struct view *in, const struct tile *tile,
                       int64_t group, int piece, int64_t input, const struct phase *phase) {
    const struct layer *layer = layer_of(work);
    const struct tiling *t = tiling_of(work);
    int64_t block = work->plan->config->block;
    int64_t inputs = weft_min(t->chunk[0], t->input_blocks - input);
    bool is_first = phase->first[0] == 0 && phase->first[1] == 0 && input == 0;
    struct weft_instruction instruction = weft_instruction_new(WEFT_OPCODE_MATRIX);
    struct weft_matrix_fields *m = &instruction.matrix;
    m->mode = WEFT_MODE_DENSE;
    m->accumulate = input > 0;
    m->act = (uint32_t)view_pixel(in, tile->image, input, phase->in[0], phase->in[1]);
    m->wgt =
        (uint32_t)(taps_before(layer, phase) * group_blocks(work, group) * inputs * block * block);
    m->acc = (uint32_t)(phase->first[0] * tile->columns + phase->first[1]);
    m->weight_zero = layer->weight_zero;
    m->act_zero = layer->zero[0];
    const int64_t count[4] = {group_blocks(work, group), inputs, phase->taps[0], phase->taps[1]};
    const int64_t stride[4] = {0, in->plane, in->pitch, in->pixel};
    for (int i = 0; i < 4; i++) {
        m->tile_count[i] = (uint32_t)count[i];
        m->tile_act_stride[i] = (int32_t)stride[i];
    }
    m->tile_acc_stride[0] = (int32_t)(tile->rows * tile->columns);
    for (int i = 0; i < 2; i++) {
        m->pixel_count[i] = (uint32_t)phase->count[i];
        m->pixel_act_stride[i] = (int32_t)stride[2 + i];
    }
    m->pixel_acc_stride[0] = (int32_t)(layer->spread[0] * tile->columns);
    m->pixel_acc_stride[1] = (int32_t)layer->spread[1];
    emit_with_accumulators(work, &instruction, PIECES_WGT, piece,
                           is_first ? tile_accumulators(work, tile, group) : 0);
}

static void emit_phases(const struct work *work, const struct operands *operands,
                        const struct tile *tile, int64_t group) {
    const struct layer *layer = layer_of(work);
    const struct tiling *t = tiling_of(work);
    int piece = first_weights_of(work, group);
    int64_t rows = weft_min(layer->spread[0], tile->rows);
    int64_t columns = weft_min(layer->spread[1], tile->columns);
    for (int64_t input = 0; input < t->input_blocks; input += t->chunk[0], piece++) {
        for (int64_t i = 0; i < rows * columns; i++) {
            struct phase phase;
            find_phase(layer, 0, tile->first_row + i / columns, i / columns, tile->rows, &phase);
            find_phase(layer, 1, tile->first_column + i % columns, i % columns, tile->columns,
                       &phase);
            emit_phase(work, &operands->in, tile, group, piece, input, &phase);
        }
    }
    emit_tile_end(work, operands, tile, group);
}

static void emit_conv_transpose(const struct work *work, const struct rows *rows) {
    emit_tiles(work, rows, emit_phases);
}

const struct layer_operations conv_transpose_operations = {.name = "transposed convolution",
                                                           .reads_on_chip = true,
                                                           .makes_on_chip = true,
                                                           .in_chains = true,
                                                           .has_window = true,
                                                           .has_products = true,
                                                           .cuts_weights = true,
                                                           .rows_read = rows_of_phases,
                                                           .most_rows_read = most_rows_of_phases,
                                                           .choose = choose,
                                                           .tile = find_tiling,
                                                           .pack = pack,
                                                           .matrix_columns = matrix_columns,
                                                           .emit = emit_conv_transpose};
