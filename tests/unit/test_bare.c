/* driver/bare.h: assembled programs on every target, and those that the verifier rejects. */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/bare.h"
#include "driver/lockstep.h"
#include "tests/unit/fake_rtl.h"
#include "tests/unit/good_program.h"

static const char *const all_targets[] = {"func", "cycle", "rtl", "lockstep"};

/* A program for ref16, whose RTL there is a fake of. */
struct bench {
    struct weft_config config;
    struct weft_program program;
    struct weft_bare_setup setup;
    struct weft_session_options options;
    struct weft_lockstep_report report;
    struct weft_error error;
};

static struct bench *bench_new(void) {
    struct bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    bench->config = shipped_config_of("ref16");
    bench->options = weft_session_defaults();
    bench->options.lockstep = &bench->report;
    bench->setup = (struct weft_bare_setup){.config = &bench->config, .program = &bench->program};
    fake_plan = (struct fake_plan){0};
    assert_int_equal(setenv("WEFT_RTL_PATH", WEFT_FAKE_FOLDER, 1), 0);
    return bench;
}

static struct bench *bench_of(const char *source) {
    struct bench *bench = bench_new();
    ASSERT_GOOD(weft_assemble(source, strlen(source), &bench->program, &bench->error),
                bench->error);
    return bench;
}

/* The program that has every opcode. */
static struct bench *good_bench(void) {
    struct bench *bench = bench_new();
    const struct good good = good_program(&bench->config);
    for (size_t i = 0; i < GOOD_COUNT; i++) {
        ASSERT_GOOD(weft_program_add(&bench->program, &good.program[i], &bench->error),
                    bench->error);
    }
    memcpy(bench->setup.region_bytes, good.regions.limit, sizeof good.regions.limit);
    return bench;
}

static void bench_free(struct bench *bench) {
    weft_lockstep_report_free(&bench->report);
    weft_program_free(&bench->program);
    free(bench);
}

static struct weft_bare *opened(struct bench *bench, const char *target) {
    struct weft_bare *bare = NULL;
    ASSERT_GOOD(weft_bare_open(target, &bench->setup, &bench->options, &bare, &bench->error),
                bench->error);
    return bare;
}

static void fill_inputs(struct bench *bench, struct weft_bare *bare, uint64_t seed) {
    random_bytes(&seed, weft_bare_region(bare, WEFT_REGION_INPUTS),
                 bench->setup.region_bytes[WEFT_REGION_INPUTS]);
    if (bench->setup.region_bytes[WEFT_REGION_CONSTANTS] > 0) {
        random_bytes(&seed, weft_bare_region(bare, WEFT_REGION_CONSTANTS),
                     bench->setup.region_bytes[WEFT_REGION_CONSTANTS]);
    }
}

static void assert_fails(struct bench *bench, struct weft_bare *bare, enum weft_error_code code,
                         uint64_t position, const char *part) {
    ASSERT_FAILS(weft_bare_run(bare, &bench->error), bench->error, code);
    assert_int_equal(bench->error.position, position);
    assert_non_null(strstr(bench->error.message, part));
}

/* 32 bytes of the inputs to ACT 0 and, over ACT 64, to the outputs. */
static const char copy[] =
    "load act_banks=0 memory=act region=3 run=32 signal=vector\n"
    "vector wait=load signal=store act_banks=0 function=copy out=4 low=-128 high=127\n"
    " \n"
    "store wait=vector act_banks=0 region=4 local=64 run=16 ; a line\n"
    "halt\n";
enum {
    COPY_INPUTS = 32,
    COPY_OUTPUTS = 16,
};

static struct bench *copy_bench(void) {
    struct bench *bench = bench_of(copy);
    bench->setup.region_bytes[WEFT_REGION_INPUTS] = COPY_INPUTS;
    bench->setup.region_bytes[WEFT_REGION_OUTPUTS] = COPY_OUTPUTS;
    return bench;
}

/* ---- what it gives ---- */

