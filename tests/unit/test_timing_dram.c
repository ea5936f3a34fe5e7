/* sim/timing/memory.c: DRAM behind the memory port. The cycles are worked out by hand from
 * docs/timing.md. */
#include "tests/unit/test.h"

#include "base/integer.h"
#include "sim/timing/bound.h"
#include "sim/timing/memory.h"
#include "tests/unit/good_program.h"
#include "tests/unit/helpers.h"
#include "tests/unit/recording.h"

enum {
    LATENCY = 10,
    ROW = 2048, /* bytes */
    BANKS = 8,
};

static struct weft_memory_model memory_of(enum weft_dram dram, uint32_t clock) {
    static struct weft_config config;
    config = config_of("ref16");
    const struct weft_memory_settings settings = {.latency = LATENCY, .dram = dram, .clock = clock};
    return weft_memory_new(&config, &settings);
}

/* At 100 MHz DDR3 takes 2 cycles to open a row, 2 to close one that has been open for 4, 3 from
 * writing to reading, 1 from reading to writing. */
static void rows_and_directions_take_time(void **state) {
    (void)state;
    struct weft_memory_model memory = memory_of(WEFT_DRAM_DDR3_1600, 100000);
    /* Opened in 5, its column in 7. */
    assert_int_equal(weft_memory_accept(&memory, 5, 0, 4, false), 17);
    /* The same row: right behind it. */
    assert_int_equal(weft_memory_accept(&memory, 6, 64, 2, false), 21);
    /* Another row of the bank: its last column but one was in 12; closed in 13, opened in 15. */
    assert_int_equal(weft_memory_accept(&memory, 7, ROW * BANKS, 1, false), 27);
    /* Another bank, opened in 16; the bus is free in 28 and turns. */
    assert_int_equal(weft_memory_accept(&memory, 8, ROW, 4, true), 29);
    assert_int_equal(weft_memory_accept(&memory, 9, ROW, 1, false), 36);
    /* Closing a row that was written waits for 3 more: the write ended in 23, the read in 27. */
    assert_int_equal(weft_memory_accept(&memory, 10, ROW + ROW * BANKS, 1, false), 27 + 4 + 10);
}

/* Region 1 begins in bank 1, so that the first rows of two regions do not close each other. */
static void regions_lie_in_different_rows(void **state) {
    (void)state;
    struct weft_memory_model memory = memory_of(WEFT_DRAM_DDR3_1600, 100000);
    const uint64_t region = UINT64_C(1) << WEFT_PORT_REGION_SHIFT;
    assert_int_equal(weft_memory_accept(&memory, 100, 0, 1, false), 112);
    assert_int_equal(weft_memory_accept(&memory, 200, region, 1, false), 212);
    assert_int_equal(weft_memory_accept(&memory, 300, 0, 1, false), 310);
    assert_int_equal(weft_memory_accept(&memory, 400, region, 1, false), 410);
    /* Bank 1 of region 0 holds the row of region 1: closed, opened. */
    assert_int_equal(weft_memory_accept(&memory, 500, ROW, 1, false), 514);
}

/* DDR3 at 800 MHz: 11 cycles to open a row, 6 from one to the next, 32 for four. */
static void four_rows_are_opened_in_a_window(void **state) {
    (void)state;
    struct weft_memory_model memory = memory_of(WEFT_DRAM_DDR3_1600, 800000);
    static const uint64_t opened[] = {1, 7, 13, 19, 33, 39, 45, 51};
    for (uint64_t i = 0; i < LENGTH(opened); i++) {
        assert_int_equal(weft_memory_accept(&memory, 1 + i, i * ROW, 1, false),
                         opened[i] + 11 + LATENCY);
    }
}

/* Every 780 cycles all rows are closed for 26. */
static void refreshes_close_all_rows(void **state) {
    (void)state;
    struct weft_memory_model memory = memory_of(WEFT_DRAM_DDR3_1600, 100000);
    assert_int_equal(weft_memory_accept(&memory, 5, 0, 1, false), 17);
    assert_int_equal(weft_memory_accept(&memory, 700, 0, 1, false), 710);
    assert_int_equal(weft_memory_accept(&memory, 785, 0, 1, false), 780 + 26 + 2 + LATENCY);
    assert_int_equal(weft_memory_accept(&memory, 900, 0, 1, false), 910);
    /* A row that would be opened while the refresh begins is opened behind it. */
    assert_int_equal(weft_memory_accept(&memory, 1559, ROW, 1, false), 1560 + 26 + 2 + LATENCY);
    /* Behind several refreshes the row is closed as behind one. */
    assert_int_equal(weft_memory_accept(&memory, 780 * 100 + 50, 0, 1, false),
                     780 * 100 + 50 + 2 + LATENCY);
}

static void bursts_keep_their_order_and_wait_no_longer_than_promised(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (unsigned run = 0; run < 200; run++) {
        enum weft_dram dram = (enum weft_dram)(1 + run % (WEFT_DRAMS - 1));
        uint32_t clock = run % 10 == 0 ? WEFT_DRAM_LEAST_CLOCK
                         : run % 10 == 1
                             ? WEFT_DRAM_MOST_CLOCK
                             : (uint32_t)random_between(&seed, WEFT_DRAM_LEAST_CLOCK, 2000000);
        struct weft_memory_model memory = memory_of(dram, clock);
        uint64_t most = weft_memory_most_wait(&memory);
        uint64_t cycle = 0;
        for (unsigned i = 0; i < 500; i++) {
            cycle += (uint64_t)random_between(&seed, 1, random_chance(&seed, 10) ? 5000 : 20);
            uint64_t address = (uint64_t)random_between(&seed, 0, 20) * 1024;
            uint64_t plain = weft_max_u64(cycle + LATENCY, memory.free);
            uint64_t beats = (uint64_t)random_between(&seed, 1, 32);
            uint64_t first =
                weft_memory_accept(&memory, cycle, address, beats, random_chance(&seed, 40));
            assert_true(first >= plain);
            assert_true(first - plain <= most);
        }
    }
}

static void the_bound_of_a_program_holds(void **state) {
    (void)state;
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        struct weft_config config = config_of(shipped_configs[i]);
        struct good good = good_program(&config);
        const struct weft_timing_settings plain = {.memory = {.latency = 0}};
        uint64_t cycles =
            record_with(&config, good.program, GOOD_COUNT, &plain)->result.counters.cycles;
        for (uint32_t clock = WEFT_DRAM_LEAST_CLOCK; clock < 5000000; clock *= 3) {
            const struct weft_timing_settings settings = {
                .memory = {.dram = WEFT_DRAM_LPDDR4_3200, .clock = clock}};
            const struct recording *run = record_with(&config, good.program, GOOD_COUNT, &settings);
            assert_true(run->result.counters.cycles > cycles);
            assert_true(run->result.counters.cycles <=
                        weft_bound(&config, &settings, good.program, GOOD_COUNT));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_directions_take_time),
        cmocka_unit_test(regions_lie_in_different_rows),
        cmocka_unit_test(four_rows_are_opened_in_a_window),
        cmocka_unit_test(refreshes_close_all_rows),
        cmocka_unit_test(bursts_keep_their_order_and_wait_no_longer_than_promised),
        cmocka_unit_test(the_bound_of_a_program_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
