#include "tests/cosim/random_fault.h"

#include "tests/cosim/generator.h"
#include "tests/cosim/random_program.h"
#include "tests/cosim/spoil.h"
#include "tests/unit/helpers.h"

enum {
    TRIES = 20,
};

/* ---- semaphore overflow ---- */

static void fill_semaphore(struct generator *generator, enum weft_unit producer,
                           enum weft_unit consumer) {
    while (plan_waiting(&generator->plan, producer, consumer) < generator->config->semaphore_max &&
           plan_room(&generator->plan) > 64) {
        emit_now(generator, opcode_of(&generator->seed, producer), 1, 0, 1U << consumer);
    }
}

/* Lets the last instruction give a token, whatever the plan says. */
static void give_more(struct generator *generator, unsigned consumer) {
    generator->plan.program[generator->plan.count - 1].signal |= 1U << consumer;
}

static enum weft_unit random_unit(uint64_t *seed, unsigned producer) {
    return (enum weft_unit)((producer + random_between(seed, 1, WEFT_UNITS - 1)) % WEFT_UNITS);
}

/* Fills a semaphore, then gives more while others work and now and then one takes: whether and
 * where it flows over depends on time. */
static void overflow_end(struct generator *generator) {
    uint64_t *seed = &generator->seed;
    enum weft_unit producer = (enum weft_unit)random_between(seed, 0, WEFT_UNITS - 1);
    enum weft_unit consumer = random_unit(seed, producer);
    plan_fence(&generator->plan);
    fill_semaphore(generator, producer, consumer);
    int64_t more = random_between(seed, 3, 14);
    unsigned takers = random_chance(seed, 50) ? 0 : 40;
    unsigned others = random_chance(seed, 50) ? 0 : 60;
    for (int64_t i = 0; i < more; i++) {
        if (random_chance(seed, takers)) {
            emit_now(generator, opcode_of(seed, consumer), 1, 1U << producer, 0);
        }
        if (random_chance(seed, others)) {
            enum weft_unit other = random_unit(seed, producer);
            uint32_t budget = (uint32_t)random_between(seed, 1, 8);
            emit_now(generator, opcode_of(seed, other), budget, 0, 0);
        }
        emit_now(generator, opcode_of(seed, producer), 1, 0, 0);
        give_more(generator, consumer);
    }
}

/* Writes `lines` lines of a bank of ACT, in LOAD or in VECTOR. */
static void add_fill(struct generator *generator, enum weft_opcode opcode, uint32_t lines,
                     uint32_t bank, uint32_t signal) {
    const struct weft_config *config = generator->config;
    struct weft_instruction fill = weft_instruction_new(opcode);
    uint32_t bytes = weft_bank_bytes(config, WEFT_MEMORY_ACT);
    fill.wait = 1U << WEFT_UNIT_STORE; /* if there is a token */
    fill.signal = signal;
    fill.banks[WEFT_MEMORY_ACT] = 1U << bank;
    if (opcode == WEFT_OPCODE_FILL) {
        fill.fill.local = bank * bytes;
        fill.fill.run = lines * config->block;
    } else {
        fill.vector.function = WEFT_FUNCTION_FILL;
        fill.vector.out = bank * bytes / config->block;
        fill.vector.count[2] = lines;
        fill.vector.out_stride[2] = 1;
    }
    plan_add(&generator->plan, &fill, &generator->seed);
}

/* Two units start with one token of STORE. FILL finishes with its last line and lets the next start
 * one cycle later, VECTOR finishes one cycle behind its last slot and lets the next start one cycle
 * later: so both can flow over in one cycle, or one as the other, or a STORE, starts again. */
