/* Everything that an observer of the cycle model is told in one run. */
#ifndef WEFT_TESTS_COSIM_EVENTS_H
#define WEFT_TESTS_COSIM_EVENTS_H

#include "tests/cosim/case.h"

struct event_burst {
    enum weft_master master;
    uint64_t address;
    uint32_t bytes;
    uint64_t cycle;
    uint64_t first; /* beat */
};

/* Cycles in which something happened to an instruction; 0: it did not. */
struct event_times {
    uint64_t dispatched;
    uint64_t started;
    uint64_t finished;
};

struct events {
    struct weft_run_result result;
    struct event_times *of; /* by number of the instruction */
    size_t count;
    struct event_burst *bursts;
    size_t burst_count;
    size_t burst_capacity;
    bool out_of_memory;
};

/* Runs a case in the cycle model, without data. Release *events with events_free(). Errors:
 * WEFT_OUT_OF_MEMORY, those of weft_timing_run(). */
bool events_record(const struct cosim_case *test, struct events *events, struct weft_error *error);

void events_free(struct events *events);

/* An observer that fills *events, which was prepared for a number of instructions. */
bool events_prepare(struct events *events, size_t instructions, struct weft_error *error);
struct weft_observer events_observer(struct events *events);

#endif
