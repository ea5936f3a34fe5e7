/* What is drawn at random. */
#ifndef WEFT_COMPILER_TUNE_DRAW_H
#define WEFT_COMPILER_TUNE_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"

struct draw {
    uint64_t state;
};

/* From 0 to count - 1; count from 1 to 2^32. */
static inline int64_t draw_below(struct draw *draw, int64_t count) {
    return (int64_t)((weft_random(&draw->state) >> 32) * (uint64_t)count >> 32);
}

/* From 0 up to, but not including, 1. */
static inline double draw_part(struct draw *draw) {
    return (double)(weft_random(&draw->state) >> 11) * 0x1p-53;
}

static inline bool draw_one_in(struct draw *draw, int64_t count) {
    return draw_below(draw, count) == 0;
}

#endif
