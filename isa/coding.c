#include "isa/coding.h"

#include <limits.h>
#include <string.h>

#include "base/bytes.h"
#include "base/integer.h"

enum {
    LEAST_PLANES = 4,
    MOST_PLANES = 7, /* with escapes */
    MOST_HEAD = 4,
    RAW_PLANES = 8,
    MOST_GRANULES = 7,
    MOST_BEAT = WEFT_UNIT_MOST_WEIGHTS / 8, /* bytes of memory_width */
};

static const struct weft_unit_coding raw = {.planes = RAW_PLANES};

/* ---- weights and their folded differences ---- */

static uint8_t fold(uint8_t weight, uint8_t base) {
    unsigned value = (uint8_t)(weight - base);
    return (uint8_t)(value << 1 ^ (value >= 128 ? 255U : 0));
}

static uint8_t unfold(unsigned folded, uint8_t base) {
    return (uint8_t)((folded >> 1 ^ ((folded & 1) != 0 ? 255U : 0)) + base);
}

/* The first value that is an escape: its head, in its place. */
static unsigned first_escape(const struct weft_unit_coding *coding) {
    return (1U << coding->planes) - (1U << (coding->planes - coding->head));
}

/* ---- the smallest coding ---- */

enum {
    FIRST_ESCAPES =
        (MOST_PLANES - LEAST_PLANES + 1) * MOST_HEAD /* values where escapes may begin */
};

/* How many of these values are at most `folded`, which with `planes` bits are those whose upper
 * bits are 1, from 1 to 4 of them. */
#define TWICE(rank)    rank, rank
#define TIMES_4(rank)  TWICE(rank), TWICE(rank)
#define TIMES_8(rank)  TIMES_4(rank), TIMES_4(rank)
#define TIMES_16(rank) TIMES_8(rank), TIMES_8(rank)
#define TIMES_32(rank) TIMES_16(rank), TIMES_16(rank)
static const uint8_t ranks[256] = {
    TIMES_8(0),   TIMES_4(1),   TWICE(2),     3,           4,           TIMES_8(5),
    TIMES_4(6),   TWICE(7),     TWICE(8),     TIMES_16(9), TIMES_8(10), TIMES_4(11),
    TIMES_4(12),  TIMES_32(13), TIMES_16(14), TIMES_8(15), TIMES_8(16), TIMES_32(16),
    TIMES_32(16), TIMES_32(16), TIMES_32(16),
};
_Static_assert(FIRST_ESCAPES == 16, "the rank of values that always are escapes");

/* What a unit's coding hangs on: its largest value, and how many are at least that of each rank. */
struct values {
    unsigned most;
    uint32_t from[FIRST_ESCAPES + 1];
};

static void count_values(const uint8_t *weights, uint32_t count, uint8_t base,
                         struct values *values) {
    /* Each in its own counters, which would wait for each other: units are multiples of 4. */
    uint32_t counted[4][FIRST_ESCAPES + 1] = {{0}};
    uint8_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t folded = fold(weights[i], base);
        most = folded > most ? folded : most;
    }
    values->most = most;
    for (uint32_t i = 0; i < count; i += 4) {
        for (uint32_t k = 0; k < 4; k++) {
            counted[k][ranks[fold(weights[i + k], base)]]++;
        }
    }
    for (unsigned rank = 0; rank <= FIRST_ESCAPES; rank++) {
        values->from[rank] =
            counted[0][rank] + counted[1][rank] + counted[2][rank] + counted[3][rank];
    }
    for (unsigned rank = FIRST_ESCAPES; rank > 0; rank--) {
        values->from[rank - 1] += values->from[rank];
    }
}

