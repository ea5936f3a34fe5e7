/* Arithmetic of two operands: work of the vector unit alone. */
#include "compiler/emit/work.h"

struct weft_instruction binary_of(const struct work *work, const struct view *out,
                                  const struct area *area) {
    const struct layer *layer = layer_of(work);
    struct weft_instruction instruction = vector_of(work, layer->function, out, area);
    struct weft_vector_fields *v = &instruction.vector;
    v->a_zero = layer->zero[0];
    v->b_zero = layer->zero[1];
    if (layer->function == WEFT_FUNCTION_MUL) {
        v->multiplier = (uint32_t)layer->multiplier[0];
        v->shift = layer->shift[0];
    }
    return instruction;
}

void emit_arithmetic(const struct work *work, const struct weft_instruction *instruction) {
    if (has_sum_record(layer_of(work)->function)) {
        emit_with(work, instruction, PIECES_PAR, work->plan->first_parameters[work->layer]);
    } else {
        emit(work, instruction);
    }
}

void emit_binary_of(const struct work *work, const struct view *a, const struct view *b,
                    const struct view *out, const struct area *area) {
    struct weft_instruction instruction = binary_of(work, out, area);
    struct weft_vector_fields *v = &instruction.vector;
    v->a = line_of(work, a, area);
    v->b = line_of(work, b, area);
    set_strides(work, a, v->a_stride);
    set_strides(work, b, v->b_stride);
    emit_arithmetic(work, &instruction);
}
