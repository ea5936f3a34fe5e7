/* Store. */
#include "sim/timing/machine.h"

uint64_t store_ready(const struct machine *machine, uint32_t number) {
    (void)number;
    bool waits = machine->flights[WEFT_UNIT_STORE].count == machine->config->store_instructions;
    return waits ? NEVER : issue_idle(machine, &machine->store);
}

void store_plan(struct machine *machine) {
    issue_plan(machine, &machine->store, WEFT_LANE_STORE_BURSTS, WEFT_COUNTER_INDEX_store_limit);
}

void store_start(struct machine *machine, uint32_t number) {
    const struct weft_store_fields *store = &instruction_of(machine, number)->store;
    struct weft_burst_walk walk = weft_burst_walk_store(machine->config, store);
    issue_start(&machine->store, &walk, store->region);
    store_plan(machine);
    flight_begin(machine, WEFT_UNIT_STORE, &(struct flight){.number = number, .finish = NEVER});
}

void store_granted(struct machine *machine, uint64_t last_beat, bool last) {
    if (last) {
        flight_set_finish(machine, WEFT_UNIT_STORE, last_beat + WEFT_STORE_DRAIN);
    }
}
