/* The order of dispatch. */
#include <stdlib.h>

#include "compiler/emit/emitter.h"
#include "sim/timing/timing.h"

struct start {
    uint64_t cycle;
    uint32_t number;
};

static void note_start(void *context, uint32_t number, const struct weft_instruction *instruction,
                       uint64_t cycle) {
    struct start *starts = context;
    (void)instruction;
    starts[number] = (struct start){cycle, number};
}

static int by_cycle(const void *a, const void *b) {
    const struct start *x = a;
    const struct start *y = b;
    if (x->cycle != y->cycle) {
        return x->cycle < y->cycle ? -1 : 1;
    }
    return (x->number > y->number) - (x->number < y->number);
}

bool too_many_tokens(const struct weft_config *config, struct weft_error *error) {
    return weft_fail(error, WEFT_CAPACITY, 0,
                     "the program needs more tokens than a semaphore of this configuration holds "
                     "(semaphore_max is %u)",
                     config->semaphore_max);
}

/* Runs the program as if queues had no end and all of it were there. */
static bool run_preloaded(const struct emitter *emitter, const struct weft_observer *observer,
                          struct weft_run_result *result, struct weft_error *error) {
    size_t count = emitter->count;
    struct weft_instruction *program =
        WEFT_NEW_ARRAY(emitter->segment->arena, count + 1, struct weft_instruction);
    for (size_t i = 0; i < count; i++) {
        program[i] = emitter->instructions[i].instruction;
    }
    program[count] = weft_instruction_new(WEFT_OPCODE_HALT);
    struct weft_timing_settings settings = {.preloaded = true};
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        settings.region_limits[i] = UINT64_MAX;
    }
    if (!weft_timing_run(emitter->segment->config, program, count + 1, &settings, observer, result,
                         error)) {
        return false;
    }
    if (result->fault == WEFT_FAULT_SEMAPHORE) {
        return too_many_tokens(emitter->segment->config, error);
    }
    return result->fault == WEFT_FAULT_NONE ||
           weft_fail(error, WEFT_INTERNAL, result->fault_instruction,
                     "instruction %u faults while it is ordered: %s", result->fault_instruction,
                     weft_fault_names[result->fault]);
}

bool estimate_cycles(const struct emitter *emitter, uint64_t *cycles, struct weft_error *error) {
    struct weft_run_result result;
    if (!run_preloaded(emitter, NULL, &result, error)) {
        return false;
    }
    *cycles = result.counters.cycles;
    return true;
}

bool order_dispatch(struct emitter *emitter, struct weft_error *error) {
    struct weft_arena *arena = emitter->segment->arena;
    size_t count = emitter->count;
    struct start *starts = WEFT_NEW_ARRAY(arena, count + 1, struct start);
    struct weft_observer observer = {.context = starts, .started = note_start};
    struct weft_run_result result;
    if (!run_preloaded(emitter, &observer, &result, error)) {
        return false;
    }
    qsort(starts, count, sizeof *starts, by_cycle);
    struct emitted *sorted = WEFT_NEW_ARRAY(arena, count + 1, struct emitted);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = emitter->instructions[starts[i].number];
    }
    sorted[count] = (struct emitted){weft_instruction_new(WEFT_OPCODE_HALT), -1};
    emitter->instructions = sorted;
    emitter->count = count + 1;
    return true;
}
