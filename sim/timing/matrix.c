/* Matrix. */
#include "base/integer.h"
#include "sim/timing/machine.h"

uint64_t matrix_ready(const struct machine *machine, uint32_t number) {
    (void)number;
    bool waits = machine->flights[WEFT_UNIT_MATRIX].count == machine->config->matrix_instructions;
    return waits ? NEVER : weft_max_u64(machine->now + 1, machine->matrix.last_pass);
}

/* One past the latest finish among the instructions in flight that share an ACC bank. */
static uint64_t accumulators_free(struct machine *machine, uint32_t acc_banks) {
    struct flights *flights = &machine->flights[WEFT_UNIT_MATRIX];
    uint64_t cycle = 0;
    for (unsigned i = 0; i < flights->count; i++) {
        const struct flight *flight = flight_at(flights, i);
        if ((instruction_of(machine, flight->number)->banks[WEFT_MEMORY_ACC] & acc_banks) != 0) {
            cycle = flight->finish + 1;
        }
    }
    return cycle;
}

void matrix_start(struct machine *machine, uint32_t number) {
    const struct weft_instruction *instruction = instruction_of(machine, number);
    struct weft_matrix_duration duration =
        weft_matrix_duration(machine->config, &instruction->matrix);
    uint64_t stream = weft_max_u64(machine->now + duration.weight_tile, machine->matrix.end);
    stream = weft_max_u64(stream, accumulators_free(machine, instruction->banks[WEFT_MEMORY_ACC]));
    machine->matrix.end = stream + duration.stream;
    machine->matrix.last_pass = machine->matrix.end - duration.pass;
    flight_begin(machine, WEFT_UNIT_MATRIX,
                 &(struct flight){.number = number,
                                  .finish = machine->matrix.end - 1 + WEFT_MATRIX_DRAIN,
                                  .work_first = stream,
                                  .work = duration.stream});
}
