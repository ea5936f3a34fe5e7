/* sim/exec: VECTOR. */
#include "tests/unit/test.h"

#include <string.h>

#include "base/bytes.h"
#include "tests/unit/states.h"

/* ---- kernels against each other ---- */

enum {
    FLOAT_BITS = 0x7fffff80 /* of a multiplier that is a float */
};

static int32_t random_zero(uint64_t *seed) {
    static const int32_t corners[] = {-128, 127, 0, 1};
    return random_chance(seed, 50) ? corners[random_between(seed, 0, 3)]
                                   : (int32_t)random_between(seed, -128, 127);
}

static void random_scaling(uint64_t *seed, struct weft_vector_fields *v) {
    static const uint32_t corners[] = {0, 1, 1U << 30, INT32_MAX, 3U << 29};
    v->multiplier = random_chance(seed, 50) ? corners[random_between(seed, 0, 4)]
                                            : (uint32_t)random_between(seed, 1 << 30, INT32_MAX);
    if (v->rounding == WEFT_ROUNDING_FLOAT && random_chance(seed, 50)) {
        v->multiplier &= FLOAT_BITS;
    }
    v->shift = (int32_t)random_between(seed, -31, 31);
    v->a_zero = random_zero(seed);
    v->b_zero = random_zero(seed);
    v->out_zero = random_zero(seed);
    v->low = INT8_MIN;
    v->high = INT8_MAX;
    if (random_chance(seed, 50)) {
        v->low = random_zero(seed);
        v->high = (int32_t)random_between(seed, v->low, INT8_MAX);
    }
}

static void random_levels(uint64_t *seed, struct weft_vector_fields *v) {
    for (unsigned i = 0; i < 3; i++) {
        v->count[i] = (uint32_t)random_between(seed, 1, 4);
        v->out_stride[i] = (int32_t)random_between(seed, -12, 12);
        v->a_stride[i] = (int32_t)random_between(seed, -12, 12);
        v->b_stride[i] = (int32_t)random_between(seed, -12, 12);
    }
    for (unsigned i = 0; i < 2 && v->function == WEFT_FUNCTION_POOL; i++) {
        v->window_count[i] = (uint32_t)random_between(seed, 1, 4);
        v->window_stride[i] = (int32_t)random_between(seed, -12, 12);
    }
}

static struct weft_instruction random_vector(uint64_t *seed, const struct weft_config *config,
                                             enum weft_function function) {
    for (;;) {
        struct weft_instruction instruction = unclamped_vector(function);
        struct weft_vector_fields *v = &instruction.vector;
        random_levels(seed, v);
        if (function == WEFT_FUNCTION_REQUANT) {
            v->rounding = (uint32_t)random_between(seed, 0, WEFT_ROUNDINGS - 1);
            v->per_channel = random_chance(seed, 60);
            v->short_records = v->per_channel != 0 && random_chance(seed, 50);
        }
        random_scaling(seed, v);
        if (function == WEFT_FUNCTION_SOFTMAX) {
            v->lanes = (uint32_t)random_between(seed, 1, config->block);
        }
        if (!random_vector_places(seed, config, &instruction)) {
            continue;
        }
        if (function != WEFT_FUNCTION_REQUANT && random_chance(seed, 30)) {
            v->a = v->out;
            memcpy(v->a_stride, v->out_stride, sizeof v->a_stride);
        }
        if (is_legal(config, &instruction)) {
            return instruction;
        }
    }
}

/* Words of PAR as a compiler writes them, or extreme, instead of random bytes; `bits` are those
 * that a multiplier may have. */
static void make_records(struct weft_state *state, uint64_t *seed, uint32_t bits) {
    static const uint32_t corners[] = {0, 1, 1U << 30, INT32_MAX, 1U << 31, UINT32_MAX};
    for (uint32_t at = 0; at < state->config->par_bytes; at += 4) {
        if (random_chance(seed, 30)) {
            weft_write_u32(state->par + at, corners[random_between(seed, 0, 5)]);
        } else if (random_chance(seed, 50)) {
            weft_write_u32(state->par + at,
                           (uint32_t)random_between(seed, 1 << 30, INT32_MAX) & bits);
        }
    }
}

