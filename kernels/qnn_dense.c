#include "kernels/dot.h"

enum weft_kernel_status weft_kernel_qnn_dense(const struct weft_qnn_dense_parameters *parameters,
                                              const void *input, const void *weights,
                                              void *output) {
    const struct weft_dense_parameters *shape = &parameters->shape;
    const int32_t *zero = parameters->weights_zero;
    struct weft_dot_operands operands = {&parameters->types, input, weights, 0};
    for (int64_t row = 0; row < shape->rows; row++) {
        for (int64_t o = 0; o < shape->outputs; o++) {
            operands.weights_zero = zero[parameters->weights_zero_count == 1 ? 0 : o];
            store_sum(parameters->types.output, output, row * shape->outputs + o,
                      weft_dot(&operands, row * shape->depth, o * shape->depth, shape->depth));
        }
    }
    return WEFT_KERNEL_OK;
}
