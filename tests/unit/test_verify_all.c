/* isa/verify: small random programs against a search through every order of events. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "isa/verify/order.h"
#include "isa/verify/verify.h"
#include "tests/unit/helpers.h"

enum {
    MOST = 8, /* instructions before HALT */
};

/* What some timing can lead to. */
struct search {
    const struct weft_config *config;
    const struct weft_instruction *program;
    size_t count; /* without HALT */
    size_t unit_count[WEFT_UNITS];
    size_t number[WEFT_UNITS][MOST];
    bool visited[1 << 16];
    bool deadlock;
    bool overflow;
    bool race;
};

/* How many instructions of each unit have started and finished. */
struct point {
    size_t started[WEFT_UNITS];
    size_t finished[WEFT_UNITS];
};

static int tokens(const struct search *search, const struct point *point, unsigned producer,
                  unsigned consumer) {
    int held = 0;
    for (size_t i = 0; i < point->finished[producer]; i++) {
        held += (int)(search->program[search->number[producer][i]].signal >> consumer & 1);
    }
    for (size_t i = 0; i < point->started[consumer]; i++) {
        held -= (int)(search->program[search->number[consumer][i]].wait >> producer & 1);
    }
    return held;
}

/* Everything before the last FENCE before instruction `number` has finished. */
static bool fences_passed(const struct search *search, const struct point *point, size_t number) {
    size_t fence = 0;
    for (size_t i = 0; i < number; i++) {
        fence = search->program[i].opcode == WEFT_OPCODE_FENCE ? i : fence;
    }
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        if (point->finished[unit] < search->unit_count[unit] &&
            search->number[unit][point->finished[unit]] < fence) {
            return false;
        }
    }
    return true;
}

/* Dispatch has put the instruction into its queue: nothing before it is held up. */
static bool dispatched(const struct search *search, const struct point *point, size_t number) {
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        size_t queued = 0;
        for (size_t i = point->started[unit];
             i < search->unit_count[unit] && search->number[unit][i] <= number; i++) {
            queued++;
        }
        if (queued > search->config->queue_depth) {
            return false;
        }
    }
    return fences_passed(search, point, number);
}

static bool can_start(const struct search *search, const struct point *point, unsigned unit) {
    if (point->started[unit] == search->unit_count[unit] ||
        (unit == WEFT_UNIT_VECTOR && point->started[unit] != point->finished[unit])) {
        return false;
    }
    size_t number = search->number[unit][point->started[unit]];
    for (unsigned producer = 0; producer < WEFT_UNITS; producer++) {
        if ((search->program[number].wait >> producer & 1) != 0 &&
            tokens(search, point, producer, unit) == 0) {
            return false;
        }
    }
    return dispatched(search, point, number);
}

static bool meets_another(const struct search *search, const struct point *point, unsigned unit) {
    const uint32_t *banks = search->program[search->number[unit][point->started[unit]]].banks;
    for (unsigned other = 0; other < WEFT_UNITS; other++) {
        for (size_t i = point->finished[other]; other != unit && i < point->started[other]; i++) {
            for (unsigned memory = 0; memory < WEFT_MEMORIES; memory++) {
                if ((search->program[search->number[other][i]].banks[memory] & banks[memory]) !=
                    0) {
                    return true;
                }
            }
        }
    }
    return false;
}

static void explore(struct search *search, struct point point) {
    size_t key = 0;
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        key = key * 4 + point.started[unit];
        key = key * 4 + point.finished[unit];
    }
    if (search->visited[key]) {
        return;
    }
    search->visited[key] = true;
    bool moved = false;
    bool complete = true;
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        complete = complete && point.finished[unit] == search->unit_count[unit];
        if (can_start(search, &point, unit)) {
            moved = true;
            search->race = search->race || meets_another(search, &point, unit);
            point.started[unit]++;
            explore(search, point);
            point.started[unit]--;
        }
        if (point.finished[unit] < point.started[unit]) {
            moved = true;
            point.finished[unit]++;
            for (unsigned consumer = 0; consumer < WEFT_UNITS; consumer++) {
                search->overflow = search->overflow || tokens(search, &point, unit, consumer) >
                                                           (int)search->config->semaphore_max;
            }
            explore(search, point);
            point.finished[unit]--;
        }
    }
    search->deadlock = search->deadlock || (!moved && !complete);
}

