/* Fetch. */
#include "base/integer.h"
#include "sim/timing/machine.h"

/* The cycle from which instruction `index` of the oldest outstanding burst is in the buffer. */
static uint64_t arrival(const struct machine *machine, uint32_t index) {
    const struct outstanding *outstanding = &machine->fetch.outstanding;
    uint64_t beats = WEFT_INSTRUCTION_BYTES / machine->config->memory_width;
    return weft_memory_last_beat(&machine->memory, outstanding->burst[outstanding->head].first,
                                 (index + 1) * beats) +
           1;
}

void fetch_arrivals_more(struct machine *machine) {
    struct fetch *fetch = &machine->fetch;
    while (fetch->next_arrival <= machine->now) {
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

/* Is there room in the buffer for the instructions of the next burst? */
static bool has_room(const struct machine *machine) {
    uint32_t held = machine->fetch.offset - machine->fetch.taken;
    return held + burst_instructions(machine) <= machine->config->fetch_buffer;
}

bool fetch_requests_more(const struct machine *machine) {
    return machine->fetch.outstanding.count < machine->config->fetch_bursts && has_room(machine);
}

/* The first cycle after now in which it requests a burst, if dispatch takes nothing until then. */
static uint64_t next_request(const struct machine *machine) {
    const struct outstanding *outstanding = &machine->fetch.outstanding;
    if (!has_room(machine)) {
        return NEVER;
    }
    uint64_t next = machine->now + 1;
    return outstanding->count < machine->config->fetch_bursts
               ? next
               : weft_max_u64(next, outstanding->burst[outstanding->head].last + 1);
}

void fetch_plan_more(struct machine *machine) {
    due_by(machine, DUE_PORT, next_request(machine));
}

void fetch_grant(struct machine *machine) {
    struct fetch *fetch = &machine->fetch;
    uint32_t instructions = burst_instructions(machine);
    uint32_t bytes = instructions * WEFT_INSTRUCTION_BYTES;
    uint32_t beats = bytes / machine->config->memory_width;
    uint64_t address = (uint64_t)fetch->offset * WEFT_INSTRUCTION_BYTES;
    uint64_t first = weft_memory_accept(
        &machine->memory, machine->now,
        ((uint64_t)WEFT_REGION_PROGRAM << WEFT_PORT_REGION_SHIFT) + address, beats, false);
    tell_burst(machine, WEFT_MASTER_FETCH, address, bytes, first);
    outstanding_push(&fetch->outstanding, first,
                     weft_memory_last_beat(&machine->memory, first, beats), beats);
    fetch->offset += instructions;
    if (fetch->outstanding.count == 1) {
        fetch->arriving = 0;
        fetch->next_arrival = arrival(machine, 0);
        if (machine->dispatch.state == DISPATCH_IDLE) {
            due_by(machine, DUE_DISPATCH, fetch->next_arrival);
        }
    }
    machine->counters.fetch_bytes += bytes;
    machine->counters.fetch_beats += beats;
}
