/* base: errors, text, arena, files, hashes, fixed point. */
#include "tests/unit/test.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/fixed_point.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/multiplier.h"
#include "base/parallel.h"
#include "base/team.h"
#include "base/text.h"

static void errors_carry_code_position_and_context(void **state) {
    (void)state;
    struct weft_error error;
    assert_false(weft_fail(&error, WEFT_NPY, 7, "byte %d", 7));
    assert_int_equal(error.code, WEFT_NPY);
    assert_int_equal(error.position, 7);
    assert_false(weft_fail_context(&error, "file %s", "x"));
    assert_string_equal(error.message, "file x: byte 7");
    assert_string_equal(weft_error_name(WEFT_NPY), "NPY");
    assert_string_equal(weft_error_name((enum weft_error_code)9999), "unknown");
}

static void long_messages_are_cut(void **state) {
    (void)state;
    struct weft_error error;
    char long_text[2000];
    memset(long_text, 'a', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    assert_false(weft_fail(&error, WEFT_IO, 0, "%s", long_text));
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
    assert_false(weft_fail_context(&error, "%s", long_text));
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
}

static void messages_stay_on_one_line(void **state) {
    (void)state;
    struct weft_error error;
    assert_false(weft_fail(&error, WEFT_NPY, 0, "type '%s'", "a\nb\tc\r\x7f\x1b[31m"));
    assert_string_equal(error.message, "type 'a?b?c???[31m'");
    assert_false(weft_fail_context(&error, "file %s", "x\ny"));
    assert_string_equal(error.message, "file x?y: type 'a?b?c???[31m'");
}

static void text_grows(void **state) {
    (void)state;
    struct weft_error error;
    struct weft_text text = {0};
    for (int i = 0; i < 1000; i++) {
        weft_text_add(&text, "%d,", i % 10);
    }
    ASSERT_GOOD(weft_text_finish(&text, &error), error);
    assert_int_equal(text.length, 2000);
    assert_memory_equal(text.bytes + 1990, "5,6,7,8,9,", 11);
    weft_text_free(&text);
    ASSERT_GOOD(weft_text_finish(&text, &error), error);
    assert_string_equal(text.bytes, "");
    weft_text_free(&text);
}

static void allocation_that_cannot_be_fails(void **state) {
    (void)state;
    struct weft_error error;
    assert_null(weft_allocate(SIZE_MAX, 2, "a test", &error));
    assert_int_equal(error.code, WEFT_OUT_OF_MEMORY);
    assert_null(weft_allocate(SIZE_MAX / 2 + 2, 1, "a test", &error));
    void *array = NULL;
    size_t capacity = 0;
    ASSERT_FAILS(weft_reserve(&array, &capacity, SIZE_MAX / 2, 8, "a test", &error), error,
                 WEFT_OUT_OF_MEMORY);
    assert_null(array);
}

static void arena_zeroes_aligns_and_jumps(void **state) {
    (void)state;
    struct weft_arena arena = {.limit = 1 << 20};
    volatile int jumps = 0;
    if (setjmp(arena.on_failure) != 0) {
        jumps++;
    } else {
        for (size_t i = 1; i < 300; i++) {
            unsigned char *bytes = weft_arena_allocate(&arena, i, 1);
            assert_int_equal((uintptr_t)bytes % 16, 0);
            assert_int_equal(bytes[i - 1], 0);
            memset(bytes, 0xff, i);
        }
        (void)weft_arena_allocate(&arena, 1 << 20, 4);
    }
    assert_int_equal(jumps, 1);
    weft_arena_free(&arena);
}

/* Allocates as many bytes as the context says, and fails when they are 7. */
static bool allocate_or_fail(struct weft_arena *arena, void *context, struct weft_error *error) {
    size_t bytes = *(const size_t *)context;
    (void)weft_arena_allocate(arena, bytes, 1);
    return bytes != 7 || weft_fail(error, WEFT_CAPACITY, 3, "seven bytes");
}

static void work_in_an_arena_leaves_it_empty(void **state) {
    (void)state;
    struct weft_arena arena = {.limit = 1 << 20};
    struct weft_error error;
    size_t bytes = 1 << 19;
    for (int i = 0; i < 5; i++) { /* more than fits at once */
        ASSERT_GOOD(weft_arena_do(&arena, allocate_or_fail, &bytes, &error), error);
    }
    bytes = 7;
    ASSERT_FAILS(weft_arena_do(&arena, allocate_or_fail, &bytes, &error), error, WEFT_CAPACITY);
    bytes = 1 << 21;
    ASSERT_FAILS(weft_arena_do(&arena, allocate_or_fail, &bytes, &error), error, WEFT_LIMIT);
    assert_int_equal(arena.total, 0);
    weft_arena_free(&arena);
}

static void an_arena_that_is_reset_keeps_its_memory(void **state) {
    (void)state;
    struct weft_arena arena = {0};
    assert_int_equal(setjmp(arena.on_failure), 0);
    size_t held = 0;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < 100; i++) {
            size_t bytes = i * i * 20 + 1;
            unsigned char *memory = weft_arena_allocate(&arena, bytes, 1);
            assert_int_equal(memory[0] | memory[bytes / 2] | memory[bytes - 1], 0);
            memset(memory, 0xff, bytes);
        }
        held = round == 0 ? arena.total : held;
        assert_int_equal(arena.total, held);
        weft_arena_reset(&arena);
    }
    weft_arena_free(&arena);
    assert_int_equal(arena.total, 0);
}

