/* Fetch, the memory port that fetch shares with load and store, and dispatch. */
#include "base/integer.h"
#include "sim/timing/machine.h"

/* ---- fetch ---- */

/* The cycle from which instruction `index` of the oldest outstanding burst is in the buffer. */
static uint64_t arrival(const struct machine *machine, uint32_t index) {
    const struct outstanding *outstanding = &machine->fetch.outstanding;
    uint64_t beats = WEFT_INSTRUCTION_BYTES / machine->config->memory_width;
    return weft_memory_last_beat(&machine->memory, outstanding->burst[outstanding->head].first,
                                 (index + 1) * beats) +
           1;
}

void fetch_arrivals(struct machine *machine) {
    struct fetch *fetch = &machine->fetch;
    while (fetch->next_arrival <= machine->now) {
        machine->acted = true;
        fetch->arrived++;
        fetch->arriving++;
        /* The last instruction of a burst arrives in the cycle in which the burst is retired. */
        if (outstanding_retire(&fetch->outstanding, fetch->next_arrival)) {
            fetch->arriving = 0;
        }
        fetch->next_arrival =
            fetch->outstanding.count == 0 ? NEVER : arrival(machine, fetch->arriving);
    }
}

/* Instructions of the next burst. */
static uint32_t burst_instructions(const struct machine *machine) {
    uint32_t in_burst = machine->config->memory_burst / WEFT_INSTRUCTION_BYTES;
    uint32_t to_boundary = in_burst - machine->fetch.offset % in_burst;
    return (uint32_t)weft_min(to_boundary, machine->fetch.end - machine->fetch.offset);
}

static bool fetch_requests(const struct machine *machine) {
    const struct fetch *fetch = &machine->fetch;
    uint32_t held = fetch->offset - fetch->taken;
    return fetch->offset < fetch->end && fetch->outstanding.count < machine->config->fetch_bursts &&
           held + burst_instructions(machine) <= machine->config->fetch_buffer;
}

static void tell_burst(const struct machine *machine, enum weft_master master, uint64_t address,
                       uint32_t bytes, uint64_t first) {
    if (machine->observer->burst != NULL) {
        machine->observer->burst(machine->observer->context, master, address, bytes, machine->now,
                                 first);
    }
}

static void fetch_grant(struct machine *machine) {
    struct fetch *fetch = &machine->fetch;
    uint32_t instructions = burst_instructions(machine);
    uint32_t bytes = instructions * WEFT_INSTRUCTION_BYTES;
    uint32_t beats = bytes / machine->config->memory_width;
    uint64_t first = weft_memory_accept(&machine->memory, machine->now, beats);
    tell_burst(machine, WEFT_MASTER_FETCH, (uint64_t)fetch->offset * WEFT_INSTRUCTION_BYTES, bytes,
               first);
    outstanding_push(&fetch->outstanding, first,
                     weft_memory_last_beat(&machine->memory, first, beats), beats);
    fetch->offset += instructions;
    if (fetch->outstanding.count == 1) {
        fetch->arriving = 0;
        fetch->next_arrival = arrival(machine, 0);
    }
    machine->counters.fetch_bytes += bytes;
    machine->counters.fetch_beats += beats;
}

/* ---- the memory port ---- */

static uint64_t grant_transfer(struct machine *machine, struct issue *issue,
                               enum weft_master master) {
    struct weft_burst burst = issue->burst;
    uint64_t first = weft_memory_accept(&machine->memory, machine->now, burst.beats);
    uint64_t last = weft_memory_last_beat(&machine->memory, first, burst.beats);
    tell_burst(machine, master, burst.address, burst.bytes, first);
    outstanding_push(&issue->outstanding, first, last, burst.beats);
    issue_granted(machine, issue);
    return last;
}

