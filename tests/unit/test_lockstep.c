/* driver/lockstep.h on a fake RTL (fake_rtl.h): what is the same is said to be, and every
 * difference is found and named. */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/lockstep.h"
#include "tests/unit/fake_rtl.h"
#include "tests/unit/good_program.h"
#include "tests/unit/recording.h"
#include "tests/unit/states.h"

/* A program on a state whose regions belong to the test, and a fake beside it. */
struct bench {
    struct weft_config config;
    struct weft_state state;
    uint8_t *regions[WEFT_REGIONS];
    struct weft_lockstep lockstep;
    struct weft_lockstep_settings settings;
    struct weft_lockstep_report report;
    struct weft_error error;
};

static struct bench *bench_of(const char *config, const struct weft_instruction *program,
                              size_t count, const struct weft_regions *regions) {
    struct bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    fake_plan = (struct fake_plan){0};
    fake_resets = 0;
    bench->config = config_of(config);
    bench->state = state_of(&bench->config);
    uint64_t seed = 1;
    state_randomise(&bench->state, &seed);
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        uint64_t limit = i == 0 ? count * WEFT_INSTRUCTION_BYTES : regions->limit[i];
        bench->regions[i] = limit == 0 ? NULL : malloc(limit);
        if (limit != 0) {
            random_bytes(&seed, bench->regions[i], limit);
        }
        bench->state.region[i].bytes = bench->regions[i];
        bench->state.region[i].limit = limit;
    }
    bench->state.writable = regions->writable;
    for (size_t i = 0; i < count; i++) {
        ASSERT_GOOD(
            weft_encode(&program[i], bench->regions[0] + i * WEFT_INSTRUCTION_BYTES, &bench->error),
            bench->error);
    }
    bench->settings = (struct weft_lockstep_settings){.host = WEFT_HOST_C};
    bench->lockstep.rtl = fake_rtl_interface(&bench->config);
    ASSERT_GOOD(bench->lockstep.rtl->create(&bench->lockstep.machine, &bench->error), bench->error);
    return bench;
}

static struct bench *good_bench(const char *config) {
    struct weft_config parsed = config_of(config);
    struct good good = good_program(&parsed);
    return bench_of(config, good.program, GOOD_COUNT, &good.regions);
}

static void bench_free(struct bench *bench) {
    bench->lockstep.rtl->destroy(bench->lockstep.machine);
    weft_lockstep_report_free(&bench->report);
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        free(bench->regions[i]);
    }
    weft_state_free(&bench->state);
    fake_plan = (struct fake_plan){0};
    free(bench);
}

static bool run(struct bench *bench) {
    return weft_lockstep_run(&bench->lockstep, &bench->state, &bench->settings, &bench->report,
                             &bench->error);
}

static void assert_runs(struct bench *bench) {
    ASSERT_GOOD(run(bench), bench->error);
}

/* Runs, and asserts what the report says. */
static void assert_report(struct bench *bench, enum weft_divergence divergence, uint64_t cycle,
                          uint32_t instruction, const char *part) {
    assert_runs(bench);
    if (bench->report.divergence != divergence) {
        print_error("%s", bench->report.text.bytes);
    }
    assert_string_equal(weft_divergence_names[bench->report.divergence],
                        weft_divergence_names[divergence]);
    assert_int_equal(bench->report.cycle, cycle);
    assert_int_equal(bench->report.instruction, instruction);
    assert_mentions(bench->report.text.bytes, part);
}

static void assert_same(struct bench *bench) {
    assert_report(bench, WEFT_SAME, 0, UINT32_MAX, "");
    assert_string_equal(bench->report.text.bytes, "");
}

/* What the cycle model alone says about the good program on ref16. */
static const struct recording *good_recording(void) {
    struct weft_config config = config_of("ref16");
    struct good good = good_program(&config);
    struct weft_timing_settings settings = {0};
    settings.regions = good.regions;
    return record_with(&config, good.program, GOOD_COUNT, &settings);
}

/* ---- no difference ---- */