/* Every word of PAR is a multiplier of 24 bits, so that the fast kernels compute with floats. */
static void make_floats(struct weft_state *state, uint64_t *seed) {
    for (uint32_t at = 0; at < state->config->par_bytes; at += 4) {
        weft_write_u32(state->par + at,
                       (uint32_t)random_between(seed, INT32_MIN, INT32_MAX) & 0xffffff00);
    }
}

static void every_function_agrees_on_every_kernel(void **state) {
    (void)state;
    static const uint32_t blocks[] = {8, 16, 32};
    uint64_t seed = 22;
    for (size_t i = 0; i < LENGTH(blocks); i++) {
        struct weft_config config = tiny_config(blocks[i]);
        struct weft_state memory = state_of(&config);
        for (unsigned function = 0; function < WEFT_FUNCTIONS; function++) {
            int rounds = function == WEFT_FUNCTION_REQUANT ? 800 : 200;
            for (int round = 0; round < rounds; round++) {
                struct weft_instruction instruction =
                    random_vector(&seed, &config, (enum weft_function)function);
                if (round % 4 == 0) {
                    state_randomise(&memory, &seed);
                }
                if (round % 8 == 0) {
                    make_records(&memory, &seed, round % 16 == 0 ? UINT32_MAX : FLOAT_BITS);
                }
                if (round % 32 == 8) {
                    make_floats(&memory, &seed);
                }
                assert_kernels_agree(&memory, &instruction);
            }
        }
        weft_state_free(&memory);
    }
}

/* Every shift with extreme operands. */
static void every_shift_agrees_on_every_kernel(void **state) {
    (void)state;
    static const uint32_t multipliers[] = {0,         1,          1U << 30, (1U << 30) + 1,
                                           INT32_MAX, FLOAT_BITS, 3U << 29};
    struct weft_config config = tiny_config(16);
    struct weft_state memory = state_of(&config);
    uint64_t seed = 23;
    state_randomise(&memory, &seed);
    memset(memory.par, 0, config.par_bytes);
    for (int32_t shift = -31; shift <= 31; shift++) {
        for (size_t i = 0; i < LENGTH(multipliers); i++) {
            for (unsigned rounding = 0; rounding < WEFT_ROUNDINGS; rounding++) {
                struct weft_instruction requant = unclamped_vector(WEFT_FUNCTION_REQUANT);
                requant.vector.rounding = rounding;
                requant.vector.multiplier = multipliers[i];
                requant.vector.shift = shift;
                requant.vector.count[2] = 16;
                requant.vector.a_stride[2] = requant.vector.out_stride[2] = 1;
                assert_kernels_agree(&memory, &requant);
            }
        }
    }
    weft_state_free(&memory);
}

/* ---- what one instruction gives; B = 16, operands in lines 0 and 1, result in line 2 ---- */

struct bench {
    struct weft_config config;
    struct weft_state memory;
    struct weft_instruction instruction;
};

static struct bench *bench_of(enum weft_function function) {
    static struct bench bench;
    bench.config = tiny_config(16);
    bench.memory = state_of(&bench.config);
    bench.instruction = unclamped_vector(function);
    bench.instruction.vector.out = 2;
    bench.instruction.vector.b = 1;
    return &bench;
}

/* Carries the instruction out on every kernel; the first lanes of line 2 are as expected. */
static void assert_lanes(const struct bench *bench, const int8_t *expected, size_t lanes) {
    assert_kernels_agree(&bench->memory, &bench->instruction);
    struct weft_state memory = state_of(&bench->config);
    state_copy(&memory, &bench->memory);
    weft_execute(&memory, WEFT_HOST_PLAIN, &bench->instruction);
    for (size_t i = 0; i < lanes; i++) {
        assert_int_equal(memory.act[32 + i], expected[i]);
    }
    weft_state_free(&memory);
}

