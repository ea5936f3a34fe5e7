/* One schedule of a region: planned, emitted, ordered and counted. */
#include "compiler/schedule/attempt.h"

/* Addresses in a region have 32 bits, and the driver allocates it as one. */
static bool check_regions(const struct plan *plan, struct weft_error *error) {
    const struct {
        const char *name;
        int64_t bytes;
    } regions[] = {{"constants", plan->constant_bytes},
                   {"scratch", plan->scratch_bytes},
                   {"inputs", plan->input_bytes},
                   {"outputs", plan->output_bytes}};
    for (size_t i = 0; i < sizeof regions / sizeof regions[0]; i++) {
        if (regions[i].bytes > WEFT_REGION_LIMIT) {
            return weft_fail(error, WEFT_CAPACITY, 0,
                             "the %s of a program take %lld bytes, at most %d fit a region",
                             regions[i].name, (long long)regions[i].bytes, WEFT_REGION_LIMIT);
        }
    }
    return true;
}

/* Runs the program without data. */
static bool count_cycles(struct attempt *attempt, struct weft_error *error) {
    struct weft_run_result result;
    if (!run_program(&attempt->program, false, NULL, &result, error)) {
        return false;
    }
    attempt->cycles = result.counters.cycles;
    return result.fault == WEFT_FAULT_NONE ||
           weft_fail(error, WEFT_INTERNAL, result.fault_instruction,
                     "compiled program faults at instruction %u: %s", result.fault_instruction,
                     weft_fault_names[result.fault]);
}

/* Decides and plans everything, and emits the layers of a window. */
static bool emit_window(struct weft_arena *arena, const struct candidate *candidate,
                        const struct window *window, struct attempt *attempt,
                        struct weft_error *error) {
    struct plan *plan = &attempt->plan;
    struct stream stream = {.arena = arena};
    program_start(arena, candidate->region->config, &attempt->program);
    if (!choose_decisions(arena, candidate->region, &candidate->style, candidate->hints,
                          &attempt->decisions, plan, error) ||
        !check_regions(plan, error)) {
        return false;
    }
    emit_steps(plan, window, &stream);
    if (!assign_banks(plan, &stream, &attempt->program, error)) {
        return false;
    }
    place_semaphores(&attempt->program);
    end_program(&attempt->program);
    return true;
}

bool attempt_make(struct weft_arena *arena, const struct candidate *candidate,
                  struct attempt *attempt, struct weft_error *error) {
    const struct window all = {0, candidate->region->layer_count - 1};
    return emit_window(arena, candidate, &all, attempt, error) &&
           order_dispatch(&attempt->program, error) && count_cycles(attempt, error);
}

bool attempt_window(struct weft_arena *arena, const struct candidate *candidate,
                    const struct window *window, struct attempt *attempt,
                    struct weft_error *error) {
    return emit_window(arena, candidate, window, attempt, error) &&
           estimate_cycles(&attempt->program, &attempt->cycles, error);
}

bool try_candidate(struct candidate *candidate, struct weft_error *error) {
    struct weft_arena arena = {0};
    if (setjmp(arena.on_failure)) {
        weft_arena_free(&arena);
        return weft_arena_failed(&arena, error);
    }
    struct attempt *attempt = WEFT_NEW(&arena, struct attempt);
    bool good = attempt_make(&arena, candidate, attempt, error);
    candidate->cycles = good ? attempt->cycles : 0;
    candidate->instructions = attempt->program.count;
    weft_arena_free(&arena);
    return good || error->code == WEFT_CAPACITY;
}
