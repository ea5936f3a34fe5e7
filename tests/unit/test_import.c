/* compiler/import: models that are wrong give a clear error, strange ones a right answer. */
#include "tests/unit/graphs.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compiler/host/host.h"
#include "compiler/import/import.h"
#include "compiler/module.h"
#include "tests/unit/models.h"
#include "tests/unit/small_models.h"

static const float one[] = {1.0F};

/* ---- operators ---- */

static void unknown_operators_are_named(void **state) {
    struct small *model = small_model(*state, TFLITE_RNN, 0);
    assert_refused(*state, &model->file, WEFT_OPERATOR, "operator 0 (RNN version 7)");
    model->op.code = 32; /* CUSTOM */
    model->op.name = "Surprise";
    assert_refused(*state, &model->file, WEFT_OPERATOR, "operator 0 (Surprise version 7)");
    model->op.code = 30000;
    assert_refused(*state, &model->file, WEFT_OPERATOR, "operator 0 (operator code 30000 version");
    model->op.code = -7;
    assert_refused(*state, &model->file, WEFT_OPERATOR, "operator 0 (operator code -7 version");
}

/* The index is that in the file, whatever comes before becomes in the graph. */
static void unknown_operators_have_their_index(void **state) {
    struct small *model = small_model(*state, TFLITE_RELU, 0);
    const struct tflite_operator operators[] = {
        operator_of(*state, TFLITE_RELU, 0, -2, 1, 0),
        operator_of(*state, TFLITE_RELU6, 1, -2, 2, 0),
        operator_of(*state, TFLITE_RNN, 2, -2, 3, 0),
    };
    model->file.operators = operators;
    model->file.operator_count = 3;
    assert_refused(*state, &model->file, WEFT_OPERATOR,
                   "operator 2 (RNN version 7): this operator is not supported");
}

/* Imports a model of these operators in a row, which must be refused, and gives the list. */
static struct weft_unsupported_list unsupported_in(struct weft_arena *arena, uint32_t count,
                                                   const int32_t *codes, struct weft_error *error) {
    struct tflite_tensor *tensors = WEFT_NEW_ARRAY(arena, count + 1, struct tflite_tensor);
    struct tflite_operator *operators = WEFT_NEW_ARRAY(arena, count, struct tflite_operator);
    static const int32_t input = 0;
    int32_t output = (int32_t)count;
    for (uint32_t i = 0; i < count; i++) {
        operators[i] = operator_of(arena, codes[i], (int32_t)i, -2, (int32_t)i + 1, 0);
        tensors[i] = row();
    }
    tensors[count] = row();
    struct tflite_file file = {count + 1, tensors, count, operators, 1, &input, 1, &output};
    size_t length = 0;
    uint8_t *bytes = model_bytes(&file, &length);
    struct weft_unsupported_list list;
    struct weft_graph *graph = NULL;
    assert_false(weft_import_tflite(arena, bytes, length, &list, &graph, error));
    free(bytes);
    return list;
}

static void all_unsupported_operators_are_listed(void **state) {
    static const int32_t codes[] = {TFLITE_RELU, TFLITE_RNN, TFLITE_CALL, TFLITE_RELU,
                                    TFLITE_CALL, TFLITE_RNN, TFLITE_CALL};
    struct weft_error error = {0};
    struct weft_unsupported_list list = unsupported_in(*state, 7, codes, &error);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.kinds[0].name, "RNN");
    assert_string_equal(list.kinds[0].reason, "this operator is not supported");
    assert_int_equal(list.kinds[0].version, 7);
    assert_int_equal(list.kinds[0].count, 2);
    assert_int_equal(list.kinds[0].first, 1);
    assert_string_equal(list.kinds[1].name, "CALL");
    assert_int_equal(list.kinds[1].count, 3);
    assert_int_equal(list.kinds[1].first, 2);
    assert_int_equal(error.code, WEFT_OPERATOR);
    assert_int_equal(error.position, 1);
    assert_string_equal(error.message,
                        "operators that are not supported: RNN version 7 (2, first operator 1): "
                        "this operator is not supported; CALL version 7 (3, first operator 2): "
                        "this operator is not supported");
}

