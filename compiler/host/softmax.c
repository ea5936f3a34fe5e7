/* Softmax of 8-bit tensors in gemmlowp's fixed point.
 *
 * A number of type Qm is an int32 with m integer bits: raw / 2^(31 - m). Products round as
 * weft_high_mul() does.
 */
#include <math.h>

#include "base/fixed_point.h"
#include "base/integer.h"
#include "compiler/host/kernels.h"

enum {
    DIFF_INTEGER_BITS = 5,
    SUM_INTEGER_BITS = 12
};

/* value * 2^exponent, saturated. */
int32_t fixed_shift_left(int32_t value, int exponent) {
    return (int32_t)weft_clamp((int64_t)value * (INT64_C(1) << exponent), INT32_MIN, INT32_MAX);
}

/* exp(a) for a in [-1/4, 0), Q0: Taylor series around -1/8 to the fourth order. */
static int32_t exp_on_quarter(int32_t a) {
    const int32_t exp_minus_eighth = 1895147668;
    const int32_t third = 715827883;
    int32_t x = a + (1 << 28); /* + 1/8 */
    int32_t x2 = weft_high_mul(x, x);
    int32_t x3 = weft_high_mul(x2, x);
    int32_t x4 = weft_high_mul(x2, x2);
    int32_t x4_over_4 = weft_rounding_shift(x4, 2);
    int32_t tail = weft_rounding_shift(weft_high_mul(x4_over_4 + x3, third) + x2, 1);
    return exp_minus_eighth + weft_high_mul(exp_minus_eighth, x + tail);
}

/* exp(a) for a <= 0 in Q5; the result is Q0. */
int32_t fixed_exp_on_negative(int32_t a) {
    /* exp(-2^i) for i = -2 to 4 */
    static const int32_t factors[] = {1672461947, 1302514674, 790015084, 290630308,
                                      39332535,   720401,     242};
    const int fraction_bits = 31 - DIFF_INTEGER_BITS;
    const int32_t quarter = 1 << (fraction_bits - 2);
    int32_t in_quarter = (a & (quarter - 1)) - quarter;
    int32_t result = exp_on_quarter(fixed_shift_left(in_quarter, DIFF_INTEGER_BITS));
    int32_t rest = in_quarter - a;
    for (int i = 0; i < 7; i++) {
        if ((rest >> (fraction_bits - 2 + i) & 1) != 0) {
            result = weft_high_mul(result, factors[i]);
        }
    }
    return a == 0 ? INT32_MAX : result;
}

/* 1 / (1 + a) for a in [0, 1), Q0: three Newton steps. */
int32_t fixed_reciprocal_of_one_plus(int32_t a) {
    const int32_t q2_48_over_17 = 1515870810;
    const int32_t q2_minus_32_over_17 = -1010580540;
    const int32_t q2_one = 1 << 29;
    int32_t half_denominator = (int32_t)(((int64_t)a + INT32_MAX + 1) / 2);
    int32_t x = q2_48_over_17 + weft_high_mul(half_denominator, q2_minus_32_over_17);
    for (int i = 0; i < 3; i++) {
        int32_t error = q2_one - weft_high_mul(half_denominator, x);
        x += fixed_shift_left(weft_high_mul(x, error), 2);
    }
    return fixed_shift_left(x, 1);
}

struct softmax {
    enum weft_dtype dtype;
    int64_t depth;
    int32_t multiplier;
    int left_shift;
    int32_t least_diff; /* differences below count as nothing */
};

static int32_t exp_of_diff(const struct softmax *softmax, int32_t diff) {
    int32_t shifted = (int32_t)((uint32_t)diff << softmax->left_shift);
    return fixed_exp_on_negative(weft_high_mul(shifted, softmax->multiplier));
}

/* False when the sum of the exponentials is 512 or more: the reference shifts by more than 31 bits
 * then and aborts, so there is no answer to be equal to. */
static bool softmax_row(const struct softmax *softmax, const void *input, void *result,
                        int64_t row) {
    int64_t first = row * softmax->depth;
    int32_t largest = INT32_MIN;
    int32_t sum = 0;
    for (int64_t i = 0; i < softmax->depth; i++) {
        largest = (int32_t)weft_max(largest, load_element(softmax->dtype, input, first + i));
    }
    for (int64_t i = 0; i < softmax->depth; i++) {
        int32_t diff = load_element(softmax->dtype, input, first + i) - largest;
        if (diff >= softmax->least_diff) {
            sum = (int32_t)((uint32_t)sum + (uint32_t)weft_rounding_shift(
                                                exp_of_diff(softmax, diff), SUM_INTEGER_BITS));
        }
    }
    if (sum < 0 || sum >= 512 << (31 - SUM_INTEGER_BITS)) {
        return false;
    }
    int headroom = sum == 0 ? 32 : __builtin_clz((uint32_t)sum);
    int bits_over_unit = SUM_INTEGER_BITS - headroom;
    uint32_t normalised = headroom > 31 ? 0 : (uint32_t)sum << headroom;
    int32_t scale = fixed_reciprocal_of_one_plus((int32_t)(normalised - (UINT32_C(1) << 31)));
    int64_t low = weft_dtype_min(softmax->dtype);
    int64_t high = weft_dtype_max(softmax->dtype);
    for (int64_t i = 0; i < softmax->depth; i++) {
        int32_t diff = load_element(softmax->dtype, input, first + i) - largest;
        int64_t value = low;
        if (diff >= softmax->least_diff) {
            int32_t product = weft_high_mul(scale, exp_of_diff(softmax, diff));
            value =
                weft_clamp(weft_rounding_shift(product, bits_over_unit + 31 - 8) + low, low, high);
        }
        store_element(softmax->dtype, result, first + i, (int32_t)value);
    }
    return true;
}

/* Source: TFLite reference_ops::Softmax and PreprocessSoftmaxScaling(), CalculateInputRadius(). */
bool kernel_qnn_softmax(const struct kernel_call *call) {
    const struct weft_type *type = &call->node->inputs[0]->type;
    struct softmax softmax = {.dtype = type->dtype, .depth = type->dim[type->rank - 1]};
    if (type->dtype != WEFT_I8 && type->dtype != WEFT_U8) {
        return kernel_unsupported(call, "only 8-bit tensors");
    }
    double scale = weft_node_float(call->node, WEFT_ATTR_beta) * weft_type_scale(type, 0) *
                   (1 << (31 - DIFF_INTEGER_BITS));
    scale = fmin(scale, (double)(INT64_C(1) << 31) - 1.0);
    if (scale <= 1.0) {
        return kernel_unsupported(call, "the input's scale is too small");
    }
    weft_quantize_multiplier(scale, &softmax.multiplier, &softmax.left_shift);
    double radius = (double)((1 << DIFF_INTEGER_BITS) - 1) *
                    (double)(INT64_C(1) << (31 - DIFF_INTEGER_BITS)) /
                    ldexp(1.0, softmax.left_shift);
    softmax.least_diff = (int32_t)-floor(radius);
    int64_t rows = softmax.depth == 0 ? 0 : weft_type_elements(type) / softmax.depth;
    for (int64_t row = 0; row < rows; row++) {
        if (!softmax_row(&softmax, call->inputs[0], call->results[0], row)) {
            return kernel_unsupported(call, "at most 511 times the largest exponential in a row");
        }
    }
    return true;
}