static void the_same_is_the_same_on_every_configuration_and_memory(void **state) {
    (void)state;
    static const uint64_t memories[][2] = {{0, 0}, {1, 1}, {40, 3}};
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        for (size_t k = 0; k < LENGTH(memories); k++) {
            struct bench *bench = good_bench(shipped_configs[i]);
            bench->settings.memory_latency = memories[k][0];
            bench->settings.memory_interval = memories[k][1];
            assert_same(bench);
            assert_int_equal(fake_last_run.memory_latency, memories[k][0]);
            assert_int_equal(fake_last_run.memory_interval, memories[k][1]);
            assert_int_equal(bench->report.expected.fault, WEFT_FAULT_NONE);
            assert_memory_equal(&bench->report.expected, &bench->report.found,
                                sizeof bench->report.found);
            bench_free(bench);
        }
    }
}

static void what_was_compared_adds_up(void **state) {
    (void)state;
    const struct recording *alone = good_recording();
    struct bench *bench = good_bench("ref16");
    uint64_t bytes = 0;
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        bytes += weft_memory_bytes(&bench->config, (enum weft_memory)i);
    }
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        bytes += bench->state.region[i].limit;
    }
    for (unsigned runs = 1; runs <= 3; runs++) {
        assert_same(bench);
        assert_int_equal(bench->report.programs, runs);
        assert_int_equal(bench->report.instructions, runs * GOOD_COUNT);
        assert_int_equal(bench->report.bursts, runs * alone->bursts);
        assert_int_equal(bench->report.cycles, runs * alone->result.counters.cycles);
        assert_int_equal(bench->report.bytes, runs * bytes);
    }
    /* A difference adds nothing, and the next run replaces its text. */
    fake_plan = (struct fake_plan){FAKE_LATE_START, GOOD_DENSE, 0};
    assert_runs(bench);
    assert_int_equal(bench->report.programs, 3);
    assert_int_equal(bench->report.bytes, 3 * bytes);
    fake_plan = (struct fake_plan){0};
    assert_same(bench);
    assert_int_equal(bench->report.programs, 4);
    bench_free(bench);
}

static void the_state_holds_what_the_cycle_simulator_made(void **state) {
    (void)state;
    struct bench *bench = good_bench("ref16");
    size_t outputs = (size_t)bench->state.region[WEFT_REGION_OUTPUTS].limit;
    uint8_t *before = malloc(outputs);
    assert_non_null(before);
    memcpy(before, bench->regions[WEFT_REGION_OUTPUTS], outputs);
    assert_same(bench);
    assert_memory_not_equal(before, bench->regions[WEFT_REGION_OUTPUTS], outputs);
    /* Times alone: nothing is computed, and data that differ are not looked at. */
    memcpy(bench->regions[WEFT_REGION_OUTPUTS], before, outputs);
    bench->settings.timing_only = true;
    fake_plan = (struct fake_plan){FAKE_REGION, WEFT_REGION_OUTPUTS, 0};
    uint64_t bytes = bench->report.bytes;
    assert_same(bench);
    assert_memory_equal(before, bench->regions[WEFT_REGION_OUTPUTS], outputs);
    assert_int_equal(bench->report.bytes, bytes);
    free(before);
    bench_free(bench);
}

static void a_reset_comes_before_each_run_unless_asked_not_to(void **state) {
    (void)state;
    struct bench *bench = good_bench("small8");
    assert_same(bench);
    assert_same(bench);
    assert_int_equal(fake_resets, 2);
    bench->settings.without_reset = true;
    assert_same(bench);
    assert_int_equal(fake_resets, 2);
    bench_free(bench);
}

static void the_rtl_is_given_up_soon_after_the_end(void **state) {
    (void)state;
    const struct recording *alone = good_recording();
    struct bench *bench = good_bench("ref16");
    bench->settings.watchdog = UINT64_C(1) << 40;
    assert_same(bench);
    assert_int_equal(fake_last_run.watchdog, UINT64_C(1) << 40);
    assert_true(fake_last_run.give_up > alone->result.counters.cycles);
    assert_true(fake_last_run.give_up < alone->result.counters.cycles + 10000);
    bench_free(bench);
}