static void operators_of_one_kind_are_counted(void **state) {
    static const int32_t codes[] = {TFLITE_RELU, TFLITE_RNN, TFLITE_RNN, TFLITE_RNN};
    struct weft_error error = {0};
    struct weft_unsupported_list list = unsupported_in(*state, 4, codes, &error);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.kinds[0].count, 3);
    assert_string_equal(error.message, "operator 1 (RNN version 7): this operator is not "
                                       "supported; and 2 more like it");
}

/* The message has room for some, the list for 64. */
static void very_many_kinds_are_cut(void **state) {
    enum {
        MANY = 100
    };
    int32_t codes[MANY];
    struct weft_error error = {0};
    for (int32_t i = 0; i < MANY; i++) {
        codes[i] = 20000 + i;
    }
    struct weft_unsupported_list list = unsupported_in(*state, MANY, codes, &error);
    assert_int_equal(list.count, 64);
    assert_string_equal(list.kinds[63].name, "operator code 20063");
    assert_non_null(strstr(error.message, "operator code 20000 version 7 (1, first operator 0)"));
    assert_non_null(strstr(error.message, " more, see weft inspect"));
}

/* What comes after an operator that is not supported may be wrong because of it. */
static void a_wrong_model_is_told_before_what_is_not_supported(void **state) {
    static const int32_t after[] = {TFLITE_RNN, TFLITE_SOFTMAX};
    struct weft_error error = {0};
    struct weft_unsupported_list list = unsupported_in(*state, 2, after, &error);
    assert_int_equal(list.count, 1);
    assert_int_equal(error.code, WEFT_OPERATOR);
    static const int32_t before[] = {TFLITE_SOFTMAX, TFLITE_RNN};
    list = unsupported_in(*state, 2, before, &error);
    assert_int_equal(list.count, 0);
    assert_int_equal(error.code, WEFT_MODEL);
}

/* What no kernel takes is refused before anything runs. */
static void element_types_without_a_kernel_are_refused(void **state) {
    static const int32_t codes[] = {TFLITE_HARD_SWISH, TFLITE_RELU_N1_TO_1, TFLITE_LOG_SOFTMAX};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        struct small *model = small_model(*state, codes[i], 0);
        model->tensors[0].type = TFLITE_INT16;
        model->tensors[1].type = TFLITE_INT16;
        assert_refused(*state, &model->file, WEFT_OPERATOR,
                       "version 7): INT16 is not supported, expected INT8, UINT8 or FLOAT32; "
                       "inputs: INT16 (quantised); outputs: INT16 (quantised)");
    }
}

/* What is computed of shapes is known when the model is read: [1, 4] twice is [2, 8], how often
 * the tensor is repeated. */
static void slopes_of_int16_are_int8(void **state) {
    struct small *model = small_model(*state, TFLITE_PRELU, 0);
    model->op = operator_of(*state, TFLITE_PRELU, 0, 2, 1, 0);
    model->file.input_count = 2;
    model->file.inputs = model->op.inputs;
    model->tensors[0].type = model->tensors[1].type = TFLITE_INT16;
    assert_int_equal(count_of(imported(*state, &model->file), WEFT_OP_QNN_PRELU), 1);
    model->tensors[2].type = TFLITE_INT16;
    assert_refused(*state, &model->file, WEFT_OPERATOR, "expected INT8 slopes of INT16");
    model->tensors[2].type = TFLITE_UINT8;
    assert_refused(*state, &model->file, WEFT_OPERATOR, "must have one element type");
}

static void numbers_of_shapes_are_known(void **state) {
    static const int32_t pair[] = {2};
    static const int32_t large[] = {2, 32};
    struct tflite_tensor tensors[] = {row(), row(), row(), shaped(row(), 2, large)};
    const struct tflite_operator operators[] = {
        operator_of(*state, TFLITE_SHAPE, 0, -2, 1, 0),
        operator_of(*state, TFLITE_ADD, 1, 1, 2, TFLITE_TABLE_ADD),
        operator_of(*state, TFLITE_TILE, 0, 2, 3, 0),
    };
    static const int32_t input = 0;
    static const int32_t output = 3;
    for (int i = 1; i < 3; i++) {
        tensors[i] = (struct tflite_tensor){.type = TFLITE_INT32, .rank = 1, .shape = pair};
    }
    struct tflite_file file = {4, tensors, 3, operators, 1, &input, 1, &output};
    const struct weft_graph *graph = imported(*state, &file);
    const struct weft_node *tile = graph->outputs[0]->producer;
    assert_int_equal(tile->op, WEFT_OP_TILE);
    assert_memory_equal(weft_node_ints(tile, WEFT_ATTR_multiples), ((int64_t[2]){2, 8}), 16);
}

