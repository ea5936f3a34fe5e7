/* Sums of products along the last axis, for the kernels of convolutions and matrix products. */
#ifndef WEFT_COMPILER_HOST_DOT_H
#define WEFT_COMPILER_HOST_DOT_H

#include "compiler/host/kernels.h"

/* Two quantised operands of a product. */
struct operands {
    enum weft_dtype a_type, b_type;
    const void *a, *b;
    int32_t a_zero;
};

struct operands operands_of(const struct kernel_call *call);

/* The sum of (a[i] - a_zero) * (b[i] - b_zero) over `count` elements from the given places. */
int64_t dot(const struct operands *operands, int64_t a_first, int64_t b_first, int64_t count,
            int32_t b_zero);

/* Adds a[i] * b[i] to `sum`, one after another. */
float dot_float(float sum, const void *a, int64_t a_first, const void *b, int64_t b_first,
                int64_t count);

/* Stores a sum, which wraps, as the result's type says. */
static inline void store_sum(const struct weft_type *type, void *result, int64_t index,
                             int64_t sum) {
    if (type->dtype == WEFT_I64) {
        ((int64_t *)result)[index] = sum;
    } else {
        ((int32_t *)result)[index] = (int32_t)(uint32_t)(uint64_t)sum;
    }
}

#endif
