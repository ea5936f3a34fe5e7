/* sim/timing: the parts that transfers are made of: beats, bursts, lines. */
#include "tests/unit/test.h"

#include "sim/timing/burst.h"
#include "sim/timing/duration.h"
#include "sim/timing/memory.h"
#include "tests/unit/recording.h"

static void beats_are_served_in_the_order_of_acceptance(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_memory_settings settings = {.latency = 10, .interval = 3};
    struct weft_memory_model memory = weft_memory_new(&config, &settings);
    assert_int_equal(weft_memory_accept(&memory, 5, 0, 4, false), 15);
    assert_int_equal(weft_memory_last_beat(&memory, 15, 4), 24);
    /* free is 15 + 4 * 3. */
    assert_int_equal(weft_memory_accept(&memory, 6, 4096, 1, true), 27);
    assert_int_equal(weft_memory_accept(&memory, 19, 0, 1, false), 30);
    assert_int_equal(weft_memory_accept(&memory, 24, 0, 2, false), 34);
    assert_int_equal(weft_memory_last_beat(&memory, 34, 1), 34);
}

static void assert_next_burst(struct weft_burst_walk *walk, uint64_t address, int64_t local,
                              uint32_t bytes, bool last) {
    struct weft_burst burst = weft_burst_current(walk);
    assert_int_equal(burst.address, address);
    assert_int_equal(burst.local, local);
    assert_int_equal(burst.bytes, bytes);
    assert_int_equal(burst.beats, (address + bytes - 1) / walk->width - address / walk->width + 1);
    assert_int_equal(burst.last, last);
    if (!last) {
        weft_burst_advance(walk, &burst);
    }
}

/* Every burst of random runs, cut byte by byte. */
static void bursts_are_runs_cut_at_boundaries(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    uint64_t seed = 13;
    for (int round = 0; round < 500; round++) {
        config.memory_burst = 64U << random_between(&seed, 0, 4);
        config.memory_width = 4U << random_between(&seed, 0, 2);
        struct weft_instruction load = load_of((uint32_t)random_between(&seed, 1, 700));
        struct weft_load_fields *f = &load.load;
        f->address = 1 << 20;
        f->local = 1 << 20;
        for (unsigned i = 0; i < 3; i++) {
            f->count[i] = (uint32_t)random_between(&seed, 1, 4);
            f->address_stride[i] = (int32_t)random_between(&seed, -3000, 3000);
            f->local_stride[i] = (int32_t)random_between(&seed, -3000, 3000);
        }
        struct weft_burst_walk walk = weft_burst_walk_load(&config, f);
        int64_t runs = (int64_t)f->count[0] * f->count[1] * f->count[2];
        for (int64_t run = 0; run < runs; run++) {
            int64_t k = run % f->count[2];
            int64_t j = run / f->count[2] % f->count[1];
            int64_t i = run / f->count[2] / f->count[1];
            int64_t address = f->address + i * f->address_stride[0] + j * f->address_stride[1] +
                              k * f->address_stride[2];
            int64_t local =
                f->local + i * f->local_stride[0] + j * f->local_stride[1] + k * f->local_stride[2];
            uint32_t done = 0;
            for (uint32_t end = 1; end <= f->run; end++) {
                if (end == f->run || (address + end) % config.memory_burst == 0) {
                    assert_next_burst(&walk, (uint64_t)(address + done), local + done, end - done,
                                      end == f->run && run + 1 == runs);
                    done = end;
                }
            }
        }
    }
}

static void beats_are_aligned_groups(void **state) {
    (void)state;
    assert_int_equal(weft_beats(0, 1, 8), 1);
    assert_int_equal(weft_beats(7, 1, 8), 1);
    assert_int_equal(weft_beats(7, 2, 8), 2);
    assert_int_equal(weft_beats(0, 8, 8), 1);
    assert_int_equal(weft_beats(1, 8, 8), 2);
    assert_int_equal(weft_beats(UINT64_C(1) << 32, 256, 4), 64);
}

/* ---- lines of FILL ---- */

static uint64_t brute_lines(uint32_t block, const struct weft_fill_fields *fill) {
    uint64_t lines = 0;
    for (int64_t i = 0; i < fill->count[0]; i++) {
        for (int64_t j = 0; j < fill->count[1]; j++) {
            for (int64_t k = 0; k < fill->count[2]; k++) {
                int64_t from = fill->local + i * fill->local_stride[0] + j * fill->local_stride[1] +
                               k * fill->local_stride[2] + (1 << 24);
                lines += (uint64_t)((from + fill->run - 1) / block - from / block + 1);
            }
        }
    }
    return lines;
}

static void lines_of_fills_are_those_of_their_runs(void **state) {
    (void)state;
    uint64_t seed = 12;
    for (int round = 0; round < 3000; round++) {
        struct weft_config config = {.block = 8U << random_between(&seed, 0, 2)};
        struct weft_fill_fields fill = {.local = (uint32_t)random_between(&seed, 0, 100000)};
        fill.run = (uint32_t)random_between(&seed, 1, 100);
        for (unsigned i = 0; i < 3; i++) {
            fill.count[i] = (uint32_t)random_between(&seed, 1, random_chance(&seed, 10) ? 70 : 5);
            fill.local_stride[i] = (int32_t)random_between(&seed, -2000, 2000);
        }
        assert_int_equal(weft_fill_lines(&config, &fill), brute_lines(config.block, &fill));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beats_are_served_in_the_order_of_acceptance),
        cmocka_unit_test(bursts_are_runs_cut_at_boundaries),
        cmocka_unit_test(beats_are_aligned_groups),
        cmocka_unit_test(lines_of_fills_are_those_of_their_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