/* ---- events ---- */

static void every_event_of_an_instruction_is_compared(void **state) {
    (void)state;
    const struct recording *alone = good_recording();
    struct bench *bench = good_bench("ref16");
    static const struct {
        enum fake what;
        enum weft_divergence divergence;
        const char *part;
    } cases[] = {
        {FAKE_LATE_DISPATCH, WEFT_DIVERGENCE_DISPATCHED,
         " dispatched on the cycle simulator; on the RTL in cycle "},
        {FAKE_LATE_START, WEFT_DIVERGENCE_STARTED,
         " started on the cycle simulator; on the RTL in cycle "},
        {FAKE_LATE_FINISH, WEFT_DIVERGENCE_FINISHED,
         " finished on the cycle simulator; on the RTL in cycle "},
        {FAKE_NO_START, WEFT_DIVERGENCE_STARTED,
         " started on the cycle simulator; never on the RTL"},
        {FAKE_NO_FINISH, WEFT_DIVERGENCE_FINISHED,
         " finished on the cycle simulator; never on the RTL"},
        {FAKE_START_TWICE, WEFT_DIVERGENCE_STARTED,
         " started on the RTL, more than once; once on the cycle simulator"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        for (uint32_t number = 0; number < GOOD_COUNT; number++) {
            const uint64_t *const cycles[] = {alone->dispatched, alone->started, alone->finished};
            uint64_t cycle = cycles[cases[i].divergence - WEFT_DIVERGENCE_DISPATCHED][number];
            if (cycle == 0) {
                continue; /* FENCE and HALT do not start */
            }
            fake_plan = (struct fake_plan){cases[i].what, number, 0};
            assert_report(bench, cases[i].divergence, cycle, number, cases[i].part);
        }
    }
    bench_free(bench);
}

static void an_instruction_that_does_not_exist_is_named(void **state) {
    (void)state;
    const struct recording *alone = good_recording();
    struct bench *bench = good_bench("ref16");
    /* The right number is missing in the same cycle and comes first. */
    fake_plan = (struct fake_plan){FAKE_UNKNOWN_START, GOOD_DENSE, 0};
    assert_report(bench, WEFT_DIVERGENCE_STARTED, alone->started[GOOD_DENSE], GOOD_DENSE,
                  "never on the RTL");
    fake_plan = (struct fake_plan){FAKE_EXTRA_START, 1000000, 5};
    assert_report(bench, WEFT_DIVERGENCE_STARTED, 5, UINT32_MAX,
                  "cycle 5: instruction 1000000 started (there is none) on the RTL; never on the "
                  "cycle simulator");
    bench_free(bench);
}

static void every_property_of_a_burst_is_compared(void **state) {
    (void)state;
    const struct recording *alone = good_recording();
    struct bench *bench = good_bench("ref16");
    static const enum fake cases[] = {FAKE_NO_BURST,      FAKE_LATE_BURST,   FAKE_BURST_MASTER,
                                      FAKE_BURST_ADDRESS, FAKE_BURST_REGION, FAKE_BURST_BYTES};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        for (unsigned number = 0; number < alone->bursts; number++) {
            fake_plan = (struct fake_plan){cases[i], number, 0};
            assert_runs(bench);
            assert_int_equal(bench->report.divergence, WEFT_DIVERGENCE_BURST);
            assert_int_equal(bench->report.cycle, alone->burst[number].cycle);
            assert_mentions(bench->report.text.bytes, ": burst of ");
        }
    }
    fake_plan = (struct fake_plan){FAKE_NO_BURST, alone->bursts - 1, 0};
    assert_runs(bench);
    assert_mentions(bench->report.text.bytes, "; never on the RTL");
    fake_plan = (struct fake_plan){FAKE_EXTRA_BURST, 0, 0};
    assert_runs(bench);
    assert_int_equal(bench->report.cycle, alone->burst[0].cycle + 1);
    assert_mentions(bench->report.text.bytes, "burst of fetch, region 0 + 0x");
    bench_free(bench);
}

