/* gemmlowp's exponential and reciprocal in fixed point; used in kernels/ alone.
 *
 * A number of type Qm is an int32 with m integer bits: raw / 2^(31 - m). Products round as
 * weft_high_mul() does. */
#ifndef WEFT_KERNELS_EXPONENTIAL_H
#define WEFT_KERNELS_EXPONENTIAL_H

#include <stdint.h>

/* value * 2^exponent, saturated. */
static inline int32_t fixed_shift_left(int32_t value, int exponent) {
    int32_t shifted = (int32_t)((uint32_t)value << exponent);
    return shifted >> exponent == value ? shifted : value < 0 ? INT32_MIN : INT32_MAX;
}

/* weft_high_mul(), as a call: firmware has it once. */
int32_t weft_fixed_product(int32_t a, int32_t b);

/* exp(a) for a <= 0 in Q5; the result is Q0. */
int32_t weft_fixed_exp_on_negative(int32_t a);

/* 1 / (1 + a) for a in [0, 1), both Q0. */
int32_t weft_fixed_reciprocal_of_one_plus(int32_t a);

#endif
