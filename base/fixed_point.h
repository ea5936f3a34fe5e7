/* Fixed-point arithmetic of TFLite's reference kernels and of ONNX Runtime: the one definition that
 * the simulator's instructions, the host kernels and the compiler's proofs share. docs/numerics.md
 * says which operator uses which. Integers alone; base/multiplier.h makes multipliers of real
 * numbers. */
#ifndef WEFT_BASE_FIXED_POINT_H
#define WEFT_BASE_FIXED_POINT_H

#include <stdint.h>

/* A shift as the machine stores it: the low 6 bits, two's complement; -32 acts as -31. */
static inline int weft_shift_of(int32_t stored) {
    int shift = (int)(((uint32_t)stored & 63) ^ 32) - 32;
    return shift < -31 ? -31 : shift;
}

/* High 32 bits of 2*a*b, rounded to nearest, ties towards plus infinity; saturates the one case
 * that does not fit. Source: gemmlowp SaturatingRoundingDoublingHighMul; floor((ab + 2^30) / 2^31)
 * equals its truncating division with a signed nudge for every ab. */
static inline int32_t weft_high_mul(int32_t a, int32_t b) {
    if (a == INT32_MIN && b == INT32_MIN) {
        return INT32_MAX;
    }
    int64_t product = (int64_t)a * b + (INT64_C(1) << 30);
    return (int32_t)(product >> 31);
}

/* value / 2^exponent, rounded to nearest, ties away from zero; exponent 0 to 31. Source: gemmlowp
 * RoundingDivideByPOT. */
static inline int32_t weft_rounding_shift(int32_t value, int exponent) {
    int32_t mask = (int32_t)((UINT32_C(1) << exponent) - 1);
    int32_t remainder = value & mask;
    int32_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
    return (value >> exponent) + (remainder > threshold ? 1 : 0);
}

/* The same of an int16: its masks have 16 bits, so that larger shifts give 1 and -1. */
static inline int32_t weft_rounding_shift16(int32_t value, int exponent) {
    return exponent < 16 ? weft_rounding_shift(value, exponent) : value < 0 ? -1 : 1;
}

/* value * 2, saturated. */
static inline int32_t weft_saturated_double(int32_t value) {
    int32_t doubled = (int32_t)((uint32_t)value << 1);
    return doubled >> 1 == value ? doubled : value < 0 ? INT32_MIN : INT32_MAX;
}

/* 1 / (1 + a) for a in [0, 1), both without integer bits: raw / 2^31. Three Newton steps. Source:
 * gemmlowp one_over_one_plus_x_for_x_in_0_1. `product` is weft_high_mul(), or calls it: firmware
 * has it once. */
static inline int32_t weft_reciprocal_of_one_plus(int32_t a,
                                                  int32_t (*product)(int32_t a, int32_t b)) {
    /* With two integer bits. */
    const int32_t q2_48_over_17 = 1515870810;
    const int32_t q2_minus_32_over_17 = -1010580540;
    const int32_t q2_one = 1 << 29;
    int32_t half_denominator = (int32_t)(((uint32_t)a + (UINT32_C(1) << 31)) / 2);
    int32_t x = q2_48_over_17 + product(half_denominator, q2_minus_32_over_17);
    for (int i = 0; i < 3; i++) {
        int32_t error = q2_one - product(half_denominator, x);
        /* The correction never saturates. The sum wraps for a = -1, a sum of softmax that is 0. */
        x = (int32_t)((uint32_t)x + ((uint32_t)product(x, error) << 2));
    }
    return weft_saturated_double(x);
}

/* ---- softmax: source TFLite reference_ops::Softmax ---- */

enum {
    WEFT_SOFTMAX_INTEGER_BITS = 12, /* of a sum of exponentials */
    WEFT_SOFTMAX_SUM_BITS = 28,     /* with more the reference has no answer */
    /* Elements whose sum has one in any case: none adds more than the largest, 1. */
    WEFT_SOFTMAX_MOST = (1 << (WEFT_SOFTMAX_SUM_BITS - (31 - WEFT_SOFTMAX_INTEGER_BITS))) - 1,
};

