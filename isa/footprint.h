/* What an instruction touches: the one description of addresses that the bounds check of the
 * machine, the verifier and the compiler's dependence analysis share. */
#ifndef WEFT_ISA_FOOTPRINT_H
#define WEFT_ISA_FOOTPRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/config.h"
#include "isa/isa.h"

enum {
    WEFT_ACCESS_LEVELS = 7,
    WEFT_MAX_ACCESSES = 4,
    /* `memory` of an access to external memory */
    WEFT_EXTERNAL = WEFT_MEMORIES,
};

/* The bytes base + sum(i[k] * stride[k]) + [0, span) for all 0 <= i[k] < count[k]. Addresses are
 * bytes in the memory or region; nothing is said about the order. */
struct weft_access {
    uint32_t memory; /* enum weft_memory or WEFT_EXTERNAL */
    uint32_t region; /* WEFT_EXTERNAL: which one */
    bool write;      /* read otherwise; ACC of MATRIX is read and written */
    int64_t base;
    int64_t span;
    unsigned levels;
    int64_t count[WEFT_ACCESS_LEVELS]; /* outermost first, each at least 1 */
    int64_t stride[WEFT_ACCESS_LEVELS];
};

struct weft_footprint {
    unsigned count;
    struct weft_access access[WEFT_MAX_ACCESSES];
};

/* What a VECTOR of a function reads; bits of a mask. */
enum weft_vector_reads {
    WEFT_READS_ACC = 1 << 0,     /* operand a: entries of ACC */
    WEFT_READS_A = 1 << 1,       /* operand a: lines of ACT */
    WEFT_READS_B = 1 << 2,       /* operand b: lines of ACT */
    WEFT_READS_WINDOW = 1 << 3,  /* operand a: a window of lines for each result */
    WEFT_READS_REQUANT = 1 << 4, /* a record of PAR for each channel block */
    WEFT_READS_SUM = 1 << 5,     /* one record of PAR */
    WEFT_READS_LUT = 1 << 6,     /* the tables */
};
unsigned weft_vector_reads(uint32_t function);

/* Does a LOAD decode weights? It has one run. */
static inline bool weft_load_is_coded(const struct weft_load_fields *load) {
    return load->memory == WEFT_TARGET_WGT && load->units != 0;
}

/* The accesses of an instruction that passes weft_instruction_check(); none for FENCE and HALT. No
 * sum of its strides overflows: fields are at most 32 bits wide. */
struct weft_footprint weft_footprint_of(const struct weft_config *config,
                                        const struct weft_instruction *instruction);

/* The lowest byte and one past the highest byte of an access. */
void weft_access_extent(const struct weft_access *access, int64_t *low, int64_t *high);

/* The banks that an access to an on-chip memory touches, as a mask. The access must lie inside the
 * memory. Exact, except that an access with more than 4096 jumps between banks counts as one range.
 */
uint32_t weft_access_banks(const struct weft_config *config, const struct weft_access *access);

/* The banks that an instruction touches, for each memory. */
void weft_footprint_banks(const struct weft_config *config, const struct weft_footprint *footprint,
                          uint32_t banks[WEFT_MEMORIES]);

/* True when every access lies inside its memory, and inside the `limits` (bytes of each region)
 * where it is external. *outside (may be NULL) is set to the first that does not. */
bool weft_footprint_inside(const struct weft_config *config, const struct weft_footprint *footprint,
                           const uint64_t limits[WEFT_REGIONS], const struct weft_access **outside);

/* The name of the memory of an access ("act", ..., "external"). */
const char *weft_access_name(const struct weft_access *access);

/* True when two accesses to the same memory or region have a byte in common. Exact, unless it takes
 * more than a million steps to find out; then the answer is true. Adds the steps to *steps, which
 * may be NULL. */
bool weft_access_overlap(const struct weft_access *a, const struct weft_access *b, uint64_t *steps);

#endif
