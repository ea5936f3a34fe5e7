/* The functional simulator: instructions in an order in which they can start, without time. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "isa/footprint.h"
#include "isa/verify/verify.h"
#include "sim/sim.h"

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

/* Carries out the instructions of `order`; false when one faults or HALT is reached. */
static bool execute(struct weft_state *state, enum weft_host host,
                    const struct weft_instruction *instructions, const uint32_t *order,
                    size_t ordered, struct weft_run_result *result) {
    for (size_t i = 0; i < ordered; i++) {
        const struct weft_instruction *instruction = &instructions[order[i]];
        result->counters.instructions++;
        if (instruction->opcode == WEFT_OPCODE_HALT) {
            return false;
        }
        result->fault = start_fault(state, instruction);
        if (result->fault != WEFT_FAULT_NONE) {
            result->fault_instruction = order[i];
            return false;
        }
        weft_execute(state, host, instruction);
    }
    return true;
}

bool weft_func_run(struct weft_state *state, enum weft_host host,
                   const struct weft_instruction *instructions, size_t count,
                   struct weft_run_result *result, struct weft_error *error) {
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
    if (execute(state, host, instructions, order, end.ordered, result)) {
        /* Everything that can start has, and there was no HALT. What dispatch cannot pass decides.
         */
        bool more = end.dispatched < count;
        bool illegal = more && weft_format_of(instructions[end.dispatched].opcode) == NULL;
        result->fault = !more     ? WEFT_FAULT_PROGRAM_END
                        : illegal ? WEFT_FAULT_ENCODING
                                  : WEFT_FAULT_DEADLOCK;
        result->fault_instruction =
            more && !illegal ? (uint32_t)error->position : (uint32_t)end.dispatched;
    }
    free(order);
    return true;
}
