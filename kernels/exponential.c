#include "kernels/exponential.h"

#include "base/fixed_point.h"

enum {
    INTEGER_BITS = 5 /* of what the exponential takes */
};

int32_t weft_fixed_product(int32_t a, int32_t b) {
    return weft_high_mul(a, b);
}

/* exp(a) for a in [-1/4, 0), Q0: Taylor series around -1/8 to the fourth order. */
static int32_t exp_on_quarter(int32_t a) {
    const int32_t exp_minus_eighth = 1895147668;
    const int32_t third = 715827883;
    int32_t x = a + (1 << 28); /* + 1/8 */
    int32_t x2 = weft_fixed_product(x, x);
    int32_t x3 = weft_fixed_product(x2, x);
    int32_t x4 = weft_fixed_product(x2, x2);
    int32_t x4_over_4 = weft_rounding_shift(x4, 2);
    int32_t tail = weft_rounding_shift(weft_fixed_product(x4_over_4 + x3, third) + x2, 1);
    return exp_minus_eighth + weft_fixed_product(exp_minus_eighth, x + tail);
}

int32_t weft_fixed_exp_on_negative(int32_t a) {
    /* exp(-2^i) for i = -2 to 4 */
    static const int32_t factors[] = {1672461947, 1302514674, 790015084, 290630308,
                                      39332535,   720401,     242};
    const int fraction_bits = 31 - INTEGER_BITS;
    const int32_t quarter = 1 << (fraction_bits - 2);
    int32_t in_quarter = (a & (quarter - 1)) - quarter;
    int32_t result = exp_on_quarter(in_quarter * (1 << INTEGER_BITS));
    int32_t rest = in_quarter - a;
    for (int i = 0; i < 7; i++) {
        if ((rest >> (fraction_bits - 2 + i) & 1) != 0) {
            result = weft_fixed_product(result, factors[i]);
        }
    }
    return a == 0 ? INT32_MAX : result;
}

int32_t weft_fixed_reciprocal_of_one_plus(int32_t a) {
    return weft_reciprocal_of_one_plus(a, weft_fixed_product);
}
