/* Convolutions: MATRIX and the VECTOR that requantises. */
#include "base/integer.h"
#include "compiler/emit/emitter.h"

/* The tensors of a layer, rows and columns as the layer counts them. */
struct operands {
    struct view in, out;
    struct view other; /* the other operand of what is carried out behind the layer */
};

/* A tile of outputs of one image. */
struct tile {
    int64_t image;
    int64_t first_row, rows;
    int64_t first_column, columns;
};

/* Rows of the tensors are columns of a turned layer. */
static struct view layer_view(const struct layer *layer, const struct view *view) {
    if (!layer->turned) {
        return *view;
    }
    struct view turned = *view;
    turned.base -= view->first_row * view->pitch;
    turned.first_row = 0;
    turned.pixel = view->pitch;
    turned.pitch = view->pixel;
    return turned;
}

static const struct layer *layer_of(const struct emitter *emitter) {
    return &emitter->segment->layers[emitter->layer];
}

static const struct tiling *tiling_of(const struct emitter *emitter) {
    return &emitter->segment->tilings[emitter->layer];
}

/* The blocks of a group: the last one may be shorter. */
static int64_t group_blocks(const struct emitter *emitter, int64_t group) {
    const struct tiling *tiling = tiling_of(emitter);
    return weft_min(tiling->blocks,
                    blocks_of(emitter->segment, layer_of(emitter)->out.c) - group * tiling->blocks);
}

/* Requantises the accumulators of a tile. */
static void emit_requant(struct emitter *emitter, const struct view *out, const struct tile *tile,
                         int64_t group, int64_t acc) {
    const struct layer *layer = layer_of(emitter);
    int64_t block = emitter->segment->config->block;
    int64_t first = group * tiling_of(emitter)->blocks;
    int piece = emitter->segment->first_parameters[emitter->layer] + (int)group;
    struct weft_instruction instruction = weft_instruction_new(WEFT_OPCODE_VECTOR);
    struct weft_vector_fields *v = &instruction.vector;
    v->function = WEFT_FUNCTION_REQUANT;
    v->rounding = layer->requant.single ? WEFT_ROUNDING_SINGLE : WEFT_ROUNDING_GEMMLOWP;
    v->per_channel = layer->requant.per_channel;
    if (!layer->requant.per_channel) {
        v->multiplier = (uint32_t)layer->requant.multiplier[0];
        v->shift = layer->requant.shift[0];
    }
    v->par = (uint32_t)(use_piece(emitter, PIECES_PAR, piece) / block);
    v->out = (uint32_t)(view_pixel(out, tile->image, first, tile->first_row, tile->first_column) /
                        block);
    v->a = (uint32_t)acc;
    const int64_t count[3] = {group_blocks(emitter, group), tile->rows, tile->columns};
    const int64_t out_stride[3] = {out->plane, out->pitch, out->pixel};
    const int64_t acc_stride[3] = {tile->rows * tile->columns, tile->columns, 1};
    for (int i = 0; i < 3; i++) {
        v->count[i] = (uint32_t)count[i];
        v->out_stride[i] = (int32_t)(out_stride[i] / block);
        v->a_stride[i] = (int32_t)acc_stride[i];
    }
    v->out_zero = layer->out_zero;
    v->low = layer->low;
    v->high = layer->high;
    emit(emitter, &instruction);
}

static void set_pixels(struct weft_matrix_fields *m, const struct layer *layer,
                       const struct view *in, const struct tile *tile) {
    m->pixel_count[0] = (uint32_t)tile->rows;
    m->pixel_count[1] = (uint32_t)tile->columns;
    m->pixel_act_stride[0] = (int32_t)(layer->stride[0] / in->row_step * in->pitch);
    m->pixel_act_stride[1] = (int32_t)(layer->stride[1] * in->pixel);
    m->pixel_acc_stride[0] = (int32_t)tile->columns;
    m->pixel_acc_stride[1] = 1;
}

/* What is carried out behind the product, on the tile that was just requantised, in place. */
static void emit_tile_behind(struct emitter *emitter, const struct operands *operands,
                             const struct tile *tile, int64_t group) {
    const struct tiling *tiling = tiling_of(emitter);
    const struct area area = {.image = tile->image,
                              .first_block = group * tiling->blocks,
                              .blocks = group_blocks(emitter, group),
                              .first_row = tile->first_row,
                              .rows = tile->rows,
                              .first_column = tile->first_column,
                              .columns = tile->columns};
    int product = emitter->layer;
    int behind = layer_of(emitter)->behind;
    bool is_first = emitter->segment->layers[behind].product_is_first;
    emitter->layer = behind;
    emit_binary_of(emitter, is_first ? &operands->out : &operands->other,
                   is_first ? &operands->other : &operands->out, &operands->out, &area);
    emitter->layer = product;
}

