#include "sim/timing/machine.h"

#include "base/integer.h"

void fault(struct machine *machine, unsigned rank, enum weft_fault code, uint32_t number) {
    if (machine->fault == WEFT_FAULT_NONE || rank < machine->fault_rank) {
        machine->fault = code;
        machine->fault_rank = rank;
        machine->fault_instruction = number;
    }
}

/* ---- what cycles count for ---- */

static void tell(struct machine *machine, unsigned lane) {
    const struct counting *counting = &machine->counting[lane];
    machine->observer->counting(machine->observer->context, (enum weft_lane)lane, counting->counter,
                                counting->since);
}

void count_as_another(struct machine *machine, enum weft_lane lane, unsigned counter,
                      uint64_t first) {
    struct counting *counting = &machine->counting[lane];
    machine->count[counting->counter] += first - counting->since;
    *counting = (struct counting){.counter = counter, .since = first};
    if (machine->observer->counting == NULL) {
        return;
    }
    /* The observer is told in the order of cycles, and this one may not be over. */
    if (first > machine->now) {
        machine->untold |= 1U << lane;
    } else {
        tell(machine, lane);
    }
}

void tell_counting_more(struct machine *machine) {
    for (unsigned lane = 0; machine->untold != 0; lane++) {
        if ((machine->untold >> lane & 1) != 0) {
            machine->untold &= ~(1U << lane);
            tell(machine, lane);
        }
    }
}

void count_to_the_end(struct machine *machine) {
    for (unsigned lane = 0; lane < WEFT_LANES; lane++) {
        struct counting *counting = &machine->counting[lane];
        machine->count[counting->counter] += machine->now + 1 - counting->since;
        counting->since = machine->now + 1;
    }
}

/* ---- queues and flights ---- */

void queue_push(struct machine *machine, enum weft_unit unit, uint32_t number, bool outside) {
    struct queue *queue = &machine->queue[unit];
    machine->queued[number] = (struct queued){.outside = outside};
    if (queue->count == 0) {
        queue->head = number;
        machine->changed |= 1U << unit;
    } else {
        machine->queued[queue->tail].next = number;
    }
    queue->tail = number;
    queue->count++;
}

void queue_pop(struct machine *machine, enum weft_unit unit) {
    struct queue *queue = &machine->queue[unit];
    queue->head = machine->queued[queue->head].next;
    queue->count--;
}

void flight_begin(struct machine *machine, enum weft_unit unit, const struct flight *flight) {
    struct flights *flights = &machine->flights[unit];
    const struct weft_instruction *instruction = instruction_of(machine, flight->number);
    struct flight *begun = flight_at(flights, flights->count++);
    *begun = *flight;
    for (unsigned i = 0; i < WEFT_CLAIMS && !machine->settings->preloaded; i++) {
        begun->claims[i] = machine->claims[i];
        flights->claims[i] |= machine->claims[i];
    }
    bool in_time = machine->settings->watchdog == 0 || flight->finish == NEVER ||
                   flight->finish <= machine->settings->watchdog;
    if (machine->observer->started != NULL && in_time) {
        machine->observer->started(machine->observer->context, flight->number, instruction,
                                   machine->now);
    }
}

void flight_set_finish(struct machine *machine, enum weft_unit unit, uint64_t finish) {
    struct flights *flights = &machine->flights[unit];
    flight_at(flights, flights->count - 1)->finish = finish;
    machine->changed |= 1U << unit;
}