static void a_burst_is_shown_with_its_instruction(void **state) {
    (void)state;
    const struct recording *alone = good_recording();
    struct bench *bench = good_bench("ref16");
    unsigned number = 0;
    while (alone->burst[number].master != WEFT_MASTER_STORE) {
        number++;
    }
    fake_plan = (struct fake_plan){FAKE_LATE_BURST, number, 0};
    assert_runs(bench);
    assert_in_range(bench->report.instruction, GOOD_STORE_SUM, GOOD_STORE_SCRATCH);
    assert_mentions(bench->report.text.bytes, "burst of store, region ");
    number = 0;
    while (alone->burst[number].master != WEFT_MASTER_LOAD) {
        number++;
    }
    fake_plan.which = number;
    assert_runs(bench);
    assert_int_equal(bench->report.instruction, GOOD_LOAD_INPUT);
    assert_mentions(bench->report.text.bytes, "\n>        0 ");
    bench_free(bench);
}

static void the_instructions_around_are_disassembled(void **state) {
    (void)state;
    const struct recording *alone = good_recording();
    struct bench *bench = good_bench("ref16");
    char part[64];
    fake_plan = (struct fake_plan){FAKE_LATE_START, GOOD_DENSE, 0};
    assert_runs(bench);
    const char *text = bench->report.text.bytes;
    (void)snprintf(part, sizeof part, "\n> %8d %-19u %u/%u ", GOOD_DENSE,
                   (unsigned)alone->dispatched[GOOD_DENSE], (unsigned)alone->started[GOOD_DENSE],
                   (unsigned)alone->started[GOOD_DENSE] + 1);
    assert_mentions(text, part);
    assert_mentions(text, " matrix wait=load signal=vector act_banks=0 ");
    (void)snprintf(part, sizeof part, "\n  %8d ", GOOD_DENSE - 3);
    assert_mentions(text, part);
    (void)snprintf(part, sizeof part, "\n  %8d ", GOOD_DENSE + 3);
    assert_mentions(text, part);
    (void)snprintf(part, sizeof part, "\n  %8d ", GOOD_DENSE + 4);
    assert_null(strstr(text, part));
    (void)snprintf(part, sizeof part, "\n  %8d ", GOOD_DENSE - 4);
    assert_null(strstr(text, part));
    bench_free(bench);
}

/* ---- the end, counters, data ---- */

static void the_end_is_compared(void **state) {
    (void)state;
    const struct recording *alone = good_recording();
    uint64_t end = alone->result.counters.cycles;
    struct bench *bench = good_bench("ref16");
    fake_plan = (struct fake_plan){FAKE_COUNTER, WEFT_COUNTER_INDEX_cycles, 0};
    assert_report(bench, WEFT_DIVERGENCE_END, end, 0, "end without fault on the cycle simulator");
    fake_plan = (struct fake_plan){FAKE_FAULT, WEFT_FAULT_DEADLOCK, 0};
    assert_report(bench, WEFT_DIVERGENCE_END, end, 0,
                  "end with fault \"every unit waits\" at instruction 0");
    fake_plan = (struct fake_plan){FAKE_FAULT_INSTRUCTION, 0, 0};
    assert_report(bench, WEFT_DIVERGENCE_END, end, 0, "end without fault");
    fake_plan = (struct fake_plan){FAKE_NO_END, 0, 0};
    assert_report(bench, WEFT_DIVERGENCE_END, end, 0,
                  "never on the RTL\nthe RTL then stopped: the machine does not end");
    bench_free(bench);
}

static void every_counter_is_compared(void **state) {
    (void)state;
    const struct recording *alone = good_recording();
    struct bench *bench = good_bench("ref16");
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        if (i != WEFT_COUNTER_INDEX_cycles) {
            char part[128];
            uint64_t value = weft_counter_get(&alone->result.counters, i);
            (void)snprintf(part, sizeof part,
                           "counter %s: %u on the cycle simulator, %u on the RTL",
                           weft_counter_names[i], (unsigned)value, (unsigned)value + 1);
            fake_plan = (struct fake_plan){FAKE_COUNTER, i, 0};
            assert_report(bench, WEFT_DIVERGENCE_COUNTER, alone->result.counters.cycles, UINT32_MAX,
                          part);
        }
    }
    bench_free(bench);
}

