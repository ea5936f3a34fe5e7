/* sim/exec: MATRIX. */
#include "tests/unit/test.h"

#include <string.h>

#include "isa/footprint.h"
#include "tests/unit/states.h"

/* ---- kernels against each other ---- */

/* Levels that use different accumulators: strides that nest, in a random order and direction. */
static bool random_accumulators(uint64_t *seed, const struct weft_config *config,
                                struct weft_matrix_fields *m) {
    struct level {
        uint32_t count;
        int32_t *stride;
    } levels[6];
    unsigned used = 0;
    for (unsigned i = 0; i < 4; i++) {
        bool reduction = random_chance(seed, 50);
        m->tile_acc_stride[i] = 0;
        if (!reduction) {
            levels[used++] = (struct level){m->tile_count[i], &m->tile_acc_stride[i]};
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        levels[used++] = (struct level){m->pixel_count[i], &m->pixel_acc_stride[i]};
    }
    int64_t reach = 0;
    while (used > 0) {
        unsigned pick = (unsigned)random_between(seed, 0, used - 1);
        int64_t stride = reach + 1 + (random_chance(seed, 20) ? 1 : 0);
        if (stride > 1000) {
            return false;
        }
        reach += stride * (levels[pick].count - 1);
        *levels[pick].stride = (int32_t)(random_chance(seed, 30) ? -stride : stride);
        levels[pick] = levels[--used];
    }
    return reach < weft_acc_entries(config);
}

static void random_shape(uint64_t *seed, const struct weft_config *config,
                         struct weft_matrix_fields *m) {
    int32_t block = (int32_t)config->block;
    bool dense = m->mode == WEFT_MODE_DENSE;
    int32_t unit = dense ? 1 : block;
    int32_t reach = dense ? 6 * block : 8;
    for (unsigned i = 0; i < 4; i++) {
        m->tile_count[i] = (uint32_t)(random_chance(seed, 50) ? 1 : random_between(seed, 2, 4));
        m->tile_act_stride[i] = (int32_t)random_between(seed, -reach, reach) * unit;
    }
    if (random_chance(seed, 10)) {
        uint32_t tiles = (uint32_t)random_between(seed, 10, 200);
        m->tile_count[random_between(seed, 0, 3)] = tiles;
    }
    for (unsigned i = 0; i < 2; i++) {
        /* fast versions take groups of up to 12 */
        m->pixel_count[i] = (uint32_t)(random_chance(seed, 10) ? random_between(seed, 8, 40)
                                                               : random_between(seed, 1, 7));
        m->pixel_act_stride[i] = (int32_t)random_between(seed, -reach, reach) * unit;
    }
    if (dense && random_chance(seed, 50)) {
        m->window_rows = (uint32_t)random_between(seed, 2, 7);
        m->window_columns = (uint32_t)random_between(seed, 1, 63);
        m->window_first = (uint32_t)random_between(seed, 0, 63);
        int64_t lines = random_between(seed, -3, 2) * 4;
        lines += random_between(seed, 1, 2);
        m->window_row_stride = (int32_t)lines * block;
    }
    if (!dense) {
        m->window_rows = (uint32_t)random_between(seed, 1, 4);
        m->window_columns = (uint32_t)random_between(seed, 1, block / (int32_t)m->window_rows);
        m->window_row_stride = (int32_t)random_between(seed, -9, 9) * block;
        m->window_step = (uint32_t)random_between(seed, 1, 4);
    }
}

/* Puts the operands somewhere inside their memories. */
static bool random_places(uint64_t *seed, const struct weft_config *config,
                          struct weft_instruction *instruction) {
    struct weft_matrix_fields *m = &instruction->matrix;
    struct weft_footprint footprint = weft_footprint_of(config, instruction);
    for (unsigned i = 0; i < footprint.count; i++) {
        const struct weft_access *access = &footprint.access[i];
        int64_t low = 0;
        int64_t high = 0;
        int64_t size = weft_memory_bytes(config, (enum weft_memory)access->memory);
        int64_t block = config->block;
        weft_access_extent(access, &low, &high);
        if (access->memory == WEFT_MEMORY_ACT) {
            int64_t unit = m->mode == WEFT_MODE_DENSE ? 1 : block;
            int64_t base = random_base(seed, low, high, size, unit);
            m->act = (uint32_t)(base * unit);
            if (base < 0) {
                return false;
            }
        } else if (access->memory == WEFT_MEMORY_ACC) {
            int64_t base = random_base(seed, low, high, size, 4 * block);
            m->acc = (uint32_t)base;
            if (base < 0) {
                return false;
            }
        } else {
            int64_t base = random_base(seed, low, high, size, 2 * block);
            m->wgt = (uint32_t)(base * 2 * block);
            if (base < 0) {
                return false;
            }
        }
    }
    return true;
}

static struct weft_instruction random_matrix(uint64_t *seed, const struct weft_config *config,
                                             enum weft_mode mode) {
    static const int32_t zeros[] = {-128, 127, 0, -1};
    for (;;) {
        struct weft_instruction instruction = with_all_banks(WEFT_OPCODE_MATRIX);
        struct weft_matrix_fields *m = &instruction.matrix;
        m->mode = mode;
        m->accumulate = random_chance(seed, 50);
        m->weight_zero = random_chance(seed, 60) ? zeros[random_between(seed, 0, 3)]
                                                 : (int32_t)random_between(seed, -128, 127);
        m->act_zero = mode == WEFT_MODE_DENSE ? zeros[random_between(seed, 0, 3)] : 0;
        random_shape(seed, config, m);
        if (random_accumulators(seed, config, m) && random_places(seed, config, &instruction) &&
            is_legal(config, &instruction)) {
            return instruction;
        }
    }
}

static void assert_matrix_kernels_agree(enum weft_mode mode, uint64_t seed) {
    static const uint32_t blocks[] = {8, 16, 32};
    for (size_t i = 0; i < LENGTH(blocks); i++) {
        struct weft_config config = tiny_config(blocks[i]);
        config.wgt_bytes = 16384;
        struct weft_state state = state_of(&config);
        for (int round = 0; round < 700; round++) {
            struct weft_instruction instruction = random_matrix(&seed, &config, mode);
            if (round % 4 == 0) {
                state_randomise(&state, &seed);
            }
            assert_kernels_agree(&state, &instruction);
        }
        weft_state_free(&state);
    }
}

static void dense_kernels_agree(void **state) {
    (void)state;
    assert_matrix_kernels_agree(WEFT_MODE_DENSE, 20);
}

static void depthwise_kernels_agree(void **state) {
    (void)state;
    assert_matrix_kernels_agree(WEFT_MODE_DEPTHWISE, 21);
}

/* All operands at one corner: the largest and smallest products. */
static void kernels_agree_on_corners(void **state) {
    (void)state;
    static const int32_t corners[] = {-128, 127};
    static const uint32_t blocks[] = {8, 16, 32};
    for (unsigned i = 0; i < 48; i++) {
        struct weft_config config = tiny_config(blocks[i / 16]);
        struct weft_state memory = state_of(&config);
        memset(memory.act, corners[i & 1], config.act_bytes);
        memset(memory.wgt, corners[i >> 1 & 1], config.wgt_bytes);
        struct weft_instruction matrix = with_all_banks(WEFT_OPCODE_MATRIX);
        matrix.matrix.weight_zero = corners[i >> 2 & 1];
        matrix.matrix.act_zero = corners[i >> 3 & 1];
        matrix.matrix.tile_count[1] = 3;
        matrix.matrix.pixel_count[0] = 5;
        matrix.matrix.pixel_count[1] = 5;
        matrix.matrix.pixel_acc_stride[0] = 5;
        matrix.matrix.pixel_acc_stride[1] = 1;
        assert_kernels_agree(&memory, &matrix);
        weft_execute(&memory, WEFT_HOST_PLAIN, &matrix);
        int32_t product =
            (corners[i & 1] - corners[i >> 3 & 1]) * (corners[i >> 1 & 1] - corners[i >> 2 & 1]);
        assert_int_equal(memory.acc[0], 3 * (int32_t)config.block * product);
        weft_state_free(&memory);
    }
}

/* ---- what one instruction gives ---- */

static const struct weft_config *config_of_block(uint32_t block) {
    static struct weft_config config;
    config = tiny_config(block);
    return &config;
}

/* ACT byte i holds i; weight j of lane n is j - n. */
static struct weft_state ramp(const struct weft_config *config) {
    struct weft_state state = state_of(config);
    for (int i = 0; i < 100; i++) {
        state.act[i] = (int8_t)i;
    }
    int block = (int)config->block;
    for (int i = 0; i < 3 * block * block; i++) {
        state.wgt[i] = (int8_t)(i / block % block - i % block);
    }
    return state;
}

static void dense_reads_at_any_byte(void **state) {
    (void)state;
    /* Sum over j of (3 + j) * (j - n - 2) = 224 - 52 * (n + 2), with 52 the sum of 3 + j. */
    for (unsigned host = 0; host < WEFT_HOSTS; host++) {
        if (!weft_host_available((enum weft_host)host)) {
            continue;
        }
        struct weft_state memory = ramp(config_of_block(8));
        struct weft_instruction matrix = weft_instruction_new(WEFT_OPCODE_MATRIX);
        matrix.matrix.act = 3;
        matrix.matrix.acc = 1;
        matrix.matrix.weight_zero = 2;
        weft_execute(&memory, (enum weft_host)host, &matrix);
        for (int n = 0; n < 8; n++) {
            assert_int_equal(memory.acc[n], 0);
            assert_int_equal(memory.acc[8 + n], 224 - 52 * (n + 2));
            assert_int_equal(memory.acc[16 + n], 0);
        }
        weft_state_free(&memory);
    }
}

/* A window of 3 rows of 5 bytes in two tiles of 8 lanes, with every weight 1, in the middle of a
 * row, by every kernel. */
static void dense_reads_rows_of_a_window(void **state) {
    (void)state;
    for (unsigned host = 0; host < WEFT_HOSTS; host++) {
        if (!weft_host_available((enum weft_host)host)) {
            continue;
        }
        struct weft_state memory = ramp(config_of_block(8));
        memset(memory.wgt, 0, 2 * 8 * 8);
        for (int j = 0; j < 15; j++) {
            memory.wgt[j * 8] = 1;
            memory.wgt[j * 8 + 1] = (int8_t)j;
        }
        struct weft_instruction matrix = weft_instruction_new(WEFT_OPCODE_MATRIX);
        struct weft_matrix_fields *m = &matrix.matrix;
        m->act = 3;
        m->tile_count[3] = 2;
        m->tile_act_stride[3] = 8;
        m->window_rows = 3;
        m->window_columns = 5;
        m->window_first = 5;
        m->window_row_stride = 16;
        int32_t sum = 0;
        int32_t weighted = 0;
        for (int j = 0; j < 15; j++) {
            int byte = 3 + j + j / 5 * 16;
            sum += byte;
            weighted += j * byte;
        }
        weft_execute(&memory, (enum weft_host)host, &matrix);
        assert_int_equal(memory.acc[0], sum);
        assert_int_equal(memory.acc[1], weighted);
        weft_state_free(&memory);
    }
}

static void weights_are_rows_of_lanes(void **state) {
    (void)state;
    /* One weight: input lane 5 to output lane 2. */
    struct weft_state memory = state_of(config_of_block(8));
    memory.wgt[5 * 8 + 2] = 7;
    memory.act[5] = 11;
    struct weft_instruction matrix = weft_instruction_new(WEFT_OPCODE_MATRIX);
    weft_execute(&memory, WEFT_HOST_PLAIN, &matrix);
    for (int n = 0; n < 8; n++) {
        assert_int_equal(memory.acc[n], n == 2 ? 77 : 0);
    }
    weft_state_free(&memory);
}

/* Tile t has t + 1 at weight 0 of lane 0; ACT byte 0 is 1, byte 8 is 10. */
static struct weft_state tiles(void) {
    struct weft_state memory = state_of(config_of_block(8));
    for (int t = 0; t < 16; t++) {
        memory.wgt[(size_t)t * 64] = (int8_t)(t + 1);
    }
    memory.act[0] = 1;
    memory.act[8] = 10;
    for (int i = 0; i < 16; i++) {
        memory.acc[(size_t)i * 8] = 1000;
    }
    return memory;
}

static void reductions_overwrite_first_and_then_add(void **state) {
    (void)state;
    struct weft_instruction matrix = weft_instruction_new(WEFT_OPCODE_MATRIX);
    matrix.matrix.tile_count[3] = 2;
    matrix.matrix.tile_act_stride[3] = 8;
    struct weft_state memory = tiles();
    weft_execute(&memory, WEFT_HOST_PLAIN, &matrix);
    assert_int_equal(memory.acc[0], 1 * 1 + 10 * 2);
    weft_state_free(&memory);
    memory = tiles();
    matrix.matrix.accumulate = 1;
    weft_execute(&memory, WEFT_HOST_PLAIN, &matrix);
    assert_int_equal(memory.acc[0], 1000 + 21);
    weft_state_free(&memory);
}

static void tiles_lie_in_loop_order(void **state) {
    (void)state;
    /* Level 1 reduces over 2 inputs, level 3 has 3 outputs: tile 3i + o is input i of output o. */
    struct weft_instruction matrix = weft_instruction_new(WEFT_OPCODE_MATRIX);
    matrix.matrix.tile_count[1] = 2;
    matrix.matrix.tile_act_stride[1] = 8;
    matrix.matrix.tile_count[3] = 3;
    matrix.matrix.tile_acc_stride[3] = 2;
    struct weft_state memory = tiles();
    weft_execute(&memory, WEFT_HOST_PLAIN, &matrix);
    assert_int_equal(memory.acc[0], 1 + 10 * 4);
    assert_int_equal(memory.acc[16], 2 + 10 * 5);
    assert_int_equal(memory.acc[32], 3 + 10 * 6);
    assert_int_equal(memory.acc[8], 1000);
    weft_state_free(&memory);
}

static void sums_wrap(void **state) {
    (void)state;
    struct weft_instruction matrix = weft_instruction_new(WEFT_OPCODE_MATRIX);
    matrix.matrix.accumulate = 1;
    struct weft_state memory = tiles();
    memory.acc[0] = INT32_MAX;
    assert_kernels_agree(&memory, &matrix);
    weft_execute(&memory, WEFT_HOST_PLAIN, &matrix);
    assert_int_equal(memory.acc[0], INT32_MIN);
    weft_state_free(&memory);
}

static void pixels_walk_rows_and_columns(void **state) {
    (void)state;
    /* Identity weights: accumulators are copies of ACT. */
    struct weft_state memory = state_of(config_of_block(8));
    for (int i = 0; i < 8; i++) {
        memory.wgt[i * 8 + i] = 1;
    }
    for (int i = 0; i < 100; i++) {
        memory.act[i] = (int8_t)i;
    }
    struct weft_instruction matrix = weft_instruction_new(WEFT_OPCODE_MATRIX);
    matrix.matrix.act = 50;
    matrix.matrix.acc = 10;
    matrix.matrix.pixel_count[0] = 2;
    matrix.matrix.pixel_count[1] = 3;
    matrix.matrix.pixel_act_stride[0] = -17;
    matrix.matrix.pixel_act_stride[1] = 5;
    matrix.matrix.pixel_acc_stride[0] = -5;
    matrix.matrix.pixel_acc_stride[1] = 2;
    weft_execute(&memory, WEFT_HOST_PLAIN, &matrix);
    for (int y = 0; y < 2; y++) {
        for (int x = 0; x < 3; x++) {
            for (int n = 0; n < 8; n++) {
                assert_int_equal(memory.acc[(10 - 5 * y + 2 * x) * 8 + n], 50 - 17 * y + 5 * x + n);
            }
        }
    }
    weft_state_free(&memory);
}

/* Lane 0 of line (row, column) holds 10 * row + column, lane 1 its negative; rows are 5 lines. */
static struct weft_state image(void) {
    struct weft_state memory = state_of(config_of_block(16));
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 5; column++) {
            int8_t *line = memory.act + (size_t)(row * 5 + column) * 16;
            line[0] = (int8_t)(10 * row + column);
            line[1] = (int8_t)-line[0];
        }
    }
    return memory;
}

