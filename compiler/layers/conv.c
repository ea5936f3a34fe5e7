/* Dense products: convolutions, fully connected layers, grouped and transposed ones. */
#include <stdatomic.h>
#include <string.h>

#include "base/integer.h"
#include "compiler/emit/work.h"
#include "compiler/layers/layers.h"

/* ---- patterns ---- */

static struct weft_pattern *product_of(struct weft_arena *arena, enum weft_operator operator) {
    return scaled_product(arena, operator, weft_pattern_wildcard(arena));
}

static struct weft_pattern *product_of_flat(struct weft_arena *arena, enum weft_operator operator) {
    struct weft_pattern *x = weft_pattern_wildcard(arena);
    return scaled_product(arena, operator, weft_pattern_op(arena, WEFT_OP_RESHAPE, 1, &x));
}

static const struct layer_pattern patterns[] = {
    {"weft.conv2d", WEFT_OP_QNN_CONV2D, product_of, lower_product},
    {"weft.dense_flat", WEFT_OP_QNN_DENSE, product_of_flat, lower_product},
    {"weft.dense", WEFT_OP_QNN_DENSE, product_of, lower_product},
    {"weft.conv2d_transpose", WEFT_OP_QNN_CONV2D_TRANSPOSE, product_of, lower_product},
};

/* ---- tiles ---- */

static void find_steps(const struct plan *plan, int index, struct tiling *tiling) {
    const struct layer *layer = plan->layers[index];
    int input = plan->region->tensors_of[index][0];
    int64_t block = plan->config->block;
    tiling->row_steps = layer->kernel[0];
    tiling->column_steps = layer->kernel[1];
    tiling->rows_a_step = 1;
    tiling->input_blocks = blocks_of(plan->config, layer->in.c);
    if (view_has_window(plan, input)) {
        tiling->row_steps = 1;
        tiling->column_steps = tensor_at(plan, index, 0)->window.steps;
    } else if (keep_of(plan, input)->packed) {
        int64_t window = layer->kernel[1] * layer->in.c;
        int64_t reach = layer->dilation[0] * view_pitch(plan, input);
        tiling->column_steps = weft_ceil_div(window, block);
        /* A byte belongs to one row of the window only: rows must not meet in a step. */
        while (tiling->rows_a_step < layer->kernel[0] && window <= reach &&
               tiling->rows_a_step * reach + window <= block) {
            tiling->rows_a_step++;
        }
        tiling->row_steps = weft_ceil_div(layer->kernel[0], tiling->rows_a_step);
    } else if (layer->groups > 1) {
        /* The groups that a block of outputs belongs to cover a range of input channels. */
        int64_t outputs = layer->out.c / layer->groups;
        int64_t inputs = layer->in.c / layer->groups;
        tiling->input_blocks = 1;
        for (int64_t o = 0; o < layer->out.c; o += block) {
            int64_t first = o / outputs * inputs / block;
            int64_t last = (weft_min(o + block, layer->out.c) - 1) / outputs * inputs + inputs - 1;
            tiling->input_blocks = weft_max(tiling->input_blocks, last / block - first + 1);
        }
    }
}

/* Chunks of a window. */
static int64_t chunks_of_window(const struct tiling *t) {
    return weft_ceil_div(t->row_steps, t->chunk[1]) * weft_ceil_div(t->column_steps, t->chunk[2]);
}

/* Of a layer that clips: the tap that meets the operand for all results, which begins their sums.
 */
static int64_t whole_tap(const struct layer *layer) {
    const struct weft_axis_window rows = axis_window(layer, 0);
    const struct weft_axis_window columns = axis_window(layer, 1);
    return weft_whole_tap(&rows) * layer->kernel[1] + weft_whole_tap(&columns);
}

/* A piece of weights fits a bank; more reduction steps than that are cut along the outermost level
 * that needs it. */
