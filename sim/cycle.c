/* The cycle simulator: the cycle model, carrying out each instruction as it starts. */
#include "base/checked.h"
#include "sim/sim.h"
#include "sim/timing/burst.h"

struct join {
    struct weft_state *state;
    const struct weft_timing_settings *settings;
    enum weft_host host;
    const struct weft_observer *observer;
};

static void dispatched(void *context, uint32_t number, uint64_t cycle) {
    const struct join *join = context;
    if (join->observer->dispatched != NULL) {
        join->observer->dispatched(join->observer->context, number, cycle);
    }
}

/* The cycle model tells of a LOAD or STORE before it knows when it finishes. One that moves more
 * than there is time for is not carried out: what it would leave is undefined, and it could take
 * for ever. */
static bool can_end(const struct join *join, const struct weft_instruction *instruction,
                    uint64_t cycle) {
    const struct weft_config *config = join->state->config;
    struct weft_burst_sum least = {0};
    if (instruction->opcode == WEFT_OPCODE_LOAD) {
        struct weft_burst_walk walk = weft_burst_walk_load(config, &instruction->load);
        least = weft_burst_walk_least(&walk);
    } else if (instruction->opcode == WEFT_OPCODE_STORE) {
        struct weft_burst_walk walk = weft_burst_walk_store(config, &instruction->store);
        least = weft_burst_walk_least(&walk);
    }
    return join->settings->watchdog == 0 ||
           weft_add_saturated(cycle, least.beats) <= join->settings->watchdog;
}

static void started(void *context, uint32_t number, const struct weft_instruction *instruction,
                    uint64_t cycle) {
    const struct join *join = context;
    if (can_end(join, instruction, cycle)) {
        weft_execute(join->state, join->host, instruction);
    }
    if (join->observer->started != NULL) {
        join->observer->started(join->observer->context, number, instruction, cycle);
    }
}

static void finished(void *context, uint32_t number, uint64_t cycle) {
    const struct join *join = context;
    if (join->observer->finished != NULL) {
        join->observer->finished(join->observer->context, number, cycle);
    }
}

static void burst(void *context, enum weft_master master, uint64_t address, uint32_t bytes,
                  uint64_t cycle, uint64_t first) {
    const struct join *join = context;
    if (join->observer->burst != NULL) {
        join->observer->burst(join->observer->context, master, address, bytes, cycle, first);
    }
}

static void counting(void *context, enum weft_lane lane, unsigned counter, uint64_t cycle) {
    const struct join *join = context;
    join->observer->counting(join->observer->context, lane, counter, cycle);
}

bool weft_cycle_run(struct weft_state *state, enum weft_host host,
                    const struct weft_instruction *instructions, size_t count,
                    const struct weft_timing_settings *settings,
                    const struct weft_observer *observer, struct weft_run_result *result,
                    struct weft_error *error) {
    static const struct weft_observer silent = {0};
    struct weft_timing_settings with_regions = *settings;
    with_regions.regions = weft_state_regions(state);
    struct join join = {state, settings, host, observer == NULL ? &silent : observer};
    struct weft_observer joined = {&join,   dispatched,
                                   started, finished,
                                   burst,   join.observer->counting == NULL ? NULL : counting};
    return weft_timing_run(state->config, instructions, count, &with_regions, &joined, result,
                           error);
}
