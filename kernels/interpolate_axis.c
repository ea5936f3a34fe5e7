#include "kernels/element.h"
#include "kernels/resize.h"
#include "kernels/scale.h"

/* As weft_kernel_qnn_add(), of elements of one tensor. */
static int32_t mix(const struct weft_interpolate_axis_parameters *p, const struct weft_between *at,
                   int32_t low, int32_t high) {
    int32_t left = scale_by((low - p->zero) * (1 << p->bits), at->factor[0]);
    int32_t right = scale_by((high - p->zero) * (1 << p->bits), at->factor[1]);
    return saturate(p->dtype, p->zero, scale_by(left + right, at->factor[2]));
}

enum weft_kernel_status
weft_kernel_interpolate_axis(const struct weft_interpolate_axis_parameters *parameters,
                             const void *input, void *output) {
    const struct weft_interpolate_axis_parameters *p = parameters;
    int64_t inner = p->inner;
    int64_t result = 0;
    for (int64_t outer = 0; outer < p->outer; outer++) {
        for (int32_t i = 0; i < p->count; i++) {
            const struct weft_between *at = &p->between[i];
            int64_t low = (outer * p->axis + at->low) * inner;
            int64_t high = (outer * p->axis + at->high) * inner;
            for (int64_t k = 0; k < inner; k++, result++) {
                store_element(p->dtype, output, result,
                              mix(p, at, load_element(p->dtype, input, low + k),
                                  load_element(p->dtype, input, high + k)));
            }
        }
    }
    return WEFT_KERNEL_OK;
}