static void find_chunks(const struct plan *plan, int index, struct tiling *tiling) {
    int64_t block = plan->config->block;
    int64_t tiles = weft_bank_bytes(&plan->as_if, WEFT_MEMORY_WGT) / (block * block);
    int64_t window = tiling->row_steps * tiling->column_steps;
    if (plan->layers[index]->clips) {
        tiling->chunk[0] = blocks_of_piece(plan, index, tiling->input_blocks, tiles);
        tiling->chunk[1] = tiling->chunk[2] = 1;
    } else if (window <= tiles) {
        tiling->chunk[0] = blocks_of_piece(plan, index, tiling->input_blocks, tiles / window);
        tiling->chunk[1] = tiling->row_steps;
        tiling->chunk[2] = tiling->column_steps;
    } else if (tiling->column_steps <= tiles) {
        tiling->chunk[0] = 1;
        tiling->chunk[1] = even_part(tiling->row_steps, tiles / tiling->column_steps);
        tiling->chunk[2] = tiling->column_steps;
    } else {
        tiling->chunk[0] = tiling->chunk[1] = 1;
        tiling->chunk[2] = even_part(tiling->column_steps, tiles);
    }
    tiling->chunks =
        weft_ceil_div(tiling->input_blocks, tiling->chunk[0]) * chunks_of_window(tiling);
    tiling->first_chunk = plan->layers[index]->clips ? whole_tap(plan->layers[index]) : 0;
}

static void find_tiling(const struct plan *plan, int index, struct tiling *tiling) {
    find_steps(plan, index, tiling);
    find_chunks(plan, index, tiling);
}

static void choose(const struct plan *plan, int index, const struct hint *hint, struct cut *cut) {
    struct tiling tiling = {.rows = cut->tile_rows, .columns = cut->tile_columns};
    int64_t block = plan->config->block;
    find_tiling(plan, index, &tiling);
    choose_pieces(plan, index, hint, &tiling, cut);
    int64_t late = weft_min(hint->late, tiling.input_blocks - 1);
    cut->early_blocks = late > 0 && tiling.chunks == 1 ? tiling.input_blocks - late : 0;
    int64_t steps = tiling.chunk[0] * tiling.chunk[1] * tiling.chunk[2];
    int64_t pass = weft_max(tiling.rows * tiling.columns, block / 2);
    choose_blocks(plan, index, hint, &tiling, steps * block * block, steps * tiling.chunks * pass,
                  cut);
}

static int64_t matrix_columns(const struct layer *layer, const struct tiling *t) {
    return layer->out.w * t->input_blocks * t->row_steps * t->column_steps;
}

/* ---- weights ---- */

/* First channel block of the input that a block of outputs reads; grouped convolutions: not always
 * 0. */
static int64_t first_input_block(const struct weft_config *config, const struct layer *layer,
                                 const struct tiling *tiling, int64_t out_block) {
    if (layer->groups == 1) {
        return 0;
    }
    int64_t inputs = layer->in.c / layer->groups;
    int64_t outputs = layer->out.c / layer->groups;
    int64_t first = out_block * config->block / outputs * inputs / config->block;
    return weft_min(first, blocks_of(config, layer->in.c) - tiling->input_blocks);
}

/* Lane j of a step whose rows meet: byte `at` of the whole window, row by row. */
static void fill_window_tile(const struct layer *layer, const struct dense_window *window,
                             int64_t first, int64_t block, int64_t step, uint8_t *tile) {
    for (int64_t j = 0; j < block; j++) {
        int64_t at = step * window->advance + j;
        int64_t row = j < window->advance ? at / window->bytes : layer->kernel[0];
        at %= window->bytes;
        fill_lane(layer, first, block, row, at / layer->in.c, at % layer->in.c, tile + j * block);
    }
}

