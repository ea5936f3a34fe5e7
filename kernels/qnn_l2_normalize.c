#include "kernels/element.h"
#include "kernels/inverse_root.h"
#include "kernels/normalize.h"
#include "kernels/scale.h"

/* uint8 scales 128 times the element, int8 the element with 7 more bits of the factor. */
static int32_t normalized(enum weft_dtype dtype, int32_t value, struct weft_factor factor) {
    if (dtype == WEFT_U8) {
        return scale_by(128 * value, factor);
    }
    factor.shift += 7;
    return scale_by(value, factor);
}

static void normalize_row(const struct weft_qnn_l2_normalize_parameters *p, const void *input,
                          int64_t first, void *output) {
    uint32_t squares = 0;
    for (int32_t i = 0; i < p->shape.depth; i++) {
        int32_t value = load_element(p->dtype, input, first + i) - p->input_zero;
        squares += (uint32_t)(value * value);
    }
    struct weft_factor factor = weft_inverse_root((int32_t)squares);
    for (int32_t i = 0; i < p->shape.depth; i++) {
        int32_t value = load_element(p->dtype, input, first + i) - p->input_zero;
        store_element(p->dtype, output, first + i,
                      saturate(p->dtype, p->output_zero, normalized(p->dtype, value, factor)));
    }
}

enum weft_kernel_status
weft_kernel_qnn_l2_normalize(const struct weft_qnn_l2_normalize_parameters *parameters,
                             const void *input, void *output) {
    for (int32_t row = 0; row < parameters->shape.rows; row++) {
        normalize_row(parameters, input, (int64_t)row * parameters->shape.depth, output);
    }
    return WEFT_KERNEL_OK;
}
