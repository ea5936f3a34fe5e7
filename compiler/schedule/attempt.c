/* One schedule of a region: planned, emitted, ordered and counted. */
#include "compiler/schedule/attempt.h"

#include "base/integer.h"

static const struct known nothing = {.count = 0};

enum {
    USUAL_STEPS = 4096, /* of a window, in memory that the next one uses again */
    EARLY_SHARE = 8     /* the first of several groups may take so much longer than others each */
};

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

/* ---- some groups of images stand for all ---- */

/* When the first half of the groups in a program, and all of them, have stored their results: the
 * cycle, or 0. */
struct halves {
    const struct attempt *attempt;
    int64_t groups;
    uint64_t ends[2];
};

/* The group whose result a STORE writes; -1: it writes none. */
static int64_t group_stored(const struct plan *plan, const struct weft_store_fields *store) {
    for (int t = 0; t < plan->region->tensor_count; t++) {
        const struct tensor *tensor = &plan->region->tensors[t];
        int64_t at = (int64_t)store->address - plan->locations[t].offset;
        int64_t bytes = tensor_bytes(tensor);
        if (tensor->output >= 0 && plan->locations[t].region == store->region && at >= 0 &&
            at < bytes * plan->region->groups) {
            return at / bytes;
        }
    }
    return -1;
}

static void note_end(void *context, uint32_t number, uint64_t cycle) {
    struct halves *halves = context;
    const struct weft_instruction *instruction = &halves->attempt->program.instructions[number];
    if (instruction->opcode == WEFT_OPCODE_STORE) {
        int64_t group = group_stored(&halves->attempt->plan, &instruction->store);
        halves->ends[0] = group >= 0 && group < halves->groups / 2 ? cycle : halves->ends[0];
        halves->ends[1] = group >= 0 ? cycle : halves->ends[1];
    }
}

/* Cycles of all groups of a region when those that are counted take so many: each other one takes
 * as long as those of the second half, so that nothing counts that the first ones save. */
static uint64_t cycles_of_all(const struct region *region, const struct halves *halves,
                              uint64_t cycles) {
    uint64_t counted = (uint64_t)region->counted;
    uint64_t others = (uint64_t)(region->groups - region->counted);
    if (halves->ends[0] == 0 || halves->ends[1] <= halves->ends[0]) {
        return cycles + others * cycles / counted;
    }
    return cycles + others * (halves->ends[1] - halves->ends[0]) / (counted - counted / 2);
}

/* Cycles at which counting may end, when all groups may take `limit`; 0: no limit. */
static uint64_t limit_of_counted(const struct region *region, uint64_t limit) {
    uint64_t share = (limit * (uint64_t)region->counted + (uint64_t)region->groups - 1) /
                     (uint64_t)region->groups;
    bool is_exact = region->counted == 1 || region->counted == region->groups;
    return is_exact ? share : share + share / EARLY_SHARE;
}

/* Runs the program of so many groups without data, up to the cycle `most` if that is not 0: then
 * the outcome stays as it is. */
static bool count_cycles(struct attempt *attempt, int64_t groups, uint64_t most,
                         struct weft_error *error) {
    const struct region *region = attempt->plan.region;
    struct halves halves = {.attempt = attempt, .groups = groups};
    struct weft_observer observer = {.context = &halves, .finished = note_end};
    struct weft_run_result result;
    bool is_part = groups < region->groups;
    if (!run_program(&attempt->program, false, most, is_part && groups > 1 ? &observer : NULL,
                     &result, error)) {
        return false;
    }
    if (result.fault == WEFT_FAULT_WATCHDOG) {
        return true;
    }
    uint64_t cycles = result.counters.cycles;
    cycles = is_part ? cycles_of_all(region, &halves, cycles) : cycles;
    attempt->outcome = (struct outcome){cycles, false, attempt->program.count};
    if (result.fault == WEFT_FAULT_SEMAPHORE) {
        return too_many_tokens(attempt->plan.config, attempt->program.instructions,
                               attempt->program.count, error);
    }
    return result.fault == WEFT_FAULT_NONE ||
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

/* Decides everything on the machine that the candidate is made for, and plans it on the real one:
 * what is on chip. */
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
    return !is_smaller || plan_make(arena, region, &attempt->decisions, &attempt->plan, error);
}