/* An instruction of a unit that touches nothing but the banks it is given. */
static struct weft_instruction random_user(uint64_t *seed, unsigned unit) {
    static const enum weft_opcode opcodes[] = {WEFT_OPCODE_FILL, WEFT_OPCODE_MATRIX,
                                               WEFT_OPCODE_VECTOR, WEFT_OPCODE_STORE};
    struct weft_instruction instruction = weft_instruction_new(opcodes[unit]);
    uint32_t bank = (uint32_t)random_between(seed, 0, 3) * 4 + unit;
    instruction.banks[WEFT_MEMORY_ACT] = 1U << bank;
    switch (unit) {
    case WEFT_UNIT_LOAD:
        instruction.fill.local = bank * 8192;
        break;
    case WEFT_UNIT_MATRIX:
        instruction.matrix.act = bank * 8192;
        instruction.banks[WEFT_MEMORY_WGT] = 1;
        instruction.banks[WEFT_MEMORY_ACC] = 1;
        break;
    case WEFT_UNIT_VECTOR:
        instruction.vector.function = WEFT_FUNCTION_FILL;
        instruction.vector.out = bank * 512;
        break;
    default:
        instruction.store.region = WEFT_REGION_OUTPUTS;
        instruction.store.local = bank * 8192;
        break;
    }
    return instruction;
}

/* At most three instructions of each unit and perhaps a FENCE; returns how many. Semaphores are
 * balanced. */
static size_t random_program(uint64_t *seed, struct weft_instruction *program) {
    size_t count = (size_t)random_between(seed, 2, MOST);
    size_t of_unit[WEFT_UNITS] = {0};
    for (size_t i = 0; i < count; i++) {
        unsigned unit = (unsigned)random_between(seed, 0, WEFT_UNITS - 1);
        if (of_unit[unit] == 3 || random_chance(seed, 5)) {
            program[i] = weft_instruction_new(WEFT_OPCODE_FENCE);
            continue;
        }
        of_unit[unit]++;
        program[i] = random_user(seed, unit);
        /* The bank that all programs fight for. */
        if (random_chance(seed, 30)) {
            program[i].banks[WEFT_MEMORY_ACT] |= 1U << 31;
        }
    }
    for (unsigned token = 0; token < 40; token++) {
        size_t giver = (size_t)random_between(seed, 0, (int64_t)count - 1);
        size_t taker = (size_t)random_between(seed, 0, (int64_t)count - 1);
        unsigned from = weft_format_of(program[giver].opcode)->unit;
        unsigned to = weft_format_of(program[taker].opcode)->unit;
        bool backwards = giver > taker && random_chance(seed, 90);
        if (from == WEFT_UNITS || to == WEFT_UNITS || from == to || backwards ||
            (program[giver].signal >> to & 1) != 0 || (program[taker].wait >> from & 1) != 0) {
            continue;
        }
        program[giver].signal |= 1U << to;
        program[taker].wait |= 1U << from;
        if (random_chance(seed, 15)) {
            break;
        }
    }
    program[count] = weft_instruction_new(WEFT_OPCODE_HALT);
    return count;
}

static enum weft_error_code search_all(const struct weft_config *config,
                                       const struct weft_instruction *program, size_t count) {
    static struct search search;
    memset(&search, 0, sizeof search);
    search.config = config;
    search.program = program;
    search.count = count;
    for (size_t i = 0; i < count; i++) {
        unsigned unit = weft_format_of(program[i].opcode)->unit;
        if (unit != WEFT_UNITS) {
            search.number[unit][search.unit_count[unit]++] = i;
        }
    }
    explore(&search, (struct point){{0}, {0}});
    return search.deadlock   ? WEFT_VERIFY_DEADLOCK
           : search.overflow ? WEFT_VERIFY_OVERFLOW
           : search.race     ? WEFT_VERIFY_BANK_RACE
                             : WEFT_OK;
}

static void print_program(const struct weft_instruction *program, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct weft_text text = {0};
        weft_disassemble(&program[i], &text);
        print_error("%s\n", text.bytes);
        weft_text_free(&text);
    }
}

static void programs_are_rejected_exactly_when_some_order_of_events_is_bad(void **state) {
    (void)state;
    uint64_t seed = 9;
    struct weft_config config = config_of("ref16");
    struct weft_regions regions = same_regions(1 << 20);
    unsigned outcomes[WEFT_ERROR_CODES] = {0};
    for (int i = 0; i < 20000; i++) {
        struct weft_instruction program[MOST + 1];
        size_t count = random_program(&seed, program);
        /* Enough room for all instructions of a unit, so that queues order nothing. */
        config.queue_depth = 3;
        config.semaphore_max = (uint32_t)random_between(&seed, 1, 2);
        struct weft_proof proof;
        struct weft_error error;
        bool good = weft_verify(&config, program, count + 1, &regions, &proof, &error);
        enum weft_error_code code = good ? WEFT_OK : error.code;
        enum weft_error_code expected = search_all(&config, program, count);
        if (code != expected) {
            print_program(program, count);
            print_error("expected %s\n", weft_error_name(expected));
        }
        assert_string_equal(weft_error_name(code), weft_error_name(expected));
        outcomes[expected]++;
    }
    assert_true(outcomes[WEFT_OK] > 1000);
    assert_true(outcomes[WEFT_VERIFY_DEADLOCK] > 1000);
    assert_true(outcomes[WEFT_VERIFY_OVERFLOW] > 100);
    assert_true(outcomes[WEFT_VERIFY_BANK_RACE] > 1000);
}

