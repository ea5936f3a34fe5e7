/* Arithmetic by element: work of the vector unit alone. */
#include "base/integer.h"
#include "compiler/emit/emitter.h"

uint32_t line_of(const struct emitter *emitter, const struct view *view, const struct area *r) {
    return (uint32_t)(view_pixel(view, r->image, r->first_block, r->first_row, r->first_column) /
                      (int64_t)emitter->segment->config->block);
}

void set_strides(const struct emitter *emitter, const struct view *view, int32_t stride[3]) {
    int64_t lanes = emitter->segment->config->block;
    stride[0] = (int32_t)(view->plane / lanes);
    stride[1] = (int32_t)(view->pitch / lanes);
    stride[2] = (int32_t)(view->pixel / lanes);
}

struct weft_instruction vector_of(const struct emitter *emitter, uint32_t function,
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

struct area all_blocks(const struct emitter *emitter, int64_t image, int64_t row, int64_t column,
                       int64_t rows, int64_t columns) {
    const struct layer *layer = &emitter->segment->layers[emitter->layer];
    return (struct area){.image = image,
                         .blocks = blocks_of(emitter->segment, layer->out.c),
                         .first_row = row,
                         .rows = rows,
                         .first_column = column,
                         .columns = columns};
}

/* Axes of an operand that are repeated have a stride of 0. */
static void set_repeated(const struct emitter *emitter, int slot, const struct view *view,
                         const struct area *area, uint32_t *line, int32_t stride[3]) {
    const struct segment *segment = emitter->segment;
    const struct shape *out = &segment->layers[emitter->layer].out;
    const struct shape *shape = &segment->tensors[segment->tensors_of[emitter->layer][slot]].shape;
    struct area first = *area;
    first.image = is_repeated(shape->n, out->n) ? 0 : first.image;
    first.first_row = is_repeated(shape->h, out->h) ? 0 : first.first_row;
    *line = line_of(emitter, view, &first);
    set_strides(emitter, view, stride);
    stride[1] = is_repeated(shape->h, out->h) ? 0 : stride[1];
    stride[2] = is_repeated(shape->w, out->w) ? 0 : stride[2];
}

/* Zero points and scaling of the layer's function. */
static void set_function(struct emitter *emitter, struct weft_vector_fields *v) {
    const struct segment *segment = emitter->segment;
    const struct layer *layer = &segment->layers[emitter->layer];
    v->a_zero = layer->zero[0];
    v->b_zero = layer->zero[1];
    if (layer->function == WEFT_FUNCTION_MUL) {
        v->multiplier = (uint32_t)layer->multiplier[0];
        v->shift = layer->shift[0];
    } else if (layer->function == WEFT_FUNCTION_ADD || layer->function == WEFT_FUNCTION_SUB) {
        int piece = segment->first_parameters[emitter->layer];
        v->par =
            (uint32_t)(use_piece(emitter, PIECES_PAR, piece) / (int64_t)segment->config->block);
    }
}

void emit_binary(struct emitter *emitter, const struct rows *rows) {
    const struct layer *layer = &emitter->segment->layers[emitter->layer];
    int64_t step = emitter->segment->tilings[emitter->layer].rows;
    const struct stripe *stripe = &rows->stripe;
    for (int64_t n = stripe->first_image; n < stripe->end_image; n++) {
        for (int64_t row = stripe->first; row < stripe->end; row += step) {
            const struct area area =
                all_blocks(emitter, n, row, 0, weft_min(step, stripe->end - row), layer->out.w);
            struct weft_instruction instruction =
                vector_of(emitter, layer->function, &rows->out, &area);
            struct weft_vector_fields *v = &instruction.vector;
            set_repeated(emitter, 0, &rows->in[0], &area, &v->a, v->a_stride);
            set_repeated(emitter, 1, &rows->in[1], &area, &v->b, v->b_stride);
            set_function(emitter, v);
            emit(emitter, &instruction);
        }
    }
}

void emit_binary_of(struct emitter *emitter, const struct view *a, const struct view *b,
                    const struct view *out, const struct area *area) {
    const struct layer *layer = &emitter->segment->layers[emitter->layer];
    struct weft_instruction instruction = vector_of(emitter, layer->function, out, area);
    struct weft_vector_fields *v = &instruction.vector;
    v->a = line_of(emitter, a, area);
    v->b = line_of(emitter, b, area);
    set_strides(emitter, a, v->a_stride);
    set_strides(emitter, b, v->b_stride);
    set_function(emitter, v);
    emit(emitter, &instruction);
}

/* ---- functions of one byte ---- */

static struct weft_instruction look_up(struct emitter *emitter, const uint8_t *table) {
    struct weft_instruction instruction = weft_instruction_new(WEFT_OPCODE_VECTOR);
    (void)use_piece(emitter, PIECES_LUT, table_piece(emitter->segment, table));
    instruction.vector.function = WEFT_FUNCTION_LUT;
    return instruction;
}

static void look_up_area(struct emitter *emitter, const uint8_t *table, const struct view *in,
                         const struct view *out, const struct area *area) {
    struct weft_instruction instruction = look_up(emitter, table);
    struct weft_vector_fields *v = &instruction.vector;
    v->a = line_of(emitter, in, area);
    v->out = line_of(emitter, out, area);
    set_strides(emitter, in, v->a_stride);
    set_strides(emitter, out, v->out_stride);
    v->count[0] = (uint32_t)area->blocks;
    v->count[1] = (uint32_t)area->rows;
    v->count[2] = (uint32_t)area->columns;
    emit(emitter, &instruction);
}

/* Lines of packed tensors hold parts of the halo too, and are done as they lie there. */
static void look_up_packed(struct emitter *emitter, const struct tensor *tensor,
                           const struct view *view, const struct stripe *stripe) {
    int64_t lanes = emitter->segment->config->block;
    int64_t lead = tensor->halo[LEFT] * view->pixel;
    int64_t bytes = (stripe->end - stripe->first) * view->pitch + lead;
    struct weft_instruction instruction = look_up(emitter, tensor->table);
    struct weft_vector_fields *v = &instruction.vector;
    v->a = v->out = (uint32_t)((view->base - lead) / lanes);
    v->count[1] = (uint32_t)(stripe->end_image - stripe->first_image);
    v->count[2] = (uint32_t)weft_ceil_div(bytes, lanes);
    v->a_stride[1] = v->out_stride[1] = (int32_t)(view->image / lanes);
    v->a_stride[2] = v->out_stride[2] = 1;
    emit(emitter, &instruction);
}

void emit_table(struct emitter *emitter, const struct tensor *tensor, const struct view *view,
                const struct stripe *stripe) {
    int64_t first = weft_max(stripe->first, 0);
    int64_t end = weft_min(stripe->end, tensor->shape.h);
    if (tensor->table == NULL || first >= end) {
        return;
    }
    if (tensor->packed) {
        look_up_packed(emitter, tensor, view, stripe);
        return;
    }
    for (int64_t n = stripe->first_image; n < stripe->end_image; n++) {
        const struct area area = {.image = n,
                                  .first_block = stripe->first_block,
                                  .blocks = stripe_blocks(emitter->segment, tensor, stripe),
                                  .first_row = first,
                                  .rows = end - first,
                                  .columns = tensor->shape.w};
        look_up_area(emitter, tensor->table, view, view, &area);
    }
}

void emit_function(struct emitter *emitter, const struct rows *rows) {
    const struct layer *layer = &emitter->segment->layers[emitter->layer];
    const struct stripe *stripe = &rows->stripe;
    for (int64_t n = stripe->first_image; n < stripe->end_image; n++) {
        const struct area area =
            all_blocks(emitter, n, stripe->first, 0, stripe->end - stripe->first, layer->out.w);
        look_up_area(emitter, layer->table, &rows->in[0], &rows->out, &area);
    }
}
