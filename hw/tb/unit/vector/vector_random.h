/* Random VECTOR instructions and parameters for them. */
#ifndef WEFT_HW_TB_UNIT_VECTOR_VECTOR_RANDOM_H
#define WEFT_HW_TB_UNIT_VECTOR_VECTOR_RANDOM_H

#include <cstdint>

extern "C" {
#include "isa/isa.h"
#include "sim/exec/exec.h"
}

/* An instruction of any function that the verifier accepts; now and then one whose fields it would
 * reject, but which the machine runs all the same. */
struct weft_instruction vector_random(uint64_t *seed, const struct weft_config *config);

/* Fills PAR with records as a compiler writes them, or extreme, among random bytes; LUT with
 * exponentials of random size. */
void vector_random_records(uint64_t *seed, struct weft_state *state);

#endif