/* Arrays that grow beside each other, again and again in memory that held other things. */
static void what_an_arena_gives_again_is_zero(void **state) {
    (void)state;
    struct weft_arena arena = {0};
    assert_int_equal(setjmp(arena.on_failure), 0);
    for (size_t round = 0; round < 20; round++) {
        unsigned char *lists[3] = {NULL, NULL, NULL};
        size_t capacities[3] = {0, 0, 0};
        for (size_t i = 0; i < 3000 * (round % 4 + 1); i++) {
            size_t list = i % (round % 3 + 1);
            size_t count = i / (round % 3 + 1);
            lists[list] = weft_arena_grow(&arena, lists[list], count, &capacities[list], 32);
            for (size_t byte = count * 32; byte < (count + 1) * 32; byte++) {
                assert_int_equal(lists[list][byte], 0);
                lists[list][byte] = 0xa5;
            }
            assert_int_equal(lists[list][count * 16], 0xa5);
        }
        unsigned char *bytes = weft_arena_allocate(&arena, 5000 * (round + 1), 1);
        for (size_t i = 0; i < 5000 * (round + 1); i++) {
            assert_int_equal(bytes[i], 0);
            bytes[i] = 0xff;
        }
        weft_arena_reset(&arena);
    }
    weft_arena_free(&arena);
}

/* Room is for what was asked for, with what was there before; what was reserved and never written
 * is zeroed for whom the bytes belong to next. */
static void an_arena_reserves_room(void **state) {
    (void)state;
    struct weft_arena arena = {0};
    assert_int_equal(setjmp(arena.on_failure), 0);
    for (size_t round = 0; round < 5; round++) {
        uint32_t *lists[2] = {NULL, NULL};
        size_t counts[2] = {0, 0};
        size_t capacities[2] = {0, 0};
        for (size_t i = 0; i < 300; i++) {
            size_t list = i * round % 2;
            size_t added = i % 17 * (round + 1);
            lists[list] = weft_arena_reserve(&arena, lists[list], counts[list], added,
                                             &capacities[list], sizeof(uint32_t));
            assert_true(capacities[list] >= counts[list] + added);
            for (size_t k = 0; k < added; k++) {
                lists[list][counts[list]] = (uint32_t)counts[list];
                counts[list]++;
            }
        }
        for (size_t list = 0; list < 2; list++) {
            for (size_t k = 0; k < counts[list]; k++) {
                assert_int_equal(lists[list][k], k);
            }
        }
        const unsigned char *bytes = weft_arena_allocate(&arena, 3000, 1);
        for (size_t i = 0; i < 3000; i++) {
            assert_int_equal(bytes[i], 0);
        }
        weft_arena_reset(&arena);
    }
    weft_arena_free(&arena);
}

