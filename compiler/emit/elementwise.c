/* Work of the vector unit alone on tensors of one shape, and padding. */
#include "base/integer.h"
#include "compiler/emit/emitter.h"

static uint32_t line_of(const struct emitter *emitter, const struct view *view,
                        const struct area *r) {
    return (uint32_t)(view_pixel(view, r->image, r->first_block, r->first_row, r->first_column) /
                      (int64_t)emitter->segment->config->block);
}

static void set_strides(const struct emitter *emitter, const struct view *view, int32_t stride[3]) {
    int64_t lanes = emitter->segment->config->block;
    stride[0] = (int32_t)(view->plane / lanes);
    stride[1] = (int32_t)(view->pitch / lanes);
    stride[2] = (int32_t)(view->pixel / lanes);
}

static struct weft_instruction vector_of(const struct emitter *emitter, uint32_t function,
                                         const struct view *out, const struct area *area) {
    const struct layer *layer = &emitter->segment->layers[emitter->layer];
    struct weft_instruction instruction = weft_instruction_new(WEFT_OPCODE_VECTOR);
    struct weft_vector_fields *v = &instruction.vector;
    v->function = function;
    v->out = line_of(emitter, out, area);
    v->count[0] = (uint32_t)area->blocks;
    v->count[1] = (uint32_t)area->rows;
    v->count[2] = (uint32_t)area->columns;
    set_strides(emitter, out, v->out_stride);
    v->out_zero = layer->out_zero;
    v->low = layer->low;
    v->high = layer->high;
    return instruction;
}

/* All channel blocks of the current layer's result. */
static struct area all_blocks(const struct emitter *emitter, int64_t image, int64_t row,
                              int64_t column, int64_t rows, int64_t columns) {
    const struct layer *layer = &emitter->segment->layers[emitter->layer];
    return (struct area){.image = image,
                         .blocks = blocks_of(emitter->segment, layer->out.c),
                         .first_row = row,
                         .rows = rows,
                         .first_column = column,
                         .columns = columns};
}

void emit_sum_of(struct emitter *emitter, const struct view *a, const struct view *b,
                 const struct view *out, const struct area *area) {
    const struct segment *segment = emitter->segment;
    const struct layer *layer = &segment->layers[emitter->layer];
    struct weft_instruction instruction = vector_of(emitter, WEFT_FUNCTION_ADD, out, area);
    struct weft_vector_fields *v = &instruction.vector;
    v->a = line_of(emitter, a, area);
    v->b = line_of(emitter, b, area);
    set_strides(emitter, a, v->a_stride);
    set_strides(emitter, b, v->b_stride);
    v->a_zero = layer->zero[0];
    v->b_zero = layer->zero[1];
    v->par = (uint32_t)(use_piece(emitter, PIECES_PAR, segment->first_parameters[emitter->layer]) /
                        (int64_t)segment->config->block);
    emit(emitter, &instruction);
}

void emit_sum(struct emitter *emitter, const struct rows *rows) {
    const struct layer *layer = &emitter->segment->layers[emitter->layer];
    int64_t step = emitter->segment->tilings[emitter->layer].rows;
    const struct stripe *stripe = &rows->stripe;
    for (int64_t n = stripe->first_image; n < stripe->end_image; n++) {
        for (int64_t row = stripe->first; row < stripe->end; row += step) {
            const struct area area =
                all_blocks(emitter, n, row, 0, weft_min(step, stripe->end - row), layer->out.w);
            emit_sum_of(emitter, &rows->in[0], &rows->in[1], &rows->out, &area);
        }
    }
}

/* ---- pad ---- */

static void fill_rectangle(struct emitter *emitter, const struct view *out, int64_t image,
                           int64_t row, int64_t column, int64_t rows, int64_t columns) {
    if (rows > 0 && columns > 0) {
        const struct area area = all_blocks(emitter, image, row, column, rows, columns);
        struct weft_instruction fill = vector_of(emitter, WEFT_FUNCTION_FILL, out, &area);
        emit(emitter, &fill);
    }
}

void emit_copy(struct emitter *emitter, const struct view *from, const struct view *to,
               const struct area *area) {
    struct weft_instruction copy = vector_of(emitter, WEFT_FUNCTION_COPY, to, area);
    copy.vector.a = line_of(emitter, from, area);
    set_strides(emitter, from, copy.vector.a_stride);
    emit(emitter, &copy);
}

void emit_pad(struct emitter *emitter, const struct rows *rows) {
    const struct layer *layer = &emitter->segment->layers[emitter->layer];
    int64_t step = emitter->segment->tilings[emitter->layer].rows;
    /* Output rows that hold input rows. */
    const struct stripe *stripe = &rows->stripe;
    int64_t first = weft_clamp(layer->pad[TOP], stripe->first, stripe->end);
    int64_t end = weft_clamp(layer->pad[TOP] + layer->in.h, stripe->first, stripe->end);
    for (int64_t n = stripe->first_image; n < stripe->end_image; n++) {
        fill_rectangle(emitter, &rows->out, n, stripe->first, 0, first - stripe->first,
                       layer->out.w);
        fill_rectangle(emitter, &rows->out, n, first, 0, end - first, layer->pad[LEFT]);
        fill_rectangle(emitter, &rows->out, n, first, layer->pad[LEFT] + layer->in.w, end - first,
                       layer->pad[RIGHT]);
        fill_rectangle(emitter, &rows->out, n, end, 0, stripe->end - end, layer->out.w);
        for (int64_t row = first; row < end; row += step) {
            int64_t rows_now = weft_min(step, end - row);
            struct view from = rows->in[0];
            from.base -= layer->pad[TOP] * from.pitch + layer->pad[LEFT] * from.pixel;
            const struct area to =
                all_blocks(emitter, n, row, layer->pad[LEFT], rows_now, layer->in.w);
            emit_copy(emitter, &from, &rows->out, &to);
        }
    }
}
