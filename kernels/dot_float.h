/* Sums of products of floats; used in kernels/ alone. */
#ifndef WEFT_KERNELS_DOT_FLOAT_H
#define WEFT_KERNELS_DOT_FLOAT_H

#include "kernels/kernel.h"

/* Adds a[i] * b[i] to `sum`, one after another. */
static inline float dot_float(float sum, const weft_unaligned_float *a,
                              const weft_unaligned_float *b, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

#endif
