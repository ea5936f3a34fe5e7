/* What the four units share: when the head of a queue starts, and what a finish does. */
#include "sim/timing/machine.h"

/* The producer whose token the head misses, or why there is nothing to wait for. */
static enum idle_cause cause_of(const struct machine *machine, enum weft_unit unit) {
    const struct queue *queue = &machine->queue[unit];
    if (queue->count == 0) {
        return IDLE_EMPTY;
    }
    uint32_t wait = instruction_of(machine, queue->head)->wait;
    for (unsigned producer = 0; producer < WEFT_UNITS; producer++) {
        if ((wait >> producer & 1) != 0 && machine->semaphore[producer][unit] == 0) {
            return (enum idle_cause)producer;
        }
    }
    return IDLE_READY;
}

static const struct {
    uint64_t (*ready)(const struct machine *machine, uint32_t number);
    void (*start)(struct machine *machine, uint32_t number);
} units[WEFT_UNITS] = {
    [WEFT_UNIT_LOAD] = {load_ready, load_start},
    [WEFT_UNIT_MATRIX] = {matrix_ready, matrix_start},
    [WEFT_UNIT_VECTOR] = {vector_ready, vector_start},
    [WEFT_UNIT_STORE] = {store_ready, store_start},
};

/* Notes what the instruction that starts owns; true: another unit owns some of it. Units after this
 * one have not started in this visit yet, and those that finish now still own theirs. */
static bool claims_meet(struct machine *machine, enum weft_unit unit,
                        const struct weft_instruction *instruction) {
    weft_claims_of(machine->config, instruction, machine->claims);
    for (unsigned other = 0; other < WEFT_UNITS; other++) {
        if (other != unit && weft_claims_meet(machine->flights[other].claims, machine->claims)) {
            return true;
        }
    }
    return false;
}

/* The counter of a unit's cycles. */
static unsigned counter_of(const struct machine *machine, enum weft_unit unit) {
#define COUNTER(name) WEFT_COUNTER_INDEX_##name
    /* By what holds the head of the queue; what nothing holds starts, or waits for its own unit. */
    static const unsigned counters[WEFT_UNITS][IDLE_READY + 1] = {
        [WEFT_UNIT_LOAD] = {WEFT_COUNTERS, COUNTER(load_wait_matrix), COUNTER(load_wait_vector),
                            COUNTER(load_wait_store), COUNTER(load_empty), COUNTER(load_busy)},
        [WEFT_UNIT_MATRIX] = {COUNTER(matrix_wait_load), WEFT_COUNTERS, COUNTER(matrix_wait_vector),
                              COUNTER(matrix_wait_store), COUNTER(matrix_empty),
                              COUNTER(matrix_busy)},
        [WEFT_UNIT_VECTOR] = {COUNTER(vector_wait_load), COUNTER(vector_wait_matrix), WEFT_COUNTERS,
                              COUNTER(vector_wait_store), COUNTER(vector_empty),
                              COUNTER(vector_busy)},
        [WEFT_UNIT_STORE] = {COUNTER(store_wait_load), COUNTER(store_wait_matrix),
                             COUNTER(store_wait_vector), WEFT_COUNTERS, COUNTER(store_empty),
                             COUNTER(store_busy)},
    };
#undef COUNTER
    bool busy = machine->flights[unit].count != 0;
    return counters[unit][busy ? IDLE_READY : machine->cause[unit]];
}

void unit_plan(struct machine *machine, enum weft_unit unit) {
    struct flights *flights = &machine->flights[unit];
    machine->cause[unit] = cause_of(machine, unit);
    machine->due[DUE_START + (unsigned)unit] =
        machine->cause[unit] == IDLE_READY ? units[unit].ready(machine, machine->queue[unit].head)
                                           : NEVER;
    machine->due[DUE_FINISH + (unsigned)unit] =
        flights->count == 0 ? NEVER : flight_at(flights, 0)->finish;
    count_as(machine, (enum weft_lane)unit, counter_of(machine, unit), machine->now + 1);
}

