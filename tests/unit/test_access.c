/* isa: extents, banks and overlap of single accesses. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "isa/footprint.h"
#include "tests/unit/helpers.h"

enum {
    BYTES = 4096
};

struct bytes {
    uint8_t touched[BYTES];
};

static void touch(struct bytes *bytes, const struct weft_access *access, unsigned level,
                  int64_t at) {
    if (level == access->levels) {
        assert_true(at >= 0 && at + access->span <= BYTES);
        memset(bytes->touched + at, 1, (size_t)access->span);
        return;
    }
    for (int64_t i = 0; i < access->count[level]; i++) {
        touch(bytes, access, level + 1, at + i * access->stride[level]);
    }
}

static bool brute_overlap(const struct weft_access *a, const struct weft_access *b) {
    struct bytes of_a = {{0}};
    struct bytes of_b = {{0}};
    touch(&of_a, a, 0, a->base);
    touch(&of_b, b, 0, b->base);
    bool any = false;
    for (int i = 0; i < BYTES; i++) {
        any = any || (of_a.touched[i] & of_b.touched[i]) != 0;
    }
    return any;
}

/* An access inside BYTES bytes. */
static struct weft_access random_access(uint64_t *seed) {
    for (;;) {
        struct weft_access access = {.memory = WEFT_EXTERNAL};
        access.span = random_between(seed, 1, random_chance(seed, 80) ? 6 : 100);
        access.levels = (unsigned)random_between(seed, 0, WEFT_ACCESS_LEVELS);
        for (unsigned i = 0; i < access.levels; i++) {
            int64_t reach = random_chance(seed, 50) ? 12 : 400;
            access.count[i] = random_between(seed, 1, 5);
            access.stride[i] = random_chance(seed, 15) ? 0 : random_between(seed, -reach, reach);
        }
        int64_t low = 0;
        int64_t high = 0;
        weft_access_extent(&access, &low, &high);
        if (high - low <= BYTES) {
            access.base = random_between(seed, -low, BYTES - high);
            return access;
        }
    }
}

static void overlap_is_exact(void **state) {
    (void)state;
    uint64_t seed = 6;
    int meeting = 0;
    enum {
        PAIRS = 20000
    };
    for (int i = 0; i < PAIRS; i++) {
        struct weft_access a = random_access(&seed);
        struct weft_access b = random_access(&seed);
        bool expected = brute_overlap(&a, &b);
        assert_int_equal(weft_access_overlap(&a, &b, NULL), expected);
        assert_int_equal(weft_access_overlap(&b, &a, NULL), expected);
        meeting += expected;
    }
    assert_in_range(meeting, PAIRS / 10, PAIRS - PAIRS / 10);
}

/* `runs` runs of `span` bytes, a stride apart. */
static struct weft_access comb(int64_t base, int64_t span, int64_t runs, int64_t stride) {
    return (struct weft_access){.memory = WEFT_EXTERNAL,
                                .base = base,
                                .span = span,
                                .levels = 1,
                                .count = {runs},
                                .stride = {stride}};
}

static void combs_that_mesh_do_not_overlap(void **state) {
    (void)state;
    struct weft_access even = comb(0, 8, 1000, 16);
    struct weft_access odd = comb(8, 8, 1000, 16);
    struct weft_access back = comb(8 + 999 * 16, 8, 1000, -16);
    struct weft_access wide = comb(8, 9, 1000, 16);
    assert_false(weft_access_overlap(&even, &odd, NULL));
    assert_false(weft_access_overlap(&even, &back, NULL));
    assert_true(weft_access_overlap(&odd, &back, NULL));
    assert_true(weft_access_overlap(&even, &wide, NULL));
    struct weft_access last = comb(999 * 16 + 7, 1, 1, 0);
    assert_true(weft_access_overlap(&even, &last, NULL));
    last.base++;
    assert_false(weft_access_overlap(&even, &last, NULL));
}

static void neighbours_do_not_overlap(void **state) {
    (void)state;
    struct weft_access a = comb(0, 100, 1, 0);
    struct weft_access b = comb(100, 100, 1, 0);
    assert_false(weft_access_overlap(&a, &b, NULL));
    assert_false(weft_access_overlap(&b, &a, NULL));
    b.base = 99;
    assert_true(weft_access_overlap(&a, &b, NULL));
}

static void large_accesses_are_decided(void **state) {
    (void)state;
    struct weft_access a = {.memory = WEFT_EXTERNAL,
                            .span = 1,
                            .levels = 3,
                            .count = {65535, 65535, 65535},
                            .stride = {131072, 2, 0}};
    struct weft_access b = comb(131072 * INT64_C(40000) + 1, 1, 60000, 2);
    assert_false(weft_access_overlap(&a, &b, NULL));
    b.base--;
    assert_true(weft_access_overlap(&a, &b, NULL));
}

/* ---- banks ---- */

static uint32_t brute_banks(const struct weft_access *access, int64_t bank) {
    static struct bytes bytes;
    memset(&bytes, 0, sizeof bytes);
    touch(&bytes, access, 0, access->base);
    uint32_t mask = 0;
    for (int64_t i = 0; i < BYTES; i++) {
        mask |= (uint32_t)bytes.touched[i] << (i / bank);
    }
    return mask;
}