/* What an exponential, raw / 2^31, adds to the sum over its row: rounded to 12 integer bits. None
 * is negative. */
static inline uint32_t weft_softmax_term(int32_t exponential) {
    uint32_t half_steps = (uint32_t)exponential >> (WEFT_SOFTMAX_INTEGER_BITS - 1);
    return (half_steps + 1) >> 1;
}

/* The sum, of at most 28 bits, as 1 + a, of which weft_reciprocal_of_one_plus() makes a multiplier
 * of exponentials, and how far to the right what weft_high_mul() gives is to be shifted to be a
 * byte: 3 to 31. */
static inline int32_t weft_softmax_normalised(uint32_t sum, int *shift) {
    uint32_t normalised = sum << (32 - WEFT_SOFTMAX_SUM_BITS);
    int bits = WEFT_SOFTMAX_SUM_BITS; /* those that a sum of 0 lacks are all */
    for (; bits > 0 && normalised >> 31 == 0; bits--) {
        normalised <<= 1;
    }
    *shift = 31 - WEFT_SOFTMAX_SUM_BITS + bits;
    return (int32_t)(normalised - (UINT32_C(1) << 31));
}

/* value * multiplier * 2^(shift - 31) with gemmlowp's two roundings; shift -31 to 31.
 * A left shift wraps. Source: TFLite MultiplyByQuantizedMultiplier. */
static inline int32_t weft_scale_gemmlowp(int32_t value, int32_t multiplier, int shift) {
    int left = shift > 0 ? shift : 0;
    int right = shift > 0 ? 0 : -shift;
    int32_t shifted = (int32_t)((uint32_t)value << left);
    return weft_rounding_shift(weft_high_mul(shifted, multiplier), right);
}

/* value * multiplier * 2^(shift - 31), rounded once, ties away from zero, saturated to int32; shift
 * -31 to 31. */
static inline int32_t weft_scale_single(int32_t value, int32_t multiplier, int shift) {
    int64_t product = (int64_t)value * multiplier;
    int right = 31 - shift;
    int64_t half = right > 0 ? INT64_C(1) << (right - 1) : 0;
    int64_t scaled = (product + half - (product < 0 && right > 0 ? 1 : 0)) >> right;
    return scaled > INT32_MAX ? INT32_MAX : scaled < INT32_MIN ? INT32_MIN : (int32_t)scaled;
}

/* value / 2^exponent, rounded to nearest, ties to even; |value| at most 2^62, exponent 0 to 62. */
static inline int64_t weft_even_shift(int64_t value, int exponent) {
    int64_t below_half = ((INT64_C(1) << exponent) - 1) >> 1;
    int64_t odd = exponent > 0 ? value >> exponent & 1 : 0;
    return (value + below_half + odd) >> exponent;
}

/* value, |value| at most 2^62, rounded to nearest, ties to even, as float32 holds it: to 24
 * significant bits. */
static inline int64_t weft_round_to_float(int64_t value) {
    uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
    int excess = 40 - __builtin_clzll(magnitude | 1);
    return excess > 0 ? weft_even_shift(value, excess) * (INT64_C(1) << excess) : value;
}

/* What a processor gets for value * multiplier * 2^(shift - 31) in float32, of a value that becomes
 * a float and a scale that is one (a multiplier of at most 24 significant bits; of others this is
 * the definition), rounded to nearest, ties to even, and saturated to int32; shift -31 to 31.
 * Source: ONNX Runtime's MlasRequantizeOutput(). */
static inline int32_t weft_scale_float(int32_t value, int32_t multiplier, int shift) {
    int64_t product = weft_round_to_float(weft_round_to_float(value) * multiplier);
    int64_t scaled = weft_even_shift(product, 31 - shift);
    return scaled > INT32_MAX ? INT32_MAX : scaled < INT32_MIN ? INT32_MIN : (int32_t)scaled;
}

#endif
