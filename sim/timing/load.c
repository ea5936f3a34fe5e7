/* Load: LOAD and FILL. */
#include "base/integer.h"
#include "sim/timing/machine.h"

/* Does a LOAD in flight share a RAM of ACT? FILLs in flight have written already: the issue stage
 * is idle. */
static bool meets_load(const struct machine *machine, uint32_t rams) {
    const struct flights *flights = &machine->flights[WEFT_UNIT_LOAD];
    for (unsigned i = 0; i < flights->count; i++) {
        uint32_t number = flights->entry[(flights->head + i) % MAX_FLIGHTS].number;
        const struct weft_instruction *other = instruction_of(machine, number);
        if (other->opcode == WEFT_OPCODE_LOAD && (other->banks[WEFT_MEMORY_ACT] & rams) != 0) {
            return true;
        }
    }
    return false;
}

/* Is a LOAD of coded weights in flight? */
static bool decodes(const struct machine *machine) {
    const struct flights *flights = &machine->flights[WEFT_UNIT_LOAD];
    for (unsigned i = 0; i < flights->count; i++) {
        uint32_t number = flights->entry[(flights->head + i) % MAX_FLIGHTS].number;
        const struct weft_instruction *other = instruction_of(machine, number);
        if (other->opcode == WEFT_OPCODE_LOAD && weft_load_is_coded(&other->load)) {
            return true;
        }
    }
    return false;
}

/* Must it wait for others of the unit? Plain beats would reach WGT before decoded ones. */
static bool waits_for_loads(const struct machine *machine,
                            const struct weft_instruction *instruction) {
    if (instruction->opcode == WEFT_OPCODE_FILL) {
        return meets_load(
            machine, weft_act_neighbours(machine->config, instruction->banks[WEFT_MEMORY_ACT]));
    }
    return instruction->load.memory == WEFT_TARGET_WGT && !weft_load_is_coded(&instruction->load) &&
           decodes(machine);
}

uint64_t load_ready(const struct machine *machine, uint32_t number) {
    const struct weft_instruction *instruction = instruction_of(machine, number);
    bool waits = machine->flights[WEFT_UNIT_LOAD].count == machine->config->load_instructions ||
                 waits_for_loads(machine, instruction);
    return waits ? NEVER : issue_idle(machine, &machine->load);
}

/* Instructions finish in order, one a cycle. The one that started last is the only one whose
 * completion can be unknown, so its finish follows from the one before. */
static uint64_t in_order(struct machine *machine, uint64_t complete) {
    machine->load_finish = weft_max_u64(complete, machine->load_finish + 1);
    return machine->load_finish;
}

void load_plan(struct machine *machine) {
    issue_plan(machine, &machine->load, WEFT_LANE_LOAD_BURSTS, WEFT_COUNTER_INDEX_load_limit);
}

void load_start(struct machine *machine, uint32_t number) {
    const struct weft_instruction *instruction = instruction_of(machine, number);
    if (instruction->opcode == WEFT_OPCODE_FILL) {
        uint64_t lines = weft_fill_lines(machine->config, &instruction->fill);
        machine->load.idle_from = machine->now + lines + 1;
        flight_begin(machine, WEFT_UNIT_LOAD,
                     &(struct flight){.number = number,
                                      .finish = in_order(machine, machine->now + lines),
                                      .work_first = machine->now + 1,
                                      .work = lines});
    } else {
        struct weft_burst_walk walk = weft_burst_walk_load(machine->config, &instruction->load);
        issue_start(&machine->load, &walk, instruction->load.region);
        load_plan(machine);
        flight_begin(machine, WEFT_UNIT_LOAD, &(struct flight){.number = number, .finish = NEVER});
    }
}

void load_granted(struct machine *machine, uint64_t last_beat, bool last) {
    if (last) {
        const struct flights *flights = &machine->flights[WEFT_UNIT_LOAD];
        uint32_t number = flights->entry[(flights->head + flights->count - 1) % MAX_FLIGHTS].number;
        uint64_t write = weft_load_write(&instruction_of(machine, number)->load);
        flight_set_finish(machine, WEFT_UNIT_LOAD, in_order(machine, last_beat + write));
    }
}
