#include "compiler/host/kernels.h"

#include "base/fixed_point.h"
#include "base/integer.h"

bool kernel_unsupported(const struct kernel_call *call, const char *what) {
    return weft_fail(call->error, WEFT_OPERATOR, (uint64_t)call->node->source, "%s on the host: %s",
                     weft_operator_name(call->node->op), what);
}

struct walk walk_start(const struct weft_type *shape) {
    struct walk walk = {.rank = shape->rank};
    memcpy(walk.dim, shape->dim, shape->rank * sizeof walk.dim[0]);
    return walk;
}

void walk_strides(const struct weft_type *type, int64_t strides[WEFT_MAX_RANK]) {
    int64_t stride = 1;
    for (uint32_t axis = type->rank; axis-- > 0;) {
        strides[axis] = stride;
        stride *= type->dim[axis];
    }
}

void walk_broadcast(struct walk *walk, int operand, const struct weft_type *type) {
    int64_t strides[WEFT_MAX_RANK];
    walk_strides(type, strides);
    for (uint32_t axis = 0; axis < type->rank; axis++) {
        walk->step[operand][walk->rank - type->rank + axis] =
            type->dim[axis] == 1 ? 0 : strides[axis];
    }
}

struct factor factor_of(double scale) {
    struct factor factor;
    weft_quantize_multiplier(scale, &factor.multiplier, &factor.shift);
    /* The reference's shift by 32 and more is not defined. */
    factor.shift = factor.shift > 31 ? 31 : factor.shift;
    return factor;
}

int32_t scale_by(int32_t value, struct factor factor) {
    return weft_scale_gemmlowp(value, factor.multiplier, factor.shift);
}

int32_t saturate(const struct weft_type *type, int64_t value) {
    int64_t zero = type->quantization.count > 0 ? weft_type_zero(type, 0) : 0;
    return (int32_t)weft_clamp(value + zero, weft_dtype_min(type->dtype),
                               weft_dtype_max(type->dtype));
}