/* Children go with their parent: AddressSanitizer says so where they do not. */
static void an_arena_frees_its_children(void **state) {
    (void)state;
    struct weft_arena arena = {0};
    assert_int_equal(setjmp(arena.on_failure), 0);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 4; i++) {
            struct weft_arena *child = weft_arena_child(&arena);
            assert_int_equal(setjmp(child->on_failure), 0);
            assert_int_equal(*(char *)weft_arena_allocate(child, 1 << 17, 1), 0);
            (void)weft_arena_child(child);
            if (i % 2 != 0) {
                weft_arena_reset(child);
            }
        }
        weft_arena_reset(&arena);
        assert_null(arena.children);
    }
    (void)weft_arena_child(&arena);
    weft_arena_free(&arena);
    assert_null(arena.children);
}

static void files_are_written_whole(void **state) {
    (void)state;
    struct weft_error error;
    char path[] = "/tmp/weft_test_XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    ASSERT_GOOD(weft_file_write(path, "hello", 5, &error), error);
    uint8_t *bytes = NULL;
    size_t length = 0;
    ASSERT_GOOD(weft_file_read(path, &bytes, &length, &error), error);
    assert_int_equal(length, 5);
    assert_string_equal((char *)bytes, "hello");
    free(bytes);
    unlink(path);
    ASSERT_FAILS(weft_file_read(path, &bytes, &length, &error), error, WEFT_IO);
    ASSERT_FAILS(weft_file_read("/tmp", &bytes, &length, &error), error, WEFT_IO);
    ASSERT_FAILS(weft_file_write("/nonexistent/x", "a", 1, &error), error, WEFT_IO);
}

/* gemmlowp's definition, with its signed nudge and truncating division. */
static int32_t gemmlowp_high_mul(int32_t a, int32_t b) {
    if (a == INT32_MIN && b == INT32_MIN) {
        return INT32_MAX;
    }
    int64_t product = (int64_t)a * b;
    int64_t nudge = product >= 0 ? INT64_C(1) << 30 : 1 - (INT64_C(1) << 30);
    return (int32_t)((product + nudge) / (INT64_C(1) << 31));
}

/* Three of the values that FNV's authors publish. */
static void hashes_are_fnv_1a(void **state) {
    (void)state;
    assert_int_equal(weft_hash_bytes(WEFT_HASH_START, NULL, 0), UINT64_C(0xcbf29ce484222325));
    assert_int_equal(weft_hash_bytes(WEFT_HASH_START, "a", 1), UINT64_C(0xaf63dc4c8601ec8c));
    assert_int_equal(weft_hash_bytes(WEFT_HASH_START, "foobar", 6), UINT64_C(0x85944171f73967e8));
    uint64_t hash = weft_hash_bytes(WEFT_HASH_START, "foo", 3);
    assert_int_equal(weft_hash_bytes(hash, "bar", 3), UINT64_C(0x85944171f73967e8));
    assert_int_equal(weft_hash_u64(hash, UINT64_C(0x6867666564636261)),
                     weft_hash_bytes(hash, "abcdefgh", 8));
}

static void high_mul_is_gemmlowps(void **state) {
    (void)state;
    static const int32_t corners[] = {
        INT32_MIN,     INT32_MIN + 1, -(1 << 30) - 1, -(1 << 30),    -3,       -2, -1, 0, 1, 2, 3,
        (1 << 30) - 1, 1 << 30,       (1 << 30) + 1,  INT32_MAX - 1, INT32_MAX};
    size_t count = sizeof corners / sizeof corners[0];
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            assert_int_equal(weft_high_mul(corners[i], corners[j]),
                             gemmlowp_high_mul(corners[i], corners[j]));
        }
    }
    uint64_t seed = 1;
    for (int i = 0; i < 100000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        int32_t a = (int32_t)(seed >> 32);
        int32_t b = (int32_t)(uint32_t)seed;
        assert_int_equal(weft_high_mul(a, b), gemmlowp_high_mul(a, b));
    }
}

static void rounding_shift_rounds_ties_away_from_zero(void **state) {
    (void)state;
    assert_int_equal(weft_rounding_shift(5, 1), 3);
    assert_int_equal(weft_rounding_shift(-5, 1), -3);
    assert_int_equal(weft_rounding_shift(-4, 3), -1);
    assert_int_equal(weft_rounding_shift(-3, 3), 0);
    assert_int_equal(weft_rounding_shift(INT32_MIN, 31), -1);
    assert_int_equal(weft_rounding_shift(INT32_MAX, 31), 1);
    assert_int_equal(weft_rounding_shift(7, 0), 7);
}

