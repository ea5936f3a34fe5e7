/* Layers of products, tile by tile. */
#include "base/integer.h"
#include "compiler/emit/work.h"

int64_t group_blocks(const struct work *work, int64_t group) {
    const struct tiling *tiling = tiling_of(work);
    return weft_min(tiling->blocks,
                    blocks_of(work->plan->config, layer_of(work)->out.c) - group * tiling->blocks);
}

int64_t tile_accumulators(const struct work *work, const struct tile *tile, int64_t group) {
    return group_blocks(work, group) * tile->rows * tile->columns;
}

void set_pixels(struct weft_matrix_fields *m, const struct layer *layer, const struct view *in,
                const struct tile *tile) {
    m->pixel_count[0] = (uint32_t)tile->rows;
    m->pixel_count[1] = (uint32_t)tile->columns;
    m->pixel_act_stride[0] = (int32_t)(layer->stride[0] / in->row_step * in->pitch);
    m->pixel_act_stride[1] = (int32_t)(layer->stride[1] * in->pixel);
    m->pixel_acc_stride[0] = (int32_t)tile->columns;
    m->pixel_acc_stride[1] = 1;
}

/* Requantises the accumulators of a tile. */
static void emit_requant(const struct work *work, const struct view *out, const struct tile *tile,
                         int64_t group) {
    const struct layer *layer = layer_of(work);
    int64_t block = work->plan->config->block;
    int64_t first = group * tiling_of(work)->blocks;
    struct weft_instruction instruction = weft_instruction_new(WEFT_OPCODE_VECTOR);
    struct weft_vector_fields *v = &instruction.vector;
    v->function = WEFT_FUNCTION_REQUANT;
    v->rounding = requant_rounding(work->plan->config, &layer->requant);
    v->per_channel = layer->requant.per_channel;
    int piece = work->plan->first_parameters[work->layer] + (int)group;
    const struct piece *records = &work->plan->pieces[PIECES_PAR][piece];
    if (!layer->requant.per_channel) {
        v->multiplier = (uint32_t)layer->requant.multiplier[0];
        v->shift = layer->requant.shift[0];
    } else if (records->is_short) {
        v->short_records = 1;
        v->shift = records->shift;
    }
    v->out = (uint32_t)(view_pixel(out, tile->image, first, tile->first_row, tile->first_column) /
                        block);
    const int64_t count[3] = {group_blocks(work, group), tile->rows, tile->columns};
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
    emit_with(work, &instruction, PIECES_PAR, piece);
}

/* Where the product of a tile lies by itself: dense. */
static struct view apart_view(const struct work *work, const struct tile *tile, int64_t group) {
    int64_t pixel = work->plan->config->block;
    int64_t pitch = tile->columns * pixel;
    return (struct view){.base = work->plan->buffers[work->layer].address[SLOT_PRODUCT][0] -
                                 tile->first_column * pixel,
                         .pixel = pixel,
                         .pitch = pitch,
                         .plane = tile->rows * pitch,
                         .first_row = tile->first_row,
                         .row_step = 1,
                         .first_image = tile->image,
                         .first_block = group * tiling_of(work)->blocks};
}

/* The part of the result that a tile is. */
static struct area tile_area(const struct work *work, const struct tile *tile, int64_t group) {
    return (struct area){.image = tile->image,
                         .first_block = group * tiling_of(work)->blocks,
                         .blocks = group_blocks(work, group),
                         .first_row = tile->first_row,
                         .rows = tile->rows,
                         .first_column = tile->first_column,
                         .columns = tile->columns};
}

/* What is carried out behind the product of a tile, which was just requantised. */
static void emit_tile_behind(const struct work *work, const struct operands *operands,
                             const struct view *product, const struct area *area) {
    const struct work behind = work_for(work, layer_of(work)->behind);
    bool is_first = layer_of(&behind)->product_is_first;
    emit_binary_of(&behind, is_first ? product : &operands->other,
                   is_first ? &operands->other : product, &operands->out, area);
}

void emit_tile_end(const struct work *work, const struct operands *operands,
                   const struct tile *tile, int64_t group) {
    bool is_apart = cut_of(work->plan, work->layer)->apart;
    const struct view product = is_apart ? apart_view(work, tile, group) : operands->out;
    const struct view *made = &product;
    const struct tensor *result = tensor_at(work->plan, work->layer, 2);
    const struct area area = tile_area(work, tile, group);
    stream_begin_half(work->stream);
    emit_requant(work, &product, tile, group);
    if (layer_of(work)->behind >= 0) {
        emit_tile_behind(work, operands, &product, &area);
        made = &operands->out;
    }
    if (result->table != NULL) {
        emit_lookup(work, result->table, result->scaling, made, &operands->out, &area);
    }
}

