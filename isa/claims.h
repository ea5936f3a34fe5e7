/* What an instruction owns from its start to its finish: banks, and ports of the RAMs of ACT. Two
 * instructions of different units never own the same. */
#ifndef WEFT_ISA_CLAIMS_H
#define WEFT_ISA_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/config.h"
#include "isa/footprint.h"
#include "isa/isa.h"

/* Kinds of claims: the banks of each memory (enum weft_memory), then the read and the write ports
 * of the RAMs that the banks of ACT lie in. */
enum {
    WEFT_CLAIM_ACT_READ = WEFT_MEMORIES,
    WEFT_CLAIM_ACT_WRITE,
    WEFT_CLAIMS
};

/* What stands in front of the word bank: "act", ..., "the read port of act". */
const char *weft_claim_name(size_t kind);

/* How many bits the masks of a kind of claims have. */
uint32_t weft_claim_bits(const struct weft_config *config, unsigned kind);

/* The first bank of each RAM of ACT. */
uint32_t weft_act_ram_heads(const struct weft_config *config);

/* All banks of ACT that lie in one RAM with one of `banks`. */
uint32_t weft_act_neighbours(const struct weft_config *config, uint32_t banks);

/* The claims of an instruction that the configuration takes (weft_config_takes()), a mask for each
 * kind: its own masks; and for ports all banks that lie in the RAMs of its ACT banks, if it reads
 * ACT (MATRIX, STORE, VECTOR) or writes it (LOAD and FILL, whatever the memory, and VECTOR). VECTOR
 * says which of its banks it only reads, and whether it only writes the others.
 */
void weft_claims_of(const struct weft_config *config, const struct weft_instruction *instruction,
                    uint32_t claims[WEFT_CLAIMS]);

/* Says so in a VECTOR whose accesses are `footprint`. Other instructions stay as they are. */
void weft_claims_tell_apart(const struct weft_config *config,
                            const struct weft_footprint *footprint,
                            struct weft_instruction *instruction);

/* The same, and gives the instruction the banks that its accesses touch. */
void weft_claims_give(const struct weft_config *config, const struct weft_footprint *footprint,
                      struct weft_instruction *instruction);

/* Do two of different units own something at once? */
bool weft_claims_meet(const uint32_t a[WEFT_CLAIMS], const uint32_t b[WEFT_CLAIMS]);

#endif
