/* Sums of products in the orders in which the reference adds up; used in kernels/ alone. */
#ifndef WEFT_KERNELS_SUMS_FLOAT_H
#define WEFT_KERNELS_SUMS_FLOAT_H

#include "kernels/kernel.h"

/* Of two vectors, as TFLite's own functions for vectors of four floats. */
float weft_dot_of_lanes(const weft_unaligned_float *a, const weft_unaligned_float *b,
                        int32_t count);

/* The sum of elements, in the same order. */
float weft_sum_of_lanes(const float *elements, int32_t count);

/* [rows, columns] = [rows, depth] * transposed [columns, depth], as Eigen's. */
struct weft_product_sizes {
    int32_t rows, depth, columns;
};
void weft_eigen_product(struct weft_product_sizes sizes, const weft_unaligned_float *input,
                        const weft_unaligned_float *weights, float *output);

#endif
