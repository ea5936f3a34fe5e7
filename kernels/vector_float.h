/* Functions of floats as Eigen computes them, which the reference uses for vectors: the
 * polynomials, their coefficients and the order of every operation are Eigen's, for processors that
 * take four floats at once. Used in kernels/ alone. */
#ifndef WEFT_KERNELS_VECTOR_FLOAT_H
#define WEFT_KERNELS_VECTOR_FLOAT_H

#include <math.h>
#include <string.h>

#include "kernels/kernel.h"

enum {
    VECTOR_LANES = 4 /* floats that are taken at once; what is left over is taken one by one */
};

/* The polynomial of these coefficients, highest power first. */
static inline float polynomial(float x, const float *coefficient, int count) {
    float sum = coefficient[0];
    for (int i = 1; i < count; i++) {
        sum = sum * x + coefficient[i];
    }
    return sum;
}

/* 2^exponent for -126 to 127. */
static inline float power_of_two(int32_t exponent) {
    uint32_t bits = (uint32_t)(exponent + 127) << 23;
    float power = 0.0F;
    memcpy(&power, &bits, sizeof power);
    return power;
}

static inline float vector_tanh(float x) {
    static const float p[] = {1.394553628e-8F, 2.102733560e-5F, 3.520756727e-3F, 1.340216100e-1F};
    static const float q[] = {8.015776984e-7F, 3.326951409e-4F, 2.597254514e-2F, 4.673548340e-1F,
                              1.0F};
    const float limit = 7.90738964080810547F;
    x = x > limit ? limit : x < -limit ? -limit : x;
    float square = x * x;
    return (square * x * polynomial(square, p, 4) + x) / polynomial(square, q, 5);
}

/* x from which on the logistic function is 1. */
#define LOGISTIC_LIMIT 16.6355324F

/* exp(x) / (1 + exp(x)) with the square of exp(x / 2). */
static inline float vector_logistic(float x) {
    static const float even[] = {4.1898667812347412109375e-2F, 0.49999141693115234375F};
    static const float odd[] = {8.33471305668354034423828125e-3F, 0.16666877269744873046875F};
    if (x < -104.0F) {
        return 0.0F;
    }
    float half = (x < LOGISTIC_LIMIT ? x : LOGISTIC_LIMIT) * 0.5F;
    float whole = floorf(half * 1.44269504088896341F + 0.5F);
    float r = whole * 2.12194440e-4F + (whole * -0.693359375F + half);
    float square = r * r;
    float sum =
        square * (r * polynomial(square, odd, 2) + polynomial(square, even, 2)) + (r + 1.0F);
    float root = sum * power_of_two((int32_t)whole);
    float e = root * root;
    return e / (1.0F + e);
}

/* The same of one element that is left over. */
static inline float single_logistic(float x) {
    float e = expf(x < LOGISTIC_LIMIT ? x : LOGISTIC_LIMIT);
    return e / (1.0F + e);
}

#endif
