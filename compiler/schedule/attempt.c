/* One schedule of a region: planned, emitted, ordered and counted. */
#include "compiler/module.h"
#include "compiler/schedule/search.h"

/* Addresses in a region have 32 bits, and the driver allocates it as one. */
static bool check_regions(const struct segment *segment, struct weft_error *error) {
    const struct {
        const char *name;
        int64_t bytes;
    } regions[] = {{"constants", segment->constant_bytes},
                   {"scratch", segment->scratch_bytes},
                   {"inputs", segment->input_bytes},
                   {"outputs", segment->output_bytes}};
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
    if (!run_emitted(&attempt->emitter, false, NULL, &result, error)) {
        return false;
    }
    attempt->cycles = result.counters.cycles;
    return result.fault == WEFT_FAULT_NONE ||
           weft_fail(error, WEFT_INTERNAL, result.fault_instruction,
                     "compiled program faults at instruction %u: %s", result.fault_instruction,
                     weft_fault_names[result.fault]);
}

/* Plans everything, and emits the layers of a window. */
static bool emit_window(struct weft_arena *arena, const struct candidate *candidate,
                        const struct window *window, struct attempt *attempt,
                        struct weft_error *error) {
    struct segment *segment = &attempt->segment;
    segment_copy(candidate->region, arena, segment);
    segment->style = candidate->style;
    segment->choices = candidate->choices;
    segment->window = *window;
    segment->error = error;
    for (int i = 0; i < segment->layer_count; i++) {
        tiling_choose(segment, i);
    }
    struct stripe_buffers *buffers =
        WEFT_NEW_ARRAY(arena, (size_t)segment->layer_count, struct stripe_buffers);
    if (!plan_memory(segment, buffers)) {
        return false;
    }
    constants_plan(segment);
    if (!check_regions(segment, error) || !emit_segment(segment, buffers, &attempt->emitter)) {
        return false;
    }
    place_semaphores(&attempt->emitter);
    end_program(&attempt->emitter);
    return true;
}

bool attempt_make(struct weft_arena *arena, const struct candidate *candidate,
                  struct attempt *attempt, struct weft_error *error) {
    const struct window all = {0, candidate->region->layer_count - 1};
    return emit_window(arena, candidate, &all, attempt, error) &&
           order_dispatch(&attempt->emitter, error) && count_cycles(attempt, error);
}

bool attempt_window(struct weft_arena *arena, const struct candidate *candidate,
                    const struct window *window, struct attempt *attempt,
                    struct weft_error *error) {
    return emit_window(arena, candidate, window, attempt, error) &&
           estimate_cycles(&attempt->emitter, &attempt->cycles, error);
}
