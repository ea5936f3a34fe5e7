/* Sums of products along the last axis; used in kernels/ alone. */
#ifndef WEFT_KERNELS_DOT_H
#define WEFT_KERNELS_DOT_H

#include "kernels/product.h"

/* Two operands of a product, from where it begins. */
struct weft_dot_operands {
    const struct weft_product_types *types;
    const void *input, *weights;
    int32_t weights_zero;
};

/* The sum of (input[i] - input zero) * (weights[i] - weights zero) over `count` elements from the
 * given ones on. */
int64_t weft_dot(const struct weft_dot_operands *operands, int64_t input, int64_t weights,
                 int64_t count);

/* Stores a sum, which wraps, as the output's type says. */
static inline void store_sum(enum weft_dtype dtype, void *output, int64_t index, int64_t sum) {
    if (dtype == WEFT_I64) {
        ((int64_t *)output)[index] = sum;
    } else {
        ((int32_t *)output)[index] = (int32_t)(uint32_t)(uint64_t)sum;
    }
}

#endif
