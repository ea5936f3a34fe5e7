/* Vector. */
#include "sim/timing/machine.h"

uint64_t vector_ready(const struct machine *machine, uint32_t number) {
    (void)number;
    return machine->flights[WEFT_UNIT_VECTOR].count == 0 ? machine->now + 1 : NEVER;
}

void vector_start(struct machine *machine, uint32_t number) {
    struct weft_vector_duration duration =
        weft_vector_duration(machine->config, &instruction_of(machine, number)->vector);
    flight_begin(machine, WEFT_UNIT_VECTOR,
                 &(struct flight){.number = number,
                                  .finish = machine->now + duration.slots + duration.drain,
                                  .work_first = machine->now + 1,
                                  .work = duration.slots});
}