static int8_t *line_of(const struct weft_state *memory, int line) {
    return memory->act + (size_t)line * 16;
}

static void bench_free(struct bench *bench) {
    weft_state_free(&bench->memory);
}

static void requant_rounds_ties_as_its_rounding_says(void **state) {
    (void)state;
    /* Halves: gemmlowp's high multiply rounds them up, single away from zero, float to even. */
    static const int32_t acc[] = {1, 3, 5, -1, -3, -5, 2, -2};
    static const int8_t up[] = {1, 2, 3, 0, -1, -2, 1, -1};
    static const int8_t away[] = {1, 2, 3, -1, -2, -3, 1, -1};
    static const int8_t even[] = {0, 2, 2, 0, -2, -2, 1, -1};
    struct bench *bench = bench_of(WEFT_FUNCTION_REQUANT);
    memcpy(bench->memory.acc, acc, sizeof acc);
    bench->instruction.vector.multiplier = 1 << 30;
    assert_lanes(bench, up, LENGTH(up));
    bench->instruction.vector.rounding = WEFT_ROUNDING_SINGLE;
    assert_lanes(bench, away, LENGTH(away));
    bench->instruction.vector.rounding = WEFT_ROUNDING_FLOAT;
    assert_lanes(bench, even, LENGTH(even));
    bench_free(bench);
}

static void requant_rounds_twice_or_once(void **state) {
    (void)state;
    /* 1 * (1 - 2^-31) / 2 is below a half: high multiply gives 1, its half rounds to 1. Right
     * shifts of gemmlowp round ties away from zero: 6 * 0.5 = 3, a half of it 1.5. */
    static const int32_t acc[] = {1, -1, 6, -6};
    struct bench *bench = bench_of(WEFT_FUNCTION_REQUANT);
    memcpy(bench->memory.acc, acc, sizeof acc);
    bench->instruction.vector.multiplier = INT32_MAX;
    bench->instruction.vector.shift = -1;
    assert_lanes(bench, (const int8_t[]){1, -1, 3, -3}, 4);
    bench->instruction.vector.rounding = WEFT_ROUNDING_SINGLE;
    assert_lanes(bench, (const int8_t[]){0, 0, 3, -3}, 4);
    bench->instruction.vector.multiplier = 1 << 30;
    assert_lanes(bench, (const int8_t[]){0, 0, 2, -2}, 4);
    bench->instruction.vector.rounding = WEFT_ROUNDING_GEMMLOWP;
    assert_lanes(bench, (const int8_t[]){1, 0, 2, -2}, 4);
    bench_free(bench);
}

/* What rounding as floats do gives of a sum, and what rounding the exact product once gives. */
static void assert_rounds(const int32_t acc[3], uint32_t multiplier, int32_t shift,
                          const int8_t as_float[3], const int8_t once[3]) {
    struct bench *bench = bench_of(WEFT_FUNCTION_REQUANT);
    struct weft_vector_fields *v = &bench->instruction.vector;
    memcpy(bench->memory.acc, acc, 3 * sizeof *acc);
    v->multiplier = multiplier;
    v->shift = shift;
    v->rounding = WEFT_ROUNDING_FLOAT;
    assert_lanes(bench, as_float, 3);
    v->rounding = WEFT_ROUNDING_SINGLE;
    assert_lanes(bench, once, 3);
    bench_free(bench);
}

