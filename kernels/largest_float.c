#include "kernels/element.h"
#include "kernels/reduce.h"

enum weft_kernel_status weft_kernel_argmax_float(const struct weft_argmax_parameters *parameters,
                                                 const weft_unaligned_float *input, void *output) {
    int64_t inner = parameters->inner;
    for (int64_t i = 0; i < parameters->outer * inner; i++) {
        int64_t first = i / inner * parameters->axis * inner + i % inner;
        int32_t index = 0;
        for (int32_t k = 1; k < parameters->axis; k++) {
            if (input[first + k * inner] > input[first + index * inner]) {
                index = k;
            }
        }
        store_integer(parameters->output, output, i, index);
    }
    return WEFT_KERNEL_OK;
}
