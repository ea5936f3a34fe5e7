#include "kernels/resize.h"

enum weft_kernel_status
weft_kernel_interpolate_axis_float(const struct weft_interpolate_axis_float_parameters *parameters,
                                   const weft_unaligned_float *input, float *output) {
    const struct weft_interpolate_axis_float_parameters *p = parameters;
    int64_t inner = p->inner;
    for (int64_t outer = 0; outer < p->outer; outer++) {
        for (int32_t i = 0; i < p->count; i++, output += inner) {
            const struct weft_between_float *at = &p->between[i];
            const weft_unaligned_float *low = input + (outer * p->axis + at->low) * inner;
            const weft_unaligned_float *high = input + (outer * p->axis + at->high) * inner;
            for (int64_t k = 0; k < inner; k++) {
                output[k] = low[k] * at->share[0] + high[k] * at->share[1];
            }
        }
    }
    return WEFT_KERNEL_OK;
}