static void requant_float_rounds_sum_product_and_result(void **state) {
    (void)state;
    /* Sums become 2^24, 5 * 2^24 and -2^24, 2^-25 of which are 0.5, 2.5 and -0.5. */
    assert_rounds((const int32_t[]){(1 << 24) + 1, 5 * (1 << 24) + 3, -(1 << 24) - 1}, 1U << 30,
                  -24, (const int8_t[]){0, 2, 0}, (const int8_t[]){1, 3, -1});
    /* (2^23 + 1) (2^24 - 1) = 2^47 + 2^23 - 1 becomes 2^47, 2^-48 of which is 0.5. */
    assert_rounds((const int32_t[]){(1 << 23) + 1, -(1 << 23) - 1, 1}, FLOAT_BITS, -24,
                  (const int8_t[]){0, 0, 0}, (const int8_t[]){1, -1, 0});
    /* From 2^31 - 64 on sums become 2^31, 3 * 2^-32 of which are 1.5. */
    assert_rounds((const int32_t[]){INT32_MAX, INT32_MAX - 63, INT32_MAX - 64}, 3U << 29, -30,
                  (const int8_t[]){2, 2, 1}, (const int8_t[]){1, 1, 1});
    assert_rounds((const int32_t[]){INT32_MIN, INT32_MIN + 64, INT32_MIN + 65}, 3U << 29, -30,
                  (const int8_t[]){-2, -2, -1}, (const int8_t[]){-2, -1, -1});
}

static void requant_adds_bias_and_zero_point_and_clamps(void **state) {
    (void)state;
    static const int32_t acc[] = {0, 50, -50, 1000, -1000};
    struct bench *bench = bench_of(WEFT_FUNCTION_REQUANT);
    memcpy(bench->memory.acc, acc, sizeof acc);
    bench->instruction.vector.par = 3;
    for (size_t i = 0; i < 16; i++) {
        weft_write_u32(bench->memory.par + 48 + 4 * i, 10);
    }
    bench->instruction.vector.multiplier = 1 << 30;
    bench->instruction.vector.shift = 1;
    bench->instruction.vector.out_zero = -7;
    bench->instruction.vector.low = -40;
    bench->instruction.vector.high = 100;
    assert_lanes(bench, (const int8_t[]){3, 53, -40, 100, -40}, 5);
    bench_free(bench);
}

static void requant_sums_wrap(void **state) {
    (void)state;
    struct bench *bench = bench_of(WEFT_FUNCTION_REQUANT);
    bench->memory.acc[0] = INT32_MAX;
    weft_write_u32(bench->memory.par, 1);
    bench->instruction.vector.multiplier = 1 << 30;
    bench->instruction.vector.shift = -22;
    assert_lanes(bench, (const int8_t[]){-128}, 1);
    bench_free(bench);
}

static void the_one_product_that_does_not_fit_saturates(void **state) {
    (void)state;
    /* INT32_MIN times INT32_MIN: 2^31 - 1 with gemmlowp's rounding. */
    struct bench *bench = bench_of(WEFT_FUNCTION_REQUANT);
    bench->memory.acc[0] = INT32_MIN;
    bench->memory.acc[1] = INT32_MIN + 1;
    bench->memory.acc[2] = INT32_MAX;
    bench->instruction.vector.per_channel = 1;
    for (size_t lane = 0; lane < 16; lane++) {
        weft_write_u32(bench->memory.par + 64 + 4 * lane, 1U << 31);
        bench->memory.par[128 + lane] = (uint8_t)-25;
    }
    /* 2^31 / 2^25 = 64. */
    assert_lanes(bench, (const int8_t[]){64, 64, -64}, 3);
    for (size_t lane = 0; lane < 16; lane++) {
        bench->memory.par[128 + lane] = 0;
    }
    assert_lanes(bench, (const int8_t[]){127, 127, -128}, 3);
    bench_free(bench);
}

