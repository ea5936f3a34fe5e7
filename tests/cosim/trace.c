#include "tests/cosim/trace.h"

#include <stdlib.h>

#include "base/memory.h"

static void dispatched(void *context, uint32_t number, uint64_t cycle) {
    struct trace *trace = context;
    trace->of[number].dispatched = cycle;
}

static void started(void *context, uint32_t number, const struct weft_instruction *instruction,
                    uint64_t cycle) {
    struct trace *trace = context;
    (void)instruction;
    trace->of[number].started = cycle;
}

static void finished(void *context, uint32_t number, uint64_t cycle) {
    struct trace *trace = context;
    trace->of[number].finished = cycle;
}

static void burst(void *context, enum weft_master master, uint64_t address, uint32_t bytes,
                  uint64_t cycle, uint64_t first) {
    struct trace *trace = context;
    struct weft_error ignored;
    void *array = trace->bursts;
    if (!weft_reserve(&array, &trace->burst_capacity, trace->burst_count + 1, sizeof *trace->bursts,
                      "bursts", &ignored)) {
        trace->out_of_memory = true;
        return;
    }
    trace->bursts = array;
    trace->bursts[trace->burst_count++] =
        (struct trace_burst){master, address, bytes, cycle, first};
}

bool trace_record(const struct cosim_case *test, struct trace *trace, struct weft_error *error) {
    *trace = (struct trace){.count = test->program.count};
    trace->of = weft_allocate(trace->count, sizeof *trace->of, "a trace", error);
    if (trace->of == NULL) {
        return false;
    }
    struct weft_timing_settings settings = case_settings(test);
    struct weft_observer observer = {trace, dispatched, started, finished, burst, NULL};
    bool good = weft_timing_run(test->config, test->program.instructions, test->program.count,
                                &settings, &observer, &trace->result, error);
    if (good && trace->out_of_memory) {
        good = weft_fail(error, WEFT_OUT_OF_MEMORY, 0, "no memory for the bursts of a run");
    }
    if (!good) {
        trace_free(trace);
    }
    return good;
}

void trace_free(struct trace *trace) {
    free(trace->of);
    free(trace->bursts);
    *trace = (struct trace){0};
}
