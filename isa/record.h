/* Records of REQUANT in PAR, one for each channel block, little-endian. There are three forms:
 *
 * Biases alone: 4 lines of int32 biases. Multiplier and shift are the instruction's.
 *
 * Per channel: 4 lines of int32 biases, 4 of int32 multipliers, 1 of int8 shifts, of which 6 bits
 * count.
 *
 * Short, for channels too: 3 lines of 24-bit words, 4 lines of 32-bit words. The lower 23 bits of
 * the former are the bias, with sign. The lower 30 of the latter are the multiplier below its bit
 * 30, which is 1: it is one from 2^30 to 2^31 - 1. Bits 30 and 31 of the latter and bit 23 of the
 * former, in this order from the lowest, are what is added to the instruction's shift, modulo 64.
 */
#ifndef WEFT_ISA_RECORD_H
#define WEFT_ISA_RECORD_H

#include "base/bytes.h"
#include "base/fixed_point.h"
#include "isa/isa.h"

enum {
    WEFT_SHORT_BIAS_BITS = 23,
    WEFT_SHORT_SHIFTS = 8 /* different shifts of one record */
};

/* What a lane is scaled by. */
struct weft_lane_scaling {
    int32_t bias;
    int32_t multiplier;
    int shift;
};

/* PAR lines of a record. */
static inline uint32_t weft_record_lines(bool per_channel, bool is_short) {
    return !per_channel ? 4 : is_short ? 7 : 9;
}

static inline uint32_t weft_vector_record_lines(const struct weft_vector_fields *requant) {
    return weft_record_lines(requant->per_channel != 0, requant->short_records != 0);
}

/* Lane `lane` of the B of a record. */
static inline struct weft_lane_scaling weft_record_read(const struct weft_vector_fields *requant,
                                                        const uint8_t *record, uint32_t block,
                                                        uint32_t lane) {
    struct weft_lane_scaling scaling = {.bias = 0,
                                        .multiplier = (int32_t)requant->multiplier,
                                        .shift = weft_shift_of(requant->shift)};
    if (requant->per_channel != 0 && requant->short_records != 0) {
        uint32_t word = weft_read_u32(record + 3 * block + 4 * lane);
        const uint8_t *bytes = record + 3 * lane;
        uint32_t bias = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
        uint32_t above = word >> 30 | bias >> WEFT_SHORT_BIAS_BITS << 2;
        uint32_t sign = UINT32_C(1) << (WEFT_SHORT_BIAS_BITS - 1);
        scaling.bias = (int32_t)(((bias & (2 * sign - 1)) ^ sign) - sign);
        scaling.multiplier = (int32_t)((word & 0x3fffffff) | 0x40000000);
        scaling.shift = weft_shift_of(requant->shift + (int32_t)above);
        return scaling;
    }
    scaling.bias = weft_read_i32(record + 4 * lane);
    if (requant->per_channel != 0) {
        scaling.multiplier = weft_read_i32(record + 4 * (block + lane));
        scaling.shift = weft_shift_of(record[8 * block + lane]);
    }
    return scaling;
}

/* Writes a lane of a record of biases alone, */
static inline void weft_record_write_bias(uint8_t *record, uint32_t lane, int32_t bias) {
    weft_write_u32(record + 4 * lane, (uint32_t)bias);
}

/* of one per channel, */
static inline void weft_record_write(uint8_t *record, uint32_t block, uint32_t lane,
                                     const struct weft_lane_scaling *scaling) {
    weft_record_write_bias(record, lane, scaling->bias);
    weft_write_u32(record + 4 * (block + lane), (uint32_t)scaling->multiplier);
    record[8 * block + lane] = (uint8_t)scaling->shift;
}

/* Does a short record whose instruction has shift `least` hold it? */
static inline bool weft_is_short(const struct weft_lane_scaling *scaling, int least) {
    const int32_t most = (1 << (WEFT_SHORT_BIAS_BITS - 1)) - 1;
    return scaling->bias >= -most - 1 && scaling->bias <= most && scaling->multiplier >= 1 << 30 &&
           scaling->shift >= least && scaling->shift < least + WEFT_SHORT_SHIFTS;
}

/* and of a short one, which weft_is_short() says that it holds. */
static inline void weft_record_write_short(uint8_t *record, uint32_t block, uint32_t lane,
                                           const struct weft_lane_scaling *scaling, int least) {
    uint32_t above = (uint32_t)(scaling->shift - least);
    uint32_t bias = (uint32_t)scaling->bias & ((UINT32_C(1) << WEFT_SHORT_BIAS_BITS) - 1);
    bias |= above >> 2 << WEFT_SHORT_BIAS_BITS;
    uint8_t *bytes = record + 3 * lane;
    bytes[0] = (uint8_t)bias;
    bytes[1] = (uint8_t)(bias >> 8);
    bytes[2] = (uint8_t)(bias >> 16);
    weft_write_u32(record + 3 * block + 4 * lane,
                   ((uint32_t)scaling->multiplier & 0x3fffffff) | above << 30);
}

#endif