static void requant_reads_a_record_for_each_channel_block(void **state) {
    (void)state;
    /* Records of 9 lines: 4 of biases, 4 of multipliers, 1 of shifts. Two channel blocks. */
    struct bench *bench = bench_of(WEFT_FUNCTION_REQUANT);
    struct weft_vector_fields *v = &bench->instruction.vector;
    v->per_channel = 1;
    v->count[0] = 2;
    v->a_stride[0] = 1;
    v->out_stride[0] = 1;
    v->multiplier = 123; /* not used */
    v->shift = 5;
    for (uint32_t c = 0; c < 2; c++) {
        uint8_t *record = bench->memory.par + (size_t)c * 9 * 16;
        for (uint32_t lane = 0; lane < 16; lane++) {
            bench->memory.acc[c * 16 + lane] = 8;
            weft_write_u32(record + (size_t)4 * lane, lane);
            weft_write_u32(record + 64 + (size_t)4 * lane, 1U << 30);
            /* Shift 1 or 0, with the two bits above the field set. */
            record[128 + lane] = (uint8_t)(0xc0 | (c == 0));
        }
    }
    struct weft_state memory = state_of(&bench->config);
    assert_kernels_agree(&bench->memory, &bench->instruction);
    state_copy(&memory, &bench->memory);
    weft_execute(&memory, WEFT_HOST_PLAIN, &bench->instruction);
    for (int lane = 0; lane < 16; lane++) {
        assert_int_equal(line_of(&memory, 2)[lane], 8 + lane);
        assert_int_equal(line_of(&memory, 3)[lane], (8 + lane + 1) / 2);
    }
    weft_state_free(&memory);
    bench_free(bench);
}

static void short_records_hold_biases_multipliers_and_shifts(void **state) {
    (void)state;
    /* 7 lines: 3 of 24-bit words, 4 of 32-bit words. */
    struct bench *bench = bench_of(WEFT_FUNCTION_REQUANT);
    struct weft_vector_fields *v = &bench->instruction.vector;
    v->per_channel = v->short_records = 1;
    v->shift = -4;
    v->multiplier = 123; /* not used */
    for (uint32_t lane = 0; lane < 16; lane++) {
        /* Bias -8 or 8 with 23 bits; the shift is lane % 8 above -4, its upper bit beside the bias.
         */
        uint32_t bias = (lane < 8 ? 0x7ffff8U : 8U) | (lane % 8) >> 2 << 23;
        uint8_t *word = bench->memory.par + (size_t)3 * lane;
        word[0] = (uint8_t)bias;
        word[1] = (uint8_t)(bias >> 8);
        word[2] = (uint8_t)(bias >> 16);
        /* 2^30, but for the last lane: 1.5 times as much. */
        weft_write_u32(bench->memory.par + 48 + (size_t)4 * lane,
                       (lane % 4) << 30 | (lane == 15 ? 1U << 29 : 0));
        bench->memory.acc[lane] = 16;
    }
    /* 8 or 24, times 2^(shift - 1): halves away from zero, the shift's below after the half's. */
    assert_lanes(bench, (const int8_t[]){0, 1, 1, 2, 4, 8, 16, 32, 1, 2, 3, 6, 12, 24, 48, 127},
                 16);
    bench_free(bench);
}

/* A record whose operands are scaled by 1 and whose result by 2^-20 / divisor. */
static void write_sum_record(struct bench *bench, int8_t result_shift) {
    for (size_t i = 0; i < 3; i++) {
        weft_write_u32(bench->memory.par + 4 * i, 1U << 30);
    }
    bench->memory.par[12] = 1;
    bench->memory.par[13] = 1;
    bench->memory.par[14] = (uint8_t)result_shift;
}

static void sums_scale_their_operands_and_their_result(void **state) {
    (void)state;
    static const int8_t a[] = {5, 5, 6, -8, 127, -128};
    static const int8_t b[] = {7, 6, 6, -7, 127, -128};
    struct bench *bench = bench_of(WEFT_FUNCTION_ADD);
    memcpy(bench->memory.act, a, sizeof a);
    memcpy(bench->memory.act + 16, b, sizeof b);
    bench->instruction.vector.a_zero = 1;
    bench->instruction.vector.b_zero = -1;
    bench->instruction.vector.out_zero = 3;
    write_sum_record(bench, -19);
    assert_lanes(bench, (const int8_t[]){15, 14, 15, -12, 127, -128}, 6);
    bench->instruction.vector.function = WEFT_FUNCTION_SUB;
    /* (a - 1) - (b + 1) + 3 */
    assert_lanes(bench, (const int8_t[]){-1, 0, 1, 0, 1, 1}, 6);
    /* Half the sum: 6, 5.5, 6, -7.5, 127, -128 round away from zero. */
    bench->instruction.vector.function = WEFT_FUNCTION_ADD;
    bench->instruction.vector.out_zero = 0;
    write_sum_record(bench, -20);
    assert_lanes(bench, (const int8_t[]){6, 6, 6, -8, 127, -128}, 6);
    bench_free(bench);
}

