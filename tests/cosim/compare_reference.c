#include <string.h>

#include "sim/timing/burst.h"
#include "tests/cosim/compare.h"
#include "tests/cosim/trace.h"
#include "tests/unit/reference_internal.h"
#include "tests/unit/reference_timing.h"

static bool reference_open(const struct weft_config *config, void **context,
                           struct weft_error *error) {
    (void)config;
    (void)error;
    *context = NULL;
    return true;
}

static void reference_close(void *context) {
    (void)context;
}

/* The reference holds the bursts of an instruction in an array, and its memory is no DRAM. */
static bool fits_reference(const struct cosim_case *test) {
    if (test->memory_dram != WEFT_DRAM_NONE) {
        return false;
    }
    for (size_t i = 0; i < test->program.count; i++) {
        const struct weft_instruction *instruction = &test->program.instructions[i];
        struct weft_burst_walk walk;
        if (instruction->opcode == WEFT_OPCODE_LOAD) {
            walk = weft_burst_walk_load(test->config, &instruction->load);
        } else if (instruction->opcode == WEFT_OPCODE_STORE) {
            walk = weft_burst_walk_store(test->config, &instruction->store);
        } else {
            continue;
        }
        unsigned bursts = 1;
        struct weft_burst burst = weft_burst_current(&walk);
        while (bursts <= MOST_BURSTS && !burst.last) {
            weft_burst_advance(&walk, &burst);
            burst = weft_burst_current(&walk);
            bursts++;
        }
        if (bursts > MOST_BURSTS) {
            return false;
        }
    }
    return test->program.count <= RECORDED_INSTRUCTIONS;
}

static bool same_number(struct weft_text *text, const char *what, size_t index, uint64_t got,
                        uint64_t expected) {
    if (got != expected) {
        weft_text_add(text, "%s %zu: %llu in the cycle model, %llu in the reference\n", what, index,
                      (unsigned long long)got, (unsigned long long)expected);
    }
    return got == expected;
}

/* Work in progress when a fault stops the machine is counted by the reference when it begins;
 * tests/unit/test_timing_counters.c says what it should be. */
static bool is_progress(unsigned counter) {
    return counter == WEFT_COUNTER_INDEX_matrix_stream ||
           counter == WEFT_COUNTER_INDEX_vector_slots || counter == WEFT_COUNTER_INDEX_fill_lines;
}

static bool same_times(const struct weft_trace *trace, const struct reference_run *expected,
                       bool watchdog, struct weft_text *text) {
    bool fault = expected->result.fault != WEFT_FAULT_NONE;
    for (size_t i = 0; i < trace->program.count; i++) {
        /* What cannot finish before the watchdog is not reported as started; in the cycle of a
         * fault it is open which of the others start. */
        uint64_t got = trace->times[i].started;
        uint64_t other = expected->started[i];
        bool unseen = (watchdog && got == 0) || (fault && (got == 0 || other == 0) &&
                                                 got + other == expected->result.counters.cycles);
        if ((!unseen && !same_number(text, "start of", i, got, other)) ||
            !same_number(text, "finish of", i, trace->times[i].finished, expected->finished[i])) {
            return false;
        }
    }
    return true;
}

static bool same_run(const struct cosim_case *test, const struct weft_trace *trace,
                     const struct reference_run *expected, struct weft_text *text) {
    const struct weft_run_result *run = &trace->result;
    if (!same_times(trace, expected, test->watchdog != 0, text) ||
        !same_number(text, "fault, watchdog", (size_t)test->watchdog, run->fault,
                     expected->result.fault) ||
        !same_number(text, "faulting instruction, fault", run->fault, run->fault_instruction,
                     expected->result.fault_instruction)) {
        return false;
    }
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        if ((run->fault == WEFT_FAULT_NONE || !is_progress(i)) &&
            !same_number(text, weft_counter_names[i], i, weft_counter_get(&run->counters, i),
                         weft_counter_get(&expected->result.counters, i))) {
            return false;
        }
    }
    return true;
}

static bool reference_compare(void *context, const struct cosim_case *test, enum verdict *verdict,
                              struct weft_text *text, struct weft_error *error) {
    (void)context;
    struct weft_trace trace;
    if (!fits_reference(test)) {
        *verdict = VERDICT_SKIPPED;
        return true;
    }
    if (!trace_record(test, &trace, error)) {
        return false;
    }
    struct weft_timing_settings settings = case_settings(test);
    const struct weft_config counting = weft_counting(test->config); /* as a recording is */
    struct reference_run expected =
        reference_run(&counting, test->program.instructions, test->program.count, &settings);
    *verdict = same_run(test, &trace, &expected, text) ? VERDICT_SAME : VERDICT_DIFFERENT;
    weft_trace_free(&trace);
    return true;
}

const struct comparison compare_reference = {"reference", reference_open, reference_compare,
                                             reference_close};
