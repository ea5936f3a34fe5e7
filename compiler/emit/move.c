/* Moving rows and columns on chip: work of the vector unit alone. */
#include "base/integer.h"
#include "compiler/emit/emitter.h"

/* A copy of a part of one view to an equally large part of another. */
static struct weft_instruction copy_of(const struct emitter *emitter, const struct view *in,
                                       const struct area *from, const struct view *out,
                                       const struct area *to) {
    struct weft_instruction copy = vector_of(emitter, WEFT_FUNCTION_COPY, out, to);
    copy.vector.a = line_of(emitter, in, from);
    set_strides(emitter, in, copy.vector.a_stride);
    return copy;
}

void emit_copy(struct emitter *emitter, const struct view *from, const struct view *to,
               const struct area *area) {
    struct weft_instruction copy = copy_of(emitter, from, area, to, area);
    emit(emitter, &copy);
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

/* What of the rows [first, end) of the result is not the operand, whose rows are [top, bottom). */
static void fill_around(struct emitter *emitter, const struct view *out, int64_t image,
                        const struct stripe *stripe, int64_t top, int64_t bottom) {
    const struct layer *layer = &emitter->segment->layers[emitter->layer];
    if (layer->spread[0] > 1 || layer->spread[1] > 1) {
        fill_rectangle(emitter, out, image, stripe->first, 0, stripe->end - stripe->first,
                       layer->out.w);
        return;
    }
    fill_rectangle(emitter, out, image, stripe->first, 0, top - stripe->first, layer->out.w);
    fill_rectangle(emitter, out, image, top, 0, bottom - top, layer->pad[LEFT]);
    fill_rectangle(emitter, out, image, top, layer->pad[LEFT] + layer->in.w, bottom - top,
                   layer->pad[RIGHT]);
    fill_rectangle(emitter, out, image, bottom, 0, stripe->end - bottom, layer->out.w);
}

/* Rows [first, end) of the operand. */
static void copy_rows(struct emitter *emitter, const struct rows *rows, int64_t image,
                      int64_t first, int64_t end) {
    const struct layer *layer = &emitter->segment->layers[emitter->layer];
    int64_t step = emitter->segment->tilings[emitter->layer].rows;
    for (int64_t row = first; row < end; row += step) {
        const struct area from =
            all_blocks(emitter, image, row, 0, weft_min(step, end - row), layer->in.w);
        struct area to = from;
        to.first_row = layer->pad[TOP] + row * layer->spread[0];
        to.first_column = layer->pad[LEFT];
        struct weft_instruction copy = copy_of(emitter, &rows->in[0], &from, &rows->out, &to);
        copy.vector.out_stride[1] *= (int32_t)layer->spread[0];
        copy.vector.out_stride[2] *= (int32_t)layer->spread[1];
        emit(emitter, &copy);
    }
}

void emit_pad(struct emitter *emitter, const struct rows *rows) {
    const struct layer *layer = &emitter->segment->layers[emitter->layer];
    const struct stripe *stripe = &rows->stripe;
    int64_t first = 0;
    int64_t end = 0;
    rows_read(layer, stripe->first, stripe->end, &first, &end);
    first = weft_clamp(first, 0, layer->in.h);
    end = weft_clamp(end, first, layer->in.h);
    /* Where the operand's rows are, in the result; an empty range is inside the stripe too. */
    int64_t top = weft_clamp(layer->pad[TOP] + first, stripe->first, stripe->end);
    int64_t bottom = weft_clamp(layer->pad[TOP] + end, top, stripe->end);
    for (int64_t n = stripe->first_image; n < stripe->end_image; n++) {
        fill_around(emitter, &rows->out, n, stripe, top, bottom);
        copy_rows(emitter, rows, n, first, end);
    }
}

/* ---- resize ---- */

/* Outputs of one axis that are a first, second, ... repetition of an input, in [first, end). */
struct phase {
    int64_t first, count;
};

static struct phase phase_of(int64_t number, int64_t repeat, int64_t first, int64_t end) {
    int64_t at = first + (number - first % repeat + repeat) % repeat;
    return (struct phase){at, at < end ? (end - 1 - at) / repeat + 1 : 0};
}

/* Copies the inputs of a phase of rows and one of columns. */
static void copy_phase(struct emitter *emitter, const struct rows *rows, int64_t image,
                       const struct phase *y, const struct phase *x) {
    const struct layer *layer = &emitter->segment->layers[emitter->layer];
    const struct area to = all_blocks(emitter, image, y->first, x->first, y->count, x->count);
    struct area from = to;
    from.first_row = layer->begin[1] + y->first / layer->repeat[0] * layer->stride[0];
    from.first_column = layer->begin[2] + x->first / layer->repeat[1] * layer->stride[1];
    struct weft_instruction copy = copy_of(emitter, &rows->in[0], &from, &rows->out, &to);
    struct weft_vector_fields *v = &copy.vector;
    v->out_stride[1] *= (int32_t)layer->repeat[0];
    v->out_stride[2] *= (int32_t)layer->repeat[1];
    v->a_stride[1] *= (int32_t)layer->stride[0];
    v->a_stride[2] *= (int32_t)layer->stride[1];
    emit(emitter, &copy);
}

void emit_resize(struct emitter *emitter, const struct rows *rows) {
    const struct layer *layer = &emitter->segment->layers[emitter->layer];
    const struct stripe *stripe = &rows->stripe;
    for (int64_t n = stripe->first_image; n < stripe->end_image; n++) {
        for (int64_t i = 0; i < layer->repeat[0]; i++) {
            struct phase y = phase_of(i, layer->repeat[0], stripe->first, stripe->end);
            for (int64_t k = 0; k < layer->repeat[1] && y.count > 0; k++) {
                struct phase x = phase_of(k, layer->repeat[1], 0, layer->out.w);
                if (x.count > 0) {
                    copy_phase(emitter, rows, n, &y, &x);
                }
            }
        }
    }
}
