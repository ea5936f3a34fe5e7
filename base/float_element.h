/* Elements of quantised tensors as floats compute them. */
#ifndef WEFT_BASE_FLOAT_ELEMENT_H
#define WEFT_BASE_FLOAT_ELEMENT_H

#include <math.h>
#include <stdbool.h>

#include "base/dtype.h"

/* To nearest, ties to even: by halves of the number rounded down. Source: TFLite's
 * RoundToNearest(). */
static inline float weft_round_to_even(float x) {
    float below = floorf(x);
    float rest = x - below;
    bool even = floorf(below / 2.0F) * 2.0F == below;
    return rest < 0.5F || (rest == 0.5F && even) ? below : below + 1.0F;
}

/* An element of 8 bits: rounded, with a zero point behind that, saturated; what is no number is the
 * smallest. */
static inline int32_t weft_float_to_byte(enum weft_dtype dtype, float exact, int32_t zero) {
    float least = (float)(weft_dtype_min(dtype) - zero);
    float most = (float)(weft_dtype_max(dtype) - zero);
    return zero + (int32_t)weft_round_to_even(fminf(fmaxf(exact, least), most));
}

/* What is rounded, 0 being the zero point behind it where the other is in it already: */

/* A sum with its zero point, of weft_float_sum()'s ratios and offset, in two steps: the second
 * operand's part, and the whole. Source: ONNX Runtime's QLinearAdd. */
static inline float weft_float_sum_second(int32_t b, const float ratio[2], float offset) {
    return fmaf((float)b, ratio[1], offset);
}
static inline float weft_float_sum_both(int32_t a, float second, const float ratio[2]) {
    return fmaf((float)a, ratio[0], second);
}

/* A difference without its zero point, of floats between quantisers; a and b are less theirs. */
static inline float weft_float_difference(int32_t a, int32_t b, const float scale[3]) {
    float x = scale[0] * (float)a;
    float y = scale[1] * (float)b;
    return (x - y) / scale[2];
}

/* A product with its zero point, of integers less theirs and of weft_product_scale(). Source: ONNX
 * Runtime's QLinearMul. */
static inline float weft_float_product(int32_t product, float factor, int32_t zero) {
    return (float)product * factor + (float)zero;
}

#endif