static void products_are_scaled(void **state) {
    (void)state;
    static const int8_t a[] = {7, -3, 127, -128};
    static const int8_t b[] = {4, 5, -128, -128};
    struct bench *bench = bench_of(WEFT_FUNCTION_MUL);
    memcpy(bench->memory.act, a, sizeof a);
    memcpy(bench->memory.act + 16, b, sizeof b);
    bench->instruction.vector.a_zero = 1;
    bench->instruction.vector.b_zero = 2;
    bench->instruction.vector.out_zero = -5;
    bench->instruction.vector.multiplier = 1 << 30;
    /* 6 * 2, -4 * 3, 126 * -130 and -129 * -130, halved. */
    assert_lanes(bench, (const int8_t[]){1, -11, -128, 127}, 4);
    bench_free(bench);
}

static void rescale_scales_one_operand(void **state) {
    (void)state;
    static const int8_t a[] = {7, 8, -128, 127, 3};
    struct bench *bench = bench_of(WEFT_FUNCTION_RESCALE);
    memcpy(bench->memory.act, a, sizeof a);
    bench->instruction.vector.a_zero = 3;
    bench->instruction.vector.out_zero = 10;
    bench->instruction.vector.multiplier = 1 << 30;
    bench->instruction.vector.shift = 2; /* twice */
    bench->instruction.vector.low = -100;
    assert_lanes(bench, (const int8_t[]){18, 20, -100, 127, 10}, 5);
    bench_free(bench);
}

static void max_min_and_copy_clamp(void **state) {
    (void)state;
    static const int8_t a[] = {7, -3, 127, -128};
    static const int8_t b[] = {4, 5, -128, -128};
    struct bench *bench = bench_of(WEFT_FUNCTION_MAX);
    memcpy(bench->memory.act, a, sizeof a);
    memcpy(bench->memory.act + 16, b, sizeof b);
    assert_lanes(bench, (const int8_t[]){7, 5, 127, -128}, 4);
    bench->instruction.vector.function = WEFT_FUNCTION_MIN;
    assert_lanes(bench, (const int8_t[]){4, -3, -128, -128}, 4);
    bench->instruction.vector.function = WEFT_FUNCTION_COPY;
    assert_lanes(bench, a, 4);
    bench->instruction.vector.low = -2;
    bench->instruction.vector.high = 6;
    assert_lanes(bench, (const int8_t[]){6, -2, 6, -2}, 4);
    bench->instruction.vector.function = WEFT_FUNCTION_MAX;
    assert_lanes(bench, (const int8_t[]){6, 5, 6, -2}, 4);
    bench->instruction.vector.function = WEFT_FUNCTION_MIN;
    assert_lanes(bench, (const int8_t[]){4, -2, -2, -2}, 4);
    bench_free(bench);
}

static void pool_takes_the_largest_of_its_window(void **state) {
    (void)state;
    struct bench *bench = bench_of(WEFT_FUNCTION_POOL);
    struct weft_vector_fields *v = &bench->instruction.vector;
    v->a = 100;
    v->window_count[0] = 2;
    v->window_count[1] = 3;
    v->window_stride[0] = 10;
    v->window_stride[1] = -1;
    /* Lines 100, 99, 98, 110, 109, 108; lines 97 and 107 are not in the window. */
    memset(line_of(&bench->memory, 97), -100, 224);
    line_of(&bench->memory, 97)[0] = 127;
    line_of(&bench->memory, 107)[0] = 127;
    line_of(&bench->memory, 108)[0] = -5;
    line_of(&bench->memory, 98)[0] = -6;
    line_of(&bench->memory, 100)[1] = 50;
    assert_lanes(bench, (const int8_t[]){-5, 50, -100}, 3);
    v->low = -50;
    v->high = 40;
    assert_lanes(bench, (const int8_t[]){-5, 40, -50}, 3);
    bench_free(bench);
}

