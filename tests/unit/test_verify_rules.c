/* isa/verify: what one instruction can do wrong. */
#include "tests/unit/test.h"

#include <stdio.h>
#include <string.h>

#include "isa/footprint.h"
#include "isa/verify/verify.h"
#include "tests/unit/good_program.h"
#include "tests/unit/helpers.h"

static void assert_good(const struct weft_config *config, const struct good *good) {
    struct weft_proof proof;
    struct weft_error error;
    ASSERT_GOOD(weft_verify(config, good->program, GOOD_COUNT, &good->regions, &proof, &error),
                error);
    assert_int_equal(proof.instructions, GOOD_COUNT);
}

static void the_good_program_verifies(void **state) {
    (void)state;
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        struct weft_config config = config_of(shipped_configs[i]);
        struct good good = good_program(&config);
        assert_good(&config, &good);
    }
}

/* ---- VERIFY_PROGRAM ---- */

static void assert_form(const struct weft_instruction *program, size_t count, uint64_t position) {
    struct weft_config config = config_of("ref16");
    struct good good = good_program(&config);
    struct weft_proof proof;
    struct weft_error error;
    ASSERT_FAILS(weft_verify(&config, program, count, &good.regions, &proof, &error), error,
                 WEFT_VERIFY_PROGRAM);
    assert_int_equal(error.position, position);
}

static void programs_end_in_their_only_halt(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct good good = good_program(&config);
    assert_form(good.program, GOOD_HALT, GOOD_HALT - 1);
    good.program[GOOD_FENCE] = good.program[GOOD_HALT];
    assert_form(good.program, GOOD_COUNT, GOOD_FENCE);
    good.program[GOOD_HALT - 1] = good.program[GOOD_HALT];
    good.program[GOOD_FENCE] = weft_instruction_new(WEFT_OPCODE_FENCE);
    assert_form(good.program, GOOD_COUNT, GOOD_HALT - 1);
    assert_form(good.program, 0, 0);
    assert_form(NULL, 0, 0);
}

static void halt_alone_is_a_program(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction halt = weft_instruction_new(WEFT_OPCODE_HALT);
    struct weft_regions regions = same_regions(0);
    struct weft_proof proof;
    struct weft_error error;
    ASSERT_GOOD(weft_verify(&config, &halt, 1, &regions, &proof, &error), error);
}

/* ---- VERIFY_RESERVED ---- */

static void fields_stay_inside_their_widths(void **state) {
    (void)state;
    static const struct field_case cases[] = {
        {GOOD_LOAD_INPUT, "count", 1, 0, "count"},
        {GOOD_LOAD_INPUT, "count", 0, 65536, "count"},
        {GOOD_FILL, "value", 0, 128, "value"},
        {GOOD_STORE_SUM, "region", 0, 8, "region"},
        {GOOD_DENSE, "wait", 0, 1 << WEFT_UNIT_MATRIX, "wait"},
        {GOOD_DENSE, "accumulate", 0, 2, "accumulate"},
        {GOOD_ADD, "function", 0, WEFT_FUNCTIONS, "function"},
        {GOOD_ADD, "multiplier", 0, INT64_C(1) << 31, "multiplier"},
        {GOOD_ADD, "lut_banks", 0, 2, "lut_banks"},
    };
    assert_fields_break(cases, LENGTH(cases), WEFT_VERIFY_RESERVED);
}

static void opcodes_must_exist(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction mutant = {.opcode = 0};
    assert_mutant_breaks(&config, GOOD_POOL, &mutant, WEFT_VERIFY_RESERVED, "opcode 0");
    mutant.opcode = 8;
    assert_mutant_breaks(&config, GOOD_POOL, &mutant, WEFT_VERIFY_RESERVED, "opcode 8");
}

