/* Little-endian access to byte arrays at any alignment. */
#ifndef WEFT_BASE_BYTES_H
#define WEFT_BASE_BYTES_H

#include <stdint.h>

static inline uint32_t weft_read_u32(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static inline int32_t weft_read_i32(const uint8_t *bytes) {
    return (int32_t)weft_read_u32(bytes);
}

static inline uint64_t weft_read_u64(const uint8_t *bytes) {
    return (uint64_t)weft_read_u32(bytes) | (uint64_t)weft_read_u32(bytes + 4) << 32;
}

static inline void weft_write_u32(uint8_t *bytes, uint32_t value) {
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
    bytes[2] = (uint8_t)(value >> 16);
    bytes[3] = (uint8_t)(value >> 24);
}

static inline void weft_write_u64(uint8_t *bytes, uint64_t value) {
    weft_write_u32(bytes, (uint32_t)value);
    weft_write_u32(bytes + 4, (uint32_t)(value >> 32));
}

#endif