/* What follows the products of a tile. */
static void emit_tile_end(struct emitter *emitter, const struct operands *operands,
                          const struct tile *tile, int64_t group, int64_t acc) {
    emit_requant(emitter, &operands->out, tile, group, acc);
    if (layer_of(emitter)->behind >= 0) {
        emit_tile_behind(emitter, operands, tile, group);
    }
}

/* ---- dense ---- */

/* One piece of weights of a group over a tile. `at` and `size`: which input blocks and window steps
 * it covers. */
static void emit_dense_chunk(struct emitter *emitter, const struct view *in,
                             const struct tile *tile, int64_t group, int64_t acc, int piece,
                             const int64_t at[3], const int64_t size[3]) {
    struct segment *segment = emitter->segment;
    const struct layer *layer = layer_of(emitter);
    const struct tiling *t = tiling_of(emitter);
    bool packed = segment->tensors[segment->tensors_of[emitter->layer][0]].packed;
    int64_t row_stride = t->rows_a_step * layer->dilation[0] * in->pitch;
    int64_t column_stride =
        packed ? (int64_t)segment->config->block : layer->dilation[1] * in->pixel;
    int64_t act =
        view_pixel(in, tile->image, first_input_block(segment, layer, t, group * t->blocks) + at[0],
                   tile->first_row * layer->stride[0] - layer->pad[TOP],
                   tile->first_column * layer->stride[1] - layer->pad[LEFT]);
    struct weft_instruction instruction = weft_instruction_new(WEFT_OPCODE_MATRIX);
    struct weft_matrix_fields *m = &instruction.matrix;
    m->mode = WEFT_MODE_DENSE;
    m->accumulate = at[0] > 0 || at[1] > 0 || at[2] > 0;
    m->act = (uint32_t)(act + at[1] * row_stride + at[2] * column_stride);
    m->wgt = (uint32_t)use_piece(emitter, PIECES_WGT, piece);
    m->acc = (uint32_t)acc;
    m->weight_zero = layer->weight_zero;
    const int64_t count[4] = {group_blocks(emitter, group), size[0], size[1], size[2]};
    const int64_t stride[4] = {0, in->plane, row_stride, column_stride};
    for (int i = 0; i < 4; i++) {
        m->tile_count[i] = (uint32_t)count[i];
        m->tile_act_stride[i] = (int32_t)stride[i];
    }
    m->tile_acc_stride[0] = (int32_t)(tile->rows * tile->columns);
    set_pixels(m, layer, in, tile);
    emit(emitter, &instruction);
}

static void emit_dense_tile(struct emitter *emitter, const struct operands *operands,
                            const struct tile *tile, int64_t group) {
    const struct tiling *t = tiling_of(emitter);
    int64_t acc =
        use_accumulators(emitter, group_blocks(emitter, group) * tile->rows * tile->columns);
    int piece = emitter->segment->first_weights[emitter->layer] + (int)(group * t->chunks);
    int64_t at[3];
    for (at[0] = 0; at[0] < t->input_blocks; at[0] += t->chunk[0]) {
        for (at[1] = 0; at[1] < t->row_steps; at[1] += t->chunk[1]) {
            for (at[2] = 0; at[2] < t->column_steps; at[2] += t->chunk[2]) {
                const int64_t size[3] = {weft_min(t->chunk[0], t->input_blocks - at[0]),
                                         weft_min(t->chunk[1], t->row_steps - at[1]),
                                         weft_min(t->chunk[2], t->column_steps - at[2])};
                emit_dense_chunk(emitter, &operands->in, tile, group, acc, piece++, at, size);
            }
        }
    }
    emit_tile_end(emitter, operands, tile, group, acc);
}

/* ---- depthwise ---- */

