#include <math.h>
#include <stdbool.h>

#include "base/float_element.h"
#include "kernels/activation.h"
#include "kernels/map_float.h"

static float absolute(float x) {
    return __builtin_fabsf(x);
}

MAP_KERNEL(abs_float, absolute)

static float negate(float x) {
    return -x;
}

MAP_KERNEL(negate_float, negate)

static float sign(float x) {
    return x > 0.0F ? 1.0F : x < 0.0F ? -1.0F : x == 0.0F ? 0.0F : x;
}

MAP_KERNEL(sign_float, sign)

MAP_KERNEL(exp, expf)

MAP_KERNEL(log, logf)

MAP_KERNEL(erf, erff)

/* The larger part is taken out, so that nothing overflows. */
static float softplus(float x) {
    return (x > 0.0F ? x : 0.0F) + log1pf(expf(-__builtin_fabsf(x)));
}

MAP_KERNEL(softplus, softplus)

MAP_KERNEL(sqrt, sqrtf)

static float rsqrt(float x) {
    return 1.0F / sqrtf(x);
}

MAP_KERNEL(rsqrt, rsqrt)

static float square(float x) {
    return x * x;
}

MAP_KERNEL(square, square)

MAP_KERNEL(sin, sinf)

MAP_KERNEL(cos, cosf)

MAP_KERNEL(ceil, ceilf)

MAP_KERNEL(floor, floorf)

MAP_KERNEL(round, weft_round_to_even)

static float elu(float x) {
    return x < 0.0F ? expm1f(x) : x;
}

MAP_KERNEL(elu, elu)
