#include "kernels/element.h"
#include "kernels/exponential.h"
#include "kernels/normalize.h"
#include "kernels/scale.h"

/* 1 / sqrt(x) in Q0 as a factor whose shift is to the right; x > 1. Newton's iteration in Q3 from
 * a start of 1, after x is brought to [1/4, 1).
 * Source: TFLite's GetInvSqrtQuantizedMultiplierExp(). */
static struct weft_factor inverse_root(int32_t x) {
    const int32_t half_root_of_two = 1518500250; /* Q0 */
    const int32_t three_halves = (1 << 28) + (1 << 27);
    int shift = 11;
    if (x <= 1) {
        return (struct weft_factor){INT32_MAX, 0};
    }
    for (; x >= 1 << 29; x /= 4) {
        shift++;
    }
    int pairs = (__builtin_clz((uint32_t)x) - 1) / 2 - 1;
    shift -= pairs;
    int32_t half = weft_rounding_shift((int32_t)((uint32_t)x << (2 * pairs)) >> 1, 1);
    int32_t y = 1 << 28;
    for (int i = 0; i < 5; i++) {
        /* y^3 has 9 integer bits, the products below 6. */
        int32_t cube = fixed_shift_left(weft_high_mul(weft_high_mul(y, y), y), 6);
        int32_t next = weft_high_mul(three_halves, y) - weft_high_mul(half, cube);
        y = fixed_shift_left(next, 3);
    }
    y = weft_high_mul(y, half_root_of_two);
    return shift < 0 ? (struct weft_factor){(int32_t)((uint32_t)y << -shift), 0}
                     : (struct weft_factor){y, -shift};
}

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
    struct weft_factor factor = inverse_root((int32_t)squares);
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
