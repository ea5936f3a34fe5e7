/* Random programs that the verifier accepts, made so that the machine meets everything that
 * docs/timing.md speaks of: all fields and their corners, all pairs of units at work, every reason
 * to wait. */
#ifndef WEFT_TESTS_COSIM_RANDOM_PROGRAM_H
#define WEFT_TESTS_COSIM_RANDOM_PROGRAM_H

#include "tests/cosim/case.h"

enum {
    RANDOM_MOST = 250, /* instructions of a program */
};

/* The number `index` of the seeds that follow from one; never 0. */
uint64_t random_seed(uint64_t seed, uint64_t index);

/* Makes the program of a seed, the same on every machine. `most`: instructions at most, 30 to
 * RANDOM_MOST; 0: RANDOM_MOST. Errors: WEFT_OUT_OF_MEMORY. */
bool random_program(const struct weft_config *config, uint64_t seed, uint32_t most,
                    struct cosim_case *test, struct weft_error *error);

#endif
