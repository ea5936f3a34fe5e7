/* Functions of one byte: a look-up in the tables of all lanes, or what does the same without. */
#include "base/integer.h"
#include "compiler/emit/work.h"

/* Appends an instruction that does what a table does: the look-up, or what needs no table. */
static void emit_function(const struct work *work, const uint8_t *table,
                          const struct scaling *scaling, struct weft_instruction *instruction) {
    struct weft_vector_fields *v = &instruction->vector;
    if (scaling == NULL) {
        v->function = WEFT_FUNCTION_LUT;
        emit_with(work, instruction, PIECES_LUT, table_piece(work->plan, table));
        return;
    }
    v->function = scaling->function;
    v->a_zero = scaling->in_zero;
    v->out_zero = scaling->out_zero;
    v->multiplier = (uint32_t)scaling->multiplier;
    v->shift = scaling->shift;
    v->low = scaling->low;
    v->high = scaling->high;
    emit(work, instruction);
}

void emit_lookup(const struct work *work, const uint8_t *table, const struct scaling *scaling,
                 const struct view *in, const struct view *out, const struct area *area) {
    struct weft_instruction instruction = weft_instruction_new(WEFT_OPCODE_VECTOR);
    struct weft_vector_fields *v = &instruction.vector;
    v->a = line_of(work, in, area);
    v->out = line_of(work, out, area);
    set_strides(work, in, v->a_stride);
    set_strides(work, out, v->out_stride);
    v->count[0] = (uint32_t)area->blocks;
    v->count[1] = (uint32_t)area->rows;
    v->count[2] = (uint32_t)area->columns;
    emit_function(work, table, scaling, &instruction);
}

/* Lines of packed tensors hold parts of the halo too, and are done as they lie there. */
static void look_up_packed(const struct work *work, int index, const struct view *view,
                           const struct stripe *stripe) {
    const struct tensor *tensor = &work->plan->region->tensors[index];
    int64_t lanes = work->plan->config->block;
    int64_t lead = tensor->halo[LEFT] * view->pixel;
    int64_t rows = weft_ceil_div(stripe->end - stripe->first, stripe->row_step);
    int64_t bytes = rows * view->pitch + lead;
    struct weft_instruction instruction = weft_instruction_new(WEFT_OPCODE_VECTOR);
    struct weft_vector_fields *v = &instruction.vector;
    v->a = v->out = (uint32_t)((view->base - lead) / lanes);
    v->count[1] = (uint32_t)(stripe->end_image - stripe->first_image);
    v->count[2] = (uint32_t)weft_ceil_div(bytes, lanes);
    v->a_stride[1] = v->out_stride[1] = (int32_t)(view->image / lanes);
    v->a_stride[2] = v->out_stride[2] = 1;
    emit_function(work, tensor->table, tensor->scaling, &instruction);
}

void emit_table(const struct work *work, int index, const struct view *view,
                const struct stripe *stripe) {
    const struct tensor *tensor = &work->plan->region->tensors[index];
    int64_t first = first_row_inside(stripe);
    int64_t end = weft_min(stripe->end, tensor->shape.h);
    /* What surrounds a packed tensor is looked up with it, even where a stripe has nothing else. */
    if (tensor->table != NULL && keep_of(work->plan, index)->packed) {
        look_up_packed(work, index, view, stripe);
        return;
    }
    if (tensor->table == NULL || first >= end) {
        return;
    }
    for (int64_t n = stripe->first_image; n < stripe->end_image; n++) {
        const struct area area = {.image = n,
                                  .first_block = stripe->first_block,
                                  .blocks = stripe_blocks(work->plan->config, tensor, stripe),
                                  .first_row = first,
                                  .rows = weft_ceil_div(end - first, stripe->row_step),
                                  .columns = tensor->shape.w};
        emit_lookup(work, tensor->table, tensor->scaling, view, view, &area);
    }
}

void emit_result_table(const struct work *work, const struct view *view,
                       const struct stripe *stripe) {
    if (!operations_of(layer_of(work))->has_products) {
        emit_table(work, operand_of(work, 2), view, stripe);
    }
}
