/* What stands together in a random program: each phase is there for something that instructions
 * drawn one by one would seldom meet. */
#include "base/integer.h"
#include "tests/cosim/generator.h"
#include "tests/unit/helpers.h"

static uint32_t random_budget(uint64_t *seed, unsigned most_bits) {
    return 1U << random_between(seed, 0, most_bits);
}

enum weft_opcode opcode_of(uint64_t *seed, unsigned unit) {
    static const enum weft_opcode opcodes[WEFT_UNITS] = {
        [WEFT_UNIT_LOAD] = WEFT_OPCODE_LOAD,
        [WEFT_UNIT_MATRIX] = WEFT_OPCODE_MATRIX,
        [WEFT_UNIT_VECTOR] = WEFT_OPCODE_VECTOR,
        [WEFT_UNIT_STORE] = WEFT_OPCODE_STORE,
    };
    return unit == WEFT_UNIT_LOAD && random_chance(seed, 30) ? WEFT_OPCODE_FILL : opcodes[unit];
}

/* Units whose tokens are wanted, more often than not those that wait already. */
static uint32_t random_units(uint64_t *seed, unsigned percent) {
    uint32_t units = 0;
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        units |= random_chance(seed, percent) ? 1U << unit : 0;
    }
    return units;
}

static void emit_unit(struct generator *generator, unsigned unit, uint32_t budget, uint32_t wait,
                      uint32_t signal) {
    emit(generator, opcode_of(&generator->seed, unit), budget, wait, signal);
}

static void fence(struct generator *generator) {
    if (has_room(generator)) {
        plan_fence(&generator->plan);
    }
}

/* Anything, in any order. */
static void mix(struct generator *generator) {
    uint64_t *seed = &generator->seed;
    int64_t count = random_between(seed, 2, 25);
    unsigned bits = (unsigned)random_between(seed, 2, 10);
    for (int64_t i = 0; i < count; i++) {
        unsigned unit = (unsigned)random_between(seed, 0, WEFT_UNITS - 1);
        uint32_t budget = random_budget(seed, bits);
        uint32_t wait = random_units(seed, 40);
        emit_unit(generator, unit, budget, wait, random_units(seed, 15));
    }
}

/* Hand-overs one after the other as fast as they can be. */
static void tiny(struct generator *generator) {
    uint64_t *seed = &generator->seed;
    int64_t count = random_between(seed, 4, 20);
    for (int64_t i = 0; i < count; i++) {
        unsigned unit = (unsigned)random_between(seed, 0, WEFT_UNITS - 1);
        uint32_t wait = random_units(seed, 60);
        emit_unit(generator, unit, 1, wait, random_units(seed, 40));
    }
}

/* One long instruction and more of its unit than the queue holds. */
static void column(struct generator *generator) {
    uint64_t *seed = &generator->seed;
    unsigned unit = (unsigned)random_between(seed, 0, WEFT_UNITS - 1);
    int64_t count = generator->config->queue_depth + random_between(seed, 1, 12);
    uint32_t budget = (uint32_t)random_between(seed, 200, 1500);
    emit_unit(generator, unit, budget, random_units(seed, 30), 0);
    for (int64_t i = 0; i < count; i++) {
        budget = random_budget(seed, 6);
        uint32_t wait = random_units(seed, 10);
        emit_unit(generator, unit, budget, wait, random_units(seed, 10));
    }
}

/* Many transfers in flight; LOAD and STORE compete for the port. */
static void transfers(struct generator *generator) {
    uint64_t *seed = &generator->seed;
    int64_t count = random_between(seed, 4, 24);
    unsigned bits = (unsigned)random_between(seed, 0, 9);
    unsigned stores = (unsigned)random_between(seed, 0, 100);
    for (int64_t i = 0; i < count; i++) {
        enum weft_opcode opcode =
            random_chance(seed, stores) ? WEFT_OPCODE_STORE : WEFT_OPCODE_LOAD;
        uint32_t budget = random_budget(seed, bits);
        uint32_t wait = random_units(seed, 10);
        emit(generator, opcode, budget, wait, random_units(seed, 5));
    }
}