static struct weft_instruction window(void) {
    struct weft_instruction matrix = weft_instruction_new(WEFT_OPCODE_MATRIX);
    matrix.matrix.mode = WEFT_MODE_DEPTHWISE;
    matrix.matrix.pixel_count[1] = 2;
    matrix.matrix.pixel_act_stride[1] = 16;
    matrix.matrix.pixel_acc_stride[1] = 1;
    matrix.matrix.window_rows = 3;
    matrix.matrix.window_columns = 3;
    matrix.matrix.window_row_stride = 5 * 16;
    matrix.matrix.window_step = 2;
    return matrix;
}

static void taps_run_from_the_last_column_to_the_first(void **state) {
    (void)state;
    for (int tap = 0; tap < 9; tap++) {
        struct weft_state memory = image();
        int8_t *weights = memory.wgt + (size_t)tap * 16;
        weights[0] = 1;
        weights[1] = 2;
        struct weft_instruction matrix = window();
        assert_kernels_agree(&memory, &matrix);
        weft_execute(&memory, WEFT_HOST_PLAIN, &matrix);
        int row = tap % 3;
        int column = 2 - tap / 3;
        assert_int_equal(memory.acc[0], 10 * row + column);
        assert_int_equal(memory.acc[1], -2 * (10 * row + column));
        assert_int_equal(memory.acc[16], 10 * row + column + 2);
        weft_state_free(&memory);
    }
}

