/* Coded weights: the form in which LOAD brings them when `units` is not 0.
 *
 * With W the bytes of a beat (memory_width), a unit holds 8 W weights, each less `base` modulo 256
 * and folded (0, -1, 1, -2, ... as 0, 1, 2, 3, ...), in granules of G = max(W / 8, 1) bytes:
 *
 *   a header     a granule, of which the last byte counts: planes - 4 in bits 1:0, head - 1 in 3:2,
 *                whether `more` is 4 and not 2 in 4, granules of the extension in 7:5
 *   the planes   4 to 8 times W bytes: bit i of plane j is bit planes - 1 - j of the code of weight
 *                i (bits of bytes from the lowest up)
 *   the extension
 *
 * A code whose `head` upper bits are all 1 is an escape: with m the value of these bits in their
 * place, it stands for m + (its other bits * 2^more + the next `more` bits of the extension),
 * modulo 256. Any other code stands for itself. 7 planes with head 1 and more 4, which no weight
 * needs, are 8 planes without escapes. Of the extension the first W bytes count; bits after its end
 * are 0.
 *
 * Units follow one another without gaps, the first one with the granule that holds the first byte
 * of the run. With k the beat that the header of a unit lies in, counted from the first of the run,
 * the unit is written if beat k + planes + 1 is one of the run and all of its bytes belong to the
 * run; otherwise it and those behind it are not. So a decoder does nothing but take beats: a unit
 * has at least 4 of them for the 4 cycles in which it is written, 2 W bytes a cycle. */
#ifndef WEFT_ISA_CODING_H
#define WEFT_ISA_CODING_H

#include <stddef.h>
#include <stdint.h>

#include "isa/config.h"

enum {
    WEFT_UNIT_MOST_WEIGHTS = 256, /* with the widest memory */
};

/* How a unit is coded. */
struct weft_unit_coding {
    unsigned planes;
    unsigned head; /* 0: no code is an escape */
    unsigned more;
    unsigned extension; /* granules */
};

/* Weights of a unit. */
static inline uint32_t weft_unit_weights(const struct weft_config *config) {
    return 8 * config->memory_width;
}

/* Bytes of a granule. */
static inline uint32_t weft_granule_bytes(const struct weft_config *config) {
    return config->memory_width <= 8 ? 1 : config->memory_width / 8;
}

/* The coding that takes the fewest bytes for a unit of weights. */
struct weft_unit_coding weft_unit_choose(const struct weft_config *config, const uint8_t *weights,
                                         uint8_t base);

/* Bytes of a unit, with its header. */
uint32_t weft_unit_bytes(const struct weft_config *config, const struct weft_unit_coding *coding);

/* Writes weft_unit_bytes() bytes, which must be zero before. */
void weft_unit_encode(const struct weft_config *config, const struct weft_unit_coding *coding,
                      const uint8_t *weights, uint8_t base, uint8_t *bytes);

/* The address at which a run has to end at least so that a unit is written, whose header begins at
 * `address`. */
uint64_t weft_unit_run_end(const struct weft_config *config, const struct weft_unit_coding *coding,
                           uint64_t address);

/* Decodes the run of bytes that begins at region + address into `weights`, 8 W for each unit;
 * returns how many units it wrote. */
uint32_t weft_units_decode(const struct weft_config *config, const uint8_t *region,
                           uint64_t address, uint32_t run, uint32_t units, uint8_t base,
                           uint8_t *weights);

#endif
