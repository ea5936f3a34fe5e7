/* Operators with a state: what they compute, by hand, what they keep, and which models of them are
 * refused. That they equal LiteRT's is for tests/differential. */
#include "tests/unit/graphs.h"
#include "tests/unit/modules.h"

#include <string.h>

#include "compiler/host/host.h"
#include "compiler/passes/passes.h"
#include "tests/unit/small_models.h"

/* ---- what they compute ---- */

/* A filter with weight 2 that remembers three features, weighted 1, 10 and 100; the newest is the
 * last. All scales are 1. */
static const char svdf_text[] =
    "graph g(%0: 1x1xi8{1, 3}, %1: 1x1xi8{1, 0}, %2: 1x3xi16{1, 0}, %3: 1xi32) { %4 = "
    "qnn.svdf(%0, %1, %2, %3) rank=1 state_scale=1 : 1x1xi8{10, -1} return %4 }";

static void an_svdf_remembers_features(void **state) {
    static const int8_t rows[] = {4, 3, 5, 3, 3, 3}; /* 1, 0, 2, 0, ... behind the zero point */
    static const int8_t results[] = {20, 2, 40, 4, 0, 0};
    const struct weft_graph *graph = graph_of(*state, svdf_text);
    const int8_t weight = 2;
    const int16_t time[3] = {1, 10, 100};
    const int32_t bias = 9;
    struct weft_error error;
    size_t bytes = 0;
    int16_t kept[4] = {0};
    ASSERT_GOOD(weft_host_state(graph->nodes[0], &bytes, &error), error);
    assert_int_equal(bytes, 3 * sizeof(int16_t));
    for (int round = 0; round < 2; round++) {
        ASSERT_GOOD(weft_host_reset(graph->nodes[0], kept, &error), error);
        for (int i = 0; i < 6; i++) {
            int8_t got = 0;
            const void *inputs[] = {rows + i, &weight, time, &bias};
            ASSERT_GOOD(weft_host_continue(graph->nodes[0], inputs, (void *[]){&got}, kept, &error),
                        error);
            assert_int_equal(got, results[i]);
        }
    }
}

/* Two filters of one feature each make a unit: 3 - 5 + 1 and then what relu leaves of it. */
static void filters_of_a_unit_are_added(void **state) {
    const char *text = "graph g(%0: 1x1xf32, %1: 2x1xf32, %2: 2x1xf32, %3: 1xf32) { %4 = svdf(%0, "
                       "%1, %2, %3) rank=2 activation=\"relu\" : 1x1xf32 return %4 }";
    const struct weft_graph *graph = graph_of(*state, text);
    const float x[] = {1, -1};
    const float features[] = {3, 5};
    const float time[] = {1, -1};
    const float bias = 1;
    const float expected[] = {0, 3};
    struct weft_error error;
    for (int i = 0; i < 2; i++) {
        float got = -1;
        const void *inputs[] = {x + i, features, time, &bias};
        ASSERT_GOOD(weft_host_run(graph->nodes[0], inputs, (void *[]){&got}, &error), error);
        assert_memory_equal(&got, &expected[i], sizeof got);
    }
}

/* Gates that are open: cells are the sum of what they have seen, results twice that, of one
 * sequence of three steps. */
#define OPEN_LSTM(batch, inputs)                                                                   \
    "graph g(%0: " batch "x3x1xf32, %1: 1x1xf32, %2: 1x1xf32, %3: 1x1xf32, %4: 1x1xf32, %5: "      \
    "1x1xf32, %6: 1x1xf32, %7: 1x1xf32, %8: 1x1xf32, %9: 1xf32, %10: 1xf32, %11: 1xf32, %12: "     \
    "1xf32, %13: 1x1xf32) { %14 = lstm(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, "    \
    "%13) time_major=0 tensors=[0, 1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15] " inputs " : " batch   \
    "x3x1xf32 return %14 }"

