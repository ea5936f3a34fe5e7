/* Small integer helpers that every part of Weft needs. */
#ifndef WEFT_BASE_INTEGER_H
#define WEFT_BASE_INTEGER_H

#include <stdbool.h>
#include <stdint.h>

static inline int64_t weft_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int64_t weft_max(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* For qsort(): negative, 0 or positive as a is less than, equal to or greater than b. */
static inline int weft_compare_u64(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

static inline uint64_t weft_min_u64(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static inline uint64_t weft_max_u64(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static inline int64_t weft_clamp(int64_t value, int64_t low, int64_t high) {
    return value < low ? low : value > high ? high : value;
}

/* a / b rounded towards plus infinity; a >= 0, b > 0. */
static inline int64_t weft_ceil_div(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

/* a / b rounded towards minus infinity; b > 0. */
static inline int64_t weft_floor_div(int64_t a, int64_t b) {
    return a >= 0 ? a / b : -weft_ceil_div(-a, b);
}

/* The smallest multiple of b that is >= a; a >= 0, b > 0. */
static inline int64_t weft_round_up(int64_t a, int64_t b) {
    return weft_ceil_div(a, b) * b;
}

static inline bool weft_is_power_of_two(uint64_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

/* A mask of the `width` lowest bits; width 0..64. */
static inline uint64_t weft_low_bits(unsigned width) {
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

#endif
