/* Multipliers and shifts of base/fixed_point.h out of real factors, as TFLite and ONNX Runtime
 * prepare their kernels: before anything runs, as this takes floating-point arithmetic. */
#ifndef WEFT_BASE_MULTIPLIER_H
#define WEFT_BASE_MULTIPLIER_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* The multiplier in [2^30, 2^31) (or 0) and the shift, at most 1024, whose product
 * multiplier * 2^(shift - 31) is nearest to `scale` >= 0; a quotient of scales that is infinite,
 * for which the reference's conversion is not defined, gives the largest. Source: TFLite
 * QuantizeMultiplier. */
static inline void weft_quantize_multiplier(double scale, int32_t *multiplier, int *shift) {
    *multiplier = 0;
    *shift = 0;
    if (scale == 0.0) {
        return;
    }
    if (!isfinite(scale)) {
        *multiplier = INT32_MAX;
        *shift = 1024;
        return;
    }
    int exponent = 0;
    int64_t fixed = (int64_t)round(frexp(scale, &exponent) * (double)(INT64_C(1) << 31));
    if (fixed == INT64_C(1) << 31) {
        fixed /= 2;
        exponent++;
    }
    if (exponent < -31) {
        return;
    }
    *multiplier = (int32_t)fixed;
    *shift = exponent;
}

/* The multiplier and shift with which weft_scale_float() gives, for every int32, what float32 gives
 * for its product with from / to, divided in float32, rounded and saturated: the 24 bits of that
 * scale are the upper ones of the multiplier. A scale below 2^-32 makes at most a half of any
 * int32: 0. One of 2^31 and more, or infinite, makes every int32 but 0 saturate, as do the largest
 * multiplier and shift. */
static inline void weft_float_multiplier(double from, double to, int32_t *multiplier, int *shift) {
    float scale = (float)from / (float)to;
    int exponent = 0;
    float fraction = isfinite(scale) ? frexpf(scale, &exponent) : 0.0F;
    *multiplier = 0;
    *shift = 0;
    if (!isfinite(scale) || exponent > 31) {
        *multiplier = INT32_MAX;
        *shift = 31;
    } else if (exponent >= -31) {
        *multiplier = (int32_t)(fraction * 0x1p31F);
        *shift = exponent;
    }
}

/* Is a scale a power of two, or within a thousandth of an octave of one? Sets the nearest exponent.
 * Source: TFLite's CheckedLog2(). */
static inline bool weft_is_nearly_power(float scale, int *exponent) {
    float power = logf(scale) * (1.0F / logf(2.0F));
    float nearest = roundf(power);
    *exponent = (int)nearest;
    return fabsf(power - nearest) < 1e-3F;
}

/* The multipliers and shifts of a sum of two operands of scales a and b: of a, of b, and of the
 * sum, whose operands have `bits` more bits: 20 of 8-bit tensors, 15 of int16. Source: TFLite's ADD
 * and SUB. */
static inline void weft_sum_multipliers(double a, double b, double out, int bits,
                                        int32_t multiplier[3], int shift[3]) {
    double twice_max = 2.0 * (a > b ? a : b);
    weft_quantize_multiplier(a / twice_max, &multiplier[0], &shift[0]);
    weft_quantize_multiplier(b / twice_max, &multiplier[1], &shift[1]);
    weft_quantize_multiplier(twice_max / ((1 << bits) * out), &multiplier[2], &shift[2]);
}

/* The same of two elements of one tensor, the first with the share 1 - `fraction` of the result: an
 * element by itself, where that is 0, is the sum of its halves. */
static inline void weft_interpolation_multipliers(double fraction, int bits, int32_t multiplier[3],
                                                  int shift[3]) {
    double second = fraction > 0 ? fraction : 0.5;
    weft_sum_multipliers(1 - second, second, 1, bits, multiplier, shift);
}

/* A multiplier of a sum with a correction; 0 to 2^31 - 1. */
static inline int32_t weft_corrected(int32_t multiplier, int64_t correction) {
    int64_t corrected = multiplier + correction;
    return corrected < 0 ? 0 : corrected > INT32_MAX ? INT32_MAX : (int32_t)corrected;
}

/* A sum in float32: fma(a, ratio[0], fma(b, ratio[1], offset)) is the result with its zero point,
 * before it is rounded; of scales and zero points of a, b and the result. Source: ONNX Runtime's
 * QLinearAdd. */
static inline void weft_float_sum(const double scale[3], const int32_t zero[3], float ratio[2],
                                  float *offset) {
    ratio[0] = (float)scale[0] / (float)scale[2];
    ratio[1] = (float)scale[1] / (float)scale[2];
    *offset = (float)zero[2] - fmaf(ratio[0], (float)zero[0], ratio[1] * (float)zero[1]);
}

/* The factors of a squared difference of two operands of scales a and b, which have 7 more bits: of
 * a, of b, and of the square. Source: TFLite's SQUARED_DIFFERENCE. */
static inline void weft_squared_difference_factors(double a, double b, double out,
                                                   double factor[3]) {
    double twice_max = 2.0 * (a > b ? a : b);
    factor[0] = a / twice_max;
    factor[1] = b / twice_max;
    factor[2] = twice_max * twice_max / ((1 << 14) * out);
}

/* What a product of two operands is multiplied by: the scales are multiplied and divided in
 * float32. Source: TFLite's MUL, ONNX Runtime's QLinearMul. */
static inline float weft_product_scale(double a, double b, double out) {
    return (float)a * (float)b / (float)out;
}

/* Its multiplier and shift. */
static inline void weft_product_multiplier(double a, double b, double out, int32_t *multiplier,
                                           int *shift) {
    weft_quantize_multiplier((double)weft_product_scale(a, b, out), multiplier, shift);
}

/* The multiplier, 1 to 2^31 - 1, and the shift, 0 to 31, whose product multiplier * 2^(shift - 31)
 * is `factor`; without a shift to the right weft_scale_gemmlowp() rounds once, halves up. False:
 * no multiplier of 31 bits is. */
static inline bool weft_once_multiplier(double factor, int32_t *multiplier, int *shift) {
    int exponent = 0;
    (void)frexp(factor, &exponent);
    *shift = exponent > 0 ? exponent : 0;
    double whole =
        isfinite(factor) && factor > 0 && exponent <= 31 ? ldexp(factor, 31 - *shift) : 0;
    if (whole < 1 || whole > INT32_MAX || trunc(whole) != whole) {
        return false;
    }
    *multiplier = (int32_t)whole;
    return true;
}

/* The multiplier and shift of a mean of n elements, n >= 1: `scale` over n, truncated, with as many
 * more bits as keep the shift in its range. Source: TFLite QuantizedMeanOrSum. */
static inline void weft_mean_multiplier(double scale, int64_t n, int32_t *multiplier, int *shift) {
    weft_quantize_multiplier(scale, multiplier, shift);
    *shift = *shift > 31 ? 31 : *shift; /* the reference's shift by 32 and more is not defined */
    int more = 63 - __builtin_clzll((unsigned long long)n);
    int most = 31 + *shift < 32 ? 31 + *shift : 32;
    more = more < most ? more : most;
    *multiplier = (int32_t)(((int64_t)*multiplier << more) / n);
    *shift -= more;
}

#endif