static void single_scaling_rounds_once(void **state) {
    (void)state;
    /* 3 * 0.5 = 1.5 and -1.5 round away from zero. */
    assert_int_equal(weft_scale_single(3, 1 << 30, 0), 2);
    assert_int_equal(weft_scale_single(-3, 1 << 30, 0), -2);
    assert_int_equal(weft_scale_single(INT32_MAX, INT32_MAX, 31), INT32_MAX);
    assert_int_equal(weft_scale_single(INT32_MIN, INT32_MAX, 31), INT32_MIN);
    assert_int_equal(weft_scale_single(INT32_MIN, INT32_MAX, -31), -1);
    /* Two roundings of gemmlowp: 0.4999... becomes 0.5, then 1. */
    assert_int_equal(weft_scale_gemmlowp(1, INT32_MAX, -1), 1);
    assert_int_equal(weft_scale_single(1, INT32_MAX, -1), 0);
}

static void even_shift_rounds_ties_to_even(void **state) {
    (void)state;
    assert_int_equal(weft_even_shift(5, 1), 2);
    assert_int_equal(weft_even_shift(7, 1), 4);
    assert_int_equal(weft_even_shift(-5, 1), -2);
    assert_int_equal(weft_even_shift(-7, 1), -4);
    assert_int_equal(weft_even_shift(-7, 0), -7);
    assert_int_equal(weft_even_shift(INT64_C(1) << 62, 62), 1);
    assert_int_equal(weft_even_shift(INT64_C(1) << 61, 62), 0);
    assert_int_equal(weft_even_shift(-(INT64_C(3) << 61), 62), -2);
}

/* What the host's float32 gives: the sum as a float, times a scale that is one, rounded, saturated
 * to int32. */
static int32_t scaled_by_floats(int32_t value, int32_t multiplier, int shift) {
    volatile float sum = (float)value;
    volatile float product = sum * ldexpf((float)multiplier, shift - 31);
    float rounded = rintf(product);
    return rounded >= 0x1p31F ? INT32_MAX : rounded < -0x1p31F ? INT32_MIN : (int32_t)rounded;
}

static void assert_scales_as_floats(int32_t value, int32_t multiplier, int shift) {
    if (weft_scale_float(value, multiplier, shift) != scaled_by_floats(value, multiplier, shift)) {
        fail_msg("%d * %d * 2^(%d - 31): %d, as floats %d", value, multiplier, shift,
                 weft_scale_float(value, multiplier, shift),
                 scaled_by_floats(value, multiplier, shift));
    }
}

static int32_t random_sum(uint64_t random) {
    int32_t value = (int32_t)(uint32_t)(random >> 32);
    switch (random & 3) {
    case 0: /* of any length */
        return value >> (random >> 2 & 31);
    case 1: /* between two floats: 25 bits, the last of them set, and up to 6 zeros */
        value = (int32_t)((1U << 24 | ((uint32_t)value & 0xffffff) | 1) << (random >> 2) % 7);
        return (random & 32) != 0 ? -value : value;
    case 2: /* the ends */
        return (random & 4) != 0 ? INT32_MIN + (value & 255) : INT32_MAX - (value & 255);
    default:
        return value;
    }
}

static void float_scaling_is_that_of_float32(void **state) {
    (void)state;
    uint64_t seed = 16;
    for (int i = 0; i < 8000000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        int32_t value = random_sum(seed ^ seed >> 29);
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        uint32_t random = (uint32_t)(seed >> 32);
        /* 24 bits, often with few of them set, so that products lie between two floats. */
        uint32_t bits = (random & 1) != 0 ? random >> 8 : (random >> 28) << 20;
        assert_scales_as_floats(value, (int32_t)((bits | 1U << 23) << 7), (int)(seed % 63) - 31);
    }
}

