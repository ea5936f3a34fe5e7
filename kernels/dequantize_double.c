#include "kernels/convert.h"
#include "kernels/element.h"

enum weft_kernel_status weft_kernel_dequantize(const struct weft_dequantize_parameters *parameters,
                                               const void *input, float *output) {
    for (int32_t i = 0; i < parameters->count; i++) {
        const struct weft_double_and_zero *channel =
            &parameters->channel[i / parameters->inner % parameters->channels];
        int64_t steps = (int64_t)load_element(parameters->input, input, i) - channel->zero;
        output[i] = (float)(channel->scale * (double)steps);
    }
    return WEFT_KERNEL_OK;
}
