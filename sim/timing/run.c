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

/* The next cycle in which something but the port is due; NEVER when nothing is. */
static uint64_t next_but_port(const struct machine *machine) {
    uint64_t next = NEVER;
    for (unsigned i = DUE_PORT + 1; i < DUES; i++) {
        next = machine->due[i] < next ? machine->due[i] : next;
    }
    return next;
}

/* Wherever there can be one dispatch is due: it begins to try, or the last instruction in flight
 * has finished in the cycle before. */
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

static bool is_due(const struct machine *machine, unsigned what) {
    return machine->due[what] == machine->now;
}

static void visit(struct machine *machine) {
    uint64_t passed = machine->counters.instructions;
    machine->moved = false;
    tell_counting(machine);
    if (is_due(machine, DUE_PORT)) {
        port_step(machine);
    }
    if (is_due(machine, DUE_DISPATCH)) {
        dispatch_step(machine);
    }
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        if (is_due(machine, DUE_START + unit)) {
            unit_start_step(machine, (enum weft_unit)unit);
        }
    }
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        if (is_due(machine, DUE_FINISH + unit)) {
            unit_finish_step(machine, (enum weft_unit)unit);
        }
    }
    check_deadlock(machine);
    if (is_due(machine, DUE_WATCHDOG) && !machine->dispatch.halted) {
        fault(machine, RANK_WATCHDOG, WEFT_FAULT_WATCHDOG, (uint32_t)passed);
    }
}

/* What the units that changed do from the next cycle on. */
static void plan_units(struct machine *machine) {
    for (unsigned unit = 0; machine->changed != 0; unit++) {
        if ((machine->changed >> unit & 1) != 0) {
            machine->changed &= ~(1U << unit);
            unit_plan(machine, (enum weft_unit)unit);
        }
    }
}

/* Visits the cycles in which nothing but the port is due: no unit starts or finishes anything in
 * them. Returns the next one in which something else is; NEVER when nothing is. */
static uint64_t visit_bursts(struct machine *machine) {
    uint64_t others = next_but_port(machine);
    while (machine->due[DUE_PORT] < others) {
        machine->now = machine->due[DUE_PORT];
        tell_counting(machine);
        port_step(machine);
        if (machine->changed != 0) {
            plan_units(machine);
            others = next_but_port(machine);
        }
        others = weft_min_u64(others, machine->due[DUE_DISPATCH]); /* fetch has set it, perhaps */
    }
    return others;
}

/* The machine before its first cycle. */
static void prepare(struct machine *machine, size_t count) {
    const struct weft_config *config = machine->config;
    const struct weft_timing_settings *settings = machine->settings;
    machine->memory = weft_memory_new(config, &settings->memory);
    uint64_t region = settings->regions.limit[WEFT_REGION_PROGRAM] / WEFT_INSTRUCTION_BYTES;
    machine->fetch.end = (uint32_t)(region < count ? region : count);
    machine->fetch.next_arrival = NEVER;
    for (unsigned lane = 0; lane < WEFT_LANES; lane++) {
        machine->counting[lane] = (struct counting){.counter = WEFT_COUNTERS};
    }
    machine->load.max_bursts = config->load_bursts;
    machine->load.max_beats = config->load_beats;
    machine->store.max_bursts = config->store_bursts;
    machine->store.max_beats = config->store_beats;
    for (unsigned i = 0; i < DUES; i++) {
        machine->due[i] = NEVER;
    }
    machine->due[DUE_DISPATCH] = 1;
    machine->due[DUE_WATCHDOG] = settings->watchdog == 0 ? NEVER : settings->watchdog;
    machine->changed = (1U << WEFT_UNITS) - 1;
}

/* Fills the queues; HALT, the last, waits in dispatch. */
static void preload(struct machine *machine, uint32_t count) {
    for (uint32_t i = 0; i + 1 < count; i++) {
        const struct weft_format *format = weft_format_of(instruction_of(machine, i)->opcode);
        if (format != NULL && format->unit != WEFT_UNITS) {
            queue_push(machine, format->unit, i, false);
        }
    }
    machine->fetch = (struct fetch){.next_arrival = NEVER, .taken = count, .arrived = count};
    machine->dispatch =
        (struct dispatch){.state = DISPATCH_BUSY, .number = count - 1, .takes = true};
}

/* What the driver reads. */
static struct weft_counters counters_read(const struct machine *machine) {
    return machine->config->performance_counters != 0
               ? machine->counters
               : (struct weft_counters){.cycles = machine->counters.cycles};
}

/* Visits cycle after cycle that matters, to the end. */
static bool run(struct machine *machine, struct weft_run_result *result, struct weft_error *error) {
    uint64_t next = 0;
    fetch_plan(machine);
    plan_units(machine);
    while ((next = visit_bursts(machine)) != NEVER) {
        machine->now = next;
        visit(machine);
        if (machine->fault != WEFT_FAULT_NONE || machine->dispatch.halted) {
            machine->counters.cycles = machine->now;
            count_to_the_end(machine);
            for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
                unit_count_unfinished(machine, (enum weft_unit)unit);
            }
            *result = (struct weft_run_result){machine->fault, machine->fault_instruction,
                                               counters_read(machine)};
            return true;
        }
        plan_units(machine);
    }
    return weft_fail(error, WEFT_INTERNAL, machine->dispatch.number,
                     "the cycle model has nothing left to do after cycle %llu",
                     (unsigned long long)machine->now);
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
