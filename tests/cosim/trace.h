/* The trace of a case. */
#ifndef WEFT_TESTS_COSIM_TRACE_H
#define WEFT_TESTS_COSIM_TRACE_H

#include "sim/trace/trace.h"
#include "tests/cosim/case.h"

/* Runs a case in the cycle model, without data. Release *trace with weft_trace_free(). Errors:
 * those of weft_trace_record(). */
bool trace_record(const struct cosim_case *test, struct weft_trace *trace,
                  struct weft_error *error);

#endif
