/* Steps and instructions of a layer. */
#include "compiler/emit/work.h"

#include "base/integer.h"

struct work work_for(const struct work *work, int layer) {
    struct work other = *work;
    other.layer = layer;
    return other;
}

void emit_with_accumulators(const struct work *work, const struct weft_instruction *instruction,
                            int kind, int piece, int64_t accumulators) {
    const struct step step = {.instruction = *instruction,
                              .layer = work->layer,
                              .group = work->group,
                              .tile = work->tile,
                              .piece_kind = kind,
                              .piece = piece,
                              .accumulators = accumulators};
    stream_add(work->stream, &step);
}

void emit_with(const struct work *work, const struct weft_instruction *instruction, int kind,
               int piece) {
    emit_with_accumulators(work, instruction, kind, piece, 0);
}

void emit(const struct work *work, const struct weft_instruction *instruction) {
    emit_with(work, instruction, NO_PIECE, NO_PIECE);
}

int first_weights_of(const struct work *work, int64_t group) {
    const struct tiling *tiling = tiling_of(work);
    int64_t pieces = tiling->chunks * weft_max(tiling->part_count, 1);
    return work->plan->first_weights[work->layer] + (int)(group * pieces);
}

void emit_use(const struct work *work, int kind, int piece) {
    const struct weft_instruction nothing = {0};
    emit_with(work, &nothing, kind, piece);
}

int64_t tiles_of(const struct work *work, const struct stripe *stripe) {
    const struct tiling *tiling = tiling_of(work);
    return (stripe->end_image - stripe->first_image) * tiling->groups *
           weft_ceil_div(stripe->end - stripe->first, tiling->rows) *
           weft_ceil_div(layer_of(work)->out.w, tiling->columns);
}

/* ---- instructions of vector ---- */

uint32_t line_of(const struct work *work, const struct view *view, const struct area *r) {
    return (uint32_t)(view_pixel(view, r->image, r->first_block, r->first_row, r->first_column) /
                      (int64_t)work->plan->config->block);
}

void set_strides(const struct work *work, const struct view *view, int32_t stride[3]) {
    int64_t lanes = work->plan->config->block;
    stride[0] = (int32_t)(view->plane / lanes);
    stride[1] = (int32_t)(view->pitch / lanes);
    stride[2] = (int32_t)(view->pixel / lanes);
}

struct weft_instruction vector_of(const struct work *work, uint32_t function,
                                  const struct view *out, const struct area *area) {
    const struct layer *layer = layer_of(work);
    struct weft_instruction instruction = weft_instruction_new(WEFT_OPCODE_VECTOR);
    struct weft_vector_fields *v = &instruction.vector;
    v->function = function;
    v->out = line_of(work, out, area);
    v->count[0] = (uint32_t)area->blocks;
    v->count[1] = (uint32_t)area->rows;
    v->count[2] = (uint32_t)area->columns;
    set_strides(work, out, v->out_stride);
    v->out_zero = layer->out_zero;
    v->low = layer->low;
    v->high = layer->high;
    return instruction;
}

struct weft_instruction copy_of(const struct work *work, const struct view *in,
                                const struct area *from, const struct view *out,
                                const struct area *to) {
    struct weft_instruction copy = vector_of(work, WEFT_FUNCTION_COPY, out, to);
    copy.vector.a = line_of(work, in, from);
    set_strides(work, in, copy.vector.a_stride);
    return copy;
}

/* ---- parts of tensors ---- */

struct area all_blocks(const struct work *work, int64_t image, int64_t row, int64_t column,
                       int64_t rows, int64_t columns) {
    return (struct area){.image = image,
                         .blocks = blocks_of(work->plan->config, layer_of(work)->out.c),
                         .first_row = row,
                         .rows = rows,
                         .first_column = column,
                         .columns = columns};
}

struct view layer_view(const struct layer *layer, const struct view *view) {
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