static void banks_are_exact(void **state) {
    (void)state;
    struct weft_config config = config_of("small8");
    config.act_bytes = BYTES;
    uint64_t seed = 7;
    for (int i = 0; i < 20000; i++) {
        struct weft_access access = random_access(&seed);
        access.memory = WEFT_MEMORY_ACT;
        assert_int_equal(weft_access_banks(&config, &access), brute_banks(&access, BYTES / 32));
    }
}

static void many_jumps_between_banks_count_as_one_range(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16"); /* ACT banks of 8192 bytes */
    struct weft_access access = {.memory = WEFT_MEMORY_ACT,
                                 .base = 8192,
                                 .span = 1,
                                 .levels = 1,
                                 .count = {3},
                                 .stride = {16384}};
    assert_int_equal(weft_access_banks(&config, &access), 1U << 1 | 1U << 3 | 1U << 5);
    /* 4 * 3 * 3 * 3 * 4 * 4 * 3 jumps of one and a half banks, which leave out every third bank. */
    static const int64_t counts[WEFT_ACCESS_LEVELS] = {4, 3, 3, 3, 4, 4, 3};
    access.levels = WEFT_ACCESS_LEVELS;
    for (unsigned i = 0; i < WEFT_ACCESS_LEVELS; i++) {
        access.count[i] = counts[i];
        access.stride[i] = i < 4 ? 12288 : -12288;
    }
    access.base = INT64_C(8) * 12288;
    assert_int_equal(weft_access_banks(&config, &access), (1U << 26) - 1);
}

/* ---- inside ---- */

static bool inside(const struct weft_config *config, const struct weft_instruction *instruction,
                   const struct weft_regions *regions, const struct weft_access **outside) {
    static struct weft_footprint footprint;
    footprint = weft_footprint_of(config, instruction);
    return weft_footprint_inside(config, &footprint, regions->limit, outside);
}

static void the_last_byte_is_inside_and_the_next_is_not(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_regions regions = same_regions(0);
    regions.limit[5] = 100;
    const struct weft_access *outside = NULL;
    struct weft_instruction load = weft_instruction_new(WEFT_OPCODE_LOAD);
    load.load.region = 5;
    load.load.address = 90;
    load.load.run = 10;
    load.load.local = 262144 - 10;
    assert_true(inside(&config, &load, &regions, &outside));
    assert_null(outside);
    load.load.address = 91;
    assert_false(inside(&config, &load, &regions, &outside));
    assert_int_equal(outside->memory, WEFT_EXTERNAL);
    assert_int_equal(outside->region, 5);
    assert_string_equal(weft_access_name(outside), "external");
    load.load.address = 90;
    load.load.local++;
    assert_false(inside(&config, &load, &regions, &outside));
    assert_int_equal(outside->memory, WEFT_MEMORY_ACT);
    assert_string_equal(weft_access_name(outside), "act");
    assert_false(inside(&config, &load, &regions, NULL));
}

static void bytes_before_the_first_are_outside(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_regions regions = same_regions(1000);
    struct weft_instruction store = weft_instruction_new(WEFT_OPCODE_STORE);
    store.store.address = 20;
    store.store.count[1] = 3;
    store.store.address_stride[1] = -10;
    assert_true(inside(&config, &store, &regions, NULL));
    store.store.address_stride[1] = -11;
    assert_false(inside(&config, &store, &regions, NULL));
}

static void strides_of_levels_add_up(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_regions regions = same_regions(0);
    struct weft_instruction fill = weft_instruction_new(WEFT_OPCODE_FILL);
    for (unsigned i = 0; i < 3; i++) {
        fill.fill.count[i] = 65535;
    }
    fill.fill.local_stride[0] = 8388607;
    fill.fill.local_stride[1] = -8388608;
    /* The extremes of the levels are met together, so they do not cancel. */
    assert_false(inside(&config, &fill, &regions, NULL));
    fill.fill.local_stride[0] = 0;
    fill.fill.local_stride[1] = 0;
    assert_true(inside(&config, &fill, &regions, NULL));
}

/* 16383^4 tiles of a kilobyte are more bytes than an int64_t counts. */
static void the_most_weight_tiles_are_outside(void **state) {
    (void)state;
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        struct weft_config config = config_of(shipped_configs[i]);
        struct weft_regions regions = same_regions(0);
        struct weft_instruction matrix = weft_instruction_new(WEFT_OPCODE_MATRIX);
        for (unsigned k = 0; k < 4; k++) {
            matrix.matrix.tile_count[k] = 16383;
        }
        assert_false(inside(&config, &matrix, &regions, NULL));
    }
}

static void weight_tiles_that_wrap_around_are_outside(void **state) {
    (void)state;
    struct weft_config config = config_of("large32");
    struct weft_regions regions = same_regions(0);
    struct weft_instruction matrix = weights_beyond_64_bits();
    assert_false(inside(&config, &matrix, &regions, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlap_is_exact),
        cmocka_unit_test(combs_that_mesh_do_not_overlap),
        cmocka_unit_test(neighbours_do_not_overlap),
        cmocka_unit_test(large_accesses_are_decided),
        cmocka_unit_test(banks_are_exact),
        cmocka_unit_test(many_jumps_between_banks_count_as_one_range),
        cmocka_unit_test(the_last_byte_is_inside_and_the_next_is_not),
        cmocka_unit_test(bytes_before_the_first_are_outside),
        cmocka_unit_test(strides_of_levels_add_up),
        cmocka_unit_test(the_most_weight_tiles_are_outside),
        cmocka_unit_test(weight_tiles_that_wrap_around_are_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
