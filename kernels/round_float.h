/* Rounding of floats; used in kernels/ alone. */
#ifndef WEFT_KERNELS_ROUND_FLOAT_H
#define WEFT_KERNELS_ROUND_FLOAT_H

#include <math.h>
#include <stdbool.h>

/* To nearest, ties to even: by halves of the number rounded down. Source: TFLite's
 * RoundToNearest(). */
static inline float round_to_even(float x) {
    float below = floorf(x);
    float rest = x - below;
    bool even = floorf(below / 2.0F) * 2.0F == below;
    return rest < 0.5F || (rest == 0.5F && even) ? below : below + 1.0F;
}

#endif