static void emit_depthwise_part(struct emitter *emitter, const struct view *in,
                                const struct tile *tile, int64_t group, int64_t acc, int index) {
    struct segment *segment = emitter->segment;
    const struct layer *layer = layer_of(emitter);
    const struct tiling *t = tiling_of(emitter);
    const struct window_part *part = &t->parts[index];
    int piece = segment->first_weights[emitter->layer] + (int)group * t->part_count + index;
    int64_t row_stride = layer->dilation[0] * in->pitch;
    int64_t column_stride = layer->dilation[1] * in->pixel;
    int64_t act = view_pixel(in, tile->image, group * t->blocks,
                             tile->first_row * layer->stride[0] - layer->pad[TOP],
                             tile->first_column * layer->stride[1] - layer->pad[LEFT]);
    struct weft_instruction instruction = weft_instruction_new(WEFT_OPCODE_MATRIX);
    struct weft_matrix_fields *m = &instruction.matrix;
    m->mode = WEFT_MODE_DEPTHWISE;
    m->accumulate = index > 0;
    m->act = (uint32_t)(act + part->first_row * row_stride + part->first_column * column_stride);
    m->wgt = (uint32_t)use_piece(emitter, PIECES_WGT, piece);
    m->acc = (uint32_t)acc;
    m->weight_zero = layer->weight_zero;
    const int64_t count[3] = {group_blocks(emitter, group), part->row_groups, part->column_groups};
    const int64_t stride[3] = {in->plane, part->rows * row_stride, part->columns * column_stride};
    for (int i = 0; i < 3; i++) {
        m->tile_count[i] = (uint32_t)count[i];
        m->tile_act_stride[i] = (int32_t)stride[i];
    }
    m->tile_acc_stride[0] = (int32_t)(tile->rows * tile->columns);
    set_pixels(m, layer, in, tile);
    m->window_rows = (uint32_t)part->rows;
    m->window_columns = (uint32_t)part->columns;
    m->window_row_stride = (int32_t)row_stride;
    /* A window of one column reads just the columns it needs. */
    m->window_step = part->columns == 1 ? 1 : (uint32_t)layer->stride[1];
    if (part->columns > 1) {
        m->pixel_act_stride[1] = (int32_t)in->pixel;
    }
    emit(emitter, &instruction);
}

static void emit_depthwise_tile(struct emitter *emitter, const struct operands *operands,
                                const struct tile *tile, int64_t group) {
    int64_t acc =
        use_accumulators(emitter, group_blocks(emitter, group) * tile->rows * tile->columns);
    for (int i = 0; i < tiling_of(emitter)->part_count; i++) {
        emit_depthwise_part(emitter, &operands->in, tile, group, acc, i);
    }
    emit_tile_end(emitter, operands, tile, group, acc);
}

/* ---- all tiles ---- */

typedef void emit_tile(struct emitter *emitter, const struct operands *operands,
                       const struct tile *tile, int64_t group);

/* Tiles of an image for the groups [first, end). */
static void emit_tiles(struct emitter *emitter, const struct rows *rows, int64_t image,
                       int64_t first, int64_t end, emit_tile *emit_one) {
    const struct layer *layer = layer_of(emitter);
    const struct tiling *tiling = tiling_of(emitter);
    const struct operands operands = {.in = layer_view(layer, &rows->in[0]),
                                      .out = layer_view(layer, &rows->out),
                                      .other = layer_view(layer, &rows->in[1])};
    int64_t row_end = layer->turned ? 1 : rows->stripe.end;
    struct tile tile = {.image = image};
    for (tile.first_row = layer->turned ? 0 : rows->stripe.first; tile.first_row < row_end;
         tile.first_row += tiling->rows) {
        tile.rows = weft_min(tiling->rows, row_end - tile.first_row);
        for (tile.first_column = 0; tile.first_column < layer->out.w;
             tile.first_column += tiling->columns) {
            tile.columns = weft_min(tiling->columns, layer->out.w - tile.first_column);
            for (int64_t group = first; group < end; group++) {
                emit_one(emitter, &operands, &tile, group);
                step_ahead(emitter);
            }
        }
    }
}

static void emit_convolution(struct emitter *emitter, const struct rows *rows,
                             emit_tile *emit_one) {
    for (int64_t image = rows->stripe.first_image; image < rows->stripe.end_image; image++) {
        if (!tiling_of(emitter)->weights_outer) {
            emit_tiles(emitter, rows, image, rows->first_group, rows->end_group, emit_one);
            continue;
        }
        for (int64_t group = rows->first_group; group < rows->end_group; group++) {
            emit_tiles(emitter, rows, image, group, group + 1, emit_one);
        }
    }
}

void emit_dense(struct emitter *emitter, const struct rows *rows) {
    emit_convolution(emitter, rows, emit_dense_tile);
}

void emit_depthwise(struct emitter *emitter, const struct rows *rows) {
    emit_convolution(emitter, rows, emit_depthwise_tile);
}
