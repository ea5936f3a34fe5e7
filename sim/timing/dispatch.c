/* Dispatch. */
#include "base/integer.h"
#include "sim/timing/machine.h"

static bool all_idle(const struct machine *machine) {
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        if (machine->queue[unit].count != 0 || machine->flights[unit].count != 0) {
            return false;
        }
    }
    return true;
}

static void take(struct machine *machine) {
    struct dispatch *dispatch = &machine->dispatch;
    const struct weft_instruction *instruction = instruction_of(machine, machine->fetch.taken);
    struct weft_footprint footprint = weft_footprint_of(machine->config, instruction);
    dispatch->number = machine->fetch.taken++;
    dispatch->takes = weft_config_takes(machine->config, instruction);
    dispatch->outside =
        !weft_footprint_inside(machine->config, &footprint, machine->settings->regions.limit, NULL);
    dispatch->state = DISPATCH_BUSY;
    dispatch->ready = machine->now + WEFT_CHECK + 1;
    machine->due[DUE_DISPATCH] = dispatch->ready;
    fetch_plan(machine); /* there is room for one more instruction */
}

static void passed(struct machine *machine) {
    struct dispatch *dispatch = &machine->dispatch;
    dispatch->state = DISPATCH_IDLE;
    machine->due[DUE_DISPATCH] = machine->now + 1;
    machine->counters.instructions++;
    if (machine->observer->dispatched != NULL) {
        machine->observer->dispatched(machine->observer->context, dispatch->number, machine->now);
    }
}

/* False when it has to wait. */
static bool try_pass(struct machine *machine) {
    struct dispatch *dispatch = &machine->dispatch;
    const struct weft_instruction *instruction = instruction_of(machine, dispatch->number);
    if (!dispatch->takes) {
        fault(machine, RANK_DISPATCH, WEFT_FAULT_ENCODING, dispatch->number);
        return true;
    }
    enum weft_unit unit = weft_format_of(instruction->opcode)->unit;
    if (unit != WEFT_UNITS) {
        if (machine->queue[unit].count < machine->config->queue_depth) {
            queue_push(machine, unit, dispatch->number, dispatch->outside);
            passed(machine);
            return true;
        }
    } else if (all_idle(machine)) {
        dispatch->halted = instruction->opcode == WEFT_OPCODE_HALT;
        passed(machine);
        return true;
    }
    return false;
}

bool dispatch_blocked(const struct machine *machine) {
    return machine->dispatch.state == DISPATCH_BUSY && machine->now >= machine->dispatch.ready;
}

/* The counter of cycles in which it waits to pass an instruction on. */
static unsigned waiting_counter(const struct machine *machine) {
    static const unsigned full[] = {
        [WEFT_UNIT_LOAD] = WEFT_COUNTER_INDEX_dispatch_full_load,
        [WEFT_UNIT_MATRIX] = WEFT_COUNTER_INDEX_dispatch_full_matrix,
        [WEFT_UNIT_VECTOR] = WEFT_COUNTER_INDEX_dispatch_full_vector,
        [WEFT_UNIT_STORE] = WEFT_COUNTER_INDEX_dispatch_full_store,
        [WEFT_UNITS] = WEFT_COUNTER_INDEX_dispatch_fence,
    };
    return full[weft_format_of(instruction_of(machine, machine->dispatch.number)->opcode)->unit];
}

static void check_program_end(struct machine *machine) {
    const struct fetch *fetch = &machine->fetch;
    if (fetch->offset == fetch->end && fetch->outstanding.count == 0) {
        fault(machine, RANK_DISPATCH, WEFT_FAULT_PROGRAM_END, fetch->taken);
    }
}

void dispatch_step(struct machine *machine) {
    struct dispatch *dispatch = &machine->dispatch;
    unsigned counter = WEFT_COUNTERS;
    machine->due[DUE_DISPATCH] = NEVER;
    if (dispatch->state == DISPATCH_BUSY) {
        counter = try_pass(machine) ? WEFT_COUNTERS : waiting_counter(machine);
    } else {
        fetch_arrivals(machine);
        if (machine->fetch.taken < machine->fetch.arrived) {
            take(machine);
        } else {
            counter = WEFT_COUNTER_INDEX_dispatch_empty;
            machine->due[DUE_DISPATCH] = machine->fetch.next_arrival;
            check_program_end(machine);
        }
    }
    count_as(machine, WEFT_LANE_DISPATCH, counter, machine->now);
}

void dispatch_plan(struct machine *machine) {
    if (machine->dispatch.state == DISPATCH_BUSY) {
        machine->due[DUE_DISPATCH] = weft_max_u64(machine->now + 1, machine->dispatch.ready);
    }
}
