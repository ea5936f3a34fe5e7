/* isa/verify: accumulators that must be distinct, and results that must not overlap operands. */
#include "tests/unit/test.h"

#include <string.h>

#include "isa/claims.h"
#include "isa/verify/verify.h"
#include "tests/unit/good_program.h"
#include "tests/unit/helpers.h"

/* ---- VERIFY_ACCUMULATOR ---- */

static void accumulators_of_a_pass_are_distinct(void **state) {
    (void)state;
    static const struct field_case cases[] = {
        {GOOD_DENSE, "pixel_acc_stride", 1, 0, "two pixels"},
        {GOOD_DENSE, "pixel_acc_stride", 0, 0, "two pixels"},
        {GOOD_DENSE, "pixel_acc_stride", 0, 7, "two pixels"},
        {GOOD_DENSE, "pixel_acc_stride", 0, 1, "two pixels"},
        {GOOD_DEPTHWISE, "pixel_acc_stride", 0, 5, "two pixels"},
        {GOOD_DENSE, "tile_acc_stride", 2, 63, "tile levels"},
        {GOOD_DENSE, "tile_acc_stride", 2, 1, "tile levels"},
        {GOOD_DENSE, "tile_acc_stride", 3, 64, "tile levels"},
        {GOOD_DEPTHWISE, "tile_acc_stride", 3, 41, "tile levels"},
        {GOOD_DEPTHWISE, "tile_acc_stride", 3, 6, "tile levels"},
    };
    assert_fields_break(cases, LENGTH(cases), WEFT_VERIFY_ACCUMULATOR);
}

/* Counts and strides of two tile levels and two pixel levels. */
static struct weft_instruction accumulators(const uint32_t count[4], const int32_t stride[4]) {
    struct weft_instruction matrix = with_all_banks(WEFT_OPCODE_MATRIX);
    matrix.matrix.acc = 500;
    for (unsigned i = 0; i < 2; i++) {
        matrix.matrix.tile_count[i + 1] = count[i];
        matrix.matrix.tile_acc_stride[i + 1] = stride[i];
        matrix.matrix.pixel_count[i] = count[i + 2];
        matrix.matrix.pixel_acc_stride[i] = stride[i + 2];
    }
    return matrix;
}

static bool brute_distinct(const uint32_t count[4], const int32_t stride[4]) {
    bool seen[1024] = {false};
    for (int32_t i = 0; i < (stride[0] == 0 ? 1 : (int32_t)count[0]); i++) {
        for (int32_t j = 0; j < (stride[1] == 0 ? 1 : (int32_t)count[1]); j++) {
            for (int32_t k = 0; k < (int32_t)count[2]; k++) {
                for (int32_t l = 0; l < (int32_t)count[3]; l++) {
                    int32_t at =
                        500 + i * stride[0] + j * stride[1] + k * stride[2] + l * stride[3];
                    if (seen[at]) {
                        return false;
                    }
                    seen[at] = true;
                }
            }
        }
    }
    return true;
}

static void accumulators_are_distinct_exactly_when_no_entry_is_met_twice(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    uint64_t seed = 8;
    int distinct = 0;
    enum {
        ROUNDS = 5000
    };
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t count[4];
        int32_t stride[4];
        for (unsigned k = 0; k < 4; k++) {
            count[k] = (uint32_t)random_between(&seed, 1, 4);
            int64_t reach = random_chance(&seed, 60) ? 8 : 30;
            stride[k] = (int32_t)random_between(&seed, -reach, reach);
        }
        struct weft_instruction matrix = accumulators(count, stride);
        bool expected = brute_distinct(count, stride);
        distinct += expected;
        if (expected) {
            assert_true(is_legal(&config, &matrix));
        } else {
            assert_breaks(&config, &matrix, WEFT_VERIFY_ACCUMULATOR, "accumulator");
        }
    }
    assert_in_range(distinct, ROUNDS / 10, ROUNDS - ROUNDS / 10);
}

/* ---- VERIFY_OVERLAP ---- */

static void vectors_do_not_overwrite_what_they_still_read(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct good good = good_program(&config);
    struct weft_instruction mutant = good.program[GOOD_ADD];
    mutant.banks[WEFT_MEMORY_ACT] |= 0xff;
    mutant.vector.out = mutant.vector.a + 1;
    assert_mutant_breaks(&config, GOOD_ADD, &mutant, WEFT_VERIFY_OVERLAP, "operand a");
    mutant.vector.out = mutant.vector.b + 7;
    assert_mutant_breaks(&config, GOOD_ADD, &mutant, WEFT_VERIFY_OVERLAP, "operand b");
    mutant = good.program[GOOD_POOL];
    mutant.banks[WEFT_MEMORY_ACT] = 0xff;
    mutant.vector.out = mutant.vector.a;
    assert_mutant_breaks(&config, GOOD_POOL, &mutant, WEFT_VERIFY_OVERLAP, "operand a");
    mutant = good.program[GOOD_RESCALE];
    mutant.banks[WEFT_MEMORY_ACT] |= 1U << 10;
    mutant.vector.a = mutant.vector.out - 1;
    assert_mutant_breaks(&config, GOOD_RESCALE, &mutant, WEFT_VERIFY_OVERLAP, "operand a");
}