/* A dense tile: row j of it belongs to input lane j, lane n to output channel n of the block. */
static void fill_tile(const struct plan *plan, int index, int64_t out_block, const int64_t step[3],
                      uint8_t *tile) {
    const struct layer *layer = plan->layers[index];
    const struct tiling *tiling = &plan->tilings[index];
    int input = plan->region->tensors_of[index][0];
    bool packed = keep_of(plan, input)->packed;
    int64_t block = plan->config->block;
    int64_t pitch = 0;
    if (view_has_window(plan, input)) {
        fill_window_tile(layer, &tensor_at(plan, index, 0)->window, out_block * block, block,
                         step[2], tile);
        return;
    }
    if (packed) {
        pitch = view_pitch(plan, input) * layer->dilation[0];
    }
    for (int64_t j = 0; j < block; j++) {
        int64_t row = step[1];
        int64_t column = step[2];
        int64_t c = step[0] * block + j;
        if (packed) {
            /* Lane j is byte `at` of a row of the window: column at / C, channel at % C. */
            int64_t at = step[2] * block + j;
            int64_t row_in_step = tiling->rows_a_step > 1 ? at / pitch : 0;
            at -= row_in_step * pitch;
            row = row_in_step < tiling->rows_a_step ? step[1] * tiling->rows_a_step + row_in_step
                                                    : layer->kernel[0];
            column = at / layer->in.c;
            c = at % layer->in.c;
        }
        fill_lane(layer, out_block * block, block, row, column, c, tile + j * block);
    }
}

/* Fills a dense tile, or counts what it takes when it is coded: most tiles are in every plan the
 * same. */
static void pack_tile(struct packing *packing, int index, int64_t out_block, const int64_t step[3],
                      uint8_t *tile) {
    const struct plan *plan = packing->plan;
    int64_t block = plan->config->block;
    bool packed = keep_of(plan, plan->region->tensors_of[index][0])->packed;
    _Atomic uint16_t *known = NULL;
    if (packing->mode == PACK_PLAN && !packed) {
        known =
            known_tile(plan, index, dense_tile(plan->config, plan->layers[index], out_block, step));
    }
    uint16_t counted = known == NULL ? 0 : atomic_load_explicit(known, memory_order_relaxed);
    if (counted != 0) {
        packing->counted += counted;
        return;
    }
    fill_tile(plan, index, out_block, step, tile);
    if (packing->mode == PACK_PLAN) {
        count_coded(packing, tile, block * block, known);
    }
}

/* Row and column steps at which chunk `k` of a window begins, at[1] and at[2]. */
static void find_chunk(const struct tiling *t, int64_t k, int64_t at[3]) {
    int64_t columns = weft_ceil_div(t->column_steps, t->chunk[2]);
    int64_t number = k == 0 ? t->first_chunk : k <= t->first_chunk ? k - 1 : k;
    at[1] = number / columns * t->chunk[1];
    at[2] = number % columns * t->chunk[2];
}

/* How many steps of each level the pieces of a chunk hold, as a number of 26 bits; 0: it has none,
 * as where steps are not blocks of channels at a row and column of the window. */
static uint32_t form_of(const int64_t size[3], bool packed) {
    enum {
        BLOCK_BITS = 12,
        WINDOW_BITS = 7
    };
    bool fits = !packed && size[0] < 1 << BLOCK_BITS && size[1] < 1 << WINDOW_BITS &&
                size[2] < 1 << WINDOW_BITS;
    return fits ? (uint32_t)((size[0] << WINDOW_BITS | size[1]) << WINDOW_BITS | size[2]) : 0;
}

/* The pieces of a group of output blocks, chunk by chunk. Each holds, for each block, the tiles of
 * its steps in loop order. */