static void masks_name_banks_that_are_there(void **state) {
    (void)state;
    struct weft_config config = few_banks_config();
    struct weft_instruction fill = weft_instruction_new(WEFT_OPCODE_FILL);
    fill.banks[WEFT_MEMORY_ACT] = 1;
    assert_true(is_legal(&config, &fill));
    for (unsigned memory = WEFT_MEMORY_ACT; memory <= WEFT_MEMORY_PAR; memory++) {
        struct weft_instruction mutant = fill;
        uint32_t banks = weft_banks(&config, (enum weft_memory)memory);
        mutant.banks[memory] |= 1U << (banks - 1);
        assert_true(is_legal(&config, &mutant));
        mutant.banks[memory] |= 1U << banks;
        char part[64];
        (void)snprintf(part, sizeof part, "but %s has %u", weft_memory_names[memory], banks);
        assert_breaks(&config, &mutant, WEFT_VERIFY_RESERVED, part);
        mutant.banks[memory] = fill.banks[memory] | 1U << (weft_memory_banks[memory] - 1);
        assert_breaks(&config, &mutant, WEFT_VERIFY_RESERVED, part);
    }
}

static void instructions_need_features_that_are_there(void **state) {
    (void)state;
    for (size_t i = 0; i < NEEDING; i++) {
        const char *parameter = NULL;
        struct weft_instruction mutant = needing(i, &parameter);
        struct weft_config config = config_of("ref16");
        char part[64];
        set_parameter(&config, parameter, 0);
        (void)snprintf(part, sizeof part, "needs %s, which", parameter);
        assert_breaks(&config, &mutant, WEFT_VERIFY_RESERVED, part);
    }
}

static void weights_begin_at_a_multiple_of_two_lines(void **state) {
    (void)state;
    static const struct field_case cases[] = {
        {GOOD_DENSE, "wgt", 0, 16, "2B"},
        {GOOD_DENSE, "wgt", 0, 33, "2B"},
        {GOOD_DEPTHWISE, "wgt", 0, 1024 + 16, "2B"},
    };
    assert_fields_break(cases, LENGTH(cases), WEFT_VERIFY_RESERVED);
}

/* The weights of the good program as one unit. */
static struct weft_instruction coded_load(const struct weft_config *config) {
    struct weft_instruction load = good_program(config).program[GOOD_LOAD_WEIGHTS];
    load.wait = load.signal = 0;
    load.load.units = 1;
    for (unsigned i = 0; i < 3; i++) {
        load.load.count[i] = 1;
        load.load.address_stride[i] = load.load.local_stride[i] = 0;
    }
    return load;
}

static void coded_weights_are_one_run_to_pairs_of_lines(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction load = coded_load(&config);
    struct weft_instruction mutant = load;
    assert_true(is_legal(&config, &mutant));
    mutant.load.local = 16;
    assert_breaks(&config, &mutant, WEFT_VERIFY_RESERVED, "2B");
    for (unsigned i = 0; i < 3; i++) {
        mutant = load;
        mutant.load.count[i] = 2;
        assert_breaks(&config, &mutant, WEFT_VERIFY_RESERVED, "one run");
        mutant = load;
        mutant.load.address_stride[i] = -1;
        assert_breaks(&config, &mutant, WEFT_VERIFY_RESERVED, "one run");
        mutant = load;
        mutant.load.local_stride[i] = 32;
        assert_breaks(&config, &mutant, WEFT_VERIFY_RESERVED, "one run");
    }
    mutant = load;
    mutant.load.units = 0;
    assert_true(is_legal(&config, &mutant));
    mutant.load.base = 1;
    assert_breaks(&config, &mutant, WEFT_VERIFY_RESERVED, "units and base");
    mutant = load;
    mutant.load.memory = WEFT_TARGET_PAR;
    assert_breaks(&config, &mutant, WEFT_VERIFY_RESERVED, "units and base");
}

static void window_fields_that_do_not_count_are_neutral(void **state) {
    (void)state;
    static const struct field_case cases[] = {
        {GOOD_DENSE, "window_columns", 0, 1, "window"},
        {GOOD_DENSE, "window_row_stride", 0, -16, "window"},
        {GOOD_DENSE, "window_step", 0, 1, "window"},
        {GOOD_DENSE, "window_first", 0, 1, "window"},
        {GOOD_DEPTHWISE, "window_first", 0, 63, "window"},
        {GOOD_DEPTHWISE, "act_zero", 0, -1, "zero point"},
    };
    assert_fields_break(cases, LENGTH(cases), WEFT_VERIFY_RESERVED);
}

