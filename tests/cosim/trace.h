/* Everything that an observer of the cycle model is told in one run. */
#ifndef WEFT_TESTS_COSIM_TRACE_H
#define WEFT_TESTS_COSIM_TRACE_H

#include "tests/cosim/case.h"

struct trace_burst {
    enum weft_master master;
    uint64_t address;
    uint32_t bytes;
    uint64_t cycle;
    uint64_t first; /* beat */
};

/* Cycles in which something happened to an instruction; 0: it did not. */
struct trace_times {
    uint64_t dispatched;
    uint64_t started;
    uint64_t finished;
};

struct trace {
    struct weft_run_result result;
    struct trace_times *of; /* by number of the instruction */
    size_t count;
    struct trace_burst *bursts;
    size_t burst_count;
    size_t burst_capacity;
    bool out_of_memory;
};

/* Runs a case in the cycle model, without data. Release *trace with trace_free(). Errors:
 * WEFT_OUT_OF_MEMORY, those of weft_timing_run(). */
bool trace_record(const struct cosim_case *test, struct trace *trace, struct weft_error *error);

void trace_free(struct trace *trace);

#endif
