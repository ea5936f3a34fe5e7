#include "sim/timing/machine.h"

#include "base/integer.h"

void fault(struct machine *machine, unsigned rank, enum weft_fault code, uint32_t number) {
    if (machine->fault == WEFT_FAULT_NONE || rank < machine->fault_rank) {
        machine->fault = code;
        machine->fault_rank = rank;
        machine->fault_instruction = number;
    }
}

const struct weft_instruction *instruction_of(const struct machine *machine, uint32_t number) {
    return &machine->instructions[number];
}

struct queued *queue_head(struct queue *queue) {
    return &queue->entry[queue->head];
}

void queue_push(struct queue *queue, struct queued entry) {
    queue->entry[(queue->head + queue->count) % MAX_QUEUE] = entry;
    queue->count++;
}

struct flight *flight_at(struct flights *flights, unsigned index) {
    return &flights->entry[(flights->head + index) % MAX_FLIGHTS];
}

void flight_begin(struct machine *machine, enum weft_unit unit, uint32_t number, uint64_t finish) {
    struct flights *flights = &machine->flights[unit];
    const struct weft_instruction *instruction = instruction_of(machine, number);
    *flight_at(flights, flights->count++) = (struct flight){.number = number, .finish = finish};
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        flights->banks[i] |= instruction->banks[i];
    }
    bool in_time =
        machine->settings->watchdog == 0 || finish == NEVER || finish < machine->settings->watchdog;
    if (machine->observer->started != NULL && in_time) {
        machine->observer->started(machine->observer->context, number, instruction, machine->now);
    }
}

void flight_set_finish(struct flights *flights, uint64_t finish) {
    flight_at(flights, flights->count - 1)->finish = finish;
}

void outstanding_push(struct outstanding *outstanding, uint64_t first, uint64_t last,
                      uint32_t beats) {
    unsigned slot = (outstanding->head + outstanding->count++) % MAX_BURSTS;
    outstanding->burst[slot].first = first;
    outstanding->burst[slot].last = last;
    outstanding->burst[slot].beats = beats;
    outstanding->beats += beats;
}

bool outstanding_retire(struct outstanding *outstanding, uint64_t now) {
    bool any = false;
    while (outstanding->count > 0 && outstanding->burst[outstanding->head].last < now) {
        outstanding->beats -= outstanding->burst[outstanding->head].beats;
        outstanding->head = (outstanding->head + 1) % MAX_BURSTS;
        outstanding->count--;
        any = true;
    }
    return any;
}

uint64_t outstanding_next(const struct outstanding *outstanding) {
    return outstanding->count == 0 ? NEVER : outstanding->burst[outstanding->head].last + 1;
}
