#include <stdbool.h>

#include "kernels/dot.h"
#include "kernels/hybrid.h"

size_t weft_kernel_hybrid_dense_scratch(const struct weft_hybrid_dense_parameters *parameters) {
    return quantized_rows_bytes(parameters->shape.rows, parameters->shape.depth);
}

static bool is_zero(const weft_unaligned_float *input, int64_t count) {
    int64_t i = 0;
    while (i < count && input[i] == 0.0F) {
        i++;
    }
    return i == count;
}

/* Of an input of nothing but zeros the bias is the result as it is: a bias of -0 stays so. */
enum weft_kernel_status
weft_kernel_hybrid_dense(const struct weft_hybrid_dense_parameters *parameters,
                         const weft_unaligned_float *input, const int8_t *weights,
                         const weft_unaligned_float *bias, float *output, void *scratch) {
    const struct weft_dense_parameters *shape = &parameters->shape;
    int64_t depth = shape->depth;
    bool zero = is_zero(input, shape->rows * depth);
    struct weft_quantized_rows rows =
        weft_quantize_rows(input, shape->rows, depth, parameters->asymmetric, scratch);
    for (int64_t row = 0; row < shape->rows; row++) {
        struct weft_product_types types = hybrid_types(&rows, row);
        struct weft_dot_operands operands = {&types, rows.element, weights, 0};
        for (int64_t o = 0; o < shape->outputs; o++) {
            int64_t sum = weft_dot(&operands, row * depth, o * depth, depth);
            float scale =
                parameters->scale[parameters->scales == 1 ? 0 : o] * rows.scale[row].scale;
            float product = (float)(int32_t)(uint32_t)(uint64_t)sum * scale;
            *output++ = zero ? bias[o] : bias[o] + product;
        }
    }
    return WEFT_KERNEL_OK;
}