static void vectors_keep_to_what_they_say_of_their_banks(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct good good = good_program(&config);
    struct weft_instruction mutant = good.program[GOOD_RESCALE];
    uint32_t from = 1U << mutant.vector.a / (weft_bank_bytes(&config, WEFT_MEMORY_ACT) / 16);
    uint32_t to = mutant.banks[WEFT_MEMORY_ACT] & ~from;
    mutant.vector.input_banks = to;
    assert_mutant_breaks(&config, GOOD_RESCALE, &mutant, WEFT_VERIFY_BANKS,
                         "writes act banks 0x800, its input_banks are 0x800");
    mutant.vector.input_banks = 0;
    mutant.vector.apart = 1;
    assert_mutant_breaks(&config, GOOD_RESCALE, &mutant, WEFT_VERIFY_BANKS,
                         "reads act banks 0x80, its input_banks are 0x0 and apart is 1");
    mutant = good.program[GOOD_RESCALE];
    struct weft_footprint footprint = weft_footprint_of(&config, &mutant);
    weft_claims_tell_apart(&config, &footprint, &mutant);
    assert_int_equal(mutant.vector.input_banks, from);
    assert_int_equal(mutant.vector.apart, 1);
    struct weft_proof proof;
    struct weft_error error;
    good.program[GOOD_RESCALE] = mutant;
    ASSERT_GOOD(weft_verify(&config, good.program, GOOD_COUNT, &good.regions, &proof, &error),
                error);
}

static void vectors_may_work_in_place(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction vector = unclamped_vector(WEFT_FUNCTION_ADD);
    struct weft_vector_fields *v = &vector.vector;
    v->out = 100;
    v->a = 100;
    v->b = 1000;
    v->count[1] = 3;
    v->count[2] = 4;
    v->out_stride[1] = v->a_stride[1] = v->b_stride[1] = 4;
    v->out_stride[2] = v->a_stride[2] = v->b_stride[2] = 1;
    assert_true(is_legal(&config, &vector));
    v->a_stride[0] = 77; /* of a level of one step */
    assert_true(is_legal(&config, &vector));
    v->a = 1000;
    v->b = 100;
    assert_true(is_legal(&config, &vector));
    v->a = 100;
    assert_true(is_legal(&config, &vector));
    v->b = 101;
    assert_breaks(&config, &vector, WEFT_VERIFY_OVERLAP, "operand b");
    v->b = 1000;
    v->a = 99;
    assert_breaks(&config, &vector, WEFT_VERIFY_OVERLAP, "operand a");
    v->a = 100;
    v->a_stride[2] = -1;
    assert_breaks(&config, &vector, WEFT_VERIFY_OVERLAP, "operand a");
}

static void lines_visited_twice_cannot_be_worked_on_in_place(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction vector = unclamped_vector(WEFT_FUNCTION_RESCALE);
    vector.vector.count[0] = 2;
    assert_breaks(&config, &vector, WEFT_VERIFY_OVERLAP, "operand a");
    vector.vector.count[1] = 2;
    vector.vector.out_stride[0] = vector.vector.a_stride[0] = 1;
    vector.vector.out_stride[1] = vector.vector.a_stride[1] = -1;
    vector.vector.out = vector.vector.a = 100;
    assert_breaks(&config, &vector, WEFT_VERIFY_OVERLAP, "operand a");
    vector.vector.a = 200;
    assert_true(is_legal(&config, &vector));
}

static void operands_between_results_do_not_overlap(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction vector = unclamped_vector(WEFT_FUNCTION_MAX);
    struct weft_vector_fields *v = &vector.vector;
    v->count[2] = 100;
    v->out_stride[2] = v->a_stride[2] = v->b_stride[2] = 3;
    v->a = 1;
    v->b = 2;
    assert_true(is_legal(&config, &vector));
    v->b_stride[2] = 4;
    assert_breaks(&config, &vector, WEFT_VERIFY_OVERLAP, "operand b");
}

static void accumulators_never_overlap_results(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_instruction vector = unclamped_vector(WEFT_FUNCTION_REQUANT);
    vector.vector.count[2] = 50;
    vector.vector.out_stride[2] = 1;
    vector.vector.a_stride[2] = 1;
    assert_true(is_legal(&config, &vector));
    vector.vector.a = 1;
    assert_true(is_legal(&config, &vector));
    vector = unclamped_vector(WEFT_FUNCTION_FILL); /* reads nothing */
    vector.vector.a = 1;
    vector.vector.count[2] = 50;
    vector.vector.out_stride[2] = vector.vector.a_stride[2] = 1;
    assert_true(is_legal(&config, &vector));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accumulators_of_a_pass_are_distinct),
        cmocka_unit_test(accumulators_are_distinct_exactly_when_no_entry_is_met_twice),
        cmocka_unit_test(vectors_do_not_overwrite_what_they_still_read),
        cmocka_unit_test(vectors_keep_to_what_they_say_of_their_banks),
        cmocka_unit_test(vectors_may_work_in_place),
        cmocka_unit_test(lines_visited_twice_cannot_be_worked_on_in_place),
        cmocka_unit_test(operands_between_results_do_not_overlap),
        cmocka_unit_test(accumulators_never_overlap_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
