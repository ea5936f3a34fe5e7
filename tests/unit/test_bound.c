/* sim/timing/bound.c: no run of a verified program takes longer than its bound. */
#include "tests/unit/test.h"

#include <string.h>

#include "sim/timing/bound.h"
#include "sim/timing/burst.h"
#include "tests/unit/good_program.h"
#include "tests/unit/helpers.h"
#include "tests/unit/recording.h"

static const struct weft_timing_settings configured = {.memory.latency = 0};

static struct weft_instruction load_of_runs(uint32_t run, uint32_t count) {
    struct weft_instruction load = with_all_banks(WEFT_OPCODE_LOAD);
    load.load.region = WEFT_REGION_INPUTS;
    load.load.run = run;
    load.load.count[0] = load.load.count[1] = load.load.count[2] = count;
    return load;
}

/* ---- bursts ---- */

/* What walking says. */
static struct weft_burst_sum walked(struct weft_burst_walk walk) {
    struct weft_burst_sum sum = {0};
    while (true) {
        struct weft_burst burst = weft_burst_current(&walk);
        sum.bursts++;
        sum.beats += burst.beats;
        if (burst.last) {
            return sum;
        }
        weft_burst_advance(&walk, &burst);
    }
}

static void sums_of_bursts_hold_what_walking_finds(void **state) {
    (void)state;
    uint64_t seed = 1;
    unsigned exact = 0;
    for (unsigned i = 0; i < 3000; i++) {
        struct weft_config config = config_of(shipped_configs[i % SHIPPED_CONFIGS]);
        struct weft_instruction load = load_of_runs((uint32_t)random_between(&seed, 1, 700), 1);
        load.load.address = (uint32_t)random_between(&seed, 100000, 110000);
        for (unsigned k = 0; k < 3; k++) {
            load.load.count[k] = (uint32_t)random_between(&seed, 1, 6);
            int32_t power = 1 << random_between(&seed, 0, 9);
            load.load.address_stride[k] = (int32_t)random_between(&seed, -9, 9) * power;
        }
        struct weft_burst_walk walk = weft_burst_walk_load(&config, &load.load);
        struct weft_burst_sum found = walked(walk);
        struct weft_burst_sum most = weft_burst_walk_most(&walk);
        struct weft_burst_sum least = weft_burst_walk_least(&walk);
        assert_true(least.bursts <= found.bursts && found.bursts <= most.bursts);
        assert_true(least.beats <= found.beats && found.beats <= most.beats);
        exact += found.bursts == most.bursts && found.beats == most.beats;
    }
    assert_true(exact > 300);
}

static void aligned_copies_are_counted_exactly(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    for (uint32_t offset = 0; offset < config.memory_burst; offset++) {
        struct weft_instruction load = load_of_runs(300, 1);
        load.load.address = 4096 + offset;
        load.load.count[1] = 7;
        load.load.address_stride[1] = -512;
        load.load.address_stride[2] = 3; /* of one step: does not matter */
        struct weft_burst_walk walk = weft_burst_walk_load(&config, &load.load);
        struct weft_burst_sum found = walked(walk);
        struct weft_burst_sum most = weft_burst_walk_most(&walk);
        assert_int_equal(most.bursts, found.bursts);
        assert_int_equal(most.beats, found.beats);
    }
}

/* ---- programs ---- */

static void the_good_program_stays_below_its_bound(void **state) {
    (void)state;
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        struct weft_config config = config_of(shipped_configs[i]);
        struct good good = good_program(&config);
        uint64_t before = 0;
        for (uint64_t latency = 1; latency <= 1000; latency *= 10) {
            struct weft_timing_settings settings = {.regions = good.regions,
                                                    .memory.latency = latency,
                                                    .memory.interval = 1 + latency % 3};
            uint64_t bound = weft_bound(&config, &settings, good.program, GOOD_COUNT);
            const struct recording *run = record_with(&config, good.program, GOOD_COUNT, &settings);
            assert_int_equal(run->result.fault, WEFT_FAULT_NONE);
            assert_true(run->result.counters.cycles <= bound);
            assert_true(bound > before);
            before = bound;
        }
    }
}