/* Results between two integers: odd sums, and scales of 2^-1 to 2^-25 times what is odd. */
static void float_scaling_rounds_ties_as_float32(void **state) {
    (void)state;
    static const int32_t odd[] = {1, 3, 5, 7, 1025, 0xffffff};
    for (int32_t value = -3001; value <= 3001; value++) {
        for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
            for (int shift = -31; shift <= 31; shift++) {
                int32_t multiplier = odd[i] << (__builtin_clz((unsigned)odd[i]) - 1);
                assert_scales_as_floats(value, multiplier, shift);
                assert_scales_as_floats(value * 5593, multiplier, shift);
            }
        }
    }
}

static void float_scaling_of_the_ends(void **state) {
    (void)state;
    static const int32_t ends[] = {INT32_MIN, INT32_MIN + 1, -1, 0, 1, INT32_MAX - 64, INT32_MAX};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        for (int shift = -31; shift <= 31; shift++) {
            assert_scales_as_floats(ends[i], 1 << 30, shift);
            assert_scales_as_floats(ends[i], 0x7fffff80, shift);
            assert_scales_as_floats(ends[i], INT32_MIN, shift);
            assert_scales_as_floats(ends[i], 1, shift);
            assert_scales_as_floats(ends[i], 0, shift);
        }
    }
    /* All 31 bits of a multiplier take part in the product, which becomes 3 * 2^31 and gives 1.5.
     */
    assert_int_equal(weft_scale_float(3, INT32_MAX, -1), 2);
    assert_int_equal(weft_scale_single(3, INT32_MAX, -1), 1);
}

static void assert_float_multiplier(double from, double to, int32_t multiplier, int shift) {
    int32_t got = -1;
    int exponent = -1;
    weft_float_multiplier(from, to, &got, &exponent);
    assert_int_equal(got, multiplier);
    assert_int_equal(exponent, shift);
}

static void float_multipliers_are_floats(void **state) {
    (void)state;
    assert_float_multiplier(0.75, 1.0, 3 << 29, 0);
    assert_float_multiplier(1.0, 0.125, 1 << 30, 4);
    assert_float_multiplier(1.0, 3.0, 0xaaaaab << 7, -1); /* 1 / 3 as a float */
    /* Ends: from 2^31 on all saturates, below 2^-32 all is 0. */
    assert_float_multiplier(0x1.fffffep30, 1.0, 0xffffff << 7, 31);
    assert_float_multiplier(0x1p31, 1.0, INT32_MAX, 31);
    assert_float_multiplier(1e30, 1e-30, INT32_MAX, 31);
    assert_float_multiplier(0x1p-32, 1.0, 1 << 30, -31);
    assert_float_multiplier(0x1.fffffep-33, 1.0, 0, 0);
    assert_float_multiplier(1e-30, 1e30, 0, 0);
    assert_int_equal(weft_scale_float(1, INT32_MAX, 31), INT32_MAX);
    assert_int_equal(weft_scale_float(-1, INT32_MAX, 31), INT32_MIN);
    assert_int_equal(weft_scale_float(0, INT32_MAX, 31), 0);
}

static void multipliers_are_normalised(void **state) {
    (void)state;
    int32_t multiplier = 0;
    int shift = 0;
    weft_quantize_multiplier(0.75, &multiplier, &shift);
    assert_int_equal(multiplier, 3 << 29);
    assert_int_equal(shift, 0);
    weft_quantize_multiplier(4.0, &multiplier, &shift);
    assert_int_equal(multiplier, 1 << 30);
    assert_int_equal(shift, 3);
    weft_quantize_multiplier(1.0 - 1e-12, &multiplier, &shift);
    assert_int_equal(multiplier, 1 << 30);
    assert_int_equal(shift, 1);
    weft_quantize_multiplier((double)INFINITY, &multiplier, &shift);
    assert_int_equal(multiplier, INT32_MAX);
    assert_int_equal(shift, 1024);
    weft_quantize_multiplier(1e-12, &multiplier, &shift);
    assert_int_equal(multiplier, 0);
    assert_int_equal(shift, 0);
    assert_int_equal(weft_shift_of(32), -31);
    assert_int_equal(weft_shift_of(31), 31);
    assert_int_equal(weft_shift_of(-1), -1);
    assert_int_equal(weft_shift_of(0xff), -1);
}

