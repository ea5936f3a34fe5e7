/* driver/lockstep.h on a fake RTL (fake_rtl.h): the ends of two runs, what they counted and left in
 * memory, faults, and an RTL that breaks its contract. */
#include "tests/unit/test.h"

#include <stdio.h>

#include "tests/unit/lockstep_bench.h"

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

/* A bench whose second LOAD reads past its region. */
static struct bench *faulting_bench(void) {
    struct weft_instruction program[] = {load_of(64), load_of(64), halt_of()};
    program[1].load.address = 1 << 20;
    struct weft_regions regions = {.limit = {0, 0, 0, 4096, 0}};
    return bench_of("ref16", program, 3, &regions);
}

static void after_a_fault_data_are_not_compared(void **state) {
    (void)state;
    struct bench *bench = faulting_bench();
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
    struct bench *bench = faulting_bench();
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
        ASSERT_FAILS(bench_run(bench), bench->error, cases[i].code);
        assert_int_equal(bench->report.programs, 0);
        bench_free(bench);
    }
    struct bench *bench = good_bench("small8");
    bench->settings.wave = "wave.fst";
    ASSERT_FAILS(bench_run(bench), bench->error, WEFT_ARGUMENT);
    bench->settings.wave = NULL;
    bench->config = config_of("ref16");
    ASSERT_FAILS(bench_run(bench), bench->error, WEFT_FINGERPRINT);
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
