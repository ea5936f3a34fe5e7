#include "kernels/dot_float.h"
#include "kernels/product.h"

enum weft_kernel_status weft_kernel_dense(const struct weft_dense_parameters *parameters,
                                          const weft_unaligned_float *input,
                                          const weft_unaligned_float *weights, float *output) {
    int64_t depth = parameters->depth;
    for (int64_t row = 0; row < parameters->rows; row++) {
        for (int64_t o = 0; o < parameters->outputs; o++) {
            *output++ =
                dot_float(0.0F, input + row * depth, weights + o * depth, parameters->depth);
        }
    }
    return WEFT_KERNEL_OK;
}
