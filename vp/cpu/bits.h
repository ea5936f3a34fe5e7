/* Fields of instructions. */
#ifndef WEFT_VP_CPU_BITS_H
#define WEFT_VP_CPU_BITS_H

#include <stdint.h>

/* `count` bits of a word from `low` on, moved to `to`; count 1 to 31. */
static inline uint32_t bits_to(uint32_t word, uint32_t low, uint32_t count, uint32_t to) {
    return (word >> low & ((UINT32_C(1) << count) - 1)) << to;
}

/* A value of so many bits, its last one the sign; the bits above are 0. */
static inline uint32_t sign_extend(uint32_t value, uint32_t bits) {
    const uint32_t sign = UINT32_C(1) << (bits - 1);
    return (value ^ sign) - sign;
}

#endif