static const float no = 0;
static const float yes = 1;
static const float open_gate = 100;
static const float twice = 2;

static const void *const *open_inputs(const float *rows) {
    static const void *inputs[14] = {NULL, &no, &no,        &yes,       &no, &no,        &no,
                                     &no,  &no, &open_gate, &open_gate, &no, &open_gate, &twice};
    inputs[0] = rows;
    return inputs;
}

static void an_lstm_of_floats_remembers(void **state) {
    static const float rows[] = {1, 2, 3};
    static const float first[] = {2, 6, 12};
    static const float second[] = {14, 18, 24};
    static const float clipped[] = {2, 6, 7};
    const struct weft_graph *graph =
        graph_of(*state, OPEN_LSTM("1", "activation=\"relu\" cell_clip=0 projection_clip=0"));
    struct weft_error error;
    float kept[2] = {0};
    float got[3] = {0};
    ASSERT_GOOD(weft_host_reset(graph->nodes[0], kept, &error), error);
    ASSERT_GOOD(
        weft_host_continue(graph->nodes[0], open_inputs(rows), (void *[]){got}, kept, &error),
        error);
    assert_memory_equal(got, first, sizeof got);
    ASSERT_GOOD(
        weft_host_continue(graph->nodes[0], open_inputs(rows), (void *[]){got}, kept, &error),
        error);
    assert_memory_equal(got, second, sizeof got);
    graph = graph_of(*state, OPEN_LSTM("1", "activation=\"relu\" cell_clip=5 projection_clip=7"));
    ASSERT_GOOD(weft_host_run(graph->nodes[0], open_inputs(rows), (void *[]){got}, &error), error);
    assert_memory_equal(got, clipped, sizeof got);
}

/* ---- what sessions keep ---- */

static void assert_run(struct weft_session *session, int8_t row, int8_t expected) {
    struct weft_error error;
    const void *bytes = NULL;
    size_t length = 0;
    ASSERT_GOOD(weft_session_set_input(session, 0, &row, 1, &error), error);
    ASSERT_GOOD(weft_session_run(session, &error), error);
    ASSERT_GOOD(weft_session_output(session, 0, &bytes, &length, &error), error);
    assert_int_equal(*(const int8_t *)bytes, expected);
}

static const char kept_text[] =
    "graph g(%0: 1x1xi8{1, 3}) { %1 = constant() data=[2] : 1x1xi8{1, 0}\n"
    "%2 = constant() data=[1, 10, 100] : 1x3xi16{1, 0}\n"
    "%3 = qnn.svdf(%0, %1, %2) rank=1 state_scale=1 : 1x1xi8{10, 0} return %3 }";

static void sessions_keep_states_of_their_own(void **state) {
    struct weft_error error;
    struct weft_module *module = NULL;
    struct weft_session *sessions[2] = {NULL};
    const struct weft_session_options options = weft_session_defaults();
    ASSERT_GOOD(module_of(graph_of(*state, kept_text), "ref16", &module, &error), error);
    for (int i = 0; i < 2; i++) {
        ASSERT_GOOD(weft_session_open("func", module, &options, &sessions[i], &error), error);
    }
    assert_run(sessions[0], 4, 20);
    assert_run(sessions[0], 3, 2);
    assert_run(sessions[1], 3, 0);
    assert_run(sessions[1], 5, 40);
    ASSERT_GOOD(weft_session_reset(sessions[0], &error), error);
    assert_run(sessions[0], 3, 0);
    assert_run(sessions[1], 3, 4);
    weft_session_close(sessions[0]);
    weft_session_close(sessions[1]);
}

