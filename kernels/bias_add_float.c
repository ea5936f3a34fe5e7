#include "kernels/limit_float.h"
#include "kernels/product.h"

enum weft_kernel_status
weft_kernel_bias_add_float(const struct weft_bias_add_parameters *parameters,
                           const weft_unaligned_float *input, const weft_unaligned_float *bias,
                           float *output) {
    for (int32_t row = 0; row < parameters->rows; row++) {
        for (int32_t c = 0; c < parameters->channels; c++) {
            *output++ = limit_to_finite(*input++ + bias[c]);
        }
    }
    return WEFT_KERNEL_OK;
}
