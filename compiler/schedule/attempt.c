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

/* Runs the program without data, up to the cycle `limit` if that is not 0. */
static bool count_cycles(struct attempt *attempt, uint64_t limit, struct weft_error *error) {
    struct weft_run_result result;
    if (!run_program(&attempt->program, false, limit, NULL, &result, error)) {
        return false;
    }
    bool is_least = result.fault == WEFT_FAULT_WATCHDOG;
    attempt->outcome = (struct outcome){is_least ? limit : result.counters.cycles, is_least,
                                        attempt->program.count};
    return is_least || result.fault == WEFT_FAULT_NONE ||
           weft_fail(error, WEFT_INTERNAL, result.fault_instruction,
                     "compiled program faults at instruction %u: %s", result.fault_instruction,
                     weft_fault_names[result.fault]);
}

/* Tensors that lie in several banks of the smaller machine are stretched to as many of the real
 * one. */
static void stretch_tensors(struct attempt *attempt) {
    const struct region *region = attempt->plan.region;
    int64_t real = weft_bank_bytes(region->config, WEFT_MEMORY_ACT);
    int64_t bank = weft_bank_bytes(&attempt->plan.as_if, WEFT_MEMORY_ACT);
    for (int t = 0; t < region->tensor_count; t++) {
        const struct tensor *tensor = &region->tensors[t];
        struct keep *keep = &attempt->decisions.keeps[t];
        const struct stripe whole = whole_tensor(tensor);
        int64_t bytes = 0;
        (void)view_at(&attempt->plan, t, 0, &whole, INT64_MAX, &bytes);
        if (bytes > bank && !(keep->packed && tensor->table != NULL)) {
            keep->stretch = real / bank;
        }
    }
}

/* Decides everything on the machine that the candidate is made for, and plans it on the real one.
 */
static bool decide(struct weft_arena *arena, const struct candidate *candidate,
                   struct attempt *attempt, struct weft_error *error) {
    const struct region *region = candidate->region;
    const struct weft_config *as_if = &candidate->as_if;
    bool is_smaller = as_if->act_bytes != region->config->act_bytes ||
                      as_if->wgt_bytes != region->config->wgt_bytes ||
                      as_if->acc_bytes != region->config->acc_bytes ||
                      as_if->par_bytes != region->config->par_bytes;
    if (!choose_decisions(arena, region, as_if, &candidate->style, candidate->hints,
                          &attempt->decisions, &attempt->plan, error)) {
        return false;
    }
    if (is_smaller) {
        stretch_tensors(attempt);
    }
    return (!is_smaller || plan_make(arena, region, &attempt->decisions, &attempt->plan, error)) &&
           check_regions(&attempt->plan, error);
}

/* Emits the layers of a window of the attempt's plan. */
static bool emit_plan(struct weft_arena *arena, const struct window *window, int64_t groups,
                      struct attempt *attempt, struct weft_error *error) {
    struct stream stream = {.arena = arena};
    emit_steps(&attempt->plan, window, groups, &stream);
    program_start(arena, attempt->plan.config, stream.count, &attempt->program);
    if (!assign_banks(&attempt->plan, &stream, &attempt->program, error)) {
        return false;
    }
    place_semaphores(&attempt->program);
    end_program(&attempt->program);
    return true;
}

/* Emits all of it, and counts its cycles up to `limit`, if that is not 0. What takes so many with
 * queues that have no end does not take fewer with those of the machine. */
static bool emit_all(struct weft_arena *arena, const struct region *region, uint64_t limit,
                     struct attempt *attempt, struct weft_error *error) {
    const struct window all = {0, region->layer_count - 1};
    uint64_t estimate = 0;
    if (!emit_plan(arena, &all, region->groups, attempt, error) ||
        !order_dispatch(&attempt->program, limit, &estimate, error)) {
        return false;
    }
    attempt->outcome = (struct outcome){estimate, true, attempt->program.count};
    return (limit != 0 && estimate >= limit) || count_cycles(attempt, limit, error);
}

bool attempt_make(struct weft_arena *arena, const struct candidate *candidate,
                  struct attempt *attempt, struct weft_error *error) {
    return decide(arena, candidate, attempt, error) &&
           emit_all(arena, candidate->region, 0, attempt, error);
}

/* Emits the layers of a window for one group of images, and estimates their cycles up to `limit`,
 * if that is not 0. */
static bool emit_window(struct weft_arena *arena, const struct window *window, uint64_t limit,
                        struct attempt *attempt, struct weft_error *error) {
    uint64_t cycles = 0;
    if (!emit_plan(arena, window, 1, attempt, error) ||
        !estimate_cycles(&attempt->program, limit, &cycles, error)) {
        return false;
    }
    attempt->outcome =
        (struct outcome){cycles, limit != 0 && cycles >= limit, attempt->program.count};
    return true;
}

bool attempt_key(struct weft_arena *arena, const struct candidate *candidate, uint64_t *key,
                 struct weft_error *error) {
    struct attempt *attempt = WEFT_NEW(arena, struct attempt);
    if (!decide(arena, candidate, attempt, error)) {
        return false;
    }
    *key = known_key(candidate->region, NULL, &attempt->decisions);
    return true;
}

bool attempt_try(struct weft_arena *arena, const struct candidate *candidate,
                 const struct window *window, const struct known *known, uint64_t limit,
                 struct attempt *attempt, uint64_t *key, struct weft_error *error) {
    if (!decide(arena, candidate, attempt, error)) {
        return false;
    }
    *key = known_key(candidate->region, window, &attempt->decisions);
    return known_find(known, *key, limit, &attempt->outcome) ||
           (window == NULL ? emit_all(arena, candidate->region, limit, attempt, error)
                           : emit_window(arena, window, limit, attempt, error));
}

static bool plan_use(struct weft_arena *arena, const struct region *region, struct attempt *attempt,
                     struct weft_error *error) {
    return plan_checked(arena, region, &attempt->decisions, &attempt->plan, error) &&
           check_regions(&attempt->plan, error);
}

bool attempt_use(struct weft_arena *arena, const struct region *region,
                 const struct attempt_limits *limits, struct attempt *attempt,
                 struct weft_error *error) {
    if (!plan_use(arena, region, attempt, error)) {
        return false;
    }
    if (limits->window != NULL) {
        if (!emit_window(arena, limits->window, limits->window_cycles, attempt, error)) {
            return false;
        }
        if (attempt->outcome.is_least) {
            return true;
        }
    }
    return emit_all(arena, region, limits->cycles, attempt, error);
}

bool attempt_estimate(struct weft_arena *arena, const struct region *region,
                      const struct window *window, struct attempt *attempt,
                      struct weft_error *error) {
    return plan_use(arena, region, attempt, error) && emit_window(arena, window, 0, attempt, error);
}