static void a_program_moves_bytes_on_every_target(void **state) {
    (void)state;
    uint64_t cycles = 0;
    for (size_t i = 0; i < LENGTH(all_targets); i++) {
        struct bench *bench = copy_bench();
        struct weft_bare *bare = opened(bench, all_targets[i]);
        assert_null(weft_bare_rejection(bare));
        assert_null(weft_bare_result(bare));
        assert_null(weft_bare_region(bare, WEFT_REGION_SCRATCH));
        fill_inputs(bench, bare, 5);
        ASSERT_GOOD(weft_bare_run(bare, &bench->error), bench->error);
        const uint8_t *inputs = weft_bare_region(bare, WEFT_REGION_INPUTS);
        assert_memory_equal(weft_bare_region(bare, WEFT_REGION_OUTPUTS), inputs, COPY_OUTPUTS);
        uint8_t *act = malloc(bench->config.act_bytes);
        assert_non_null(act);
        ASSERT_GOOD(weft_bare_read(bare, WEFT_MEMORY_ACT, act, &bench->error), bench->error);
        assert_memory_equal(act, inputs, COPY_INPUTS);
        assert_memory_equal(act + 64, inputs, COPY_OUTPUTS);
        for (size_t k = 64 + COPY_OUTPUTS; k < bench->config.act_bytes; k++) {
            assert_int_equal(act[k], 0);
        }
        free(act);
        const struct weft_segment_run *run = weft_bare_result(bare);
        assert_int_equal(run->result.fault, WEFT_FAULT_NONE);
        assert_int_equal(run->result.counters.instructions, 4);
        assert_true(run->result.counters.cycles <= run->bound);
        if (i > 0) {
            assert_true(run->result.counters.cycles > 0);
            assert_true(i == 1 || run->result.counters.cycles == cycles);
            cycles = run->result.counters.cycles;
        }
        weft_bare_close(bare);
        bench_free(bench);
    }
}

/* Every byte of every region and memory, of all opcodes. */
static void targets_agree_in_all_memories(void **state) {
    (void)state;
    uint8_t *regions[WEFT_REGIONS] = {NULL};
    uint8_t *memories[WEFT_MEMORIES] = {NULL};
    for (size_t i = 0; i < LENGTH(all_targets); i++) {
        struct bench *bench = good_bench();
        struct weft_bare *bare = opened(bench, all_targets[i]);
        fill_inputs(bench, bare, 7);
        ASSERT_GOOD(weft_bare_run(bare, &bench->error), bench->error);
        for (unsigned k = 0; k < WEFT_REGIONS; k++) {
            size_t bytes = bench->setup.region_bytes[k];
            const uint8_t *region = weft_bare_region(bare, (enum weft_region)k);
            if (i == 0) {
                regions[k] = calloc(bytes + 1, 1);
                assert_non_null(regions[k]);
                if (bytes > 0) {
                    memcpy(regions[k], region, bytes);
                }
            } else if (bytes > 0) {
                assert_memory_equal(region, regions[k], bytes);
            }
        }
        for (unsigned k = 0; k < WEFT_MEMORIES; k++) {
            size_t bytes = weft_memory_bytes(&bench->config, (enum weft_memory)k);
            uint8_t *memory = malloc(bytes);
            assert_non_null(memory);
            ASSERT_GOOD(weft_bare_read(bare, (enum weft_memory)k, memory, &bench->error),
                        bench->error);
            if (i == 0) {
                memories[k] = memory;
            } else {
                assert_memory_equal(memory, memories[k], bytes);
                free(memory);
            }
        }
        weft_bare_close(bare);
        bench_free(bench);
    }
    for (unsigned k = 0; k < WEFT_REGIONS; k++) {
        free(regions[k]);
    }
    for (unsigned k = 0; k < WEFT_MEMORIES; k++) {
        free(memories[k]);
    }
}

static void entries_of_accumulators_are_little_endian(void **state) {
    (void)state;
    /* One weight of 3 in the first row, lane 0, and -1 as the first activation. */
    struct bench *bench =
        bench_of("load memory=wgt wgt_banks=0 region=1 run=256 signal=matrix\n"
                 "load memory=act act_banks=0 region=3 run=16 signal=matrix\n"
                 "fence\n"
                 "matrix wait=load mode=dense act_banks=0 wgt_banks=0 acc_banks=0\n"
                 "halt\n");
    bench->program.instructions[1].signal = 0;
    bench->setup.region_bytes[WEFT_REGION_CONSTANTS] = 256;
    bench->setup.region_bytes[WEFT_REGION_INPUTS] = 16;
    struct weft_bare *bare = opened(bench, "cycle");
    weft_bare_region(bare, WEFT_REGION_CONSTANTS)[0] = 3;
    weft_bare_region(bare, WEFT_REGION_INPUTS)[0] = 0xff;
    ASSERT_GOOD(weft_bare_run(bare, &bench->error), bench->error);
    uint8_t *acc = malloc(bench->config.acc_bytes);
    assert_non_null(acc);
    ASSERT_GOOD(weft_bare_read(bare, WEFT_MEMORY_ACC, acc, &bench->error), bench->error);
    static const uint8_t expected[] = {0xfd, 0xff, 0xff, 0xff, 0, 0, 0, 0};
    assert_memory_equal(acc, expected, sizeof expected);
    free(acc);
    weft_bare_close(bare);
    bench_free(bench);
}