static void vector_fields_that_do_not_count_are_neutral(void **state) {
    (void)state;
    static const struct field_case cases[] = {
        {GOOD_REQUANT_DEPTHWISE, "shift", 0, -32, "shift"},
        {GOOD_RESCALE, "shift", 0, -32, "shift"},
        {GOOD_MAX, "low", 0, 127 + 0, "low"},
        {GOOD_ADD, "window_count", 0, 2, "window"},
        {GOOD_ADD, "window_count", 1, 2, "window"},
        {GOOD_LOOK_UP, "window_stride", 0, 1, "window"},
        {GOOD_REQUANT_DENSE, "window_stride", 1, -1, "window"},
        {GOOD_ADD, "per_channel", 0, 1, "per_channel"},
        {GOOD_POOL, "per_channel", 0, 1, "per_channel"},
        {GOOD_ADD, "short_records", 0, 1, "short_records"},
        {GOOD_REQUANT_DEPTHWISE, "short_records", 0, 1, "short_records"},
        {GOOD_MAX, "rounding", 0, 1, "rounding"},
        {GOOD_RESCALE, "rounding", 0, 1, "rounding"},
        {GOOD_ADD, "rounding", 0, 2, "rounding"},
        {GOOD_REQUANT_DENSE, "rounding", 0, 3, "rounding"},
    };
    struct weft_config config = config_of("ref16");
    struct good good = good_program(&config);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct weft_instruction mutant = good.program[cases[i].at];
        field_set(&mutant, field_of(mutant.opcode, cases[i].field), cases[i].index, cases[i].value);
        if (strcmp(cases[i].field, "low") == 0) {
            mutant.vector.high = 126;
        }
        assert_mutant_breaks(&config, cases[i].at, &mutant, WEFT_VERIFY_RESERVED, cases[i].part);
    }
}

static void softmax_alone_has_lanes(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction vector = unclamped_vector(WEFT_FUNCTION_SOFTMAX);
    vector.vector.out = 5;
    assert_false(is_legal(&config, &vector));
    vector.vector.lanes = 1;
    assert_true(is_legal(&config, &vector));
    vector.vector.lanes = 16;
    assert_true(is_legal(&config, &vector));
    vector.vector.lanes = 17;
    assert_false(is_legal(&config, &vector));
    vector = unclamped_vector(WEFT_FUNCTION_COPY);
    vector.vector.out = 5;
    vector.vector.lanes = 1;
    assert_false(is_legal(&config, &vector));
}

static void low_may_equal_high(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction vector = unclamped_vector(WEFT_FUNCTION_COPY);
    vector.vector.out = 5;
    vector.vector.low = vector.vector.high = 3;
    assert_true(is_legal(&config, &vector));
    vector.vector.low = 4;
    assert_false(is_legal(&config, &vector));
}

/* ---- VERIFY_DEPTHWISE ---- */

static void windows_have_a_shape(void **state) {
    (void)state;
    static const struct field_case cases[] = {
        {GOOD_DEPTHWISE, "window_rows", 0, 0, "1 to 4 rows"},
        {GOOD_DEPTHWISE, "window_rows", 0, 5, "1 to 4 rows"},
        {GOOD_DEPTHWISE, "window_rows", 0, 7, "1 to 4 rows"},
        {GOOD_DEPTHWISE, "window_columns", 0, 0, "1 column"},
        {GOOD_DEPTHWISE, "window_columns", 0, 9, "B taps"},
        {GOOD_DEPTHWISE, "window_columns", 0, 63, "B taps"},
        {GOOD_DEPTHWISE, "window_step", 0, 0, "step"},
    };
    assert_fields_break(cases, LENGTH(cases), WEFT_VERIFY_DEPTHWISE);
}