static void shapes_that_depend_on_elements_are_refused(void **state) {
    struct small *model = small_model(*state, TFLITE_WHERE, 0);
    assert_refused(*state, &model->file, WEFT_OPERATOR, "its condition must be a constant");
}

/* FULLY_CONNECTED of four floats with int8 weights of scale 1. */
static struct small *float_product(struct weft_arena *arena, int32_t code, int32_t table) {
    static const int32_t out[] = {1, 1};
    static const int8_t weights[] = {1, 2, 3, 4};
    struct small *model = small_model(arena, code, table);
    model->tensors[0].type = TFLITE_FLOAT32;
    model->tensors[1] = shaped(row(), 2, out);
    model->tensors[1].type = TFLITE_FLOAT32;
    model->tensors[2].data = (const uint8_t *)weights;
    model->tensors[2].length = sizeof weights;
    model->op = operator_of(arena, code, 0, 2, 1, table);
    return model;
}

/* 127 is the largest, so one step is 1: 127 - 2 * 127 + 3 + 8. */
static void floats_take_int8_weights(void **state) {
    static const float x[] = {127, -127, 1, 2};
    static const float expected[] = {-116};
    struct small *model =
        float_product(*state, TFLITE_FULLY_CONNECTED, TFLITE_TABLE_FULLY_CONNECTED);
    const void *inputs[] = {x};
    void **outputs = host_outputs(imported(*state, &model->file), inputs);
    assert_memory_equal(outputs[0], expected, sizeof expected);
    model->tensors[2].type = TFLITE_UINT8;
    assert_refused(*state, &model->file, WEFT_OPERATOR,
                   "a FLOAT32 input needs FLOAT32 weights, or INT8 ones of CONV_2D");
    model = float_product(*state, TFLITE_BATCH_MATMUL, TFLITE_TABLE_BATCH_MATMUL);
    assert_refused(*state, &model->file, WEFT_OPERATOR,
                   "a FLOAT32 input needs FLOAT32 weights, or INT8 ones of CONV_2D");
}

static void options_of_another_operator_are_refused(void **state) {
    struct small *model = small_model(*state, TFLITE_SOFTMAX, TFLITE_TABLE_LEAKY_RELU);
    assert_refused(*state, &model->file, WEFT_MODEL, "options are missing");
    model->op.options.table = 0;
    assert_refused(*state, &model->file, WEFT_MODEL, "options are missing");
}

static void missing_operands_are_refused(void **state) {
    struct small *model = small_model(*state, TFLITE_ADD, TFLITE_TABLE_ADD);
    assert_refused(*state, &model->file, WEFT_MODEL, "an input is missing");
    model->op.input_count = 2; /* the second one is -2 */
    assert_refused(*state, &model->file, WEFT_MODEL, "tensor -2 does not exist, there are 4");
    model->op = operator_of(*state, TFLITE_ADD, 0, -1, 1, TFLITE_TABLE_ADD); /* left out */
    assert_refused(*state, &model->file, WEFT_MODEL, "input is missing");
    model->op.input_count = 0;
    assert_refused(*state, &model->file, WEFT_MODEL, "input is missing");
    model = small_model(*state, TFLITE_RELU, 0);
    model->op.output_count = 0;
    assert_refused(*state, &model->file, WEFT_MODEL, "outputs");
}

static void operators_of_one_result_have_one(void **state) {
    static const int32_t two[] = {1, 2};
    struct small *model = small_model(*state, TFLITE_RELU, 0);
    model->op.output_count = 2;
    model->op.outputs = two;
    assert_refused(*state, &model->file, WEFT_MODEL, "outputs");
}

static void fused_activations_that_no_kernel_has_are_refused(void **state) {
    struct small *model = small_model(*state, TFLITE_ADD, TFLITE_TABLE_ADD);
    model->op = operator_of(*state, TFLITE_ADD, 0, 0, 1, TFLITE_TABLE_ADD);
    model->op.options.activation = 4; /* TANH */
    assert_refused(*state, &model->file, WEFT_OPERATOR, "fused activation");
    model->op.options.activation = -1;
    assert_refused(*state, &model->file, WEFT_OPERATOR, "fused activation");
}