static void every_memory_and_region_is_compared(void **state) {
    (void)state;
    uint64_t end = good_recording()->result.counters.cycles;
    struct bench *bench = good_bench("ref16");
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        uint64_t last = weft_memory_bytes(&bench->config, (enum weft_memory)i) - 1;
        char part[64];
        (void)snprintf(part, sizeof part, "%s, bank %u: 1 bytes differ, first byte 0x%x",
                       weft_memory_names[i], weft_banks(&bench->config, (enum weft_memory)i) - 1,
                       (unsigned)last);
        fake_plan = (struct fake_plan){FAKE_MEMORY, i, last};
        assert_runs(bench);
        assert_int_equal(bench->report.divergence, WEFT_DIVERGENCE_MEMORY);
        assert_int_equal(bench->report.cycle, end);
        assert_mentions(bench->report.text.bytes, part);
    }
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        uint64_t last = bench->state.region[i].limit - 1;
        if (bench->state.region[i].limit != 0) {
            char part[64];
            (void)snprintf(part, sizeof part, "region %u: 1 bytes differ, first byte 0x%x", i,
                           (unsigned)last);
            fake_plan = (struct fake_plan){FAKE_REGION, i, last};
            assert_runs(bench);
            assert_int_equal(bench->report.divergence, WEFT_DIVERGENCE_REGION);
            assert_mentions(bench->report.text.bytes, part);
        }
    }
    bench_free(bench);
}