void memory_port_step(struct machine *machine) {
    bool fetch = fetch_requests(machine);
    bool store = issue_requests(machine, &machine->store);
    bool load = issue_requests(machine, &machine->load);
    machine->acted |= fetch || store || load;
    unsigned store_counter = WEFT_COUNTERS;
    unsigned load_counter = WEFT_COUNTERS;
    if (store) {
        store_counter = fetch ? WEFT_COUNTER_INDEX_store_lost : WEFT_COUNTERS;
    } else if (issue_pending(machine, &machine->store)) {
        store_counter = WEFT_COUNTER_INDEX_store_limit;
    }
    if (load) {
        load_counter = fetch || store ? WEFT_COUNTER_INDEX_load_lost : WEFT_COUNTERS;
    } else if (issue_pending(machine, &machine->load)) {
        load_counter = WEFT_COUNTER_INDEX_load_limit;
    }
    account(machine, WEFT_LANE_STORE_BURSTS, store_counter, machine->now, 1);
    account(machine, WEFT_LANE_LOAD_BURSTS, load_counter, machine->now, 1);
    if (fetch) {
        fetch_grant(machine);
    } else if (store) {
        struct weft_burst burst = machine->store.burst;
        machine->counters.store_bytes += burst.bytes;
        machine->counters.store_beats += burst.beats;
        store_granted(machine, grant_transfer(machine, &machine->store, WEFT_MASTER_STORE),
                      burst.last);
    } else if (load) {
        struct weft_burst burst = machine->load.burst;
        machine->counters.load_bytes += burst.bytes;
        machine->counters.load_beats += burst.beats;
        load_granted(machine, grant_transfer(machine, &machine->load, WEFT_MASTER_LOAD),
                     burst.last);
    }
}

/* ---- dispatch ---- */

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
    dispatch->outside =
        !weft_footprint_inside(machine->config, &footprint, machine->settings->region_limits, NULL);
    dispatch->state = DISPATCH_BUSY;
    dispatch->ready = machine->now + WEFT_CHECK + 1;
    machine->acted = true;
}

static void passed(struct machine *machine) {
    struct dispatch *dispatch = &machine->dispatch;
    dispatch->state = DISPATCH_IDLE;
    dispatch->idle_from = machine->now + 1;
    machine->counters.instructions++;
    machine->acted = true;
    if (machine->observer->dispatched != NULL) {
        machine->observer->dispatched(machine->observer->context, dispatch->number, machine->now);
    }
}

/* False when it has to wait. */
static bool try_pass(struct machine *machine) {
    struct dispatch *dispatch = &machine->dispatch;
    uint32_t opcode = instruction_of(machine, dispatch->number)->opcode;
    const struct weft_format *format = weft_format_of(opcode);
    if (format == NULL) {
        fault(machine, RANK_DISPATCH, WEFT_FAULT_ENCODING, dispatch->number);
        return true;
    }
    if (format->unit != WEFT_UNITS) {
        if (machine->queue[format->unit].count < machine->config->queue_depth) {
            queue_push(machine, format->unit, dispatch->number, dispatch->outside);
            passed(machine);
            return true;
        }
    } else if (all_idle(machine)) {
        dispatch->halted = opcode == WEFT_OPCODE_HALT;
        passed(machine);
        return true;
    }
    return false;
}

bool dispatch_blocked(const struct machine *machine) {
    return machine->dispatch.state == DISPATCH_BUSY && machine->now >= machine->dispatch.ready;
}

unsigned dispatch_counter(const struct machine *machine) {
    static const unsigned full[] = {
        [WEFT_UNIT_LOAD] = WEFT_COUNTER_INDEX_dispatch_full_load,
        [WEFT_UNIT_MATRIX] = WEFT_COUNTER_INDEX_dispatch_full_matrix,
        [WEFT_UNIT_VECTOR] = WEFT_COUNTER_INDEX_dispatch_full_vector,
        [WEFT_UNIT_STORE] = WEFT_COUNTER_INDEX_dispatch_full_store,
        [WEFT_UNITS] = WEFT_COUNTER_INDEX_dispatch_fence,
    };
    if (machine->dispatch.state == DISPATCH_IDLE) {
        return WEFT_COUNTER_INDEX_dispatch_empty;
    }
    const struct weft_format *format =
        weft_format_of(instruction_of(machine, machine->dispatch.number)->opcode);
    /* What does not decode faults as soon as it is tried: it never waits. */
    return format == NULL ? WEFT_COUNTERS : full[format->unit];
}

static void check_program_end(struct machine *machine) {
    const struct fetch *fetch = &machine->fetch;
    if (fetch->offset == fetch->end && fetch->outstanding.count == 0) {
        fault(machine, RANK_DISPATCH, WEFT_FAULT_PROGRAM_END, fetch->taken);
    }
}

void dispatch_step(struct machine *machine) {
    struct dispatch *dispatch = &machine->dispatch;
    bool waits = false;
    if (dispatch_blocked(machine)) {
        waits = !try_pass(machine);
    } else if (dispatch->state == DISPATCH_IDLE && machine->now >= dispatch->idle_from) {
        if (machine->fetch.taken < machine->fetch.arrived) {
            take(machine);
        } else {
            waits = true;
            check_program_end(machine);
        }
    }
    account(machine, WEFT_LANE_DISPATCH, waits ? dispatch_counter(machine) : WEFT_COUNTERS,
            machine->now, 1);
}