/* Sets the granules of the extension; false if the coding cannot say the values. */
static bool fits(const struct weft_config *config, const struct values *values,
                 struct weft_unit_coding *coding) {
    unsigned first = first_escape(coding);
    if (values->most >= first + (1U << (coding->planes - coding->head + coding->more)) ||
        (coding->planes == MOST_PLANES && coding->head == 1 && coding->more == 4)) {
        return false;
    }
    uint32_t granule = 8 * weft_granule_bytes(config);
    uint32_t bits = coding->more * values->from[ranks[first]];
    coding->extension = (bits + granule - 1) / granule;
    return coding->extension <= MOST_GRANULES && bits <= 8 * config->memory_width;
}

struct weft_unit_coding weft_unit_choose(const struct weft_config *config, const uint8_t *weights,
                                         uint8_t base) {
    struct values values;
    count_values(weights, weft_unit_weights(config), base, &values);
    struct weft_unit_coding best = raw;
    uint32_t least = LEAST_PLANES * config->memory_width + weft_granule_bytes(config);
    for (unsigned planes = LEAST_PLANES;
         planes <= MOST_PLANES && least < weft_unit_bytes(config, &best);
         planes++, least += config->memory_width) {
        for (unsigned head = 1; head <= MOST_HEAD; head++) {
            for (unsigned more = 2; more <= 4; more += 2) {
                struct weft_unit_coding coding = {planes, head, more, 0};
                if (fits(config, &values, &coding) &&
                    weft_unit_bytes(config, &coding) < weft_unit_bytes(config, &best)) {
                    best = coding;
                }
            }
        }
    }
    return best;
}

uint32_t weft_unit_bytes(const struct weft_config *config, const struct weft_unit_coding *coding) {
    return coding->planes * config->memory_width +
           (1 + coding->extension) * weft_granule_bytes(config);
}

uint64_t weft_unit_run_end(const struct weft_config *config, const struct weft_unit_coding *coding,
                           uint64_t address) {
    return (address / config->memory_width + coding->planes + 2) * config->memory_width;
}

/* ---- bits ---- */

static const uint64_t ones = UINT64_MAX / 255; /* 1 in every byte */

static void set_bit(uint8_t *bytes, uint32_t bit, unsigned value) {
    bytes[bit / 8] = (uint8_t)(bytes[bit / 8] | value << (bit % 8));
}

static uint8_t header_of(const struct weft_unit_coding *coding) {
    struct weft_unit_coding shown = *coding;
    if (coding->head == 0) {
        shown = (struct weft_unit_coding){MOST_PLANES, 1, 4, coding->extension};
    }
    return (uint8_t)((shown.planes - LEAST_PLANES) | (shown.head - 1) << 2 |
                     (shown.more == 4 ? 1U : 0) << 4 | shown.extension << 5);
}

static struct weft_unit_coding coding_of(uint8_t header) {
    struct weft_unit_coding coding = {.planes = LEAST_PLANES + (header & 3U),
                                      .head = 1 + (header >> 2 & 3U),
                                      .more = (header >> 4 & 1U) != 0 ? 4 : 2,
                                      .extension = header >> 5};
    if (coding.planes == MOST_PLANES && coding.head == 1 && coding.more == 4) {
        coding.planes = RAW_PLANES;
        coding.head = 0;
    }
    return coding;
}

/* ---- to and from bytes ---- */

/* The codes of a unit; what those that are escapes do not say goes to the extension. */
static void encode_values(const struct weft_unit_coding *coding, const uint8_t *weights,
                          uint32_t count, uint8_t base, uint8_t *codes, uint8_t *extension) {
    unsigned first = coding->head == 0 ? 256 : first_escape(coding);
    uint32_t used = 0; /* bits of the extension */
    for (uint32_t i = 0; i < count; i++) {
        unsigned code = fold(weights[i], base);
        if (code >= first) {
            unsigned rest = code - first;
            code = first + (rest >> coding->more);
            for (unsigned b = 0; b < coding->more; b++) {
                set_bit(extension, used++, rest >> b & 1U);
            }
        }
        codes[i] = (uint8_t)code;
    }
}

/* Bit i of the result is bit 0 of byte i; bytes are 0 or 1. */
static uint8_t gather(uint64_t bytes) {
    return (uint8_t)(bytes * UINT64_C(0x0102040810204080) >> 56);
}