static void the_last_writer_of_a_byte_is_named(void **state) {
    (void)state;
    struct weft_instruction program[] = {
        with_all_banks(WEFT_OPCODE_FILL), with_all_banks(WEFT_OPCODE_FILL),
        with_all_banks(WEFT_OPCODE_STORE), weft_instruction_new(WEFT_OPCODE_HALT)};
    program[0].fill.run = 40;
    program[0].signal = 1 << WEFT_UNIT_STORE;
    program[1].fill.run = 20;
    program[1].signal = 1 << WEFT_UNIT_STORE;
    program[1].fill.value = 7;
    program[2].wait = 1 << WEFT_UNIT_LOAD;
    program[2].store.region = 4;
    program[2].store.run = 30;
    program[2].store.address = 10;
    /* The banks of the second FILL would meet those of STORE. */
    program[1].signal = 0;
    program[0].signal = 0;
    program[1].signal = 1 << WEFT_UNIT_STORE;
    struct weft_regions regions = {.limit = {0, 0, 0, 0, 64}, .writable = 1U << 4};
    struct bench *bench = bench_of("ref16", program, 4, &regions);
    static const struct {
        enum fake what;
        uint64_t which, at;
        uint32_t writer;
        const char *part;
    } cases[] = {
        {FAKE_MEMORY, WEFT_MEMORY_ACT, 19, 1,
         "act, bank 0: 1 bytes differ, first byte 0x13, last "
         "written by instruction 1\n    from there on the cycle "
         "simulator: 07 00"},
        {FAKE_MEMORY, WEFT_MEMORY_ACT, 39, 0, "last written by instruction 0"},
        {FAKE_MEMORY, WEFT_MEMORY_ACT, 40, UINT32_MAX, "which no instruction writes"},
        {FAKE_MEMORY, WEFT_MEMORY_WGT, 19, UINT32_MAX, "which no instruction writes"},
        {FAKE_REGION, 4, 10, 2, "from there on the RTL: 06 07"},
        {FAKE_REGION, 4, 9, UINT32_MAX, "which no instruction writes"},
        {FAKE_REGION, 4, 40, UINT32_MAX, "which no instruction writes"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        fake_plan = (struct fake_plan){cases[i].what, cases[i].which, cases[i].at};
        assert_runs(bench);
        assert_int_equal(bench->report.instruction, cases[i].writer);
        assert_mentions(bench->report.text.bytes, cases[i].part);
    }
    bench_free(bench);
}

/* ---- faults ---- */

static void after_a_fault_data_are_not_compared(void **state) {
    (void)state;
    struct weft_instruction program[] = {load_of(64), load_of(64), halt_of()};
    program[1].load.address = 1 << 20;
    struct weft_regions regions = {.limit = {0, 0, 0, 4096, 0}};
    struct bench *bench = bench_of("ref16", program, 3, &regions);
    assert_same(bench);
    assert_int_equal(bench->report.found.fault, WEFT_FAULT_ADDRESS);
    assert_int_equal(bench->report.found.fault_instruction, 1);
    assert_int_equal(bench->report.bytes, 0);
    fake_plan = (struct fake_plan){FAKE_MEMORY, WEFT_MEMORY_ACT, 0};
    assert_same(bench);
    fake_plan = (struct fake_plan){FAKE_COUNTER, WEFT_COUNTER_INDEX_load_bytes, 0};
    assert_report(bench, WEFT_DIVERGENCE_COUNTER, bench->report.expected.counters.cycles,
                  UINT32_MAX, "counter load_bytes");
    bench_free(bench);
}

static void whether_a_fault_counts_as_a_start_is_open(void **state) {
    (void)state;
    struct weft_instruction program[] = {load_of(64), load_of(64), halt_of()};
    program[1].load.address = 1 << 20;
    struct weft_regions regions = {.limit = {0, 0, 0, 4096, 0}};
    struct bench *bench = bench_of("ref16", program, 3, &regions);
    assert_same(bench);
    uint64_t end = bench->report.expected.counters.cycles;
    fake_plan = (struct fake_plan){FAKE_EXTRA_START, 1, end};
    assert_same(bench);
    fake_plan = (struct fake_plan){FAKE_EXTRA_START, 1, end - 1};
    assert_report(bench, WEFT_DIVERGENCE_STARTED, end - 1, 1, "never on the cycle simulator");
    bench_free(bench);
}

static void starts_that_a_watchdog_cuts_off_are_open(void **state) {
    (void)state;
    struct weft_instruction program[] = {slots_of(5), slots_of(500), halt_of()};
    struct weft_regions regions = {.limit = {0}};
    struct bench *bench = bench_of("ref16", program, 3, &regions);
    bench->settings.watchdog = 400;
    assert_same(bench);
    assert_int_equal(bench->report.expected.fault, WEFT_FAULT_WATCHDOG);
    fake_plan = (struct fake_plan){FAKE_EXTRA_START, 1, 200};
    assert_same(bench);
    fake_plan = (struct fake_plan){FAKE_EXTRA_START, 0, 200};
    assert_report(bench, WEFT_DIVERGENCE_STARTED, 200, 0, "on the RTL; on the cycle simulator in");
    bench_free(bench);
}

static void illegal_instructions_fault_on_both(void **state) {
    (void)state;
    struct weft_instruction program[] = {fill_of(&(struct weft_config){.block = 16}, 1), halt_of()};
    struct weft_regions regions = {.limit = {0}};
    struct bench *bench = bench_of("ref16", program, 2, &regions);
    bench->regions[0][127] = 1; /* a reserved bit of HALT */
    assert_same(bench);
    assert_int_equal(bench->report.found.fault, WEFT_FAULT_ENCODING);
    assert_int_equal(bench->report.found.fault_instruction, 1);
    fake_plan = (struct fake_plan){FAKE_FAULT_INSTRUCTION, 0, 0};
    assert_report(bench, WEFT_DIVERGENCE_END, bench->report.expected.counters.cycles, 1, "illegal");
    /* An empty program ends at once. */
    bench->state.region[0].limit = 0;
    fake_plan = (struct fake_plan){0};
    assert_same(bench);
    assert_int_equal(bench->report.found.fault, WEFT_FAULT_PROGRAM_END);
    bench_free(bench);
}

/* ---- an RTL that breaks its contract ---- */

static void a_broken_contract_is_reported_unless_something_differs_before(void **state) {
    (void)state;
    const struct recording *alone = good_recording();
    struct bench *bench = good_bench("ref16");
    uint64_t cycle = alone->started[GOOD_DENSE];
    fake_plan = (struct fake_plan){FAKE_ASSERTION, 0, cycle};
    uint32_t last = 0;
    while (alone->dispatched[last + 1] <= cycle) {
        last++;
    }
    assert_report(bench, WEFT_DIVERGENCE_RTL, cycle, last, "an assertion");
    assert_int_equal(bench->report.found.counters.cycles, 0);
    /* What happens in its cycle may be incomplete; what is missing before is a difference. */
    fake_plan.at = alone->result.counters.cycles + 500;
    assert_report(bench, WEFT_DIVERGENCE_END, alone->result.counters.cycles, 0,
                  "the RTL then stopped: cycle ");
    bench_free(bench);
}

static void what_cannot_be_compared_is_an_error(void **state) {
    (void)state;
    static const struct {
        enum fake what;
        enum weft_error_code code;
    } cases[] = {{FAKE_NO_WAVE_FILE, WEFT_IO},
                 {FAKE_NO_MEMORY, WEFT_OUT_OF_MEMORY},
                 {FAKE_NO_RESET, WEFT_INTERNAL},
                 {FAKE_NO_PRESET, WEFT_INTERNAL},
                 {FAKE_NO_DUMP, WEFT_INTERNAL}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct bench *bench = good_bench("small8");
        fake_plan.what = cases[i].what;
        ASSERT_FAILS(run(bench), bench->error, cases[i].code);
        assert_int_equal(bench->report.programs, 0);
        bench_free(bench);
    }
    struct bench *bench = good_bench("small8");
    bench->settings.wave = "wave.fst";
    ASSERT_FAILS(run(bench), bench->error, WEFT_ARGUMENT);
    bench->settings.wave = NULL;
    bench->config = config_of("ref16");
    ASSERT_FAILS(run(bench), bench->error, WEFT_FINGERPRINT);
    assert_mentions(bench->error.message, "the RTL is that of configuration small8");
    bench_free(bench);
}

static void note_progress(void *context, uint64_t cycle, uint64_t last) {
    uint64_t *shown = context;
    assert_true(cycle <= last && cycle >= shown[0]);
    shown[0] = cycle;
    shown[1]++;
}

static void progress_is_told(void **state) {
    (void)state;
    struct bench *bench = good_bench("ref16");
    uint64_t shown[2] = {0};
    bench->settings.progress = note_progress;
    bench->settings.progress_context = shown;
    assert_same(bench);
    assert_int_equal(shown[1], GOOD_COUNT - 2);
    bench_free(bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_is_the_same_on_every_configuration_and_memory),
        cmocka_unit_test(what_was_compared_adds_up),
        cmocka_unit_test(the_state_holds_what_the_cycle_simulator_made),
        cmocka_unit_test(a_reset_comes_before_each_run_unless_asked_not_to),
        cmocka_unit_test(the_rtl_is_given_up_soon_after_the_end),
        cmocka_unit_test(every_event_of_an_instruction_is_compared),
        cmocka_unit_test(an_instruction_that_does_not_exist_is_named),
        cmocka_unit_test(every_property_of_a_burst_is_compared),
        cmocka_unit_test(a_burst_is_shown_with_its_instruction),
        cmocka_unit_test(the_instructions_around_are_disassembled),
        cmocka_unit_test(the_end_is_compared),
        cmocka_unit_test(every_counter_is_compared),
        cmocka_unit_test(every_memory_and_region_is_compared),
        cmocka_unit_test(the_last_writer_of_a_byte_is_named),
        cmocka_unit_test(after_a_fault_data_are_not_compared),
        cmocka_unit_test(whether_a_fault_counts_as_a_start_is_open),
        cmocka_unit_test(starts_that_a_watchdog_cuts_off_are_open),
        cmocka_unit_test(illegal_instructions_fault_on_both),
        cmocka_unit_test(a_broken_contract_is_reported_unless_something_differs_before),
        cmocka_unit_test(what_cannot_be_compared_is_an_error),
        cmocka_unit_test(progress_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