/* MATRIX behind MATRIX, with the accumulators of the one before and with others. */
static void passes(struct generator *generator) {
    uint64_t *seed = &generator->seed;
    int64_t count = random_between(seed, 3, 14);
    unsigned bits = (unsigned)random_between(seed, 0, 7);
    for (int64_t i = 0; i < count; i++) {
        uint32_t budget = random_budget(seed, bits);
        uint32_t wait = random_units(seed, 20);
        emit(generator, WEFT_OPCODE_MATRIX, budget, wait, random_units(seed, 10));
        if (random_chance(seed, 20)) {
            budget = random_budget(seed, bits);
            wait = random_units(seed, 50);
            emit(generator, WEFT_OPCODE_VECTOR, budget, wait, random_units(seed, 10));
        }
    }
}

/* FILL behind LOADs, on their banks and on others. */
static void halos(struct generator *generator) {
    uint64_t *seed = &generator->seed;
    int64_t count = random_between(seed, 3, 16);
    uint32_t loaded = 0;
    for (int64_t i = 0; i < count; i++) {
        bool fill = random_chance(seed, 50);
        enum weft_opcode opcode = fill ? WEFT_OPCODE_FILL : WEFT_OPCODE_LOAD;
        uint32_t budget = random_budget(seed, 7);
        uint32_t wait = random_units(seed, 10);
        emit(generator, opcode, budget, wait, random_units(seed, 5));
        struct plan *plan = &generator->plan;
        struct weft_instruction last =
            random_work(generator, WEFT_OPCODE_FILL, random_budget(seed, 5));
        if (plan->count > 0 && plan->program[plan->count - 1].opcode == WEFT_OPCODE_LOAD) {
            loaded = plan->program[plan->count - 1].banks[WEFT_MEMORY_ACT];
        }
        last.banks[WEFT_MEMORY_ACT] |= loaded;
        if (fill && has_room(generator)) {
            plan_add(plan, &last, seed);
        }
    }
}

/* Tokens pile up in one semaphore, to the last that it holds, before the first is taken. */
static void pile(struct generator *generator) {
    uint64_t *seed = &generator->seed;
    unsigned producer = (unsigned)random_between(seed, 0, WEFT_UNITS - 1);
    unsigned consumer = (producer + (unsigned)random_between(seed, 1, WEFT_UNITS - 1)) % WEFT_UNITS;
    int64_t most = generator->config->semaphore_max;
    int64_t count = random_chance(seed, 60) ? random_between(seed, 2, 10) : most;
    if (random_chance(seed, 50)) {
        fence(generator);
    }
    for (int64_t i = 0; i < count; i++) {
        emit_unit(generator, producer, 1, 0, 1U << consumer);
    }
    if (random_chance(seed, 50)) {
        return; /* others take them, one now and then */
    }
    for (int64_t i = 0; i < count; i++) {
        uint32_t budget = random_budget(seed, 3);
        uint32_t signal = random_chance(seed, 20) ? 1U << producer : 0;
        emit_unit(generator, consumer, budget, 1U << producer, signal);
    }
}

/* One instruction lets several units start in the same cycle. */
static void fork_all(struct generator *generator) {
    uint64_t *seed = &generator->seed;
    unsigned producer = (unsigned)random_between(seed, 0, WEFT_UNITS - 1);
    uint32_t budget = (uint32_t)random_between(seed, 60, 400);
    emit_unit(generator, producer, budget, random_units(seed, 20), UINT32_MAX);
    for (unsigned i = 1; i < WEFT_UNITS; i++) {
        unsigned unit = (producer + i) % WEFT_UNITS;
        emit_unit(generator, unit, random_budget(seed, 6), 1U << producer, 1U << producer);
    }
    emit_unit(generator, producer, random_budget(seed, 6), UINT32_MAX, 0);
}

/* What a compiler makes: a tile is loaded, multiplied, requantised and stored. */
static void pipeline(struct generator *generator) {
    uint64_t *seed = &generator->seed;
    int64_t tiles = random_between(seed, 1, 6);
    uint32_t budget = random_budget(seed, 9);
    for (int64_t i = 0; i < tiles; i++) {
        for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
            uint32_t from = unit == 0 ? random_units(seed, 30) : 1U << (unit - 1);
            emit_unit(generator, unit, budget, from, 1U << (unit + 1) % WEFT_UNITS);
        }
    }
}

void random_phase(struct generator *generator) {
    static void (*const phases[])(struct generator * generator) = {
        mix,    mix,   mix,  tiny,  tiny,     column,   transfers, transfers,
        passes, halos, pile, fence, fork_all, pipeline, pipeline,
    };
    PICK(&generator->seed, phases)(generator);
}