void weft_unit_encode(const struct weft_config *config, const struct weft_unit_coding *coding,
                      const uint8_t *weights, uint8_t base, uint8_t *bytes) {
    uint32_t width = config->memory_width;
    uint32_t granule = weft_granule_bytes(config);
    uint8_t *planes = bytes + granule;
    uint8_t codes[WEFT_UNIT_MOST_WEIGHTS];
    bytes[granule - 1] = header_of(coding);
    encode_values(coding, weights, 8 * width, base, codes, planes + coding->planes * width);
    for (uint32_t i = 0; i < width; i++) {
        uint64_t eight = weft_read_u64(codes + 8 * (size_t)i);
        for (unsigned j = 0; j < coding->planes; j++) {
            planes[j * width + i] = gather(eight >> (coding->planes - 1 - j) & ones);
        }
    }
}

/* Byte i of the result is bit i. */
static uint64_t spread(uint8_t bits) {
    const uint64_t diagonal = UINT64_C(0x8040201008040201);
    return ((ones * bits & diagonal) + ones * 0x7f) >> 7 & ones;
}

/* The codes of a unit, a byte each, eight at once. */
static void decode_planes(const uint8_t *planes, unsigned count, uint32_t width, uint8_t *codes) {
    for (uint32_t i = 0; i < width; i++) {
        uint64_t eight = 0;
        for (unsigned j = 0; j < count; j++) {
            eight = eight << 1 | spread(planes[j * width + i]);
        }
        weft_write_u64(codes + 8 * (size_t)i, eight);
    }
}

/* Nearly every run of codes has some escapes and no pattern: without branches. Bits that the
 * extension, of `bytes` bytes, does not have are 0. */
static void decode_escapes(const struct weft_unit_coding *coding, const uint8_t *extension,
                           uint32_t bytes, uint32_t count, uint8_t *codes) {
    uint8_t padded[MOST_BEAT + 2] = {0};
    memcpy(padded, extension, bytes);
    unsigned first = first_escape(coding);
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = used / 8 < bytes ? used / 8 : bytes;
        unsigned next = (padded[at] | (unsigned)padded[at + 1] << 8) >> used % 8;
        next &= (1U << coding->more) - 1;
        unsigned code = codes[i];
        unsigned escaped = first + ((code - first) << coding->more) + next;
        unsigned escapes = code >= first ? UINT_MAX : 0;
        codes[i] = (uint8_t)(code ^ ((code ^ escaped) & escapes));
        used += coding->more & escapes;
    }
}

static void decode_unit(const struct weft_config *config, const struct weft_unit_coding *coding,
                        const uint8_t *planes, uint8_t base, uint8_t *weights) {
    uint32_t width = config->memory_width;
    uint32_t count = 8 * width;
    decode_planes(planes, coding->planes, width, weights);
    if (coding->head != 0) {
        uint32_t bytes = (uint32_t)weft_min(coding->extension * weft_granule_bytes(config), width);
        decode_escapes(coding, planes + coding->planes * width, bytes, count, weights);
    }
    for (uint32_t i = 0; i < count; i++) {
        weights[i] = unfold(weights[i], base);
    }
}

uint32_t weft_units_decode(const struct weft_config *config, const uint8_t *region,
                           uint64_t address, uint32_t run, uint32_t units, uint8_t base,
                           uint8_t *weights) {
    uint32_t granule = weft_granule_bytes(config);
    uint64_t end = address + run;
    uint64_t at = address / granule * granule; /* of the header's granule */
    for (uint32_t i = 0; i < units; i++) {
        if (at + granule > end) {
            return i;
        }
        struct weft_unit_coding coding = coding_of(region[at + granule - 1]);
        if (weft_unit_run_end(config, &coding, at) > end) {
            return i;
        }
        decode_unit(config, &coding, region + at + granule, base, weights);
        weights += weft_unit_weights(config);
        at += weft_unit_bytes(config, &coding);
    }
    return units;
}
