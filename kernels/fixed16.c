/* Source: gemmlowp's fixedpoint.h, for int16. Sums wrap but where it says otherwise. */
#include "kernels/fixed16.h"

#include "base/fixed_point.h"
#include "base/integer.h"

/* A constant of 32-bit fixed point with as many integer bits. */
static int16_t constant(int32_t wide) {
    return (int16_t)weft_rounding_shift(wide, 16);
}

static int16_t limited(int64_t value) {
    return (int16_t)weft_clamp(value, INT16_MIN, INT16_MAX);
}

/* High 16 bits of 2*a*b, as weft_high_mul(). */
static int16_t product(int16_t a, int16_t b) {
    return a == INT16_MIN && b == INT16_MIN ? INT16_MAX : (int16_t)((a * b + (1 << 14)) >> 15);
}

static int16_t shifted(int16_t value, int exponent) {
    return limited((int64_t)value * (INT64_C(1) << exponent));
}

/* exp(a) for a in [-1/4, 0), Q0: Taylor series around -1/8 to the fourth order. */
static int16_t exp_on_quarter(int16_t a) {
    int16_t exp_minus_eighth = constant(1895147668);
    int16_t third = constant(715827883);
    int16_t x = (int16_t)(a + (1 << 12));
    int16_t x2 = product(x, x);
    int16_t x3 = product(x2, x);
    int16_t x4_over_4 = (int16_t)weft_rounding_shift(product(x2, x2), 2);
    int16_t sum = (int16_t)(product((int16_t)(x4_over_4 + x3), third) + x2);
    int16_t tail = (int16_t)weft_rounding_shift(sum, 1);
    return limited(exp_minus_eighth + product(exp_minus_eighth, (int16_t)(x + tail)));
}

/* exp(a) for a <= 0 with so many integer bits; the result is Q0. */
static int16_t exp_on_negative(int16_t a, int integer_bits) {
    /* exp(-2^i) for i = -2 to 4 */
    static const int32_t factors[] = {1672461947, 1302514674, 790015084, 290630308,
                                      39332535,   720401,     242};
    const int fraction_bits = 15 - integer_bits;
    const int quarter = 1 << (fraction_bits - 2);
    int16_t in_quarter = (int16_t)((a & (quarter - 1)) - quarter);
    int16_t result = exp_on_quarter(shifted(in_quarter, integer_bits));
    int16_t rest = (int16_t)(in_quarter - a);
    for (int i = 0; i < 7 && integer_bits > i - 2; i++) {
        if ((rest >> (fraction_bits - 2 + i) & 1) != 0) {
            result = product(result, constant(factors[i]));
        }
    }
    if (integer_bits > 5 && a < -(1 << (20 - integer_bits))) {
        return 0; /* below -32 */
    }
    return a == 0 ? INT16_MAX : result;
}

/* 1 / (1 + a) times 2 for a in [0, 1); the result is Q2, of three Newton steps. */
static int16_t twice_reciprocal(int16_t a) {
    int16_t half_denominator = (int16_t)((a + INT16_MAX + 1) / 2);
    int16_t x = (int16_t)(constant(1515870810) + product(half_denominator, constant(-1010580540)));
    for (int i = 0; i < 3; i++) {
        int16_t error = (int16_t)((1 << 13) - product(half_denominator, x));
        x = (int16_t)(x + shifted(product(x, error), 2));
    }
    return x;
}

int16_t weft_fixed16_logistic(int16_t a) {
    int16_t negative = (int16_t)(a > 0 ? -a : a);
    int16_t result = shifted(twice_reciprocal(exp_on_negative(negative, 3)), 1);
    return a == 0 ? 1 << 14 : a > 0 ? result : (int16_t)(INT16_MAX - result);
}

int16_t weft_fixed16_tanh(int16_t a, int integer_bits) {
    int16_t negative = (int16_t)(a > 0 ? -a : a);
    int16_t x = twice_reciprocal(exp_on_negative(negative, integer_bits + 1));
    int16_t result = shifted((int16_t)(x - (1 << 13)), 2);
    return a == 0 ? 0 : a < 0 ? (int16_t)-result : result;
}