static void depthwise_reads_whole_lines(void **state) {
    (void)state;
    static const struct field_case cases[] = {
        {GOOD_DEPTHWISE, "act", 0, 1, "whole lines"},
        {GOOD_DEPTHWISE, "act", 0, 8, "whole lines"},
        {GOOD_DEPTHWISE, "window_row_stride", 0, 9 * 16 + 1, "whole lines"},
        {GOOD_DEPTHWISE, "window_row_stride", 0, 9 * 16 - 8, "whole lines"},
        {GOOD_DEPTHWISE, "tile_act_stride", 0, 1, "whole lines"},
        {GOOD_DEPTHWISE, "tile_act_stride", 3, 72 * 16 + 8, "whole lines"},
        {GOOD_DEPTHWISE, "pixel_act_stride", 0, 9 * 16 + 4, "whole lines"},
        {GOOD_DEPTHWISE, "pixel_act_stride", 1, 17, "whole lines"},
        {GOOD_DEPTHWISE, "pixel_act_stride", 1, 15, "whole lines"},
    };
    assert_fields_break(cases, LENGTH(cases), WEFT_VERIFY_DEPTHWISE);
}

/* A depthwise MATRIX with `rows` rows, `stride` lines apart, in the middle of ACT. */
static struct weft_instruction window_of(const struct weft_config *config, uint32_t rows,
                                         int32_t stride) {
    struct weft_instruction matrix = with_all_banks(WEFT_OPCODE_MATRIX);
    matrix.matrix.mode = WEFT_MODE_DEPTHWISE;
    matrix.matrix.act = config->act_bytes / 2;
    matrix.matrix.pixel_act_stride[1] = (int32_t)config->block;
    matrix.matrix.window_rows = rows;
    matrix.matrix.window_columns = 1;
    matrix.matrix.window_row_stride = stride * (int32_t)config->block;
    matrix.matrix.window_step = 1;
    return matrix;
}

static void rows_of_a_window_lie_in_different_sub_banks(void **state) {
    (void)state;
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        struct weft_config config = config_of(shipped_configs[i]);
        for (uint32_t rows = 1; rows <= 4; rows++) {
            for (int32_t stride = -13; stride <= 13; stride++) {
                bool good = true;
                for (int32_t a = 0; a < (int32_t)rows; a++) {
                    for (int32_t b = 0; b < a; b++) {
                        good = good && (a - b) * stride % 4 != 0;
                    }
                }
                struct weft_instruction matrix = window_of(&config, rows, stride);
                if (good) {
                    assert_true(is_legal(&config, &matrix));
                } else {
                    assert_breaks(&config, &matrix, WEFT_VERIFY_DEPTHWISE, "sub-bank");
                }
            }
        }
    }
    struct weft_config config = config_of("ref16");
    struct good good = good_program(&config);
    struct weft_instruction mutant = good.program[GOOD_DEPTHWISE];
    mutant.matrix.window_row_stride = 8 * 16;
    assert_mutant_breaks(&config, GOOD_DEPTHWISE, &mutant, WEFT_VERIFY_DEPTHWISE, "sub-bank");
}

/* A dense MATRIX whose pixels lie in rows of a window, `stride` bytes left out between them. */
static struct weft_instruction dense_window(const struct weft_config *config, uint32_t rows,
                                            uint32_t bytes, int32_t stride) {
    struct weft_instruction matrix = with_all_banks(WEFT_OPCODE_MATRIX);
    matrix.matrix.act = config->act_bytes / 2;
    matrix.matrix.window_rows = rows;
    matrix.matrix.window_columns = bytes;
    matrix.matrix.window_row_stride = stride;
    return matrix;
}

static void rows_of_a_dense_pixel_lie_one_or_two_sub_banks_apart(void **state) {
    (void)state;
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        struct weft_config config = config_of(shipped_configs[i]);
        int32_t block = (int32_t)config.block;
        for (int32_t stride = -9; stride <= 9; stride++) {
            struct weft_instruction matrix = dense_window(&config, 3, 9, stride * block);
            if (((stride + 12) % 4 == 1) || ((stride + 12) % 4 == 2)) {
                assert_true(is_legal(&config, &matrix));
            } else {
                assert_breaks(&config, &matrix, WEFT_VERIFY_DEPTHWISE, "multiple of 4");
            }
            matrix.matrix.window_row_stride++;
            assert_breaks(&config, &matrix, WEFT_VERIFY_DEPTHWISE, "multiple of 4");
        }
        struct weft_instruction matrix = dense_window(&config, 1, 9, block);
        assert_breaks(&config, &matrix, WEFT_VERIFY_DEPTHWISE, "2 rows of 1 byte");
        matrix = dense_window(&config, 2, 0, block);
        assert_breaks(&config, &matrix, WEFT_VERIFY_DEPTHWISE, "2 rows of 1 byte");
        matrix = dense_window(&config, 7, 63, block);
        matrix.matrix.window_first = 63;
        assert_true(is_legal(&config, &matrix));
        matrix.matrix.window_step = 1;
        assert_breaks(&config, &matrix, WEFT_VERIFY_RESERVED, "window");
    }
}

