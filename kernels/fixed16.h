/* gemmlowp's functions of 16-bit fixed point; used in kernels/ alone. A number of type Qm is an
 * int16 with m integer bits. */
#ifndef WEFT_KERNELS_FIXED16_H
#define WEFT_KERNELS_FIXED16_H

#include <stdint.h>

/* 1 / (1 + exp(-a)) of Q3; the result is Q0. */
int16_t weft_fixed16_logistic(int16_t a);

/* The hyperbolic tangent of a number with 0 to 6 integer bits; the result is Q0. */
int16_t weft_fixed16_tanh(int16_t a, int integer_bits);

#endif
