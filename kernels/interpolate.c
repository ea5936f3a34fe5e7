#include "kernels/activation.h"
#include "kernels/element.h"
#include "kernels/look_up.h"

enum weft_kernel_status
weft_kernel_interpolate(const struct weft_interpolate_parameters *parameters, const void *input,
                        int16_t *output) {
    for (int32_t i = 0; i < parameters->count; i++) {
        output[i] = (int16_t)look_up(parameters->entry, load_element(WEFT_I16, input, i));
    }
    return WEFT_KERNEL_OK;
}