/* Plans what is in external memory. */
static bool plan_regions(struct attempt *attempt, struct weft_error *error) {
    plan_outside(&attempt->plan);
    return check_regions(&attempt->plan, error);
}

/* Emits the layers of a window of the attempt's plan; they do not wait for each other yet. There is
 * room for so many steps before the stream has to grow. */
static bool emit_plan(struct weft_arena *arena, const struct window *window, int64_t groups,
                      size_t steps, struct attempt *attempt, struct weft_error *error) {
    struct stream stream = {.arena = arena};
    stream_reserve(&stream, steps);
    emit_steps(&attempt->plan, window, groups, &stream);
    program_start(arena, attempt->plan.config, stream.count, &attempt->program);
    return assign_banks(&attempt->plan, &stream, &attempt->program, error);
}

/* Completes what has been emitted. */
static void complete(struct program *program) {
    place_semaphores(program);
    end_program(program);
}

/* Emits all of it for so many groups of images, all or those that are counted, and counts the
 * cycles of all up to `limit`, if that is not 0. What takes so many with queues that have no end
 * does not take fewer with those of the machine. */
static bool emit_all(struct weft_arena *arena, const struct region *region, int64_t groups,
                     uint64_t limit, struct attempt *attempt, struct weft_error *error) {
    const struct window all = {0, region->layer_count - 1};
    uint64_t most = groups < region->groups ? limit_of_counted(region, limit) : limit;
    uint64_t estimate = 0;
    if (!emit_plan(arena, &all, groups, 0, attempt, error)) {
        return false;
    }
    complete(&attempt->program);
    if (!order_dispatch(&attempt->program, most, &estimate, error)) {
        return false;
    }
    attempt->outcome = (struct outcome){limit, true, attempt->program.count};
    return (limit != 0 && estimate >= most) || count_cycles(attempt, groups, most, error);
}

bool attempt_make(struct weft_arena *arena, const struct candidate *candidate,
                  struct attempt *attempt, struct weft_error *error) {
    return decide(arena, candidate, attempt, error) && plan_regions(attempt, error) &&
           emit_all(arena, candidate->region, candidate->region->groups, 0, attempt, error);
}

/* Emits the layers of a window for one group of images, and estimates their cycles up to `limit`,
 * if that is not 0, unless they are known. */
static bool emit_window(struct weft_arena *arena, const struct window *window,
                        const struct known *known, uint64_t limit, struct attempt *attempt,
                        struct weft_error *error) {
    uint64_t cycles = 0;
    if (!emit_plan(arena, window, 1, USUAL_STEPS, attempt, error)) {
        return false;
    }
    attempt->program_key = known_program_key(&attempt->program);
    if (known_find(known, attempt->program_key, limit, &attempt->outcome)) {
        return true;
    }
    complete(&attempt->program);
    if (!estimate_cycles(&attempt->program, limit, &cycles, error)) {
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
    if (known_find(known, *key, limit, &attempt->outcome)) {
        return true;
    }
    return plan_regions(attempt, error) &&
           (window == NULL ? emit_all(arena, candidate->region, candidate->region->counted, limit,
                                      attempt, error)
                           : emit_window(arena, window, known, limit, attempt, error));
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
        if (!emit_window(arena, limits->window, &nothing, limits->window_cycles, attempt, error)) {
            return false;
        }
        if (attempt->outcome.is_least) {
            return true;
        }
    }
    return emit_all(arena, region, region->groups, limits->cycles, attempt, error);
}

bool attempt_estimate(struct weft_arena *arena, const struct region *region,
                      const struct window *window, struct attempt *attempt,
                      struct weft_error *error) {
    return plan_use(arena, region, attempt, error) &&
           emit_window(arena, window, &nothing, 0, attempt, error);
}
