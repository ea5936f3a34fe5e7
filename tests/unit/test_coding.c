/* isa/coding: what is coded is what is decoded, and nothing else is written whatever the bytes are.
 */
#include "tests/unit/test.h"

#include <string.h>

#include "isa/coding.h"
#include "tests/unit/helpers.h"

enum {
    UNITS = 40,
    MOST_UNIT_BYTES = 2 * WEFT_UNIT_MOST_WEIGHTS,
    STREAM = UNITS * MOST_UNIT_BYTES,
    BEFORE = 64, /* bytes in front of a stream */
    GUARD = 0x5a,
};

struct coded {
    struct weft_config config;
    uint8_t base;
    uint8_t weights[UNITS * WEFT_UNIT_MOST_WEIGHTS];
    uint8_t bytes[BEFORE + STREAM];
    uint64_t address;
    uint64_t end;     /* of the last unit */
    uint64_t run_end; /* so that it is written */
    uint64_t begins[UNITS];
    uint64_t needs[UNITS]; /* where the run has to end for each */
};

static struct weft_config of_width(uint32_t width) {
    struct weft_config config = config_of(width < 32 ? "ref16" : "large32");
    config.memory_width = width;
    return config;
}

/* Weights of some spread around the base, with outliers. */
static void fill(struct coded *coded, uint64_t *seed) {
    uint32_t count = weft_unit_weights(&coded->config);
    for (uint32_t i = 0; i < UNITS; i++) {
        int64_t spread = INT64_C(1) << random_between(seed, 0, 7);
        int64_t outliers = random_between(seed, 0, 20);
        for (uint32_t k = 0; k < count; k++) {
            int64_t weight = random_between(seed, -spread, spread - 1);
            weight =
                random_chance(seed, (uint32_t)outliers) ? random_between(seed, -128, 127) : weight;
            coded->weights[i * count + k] = (uint8_t)(weight + coded->base);
        }
    }
}

static void code(struct coded *coded) {
    uint64_t at = coded->address;
    for (uint32_t i = 0; i < UNITS; i++) {
        const uint8_t *weights = coded->weights + (size_t)i * weft_unit_weights(&coded->config);
        struct weft_unit_coding coding = weft_unit_choose(&coded->config, weights, coded->base);
        weft_unit_encode(&coded->config, &coding, weights, coded->base, coded->bytes + at);
        coded->begins[i] = at;
        coded->needs[i] = weft_unit_run_end(&coded->config, &coding, at);
        at += weft_unit_bytes(&coded->config, &coding);
        assert_true(at - coded->begins[i] > 4 * coded->config.memory_width);
        assert_true(at - coded->begins[i] <=
                    8 * coded->config.memory_width + weft_granule_bytes(&coded->config));
    }
    coded->end = at;
    coded->run_end = coded->needs[UNITS - 1];
    assert_true(coded->run_end >= at);
    assert_true(coded->run_end <=
                (at / coded->config.memory_width + 2) * coded->config.memory_width);
}

static void make(struct coded *coded, uint32_t width, uint64_t *seed) {
    memset(coded, 0, sizeof *coded);
    coded->config = of_width(width);
    coded->base = (uint8_t)random_between(seed, 0, 255);
    coded->address = (uint64_t)random_between(seed, 0, BEFORE / 4 - 1) * 4;
    fill(coded, seed);
    code(coded);
}

static void units_are_what_was_coded(void **state) {
    (void)state;
    static struct coded coded;
    static uint8_t decoded[sizeof coded.weights + 1];
    uint64_t seed = 1;
    for (uint32_t width = 4; width <= 32; width *= 2) {
        for (int round = 0; round < 50; round++) {
            make(&coded, width, &seed);
            size_t bytes = (size_t)UNITS * weft_unit_weights(&coded.config);
            memset(decoded, GUARD, sizeof decoded);
            uint32_t run = (uint32_t)(coded.run_end - coded.address);
            assert_int_equal(weft_units_decode(&coded.config, coded.bytes, coded.address, run,
                                               UNITS, coded.base, decoded),
                             UNITS);
            assert_memory_equal(decoded, coded.weights, bytes);
            assert_int_equal(decoded[bytes], GUARD);
        }
    }
}