static void windows_may_have_as_many_taps_as_lanes(void **state) {
    (void)state;
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        struct weft_config config = config_of(shipped_configs[i]);
        struct weft_instruction matrix = window_of(&config, 4, 1);
        matrix.matrix.window_columns = config.block / 4;
        assert_true(is_legal(&config, &matrix));
        matrix.matrix.window_columns++;
        assert_breaks(&config, &matrix, WEFT_VERIFY_DEPTHWISE, "B taps");
    }
}

/* ---- VERIFY_BANKS ---- */

static void every_bank_of_every_instruction_is_needed(void **state) {
    (void)state;
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        struct weft_config config = config_of(shipped_configs[i]);
        struct good good = good_program(&config);
        int banks = 0;
        for (size_t at = 0; at < GOOD_COUNT; at++) {
            for (unsigned bit = 0; bit < 32 * WEFT_MEMORIES; bit++) {
                unsigned memory = bit / 32;
                uint32_t mask = UINT32_C(1) << bit % 32;
                struct weft_instruction mutant = good.program[at];
                if ((mutant.banks[memory] & mask) == 0) {
                    continue;
                }
                banks++;
                mutant.banks[memory] &= ~mask;
                assert_mutant_breaks(&config, at, &mutant, WEFT_VERIFY_BANKS,
                                     weft_memory_names[memory]);
                unsigned moved = bit % 32 == 0 ? 1 : bit % 32 - 1;
                mutant.banks[memory] |=
                    UINT32_C(1) << moved & weft_bank_mask(&config, (enum weft_memory)memory);
                assert_mutant_breaks(&config, at, &mutant, WEFT_VERIFY_BANKS,
                                     weft_memory_names[memory]);
            }
        }
        assert_true(banks > 40);
    }
}

static void masks_are_shown(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction fill = weft_instruction_new(WEFT_OPCODE_FILL);
    fill.fill.local = 2 * 8192 - 1;
    fill.fill.run = 2;
    fill.banks[WEFT_MEMORY_ACT] = 2;
    assert_breaks(&config, &fill, WEFT_VERIFY_BANKS, "act banks 0x6, its mask is 0x2");
    fill.banks[WEFT_MEMORY_ACT] = 6;
    assert_true(is_legal(&config, &fill));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_good_program_verifies),
        cmocka_unit_test(programs_end_in_their_only_halt),
        cmocka_unit_test(halt_alone_is_a_program),
        cmocka_unit_test(fields_stay_inside_their_widths),
        cmocka_unit_test(opcodes_must_exist),
        cmocka_unit_test(masks_name_banks_that_are_there),
        cmocka_unit_test(instructions_need_features_that_are_there),
        cmocka_unit_test(weights_begin_at_a_multiple_of_two_lines),
        cmocka_unit_test(coded_weights_are_one_run_to_pairs_of_lines),
        cmocka_unit_test(window_fields_that_do_not_count_are_neutral),
        cmocka_unit_test(vector_fields_that_do_not_count_are_neutral),
        cmocka_unit_test(softmax_alone_has_lanes),
        cmocka_unit_test(low_may_equal_high),
        cmocka_unit_test(windows_have_a_shape),
        cmocka_unit_test(depthwise_reads_whole_lines),
        cmocka_unit_test(rows_of_a_window_lie_in_different_sub_banks),
        cmocka_unit_test(rows_of_a_dense_pixel_lie_one_or_two_sub_banks_apart),
        cmocka_unit_test(windows_may_have_as_many_taps_as_lanes),
        cmocka_unit_test(every_bank_of_every_instruction_is_needed),
        cmocka_unit_test(masks_are_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
