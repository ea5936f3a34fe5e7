/* The event loop. */
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "sim/timing/machine.h"

const char *const weft_counter_names[WEFT_COUNTERS] = {
#define WEFT_COUNTER(name, doc) #name,
#include "isa/counters.def"
#undef WEFT_COUNTER
};

uint64_t weft_counter_get(const struct weft_counters *counters, unsigned index) {
    uint64_t value;
    memcpy(&value, (const char *)counters + index * sizeof value, sizeof value);
    return value;
}

static void earliest(uint64_t *next, uint64_t now, uint64_t event) {
    if (event > now && event < *next) {
        *next = event;
    }
}

/* The next cycle in which something can happen; NEVER when nothing can. */
static uint64_t next_visit(struct machine *machine) {
    uint64_t now = machine->now;
    if (machine->acted) {
        return now + 1;
    }
    uint64_t next = NEVER;
    earliest(&next, now, machine->fetch.next_arrival);
    if (machine->dispatch.state == DISPATCH_BUSY) {
        earliest(&next, now, machine->dispatch.ready);
    }
    if (issue_pending(machine, &machine->load)) {
        earliest(&next, now, outstanding_next(&machine->load.outstanding));
    }
    if (issue_pending(machine, &machine->store)) {
        earliest(&next, now, outstanding_next(&machine->store.outstanding));
    }
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        if (machine->flights[unit].count != 0) {
            earliest(&next, now, flight_at(&machine->flights[unit], 0)->finish);
        }
    }
    earliest(&next, now, machine->load.idle_from);
    earliest(&next, now, machine->matrix.last_pass);
    if (machine->settings->watchdog != 0) {
        earliest(&next, now, machine->settings->watchdog);
    }
    return next;
}

/* Counts the cycles between two visits, in which nothing changed. */
static void count_gap(struct machine *machine, uint64_t cycles) {
    uint64_t first = machine->now - cycles;
    if (cycles == 0) {
        return;
    }
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        unit_count(machine, (enum weft_unit)unit, first, cycles);
    }
    /* A burst that was requested would have been granted. */
    unsigned load = machine->load.active ? WEFT_COUNTER_INDEX_load_limit : WEFT_COUNTERS;
    unsigned store = machine->store.active ? WEFT_COUNTER_INDEX_store_limit : WEFT_COUNTERS;
    account(machine, WEFT_LANE_LOAD_BURSTS, load, first, cycles);
    account(machine, WEFT_LANE_STORE_BURSTS, store, first, cycles);
    bool checking =
        machine->dispatch.state == DISPATCH_BUSY && machine->now <= machine->dispatch.ready;
    account(machine, WEFT_LANE_DISPATCH, checking ? WEFT_COUNTERS : dispatch_counter(machine),
            first, cycles);
}

static void check_deadlock(struct machine *machine) {
    uint32_t number = UINT32_MAX;
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        if (machine->flights[unit].count != 0) {
            return;
        }
        if (machine->queue[unit].count != 0) {
            number = (uint32_t)weft_min(number, machine->queue[unit].head);
        }
    }
    if (!machine->moved && dispatch_blocked(machine)) {
        fault(machine, RANK_DEADLOCK, WEFT_FAULT_DEADLOCK, number);
    }
}

static void visit(struct machine *machine) {
    uint64_t passed = machine->counters.instructions;
    machine->acted = false;
    machine->moved = false;
    fetch_arrivals(machine);
    machine->acted |= outstanding_retire(&machine->load.outstanding, machine->now);
    machine->acted |= outstanding_retire(&machine->store.outstanding, machine->now);
    memory_port_step(machine);
    dispatch_step(machine);
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        unit_start_step(machine, (enum weft_unit)unit);
    }
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        unit_finish_step(machine, (enum weft_unit)unit);
    }
    check_deadlock(machine);
    if (machine->now == machine->settings->watchdog && !machine->dispatch.halted) {
        fault(machine, RANK_WATCHDOG, WEFT_FAULT_WATCHDOG, (uint32_t)passed);
    }
}

static void prepare(struct machine *machine, size_t count) {
    const struct weft_config *config = machine->config;
    const struct weft_timing_settings *settings = machine->settings;
    machine->memory = weft_memory_new(
        settings->memory_latency == 0 ? config->memory_latency : settings->memory_latency,
        settings->memory_interval == 0 ? 1 : settings->memory_interval);
    uint64_t region = settings->region_limits[WEFT_REGION_PROGRAM] / WEFT_INSTRUCTION_BYTES;
    machine->fetch.end = (uint32_t)(region < count ? region : count);
    machine->fetch.next_arrival = NEVER;
    for (unsigned lane = 0; lane < WEFT_LANES; lane++) {
        machine->counting[lane] = WEFT_COUNTERS;
    }
    machine->load.max_bursts = config->load_bursts;
    machine->load.max_beats = config->load_beats;
    machine->store.max_bursts = config->store_bursts;
    machine->store.max_beats = config->store_beats;
}

/* Fills the queues; HALT, the last, waits in dispatch. */
static void preload(struct machine *machine, uint32_t count) {
    for (uint32_t i = 0; i + 1 < count; i++) {
        const struct weft_format *format = weft_format_of(instruction_of(machine, i)->opcode);
        if (format != NULL && format->unit != WEFT_UNITS) {
            queue_push(machine, format->unit, i, is_outside(machine, i));
        }
    }
    machine->fetch = (struct fetch){.next_arrival = NEVER, .taken = count, .arrived = count};
    machine->dispatch = (struct dispatch){.state = DISPATCH_BUSY, .number = count - 1};
}

/* Visits cycle after cycle that matters, to the end. */
static bool run(struct machine *machine, struct weft_run_result *result, struct weft_error *error) {
    uint64_t before = 0;
    machine->now = 1;
    while (machine->now != NEVER) {
        unit_causes(machine);
        count_gap(machine, machine->now - before - 1);
        visit(machine);
        if (machine->fault != WEFT_FAULT_NONE || machine->dispatch.halted) {
            machine->counters.cycles = machine->now;
            for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
                unit_count_unfinished(machine, (enum weft_unit)unit);
            }
            *result = (struct weft_run_result){machine->fault, machine->fault_instruction,
                                               machine->counters};
            return true;
        }
        before = machine->now;
        machine->now = next_visit(machine);
    }
    return weft_fail(error, WEFT_INTERNAL, machine->dispatch.number,
                     "the cycle model has nothing left to do after cycle %llu",
                     (unsigned long long)before);
}

bool weft_timing_run(const struct weft_config *config, const struct weft_instruction *instructions,
                     size_t count, const struct weft_timing_settings *settings,
                     const struct weft_observer *observer, struct weft_run_result *result,
                     struct weft_error *error) {
    static const struct weft_observer silent = {0};
    if (count > INT32_MAX) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "program has %zu instructions, at most %d fit",
                         count, INT32_MAX);
    }
    struct machine machine = {
        .config = config,
        .instructions = instructions,
        .settings = settings,
        .observer = observer == NULL ? &silent : observer,
    };
    machine.queued = weft_allocate(count, sizeof *machine.queued, "queues", error);
    if (machine.queued == NULL) {
        return false;
    }
    prepare(&machine, count);
    if (settings->preloaded && count > 0) {
        preload(&machine, (uint32_t)count);
    }
    bool good = run(&machine, result, error);
    free(machine.queued);
    return good;
}
