/* Functions of int16 in tables; used in kernels/ alone. */
#ifndef WEFT_KERNELS_LOOK_UP_H
#define WEFT_KERNELS_LOOK_UP_H

#include <stdint.h>

/* Entries are 128 elements apart, from -32768 on; between them the function is a line. The
 * difference of two entries and the result wrap. Source: TFLite's LUTLookup(). */
static inline int32_t look_up(const int16_t table[513], int32_t value) {
    int32_t index = 256 + (value >> 7);
    int32_t slope = (int16_t)(table[index + 1] - table[index]);
    return (int16_t)(table[index] + ((slope * (value & 127) + 64) >> 7));
}

#endif