static void runs_begin_with_what_the_one_before_left(void **state) {
    (void)state;
    struct bench *bench = copy_bench();
    for (size_t i = 0; i < LENGTH(all_targets); i++) {
        struct weft_bare *bare = opened(bench, all_targets[i]);
        for (uint64_t seed = 1; seed < 3; seed++) {
            fill_inputs(bench, bare, seed);
            ASSERT_GOOD(weft_bare_run(bare, &bench->error), bench->error);
            assert_memory_equal(weft_bare_region(bare, WEFT_REGION_OUTPUTS),
                                weft_bare_region(bare, WEFT_REGION_INPUTS), COPY_OUTPUTS);
        }
        weft_bare_close(bare);
    }
    bench_free(bench);
}

static void regions_are_those_of_the_compiler(void **state) {
    (void)state;
    struct bench *bench = copy_bench();
    const struct weft_regions regions = weft_bare_regions(&bench->setup);
    assert_int_equal(regions.limit[WEFT_REGION_PROGRAM], 4 * WEFT_INSTRUCTION_BYTES);
    assert_int_equal(regions.limit[WEFT_REGION_INPUTS], COPY_INPUTS);
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        bool writable = i == WEFT_REGION_SCRATCH || i == WEFT_REGION_OUTPUTS || i > 4;
        assert_int_equal(weft_region_is_writable(&regions, i), writable);
    }
    assert_string_equal(weft_region_names[WEFT_REGION_INPUTS], "inputs");
    assert_string_equal(weft_region_names[7], "7");
    bench_free(bench);
}

static void a_program_as_a_module_has_one_segment_and_no_layers(void **state) {
    (void)state;
    struct bench *bench = copy_bench();
    struct weft_module *module = NULL;
    ASSERT_GOOD(weft_bare_module(&bench->setup, "copy", &module, &bench->error), bench->error);
    assert_string_equal(module->model_name, "copy");
    assert_int_equal(module->segment_count, 1);
    assert_true(weft_is_machine_region(module->graph->nodes[0]));
    const struct weft_segment *segment = &module->segments[0];
    assert_int_equal(segment->layer_count, 0);
    assert_int_equal(segment->program.count, 4);
    assert_int_equal(segment->layer_of[3], -1);
    assert_int_equal(segment->output_bytes, COPY_OUTPUTS);
    uint64_t first = module->fingerprint;
    weft_module_free(module);
    bench->program.instructions[0].load.address = 1;
    ASSERT_GOOD(weft_bare_module(&bench->setup, "copy", &module, &bench->error), bench->error);
    assert_true(module->fingerprint != first);
    weft_module_free(module);
    bench->setup.memory_limit = 100;
    ASSERT_FAILS(weft_bare_module(&bench->setup, "copy", &module, &bench->error), bench->error,
                 WEFT_LIMIT);
    bench_free(bench);
}

/* ---- what is refused ---- */

static void assert_not_opened(struct bench *bench, const char *target, enum weft_error_code code,
                              const char *part) {
    struct weft_bare *bare = NULL;
    ASSERT_FAILS(weft_bare_open(target, &bench->setup, &bench->options, &bare, &bench->error),
                 bench->error, code);
    assert_non_null(strstr(bench->error.message, part));
    assert_null(bare);
}

