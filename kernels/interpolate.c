#include "kernels/activation.h"
#include "kernels/element.h"

/* Seven bits lie between two entries, whose difference and result wrap. Source: TFLite's
 * LUTLookup(). */
enum weft_kernel_status
weft_kernel_interpolate(const struct weft_interpolate_parameters *parameters, const void *input,
                        int16_t *output) {
    for (int32_t i = 0; i < parameters->count; i++) {
        int32_t x = load_element(WEFT_I16, input, i);
        const int16_t *entry = &parameters->entry[256 + (x >> 7)];
        int16_t slope = (int16_t)(entry[1] - entry[0]);
        output[i] = (int16_t)(entry[0] + ((slope * (x & 127) + 64) >> 7));
    }
    return WEFT_KERNEL_OK;
}
