#include <math.h>

#include "kernels/activation.h"
#include "kernels/element.h"
#include "kernels/scale.h"

enum weft_kernel_status weft_kernel_qnn_sqrt(const struct weft_qnn_sqrt_parameters *parameters,
                                             const void *input, void *output) {
    enum weft_kernel_status status = WEFT_KERNEL_OK;
    for (int32_t i = 0; i < parameters->count; i++) {
        int32_t value = load_element(parameters->dtype, input, i) - parameters->input_zero;
        if (value < 0) {
            status = WEFT_KERNEL_UNDEFINED;
            value = 0;
        }
        float root = sqrtf(parameters->input_scale * (float)value) / parameters->output_scale;
        int64_t steps = (int64_t)fminf(root, 65536.0F); /* limited to 16 bits anyway */
        store_element(parameters->dtype, output, i,
                      saturate(parameters->dtype, parameters->output_zero, steps));
    }
    return status;
}
