#include "base/bytes.h"
#include "firmware/weft_firmware.h"

/* What a byte in the lowest bits adds once it is shifted out: entry 16 * h + l is that of the bits
 * of h plus that of the bits of l. */
#define ENTRIES(high)                                                                              \
    (high), (high) ^ 0x77073096, (high) ^ 0xee0e612c, (high) ^ 0x990951ba, (high) ^ 0x076dc419,    \
        (high) ^ 0x706af48f, (high) ^ 0xe963a535, (high) ^ 0x9e6495a3, (high) ^ 0x0edb8832,        \
        (high) ^ 0x79dcb8a4, (high) ^ 0xe0d5e91e, (high) ^ 0x97d2d988, (high) ^ 0x09b64c2b,        \
        (high) ^ 0x7eb17cbd, (high) ^ 0xe7b82d07, (high) ^ 0x90bf1d91

static const uint32_t table[256] = {
    ENTRIES(0x00000000), ENTRIES(0x1db71064), ENTRIES(0x3b6e20c8), ENTRIES(0x26d930ac),
    ENTRIES(0x76dc4190), ENTRIES(0x6b6b51f4), ENTRIES(0x4db26158), ENTRIES(0x5005713c),
    ENTRIES(0xedb88320), ENTRIES(0xf00f9344), ENTRIES(0xd6d6a3e8), ENTRIES(0xcb61b38c),
    ENTRIES(0x9b64c2b0), ENTRIES(0x86d3d2d4), ENTRIES(0xa00ae278), ENTRIES(0xbdbdf21c)};

__attribute__((always_inline)) static inline uint32_t shift_out(uint32_t crc) {
    return crc >> 8 ^ table[crc & 0xff];
}

uint32_t weft_crc32(uint32_t crc, const void *data, size_t length) {
    const uint8_t *bytes = data;
    crc = ~crc;
    /* Words, which models and most buffers are made of, take half the time of their bytes. */
    for (; length >= 4 && (uintptr_t)bytes % 4 == 0; bytes += 4, length -= 4) {
        crc ^= weft_read_u32(__builtin_assume_aligned(bytes, 4));
        crc = shift_out(shift_out(shift_out(shift_out(crc))));
    }
    for (; length > 0; bytes++, length--) {
        crc = shift_out(crc ^ *bytes);
    }
    return ~crc;
}