static void twins_end(struct generator *generator) {
    static const struct {
        uint32_t slots; /* less than lines */
        bool load_gives, vector_gives, store_follows;
    } twins[] = {{1, true, true, false},
                 {0, false, true, false},
                 {2, true, false, false},
                 {0, false, true, true}};
    uint64_t *seed = &generator->seed;
    unsigned which = (unsigned)random_between(seed, 0, (int64_t)LENGTH(twins) - 1);
    enum weft_unit from_load = random_unit(seed, WEFT_UNIT_LOAD);
    enum weft_unit from_vector = random_unit(seed, WEFT_UNIT_VECTOR);
    uint32_t lines = (uint32_t)random_between(seed, 4, 12);
    plan_fence(&generator->plan);
    fill_semaphore(generator, WEFT_UNIT_LOAD, from_load);
    fill_semaphore(generator, WEFT_UNIT_VECTOR, from_vector);
    plan_fence(&generator->plan);
    emit_now(generator, WEFT_OPCODE_STORE, 200, 0, 1U << WEFT_UNIT_LOAD | 1U << WEFT_UNIT_VECTOR);
    uint32_t used = generator->plan.program[generator->plan.count - 1].banks[WEFT_MEMORY_ACT];
    uint32_t banks = weft_banks(generator->config, WEFT_MEMORY_ACT);
    uint32_t apart = banks / weft_act_rams(generator->config); /* in another RAM, to be written */
    uint32_t bank = 0;
    while (bank + apart + 1 < banks && (used & (1U << bank | 1U << (bank + apart))) != 0) {
        bank++;
    }
    for (unsigned i = 0; i < 2; i++) {
        bool store = i == 0 && twins[which].store_follows;
        add_fill(generator, WEFT_OPCODE_FILL, lines, bank, store ? 1U << WEFT_UNIT_STORE : 0);
        if (i == 0 && twins[which].load_gives) {
            give_more(generator, from_load);
        }
        add_fill(generator, WEFT_OPCODE_VECTOR, lines - twins[which].slots, bank + apart, 0);
        if (i == 0 && twins[which].vector_gives) {
            give_more(generator, from_vector);
        }
        if (store) {
            emit_now(generator, WEFT_OPCODE_STORE, 1, 1U << WEFT_UNIT_LOAD, 0);
        }
    }
}

static void semaphore_end(struct generator *generator) {
    if (random_chance(&generator->seed, 25)) {
        twins_end(generator);
    } else {
        overflow_end(generator);
    }
}

/* ---- one fault ---- */

struct way {
    spoil_function *spoil; /* NULL: semaphore_end() has done it */
    enum weft_fault fault;
};

static const struct way ways[] = {
    {spoil_encoding, WEFT_FAULT_ENCODING}, {spoil_address, WEFT_FAULT_ADDRESS},
    {spoil_address, WEFT_FAULT_ADDRESS},   {spoil_address, WEFT_FAULT_ADDRESS},
    {spoil_bank, WEFT_FAULT_BANK},         {spoil_bank, WEFT_FAULT_BANK},
    {spoil_bank, WEFT_FAULT_BANK},         {NULL, WEFT_FAULT_SEMAPHORE},
    {NULL, WEFT_FAULT_SEMAPHORE},          {spoil_program_end, WEFT_FAULT_PROGRAM_END},
    {spoil_deadlock, WEFT_FAULT_DEADLOCK}, {spoil_watchdog, WEFT_FAULT_WATCHDOG},
    {spoil_write, WEFT_FAULT_WRITE},
};

/* A valid program (but for semaphore_end()) and what happens in it. */
static bool base_program(const struct weft_config *config, uint64_t seed, const struct way *way,
                         struct cosim_case *test, struct weft_trace *trace,
                         struct weft_error *error) {
    uint32_t most = 30 + (uint32_t)(seed % 60);
    generator_end *end = way->spoil == NULL ? semaphore_end : NULL;
    if (!random_program_with(config, seed, most, end, test, error)) {
        return false;
    }
    test->timing_only = true;
    if (!trace_record(test, trace, error)) {
        case_free(test);
        return false;
    }
    return true;
}

/* Runs again what was changed. */
static bool record_again(const struct cosim_case *test, struct weft_trace *trace,
                         struct weft_error *error) {
    weft_trace_free(trace);
    return trace_record(test, trace, error);
}

/* ---- several faults in one cycle ---- */

/* The number of an instruction for which `times` (dispatched or started) is in a cycle; count of
 * the program: there is none. */
static uint32_t number_at(const struct cosim_case *test, const struct weft_trace *trace,
                          bool dispatched, uint64_t cycle) {
    uint32_t number = 0;
    while (number < test->program.count && (number == trace->result.fault_instruction ||
                                            (dispatched ? trace->times[number].dispatched
                                                        : trace->times[number].started) != cycle)) {
        number++;
    }
    return number;
}

/* The number of an instruction that is in flight in a cycle, in another unit. */
static uint32_t number_in_flight(const struct cosim_case *test, const struct weft_trace *trace,
                                 uint32_t number, uint64_t cycle) {
    unsigned unit = weft_format_of(test->program.instructions[number].opcode)->unit;
    for (uint32_t i = 0; i < test->program.count; i++) {
        const struct weft_format *format = weft_format_of(test->program.instructions[i].opcode);
        const struct weft_trace_times *times = &trace->times[i];
        bool flies = times->started != 0 && times->started < cycle &&
                     (times->finished == 0 || times->finished >= cycle);
        if (flies && format->unit != unit) {
            return i;
        }
    }
    return (uint32_t)test->program.count;
}

