/* The order of dispatch. */
#include <stdio.h>
#include <stdlib.h>

#include "base/integer.h"
#include "compiler/emit/emit.h"
#include "isa/verify/verify.h"

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
    int order = weft_compare_u64(x->cycle, y->cycle);
    return order != 0 ? order : weft_compare_u64(x->number, y->number);
}

/* Tokens that a semaphore must hold for a program; 0: it has other faults, too. */
static uint32_t peak_tokens(const struct weft_config *config,
                            const struct weft_instruction *instructions, size_t count) {
    struct weft_config endless = *config;
    struct weft_regions regions = {.writable = UINT32_MAX};
    struct weft_proof proof;
    struct weft_error error;
    endless.semaphore_max = UINT32_MAX;
    endless.queue_depth = (uint32_t)count; /* the order of dispatch is perhaps still to come */
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        regions.limit[i] = UINT64_MAX;
    }
    return weft_verify(&endless, instructions, count, &regions, &proof, &error) ? proof.peak_tokens
                                                                                : 0;
}

bool too_many_tokens(const struct weft_config *config, const struct weft_instruction *instructions,
                     size_t count, struct weft_error *error) {
    char needed[32] = "more";
    uint32_t peak = peak_tokens(config, instructions, count);
    if (peak > 0) {
        (void)snprintf(needed, sizeof needed, "%u", peak);
    }
    return weft_fail(error, WEFT_CAPACITY, 0,
                     "the program needs semaphores that hold %s tokens (semaphore_max is %u in "
                     "configuration %s)",
                     needed, config->semaphore_max, config->name);
}

void end_program(struct program *program) {
    const struct weft_instruction halt = weft_instruction_new(WEFT_OPCODE_HALT);
    program_add(program, &halt, -1);
}

bool run_program(const struct program *program, bool preloaded, uint64_t limit,
                 const struct weft_observer *observer, struct weft_run_result *result,
                 struct weft_error *error) {
    struct weft_timing_settings settings = {
        .preloaded = preloaded, .watchdog = limit, .regions.writable = UINT32_MAX};
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        settings.regions.limit[i] = UINT64_MAX;
    }
    return weft_timing_run(program->config, program->instructions, program->count, &settings,
                           observer, result, error);
}

/* Runs the program as if queues had no end and all of it were there, up to the cycle `limit` if
 * that is not 0. */
static bool run_preloaded(const struct program *program, uint64_t limit,
                          const struct weft_observer *observer, struct weft_run_result *result,
                          struct weft_error *error) {
    if (!run_program(program, true, limit, observer, result, error)) {
        return false;
    }
    if (result->fault == WEFT_FAULT_SEMAPHORE) {
        return too_many_tokens(program->config, program->instructions, program->count, error);
    }
    return result->fault == WEFT_FAULT_NONE || result->fault == WEFT_FAULT_WATCHDOG ||
           weft_fail(error, WEFT_INTERNAL, result->fault_instruction,
                     "instruction %u faults while it is ordered: %s", result->fault_instruction,
                     weft_fault_names[result->fault]);
}

bool estimate_cycles(const struct program *program, uint64_t limit, uint64_t *cycles,
                     struct weft_error *error) {
    struct weft_run_result result;
    if (!run_preloaded(program, limit, NULL, &result, error)) {
        return false;
    }
    *cycles = result.fault == WEFT_FAULT_WATCHDOG ? limit : result.counters.cycles;
    return true;
}

bool order_dispatch(struct program *program, uint64_t limit, uint64_t *estimate,
                    struct weft_error *error) {
    struct weft_arena *arena = program->arena;
    size_t count = program->count;
    size_t halt = count - 1; /* no unit starts it */
    struct start *starts = WEFT_NEW_ARRAY(arena, count, struct start);
    struct weft_observer observer = {.context = starts, .started = note_start};
    struct weft_run_result result;
    if (!run_preloaded(program, limit, &observer, &result, error)) {
        return false;
    }
    *estimate = result.counters.cycles;
    if (result.fault == WEFT_FAULT_WATCHDOG) {
        *estimate = limit;
        return true;
    }
    qsort(starts, halt, sizeof *starts, by_cycle);
    starts[halt].number = (uint32_t)halt;
    struct weft_instruction *instructions = WEFT_NEW_ARRAY(arena, count, struct weft_instruction);
    int32_t *layer_of = WEFT_NEW_ARRAY(arena, count, int32_t);
    for (size_t i = 0; i < count; i++) {
        instructions[i] = program->instructions[starts[i].number];
        layer_of[i] = program->layer_of[starts[i].number];
    }
    program->instructions = instructions;
    program->layer_of = layer_of;
    program->capacity = count;
    return true;
}