static void what_cannot_be_is_not_opened(void **state) {
    (void)state;
    struct bench *bench = copy_bench();
    assert_not_opened(bench, "host", WEFT_TARGET, "there is no target 'host'");
    fake_plan.what = FAKE_NO_CREATE;
    assert_not_opened(bench, "rtl", WEFT_INTERNAL, "the RTL of ref16: told to");
    fake_plan = (struct fake_plan){0};
    bench->options.memory.latency = 5;
    assert_not_opened(bench, "func", WEFT_TARGET, "target func knows no time");
    bench->options = weft_session_defaults();
    bench->options.wave = "x";
    assert_not_opened(bench, "cycle", WEFT_TARGET, "writes no waveforms");
    bench->options = weft_session_defaults();
    bench->options.timing_only = true;
    assert_not_opened(bench, "rtl", WEFT_TARGET, "cannot leave out the data");
    bench->options = weft_session_defaults();
    bench->setup.cycle_limit = 100;
    assert_not_opened(bench, "cycle", WEFT_LIMIT, "cycles that the program may take: ");
    bench->setup.cycle_limit = 0;
    bench->setup.region_bytes[5] = (uint64_t)WEFT_REGION_LIMIT + 1;
    assert_not_opened(bench, "cycle", WEFT_LIMIT, "region 5 has 1073741825 bytes, at most");
    bench->setup.region_bytes[5] = UINT64_MAX;
    assert_not_opened(bench, "cycle", WEFT_LIMIT, "region 5 has 18446744073709551615 bytes");
    bench->setup.region_bytes[5] = WEFT_REGION_LIMIT;
    assert_not_opened(bench, "func", WEFT_LIMIT, "the program with its regions needs ");
    bench->setup.region_bytes[5] = 1 << 20;
    bench->setup.memory_limit = 1 << 20;
    assert_not_opened(bench, "func", WEFT_LIMIT, "at most 1048576 are allowed (--memory-limit)");
    bench->setup.memory_limit = 0;
    weft_program_free(&bench->program);
    bench->program = (struct weft_program){0};
    assert_not_opened(bench, "cycle", WEFT_ARGUMENT, "the program has no instructions");
    bench_free(bench);
}

static void nothing_is_read_before_a_run_succeeds(void **state) {
    (void)state;
    struct bench *bench = copy_bench();
    uint8_t *bytes = malloc(bench->config.act_bytes);
    assert_non_null(bytes);
    bench->options.timing_only = true;
    struct weft_bare *bare = opened(bench, "cycle");
    for (int run = 0; run < 2; run++) {
        ASSERT_FAILS(weft_bare_read(bare, WEFT_MEMORY_ACT, bytes, &bench->error), bench->error,
                     WEFT_STATE);
        ASSERT_GOOD(weft_bare_run(bare, &bench->error), bench->error);
    }
    weft_bare_close(bare);
    bench->options.timing_only = false;
    bare = opened(bench, "rtl");
    ASSERT_GOOD(weft_bare_run(bare, &bench->error), bench->error);
    fake_plan.what = FAKE_NO_DUMP;
    ASSERT_FAILS(weft_bare_read(bare, WEFT_MEMORY_ACT, bytes, &bench->error), bench->error,
                 WEFT_INTERNAL);
    weft_bare_close(bare);
    free(bytes);
    bench_free(bench);
}

/* ---- faults, and programs that are rejected ---- */

static void a_fault_has_its_instruction_and_the_reason(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH(all_targets); i++) {
        struct bench *bench = copy_bench();
        bench->setup.region_bytes[WEFT_REGION_OUTPUTS] = COPY_OUTPUTS - 1;
        struct weft_bare *bare = opened(bench, all_targets[i]);
        assert_int_equal(weft_bare_rejection(bare)->code, WEFT_VERIFY_BOUNDS);
        for (int run = 0; run < 2; run++) {
            assert_fails(bench, bare, WEFT_FAULT, 2,
                         "fault at instruction 2: address past a memory or region; the verifier: "
                         "instruction 2 (store): bytes 0 to 15 of external (region 4), which has "
                         "15");
            const struct weft_segment_run *did = weft_bare_result(bare);
            assert_int_equal(did->result.fault, WEFT_FAULT_ADDRESS);
            assert_int_equal(did->result.fault_instruction, 2);
            assert_true(did->result.counters.cycles > 0);
        }
        weft_bare_close(bare);
        bench_free(bench);
    }
}