/* Lets the start of an instruction in a cycle be a fault. */
static bool spoil_start(struct cosim_case *test, const struct weft_trace *trace, uint32_t number,
                        uint64_t cycle, uint64_t *seed) {
    uint32_t owner = number_in_flight(test, trace, number, cycle);
    if (random_chance(seed, 30) && spoil_write_of(test, number, seed)) {
        return true;
    }
    if (owner == test->program.count || random_chance(seed, 50)) {
        return spoil_address_of(test, number, seed);
    }
    spoil_bank_of(test, owner, number, seed);
    return true;
}

/* Lets a STORE that starts in a cycle, but is not the one that faults, write where it must not. */
static bool spoil_write_at(struct cosim_case *test, const struct weft_trace *trace, uint64_t cycle,
                           uint64_t *seed) {
    for (uint32_t i = 0; i < test->program.count; i++) {
        if (i != trace->result.fault_instruction && trace->times[i].started == cycle &&
            spoil_write_of(test, i, seed)) {
            return true;
        }
    }
    return false;
}

/* Lets something else that happens in a cycle be a fault. */
static bool spoil_cycle(struct cosim_case *test, const struct weft_trace *trace, uint64_t cycle,
                        uint64_t *seed) {
    uint32_t count = (uint32_t)test->program.count;
    bool dispatch = random_chance(seed, 50);
    uint32_t number = number_at(test, trace, dispatch, cycle - (dispatch ? 1 : 0));
    if (dispatch && number + 1 < count && random_chance(seed, 50)) {
        /* Dispatch has just passed this one on: it looks for the next, and there is none. */
        test->regions.limit[WEFT_REGION_PROGRAM] = (number + 1) * (uint64_t)WEFT_INSTRUCTION_BYTES;
        return true;
    }
    uint32_t faulting = trace->result.fault_instruction;
    if (faulting < count && random_chance(seed, 20) && spoil_write_of(test, faulting, seed)) {
        return true; /* in the place of what else is wrong with the STORE, or hidden by it */
    }
    if (!dispatch && random_chance(seed, 60) && spoil_write_at(test, trace, cycle, seed)) {
        return true;
    }
    number = number_at(test, trace, dispatch, cycle);
    if (number == count) {
        return false;
    }
    if (dispatch) {
        return spoil_encoding_of(test, number, seed);
    }
    return spoil_start(test, trace, number, cycle, seed);
}

/* Picks an instruction that is dispatched, or starts, as another one starts, and spoils it, so that
 * spoil_cycle() finds that one. */
static bool spoil_aimed(struct cosim_case *test, const struct weft_trace *trace, uint64_t *seed) {
    uint32_t count = (uint32_t)test->program.count;
    uint32_t first = (uint32_t)random_between(seed, 0, (int64_t)count - 1);
    bool encoding = random_chance(seed, 40);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = (first + i) % count;
        uint64_t cycle = encoding ? trace->times[a].dispatched : trace->times[a].started;
        for (uint32_t b = 0; b < count && cycle != 0; b++) {
            if (b == a || trace->times[b].started != cycle) {
                continue;
            }
            if (encoding) {
                return spoil_encoding_of(test, a, seed);
            }
            return spoil_start(test, trace, a, cycle, seed);
        }
    }
    return false;
}

/* Takes the fault that is reported out of a program. */
static void mend(struct cosim_case *test, const struct cosim_case *valid,
                 const struct weft_run_result *result) {
    uint32_t number = result->fault_instruction;
    if (result->fault == WEFT_FAULT_PROGRAM_END) {
        test->regions.limit[WEFT_REGION_PROGRAM] = valid->regions.limit[WEFT_REGION_PROGRAM];
    } else if (result->fault == WEFT_FAULT_WRITE) {
        /* Not back to another region, which it may pass. */
        test->regions.writable |= 1U << test->program.instructions[number].store.region;
    } else if (result->fault == WEFT_FAULT_SEMAPHORE) {
        test->program.instructions[number].signal = 0;
    } else if (number < test->program.count) {
        test->program.instructions[number] = valid->program.instructions[number];
    }
}