/* ---- graphs ---- */

static void cycles_are_refused(void **state) {
    /* 0 reads what 1 makes, 1 what 0 makes. */
    struct tflite_tensor tensors[] = {row(), row(), row()};
    struct tflite_operator operators[] = {
        operator_of(*state, TFLITE_ADD, 0, 2, 1, TFLITE_TABLE_ADD),
        operator_of(*state, TFLITE_RELU, 1, -2, 2, 0)};
    static const int32_t input = 0;
    static const int32_t output = 2;
    struct tflite_file file = {3, tensors, 2, operators, 1, &input, 1, &output};
    assert_refused(*state, &file, WEFT_MODEL, "tensor 2 is used before an operator makes it");
    /* An operator that reads its own result. */
    operators[0] = operator_of(*state, TFLITE_ADD, 0, 1, 1, TFLITE_TABLE_ADD);
    assert_refused(*state, &file, WEFT_MODEL, "tensor 1 is used before an operator makes it");
}

static void dangling_tensors_are_refused(void **state) {
    struct small *model = small_model(*state, TFLITE_RELU, 0);
    model->output = 3; /* nobody makes it */
    assert_refused(*state, &model->file, WEFT_MODEL, "tensor 3 is used before");
    model->output = 4;
    assert_refused(*state, &model->file, WEFT_MODEL, "tensor 4 does not exist");
    model->output = -1;
    assert_refused(*state, &model->file, WEFT_MODEL, "does not exist");
    model->output = 1;
    model->input = 9;
    assert_refused(*state, &model->file, WEFT_MODEL, "tensor 9 does not exist");
}

static void tensors_are_made_once(void **state) {
    struct tflite_tensor tensors[] = {row(), row()};
    struct tflite_operator operators[] = {operator_of(*state, TFLITE_RELU, 0, -2, 1, 0),
                                          operator_of(*state, TFLITE_RELU, 0, -2, 1, 0)};
    static const int32_t inputs[] = {0, 0};
    static const int32_t output = 1;
    struct tflite_file file = {2, tensors, 2, operators, 1, inputs, 1, &output};
    assert_refused(*state, &file, WEFT_MODEL, "nothing else makes");
    operators[0] = operator_of(*state, TFLITE_RELU, 0, -2, 0, 0); /* its input */
    file.operator_count = 1;
    assert_refused(*state, &file, WEFT_MODEL, "nothing else makes");
    file.input_count = 2; /* an input twice */
    assert_refused(*state, &file, WEFT_MODEL, "an input twice");
}

static void an_input_can_be_an_output(void **state) {
    struct small *model = small_model(*state, TFLITE_RELU, 0);
    model->output = 0;
    const struct weft_graph *graph = imported(*state, &model->file);
    assert_ptr_equal(graph->outputs[0], graph->inputs[0]);
}

/* ---- tensors ---- */

static void buffers_of_another_size_are_refused(void **state) {
    static const uint8_t bytes[5] = {1, 2, 3, 4, 5};
    struct small *model = small_model(*state, TFLITE_ADD, TFLITE_TABLE_ADD);
    model->op = operator_of(*state, TFLITE_ADD, 0, 2, 1, TFLITE_TABLE_ADD);
    model->tensors[2].data = bytes;
    for (size_t length = 1; length <= 5; length++) {
        model->tensors[2].length = length;
        if (length != 4) {
            assert_refused(*state, &model->file, WEFT_MODEL, "its shape needs 4");
        }
    }
    model->tensors[2].length = 4;
    (void)imported(*state, &model->file);
    model->tensors[2].type = TFLITE_INT32;
    assert_refused(*state, &model->file, WEFT_MODEL, "its shape needs 16");
}

static void shapes_that_overflow_are_refused(void **state) {
    static const int32_t large[] = {65536, 32768};
    static const int32_t wraps[] = {65536, 65536, 65536, 65536}; /* 2^64 */
    static const int32_t negative[] = {1, -4};
    static const int32_t empty[] = {0, 4};
    static const int32_t deep[] = {1, 1, 1, 1, 1, 1, 1, 1, 4};
    struct small *model = small_model(*state, TFLITE_RELU, 0);
    const struct {
        uint32_t rank;
        const int32_t *shape;
    } shapes[] = {{2, large}, {4, wraps}, {2, negative}, {2, empty}, {9, deep}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        model->tensors[0] = shaped(row(), shapes[i].rank, shapes[i].shape);
        assert_refused(*state, &model->file, WEFT_MODEL, "tensor 0: expected at most 8 dimensions");
    }
    model->tensors[0] = row();
    model->tensors[0].type = 5; /* STRING */
    assert_refused(*state, &model->file, WEFT_MODEL,
                   "tensor 0 is STRING, expected INT8, UINT8, INT16");
}