static void a_watchdog_ends_what_is_proved(void **state) {
    (void)state;
    struct bench *bench = copy_bench();
    bench->options.watchdog = 150;
    for (size_t i = 1; i < LENGTH(all_targets); i++) {
        struct weft_bare *bare = opened(bench, all_targets[i]);
        ASSERT_FAILS(weft_bare_run(bare, &bench->error), bench->error, WEFT_FAULT);
        assert_non_null(strstr(bench->error.message, "watchdog limit reached"));
        assert_null(strstr(bench->error.message, "verifier"));
        weft_bare_close(bare);
    }
    bench_free(bench);
}

/* Its data would depend on what is read ahead; the machine sees nothing wrong. */
static void what_is_rejected_has_no_data(void **state) {
    (void)state;
    for (size_t i = 0; i < LENGTH(all_targets); i++) {
        struct bench *bench = copy_bench();
        struct weft_vector_fields *vector = &bench->program.instructions[1].vector;
        vector->out = 1;
        vector->count[0] = 2;
        vector->out_stride[0] = vector->a_stride[0] = 1;
        struct weft_bare *bare = opened(bench, all_targets[i]);
        assert_fails(bench, bare, WEFT_VERIFY_OVERLAP, 1,
                     "no fault, but the verifier rejects it: instruction 1 (vector): results "
                     "overlap operand a");
        assert_int_equal(weft_bare_result(bare)->result.counters.instructions, 4);
        if (i != 2) { /* the RTL itself runs with data */
            for (size_t k = 0; k < COPY_OUTPUTS; k++) {
                assert_int_equal(weft_bare_region(bare, WEFT_REGION_OUTPUTS)[k], 0);
            }
        }
        weft_bare_close(bare);
        if (i == 1) {
            bench->options.timing_only = true;
            bare = opened(bench, "cycle");
            ASSERT_GOOD(weft_bare_run(bare, &bench->error), bench->error);
            weft_bare_close(bare);
        }
        bench_free(bench);
    }
}

static void what_never_ends_is_given_up(void **state) {
    (void)state;
    struct bench *bench = copy_bench();
    for (unsigned i = 0; i < 3; i++) {
        bench->program.instructions[0].load.count[i] = UINT16_MAX;
    }
    assert_not_opened(bench, "func", WEFT_LIMIT, "--cycle-limit raises it");
    bench->program.instructions[0].banks[WEFT_MEMORY_ACT] = 0; /* rejected */
    bench->setup.cycle_limit = 50000;
    for (size_t i = 0; i < 2; i++) {
        struct weft_bare *bare = opened(bench, all_targets[i]);
        ASSERT_FAILS(weft_bare_run(bare, &bench->error), bench->error, WEFT_FAULT);
        assert_non_null(strstr(bench->error.message, "watchdog limit reached; the verifier: "));
        assert_int_equal(weft_bare_result(bare)->result.counters.cycles, 50000);
        weft_bare_close(bare);
    }
    bench_free(bench);
}

static void a_difference_of_the_rtl_is_found(void **state) {
    (void)state;
    struct bench *bench = copy_bench();
    struct weft_bare *bare = opened(bench, "lockstep");
    fake_plan = (struct fake_plan){FAKE_MEMORY, WEFT_MEMORY_ACT, 7};
    ASSERT_FAILS(weft_bare_run(bare, &bench->error), bench->error, WEFT_DIVERGENCE);
    assert_int_equal(bench->report.divergence, WEFT_DIVERGENCE_MEMORY);
    fake_plan = (struct fake_plan){0};
    ASSERT_GOOD(weft_bare_run(bare, &bench->error), bench->error);
    assert_int_equal(bench->report.divergence, WEFT_SAME);
    weft_bare_close(bare);
    /* Of what is rejected, times. */
    bench->setup.region_bytes[WEFT_REGION_OUTPUTS] = 1;
    bare = opened(bench, "lockstep");
    fake_plan = (struct fake_plan){FAKE_LATE_START, 0, 0};
    ASSERT_FAILS(weft_bare_run(bare, &bench->error), bench->error, WEFT_DIVERGENCE);
    weft_bare_close(bare);
    bench_free(bench);
}

/* What the RTL asserts, programs that the verifier rejects may break: it is theirs, not the
 * machine's. */
