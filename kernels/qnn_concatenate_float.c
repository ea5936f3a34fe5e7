#include "kernels/element.h"
#include "kernels/rescale_float.h"

enum weft_kernel_status
weft_kernel_qnn_concatenate_float(const struct weft_qnn_concatenate_float_parameters *parameters,
                                  const void *const *inputs, void *output) {
    int64_t to = 0;
    for (int64_t row = 0; row < parameters->rows; row++) {
        for (int32_t i = 0; i < parameters->count; i++) {
            const struct weft_scaled_part *part = &parameters->part[i];
            for (int32_t k = 0; k < part->elements; k++) {
                int32_t value =
                    load_element(parameters->dtype, inputs[i], row * part->elements + k);
                store_element(parameters->dtype, output, to++,
                              rescale_element(part, parameters->dtype, parameters->zero, value));
            }
        }
    }
    return WEFT_KERNEL_OK;
}