/* It has started or finished something. */
static void moved(struct machine *machine, enum weft_unit unit) {
    machine->moved = true;
    machine->changed |= 1U << unit;
    dispatch_plan(machine);
}

void unit_start_step(struct machine *machine, enum weft_unit unit) {
    uint32_t number = machine->queue[unit].head;
    const struct weft_instruction *instruction = instruction_of(machine, number);
    for (unsigned producer = 0; producer < WEFT_UNITS; producer++) {
        machine->semaphore[producer][unit] -= instruction->wait >> producer & 1;
    }
    queue_pop(machine, unit);
    moved(machine, unit);
    if (machine->queued[number].outside) {
        fault(machine, RANK_START + 2 * unit, WEFT_FAULT_ADDRESS, number);
    } else if (unit == WEFT_UNIT_STORE &&
               !weft_region_is_writable(&machine->settings->regions, instruction->store.region)) {
        fault(machine, RANK_START + 2 * unit, WEFT_FAULT_WRITE, number);
    } else if (!machine->settings->preloaded && claims_meet(machine, unit, instruction)) {
        fault(machine, RANK_START + 2 * unit, WEFT_FAULT_BANK, number);
    } else {
        units[unit].start(machine, number);
    }
}

static void give_tokens(struct machine *machine, enum weft_unit unit, uint32_t number) {
    uint32_t signal = instruction_of(machine, number)->signal;
    for (unsigned consumer = 0; consumer < WEFT_UNITS; consumer++) {
        if ((signal >> consumer & 1) != 0) {
            machine->changed |= 1U << consumer;
            if (++machine->semaphore[unit][consumer] > machine->config->semaphore_max) {
                fault(machine, RANK_FINISH + 2 * unit, WEFT_FAULT_SEMAPHORE, number);
            }
        }
    }
}

/* Nothing asks what instructions that were preloaded own. */
static void claim_again(struct machine *machine, enum weft_unit unit) {
    struct flights *flights = &machine->flights[unit];
    if (machine->settings->preloaded) {
        return;
    }
    for (unsigned kind = 0; kind < WEFT_CLAIMS; kind++) {
        flights->claims[kind] = 0;
        for (unsigned i = 0; i < flights->count; i++) {
            flights->claims[kind] |= flight_at(flights, i)->claims[kind];
        }
    }
}

/* The counter of the unit's work; NULL: its work is counted by bursts. */
static uint64_t *work_counter(struct weft_counters *counters, enum weft_unit unit) {
    switch (unit) {
    case WEFT_UNIT_LOAD:
        return &counters->fill_lines;
    case WEFT_UNIT_MATRIX:
        return &counters->matrix_stream;
    case WEFT_UNIT_VECTOR:
        return &counters->vector_slots;
    default:
        return NULL;
    }
}

/* Counts the work of an instruction that was done up to now. */
static void count_work(struct machine *machine, enum weft_unit unit, const struct flight *flight) {
    uint64_t *counter = work_counter(&machine->counters, unit);
    if (counter != NULL && flight->work_first <= machine->now) {
        uint64_t done = machine->now - flight->work_first + 1;
        *counter += done < flight->work ? done : flight->work;
    }
}

void unit_count_unfinished(struct machine *machine, enum weft_unit unit) {
    struct flights *flights = &machine->flights[unit];
    for (unsigned i = 0; i < flights->count; i++) {
        count_work(machine, unit, flight_at(flights, i));
    }
}

void unit_finish_step(struct machine *machine, enum weft_unit unit) {
    struct flights *flights = &machine->flights[unit];
    uint32_t number = flight_at(flights, 0)->number;
    count_work(machine, unit, flight_at(flights, 0));
    flights->head = (flights->head + 1) % MAX_FLIGHTS;
    flights->count--;
    claim_again(machine, unit);
    give_tokens(machine, unit, number);
    moved(machine, unit);
    if (machine->observer->finished != NULL) {
        machine->observer->finished(machine->observer->context, number, machine->now);
    }
}