static void windows_sum_over_their_taps(void **state) {
    (void)state;
    /* Weight j + 1 at tap j. Column 0: 0*7 + 10*8 + 20*9 = 260; column 1: 1*4 + 11*5 + 21*6 = 185;
     * column 2: 2*1 + 12*2 + 22*3 = 92. Two columns on, each byte is 2 more: 2 * 45. The bytes of
     * the first window sum up to 99, of the second to 117. */
    struct weft_state memory = image();
    for (int tap = 0; tap < 9; tap++) {
        memory.wgt[(size_t)tap * 16] = (int8_t)(tap + 1);
    }
    struct weft_instruction matrix = window();
    weft_execute(&memory, WEFT_HOST_PLAIN, &matrix);
    assert_int_equal(memory.acc[0], 537);
    assert_int_equal(memory.acc[16], 627);
    matrix.matrix.weight_zero = 3;
    assert_kernels_agree(&memory, &matrix);
    weft_execute(&memory, WEFT_HOST_PLAIN, &matrix);
    assert_int_equal(memory.acc[0], 537 - 3 * 99);
    assert_int_equal(memory.acc[16], 627 - 3 * 117);
    weft_state_free(&memory);
}

static void depthwise_tiles_follow_each_other(void **state) {
    (void)state;
    /* Two tiles of 9 lines; the second is that of the next channel block, here the same lines. */
    struct weft_state memory = image();
    memory.wgt[0] = 1;
    memory.wgt[144] = 5;
    struct weft_instruction matrix = window();
    matrix.matrix.tile_count[3] = 2;
    matrix.matrix.tile_acc_stride[3] = 7;
    weft_execute(&memory, WEFT_HOST_PLAIN, &matrix);
    assert_int_equal(memory.acc[0], 2);
    assert_int_equal(memory.acc[112], 10);
    weft_state_free(&memory);
}

