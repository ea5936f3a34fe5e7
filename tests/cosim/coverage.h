/* What programs made the machine do: bins in groups, counted over runs. A bin that was never met is
 * a hole; one that cannot be met has its reason in coverage_holes.c. */
#ifndef WEFT_TESTS_COSIM_COVERAGE_H
#define WEFT_TESTS_COSIM_COVERAGE_H

#include "tests/cosim/trace.h"

struct coverage;

/* Coverage of valid programs, or of programs that fault. Release with coverage_free(). Error:
 * WEFT_OUT_OF_MEMORY. */
bool coverage_create(const struct weft_config *config, bool faults, struct coverage **coverage,
                     struct weft_error *error);
void coverage_free(struct coverage *coverage);

/* Counts one run of the cycle model. */
void coverage_add(struct coverage *coverage, const struct cosim_case *test,
                  const struct weft_trace *trace);

struct coverage_sum {
    size_t bins;
    size_t met;
    size_t impossible; /* holes with a reason */
    size_t holes;      /* holes without */
    size_t wrong;      /* met, although a reason says that this cannot be */
};

struct coverage_sum coverage_sum(const struct coverage *coverage);

/* A line for each group; each hole without a reason; with `all`, every bin with its count and every
 * reason. */
void coverage_print(const struct coverage *coverage, bool all, struct weft_text *text);

#endif