/* Sets test->also: a fault of the same cycle shows itself when the reported one is gone. */
static bool find_also(struct cosim_case *test, const struct cosim_case *valid,
                      const struct weft_trace *trace, struct weft_error *error) {
    enum weft_fault fault = trace->result.fault;
    if (fault == WEFT_FAULT_DEADLOCK || fault == WEFT_FAULT_WATCHDOG) { /* no place to mend */
        bool both = fault == WEFT_FAULT_DEADLOCK && trace->result.counters.cycles == test->watchdog;
        test->also = both ? WEFT_FAULT_WATCHDOG : WEFT_FAULT_NONE;
        return true;
    }
    struct cosim_case mended;
    struct weft_trace others;
    if (!case_copy(test, &mended, error)) {
        return false;
    }
    mend(&mended, valid, &trace->result);
    bool good = trace_record(&mended, &others, error);
    if (good && others.result.counters.cycles == trace->result.counters.cycles) {
        test->also = others.result.fault;
    }
    if (good) {
        weft_trace_free(&others);
    }
    case_free(&mended);
    return good;
}

/* After the first fault is known: a second one in its cycle, or the watchdog in it or beside it. */
static bool add_second(struct cosim_case *test, const struct cosim_case *valid,
                       struct weft_trace *trace, uint64_t *seed, struct weft_error *error) {
    uint64_t cycle = trace->result.counters.cycles;
    if (trace->result.fault == WEFT_FAULT_DEADLOCK || random_chance(seed, 20)) {
        test->watchdog = cycle + (uint64_t)random_between(seed, 0, 2);
        test->watchdog -= test->watchdog > 1;
    } else if (!spoil_cycle(test, trace, cycle, seed)) {
        return true;
    }
    test->also = WEFT_FAULT_NONE;
    return record_again(test, trace, error) &&
           (trace->result.fault == WEFT_FAULT_NONE || find_also(test, valid, trace, error));
}

/* ---- the program ---- */

struct attempt {
    struct cosim_case valid;
    struct cosim_case test;
    struct weft_trace trace;
    bool good; /* it faults as wanted */
};

/* Spoils attempt->test, which is a copy of attempt->valid. */
static bool spoil_it(struct attempt *attempt, const struct way *way, uint64_t *random,
                     struct weft_error *error) {
    struct cosim_case *test = &attempt->test;
    struct weft_trace *trace = &attempt->trace;
    bool several = random_chance(random, 40);
    bool aimed = several && way->spoil != NULL && random_chance(random, 60);
    spoil_function *spoil = aimed ? spoil_aimed : way->spoil;
    bool spoiled = way->spoil == NULL || spoil(test, trace, random);
    if (!record_again(test, trace, error)) {
        return false;
    }
    enum weft_fault fault = trace->result.fault;
    if (way->spoil == NULL && fault == WEFT_FAULT_SEMAPHORE &&
        !find_also(test, &attempt->valid, trace, error)) {
        return false;
    }
    bool escapes = /* HALT in the cycle of the watchdog */
        fault == WEFT_FAULT_NONE && trace->result.counters.cycles == test->watchdog;
    attempt->good =
        spoiled && (aimed || fault == way->fault || escapes || random_chance(random, 10));
    if (attempt->good && several && fault != WEFT_FAULT_NONE) {
        if (!add_second(test, &attempt->valid, trace, random, error)) {
            return false;
        }
        attempt->good = test->also != WEFT_FAULT_NONE || random_chance(random, 10);
    }
    return true;
}

static bool attempt_make(const struct weft_config *config, uint64_t seed, struct attempt *attempt,
                         struct weft_error *error) {
    uint64_t random = random_seed(seed, 1);
    const struct way *way = &ways[random_between(&random, 0, (int64_t)LENGTH(ways) - 1)];
    *attempt = (struct attempt){.good = false};
    if (!base_program(config, seed, way, &attempt->valid, &attempt->trace, error)) {
        return false;
    }
    bool good =
        case_copy(&attempt->valid, &attempt->test, error) && spoil_it(attempt, way, &random, error);
    weft_trace_free(&attempt->trace);
    case_free(&attempt->valid);
    if (!good) {
        case_free(&attempt->test);
    }
    return good;
}

bool random_fault(const struct weft_config *config, uint64_t seed, struct cosim_case *test,
                  struct weft_error *error) {
    struct attempt attempt;
    for (unsigned i = 0; i < TRIES; i++) {
        if (i > 0) {
            case_free(&attempt.test);
        }
        if (!attempt_make(config, random_seed(seed, i), &attempt, error)) {
            return false;
        }
        if (attempt.good) {
            break;
        }
    }
    *test = attempt.test; /* the last one, good or not */
    test->seed = seed;
    return true;
}
