#include "kernels/element.h"
#include "kernels/reduce.h"

/* An index is the better one when its element times `sign` is larger. */
static void find_first(const struct weft_argmax_parameters *parameters, float sign,
                       const weft_unaligned_float *input, void *output) {
    int64_t inner = parameters->inner;
    for (int64_t i = 0; i < parameters->outer * inner; i++) {
        int64_t first = i / inner * parameters->axis * inner + i % inner;
        int32_t index = 0;
        for (int32_t k = 1; k < parameters->axis; k++) {
            if (sign * input[first + k * inner] > sign * input[first + index * inner]) {
                index = k;
            }
        }
        store_integer(parameters->output, output, i, index);
    }
}

enum weft_kernel_status weft_kernel_argmax_float(const struct weft_argmax_parameters *parameters,
                                                 const weft_unaligned_float *input, void *output) {
    find_first(parameters, 1.0F, input, output);
    return WEFT_KERNEL_OK;
}

enum weft_kernel_status weft_kernel_argmin_float(const struct weft_argmax_parameters *parameters,
                                                 const weft_unaligned_float *input, void *output) {
    find_first(parameters, -1.0F, input, output);
    return WEFT_KERNEL_OK;
}
