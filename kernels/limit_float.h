/* Limits of floats; used in kernels/ alone. */
#ifndef WEFT_KERNELS_LIMIT_FLOAT_H
#define WEFT_KERNELS_LIMIT_FLOAT_H

#include <float.h>

/* Operators that an activation can be fused to are limited even where none is: the reference turns
 * infinities into the largest finite numbers. */
static inline float limit_to_finite(float value) {
    return value > FLT_MAX ? FLT_MAX : value < -FLT_MAX ? -FLT_MAX : value;
}

#endif