static void an_assertion_of_the_rtl_comes_behind_the_verdict(void **state) {
    (void)state;
    for (size_t i = 2; i < LENGTH(all_targets); i++) {
        struct bench *bench = copy_bench();
        struct weft_bare *bare = opened(bench, all_targets[i]);
        fake_plan = (struct fake_plan){FAKE_ASSERTION, 0, 5};
        ASSERT_FAILS(weft_bare_run(bare, &bench->error), bench->error,
                     i == 2 ? WEFT_INTERNAL : WEFT_DIVERGENCE);
        weft_bare_close(bare);
        bench->setup.region_bytes[WEFT_REGION_OUTPUTS] = 1;
        bare = opened(bench, all_targets[i]);
        ASSERT_FAILS(weft_bare_run(bare, &bench->error), bench->error,
                     weft_bare_rejection(bare)->code);
        assert_int_equal(bench->error.position, weft_bare_rejection(bare)->position);
        char expected[sizeof bench->error.message + 64];
        (void)snprintf(expected, sizeof expected,
                       "the verifier rejects it: %s; the RTL: cycle 5: an assertion",
                       weft_bare_rejection(bare)->message);
        assert_string_equal(bench->error.message, expected);
        weft_bare_close(bare);
        bench_free(bench);
    }
}

/* ---- anything ---- */

static void spoil(struct bench *bench, uint64_t *seed) {
    struct weft_instruction *instruction =
        &bench->program.instructions[random_between(seed, 0, GOOD_COUNT - 1)];
    const struct weft_format *format = weft_format_of(instruction->opcode);
    if (format->field_count > 0) {
        const struct weft_field *field =
            &format->fields[random_between(seed, 0, (int64_t)format->field_count - 1)];
        unsigned index = (unsigned)random_between(seed, 0, field->repeat - 1);
        field_set(instruction, field, index,
                  random_between(seed, field_low(field), field_high(instruction->opcode, field)));
    }
}

/* Programs with fields of any value: what is proved gives the same bytes on both simulators, the
 * rest fails as it should, at the same place. */
static void spoiled_programs_run_or_fail_alike(void **state) {
    (void)state;
    uint64_t seed = 3;
    unsigned proved = 0;
    for (int i = 0; i < 600; i++) {
        struct bench *bench = good_bench();
        bench->setup.cycle_limit = 1000000;
        spoil(bench, &seed);
        struct weft_bare *bares[2] = {NULL, NULL};
        bool good[2] = {false, false};
        struct weft_error errors[2];
        for (int k = 0; k < 2; k++) {
            good[k] = weft_bare_open(all_targets[k], &bench->setup, &bench->options, &bares[k],
                                     &errors[k]);
            if (good[k]) {
                fill_inputs(bench, bares[k], 11);
                good[k] = weft_bare_run(bares[k], &errors[k]);
            }
        }
        assert_int_equal(good[0], good[1]);
        if (good[0]) {
            proved++;
            assert_memory_equal(weft_bare_region(bares[0], WEFT_REGION_OUTPUTS),
                                weft_bare_region(bares[1], WEFT_REGION_OUTPUTS),
                                bench->setup.region_bytes[WEFT_REGION_OUTPUTS]);
        } else {
            assert_string_equal(errors[0].message, errors[1].message);
        }
        weft_bare_close(bares[0]);
        weft_bare_close(bares[1]);
        bench_free(bench);
    }
    assert_in_range(proved, 50, 550);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_moves_bytes_on_every_target),
        cmocka_unit_test(targets_agree_in_all_memories),
        cmocka_unit_test(entries_of_accumulators_are_little_endian),
        cmocka_unit_test(runs_begin_with_what_the_one_before_left),
        cmocka_unit_test(regions_are_those_of_the_compiler),
        cmocka_unit_test(a_program_as_a_module_has_one_segment_and_no_layers),
        cmocka_unit_test(what_cannot_be_is_not_opened),
        cmocka_unit_test(nothing_is_read_before_a_run_succeeds),
        cmocka_unit_test(a_fault_has_its_instruction_and_the_reason),
        cmocka_unit_test(a_watchdog_ends_what_is_proved),
        cmocka_unit_test(what_is_rejected_has_no_data),
        cmocka_unit_test(what_never_ends_is_given_up),
        cmocka_unit_test(a_difference_of_the_rtl_is_found),
        cmocka_unit_test(an_assertion_of_the_rtl_comes_behind_the_verdict),
        cmocka_unit_test(spoiled_programs_run_or_fail_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
