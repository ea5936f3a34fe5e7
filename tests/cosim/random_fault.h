/* Random programs that fault: a valid program with one thing spoiled that the machine checks, or
 * with several that it finds in the same cycle. Nothing else is wrong with them: what the machine
 * does not check stays as the verifier wants it, at least up to the fault. */
#ifndef WEFT_TESTS_COSIM_RANDOM_FAULT_H
#define WEFT_TESTS_COSIM_RANDOM_FAULT_H

#include "tests/cosim/case.h"

/* Makes the program of a seed, with `timing_only` set. A few of them end without a fault after
 * all: where it depends on time whether there is one. Errors: WEFT_OUT_OF_MEMORY. */
bool random_fault(const struct weft_config *config, uint64_t seed, struct cosim_case *test,
                  struct weft_error *error);

#endif