/* ---- all tiles ---- */

/* Does a tile begin with some channel blocks of the operand, before the others are there? Two such
 * tiles have a bank of ACC each at a time. */
static bool begins_early(const struct work *work, const struct tile *tile, int64_t group) {
    const struct tiling *tiling = tiling_of(work);
    const struct weft_config *config = work->plan->config;
    int64_t early = cut_of(work->plan, work->layer)->early_blocks;
    int64_t banks =
        (int64_t)weft_banks(config, WEFT_MEMORY_ACC) - keeps_accumulators(work->plan, work->layer);
    return early > 0 && early < tiling->input_blocks && tiling->chunks == 1 && banks >= 2 &&
           tile_accumulators(work, tile, group) <= (int64_t)weft_acc_bank_entries(config);
}

/* Emits the tiles of an image one after the other, but for the first two where these begin early:
 * MATRIX is at one while it would wait for the operand of the other. */
struct emitting {
    struct work work;
    const struct operands *operands;
    emit_tile *emit_one;
    struct tile begun[2]; /* which begin early, of the groups `groups` */
    int64_t groups[2];
    int count;
};

/* Emits the first two tiles, or the only one. */
static void emit_begun(struct emitting *e) {
    int64_t all = tiling_of(&e->work)->input_blocks;
    int64_t inputs = cut_of(e->work.plan, e->work.layer)->early_blocks;
    for (int64_t input = 0; input < all; input += inputs, inputs = 1) {
        for (e->work.tile = 0; e->work.tile < e->count; e->work.tile++) {
            struct tile *tile = &e->begun[e->work.tile];
            tile->first_input = input;
            tile->inputs = inputs;
            e->emit_one(&e->work, e->operands, tile, e->groups[e->work.tile]);
            if (input + inputs == all) {
                stream_end_part(e->work.stream);
            }
        }
    }
    e->work.tile = 0;
    e->count = 0;
}

static void emit_next(struct emitting *e, const struct tile *tile, int64_t group, bool is_first) {
    if (e->count > 0 || (is_first && begins_early(&e->work, tile, group))) {
        e->begun[e->count] = *tile;
        e->groups[e->count++] = group;
        if (e->count == 2) {
            emit_begun(e);
        }
        return;
    }
    e->emit_one(&e->work, e->operands, tile, group);
    stream_end_part(e->work.stream);
}

/* Tiles of an image for the groups [first, end). */
static void emit_image(const struct work *work, const struct rows *rows, int64_t image,
                       int64_t first, int64_t end, emit_tile *emit_one) {
    const struct layer *layer = layer_of(work);
    const struct tiling *tiling = tiling_of(work);
    const struct operands operands = {.in = layer_view(layer, &rows->in[0]),
                                      .out = layer_view(layer, &rows->out),
                                      .other = layer_view(layer, &rows->in[1])};
    int64_t row_end = layer->turned ? 1 : rows->stripe.end;
    struct emitting e = {.work = *work, .operands = &operands, .emit_one = emit_one};
    struct tile tile = {.image = image};
    bool is_first = true;
    for (tile.first_row = layer->turned ? 0 : rows->stripe.first; tile.first_row < row_end;
         tile.first_row += tiling->rows) {
        tile.rows = weft_min(tiling->rows, row_end - tile.first_row);
        for (tile.first_column = 0; tile.first_column < layer->out.w;
             tile.first_column += tiling->columns) {
            tile.columns = weft_min(tiling->columns, layer->out.w - tile.first_column);
            for (int64_t group = first; group < end; group++) {
                emit_next(&e, &tile, group, is_first);
                is_first = false;
            }
        }
    }
    if (e.count > 0) {
        emit_begun(&e);
    }
}

void emit_tiles(const struct work *work, const struct rows *rows, emit_tile *emit_one) {
    for (int64_t image = rows->stripe.first_image; image < rows->stripe.end_image; image++) {
        if (!cut_of(work->plan, work->layer)->weights_outer) {
            emit_image(work, rows, image, rows->first_group, rows->end_group, emit_one);
            continue;
        }
        for (int64_t group = rows->first_group; group < rows->end_group; group++) {
            emit_image(work, rows, image, group, group + 1, emit_one);
        }
    }
}
