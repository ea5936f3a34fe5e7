/* compiler/import: constants that the file holds sparse, in few bits or as float16. */
#include "tests/unit/graphs.h"

#include <string.h>

#include "compiler/import/import.h"
#include "tests/unit/small_models.h"

/* ---- making models ---- */

static const int32_t weights_shape[] = {3, 4};

static struct tflite_vector ints(uint32_t count, const int32_t *values) {
    return (struct tflite_vector){(const uint8_t *)values, count, 4};
}

static struct tflite_vector bytes_of(uint32_t count, const uint8_t *values) {
    return (struct tflite_vector){values, count, 1};
}

static struct tflite_level dense(int32_t size) {
    return (struct tflite_level){.format = TFLITE_DENSE, .size = size};
}

static struct tflite_level compressed(struct tflite_vector segments, struct tflite_vector indices) {
    return (struct tflite_level){
        .format = TFLITE_SPARSE_CSR, .segments = segments, .indices = indices};
}

static struct tflite_tensor plain(int32_t type, const int32_t *shape) {
    return (struct tflite_tensor){.type = type, .rank = 2, .shape = shape};
}

static const float twelve[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

/* FULLY_CONNECTED of [1, 4] with weights [3, 4] of float32, of which these are stored. */
static struct small *product(struct weft_arena *arena, const struct tflite_sparsity *sparsity,
                             uint32_t stored, const float *values) {
    static const int32_t in[] = {1, 4};
    static const int32_t out[] = {1, 3};
    struct small *model = small_model(arena, TFLITE_FULLY_CONNECTED, TFLITE_TABLE_FULLY_CONNECTED);
    model->tensors[0] = plain(TFLITE_FLOAT32, in);
    model->tensors[1] = plain(TFLITE_FLOAT32, out);
    model->tensors[2] = plain(TFLITE_FLOAT32, weights_shape);
    model->tensors[2].data = (const uint8_t *)values;
    model->tensors[2].length = stored * sizeof(float);
    model->tensors[2].sparsity = sparsity;
    model->op = operator_of(arena, TFLITE_FULLY_CONNECTED, 0, 2, 1, TFLITE_TABLE_FULLY_CONNECTED);
    return model;
}

/* The product with [1, 2, 3, 4]. */
static void assert_product(struct weft_arena *arena, const struct tflite_sparsity *sparsity,
                           uint32_t stored, const float *values, const float *expected) {
    static const float x[] = {1, 2, 3, 4};
    const struct small *model = product(arena, sparsity, stored, values);
    const void *inputs[] = {x};
    void **outputs = host_outputs(imported(arena, &model->file), inputs);
    assert_memory_equal(outputs[0], expected, 3 * sizeof(float));
}

/* ---- sparse tensors that are right ---- */

static void the_order_of_dimensions_is_followed(void **state) {
    static const int32_t columns_first[] = {1, 0};
    static const float expected[] = {60, 70, 80};
    struct tflite_sparsity sparsity = {
        .order = ints(2, columns_first), .level_count = 2, .levels = {dense(4), dense(3)}};
    assert_product(*state, &sparsity, 12, twelve, expected);
}

static void indices_need_not_rise(void **state) {
    static const int32_t order[] = {0, 1};
    static const int32_t segments[] = {0, 4, 8, 12};
    static const int32_t indices[] = {3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0};
    static const float expected[] = {10, 50, 90};
    struct tflite_sparsity sparsity = {
        .order = ints(2, order),
        .level_count = 2,
        .levels = {dense(3), compressed(ints(4, segments), ints(12, indices))}};
    assert_product(*state, &sparsity, 12, twelve, expected);
}

/* Rows 0 and 2 are stored; of each some elements, in vectors of 8 and 16 bits. */
static void all_levels_may_be_compressed(void **state) {
    static const int32_t order[] = {0, 1};
    static const uint8_t rows[] = {0, 2};
    static const uint8_t row_indices[] = {0, 2};
    static const uint16_t segments[] = {0, 1, 3};
    static const uint16_t indices[] = {3, 0, 1};
    static const float values[] = {5, 7, 11};
    static const float expected[] = {20, 0, 29};
    struct tflite_sparsity sparsity = {
        .order = ints(2, order),
        .level_count = 2,
        .levels = {compressed(bytes_of(2, rows), bytes_of(2, row_indices)),
                   compressed((struct tflite_vector){(const uint8_t *)segments, 3, 2},
                              (struct tflite_vector){(const uint8_t *)indices, 3, 2})}};
    assert_product(*state, &sparsity, 3, values, expected);
}

/* Blocks of 3 rows and 2 columns, their columns first: the right one alone is stored. */
static void blocks_lie_where_they_belong(void **state) {
    static const int32_t order[] = {0, 1, 3, 2};
    static const int32_t block_map[] = {0, 1};
    static const int32_t segments[] = {0, 1};
    static const int32_t indices[] = {1};
    static const float values[] = {1, 2, 3, 10, 20, 30};
    static const float expected[] = {43, 86, 129};
    struct tflite_sparsity sparsity = {
        .order = ints(4, order),
        .block_map = ints(2, block_map),
        .level_count = 4,
        .levels = {dense(1), compressed(ints(2, segments), ints(1, indices)), dense(2), dense(3)}};
    assert_product(*state, &sparsity, 6, values, expected);
}

static void nothing_stored_is_zeros(void **state) {
    static const int32_t order[] = {0, 1};
    static const int32_t segments[] = {0, 0, 0, 0};
    static const float expected[] = {0, 0, 0};
    struct tflite_sparsity sparsity = {
        .order = ints(2, order),
        .level_count = 2,
        .levels = {dense(3), compressed(ints(4, segments), ints(0, segments))}};
    assert_product(*state, &sparsity, 0, twelve, expected);
}

/* ---- sparse tensors that are wrong ---- */

/* A right description, which each case spoils in one place. */
struct description {
    int32_t order[4], block_map[2], segments[4], indices[3];
    struct tflite_sparsity sparsity;
    uint32_t stored;
};

static void describe(struct description *made) {
    *made = (struct description){.order = {0, 1, 2},
                                 .block_map = {1},
                                 .segments = {0, 1, 2, 3},
                                 .indices = {0, 1, 0},
                                 .stored = 6};
    made->sparsity = (struct tflite_sparsity){
        .order = ints(3, made->order),
        .block_map = ints(1, made->block_map),
        .level_count = 3,
        .levels = {dense(3), compressed(ints(4, made->segments), ints(3, made->indices)),
                   dense(2)}};
}

static void spoil(struct description *made, int number) {
    struct tflite_sparsity *sparsity = &made->sparsity;
    int32_t *const places[] = {&made->order[1],
                               &made->order[0],
                               &made->order[2],
                               &made->block_map[0],
                               &made->block_map[0],
                               &made->segments[0],
                               &made->segments[1],
                               &made->segments[3],
                               &made->segments[3],
                               &made->indices[1],
                               &made->indices[2],
                               &sparsity->levels[0].size,
                               &sparsity->levels[0].size,
                               &sparsity->levels[2].size,
                               &sparsity->levels[2].size,
                               &sparsity->levels[2].format,
                               &sparsity->levels[0].format};
    static const int32_t values[] = {0, -1, 1, 2, -1, 1, 3, 2, 4, 2, -1, 4, INT32_MAX, 3, 0, 1, 7};
    uint32_t *const counts[] = {&sparsity->order.count,
                                &sparsity->block_map.count,
                                &sparsity->level_count,
                                &sparsity->levels[1].segments.count,
                                &sparsity->levels[1].indices.count,
                                &made->stored};
    if (number < 17) {
        *places[number] = values[number];
    } else {
        --*counts[number - 17];
    }
}

static void hostile_descriptions_are_refused(void **state) {
    static const char *const words[] = {
        "the order must name every dimension once",
        "the order must name every dimension once",
        "the order must name every dimension once",
        "blocks must lie along different dimensions",
        "blocks must lie along different dimensions",
        "segment bounds must rise from 0",
        "segment bounds must rise from 0",
        "the last segment bound of level 1: found 2, expected 3",
        "the last segment bound of level 1: found 4, expected 3",
        "an index outside of level 1: found 2, expected 1",
        "an index outside of level 1: found -1, expected 1",
        "size of level 0: found 4, expected 3",
        "size of level 0: found 2147483647, expected 3",
        "a block must be DENSE, of a size",
        "a block must be DENSE, of a size",
        "a block must be DENSE, of a size",
        "format of level 0: found 7",
        "a place in the order and a description",
        "a place in the order and a description",
        "a place in the order and a description",
        "number of segment bounds of level 1: found 3, expected 4",
        "the last segment bound of level 1: found 3, expected 2",
        "its buffer has 20 bytes of FLOAT32, its sparsity needs 24"};
    static const float expected[] = {2, 18, 14};
    struct description made;
    describe(&made);
    assert_product(*state, &made.sparsity, made.stored, twelve, expected);
    for (int i = 0; i < (int)(sizeof words / sizeof words[0]); i++) {
        describe(&made);
        spoil(&made, i);
        const struct small *model = product(*state, &made.sparsity, made.stored, twelve);
        assert_refused(*state, &model->file, WEFT_MODEL, words[i]);
    }
}

/* Levels that say more than memory holds, or than numbers count, in a file of a few bytes. */
static void descriptions_that_grow_are_refused(void **state) {
    static const int32_t large[] = {65536, 32767};
    static const int32_t smaller[] = {4096, 4096};
    static const int32_t order[] = {0, 1};
    struct tflite_sparsity sparsity = {
        .order = ints(2, order), .level_count = 2, .levels = {dense(65536), dense(32767)}};
    struct small *model = product(*state, &sparsity, 0, twelve);
    model->tensors[2].shape = large;
    assert_refused(*state, &model->file, WEFT_LIMIT, "more than 268435456 entries");
    model->tensors[2].shape = smaller;
    sparsity.levels[0] = dense(4096);
    sparsity.levels[1] = dense(4096);
    assert_refused(*state, &model->file, WEFT_MODEL, "its sparsity needs 67108864");
    sparsity.level_count = 17;
    assert_refused(*state, &model->file, WEFT_MODEL, "17 dimensions and blocks, at most 16");
}

/* ---- packed elements ---- */

/* DEQUANTIZE, or another operator, of a constant [1, 4]; its input is read by nobody. */
static struct small *unpacking(struct weft_arena *arena, int32_t code, int32_t type,
                               const uint8_t *data, size_t length) {
    struct small *model = small_model(arena, code, 0);
    model->tensors[1].type = TFLITE_FLOAT32;
    model->tensors[1].scale_count = 0;
    model->tensors[2].type = type;
    model->tensors[2].data = data;
    model->tensors[2].length = length;
    model->op = operator_of(arena, code, 2, -2, 1, 0);
    return model;
}

static void assert_unpacked(struct weft_arena *arena, int32_t code, int32_t type,
                            const uint8_t *data, size_t length, const float *expected) {
    static const int8_t x[4] = {0};
    const struct small *model = unpacking(arena, code, type, data, length);
    const void *inputs[] = {x};
    void **outputs = host_outputs(imported(arena, &model->file), inputs);
    assert_memory_equal(outputs[0], expected, 4 * sizeof(float));
}

static void small_integers_are_unpacked(void **state) {
    static const uint8_t fours[] = {0x87, 0xF1};
    static const uint8_t twos[] = {0x87};
    static const float int4[] = {7, -8, 1, -1};
    static const float uint4[] = {7, 8, 1, 15};
    static const float int2[] = {-1, 1, 0, -2};
    static const int32_t codes[] = {TFLITE_DEQUANTIZE, TFLITE_CAST};
    for (int i = 0; i < 2; i++) {
        assert_unpacked(*state, codes[i], TFLITE_INT4, fours, 2, int4);
        assert_unpacked(*state, codes[i], TFLITE_UINT4, fours, 2, uint4);
        assert_unpacked(*state, codes[i], TFLITE_INT2, twos, 1, int2);
    }
    const struct small *model = unpacking(*state, TFLITE_DEQUANTIZE, TFLITE_INT4, fours, 1);
    assert_refused(*state, &model->file, WEFT_MODEL,
                   "its buffer has 1 bytes of INT4, its shape needs 2");
}

/* All 65,536, against their values. */
static void halves_become_floats(void **state) {
    static const int32_t shape[] = {1, 65536};
    uint8_t *halves = WEFT_NEW_ARRAY(*state, 131072, uint8_t);
    for (uint32_t i = 0; i < 65536; i++) {
        halves[2 * i] = (uint8_t)i;
        halves[2 * i + 1] = (uint8_t)(i >> 8);
    }
    struct small *model = unpacking(*state, TFLITE_DEQUANTIZE, TFLITE_FLOAT16, halves, 131072);
    model->tensors[1].shape = shape;
    model->tensors[2].shape = shape;
    static const int8_t x[4] = {0};
    const void *inputs[] = {x};
    const uint32_t *made = host_outputs(imported(*state, &model->file), inputs)[0];
    for (uint32_t i = 0; i < 65536; i++) {
        uint32_t exponent = i >> 10 & 31;
        double fraction = (double)(i & 1023) / 1024.0 + (exponent == 0 ? 0.0 : 1.0);
        float value = (float)(fraction * (double)(1U << (exponent == 0 ? 1 : exponent)) / 32768.0);
        uint32_t expected = 0;
        memcpy(&expected, &value, sizeof expected);
        expected = exponent == 31 ? 0x7F800000U | (i & 1023) << 13 : expected;
        assert_int_equal(made[i], expected | (i & 0x8000) << 16);
    }
}

/* DENSIFY hands a sparse tensor on, of float16 to DEQUANTIZE. */
static void densify_hands_constants_on(void **state) {
    static const int32_t order[] = {0, 1};
    static const int32_t segments[] = {0, 2};
    static const int32_t indices[] = {1, 3};
    static const uint8_t halves[] = {0x00, 0x3C, 0x00, 0xC2};
    static const float expected[] = {0, 1, 0, -3};
    static const int8_t x[4] = {0};
    struct tflite_sparsity sparsity = {
        .order = ints(2, order),
        .level_count = 2,
        .levels = {dense(1), compressed(ints(2, segments), ints(2, indices))}};
    struct small *model = unpacking(*state, TFLITE_DENSIFY, TFLITE_FLOAT16, halves, 4);
    const struct tflite_operator operators[] = {
        operator_of(*state, TFLITE_DENSIFY, 2, -2, 3, 0),
        operator_of(*state, TFLITE_DEQUANTIZE, 3, -2, 1, 0)};
    model->tensors[2].sparsity = &sparsity;
    model->tensors[3].type = TFLITE_FLOAT16;
    model->file.operators = operators;
    model->file.operator_count = 2;
    const void *inputs[] = {x};
    assert_memory_equal(host_outputs(imported(*state, &model->file), inputs)[0], expected,
                        sizeof expected);
    model->file.operator_count = 1;
    model->output = 3;
    assert_refused(*state, &model->file, WEFT_MODEL, "tensor 3 is FLOAT16, expected INT8");
    model->tensors[3].type = TFLITE_INT32;
    assert_refused(*state, &model->file, WEFT_MODEL,
                   "its output must have the shape and elements of its input; inputs: FLOAT16 "
                   "(quantised); outputs: INT32 (quantised)");
    model = unpacking(*state, TFLITE_DENSIFY, TFLITE_INT8, NULL, 0);
    model->op = operator_of(*state, TFLITE_DENSIFY, 0, -2, 1, 0);
    assert_refused(*state, &model->file, WEFT_OPERATOR, "its input must be a constant");
}

/* ---- messages ---- */

static void types_are_named(void **state) {
    static const struct {
        int32_t type;
        const char *words;
    } cases[] = {
        {1, "tensor 0 is FLOAT16, expected"},        {5, "tensor 0 is STRING, expected"},
        {8, "tensor 0 is COMPLEX64, expected"},      {10, "tensor 0 is FLOAT64, expected"},
        {11, "tensor 0 is COMPLEX128, expected"},    {12, "tensor 0 is UINT64, expected"},
        {13, "tensor 0 is RESOURCE, expected"},      {14, "tensor 0 is VARIANT, expected"},
        {15, "tensor 0 is UINT32, expected"},        {16, "tensor 0 is UINT16, expected"},
        {17, "tensor 0 is INT4, expected"},          {18, "tensor 0 is BFLOAT16, expected"},
        {19, "tensor 0 is INT2, expected"},          {20, "tensor 0 is UINT4, expected"},
        {21, "tensor 0 is FLOAT8_E4M3FN, expected"}, {22, "tensor 0 is FLOAT8_E5M2, expected"},
        {99, "tensor 0 is type 99, expected"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct small *model = small_model(*state, TFLITE_RELU, 0);
        model->tensors[0].type = cases[i].type;
        assert_refused(*state, &model->file, WEFT_MODEL, cases[i].words);
    }
    struct small *model = small_model(*state, TFLITE_ADD, TFLITE_TABLE_ADD);
    model->op = operator_of(*state, TFLITE_ADD, 0, 2, 1, TFLITE_TABLE_ADD);
    model->tensors[2].type = TFLITE_INT32;
    model->tensors[2].data = (const uint8_t *)twelve;
    model->tensors[2].length = 16;
    assert_refused(*state, &model->file, WEFT_OPERATOR,
                   "one element type; inputs: INT8 (quantised), INT32 (quantised); outputs: INT8 "
                   "(quantised)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(the_order_of_dimensions_is_followed),
        ARENA_TEST(indices_need_not_rise),
        ARENA_TEST(all_levels_may_be_compressed),
        ARENA_TEST(blocks_lie_where_they_belong),
        ARENA_TEST(nothing_stored_is_zeros),
        ARENA_TEST(hostile_descriptions_are_refused),
        ARENA_TEST(descriptions_that_grow_are_refused),
        ARENA_TEST(small_integers_are_unpacked),
        ARENA_TEST(halves_become_floats),
        ARENA_TEST(densify_hands_constants_on),
        ARENA_TEST(types_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
