/* The functional simulator: instructions in an order in which they can start, without time. */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "isa/footprint.h"
#include "isa/verify/order.h"
#include "sim/sim.h"
#include "sim/timing/bound.h"

/* The fault that the machine raises when the instruction starts. */
static enum weft_fault start_fault(const struct weft_state *state,
                                   const struct weft_instruction *instruction) {
    struct weft_regions regions = weft_state_regions(state);
    struct weft_footprint footprint = weft_footprint_of(state->config, instruction);
    if (!weft_footprint_inside(state->config, &footprint, regions.limit, NULL)) {
        return WEFT_FAULT_ADDRESS;
    }
    bool writable = instruction->opcode != WEFT_OPCODE_STORE ||
                    weft_region_is_writable(&regions, instruction->store.region);
    return writable ? WEFT_FAULT_NONE : WEFT_FAULT_WRITE;
}

struct run {
    struct weft_state *state;
    enum weft_host host;
    const struct weft_timing_settings *settings;
    uint64_t cycles; /* that what was carried out takes at most */
    struct weft_run_result *result;
};

/* Ends the run in place of an instruction with a fault, if it has one. */
static bool faults(struct run *run, const struct weft_instruction *instruction, uint32_t number) {
    uint64_t watchdog = run->settings->watchdog;
    enum weft_fault fault = start_fault(run->state, instruction);
    if (fault == WEFT_FAULT_NONE && watchdog != 0) {
        run->cycles = weft_add_saturated(
            run->cycles, weft_bound_instruction(run->state->config, run->settings, instruction));
        fault = run->cycles > watchdog ? WEFT_FAULT_WATCHDOG : WEFT_FAULT_NONE;
    }
    run->result->fault = fault;
    run->result->fault_instruction = fault == WEFT_FAULT_NONE ? 0 : number;
    return fault != WEFT_FAULT_NONE;
}

/* Carries out the instructions of `order`; false when one faults or HALT is reached. */
static bool execute(struct run *run, const struct weft_instruction *instructions,
                    const uint32_t *order, size_t ordered) {
    for (size_t i = 0; i < ordered; i++) {
        const struct weft_instruction *instruction = &instructions[order[i]];
        run->result->counters.instructions++;
        if (faults(run, instruction, order[i]) || instruction->opcode == WEFT_OPCODE_HALT) {
            return false;
        }
        weft_execute(run->state, run->host, instruction);
    }
    return true;
}

bool weft_func_run(struct weft_state *state, enum weft_host host,
                   const struct weft_instruction *instructions, size_t count,
                   const struct weft_timing_settings *settings, struct weft_run_result *result,
                   struct weft_error *error) {
    memset(result, 0, sizeof *result);
    uint64_t region = state->region[WEFT_REGION_PROGRAM].limit / WEFT_INSTRUCTION_BYTES;
    count = region < count ? (size_t)region : count;
    uint32_t *order = weft_allocate(count, sizeof *order, "an order", error);
    if (order == NULL) {
        return false;
    }
    struct weft_order_end end = {0};
    bool complete = weft_start_order(state->config, instructions, count, order, &end, error);
    if (!complete && error->code != WEFT_VERIFY_DEADLOCK) {
        free(order);
        return false;
    }
    struct run run = {.state = state,
                      .host = host,
                      .settings = settings,
                      .cycles = weft_bound_fetch(state->config, settings, count),
                      .result = result};
    if (execute(&run, instructions, order, end.ordered)) {
        /* Everything that can start has, and there was no HALT. What dispatch cannot pass decides.
         */
        bool more = end.dispatched < count;
        bool illegal = more && !weft_config_takes(state->config, &instructions[end.dispatched]);
        result->fault = !more     ? WEFT_FAULT_PROGRAM_END
                        : illegal ? WEFT_FAULT_ENCODING
                                  : WEFT_FAULT_DEADLOCK;
        result->fault_instruction =
            more && !illegal ? (uint32_t)error->position : (uint32_t)end.dispatched;
    }
    free(order);
    return true;
}
