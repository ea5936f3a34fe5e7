/* Source: TFLite reference_ops::Softmax. */
#include <stdbool.h>

#include "kernels/element.h"
#include "kernels/exponential.h"
#include "kernels/normalize.h"
#include "kernels/scale.h"

enum {
    SUM_INTEGER_BITS = 12
};

static int32_t exp_of_difference(const struct weft_qnn_softmax_parameters *p, int32_t difference) {
    int32_t shifted = (int32_t)((uint32_t)difference << p->factor.shift);
    return weft_fixed_exp_on_negative(weft_high_mul(shifted, p->factor.multiplier));
}

/* The sum of the exponentials of the differences from the largest element, which wraps. */
static int32_t sum_of_row(const struct weft_qnn_softmax_parameters *p, const void *input,
                          int64_t first, int32_t largest) {
    uint32_t sum = 0;
    for (int32_t i = 0; i < p->shape.depth; i++) {
        int32_t difference = load_element(p->dtype, input, first + i) - largest;
        if (difference >= p->least_difference) {
            sum +=
                (uint32_t)weft_rounding_shift(exp_of_difference(p, difference), SUM_INTEGER_BITS);
        }
    }
    return (int32_t)sum;
}

/* False when the sum of the exponentials is 512 or more: the reference shifts by more than 31 bits
 * then and aborts, so there is no answer to be equal to. */
static bool softmax_row(const struct weft_qnn_softmax_parameters *p, const void *input,
                        int64_t first, void *output) {
    int32_t largest = largest_element(p->dtype, input, first, p->shape.depth);
    int32_t sum = sum_of_row(p, input, first, largest);
    if (sum < 0 || sum >= 512 << (31 - SUM_INTEGER_BITS)) {
        return false;
    }
    int headroom = sum == 0 ? 32 : __builtin_clz((uint32_t)sum);
    int bits_over_unit = SUM_INTEGER_BITS - headroom;
    uint32_t normalised = headroom > 31 ? 0 : (uint32_t)sum << headroom;
    int32_t scale = weft_fixed_reciprocal_of_one_plus((int32_t)(normalised - (UINT32_C(1) << 31)));
    int64_t low = weft_dtype_min(p->dtype);
    int64_t high = weft_dtype_max(p->dtype);
    for (int32_t i = 0; i < p->shape.depth; i++) {
        int32_t difference = load_element(p->dtype, input, first + i) - largest;
        int64_t value = low;
        if (difference >= p->least_difference) {
            int32_t product = weft_high_mul(scale, exp_of_difference(p, difference));
            value =
                weft_clamp(weft_rounding_shift(product, bits_over_unit + 31 - 8) + low, low, high);
        }
        store_element(p->dtype, output, first + i, (int32_t)value);
    }
    return true;
}

enum weft_kernel_status
weft_kernel_qnn_softmax(const struct weft_qnn_softmax_parameters *parameters, const void *input,
                        void *output) {
    for (int32_t row = 0; row < parameters->shape.rows; row++) {
        if (!softmax_row(parameters, input, (int64_t)row * parameters->shape.depth, output)) {
            return WEFT_KERNEL_UNDEFINED;
        }
    }
    return WEFT_KERNEL_OK;
}
