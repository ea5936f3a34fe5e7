/* The tools of tests/cosim themselves: random programs, cases as text, the shrinker. */
#include "tests/unit/test.h"

#include <string.h>

#include "sim/timing/timing.h"
#include "tests/cosim/compare.h"
#include "tests/cosim/random_fault.h"
#include "tests/cosim/random_program.h"
#include "tests/cosim/shrink.h"
#include "tests/cosim/trace.h"
#include "tests/unit/helpers.h"

static struct weft_error error;

static struct cosim_case program_of(const struct weft_config *config, uint64_t seed) {
    struct cosim_case test;
    ASSERT_GOOD(random_program(config, seed, 0, &test, &error), error);
    return test;
}

static struct cosim_case fault_of(const struct weft_config *config, uint64_t seed) {
    struct cosim_case test;
    ASSERT_GOOD(random_fault(config, seed, &test, &error), error);
    return test;
}

static struct weft_text text_of(const struct cosim_case *test) {
    struct weft_text text = {0};
    case_print(test, &text);
    ASSERT_GOOD(weft_text_finish(&text, &error), error);
    return text;
}

static void assert_same_case(const struct cosim_case *a, const struct cosim_case *b) {
    struct weft_text first = text_of(a);
    struct weft_text second = text_of(b);
    assert_string_equal(first.bytes, second.bytes);
    weft_text_free(&first);
    weft_text_free(&second);
}

/* ---- programs ---- */

static void random_programs_verify(void **state) {
    (void)state;
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        struct weft_config config = config_of(shipped_configs[i]);
        for (uint64_t seed = 1; seed <= 200; seed++) {
            struct cosim_case test = program_of(&config, random_seed(99, seed));
            ASSERT_GOOD(case_verify(&test, &error), error);
            assert_true(test.program.count <= RANDOM_MOST);
            case_free(&test);
        }
    }
}

/* A plan that is smaller than the tokens want must still end. */
static void short_programs_verify(void **state) {
    (void)state;
    struct weft_config config = config_of("small8");
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct cosim_case test;
        ASSERT_GOOD(random_program(&config, seed, 30, &test, &error), error);
        ASSERT_GOOD(case_verify(&test, &error), error);
        assert_true(test.program.count <= 40);
        case_free(&test);
    }
}

static void other_machines_get_programs_too(void **state) {
    (void)state;
    for (uint32_t block = 8; block <= 32; block *= 2) {
        struct weft_config config = tiny_config(block);
        config.semaphore_max = 1;
        config.queue_depth = 2;
        for (uint64_t seed = 1; seed <= 100; seed++) {
            struct cosim_case test = program_of(&config, seed);
            ASSERT_GOOD(case_verify(&test, &error), error);
            case_free(&test);
        }
    }
}

static void a_seed_gives_one_program(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct cosim_case once = program_of(&config, seed);
        struct cosim_case again = program_of(&config, seed);
        assert_same_case(&once, &again);
        case_free(&once);
        case_free(&again);
        once = fault_of(&config, seed);
        again = fault_of(&config, seed);
        assert_same_case(&once, &again);
        case_free(&once);
        case_free(&again);
    }
}

static void most_faulty_programs_fault(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    unsigned faults[WEFT_FAULTS] = {0};
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct cosim_case test = fault_of(&config, random_seed(7, seed));
        struct weft_trace trace;
        ASSERT_GOOD(trace_record(&test, &trace, &error), error);
        faults[trace.result.fault]++;
        weft_trace_free(&trace);
        case_free(&test);
    }
    assert_true(faults[WEFT_FAULT_NONE] < 10);
    for (unsigned fault = WEFT_FAULT_ENCODING; fault <= WEFT_FAULT_WATCHDOG; fault++) {
        assert_true(faults[fault] > 10);
    }
    assert_true(faults[WEFT_FAULT_WRITE] > 10);
}

/* ---- text ---- */