static void states_count_as_memory(void **state) {
    struct weft_error error;
    struct weft_module *module = NULL;
    struct weft_session *session = NULL;
    const struct weft_session_options options = weft_session_defaults();
    ASSERT_GOOD(module_of(graph_of(*state, kept_text), "ref16", &module, &error), error);
    ASSERT_GOOD(weft_session_open("func", module, &options, &session, &error), error);
    uint64_t memory = weft_session_memory(session);
    weft_session_close(session);
    module->arena.limit = memory - 1;
    ASSERT_FAILS(weft_session_open("func", module, &options, &session, &error), error, WEFT_LIMIT);
}

/* The same input gives another result each time. */
static void what_has_a_state_is_no_constant(void **state) {
    const char *text = "graph g() {\n"
                       "  %0 = constant() data=[1] : 1x1xi8{1, 0}\n"
                       "  %1 = constant() data=[1, 1] : 1x2xi16{1, 0}\n"
                       "  %2 = qnn.svdf(%0, %0, %1) rank=1 state_scale=1 : 1x1xi8{1, 0}\n"
                       "  return %2\n"
                       "}\n";
    assert_stays(*state, weft_pass_fold_constants, text);
}

/* ---- graphs that are refused ---- */

#define SVDF(time, rest)                                                                           \
    "graph g(%0: 2x3xf32, %1: 4x3xf32, %2: " time ") { %3 = svdf(%0, %1, %2) " rest                \
    " : 2x2xf32 return %3 }"
#define LSTM(tensors, rest)                                                                        \
    "graph g(%0: 1x3x1xf32, %1: 1x1xf32, %2: 1x1xf32, %3: 1x1xf32, %4: 1x1xf32, %5: 1x1xf32, "     \
    "%6: 1x1xf32, %7: 1xf32, %8: 1xf32, %9: 1xf32) { %10 = lstm(%0, %1, %2, %3, %4, %5, %6, %7, "  \
    "%8, %9) time_major=0 tensors=" tensors " activation=" rest " : 1x3x1xf32 return %10 }"
#define TENSORS "[1, 2, 3, 5, 6, 7, 12, 13, 14]"

