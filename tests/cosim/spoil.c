/* Banks, tokens, the end of the program and the watchdog. */
#include "tests/cosim/spoil.h"

#include "base/integer.h"
#include "isa/claims.h"
#include "tests/unit/helpers.h"

static unsigned unit_of(const struct cosim_case *test, uint32_t number) {
    return weft_format_of(test->program.instructions[number].opcode)->unit;
}

static uint32_t any_number(const struct cosim_case *test, uint64_t *seed) {
    return (uint32_t)random_between(seed, 0, (int64_t)test->program.count - 1);
}

/* ---- banks ---- */

void spoil_bank_of(struct cosim_case *test, uint32_t first, uint32_t second, uint64_t *seed) {
    unsigned memories = test->config->lookup != 0 ? WEFT_MEMORIES : WEFT_MEMORY_LUT;
    enum weft_memory memory = (enum weft_memory)random_between(seed, 0, (int64_t)memories - 1);
    unsigned banks = weft_banks(test->config, memory);
    struct weft_instruction *a = &test->program.instructions[first];
    struct weft_instruction *b = &test->program.instructions[second];
    if (a->banks[memory] == 0 || random_chance(seed, 30)) {
        a->banks[memory] |= 1U << random_between(seed, 0, (int64_t)banks - 1);
    }
    unsigned bank = (unsigned)random_between(seed, 0, (int64_t)banks - 1);
    while ((a->banks[memory] >> bank & 1) == 0) {
        bank = (bank + 1) % banks;
    }
    if (memory == WEFT_MEMORY_ACT && random_chance(seed, 40)) { /* perhaps only their ports meet */
        uint32_t neighbours = weft_act_neighbours(test->config, 1U << bank);
        bank = (unsigned)random_between(seed, 0, (int64_t)banks - 1);
        while ((neighbours >> bank & 1) == 0) {
            bank = (bank + 1) % banks;
        }
    }
    b->banks[memory] |= 1U << bank;
}

/* Is `first` in flight when `second` starts? */
static bool are_together(const struct weft_trace *trace, uint32_t first, uint32_t second,
                         bool same_cycle) {
    const struct weft_trace_times *a = &trace->times[first];
    const struct weft_trace_times *b = &trace->times[second];
    return a->started != 0 && b->started != 0 &&
           (same_cycle ? a->started == b->started
                       : a->started <= b->started && b->started <= a->finished);
}

/* Finds instructions of two units (WEFT_UNITS: any) of which one owns its banks when the other
 * starts. */
static bool find_together(const struct cosim_case *test, const struct weft_trace *trace,
                          const unsigned units[2], bool same_cycle, uint32_t pair[2]) {
    uint32_t count = (uint32_t)test->program.count;
    uint32_t first = pair[0];
    uint32_t second = pair[1];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = (first + i) % count;
        unsigned unit = unit_of(test, a);
        if (unit == WEFT_UNITS || (units[0] != WEFT_UNITS && unit != units[0])) {
            continue;
        }
        for (uint32_t k = 0; k < count; k++) {
            uint32_t b = (second + k) % count;
            unsigned other = unit_of(test, b);
            bool wanted = units[1] == WEFT_UNITS ? other != WEFT_UNITS : other == units[1];
            if (wanted && other != unit && are_together(trace, a, b, same_cycle)) {
                pair[0] = a;
                pair[1] = b;
                return true;
            }
        }
    }
    return false;
}

/* Every pair of units as often as any other, if they meet at all. */
bool spoil_bank(struct cosim_case *test, const struct weft_trace *trace, uint64_t *seed) {
    static const unsigned any[2] = {WEFT_UNITS, WEFT_UNITS};
    bool same_cycle = random_chance(seed, 35);
    unsigned units[2];
    units[0] = (unsigned)random_between(seed, 0, WEFT_UNITS - 1);
    units[1] = (units[0] + (unsigned)random_between(seed, 1, WEFT_UNITS - 1)) % WEFT_UNITS;
    uint32_t pair[2];
    pair[0] = any_number(test, seed);
    pair[1] = any_number(test, seed);
    if (!find_together(test, trace, units, same_cycle, pair) &&
        !find_together(test, trace, any, same_cycle, pair)) {
        return false;
    }
    spoil_bank_of(test, pair[0], pair[1], seed);
    return true;
}

/* ---- tokens that never come ---- */

bool spoil_deadlock(struct cosim_case *test, const struct weft_trace *trace, uint64_t *seed) {
    (void)trace;
    uint32_t count = (uint32_t)test->program.count;
    uint32_t start = any_number(test, seed);
    unsigned shift = (unsigned)random_between(seed, 0, WEFT_UNITS - 1);
    bool drop = random_chance(seed, 60);
    for (uint32_t i = 0; i < count; i++) {
        struct weft_instruction *instruction = &test->program.instructions[(start + i) % count];
        unsigned unit = unit_of(test, (start + i) % count);
        for (unsigned k = 0; k < WEFT_UNITS && unit != WEFT_UNITS; k++) {
            uint32_t bit = 1U << (shift + k) % WEFT_UNITS;
            if (drop && (instruction->signal & bit) != 0) {
                instruction->signal &= ~bit;
                return true;
            }
            if (!drop && bit != 1U << unit && (instruction->wait & bit) == 0) {
                instruction->wait |= bit;
                return true;
            }
        }
    }
    return false;
}

/* ---- the end ---- */

/* The program counts in whole instructions: bytes behind the last one do not matter. */
bool spoil_program_end(struct cosim_case *test, const struct weft_trace *trace, uint64_t *seed) {
    (void)trace;
    uint64_t instructions = any_number(test, seed);
    uint64_t more = random_chance(seed, 70) ? 0 : (uint64_t)random_between(seed, 1, 63);
    test->regions.limit[WEFT_REGION_PROGRAM] = instructions * WEFT_INSTRUCTION_BYTES + more;
    return true;
}

/* In any cycle, or in one in which something happens, or beside it. */
bool spoil_watchdog(struct cosim_case *test, const struct weft_trace *trace, uint64_t *seed) {
    uint64_t last = trace->result.counters.cycles;
    uint32_t number = any_number(test, seed);
    const uint64_t cycles[] = {last,
                               last - 1,
                               last + 1,
                               trace->times[number].dispatched,
                               trace->times[number].started,
                               trace->times[number].finished};
    uint64_t cycle = (uint64_t)random_between(seed, 1, (int64_t)last);
    if (random_chance(seed, 50)) {
        cycle = cycles[random_between(seed, 0, (int64_t)LENGTH(cycles) - 1)];
        cycle += (uint64_t)random_between(seed, 0, 2);
        cycle = cycle > 1 ? cycle - 1 : 1;
    }
    test->watchdog = cycle;
    return true;
}