static void short_queues_deadlock_exactly_when_some_order_does(void **state) {
    (void)state;
    uint64_t seed = 10;
    struct weft_config config = config_of("ref16");
    struct weft_regions regions = same_regions(1 << 20);
    config.queue_depth = 2;
    unsigned deadlocks = 0;
    for (int i = 0; i < 20000; i++) {
        struct weft_instruction program[MOST + 1];
        size_t count = random_program(&seed, program);
        struct weft_proof proof;
        struct weft_error error;
        bool good = weft_verify(&config, program, count + 1, &regions, &proof, &error);
        enum weft_error_code expected = search_all(&config, program, count);
        bool deadlock = expected == WEFT_VERIFY_DEADLOCK;
        assert_int_equal(!good && error.code == WEFT_VERIFY_DEADLOCK, deadlock);
        /* The queue may order what the proof cannot see, never the other way round. */
        assert_false(good && expected != WEFT_OK);
        deadlocks += deadlock;
    }
    assert_true(deadlocks > 1000);
}

/* ---- weft_start_order ---- */

static void start_orders_keep_tokens_units_and_fences(void **state) {
    (void)state;
    uint64_t seed = 11;
    struct weft_config config = config_of("ref16");
    for (int round = 0; round < 5000; round++) {
        struct weft_instruction program[MOST + 1];
        uint32_t order[MOST + 1];
        size_t count = random_program(&seed, program) + 1;
        struct weft_order_end end = {0};
        struct weft_error error;
        bool good = weft_start_order(&config, program, count, order, &end, &error);
        assert_true(good || error.code == WEFT_VERIFY_DEADLOCK);
        assert_int_equal(good, end.ordered == count);
        int held[WEFT_UNITS][WEFT_UNITS] = {{0}};
        int64_t last[WEFT_UNITS + 1] = {-1, -1, -1, -1, -1};
        bool seen[MOST + 1] = {false};
        for (size_t i = 0; i < end.ordered; i++) {
            const struct weft_instruction *instruction = &program[order[i]];
            unsigned unit = weft_format_of(instruction->opcode)->unit;
            assert_false(seen[order[i]]);
            seen[order[i]] = true;
            assert_true(order[i] > last[unit]);
            last[unit] = order[i];
            for (unsigned other = 0; other < WEFT_UNITS && unit != WEFT_UNITS; other++) {
                held[other][unit] -= (int)(instruction->wait >> other & 1);
                held[unit][other] += (int)(instruction->signal >> other & 1);
                assert_true(held[other][unit] >= 0);
            }
            for (size_t before = 0; unit == WEFT_UNITS && before < order[i]; before++) {
                assert_true(seen[before]);
            }
            for (size_t after = order[i]; unit == WEFT_UNITS && ++after < count;) {
                assert_false(seen[after]);
            }
        }
    }
}

static void unknown_opcodes_end_the_order(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction program[] = {weft_instruction_new(WEFT_OPCODE_FILL),
                                         weft_instruction_new(WEFT_OPCODE_VECTOR),
                                         {.opcode = 0},
                                         weft_instruction_new(WEFT_OPCODE_HALT)};
    uint32_t order[4];
    struct weft_order_end end = {0};
    struct weft_error error;
    ASSERT_GOOD(weft_start_order(&config, program, 4, order, &end, &error), error);
    assert_int_equal(end.ordered, 2);
    ASSERT_GOOD(weft_start_order(&config, program, 0, order, &end, &error), error);
    assert_int_equal(end.ordered, 0);
}

static void programs_without_halt_have_an_order(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction fill = weft_instruction_new(WEFT_OPCODE_FILL);
    uint32_t order[1];
    struct weft_order_end end = {0};
    struct weft_error error;
    ASSERT_GOOD(weft_start_order(&config, &fill, 1, order, &end, &error), error);
    assert_int_equal(end.ordered, 1);
}

/* What lies behind the program looks like the unknown opcode that ends an order. */
static void stuck_programs_without_halt_deadlock(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction *program = calloc(2, sizeof *program);
    assert_non_null(program);
    program[0] = weft_instruction_new(WEFT_OPCODE_FILL);
    program[0].wait = 1U << WEFT_UNIT_STORE;
    uint32_t order[1];
    struct weft_order_end end = {0};
    struct weft_error error;
    ASSERT_FAILS(weft_start_order(&config, program, 1, order, &end, &error), error,
                 WEFT_VERIFY_DEADLOCK);
    assert_int_equal(end.ordered, 0);
    free(program);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_rejected_exactly_when_some_order_of_events_is_bad),
        cmocka_unit_test(short_queues_deadlock_exactly_when_some_order_does),
        cmocka_unit_test(start_orders_keep_tokens_units_and_fences),
        cmocka_unit_test(unknown_opcodes_end_the_order),
        cmocka_unit_test(programs_without_halt_have_an_order),
        cmocka_unit_test(stuck_programs_without_halt_deadlock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