static void wrong_graphs_are_refused(void **state) {
    static const char *const texts[][2] = {
        {SVDF("4x5xf32", "rank=0 activation=\"none\""), "expected rows"},
        {SVDF("4x5xf32", "rank=3 activation=\"none\""), "expected rows"},
        {SVDF("3x5xf32", "rank=2 activation=\"none\""), "expected rows"},
        {SVDF("4x0xf32", "rank=2 activation=\"none\""), "expected rows"},
        {SVDF("4x5xi8{1, 0}", "rank=2 activation=\"none\""), "expected rows"},
        {SVDF("4x400000000xf32", "rank=2 activation=\"none\""), "fewer than 2^31 elements"},
        {SVDF("4x5xf32", "rank=2 activation=\"sign\""), "the activation must be none, relu"},
        {"graph g(%0: 1x1xi8{1, 3}, %1: 1x1xi8{1, 0}, %2: 1x3xi16{1, 0}) { %4 = qnn.svdf(%0, %1, "
         "%2) rank=1 state_scale=0 : 1x1xi8{10, -1} return %4 }",
         "types and scales of its kind"},
        {"graph g(%0: 1x1xf32, %1: 1x1xi8{1, 0}, %2: 1x3xf32) { %4 = hybrid.svdf(%0, %1, %2) "
         "rank=1 activation=\"none\" asymmetric=2 : 1x1xf32 return %4 }",
         "asymmetric must be 0 or 1"},
        {LSTM("[1, 2, 3, 5, 6, 7, 12, 13]", "\"tanh\" cell_clip=0 projection_clip=0"), "must name"},
        {LSTM("[1, 2, 3, 5, 6, 7, 12, 14, 13]", "\"tanh\" cell_clip=0 projection_clip=0"),
         "must name"},
        {LSTM("[1, 2, 3, 5, 6, 7, 12, 13, 21]", "\"tanh\" cell_clip=0 projection_clip=0"),
         "must name"},
        {LSTM("[0, 1, 2, 3, 5, 6, 7, 12, 13]", "\"tanh\" cell_clip=0 projection_clip=0"),
         "must name"},
        {LSTM(TENSORS, "\"tanh\" cell_clip=-1 projection_clip=0"), "limits 0 to 1e30"},
        {LSTM(TENSORS, "\"tanh\" cell_clip=0 projection_clip=1e31"), "limits 0 to 1e30"},
        {LSTM(TENSORS, "\"none\" cell_clip=0 projection_clip=0"), "the activation must be relu,"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct weft_graph *graph = NULL;
        struct weft_error error = {0};
        ASSERT_FAILS(
            weft_graph_parse(*state, texts[i][0], strlen(texts[i][0]), NULL, &graph, &error), error,
            WEFT_GRAPH);
        if (strstr(error.message, texts[i][1]) == NULL) {
            fail_msg("graph %zu: %s", i, error.message);
        }
    }
}

/* ---- models that are refused ---- */

static const float one[] = {1.0F};

static struct tflite_tensor tensor_of(int32_t type, uint32_t rank, const int32_t *shape) {
    bool is_float = type == TFLITE_FLOAT32;
    return (struct tflite_tensor){.type = type,
                                  .rank = rank,
                                  .shape = shape,
                                  .scale_count = is_float ? 0 : 1,
                                  .scale = is_float ? NULL : one};
}

static struct tflite_tensor state_of(int32_t type, uint32_t rank, const int32_t *shape) {
    struct tflite_tensor tensor = tensor_of(type, rank, shape);
    tensor.is_variable = true;
    return tensor;
}

enum {
    MOST_TENSORS = 32
};

/* A model of one operator with many inputs; its tensors are all inputs of the model but for the
 * states and the last one, its output. */
struct recurrent {
    struct tflite_tensor tensors[MOST_TENSORS];
    int32_t inputs[MOST_TENSORS]; /* of the operator */
    int32_t given[MOST_TENSORS];  /* of the model */
    int32_t output;
    struct tflite_operator op;
    struct tflite_file file;
};

static const struct tflite_file *file_of(struct recurrent *model, uint32_t count) {
    uint32_t given = 0;
    for (uint32_t i = 0; i + 1 < count; i++) {
        if (!model->tensors[i].is_variable) {
            model->given[given++] = (int32_t)i;
        }
    }
    model->output = (int32_t)count - 1;
    model->op.version = 1;
    model->op.inputs = model->inputs;
    model->op.output_count = 1;
    model->op.outputs = &model->output;
    model->file = (struct tflite_file){count, model->tensors, 1, &model->op,
                                       given, model->given,   1, &model->output};
    return &model->file;
}

/* Rows [2, 3], weights of features [4, 3] and of time [4, 5], no bias. */
static struct recurrent *svdf_model(struct weft_arena *arena, int32_t type, int32_t weights) {
    static const int32_t rows[] = {2, 3};
    static const int32_t feature[] = {4, 3};
    static const int32_t time[] = {4, 5};
    static const int32_t kept[] = {2, 20};
    static const int32_t result[] = {2, 2};
    bool is_float = type == TFLITE_FLOAT32;
    struct recurrent *model = WEFT_NEW(arena, struct recurrent);
    model->tensors[0] = tensor_of(type, 2, rows);
    model->tensors[1] = tensor_of(weights, 2, feature);
    model->tensors[2] = tensor_of(is_float ? weights : TFLITE_INT16, 2, time);
    model->tensors[3] = state_of(is_float ? type : TFLITE_INT16, 2, kept);
    model->tensors[4] = tensor_of(type, 2, result);
    memcpy(model->inputs, (int32_t[]){0, 1, 2, -1, 3}, 5 * sizeof(int32_t));
    model->op.code = TFLITE_SVDF;
    model->op.input_count = 5;
    model->op.options = (struct tflite_options){
        .table = TFLITE_TABLE_SVDF, .rank = 2, .activation = TFLITE_ACTIVATION_RELU};
    (void)file_of(model, 5);
    return model;
}

static void svdf_is_taken(void **state) {
    static const int32_t types[][2] = {{TFLITE_INT8, TFLITE_INT8},
                                       {TFLITE_FLOAT32, TFLITE_FLOAT32},
                                       {TFLITE_FLOAT32, TFLITE_INT8}};
    static const enum weft_operator operators[] = {WEFT_OP_QNN_SVDF, WEFT_OP_SVDF,
                                                   WEFT_OP_HYBRID_SVDF};
    for (int i = 0; i < 3; i++) {
        struct recurrent *model = svdf_model(*state, types[i][0], types[i][1]);
        assert_int_equal(count_of(imported(*state, &model->file), operators[i]), 1);
    }
}

static void states_must_be_of_their_own(void **state) {
    static const int32_t wrong[] = {2, 19};
    const char *words = "expected input 4 to be a state";
    struct recurrent *model = svdf_model(*state, TFLITE_FLOAT32, TFLITE_FLOAT32);
    model->inputs[4] = -1;
    assert_refused(*state, &model->file, WEFT_OPERATOR, words);
    model = svdf_model(*state, TFLITE_FLOAT32, TFLITE_FLOAT32);
    model->tensors[3].is_variable = false;
    assert_refused(*state, &model->file, WEFT_OPERATOR, words);
    model = svdf_model(*state, TFLITE_FLOAT32, TFLITE_FLOAT32);
    model->tensors[3].shape = wrong;
    assert_refused(*state, &model->file, WEFT_OPERATOR, words);
    model = svdf_model(*state, TFLITE_FLOAT32, TFLITE_FLOAT32);
    model->tensors[3].type = TFLITE_INT16;
    assert_refused(*state, &model->file, WEFT_OPERATOR, words);
    model = svdf_model(*state, TFLITE_FLOAT32, TFLITE_FLOAT32);
    model->given[model->file.input_count++] = 3; /* an input of the model as well */
    assert_refused(*state, &model->file, WEFT_OPERATOR, words);
    model = svdf_model(*state, TFLITE_FLOAT32, TFLITE_FLOAT32);
    const struct tflite_operator twice_used[] = {model->op, model->op};
    model->file.operators = twice_used;
    model->file.operator_count = 2;
    assert_refused(*state, &model->file, WEFT_OPERATOR, words);
}

/* DEQUANTIZE of a float16 constant fills the state: with zeros it is as if it were not there. */
static void states_may_be_filled_with_zeros(void **state) {
    static const int32_t kept[] = {2, 20};
    static const uint8_t zeros[80] = {0};
    static const uint8_t others[80] = {0, 60};
    struct recurrent *model = svdf_model(*state, TFLITE_FLOAT32, TFLITE_FLOAT32);
    const struct tflite_operator operators[] = {operator_of(*state, TFLITE_DEQUANTIZE, 5, -2, 3, 0),
                                                model->op};
    model->tensors[5] = (struct tflite_tensor){
        .type = TFLITE_FLOAT16, .rank = 2, .shape = kept, .data = zeros, .length = sizeof zeros};
    model->file.tensor_count = 6;
    model->file.operators = operators;
    model->file.operator_count = 2;
    assert_int_equal(count_of(imported(*state, &model->file), WEFT_OP_SVDF), 1);
    model->tensors[5].data = others;
    assert_refused(*state, &model->file, WEFT_OPERATOR, "expected input 4 to be a state");
}

static void wrong_svdf_is_refused(void **state) {
    static const int32_t vector[] = {12};
    struct recurrent *model = svdf_model(*state, TFLITE_FLOAT32, TFLITE_FLOAT32);
    model->op.input_count = 4;
    assert_refused(*state, &model->file, WEFT_MODEL, "expected 5 inputs");
    model = svdf_model(*state, TFLITE_FLOAT32, TFLITE_FLOAT32);
    model->op.options.rank = 0;
    assert_refused(*state, &model->file, WEFT_OPERATOR, "its rank above 0");
    model = svdf_model(*state, TFLITE_FLOAT32, TFLITE_FLOAT32);
    model->tensors[1] = tensor_of(TFLITE_FLOAT32, 1, vector);
    assert_refused(*state, &model->file, WEFT_OPERATOR, "weights of rank 2");
    model = svdf_model(*state, TFLITE_FLOAT32, TFLITE_UINT8);
    assert_refused(*state, &model->file, WEFT_OPERATOR, "no UINT8");
    model = svdf_model(*state, TFLITE_FLOAT32, TFLITE_INT8);
    model->tensors[2].type = TFLITE_INT16;
    assert_refused(*state, &model->file, WEFT_OPERATOR, "expected INT8 weights with one scale");
    model = svdf_model(*state, TFLITE_FLOAT32, TFLITE_FLOAT32);
    model->op.options.activation = 5; /* SIGN_BIT */
    assert_refused(*state, &model->file, WEFT_OPERATOR, "expected activation NONE, TANH");
    model = svdf_model(*state, TFLITE_INT8, TFLITE_INT8);
    model->op.options.activation = TFLITE_ACTIVATION_NONE;
    assert_refused(*state, &model->file, WEFT_OPERATOR, "expected activation RELU");
    model = svdf_model(*state, TFLITE_INT8, TFLITE_INT8);
    model->tensors[3].scale_count = 0;
    assert_refused(*state, &model->file, WEFT_OPERATOR, "expected a state with one scale");
    model = svdf_model(*state, TFLITE_FLOAT32, TFLITE_FLOAT32);
    model->op.options.rank = 3;
    assert_refused(*state, &model->file, WEFT_MODEL, "expected rows");
}

/* Rows [1, 2, 3], four cells; all gates, nothing else. Tensor i is input i; the states are 18 and
 * 19. */
static struct recurrent *lstm_model(struct weft_arena *arena, int32_t type, int32_t weights) {
    static const int32_t rows[] = {1, 2, 3};
    static const int32_t of_input[] = {4, 3};
    static const int32_t of_state[] = {4, 4};
    static const int32_t vector[] = {4};
    static const int32_t kept[] = {1, 4};
    static const int32_t result[] = {1, 2, 4};
    bool is_float = type == TFLITE_FLOAT32;
    struct recurrent *model = WEFT_NEW(arena, struct recurrent);
    uint32_t count = 0;
    for (int32_t i = 0; i < 24; i++) {
        bool there = i < 9 || (i >= 12 && i < 16) || i == 18 || i == 19;
        model->inputs[i] = there ? (int32_t)count : -1;
        if (there) {
            model->tensors[count++] = i == 0  ? tensor_of(type, 3, rows)
                                      : i < 5 ? tensor_of(weights, 2, of_input)
                                      : i < 9 ? tensor_of(weights, 2, of_state)
                                      : i < 16
                                          ? tensor_of(is_float ? type : TFLITE_INT32, 1, vector)
                                      : i == 18 ? state_of(type, 2, kept)
                                                : state_of(is_float ? type : TFLITE_INT16, 2, kept);
        }
    }
    model->tensors[count++] = tensor_of(type, 3, result);
    model->op.code = TFLITE_UNIDIRECTIONAL_SEQUENCE_LSTM;
    model->op.input_count = 24;
    model->op.options = (struct tflite_options){.table = TFLITE_TABLE_UNIDIRECTIONAL_SEQUENCE_LSTM,
                                                .activation = TFLITE_ACTIVATION_TANH};
    (void)file_of(model, count);
    return model;
}

static void lstm_of_floats_is_taken(void **state) {
    struct recurrent *model = lstm_model(*state, TFLITE_FLOAT32, TFLITE_FLOAT32);
    assert_int_equal(count_of(imported(*state, &model->file), WEFT_OP_LSTM), 1);
    model = lstm_model(*state, TFLITE_FLOAT32, TFLITE_INT8);
    assert_int_equal(count_of(imported(*state, &model->file), WEFT_OP_HYBRID_LSTM), 1);
    model->op.input_count = 20;
    assert_int_equal(count_of(imported(*state, &model->file), WEFT_OP_HYBRID_LSTM), 1);
}

static void wrong_lstm_is_refused(void **state) {
    static const int32_t wrong[] = {1, 5};
    static const int32_t flat[] = {2, 3};
    struct recurrent *model = lstm_model(*state, TFLITE_FLOAT32, TFLITE_FLOAT32);
    model->op.input_count = 19;
    assert_refused(*state, &model->file, WEFT_MODEL, "expected 20 or 24 inputs");
    model = lstm_model(*state, TFLITE_FLOAT32, TFLITE_FLOAT32);
    model->op.options.projection_clip = -1;
    assert_refused(*state, &model->file, WEFT_MODEL, "its clips must be 0 to 1e30");
    model = lstm_model(*state, TFLITE_FLOAT32, TFLITE_FLOAT32);
    model->op.options.activation = TFLITE_ACTIVATION_NONE;
    assert_refused(*state, &model->file, WEFT_OPERATOR, "expected activation TANH, RELU");
    model = lstm_model(*state, TFLITE_FLOAT32, TFLITE_UINT8);
    assert_refused(*state, &model->file, WEFT_OPERATOR, "expected FLOAT32 weights and peepholes");
    model = lstm_model(*state, TFLITE_FLOAT32, TFLITE_FLOAT32);
    model->inputs[6] = -1;
    assert_refused(*state, &model->file, WEFT_OPERATOR, "expected FLOAT32 weights and peepholes");
    model = lstm_model(*state, TFLITE_FLOAT32, TFLITE_INT8);
    model->inputs[10] = model->inputs[13]; /* a peephole of floats */
    assert_refused(*state, &model->file, WEFT_OPERATOR, "expected FLOAT32 weights and peepholes");
    model = lstm_model(*state, TFLITE_FLOAT32, TFLITE_FLOAT32);
    model->inputs[1] = -1; /* the input gate is there in part */
    assert_refused(*state, &model->file, WEFT_MODEL, "all of those that belong together");
    model = lstm_model(*state, TFLITE_FLOAT32, TFLITE_FLOAT32);
    model->tensors[model->inputs[18]].shape = wrong;
    assert_refused(*state, &model->file, WEFT_OPERATOR, "expected input 18 to be a state");
    model = lstm_model(*state, TFLITE_FLOAT32, TFLITE_FLOAT32);
    model->tensors[model->inputs[19]].is_variable = false;
    assert_refused(*state, &model->file, WEFT_OPERATOR, "expected input 19 to be a state");
    model = lstm_model(*state, TFLITE_FLOAT32, TFLITE_FLOAT32);
    model->tensors[0] = tensor_of(TFLITE_FLOAT32, 2, flat);
    assert_refused(*state, &model->file, WEFT_OPERATOR, "expected rows of rank 3");
    model = lstm_model(*state, TFLITE_FLOAT32, TFLITE_FLOAT32);
    model->tensors[2].shape = wrong;
    assert_refused(*state, &model->file, WEFT_MODEL, "expected float rows");
}

static void wrong_lstm_of_int8_is_refused(void **state) {
    static const float scales[] = {0x1p-12F, 0x1p-3F};
    static const int32_t hidden[] = {-1, -1, -1, -1, 0};
    struct recurrent *model = lstm_model(*state, TFLITE_INT8, TFLITE_INT8);
    model->op.options.activation = TFLITE_ACTIVATION_RELU;
    assert_refused(*state, &model->file, WEFT_OPERATOR, "expected an LSTM with all gates and tanh");
    model = lstm_model(*state, TFLITE_INT8, TFLITE_INT8);
    model->inputs[1] = -1;
    assert_refused(*state, &model->file, WEFT_OPERATOR, "expected an LSTM with all gates and tanh");
    for (int i = 0; i < 2; i++) { /* without a hidden output; with a cell in wrong steps */
        model = lstm_model(*state, TFLITE_INT8, TFLITE_INT8);
        model->tensors[model->inputs[19]].scale = &scales[i];
        model->op.intermediate_count = i == 0 ? 0 : 5;
        model->op.intermediates = hidden;
        assert_refused(*state, &model->file, WEFT_OPERATOR,
                       i == 0 ? "expected one scale for the output state and the hidden output"
                              : "its cell state has the scale 0.125, expected 2^-15");
    }
    model = lstm_model(*state, TFLITE_INT8, TFLITE_INT8);
    model->tensors[model->inputs[19]].scale_count = 0;
    model->op.intermediate_count = 5;
    model->op.intermediates = hidden;
    assert_refused(*state, &model->file, WEFT_OPERATOR,
                   "expected a cell state with one scale and the zero point 0");
    model = lstm_model(*state, TFLITE_INT8, TFLITE_INT8);
    model->tensors[model->inputs[18]].is_variable = false;
    assert_refused(*state, &model->file, WEFT_OPERATOR, "expected input 18 to be a state");
    model = lstm_model(*state, TFLITE_INT8, TFLITE_INT8);
    model->tensors[model->inputs[19]].scale = &scales[0];
    model->op.intermediate_count = 5;
    model->op.intermediates = hidden;
    assert_int_equal(count_of(imported(*state, &model->file), WEFT_OP_QNN_LSTM), 1);
    model->op.options.cell_clip = -1;
    assert_refused(*state, &model->file, WEFT_MODEL, "its cell_clip must not be below 0");
}

/* The output has the bytes of the state, whatever its own scale is. */
static void outputs_of_an_lstm_are_its_state(void **state) {
    static const float scales[] = {0x1p-12F, 0x1p-3F};
    static const int32_t hidden[] = {-1, -1, -1, -1, 0};
    struct recurrent *model = lstm_model(*state, TFLITE_INT8, TFLITE_INT8);
    model->tensors[model->inputs[18]].scale = &scales[1];
    model->tensors[model->inputs[19]].scale = &scales[0];
    model->op.intermediate_count = 5;
    model->op.intermediates = hidden;
    const struct weft_graph *graph = imported(*state, &model->file);
    const struct weft_node *relabel = graph->outputs[0]->producer;
    assert_true(weft_type_scale(&graph->outputs[0]->type, 0) == 1);
    assert_int_equal(relabel->op, WEFT_OP_CAST);
    assert_int_equal(relabel->inputs[0]->producer->op, WEFT_OP_QNN_LSTM);
    assert_true(weft_type_scale(&relabel->inputs[0]->type, 0) == 0x1p-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(an_svdf_remembers_features),
        ARENA_TEST(filters_of_a_unit_are_added),
        ARENA_TEST(an_lstm_of_floats_remembers),
        ARENA_TEST(sessions_keep_states_of_their_own),
        ARENA_TEST(states_count_as_memory),
        ARENA_TEST(what_has_a_state_is_no_constant),
        ARENA_TEST(wrong_graphs_are_refused),
        ARENA_TEST(svdf_is_taken),
        ARENA_TEST(states_must_be_of_their_own),
        ARENA_TEST(states_may_be_filled_with_zeros),
        ARENA_TEST(wrong_svdf_is_refused),
        ARENA_TEST(lstm_of_floats_is_taken),
        ARENA_TEST(wrong_lstm_is_refused),
        ARENA_TEST(wrong_lstm_of_int8_is_refused),
        ARENA_TEST(outputs_of_an_lstm_are_its_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
