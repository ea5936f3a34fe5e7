#include "tests/cosim/events.h"

#include <stdlib.h>

#include "base/memory.h"

static void dispatched(void *context, uint32_t number, uint64_t cycle) {
    struct events *events = context;
    events->of[number].dispatched = cycle;
}

static void started(void *context, uint32_t number, const struct weft_instruction *instruction,
                    uint64_t cycle) {
    struct events *events = context;
    (void)instruction;
    events->of[number].started = cycle;
}

static void finished(void *context, uint32_t number, uint64_t cycle) {
    struct events *events = context;
    events->of[number].finished = cycle;
}

static void burst(void *context, enum weft_master master, uint64_t address, uint32_t bytes,
                  uint64_t cycle, uint64_t first) {
    struct events *events = context;
    struct weft_error ignored;
    void *array = events->bursts;
    if (!weft_reserve(&array, &events->burst_capacity, events->burst_count + 1,
                      sizeof *events->bursts, "bursts", &ignored)) {
        events->out_of_memory = true;
        return;
    }
    events->bursts = array;
    events->bursts[events->burst_count++] =
        (struct event_burst){master, address, bytes, cycle, first};
}

bool events_prepare(struct events *events, size_t instructions, struct weft_error *error) {
    *events = (struct events){.count = instructions};
    events->of = weft_allocate(instructions, sizeof *events->of, "events", error);
    return events->of != NULL;
}

struct weft_observer events_observer(struct events *events) {
    return (struct weft_observer){events, dispatched, started, finished, burst};
}

bool events_record(const struct cosim_case *test, struct events *events, struct weft_error *error) {
    if (!events_prepare(events, test->program.count, error)) {
        return false;
    }
    struct weft_timing_settings settings = case_settings(test);
    struct weft_observer observer = events_observer(events);
    bool good = weft_timing_run(test->config, test->program.instructions, test->program.count,
                                &settings, &observer, &events->result, error);
    if (good && events->out_of_memory) {
        good = weft_fail(error, WEFT_OUT_OF_MEMORY, 0, "no memory for the bursts of a run");
    }
    if (!good) {
        events_free(events);
    }
    return good;
}

void events_free(struct events *events) {
    free(events->of);
    free(events->bursts);
    *events = (struct events){0};
}
