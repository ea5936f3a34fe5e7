/* Products of floats with int8 weights: floats are quantised while the kernel runs; used in
 * kernels/ alone. */
#ifndef WEFT_KERNELS_HYBRID_H
#define WEFT_KERNELS_HYBRID_H

#include "kernels/product.h"

/* How a row of floats became int8. */
struct weft_row_scale {
    float scale;
    int32_t zero;
};

/* Rows of int8 in memory to work in: their scales, then their elements. */
struct weft_quantized_rows {
    struct weft_row_scale *scale;
    int8_t *element;
};

static inline size_t quantized_rows_bytes(int64_t rows, int64_t depth) {
    return (size_t)rows * (sizeof(struct weft_row_scale) + (size_t)depth);
}

/* Quantises rows of `depth` floats; `asymmetric`: with zero points. What is not a number or
 * infinite gives what it may. */
struct weft_quantized_rows weft_quantize_rows(const weft_unaligned_float *input, int64_t rows,
                                              int64_t depth, int32_t asymmetric, void *scratch);

/* The types of a product of a row. */
static inline struct weft_product_types hybrid_types(const struct weft_quantized_rows *rows,
                                                     int64_t row) {
    return (struct weft_product_types){.input = WEFT_I8,
                                       .weights = WEFT_I8,
                                       .output = WEFT_I32,
                                       .input_zero = rows->scale[row].zero};
}

#endif
