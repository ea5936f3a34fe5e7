/* What the writer and the reader of sim/trace/raw.h share. */
#ifndef WEFT_SIM_TRACE_RAW_FORMAT_H
#define WEFT_SIM_TRACE_RAW_FORMAT_H

#include "sim/trace/raw.h"

enum {
    RAW_MAGIC_BYTES = 8,
    RAW_VERSION = 3,
    RAW_HEADER_BYTES = RAW_MAGIC_BYTES + 16,
};

#define RAW_MAGIC "WTRC\r\n\x1a\n"

/* Where the bursts of a master are expected to go on. */
struct raw_expected {
    uint64_t address;
    uint32_t number;
};

/* A signed difference as an unsigned number, small when the difference is: 0, -1, 1, -2, ... */
static inline uint64_t raw_fold(uint64_t difference) {
    return (difference << 1) ^ (0 - (difference >> 63));
}

static inline uint64_t raw_unfold(uint64_t folded) {
    return (folded >> 1) ^ (0 - (folded & 1));
}

#endif
