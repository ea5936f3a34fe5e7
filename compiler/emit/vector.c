/* VECTOR instructions of any length. */
#include "base/integer.h"
#include "compiler/emit/emitter.h"

enum {
    MOST = 4095 /* vectors along a level: 12 bits */
};

/* Moves every operand `steps` vectors along a level. */
static void move_operands(struct weft_vector_fields *v, int level, uint32_t steps) {
    v->out += steps * (uint32_t)v->out_stride[level];
    v->a += steps * (uint32_t)v->a_stride[level];
    v->b += steps * (uint32_t)v->b_stride[level];
    if (v->function == WEFT_FUNCTION_REQUANT && level == 0) {
        v->par += steps * weft_requant_record_lines(v->per_channel != 0);
    }
}

void emit_vector(struct emitter *emitter, const struct weft_instruction *vector) {
    for (int level = 0; level < 3; level++) {
        if (vector->vector.count[level] <= MOST) {
            continue;
        }
        struct weft_instruction part = *vector;
        uint32_t left = vector->vector.count[level];
        while (left > 0) {
            part.vector.count[level] = left < MOST ? left : MOST;
            emit_vector(emitter, &part); /* the other levels: three deep at most */
            move_operands(&part.vector, level, part.vector.count[level]);
            left -= part.vector.count[level];
        }
        return;
    }
    emit(emitter, vector);
}
