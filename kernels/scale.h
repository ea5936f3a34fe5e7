/* Results in the steps of their type; used in kernels/ alone. */
#ifndef WEFT_KERNELS_SCALE_H
#define WEFT_KERNELS_SCALE_H

#include "base/fixed_point.h"
#include "base/integer.h"
#include "kernels/kernel.h"

/* value * factor, gemmlowp's two roundings. */
static inline int32_t scale_by(int32_t value, struct weft_factor factor) {
    return weft_scale_gemmlowp(value, factor.multiplier, factor.shift);
}

/* The zero point added, limited to the type. */
static inline int32_t saturate(enum weft_dtype dtype, int32_t zero, int64_t value) {
    return (int32_t)weft_clamp(value + zero, weft_dtype_min(dtype), weft_dtype_max(dtype));
}

#endif
