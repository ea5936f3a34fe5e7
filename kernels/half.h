/* Floats of 16 bits, in integers alone; used in kernels/ alone. */
#ifndef WEFT_KERNELS_HALF_H
#define WEFT_KERNELS_HALF_H

#include <stdint.h>
#include <string.h>

static inline float float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The float32 of a float16. */
static inline float half_to_float(uint32_t half) {
    uint32_t sign = (half & 0x8000) << 16;
    uint32_t exponent = half >> 10 & 0x1f;
    uint32_t fraction = half & 0x3ff;
    if (exponent == 0x1f) {
        return float_of_bits(sign | 0x7f800000 | fraction << 13);
    }
    if (exponent == 0) { /* subnormal: so many steps of 2^-24 */
        float steps = (float)(int32_t)fraction * 0x1p-24F;
        return sign != 0 ? -steps : steps;
    }
    return float_of_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

/* `bits` divided by 2^shift, to nearest, ties to even; shift 1..31. */
static inline uint32_t half_round(uint32_t bits, uint32_t shift) {
    uint32_t rest = bits & ((UINT32_C(1) << shift) - 1);
    uint32_t half = UINT32_C(1) << (shift - 1);
    uint32_t whole = bits >> shift;
    return whole + (rest > half || (rest == half && (whole & 1) != 0));
}

/* The nearest float16 of a float32, ties to even. */
static inline uint32_t half_of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000;
    uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) {
        return sign | 0x7e00; /* not a number */
    }
    if (magnitude >= 0x47800000) {
        return sign | 0x7c00; /* 2^16 and more */
    }
    if (magnitude >= 0x38800000) { /* 2^-14 and more; a carry leads to the next exponent */
        return sign | half_round(magnitude - (UINT32_C(112) << 23), 13);
    }
    uint32_t exponent = magnitude >> 23;
    return exponent < 101 ? sign /* below half a step */
                          : sign | half_round((magnitude & 0x7fffff) | 0x800000, 126 - exponent);
}

#endif
