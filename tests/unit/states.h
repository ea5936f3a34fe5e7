/* States of the machine to carry instructions out on. */
#ifndef WEFT_TESTS_UNIT_STATES_H
#define WEFT_TESTS_UNIT_STATES_H

#include "sim/exec/exec.h"
#include "tests/unit/helpers.h"

struct weft_state state_of(const struct weft_config *config);

/* Random bytes, with many corners; entries of ACC are often extreme. */
void state_randomise(struct weft_state *state, uint64_t *seed);
/* Copies the on-chip memories of a state of the same configuration. */
void state_copy(struct weft_state *to, const struct weft_state *from);
/* Asserts that the on-chip memories are the same. */
void assert_same_state(const struct weft_state *a, const struct weft_state *b);

/* Carries out the instruction with the plain kernel and with each other one that this host has, on
 * copies of `state`, and asserts that they leave the same bytes. `state` stays as it was. */
void assert_kernels_agree(const struct weft_state *state,
                          const struct weft_instruction *instruction);

/* A value for the base of an access, so that the access lies inside `size` bytes; the base counts
 * `unit` bytes, and `low` and `high` are the extent with a base of 0. -1: there is none. */
int64_t random_base(uint64_t *seed, int64_t low, int64_t high, int64_t size, int64_t unit);

/* Puts the operands of a VECTOR somewhere inside their memories; false when one has no room. */
bool random_vector_places(uint64_t *seed, const struct weft_config *config,
                          struct weft_instruction *instruction);

#endif