static void there_is_always_a_plain_and_a_portable_kernel(void **state) {
    (void)state;
    assert_true(weft_host_available(WEFT_HOST_PLAIN));
    assert_true(weft_host_available(WEFT_HOST_C));
    assert_false(weft_host_available(WEFT_HOSTS));
    assert_true(weft_host_available(weft_host_best()));
    assert_true(weft_host_best() != WEFT_HOST_PLAIN);
    for (unsigned host = 0; host < WEFT_HOSTS; host++) {
        print_message("kernels for %s are %stested\n", weft_host_names[host],
                      weft_host_available((enum weft_host)host) ? "" : "not ");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_kernels_agree),
        cmocka_unit_test(depthwise_kernels_agree),
        cmocka_unit_test(kernels_agree_on_corners),
        cmocka_unit_test(dense_reads_at_any_byte),
        cmocka_unit_test(dense_reads_rows_of_a_window),
        cmocka_unit_test(weights_are_rows_of_lanes),
        cmocka_unit_test(reductions_overwrite_first_and_then_add),
        cmocka_unit_test(tiles_lie_in_loop_order),
        cmocka_unit_test(sums_wrap),
        cmocka_unit_test(pixels_walk_rows_and_columns),
        cmocka_unit_test(taps_run_from_the_last_column_to_the_first),
        cmocka_unit_test(windows_sum_over_their_taps),
        cmocka_unit_test(depthwise_tiles_follow_each_other),
        cmocka_unit_test(there_is_always_a_plain_and_a_portable_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
