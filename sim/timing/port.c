/* The memory port, which fetch, store and load share in this order of priority. */
#include "sim/timing/machine.h"

/* Grants the pending burst of load or store; returns the cycle of its last beat. */
static uint64_t grant_transfer(struct machine *machine, struct issue *issue,
                               enum weft_master master) {
    const struct weft_burst *burst = &issue->burst;
    uint64_t address = ((uint64_t)issue->region << WEFT_PORT_REGION_SHIFT) + burst->address;
    uint64_t first = weft_memory_accept(&machine->memory, machine->now, address, burst->beats,
                                        master == WEFT_MASTER_STORE);
    uint64_t last = weft_memory_last_beat(&machine->memory, first, burst->beats);
    tell_burst(machine, master, burst->address, burst->bytes, first);
    outstanding_push(&issue->outstanding, first, last, burst->beats);
    issue_granted(machine, issue);
    return last;
}

static void grant_store(struct machine *machine) {
    struct weft_burst burst = machine->store.burst;
    machine->counters.store_bytes += burst.bytes;
    machine->counters.store_beats += burst.beats;
    store_granted(machine, grant_transfer(machine, &machine->store, WEFT_MASTER_STORE), burst.last);
}

static void grant_load(struct machine *machine) {
    struct weft_burst burst = machine->load.burst;
    machine->counters.load_bytes += burst.bytes;
    machine->counters.load_beats += burst.beats;
    load_granted(machine, grant_transfer(machine, &machine->load, WEFT_MASTER_LOAD), burst.last);
}

/* ---- a cycle in which a burst is requested ---- */

static unsigned counter_of(const struct issue *issue, bool requests, bool granted, unsigned lost,
                           unsigned limit) {
    if (!issue->active || granted) {
        return WEFT_COUNTERS;
    }
    return requests ? lost : limit;
}

void port_step(struct machine *machine) {
    fetch_arrivals(machine);
    outstanding_retire(&machine->store.outstanding, machine->now);
    outstanding_retire(&machine->load.outstanding, machine->now);
    bool fetch = fetch_requests(machine);
    bool store = issue_requests(&machine->store);
    bool load = issue_requests(&machine->load);
    count_as(machine, WEFT_LANE_STORE_BURSTS,
             counter_of(&machine->store, store, store && !fetch, WEFT_COUNTER_INDEX_store_lost,
                        WEFT_COUNTER_INDEX_store_limit),
             machine->now);
    count_as(machine, WEFT_LANE_LOAD_BURSTS,
             counter_of(&machine->load, load, load && !fetch && !store,
                        WEFT_COUNTER_INDEX_load_lost, WEFT_COUNTER_INDEX_load_limit),
             machine->now);
    if (fetch) {
        fetch_grant(machine);
    } else if (store) {
        grant_store(machine);
    } else if (load) {
        grant_load(machine);
    }
    machine->due[DUE_PORT] = NEVER;
    fetch_plan(machine);
    store_plan(machine);
    load_plan(machine);
}
