#include "kernels/activation.h"
#include "kernels/element.h"
#include "kernels/scale.h"

/* The limits are applied after the zero point is added and before the type's own. */
enum weft_kernel_status weft_kernel_qnn_relu(const struct weft_qnn_relu_parameters *parameters,
                                             const void *input, void *output) {
    for (int32_t i = 0; i < parameters->count; i++) {
        int32_t value = load_element(parameters->dtype, input, i) - parameters->input_zero;
        int64_t scaled = (int64_t)scale_by(value, parameters->factor) + parameters->output_zero;
        store_element(parameters->dtype, output, i,
                      (int32_t)weft_clamp(scaled, parameters->low, parameters->high));
    }
    return WEFT_KERNEL_OK;
}

enum weft_kernel_status
weft_kernel_qnn_leaky_relu(const struct weft_qnn_leaky_relu_parameters *parameters,
                           const void *input, void *output) {
    for (int32_t i = 0; i < parameters->count; i++) {
        int32_t value = load_element(parameters->dtype, input, i) - parameters->input_zero;
        int32_t scaled =
            value >= 0 ? scale_by(value, parameters->factor)
                       : scale_by(parameters->negates != 0 ? -value : value, parameters->negative);
        store_element(parameters->dtype, output, i,
                      saturate(parameters->dtype, parameters->output_zero, scaled));
    }
    return WEFT_KERNEL_OK;
}