/* A run that ends before a unit's last byte may come does not write it. */
static void runs_end_before_units(void **state) {
    (void)state;
    static struct coded coded;
    static uint8_t decoded[sizeof coded.weights];
    uint64_t seed = 2;
    for (uint32_t width = 4; width <= 32; width *= 2) {
        make(&coded, width, &seed);
        size_t unit = weft_unit_weights(&coded.config);
        for (uint32_t i = 0; i < UNITS; i++) {
            memset(decoded, GUARD, sizeof decoded);
            uint32_t run = (uint32_t)(coded.needs[i] - coded.address);
            uint32_t written = weft_units_decode(&coded.config, coded.bytes, coded.address, run - 1,
                                                 UNITS, coded.base, decoded);
            assert_true(written <= i);
            assert_memory_equal(decoded, coded.weights, written * unit);
            assert_int_equal(decoded[written * unit], GUARD);
            written = weft_units_decode(&coded.config, coded.bytes, coded.address, run, i + 1,
                                        coded.base, decoded);
            assert_int_equal(written, i + 1);
        }
    }
}

/* Bytes that nobody coded write whole units, as many as the run can have at most. */
static void any_bytes_are_units(void **state) {
    (void)state;
    static uint8_t bytes[STREAM];
    static uint8_t weights[UNITS * WEFT_UNIT_MOST_WEIGHTS + 1];
    uint64_t seed = 3;
    for (uint32_t width = 4; width <= 32; width *= 2) {
        struct weft_config config = of_width(width);
        for (size_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = (uint8_t)random_between(&seed, 0, 255);
        }
        for (uint32_t run = 1; run < 3000; run += 7) {
            memset(weights, GUARD, sizeof weights);
            uint32_t written = weft_units_decode(&config, bytes, run % 64, run, UNITS, 9, weights);
            assert_true(written <= UNITS);
            assert_true((uint64_t)written * 4 * width < run);
            size_t end = (size_t)written * weft_unit_weights(&config);
            for (size_t i = end; i < sizeof weights; i++) {
                assert_int_equal(weights[i], GUARD);
            }
        }
    }
}

/* Worked out by hand from the description: W = 8, 5 planes, a head of 2, 2 bits more, 2 escapes. */
static void a_unit_by_hand(void **state) {
    (void)state;
    static const uint8_t bytes[64] = {
        [8] = 1 << 5 | 0 << 4 | 1 << 2 | 1,
        /* weight 0: code 11011, an escape; weight 9: code 11000; weight 63: code 00101 */
        [9] = 0x01,
        [10] = 0x02, /* bit 4 */
        [17] = 0x01,
        [18] = 0x02, /* bit 3 */
        [32] = 0x80, /* bit 2 */
        [33] = 0x01, /* bit 1 */
        [41] = 0x01,
        [48] = 0x80,       /* bit 0 */
        [49] = 2 | 1 << 2, /* 2 for weight 0, 1 for weight 9 */
    };
    struct weft_config config = of_width(8);
    uint8_t weights[64];
    assert_int_equal(weft_units_decode(&config, bytes, 8, 56, 1, 100, weights), 1);
    /* 24 + (3 << 2 | 2) = 38: 19; 24 + 1 = 25: -13; 5: -3 */
    for (int i = 0; i < 64; i++) {
        assert_int_equal(weights[i], i == 0 ? 119 : i == 9 ? 87 : i == 63 ? 97 : 100);
    }
}

/* What weft quantize --weights int4 makes: half the beats. */
static void four_bits_are_four_planes(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (uint32_t width = 4; width <= 32; width *= 2) {
        struct weft_config config = of_width(width);
        uint8_t weights[WEFT_UNIT_MOST_WEIGHTS];
        for (uint32_t i = 0; i < weft_unit_weights(&config); i++) {
            weights[i] = (uint8_t)random_between(&seed, -7, 7);
        }
        struct weft_unit_coding coding = weft_unit_choose(&config, weights, 0);
        assert_int_equal(weft_unit_bytes(&config, &coding),
                         4 * width + weft_granule_bytes(&config));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_what_was_coded),  cmocka_unit_test(runs_end_before_units),
        cmocka_unit_test(any_bytes_are_units),       cmocka_unit_test(a_unit_by_hand),
        cmocka_unit_test(four_bits_are_four_planes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