static void pack_group(struct packing *packing, int index, int64_t group) {
    const struct plan *plan = packing->plan;
    const struct layer *layer = plan->layers[index];
    const struct tiling *t = &plan->tilings[index];
    int64_t tile_bytes = (int64_t)plan->config->block * plan->config->block;
    int64_t first = group * t->blocks;
    int64_t blocks = weft_min(t->blocks, blocks_of(plan->config, layer->out.c) - first);
    bool packed = keep_of(plan, plan->region->tensors_of[index][0])->packed;
    int64_t at[3];
    for (at[0] = 0; at[0] < t->input_blocks; at[0] += t->chunk[0]) {
        for (int64_t chunk = 0; chunk < chunks_of_window(t); chunk++) {
            find_chunk(t, chunk, at);
            int64_t size[3] = {weft_min(t->chunk[0], t->input_blocks - at[0]),
                               weft_min(t->chunk[1], t->row_steps - at[1]),
                               weft_min(t->chunk[2], t->column_steps - at[2])};
            int64_t tiles = size[0] * size[1] * size[2];
            const int64_t begin[3] = {at[0] + first_input_block(plan->config, layer, t, first),
                                      at[1], at[2]};
            const struct piece_of of = {dense_tile(plan->config, layer, first, begin), blocks,
                                        form_of(size, packed)};
            uint8_t *to = add_weights(packing, index, &of, blocks * tiles * tile_bytes);
            for (int64_t i = 0; to != NULL && i < blocks * tiles; i++, to += tile_bytes) {
                int64_t k = i % tiles;
                int64_t block = first + i / tiles;
                int64_t step[3] = {at[0] + k / (size[1] * size[2]) +
                                       first_input_block(plan->config, layer, t, block),
                                   at[1] + k / size[2] % size[1], at[2] + k % size[2]};
                pack_tile(packing, index, block, step, to);
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

/* Rows of a window meet in the steps of the innermost level. */
static void join_rows(struct weft_matrix_fields *m, const struct dense_window *window,
                      int64_t pitch) {
    int64_t skip = pitch - window->bytes;
    m->tile_act_stride[3] = (int32_t)(window->advance + window->skips * skip);
    m->window_rows = (uint32_t)window->rows;
    m->window_columns = (uint32_t)window->columns;
    m->window_first = (uint32_t)window->bytes;
    m->window_row_stride = (int32_t)skip;
}

/* What one MATRIX multiplies: input blocks and window steps, as many of each, of some blocks of a
 * group of outputs; their weights are in a piece. */
struct part {
    int64_t at[3], size[3];
    int64_t first_block, blocks;
    bool is_later; /* it adds to what others have begun */
    int piece;
    int64_t weights; /* tiles before them in the piece */
};

/* The pixels of a tile for which tap `tap` of a layer that clips meets the operand, which may be
 * none. */
static struct tile clipped_tile(const struct layer *layer, const struct tile *tile,
                                const int64_t tap[2]) {
    struct tile clipped = *tile;
    int64_t *const bounds[2][2] = {{&clipped.first_row, &clipped.rows},
                                   {&clipped.first_column, &clipped.columns}};
    for (int axis = 0; axis < 2; axis++) {
        const struct weft_axis_window window = axis_window(layer, axis);
        int64_t first = 0;
        int64_t end = 0;
        weft_tap_outputs(&window, tap[axis], &first, &end);
        int64_t last = weft_min(end, *bounds[axis][0] + *bounds[axis][1]);
        *bounds[axis][0] = weft_max(first, *bounds[axis][0]);
        *bounds[axis][1] = weft_max(last - *bounds[axis][0], 0);
    }
    return clipped;
}

static void emit_part(const struct work *work, const struct view *in, const struct tile *tile,
                      int64_t group, const struct part *part) {
    const struct layer *layer = layer_of(work);
    const struct tiling *t = tiling_of(work);
    const int64_t *at = part->at;
    const int64_t *size = part->size;
    bool packed = keep_of(work->plan, operand_of(work, 0))->packed;
    int64_t block = work->plan->config->block;
    int64_t row_stride = t->rows_a_step * window_row_bytes(layer, in);
    int64_t column_stride = packed ? block : layer->dilation[1] * in->pixel;
    struct tile pixels = *tile;
    int64_t row = -layer->pad[TOP];
    int64_t column = -layer->pad[LEFT];
    if (layer->clips) {
        pixels = clipped_tile(layer, tile, at + 1);
        row += at[1] * layer->dilation[0];
        column += at[2] * layer->dilation[1];
        row_stride = column_stride = 0;
        if (pixels.rows == 0 || pixels.columns == 0) {
            return;
        }
    }
    int64_t act = view_pixel(
        in, tile->image, first_input_block(work->plan->config, layer, t, group * t->blocks) + at[0],
        pixels.first_row * layer->stride[0] + row, pixels.first_column * layer->stride[1] + column);
    struct weft_instruction instruction = weft_instruction_new(WEFT_OPCODE_MATRIX);
    struct weft_matrix_fields *m = &instruction.matrix;
    m->mode = WEFT_MODE_DENSE;
    m->accumulate = part->is_later;
    m->act = (uint32_t)(act + at[1] * row_stride + at[2] * column_stride);
    m->wgt = (uint32_t)(part->weights * block * block);
    m->acc = (uint32_t)((part->first_block * tile->rows + pixels.first_row - tile->first_row) *
                            tile->columns +
                        pixels.first_column - tile->first_column);
    m->weight_zero = layer->weight_zero;
    const int64_t count[4] = {part->blocks, size[0], size[1], size[2]};
    const int64_t stride[4] = {0, in->plane, row_stride, column_stride};
    for (int i = 0; i < 4; i++) {
        m->tile_count[i] = (uint32_t)count[i];
        m->tile_act_stride[i] = (int32_t)stride[i];
    }
    m->tile_acc_stride[0] = (int32_t)(tile->rows * tile->columns);
    set_pixels(m, layer, in, &pixels);
    m->pixel_acc_stride[0] = (int32_t)tile->columns;
    if (layer->clips) {
        m->act_zero = layer->zero[0];
    }
    if (view_has_window(work->plan, operand_of(work, 0))) {
        join_rows(m, &tensor_at(work->plan, work->layer, 0)->window, in->pitch);
    }
    emit_with_accumulators(
        work, &instruction, PIECES_WGT, part->piece,
        m->accumulate || part->first_block > 0 ? 0 : tile_accumulators(work, tile, group));
}

/* Some input blocks of a tile whose weights are in one piece: each block of the group by itself,
 * since the weights of its other input blocks come next. */
static void emit_inputs(const struct work *work, const struct view *in, const struct tile *tile,
                        int64_t group) {
    const struct tiling *t = tiling_of(work);
    int64_t steps = t->row_steps * t->column_steps;
    for (int64_t b = 0; b < group_blocks(work, group); b++) {
        const struct part part = {.at = {tile->first_input},
                                  .size = {tile->inputs, t->row_steps, t->column_steps},
                                  .first_block = b,
                                  .blocks = 1,
                                  .is_later = tile->first_input > 0,
                                  .piece = first_weights_of(work, group),
                                  .weights = (b * t->input_blocks + tile->first_input) * steps};
        emit_part(work, in, tile, group, &part);
    }
}

static void emit_pieces(const struct work *work, const struct view *in, const struct tile *tile,
                        int64_t group) {
    const struct tiling *t = tiling_of(work);
    struct part part = {.blocks = group_blocks(work, group),
                        .piece = first_weights_of(work, group)};
    int64_t *at = part.at;
    for (at[0] = 0; at[0] < t->input_blocks; at[0] += t->chunk[0]) {
        for (int64_t chunk = 0; chunk < chunks_of_window(t); chunk++) {
            find_chunk(t, chunk, at);
            part.is_later = at[0] > 0 || chunk > 0;
            part.size[0] = weft_min(t->chunk[0], t->input_blocks - at[0]);
            part.size[1] = weft_min(t->chunk[1], t->row_steps - at[1]);
            part.size[2] = weft_min(t->chunk[2], t->column_steps - at[2]);
            emit_part(work, in, tile, group, &part);
            part.piece++;
        }
    }
}

static void emit_dense_tile(const struct work *work, const struct operands *operands,
                            const struct tile *tile, int64_t group) {
    if (tile->inputs == 0) {
        emit_pieces(work, &operands->in, tile, group);
    } else {
        emit_inputs(work, &operands->in, tile, group);
    }
    if (tile->inputs == 0 || tile->first_input + tile->inputs == tiling_of(work)->input_blocks) {
        emit_tile_end(work, operands, tile, group);
    }
}

static void emit_dense(const struct work *work, const struct rows *rows) {
    emit_tiles(work, rows, emit_dense_tile);
}

const struct layer_operations conv_operations = {.name = "convolution",
                                                 .pattern_count = COUNT_OF(patterns),
                                                 .patterns = patterns,
                                                 .reads_on_chip = true,
                                                 .makes_on_chip = true,
                                                 .in_chains = true,
                                                 .has_window = true,
                                                 .has_products = true,
                                                 .cuts_weights = true,
                                                 .rows_read = rows_of_window,
                                                 .choose = choose,
                                                 .tile = find_tiling,
                                                 .pack = pack,
                                                 .matrix_columns = matrix_columns,
                                                 .emit = emit_dense};