/* A model that leaves its rows and columns open has them as 1. */
static void dimensions_that_are_open_are_told(void **state) {
    struct small *model = small_model(*state, TFLITE_RNN, 0);
    assert_refused(*state, &model->file, WEFT_OPERATOR, "this operator is not supported");
    model->tensors[0].is_open = true;
    assert_refused(*state, &model->file, WEFT_OPERATOR,
                   "this operator is not supported; the model leaves dimensions of its input 0 "
                   "open, which are taken as 1");
}

static void results_that_overflow_are_refused(void **state) {
    static const int32_t wide[] = {1, 2147483647};
    static const int32_t at[] = {0};
    struct small *model = small_model(*state, TFLITE_CONCATENATION, TFLITE_TABLE_CONCATENATION);
    model->tensors[0] = shaped(row(), 2, wide);
    model->op = operator_of(*state, TFLITE_CONCATENATION, 0, 0, 1, TFLITE_TABLE_CONCATENATION);
    model->op.options.axis = 1;
    assert_refused(*state, &model->file, WEFT_MODEL, "");
    static const uint8_t pads[16] = {0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0x7F,
                                     0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0x7F};
    static const int32_t pairs[] = {2, 2};
    (void)at;
    model = small_model(*state, TFLITE_PAD, 0);
    model->op = operator_of(*state, TFLITE_PAD, 0, 2, 1, 0);
    model->tensors[2] = (struct tflite_tensor){
        .type = TFLITE_INT32, .rank = 2, .shape = pairs, .data = pads, .length = 16};
    assert_refused(*state, &model->file, WEFT_MODEL, "");
}

static void absurd_quantisation_is_refused(void **state) {
    static const float scales[] = {0.0F, -1.0F, __builtin_inff(), __builtin_nanf("")};
    static const int64_t zeros[] = {128, -129, INT64_MAX, INT64_MIN, INT64_C(1) << 32};
    static const float two[] = {1.0F, 2.0F};
    struct small *model = small_model(*state, TFLITE_RELU, 0);
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        model->tensors[0].scale = &scales[i];
        assert_refused(*state, &model->file, WEFT_MODEL, "quantisation needs positive finite");
    }
    model->tensors[0].scale = one;
    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++) {
        model->tensors[0].zero = &zeros[i];
        assert_refused(*state, &model->file, WEFT_MODEL, "quantisation needs positive finite");
    }
    model->tensors[0] = row();
    model->tensors[0].scale = two;
    model->tensors[0].scale_count = 2;
    for (int32_t axis = -1; axis <= 2; axis++) {
        model->tensors[0].axis = axis;
        assert_refused(*state, &model->file, WEFT_MODEL, "quantisation needs positive finite");
    }
}

/* Scales at the ends of float32's range: an answer or an error, but no undefined arithmetic. */
static void extreme_scales_end_well(void **state) {
    static const float extremes[] = {1e-45F, 1e-38F, 3.4e38F};
    static const struct {
        int32_t code, table;
        int32_t second;
    } operators[] = {
        {TFLITE_RELU, 0, -2},
        {TFLITE_RELU6, 0, -2},
        {TFLITE_LOGISTIC, 0, -2},
        {TFLITE_TANH, 0, -2},
        {TFLITE_QUANTIZE, 0, -2},
        {TFLITE_HARD_SWISH, 0, -2},
        {TFLITE_ADD, TFLITE_TABLE_ADD, 0},
        {TFLITE_SUB, TFLITE_TABLE_SUB, 0},
        {TFLITE_MUL, TFLITE_TABLE_MUL, 0},
        {TFLITE_LEAKY_RELU, TFLITE_TABLE_LEAKY_RELU, -2},
        {TFLITE_SOFTMAX, TFLITE_TABLE_SOFTMAX, -2},
        {TFLITE_DEQUANTIZE, 0, -2},
    };
    static const int8_t data[4] = {-128, -1, 1, 127};
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        for (int k = 0; k < 9; k++) {
            struct small *model = small_model(*state, operators[i].code, operators[i].table);
            struct weft_error error = {0};
            model->op = operator_of(*state, operators[i].code, 0, operators[i].second, 1,
                                    operators[i].table);
            model->op.options.activation = k % 4;
            model->op.options.beta = 1.0F;
            model->op.options.alpha = 1e30F;
            model->tensors[0].scale = &extremes[k / 3];
            model->tensors[1].scale = &extremes[k % 3];
            if (operators[i].code == TFLITE_DEQUANTIZE) {
                model->tensors[1].type = TFLITE_FLOAT32;
            }
            struct weft_graph *graph = NULL;
            if (!import_file(*state, &model->file, &graph, &error)) {
                continue;
            }
            const void *inputs[] = {data};
            void **outputs = output_room(graph);
            (void)weft_host_run_graph(graph, inputs, outputs, &error);
        }
    }
}

