/* Log-softmax of 8-bit tensors in fixed point.
 *
 * Qm is an int32 with m integer bits, raw / 2^(31 - m); products round as weft_high_mul() does.
 * Source of the method: TFLite's reference_integer_ops::LogSoftmax() and
 * log_x_for_x_greater_than_or_equal_to_1().
 */
#include "kernels/element.h"
#include "kernels/exponential.h"
#include "kernels/normalize.h"
#include "kernels/scale.h"

enum {
    DIFF_BITS = 5,   /* integer bits of differences and of the logarithm */
    SUM_BITS = 12,   /* of the sum of exponentials */
    POWER_BITS = 6,  /* of the logarithm while it is put together */
    OUTPUT_BITS = 4, /* of the result: its scale is 16 / 256 */
};

/* ---- logarithm ---- */

static int32_t saturated(int64_t value) {
    return (int32_t)weft_clamp(value, INT32_MIN, INT32_MAX);
}

/* x brought to about [2^-1/2, 2^1/2] (r), and the power of two that was taken out, in Q6. */
struct normalized {
    int32_t r, power;
};

/* Two ways of cutting x into 2^k * r, a quarter of a power apart; of both the smaller r is near 1.
 */
static struct normalized normalize(int32_t x) {
    const int32_t root_of_half = 1518500250;
    const int32_t quarter = 1 << (31 - POWER_BITS - 2);
    int a_headroom = __builtin_clz((uint32_t)x);
    int32_t a_shifted = fixed_shift_left(x, a_headroom - 1);
    int32_t a = fixed_shift_left(weft_high_mul(a_shifted, root_of_half), 1);
    int64_t a_power = (int64_t)(SUM_BITS - a_headroom) * (1 << (31 - POWER_BITS));
    int b_headroom = __builtin_clz((uint32_t)weft_high_mul(x, root_of_half)) - 1;
    int32_t b = fixed_shift_left(x, b_headroom);
    int64_t b_power = (int64_t)(SUM_BITS - b_headroom) * (1 << (31 - POWER_BITS));
    int32_t a_adjusted = saturated((int64_t)saturated(a_power) + quarter);
    int32_t b_adjusted = saturated((int64_t)saturated(b_power) - quarter);
    return (struct normalized){(int32_t)weft_min(a, b), (int32_t)weft_max(a_adjusted, b_adjusted)};
}

/* log(x) of x >= 1 in Q12; the result is Q5. A rational function of r around 2^-1/4. */
static int32_t fixed_log(int32_t x) {
    const int32_t log_of_two = 1488522236;
    const int32_t fourth_root_of_half = 1805811301;
    const int32_t alpha_n = 117049297;
    const int32_t alpha_d = 127690142;
    const int32_t alpha_i = 1057819769;
    const int32_t alpha_f = 638450708;
    struct normalized n = normalize(x);
    int64_t sum = (int64_t)n.r + fourth_root_of_half;
    int32_t p = (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
    int32_t q = 2 * (n.r - fourth_root_of_half);
    int32_t square = weft_high_mul(q, q);
    int32_t numerator = weft_high_mul(q, n.r) + weft_high_mul(weft_high_mul(q, square), alpha_n);
    int32_t inner = alpha_i + q + weft_high_mul(alpha_d, square);
    int32_t denominator_less_one = weft_high_mul(p, inner) + weft_high_mul(alpha_f, q);
    int32_t fraction = weft_high_mul(weft_rounding_shift(numerator, POWER_BITS),
                                     weft_fixed_reciprocal_of_one_plus(denominator_less_one));
    return fixed_shift_left(weft_high_mul(n.power, log_of_two) + fraction, POWER_BITS - DIFF_BITS);
}

/* ---- rows ---- */

/* The logarithm of the sum of exponentials of the differences. */
static int32_t log_of_sum(const struct weft_qnn_log_softmax_parameters *p, const void *input,
                          int64_t first, int32_t largest) {
    uint32_t sum = 0;
    for (int32_t i = 0; i < p->shape.depth; i++) {
        int32_t difference = load_element(p->dtype, input, first + i) - largest;
        if (difference >= p->least_difference) {
            int32_t exponential = weft_fixed_exp_on_negative(scale_by(difference, p->factor));
            sum += (uint32_t)weft_rounding_shift(exponential, SUM_BITS);
        }
    }
    /* More than 4095 equal elements leave Q12. */
    return fixed_log((int32_t)weft_min(sum, INT32_MAX));
}

static void log_softmax_row(const struct weft_qnn_log_softmax_parameters *p, const void *input,
                            int64_t first, void *output) {
    int64_t low = weft_dtype_min(p->dtype);
    int64_t high = weft_dtype_max(p->dtype);
    int32_t largest = largest_element(p->dtype, input, first, p->shape.depth);
    int32_t log_sum = log_of_sum(p, input, first, largest);
    /* Differences at or below this one leave Q5 when the logarithm is subtracted. */
    int64_t least =
        weft_max((int64_t)p->least_difference - 1, scale_by(log_sum + INT32_MIN, p->inverse));
    for (int32_t i = 0; i < p->shape.depth; i++) {
        int32_t difference = load_element(p->dtype, input, first + i) - largest;
        int64_t value = low;
        if (difference > least) {
            int32_t rest = scale_by(difference, p->factor) - log_sum;
            value = weft_clamp(weft_rounding_shift(rest, 31 - DIFF_BITS - OUTPUT_BITS) + high, low,
                               high);
        }
        store_element(p->dtype, output, first + i, (int32_t)value);
    }
}

enum weft_kernel_status
weft_kernel_qnn_log_softmax(const struct weft_qnn_log_softmax_parameters *parameters,
                            const void *input, void *output) {
    for (int32_t row = 0; row < parameters->shape.rows; row++) {
        log_softmax_row(parameters, input, (int64_t)row * parameters->shape.depth, output);
    }
    return WEFT_KERNEL_OK;
}