static void text_gives_the_case_back(void **state) {
    (void)state;
    struct weft_config config = config_of("small8");
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct cosim_case test =
            seed % 2 == 0 ? program_of(&config, seed) : fault_of(&config, seed);
        struct weft_text text = text_of(&test);
        struct weft_config read_config;
        struct cosim_case read;
        ASSERT_GOOD(case_parse(text.bytes, text.length, &read_config, &read, &error), error);
        assert_same_case(&test, &read);
        assert_int_equal(read.program.count, test.program.count);
        assert_int_equal(read.raws, test.raws);
        weft_text_free(&text);
        case_free(&read);
        case_free(&test);
    }
}

static void wrong_text_is_rejected(void **state) {
    (void)state;
    static const char *const sources[] = {
        "halt\n",
        ";! config ref16\n;! latency 1\nhalt\n",
        ";! config nowhere\n;! latency 1\n;! interval 1\nhalt\n",
        ";! config ref16\n;! latency 1\n;! interval 1\n;! colour 3\nhalt\n",
        ";! config ref16\n;! latency 1\n;! interval 1\n;! raw0 00\nhalt\n",
        ";! config ref16\n;! latency 1\n;! interval 1\n;! limit9 3\nhalt\n",
        ";! config\nhalt\n",
    };
    for (size_t i = 0; i < LENGTH(sources); i++) {
        struct weft_config config;
        struct cosim_case test;
        assert_false(case_parse(sources[i], strlen(sources[i]), &config, &test, &error));
    }
}

/* ---- the shrinker ---- */

/* Planted: a depthwise MATRIX that accumulates, somewhere behind a LOAD to PAR. */
static bool has_planted(void *context, const struct cosim_case *test) {
    bool loaded = false;
    (void)context;
    for (size_t i = 0; i < test->program.count; i++) {
        const struct weft_instruction *instruction = &test->program.instructions[i];
        loaded |=
            instruction->opcode == WEFT_OPCODE_LOAD && instruction->load.memory == WEFT_TARGET_PAR;
        if (loaded && instruction->opcode == WEFT_OPCODE_MATRIX &&
            instruction->matrix.mode == WEFT_MODE_DEPTHWISE && instruction->matrix.accumulate) {
            return true;
        }
    }
    return false;
}

static void a_planted_pattern_shrinks_to_itself(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    unsigned tried = 0;
    for (uint64_t seed = 1; tried < 3; seed++) {
        struct cosim_case test = program_of(&config, seed);
        if (has_planted(NULL, &test)) {
            struct shrink_result result;
            ASSERT_GOOD(shrink(&test, has_planted, NULL, 5000, &result, &error), error);
            ASSERT_GOOD(case_verify(&test, &error), error);
            assert_int_equal(test.program.count, 3); /* with HALT */
            assert_int_equal(test.program.instructions[0].load.run, 1);
            assert_int_equal(test.memory_latency, 1);
            assert_int_equal(test.memory_interval, 1);
            tried++;
        }
        case_free(&test);
    }
}

/* Planted: a machine that lets one STORE less be in flight. */
static bool times_differ(void *context, const struct cosim_case *test) {
    const struct weft_config *wrong = context;
    struct weft_timing_settings settings = case_settings(test);
    struct weft_run_result right_run;
    struct weft_run_result wrong_run;
    ASSERT_GOOD(weft_timing_run(test->config, test->program.instructions, test->program.count,
                                &settings, NULL, &right_run, &error),
                error);
    ASSERT_GOOD(weft_timing_run(wrong, test->program.instructions, test->program.count, &settings,
                                NULL, &wrong_run, &error),
                error);
    return right_run.counters.cycles != wrong_run.counters.cycles;
}