/* ---- size ---- */

/* A chain of 5,000 operators: adds with fused activations, so 10,000 nodes. */
static void thousands_of_operators_take_moments(void **state) {
    enum {
        OPERATORS = 5000
    };
    struct tflite_tensor *tensors = WEFT_NEW_ARRAY(*state, OPERATORS + 1, struct tflite_tensor);
    struct tflite_operator *operators = WEFT_NEW_ARRAY(*state, OPERATORS, struct tflite_operator);
    for (int32_t i = 0; i <= OPERATORS; i++) {
        tensors[i] = row();
    }
    for (int32_t i = 0; i < OPERATORS; i++) {
        bool sum = i % 2 == 0;
        operators[i] = operator_of(*state, sum ? TFLITE_ADD : TFLITE_LEAKY_RELU, i, sum ? i : -2,
                                   i + 1, sum ? TFLITE_TABLE_ADD : TFLITE_TABLE_LEAKY_RELU);
        operators[i].options.activation = sum ? TFLITE_ACTIVATION_RELU6 : 0;
    }
    static const int32_t input = 0;
    static const int32_t output = OPERATORS;
    struct tflite_file file = {OPERATORS + 1, tensors, OPERATORS, operators, 1, &input, 1, &output};
    static const int8_t data[4] = {-128, 0, 1, 127};
    static const int8_t expected[4] = {0, 0, 6, 6};
    clock_t start = clock();
    const struct weft_graph *graph = imported(*state, &file);
    const void *inputs[] = {data};
    void **outputs = host_outputs(graph, inputs);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    print_message("5,000 operators imported and run in %.2f s\n", seconds);
    assert_memory_equal(outputs[0], expected, sizeof expected);
    assert_true(seconds < 10.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(unknown_operators_are_named),
        ARENA_TEST(unknown_operators_have_their_index),
        ARENA_TEST(all_unsupported_operators_are_listed),
        ARENA_TEST(operators_of_one_kind_are_counted),
        ARENA_TEST(very_many_kinds_are_cut),
        ARENA_TEST(a_wrong_model_is_told_before_what_is_not_supported),
        ARENA_TEST(element_types_without_a_kernel_are_refused),
        ARENA_TEST(slopes_of_int16_are_int8),
        ARENA_TEST(numbers_of_shapes_are_known),
        ARENA_TEST(shapes_that_depend_on_elements_are_refused),
        ARENA_TEST(floats_take_int8_weights),
        ARENA_TEST(options_of_another_operator_are_refused),
        ARENA_TEST(missing_operands_are_refused),
        ARENA_TEST(operators_of_one_result_have_one),
        ARENA_TEST(fused_activations_that_no_kernel_has_are_refused),
        ARENA_TEST(cycles_are_refused),
        ARENA_TEST(dangling_tensors_are_refused),
        ARENA_TEST(tensors_are_made_once),
        ARENA_TEST(an_input_can_be_an_output),
        ARENA_TEST(buffers_of_another_size_are_refused),
        ARENA_TEST(shapes_that_overflow_are_refused),
        ARENA_TEST(results_that_overflow_are_refused),
        ARENA_TEST(dimensions_that_are_open_are_told),
        ARENA_TEST(absurd_quantisation_is_refused),
        ARENA_TEST(extreme_scales_end_well),
        ARENA_TEST(thousands_of_operators_take_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