/* Nothing overlaps in a program of one instruction, so the bound is close. */
static void the_bound_of_one_instruction_is_close(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction fill = with_all_banks(WEFT_OPCODE_FILL);
    fill.fill.run = 16;
    fill.fill.count[0] = 10000;
    struct weft_instruction vector = unclamped_vector(WEFT_FUNCTION_FILL);
    vector.vector.count[0] = 4000;
    struct weft_instruction matrix = with_all_banks(WEFT_OPCODE_MATRIX);
    matrix.matrix.pixel_count[1] = 1000;
    matrix.matrix.pixel_acc_stride[1] = 1;
    matrix.matrix.tile_count[0] = 8;
    const struct weft_instruction alone[] = {fill, vector, matrix, load_of_runs(4096, 2)};
    for (size_t i = 0; i < LENGTH(alone); i++) {
        struct weft_instruction program[] = {alone[i], weft_instruction_new(WEFT_OPCODE_HALT)};
        assert_true(is_legal(&config, &alone[i]));
        uint64_t bound = weft_bound(&config, &configured, program, 2);
        uint64_t cycles = record(&config, program, 2)->result.counters.cycles;
        assert_true(cycles <= bound);
        assert_true(bound <= 2 * cycles);
    }
}

static void the_bound_is_the_sum_of_its_parts(void **state) {
    (void)state;
    struct weft_config config = config_of("small8");
    struct good good = good_program(&config);
    uint64_t sum = weft_bound_fetch(&config, &configured, GOOD_COUNT);
    for (size_t i = 0; i < GOOD_COUNT; i++) {
        sum += weft_bound_instruction(&config, &configured, &good.program[i]);
    }
    assert_int_equal(sum, weft_bound(&config, &configured, good.program, GOOD_COUNT));
}

/* ---- sums that do not fit ---- */

static void bounds_do_not_wrap(void **state) {
    (void)state;
    struct weft_config config = config_of("large32");
    struct weft_instruction load = load_of_runs(1, UINT16_MAX);
    assert_true(is_legal(&config, &load));
    uint64_t runs = (uint64_t)UINT16_MAX * UINT16_MAX * UINT16_MAX;
    uint64_t bound = weft_bound_instruction(&config, &configured, &load);
    assert_true(bound >= 2 * runs && bound < 100 * runs);
    struct weft_timing_settings slow = {.memory.latency = UINT64_MAX / 2, .memory.interval = 1};
    assert_true(weft_bound_instruction(&config, &slow, &load) == UINT64_MAX);
    slow = (struct weft_timing_settings){.memory.latency = 1, .memory.interval = UINT64_MAX / 2};
    assert_true(weft_bound_instruction(&config, &slow, &load) == UINT64_MAX);
    load.load.run = 1 << 19; /* bytes */
    struct weft_instruction program[] = {load, load, weft_instruction_new(WEFT_OPCODE_HALT)};
    assert_true(is_legal(&config, &load));
    assert_true(weft_bound(&config, &configured, program, 3) > UINT64_MAX / 8);
    config.act_bytes = 4194304;
    struct weft_instruction fill = with_all_banks(WEFT_OPCODE_FILL);
    fill.fill.run = config.act_bytes;
    fill.fill.count[0] = fill.fill.count[1] = fill.fill.count[2] = UINT16_MAX;
    assert_true(is_legal(&config, &fill));
    assert_true(weft_bound_instruction(&config, &configured, &fill) == UINT64_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_bursts_hold_what_walking_finds),
        cmocka_unit_test(aligned_copies_are_counted_exactly),
        cmocka_unit_test(the_good_program_stays_below_its_bound),
        cmocka_unit_test(the_bound_of_one_instruction_is_close),
        cmocka_unit_test(the_bound_is_the_sum_of_its_parts),
        cmocka_unit_test(bounds_do_not_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