static void look_up_uses_the_table_of_the_lane(void **state) {
    (void)state;
    static const int8_t a[] = {0, 1, -1, -128, 127};
    struct bench *bench = bench_of(WEFT_FUNCTION_LUT);
    memcpy(bench->memory.act, a, sizeof a);
    bench->memory.lut[0 * 16 + 0] = 11;
    bench->memory.lut[1 * 16 + 1] = 22;
    bench->memory.lut[255 * 16 + 2] = 0x80;
    bench->memory.lut[128 * 16 + 3] = 44;
    bench->memory.lut[127 * 16 + 4] = 0x7f;
    bench->instruction.vector.low = 0; /* not used */
    bench->instruction.vector.high = 1;
    assert_lanes(bench, (const int8_t[]){11, 22, -128, 44, 127}, 5);
    bench_free(bench);
}

static void fill_writes_its_byte(void **state) {
    (void)state;
    struct bench *bench = bench_of(WEFT_FUNCTION_FILL);
    bench->instruction.vector.out_zero = -9;
    bench->instruction.vector.low = 0; /* not used */
    assert_lanes(bench, (const int8_t[]){-9, -9, -9}, 3);
    bench_free(bench);
}

static void vectors_are_walked_by_three_strides(void **state) {
    (void)state;
    struct bench *bench = bench_of(WEFT_FUNCTION_COPY);
    struct weft_vector_fields *v = &bench->instruction.vector;
    struct weft_state memory = state_of(&bench->config);
    for (int line = 0; line < 512; line++) {
        line_of(&bench->memory, line)[0] = (int8_t)line;
    }
    v->a = 200;
    v->out = 50;
    for (unsigned i = 0; i < 3; i++) {
        static const int32_t a_stride[] = {20, -3, 1};
        static const int32_t out_stride[] = {-12, 4, 1};
        v->count[i] = 2 + i;
        v->a_stride[i] = a_stride[i];
        v->out_stride[i] = out_stride[i];
    }
    assert_true(is_legal(&bench->config, &bench->instruction));
    state_copy(&memory, &bench->memory);
    weft_execute(&memory, WEFT_HOST_PLAIN, &bench->instruction);
    for (int c = 0; c < 2; c++) {
        for (int y = 0; y < 3; y++) {
            for (int x = 0; x < 4; x++) {
                assert_int_equal(line_of(&memory, 50 - 12 * c + 4 * y + x)[0],
                                 (int8_t)(200 + 20 * c - 3 * y + x));
            }
        }
    }
    assert_int_equal(line_of(&memory, 62)[0], 62);
    weft_state_free(&memory);
    bench_free(bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_agrees_on_every_kernel),
        cmocka_unit_test(every_shift_agrees_on_every_kernel),
        cmocka_unit_test(requant_rounds_ties_as_its_rounding_says),
        cmocka_unit_test(requant_rounds_twice_or_once),
        cmocka_unit_test(requant_float_rounds_sum_product_and_result),
        cmocka_unit_test(requant_adds_bias_and_zero_point_and_clamps),
        cmocka_unit_test(requant_sums_wrap),
        cmocka_unit_test(the_one_product_that_does_not_fit_saturates),
        cmocka_unit_test(requant_reads_a_record_for_each_channel_block),
        cmocka_unit_test(short_records_hold_biases_multipliers_and_shifts),
        cmocka_unit_test(sums_scale_their_operands_and_their_result),
        cmocka_unit_test(products_are_scaled),
        cmocka_unit_test(rescale_scales_one_operand),
        cmocka_unit_test(max_min_and_copy_clamp),
        cmocka_unit_test(pool_takes_the_largest_of_its_window),
        cmocka_unit_test(look_up_uses_the_table_of_the_lane),
        cmocka_unit_test(fill_writes_its_byte),
        cmocka_unit_test(vectors_are_walked_by_three_strides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