/* ---- teams ---- */

struct counted {
    atomic_uint calls[200];
    atomic_uint busy[WEFT_MOST_THREADS];
    atomic_uint mistakes;
    unsigned size;
};

static void count_call(void *context, unsigned thread, size_t i) {
    struct counted *counted = context;
    bool wrong = thread >= counted->size || atomic_fetch_add(&counted->busy[thread], 1) != 0;
    struct weft_team *inside = counted->size == 1 ? NULL : weft_team_open(4);
    atomic_fetch_add(&counted->mistakes, wrong || inside != NULL ? 1 : 0);
    atomic_fetch_add(&counted->calls[i], 1);
    atomic_fetch_sub(&counted->busy[thread], 1);
}

static void teams_do_everything_once(void **state) {
    static const unsigned sizes[] = {0, 1, 2, 3, 7, 100};
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        struct weft_team *team = weft_team_open(sizes[k]);
        unsigned size = weft_team_size(team);
        assert_true(size >= 1 && size <= WEFT_MOST_THREADS &&
                    size <= (sizes[k] < 1 ? 1 : sizes[k]));
        for (size_t count = 0; count <= 200; count += count == 0 ? 2 : 22) {
            struct counted counted = {.size = size};
            weft_team_run(team, count, count_call, &counted);
            for (size_t i = 0; i < 200; i++) {
                assert_int_equal(atomic_load(&counted.calls[i]), i < count ? 1 : 0);
            }
            assert_int_equal(atomic_load(&counted.mistakes), 0);
        }
        weft_team_close(team);
    }
    weft_team_close(NULL);
}

static void pause_a_little(void) {
    const struct timespec longer_than_a_look = {.tv_nsec = 300000};
    (void)nanosleep(&longer_than_a_look, NULL);
}

static void pause_and_count(void *context, unsigned thread, size_t i) {
    if (i % 3 == 0) {
        pause_a_little();
    }
    count_call(context, thread, i);
}

/* Threads that wait too long to look on sleep, between rounds and at the end of one: nobody is left
 * asleep. */
static void teams_wake_who_sleeps(void **state) {
    struct weft_team *team = weft_team_open(4);
    (void)state;
    for (size_t round = 0; round < 300; round++) {
        struct counted counted = {.size = weft_team_size(team)};
        size_t count = 2 + round % 5;
        if (round % 4 == 0) {
            pause_a_little();
        }
        weft_team_run(team, count, round % 3 == 0 ? count_call : pause_and_count, &counted);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(atomic_load(&counted.calls[i]), 1);
        }
        assert_int_equal(atomic_load(&counted.mistakes), 0);
    }
    weft_team_close(team);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(teams_do_everything_once),
        cmocka_unit_test(teams_wake_who_sleeps),
        cmocka_unit_test(errors_carry_code_position_and_context),
        cmocka_unit_test(long_messages_are_cut),
        cmocka_unit_test(messages_stay_on_one_line),
        cmocka_unit_test(text_grows),
        cmocka_unit_test(allocation_that_cannot_be_fails),
        cmocka_unit_test(arena_zeroes_aligns_and_jumps),
        cmocka_unit_test(work_in_an_arena_leaves_it_empty),
        cmocka_unit_test(an_arena_that_is_reset_keeps_its_memory),
        cmocka_unit_test(what_an_arena_gives_again_is_zero),
        cmocka_unit_test(an_arena_reserves_room),
        cmocka_unit_test(an_arena_frees_its_children),
        cmocka_unit_test(files_are_written_whole),
        cmocka_unit_test(hashes_are_fnv_1a),
        cmocka_unit_test(high_mul_is_gemmlowps),
        cmocka_unit_test(rounding_shift_rounds_ties_away_from_zero),
        cmocka_unit_test(single_scaling_rounds_once),
        cmocka_unit_test(even_shift_rounds_ties_to_even),
        cmocka_unit_test(float_scaling_is_that_of_float32),
        cmocka_unit_test(float_scaling_rounds_ties_as_float32),
        cmocka_unit_test(float_scaling_of_the_ends),
        cmocka_unit_test(float_multipliers_are_floats),
        cmocka_unit_test(multipliers_are_normalised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