static void a_wrong_limit_shrinks_to_a_few_stores(void **state) {
    (void)state;
    struct weft_config config = config_of("small8");
    struct weft_config wrong = config;
    wrong.store_instructions = 2;
    unsigned tried = 0;
    for (uint64_t seed = 1; tried < 3; seed++) {
        struct cosim_case test = program_of(&config, seed);
        if (times_differ(&wrong, &test)) {
            struct shrink_result result;
            ASSERT_GOOD(shrink(&test, times_differ, &wrong, 5000, &result, &error), error);
            ASSERT_GOOD(case_verify(&test, &error), error);
            assert_true(times_differ(&wrong, &test));
            assert_true(test.program.count <= 8);
            tried++;
        }
        case_free(&test);
    }
}

/* A semaphore that overflows needs as many givers as it holds, and one. */
static bool overflows(void *context, const struct cosim_case *test) {
    struct weft_trace trace;
    (void)context;
    ASSERT_GOOD(trace_record(test, &trace, &error), error);
    enum weft_fault fault = trace.result.fault;
    weft_trace_free(&trace);
    return fault == WEFT_FAULT_SEMAPHORE;
}

static void programs_that_fault_shrink(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    unsigned tried = 0;
    for (uint64_t seed = 1; tried < 2; seed++) {
        struct cosim_case test = fault_of(&config, seed);
        if (overflows(NULL, &test)) {
            struct shrink_result result;
            ASSERT_GOOD(shrink(&test, overflows, NULL, 20000, &result, &error), error);
            assert_true(test.program.count <= config.semaphore_max + 2); /* and HALT */
            tried++;
        }
        case_free(&test);
    }
}

static void the_shrinker_stops_at_its_limit(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct cosim_case test = program_of(&config, 3);
    struct shrink_result result;
    uint64_t latency = test.memory_latency;
    ASSERT_GOOD(shrink(&test, has_planted, NULL, 0, &result, &error), error);
    assert_true(result.stopped);
    assert_int_equal(result.calls, 0);
    assert_int_equal(test.memory_latency, latency);
    case_free(&test);
}

/* The interpretation of tokens: token k given is token k taken. */
static void removing_keeps_tokens_in_pairs(void **state) {
    (void)state;
    struct weft_config config = config_of("large32");
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct cosim_case test = program_of(&config, seed);
        uint64_t random = seed;
        while (test.program.count > 1) {
            uint32_t at = (uint32_t)random_between(&random, 0, (int64_t)test.program.count - 2);
            case_remove(&test, at, 1, random_chance(&random, 50));
            int64_t balance[WEFT_UNITS][WEFT_UNITS] = {{0}};
            for (size_t i = 0; i < test.program.count; i++) {
                const struct weft_instruction *instruction = &test.program.instructions[i];
                unsigned unit = weft_format_of(instruction->opcode)->unit;
                for (unsigned k = 0; k < WEFT_UNITS && unit != WEFT_UNITS; k++) {
                    balance[unit][k] += instruction->signal >> k & 1;
                    balance[k][unit] -= instruction->wait >> k & 1;
                }
            }
            for (unsigned i = 0; i < WEFT_UNITS * WEFT_UNITS; i++) {
                assert_int_equal(balance[i / WEFT_UNITS][i % WEFT_UNITS], 0);
            }
        }
        assert_int_equal(test.regions.limit[WEFT_REGION_PROGRAM], WEFT_INSTRUCTION_BYTES);
        case_free(&test);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_verify),
        cmocka_unit_test(short_programs_verify),
        cmocka_unit_test(other_machines_get_programs_too),
        cmocka_unit_test(a_seed_gives_one_program),
        cmocka_unit_test(most_faulty_programs_fault),
        cmocka_unit_test(text_gives_the_case_back),
        cmocka_unit_test(wrong_text_is_rejected),
        cmocka_unit_test(a_planted_pattern_shrinks_to_itself),
        cmocka_unit_test(a_wrong_limit_shrinks_to_a_few_stores),
        cmocka_unit_test(programs_that_fault_shrink),
        cmocka_unit_test(the_shrinker_stops_at_its_limit),
        cmocka_unit_test(removing_keeps_tokens_in_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
