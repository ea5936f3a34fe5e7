/* driver/lockstep.h on a fake RTL (fake_rtl.h): what is the same is said to be, and every event
 * that differs is found and named. test_lockstep_end.c has what is compared at the end. */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/lockstep_bench.h"

/* ---- no difference ---- */

static void the_same_is_the_same_on_every_configuration_and_memory(void **state) {
    (void)state;
    static const uint64_t memories[][2] = {{0, 0}, {1, 1}, {40, 3}};
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        for (size_t k = 0; k < LENGTH(memories); k++) {
            struct bench *bench = good_bench(shipped_configs[i]);
            bench->settings.memory.latency = memories[k][0];
            bench->settings.memory.interval = memories[k][1];
            assert_same(bench);
            assert_int_equal(fake_last_run.memory.latency, memories[k][0]);
            assert_int_equal(fake_last_run.memory.interval, memories[k][1]);
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

static void instructions_add_up_where_the_machine_does_not_count_them(void **state) {
    (void)state;
    struct bench *bench = good_bench("ref16");
    bench->config.performance_counters = 0;
    bench->lockstep.rtl = fake_rtl_interface(&bench->config);
    assert_same(bench);
    assert_int_equal(bench->report.expected.counters.instructions, 0);
    assert_int_equal(bench->report.instructions, GOOD_COUNT);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_is_the_same_on_every_configuration_and_memory),
        cmocka_unit_test(what_was_compared_adds_up),
        cmocka_unit_test(instructions_add_up_where_the_machine_does_not_count_them),
        cmocka_unit_test(the_state_holds_what_the_cycle_simulator_made),
        cmocka_unit_test(a_reset_comes_before_each_run_unless_asked_not_to),
        cmocka_unit_test(the_rtl_is_given_up_soon_after_the_end),
        cmocka_unit_test(every_event_of_an_instruction_is_compared),
        cmocka_unit_test(an_instruction_that_does_not_exist_is_named),
        cmocka_unit_test(every_property_of_a_burst_is_compared),
        cmocka_unit_test(a_burst_is_shown_with_its_instruction),
        cmocka_unit_test(the_instructions_around_are_disassembled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
