/* compiler/quantize: graphs of floats become graphs of int8 that compute nearly the same. */
#include "tests/unit/quantize_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compiler/import/import.h"
#include "compiler/passes/passes.h"
#include "compiler/quantize/quantize.h"

/* ---- graphs ---- */

/* A residual block: convolution, relu; convolution; their sum, relu; a mean; a matrix product. The
 * last channel of the first weights is dead. */
static const char network[] =
    "graph g(%0: 1x4x4x2xf32) {\n"
    "  %w1 = constant() data=[0.5, -0.25, 1.5, 0.75, -2, 0.125, 0, 0] : 4x1x1x2xf32\n"
    "  %b1 = constant() data=[0.1, -0.2, 0.3, 0.5] : 4xf32\n"
    "  %c1 = conv2d(%0, %w1) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1 : "
    "1x4x4x4xf32\n"
    "  %s1 = bias_add(%c1, %b1) : 1x4x4x4xf32\n"
    "  %r1 = relu(%s1) : 1x4x4x4xf32\n"
    "  %w2 = constant() data=[0.5, 1, -0.5, 0.25, -1, 0.5, 0.25, 2, 0.75, -0.75, 1, 0.5, 0.1, 0.2, "
    "0.3, -0.4] : 4x1x1x4xf32\n"
    "  %c2 = conv2d(%r1, %w2) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1 : "
    "1x4x4x4xf32\n"
    "  %a = add(%r1, %c2) : 1x4x4x4xf32\n"
    "  %r2 = relu(%a) : 1x4x4x4xf32\n"
    "  %m = mean(%r2) axes=[1, 2] keep_dims=0 : 1x4xf32\n"
    "  %w3 = constant() data=[1, -1, 0.5, 0.25, -0.5, 2, 1, -1, 0.3, 0.6, -0.9, 1.2] : 3x4xf32\n"
    "  %d = dense(%m, %w3) : 1x3xf32\n"
    "  %p = softmax(%d) beta=1 : 1x3xf32\n"
    "  return %p\n}\n";

/* ---- what comes out ---- */

static void a_network_becomes_int8(void **state) {
    struct bench bench;
    prepare(*state, network, &bench);
    quantize(*state, &bench);
    const struct weft_graph *graph = bench.quantized->graph;
    assert_int_equal(count_of(graph, WEFT_OP_QNN_CONV2D), 2);
    assert_int_equal(count_of(graph, WEFT_OP_QNN_DENSE), 1);
    /* Sum and mean are those of floats between integers; the last qnn.dequantize is that before
     * softmax, the first qnn.quantize that of the input. */
    assert_int_equal(count_of(graph, WEFT_OP_ADD), 1);
    assert_int_equal(count_of(graph, WEFT_OP_MEAN), 1);
    assert_int_equal(count_of(graph, WEFT_OP_QNN_QUANTIZE), 3);
    assert_int_equal(count_of(graph, WEFT_OP_QNN_DEQUANTIZE), 4);
    assert_int_equal(count_of(graph, WEFT_OP_CONV2D), 0);
    assert_int_equal(count_of(graph, WEFT_OP_SOFTMAX), 1);
    assert_true(ratio(&bench, 0) > 35);
}

static void every_calibration_is_near_the_floats(void **state) {
    for (int method = 0; method < WEFT_CALIBRATIONS; method++) {
        struct bench bench;
        prepare(*state, network, &bench);
        bench.options.calibration = (enum weft_calibration)method;
        bench.options.percentile = 99.9;
        quantize(*state, &bench);
        assert_true(ratio(&bench, 0) > 20);
        assert_true(bench.quantized->outputs.distance.sqnr > 18);
    }
}

static void variants_are_near_the_floats(void **state) {
    for (int variant = 0; variant < 6; variant++) {
        struct bench bench;
        prepare(*state, network, &bench);
        bench.options.per_tensor = variant == 0;
        bench.options.is_symmetric = variant == 1;
        bench.options.power_of_two = variant == 2;
        bench.options.equalize = variant == 3;
        bench.options.no_bias_correction = variant == 4;
        bench.options.activations = variant == 5 ? WEFT_U8 : WEFT_I8;
        quantize(*state, &bench);
        assert_true(ratio(&bench, 0) > 24);
    }
}

static int largest_weight(const struct weft_graph *graph) {
    int largest = 0;
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        if (node->op != WEFT_OP_QNN_DENSE && node->op != WEFT_OP_QNN_CONV2D) {
            continue;
        }
        const int8_t *weights = (const int8_t *)weft_value_data(node->inputs[1]);
        for (int64_t k = 0; k < weft_type_elements(&node->inputs[1]->type); k++) {
            largest = abs(weights[k]) > largest ? abs(weights[k]) : largest;
        }
    }
    return largest;
}

static void weights_of_four_bits_go_to_seven(void **state) {
    for (int per_tensor = 0; per_tensor < 2; per_tensor++) {
        struct bench bench;
        prepare(*state, network, &bench);
        bench.options.per_tensor = per_tensor;
        quantize(*state, &bench);
        double bytes = ratio(&bench, 0);
        assert_int_equal(largest_weight(bench.quantized->graph), 127);
        bench.options.weights = WEFT_WEIGHTS_INT4;
        quantize(*state, &bench);
        assert_int_equal(largest_weight(bench.quantized->graph), 7);
        assert_true(ratio(&bench, 0) > 8);
        assert_true(ratio(&bench, 0) < bytes);
    }
}

/* The largest weight of a channel is clipped for the sake of the other. */
static void four_bits_lose_the_least_square_error(void **state) {
    struct bench bench;
    prepare(*state,
            "graph g(%0: 1x2xf32) {\n"
            "  %w = constant() data=[1, -0.5, 0.1, 0.01] : 2x2xf32\n"
            "  %d = dense(%0, %w) : 1x2xf32\n"
            "  return %d\n}\n",
            &bench);
    bench.options.weights = WEFT_WEIGHTS_INT4;
    quantize(*state, &bench);
    const struct weft_graph *graph = bench.quantized->graph;
    for (size_t i = 0; i < graph->node_count; i++) {
        if (graph->nodes[i]->op == WEFT_OP_QNN_DENSE) {
            const struct weft_value *weights = graph->nodes[i]->inputs[1];
            const int8_t *w = (const int8_t *)weft_value_data(weights);
            const double *scale = weights->type.quantization.scale;
            const double floats[] = {1, -0.5, 0.1, 0.01};
            assert_true(scale[0] < 1.0 / 7 - 1e-6);
            for (int k = 0; k < 4; k++) {
                assert_true(fabs(floats[k] - scale[k / 2] * w[k]) < 0.06 * floats[k / 2 * 2]);
            }
            return;
        }
    }
    fail();
}

static void dead_channels_have_a_scale(void **state) {
    struct bench bench;
    prepare(*state, network, &bench);
    quantize(*state, &bench);
    const struct weft_graph *graph = bench.quantized->graph;
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_type *type = &graph->nodes[i]->results[0]->type;
        for (uint32_t c = 0; c < type->quantization.count; c++) {
            assert_true(type->quantization.scale[c] > 0);
        }
    }
    /* Its channel is the constant bias 0.5, which survives. */
    assert_true(layer_named(&bench, "r1")->alone.sqnr > 30);
}

/* Of twice the scale of both operands every second sum would lie halfway between two bytes. */
static void every_sum_is_the_machines(void **state) {
    struct bench bench;
    prepare(*state,
            "graph g(%0: 8x8xf32, %1: 8x8xf32) {\n  %a = relu_n1_to_1(%0) : 8x8xf32\n"
            "  %b = relu_n1_to_1(%1) : 8x8xf32\n  %r = add(%a, %b) : 8x8xf32\n  return %r\n}\n",
            &bench);
    bench.options.calibration = WEFT_CALIBRATE_MIN_MAX;
    quantize(*state, &bench);
    double twice = 2 * layer_named(&bench, "a")->scale;
    assert_true(layer_named(&bench, "r")->scale > twice);
    assert_true(layer_named(&bench, "r")->scale < 1.02 * twice);
    assert_true(ratio(&bench, 0) > 30);
    const struct weft_graph *fused =
        weft_pass_remove_unused(weft_pass_fuse_quantize(bench.quantized->graph));
    assert_int_equal(count_of(fused, WEFT_OP_QNN_ADD), 1);
    assert_int_equal(count_of(fused, WEFT_OP_GATHER), 0);
}

static void powers_of_two_are_powers_of_two(void **state) {
    struct bench bench;
    int exponent = 0;
    prepare(*state, network, &bench);
    bench.options.power_of_two = true;
    quantize(*state, &bench);
    const struct weft_graph *graph = bench.quantized->graph;
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_type *type = &graph->nodes[i]->results[0]->type;
        for (uint32_t c = 0; c < type->quantization.count; c++) {
            assert_true(frexp(type->quantization.scale[c], &exponent) == 0.5);
        }
    }
}

static void symmetric_tensors_have_the_zero_point_0(void **state) {
    struct bench bench;
    prepare(*state, network, &bench);
    bench.options.is_symmetric = true;
    quantize(*state, &bench);
    for (size_t i = 0; i < bench.quantized->layer_count; i++) {
        assert_int_equal(bench.quantized->layers[i].zero, 0);
    }
}

static void tensors_can_be_uint8(void **state) {
    struct bench bench;
    prepare(*state, network, &bench);
    bench.options.activations = WEFT_U8;
    bench.options.integer_ends = true;
    quantize(*state, &bench);
    const struct weft_graph *graph = bench.quantized->graph;
    assert_int_equal(graph->inputs[0]->type.dtype, WEFT_U8);
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_type *type = &graph->nodes[i]->results[0]->type;
        /* Weights alone are int8. */
        assert_true(type->dtype != WEFT_I8 || graph->nodes[i]->op == WEFT_OP_CONSTANT);
    }
    assert_int_equal(layer_named(&bench, "r1")->zero, 0);
    bench.options.is_symmetric = true;
    quantize(*state, &bench);
    assert_int_equal(layer_named(&bench, "r1")->zero, 128);
}

static void ends_can_be_integers(void **state) {
    struct bench bench;
    prepare(*state, network, &bench);
    bench.options.integer_ends = true;
    quantize(*state, &bench);
    const struct weft_graph *graph = bench.quantized->graph;
    assert_int_equal(graph->inputs[0]->type.dtype, WEFT_I8);
    assert_int_equal(count_of(graph, WEFT_OP_QNN_QUANTIZE), 2); /* of sum and mean */
    /* softmax makes floats */
    assert_int_equal(graph->outputs[0]->type.dtype, WEFT_F32);
}

static void what_is_simulated_is_what_is_computed(void **state) {
    struct bench bench;
    prepare(*state, network, &bench);
    quantize(*state, &bench);
    const struct weft_outputs_report *outputs = &bench.quantized->outputs;
    const struct weft_layer_report *last = layer_named(&bench, "d");
    assert_true(fabs(outputs->distance.sqnr - last->accumulated.sqnr) < 1e-9);
    assert_int_equal(outputs->samples, 40);
    assert_true(outputs->agree >= 38);
    assert_true(last->alone.sqnr > last->accumulated.sqnr - 3);
}

/* ---- mixed precision ---- */

static void named_layers_stay_float(void **state) {
    static const char *const names[] = {"r1", "*a*"};
    struct bench bench;
    prepare(*state, network, &bench);
    bench.options.keep_float_count = 1;
    bench.options.keep_float = names;
    quantize(*state, &bench);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_CONV2D), 1);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_CONV2D), 1);
    assert_int_equal(bench.quantized->kept_float, 1);
    assert_false(layer_named(&bench, "r1")->is_quantized);
    assert_true(ratio(&bench, 0) > 35);
}

static void layers_stay_float_until_the_ratio_holds(void **state) {
    struct bench bench;
    prepare(*state, network, &bench);
    quantize(*state, &bench);
    double before = bench.quantized->outputs.distance.sqnr;
    bench.options.min_sqnr = before + 4;
    quantize(*state, &bench);
    assert_true(bench.quantized->outputs.distance.sqnr >= before + 4);
    assert_true(bench.quantized->kept_float > 0);
    bench.options.min_sqnr = 150; /* more than int8 can do */
    quantize(*state, &bench);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_CONV2D), 0);
}

static int64_t label_of(void *context, size_t i) {
    (void)context;
    return i % 2 == 0 ? 0 : -1;
}

static void labels_are_counted(void **state) {
    struct bench bench;
    prepare(*state, network, &bench);
    bench.options.label = label_of;
    bench.options.max_drop = 1;
    quantize(*state, &bench);
    assert_int_equal(bench.quantized->outputs.labelled, 20);
    assert_true(bench.quantized->outputs.right <= 20);
    assert_int_equal(bench.quantized->kept_float, 0);
}

/* ---- equalisation ---- */

#define CHAIN(clip)                                                                                \
    "graph g(%0: 1x2xf32) {\n"                                                                     \
    "  %w1 = constant() data=[100, -50, 0.01, 0.02, 0, 0] : 3x2xf32\n"                             \
    "  %b1 = constant() data=[1, 0.001, 0.5] : 3xf32\n"                                            \
    "  %d1 = dense(%0, %w1) : 1x3xf32\n"                                                           \
    "  %s1 = bias_add(%d1, %b1) : 1x3xf32\n"                                                       \
    "  %r1 = " clip "(%s1) : 1x3xf32\n"                                                            \
    "  %w2 = constant() data=[0.01, 30, 1, -0.02, 40, 2] : 2x3xf32\n"                              \
    "  %d2 = dense(%r1, %w2) : 1x2xf32\n"                                                          \
    "  return %d2\n}\n"

static void unequal_channels_gain_by_equalisation(void **state) {
    struct bench bench;
    prepare(*state, CHAIN("relu"), &bench);
    bench.options.per_tensor = true;
    quantize(*state, &bench);
    double before = ratio(&bench, 0);
    bench.options.equalize = true;
    quantize(*state, &bench);
    assert_int_equal(bench.quantized->equalized, 1);
    assert_true(ratio(&bench, 0) > before + 3);
}

static void a_clip_to_a_fixed_number_leaves_a_pair_alone(void **state) {
    struct bench bench;
    prepare(*state, CHAIN("relu6"), &bench);
    bench.options.equalize = true;
    quantize(*state, &bench);
    assert_int_equal(bench.quantized->equalized, 0);
}

/* What follows a product is a clip of its integers, if it is not what they saturate to anyway. */
static void limits_of_a_product_are_a_clip(void **state) {
    struct bench bench;
    prepare(*state,
            "graph g(%0: 1x2xf32) {\n"
            "  %w = constant() data=[1, -0.5, 0.25, 2, -1, 1] : 3x2xf32\n"
            "  %d = dense(%0, %w) : 1x3xf32\n"
            "  %c = float.clip(%d) low=-0.5 high=0.75 : 1x3xf32\n"
            "  return %c\n}\n",
            &bench);
    quantize(*state, &bench);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_FLOAT_CLIP), 0);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_DENSE), 1);
    assert_true(ratio(&bench, 0) > 20);
}

/* ---- as ONNX ---- */

/* An output that is an input, or an output already, gets a name of its own, and nothing that is
 * made has the name of an end: each tensor is made once. */
/* The quantised graph, written as ONNX and read again; skips the test in a build that reads none.
 */
static struct weft_graph *written_again(struct weft_arena *arena, const struct bench *bench) {
    struct weft_error error;
    uint8_t *bytes = NULL;
    size_t length = 0;
    struct weft_graph *again = NULL;
    struct weft_model_names names = {0};
    const struct weft_import_options options = {.folder = NULL};
    bool is_read = weft_quantized_onnx(bench->quantized, &bytes, &length, &error) &&
                   weft_import_onnx(arena, bytes, length, &options, NULL, &again, &names, &error);
    free(bytes);
    if (!is_read && error.code == WEFT_TARGET) {
        skip();
    }
    ASSERT_GOOD(is_read, error);
    return again;
}

static void names_in_onnx_are_there_once(void **state) {
    struct bench bench;
    prepare(*state,
            "graph g(%\"scale/0\": 1x2xf32) {\n"
            "  %w = constant() data=[1, -0.5, 0.25, 2, -1, 1] : 3x2xf32\n"
            "  %\"zero/1\" = dense(%\"scale/0\", %w) : 1x3xf32\n"
            "  return %\"zero/1\", %\"scale/0\", %\"zero/1\"\n}\n",
            &bench);
    quantize(*state, &bench);
    const struct weft_graph *again = written_again(*state, &bench);
    assert_int_equal(again->input_count, 1);
    assert_int_equal(again->output_count, 3);
}

/* A limit behind a product of two tensors, a shape with an axis of no elements, and a normalisation
 * whose gain is not known. */
static void products_of_two_are_written(void **state) {
    struct bench bench;
    prepare(*state,
            "graph g(%0: 2x3xf32, %1: 3x2xf32, %2: 0x3xf32, %3: 3xf32) {\n"
            "  %p = batch_matmul(%0, %1) transpose_a=0 transpose_b=0 : 2x2xf32\n"
            "  %r = relu(%p) : 2x2xf32\n  %z = reshape(%2) : 1x0x1xf32\n"
            "  %n = layer_norm(%0, %3, %3) epsilon=0.5 : 2x3xf32\n"
            "  return %r, %z, %n\n}\n",
            &bench);
    quantize(*state, &bench);
    const struct weft_graph *again = written_again(*state, &bench);
    assert_int_equal(again->output_count, 3);
    assert_int_equal(again->outputs[1]->type.rank, 3);
    assert_int_equal(count_of(again, WEFT_OP_RELU), 1);
}

/* Of a product that is quantised no Max of one operand keeps ONNX Runtime from using integers. */
static void products_with_matrices_become_integers(void **state) {
    struct bench bench;
    struct weft_error error;
    uint8_t *bytes = NULL;
    size_t length = 0;
    prepare(*state, network, &bench);
    bench.graph =
        graph_filled(*state, "graph g(%0: 2x3x4xf32) {\n  %c = constant() data=#24 : 2x4x3xf32\n"
                             "  %r = batch_matmul(%0, %c) transpose_a=0 transpose_b=0 : 2x3x3xf32\n"
                             "  return %r\n}\n");
    bench.inputs.graph = bench.graph;
    quantize(*state, &bench);
    if (!weft_quantized_onnx(bench.quantized, &bytes, &length, &error)) {
        assert_int_equal(error.code, WEFT_TARGET);
        skip(); /* this build writes no ONNX */
    }
    assert_non_null(memmem(bytes, length, "MatMul", 6));
    assert_null(memmem(bytes, length, "\x03Max", 4)); /* a string and its length */
    free(bytes);
}

static void channels_first_become_last(void **state) {
    struct bench bench;
    prepare(*state,
            "graph g(%0: 1x2x4x4xf32) {\n"
            "  %t = transpose(%0) permutation=[0, 2, 3, 1] : 1x4x4x2xf32\n"
            "  %w = constant() data=[0.5, -0.25, 1.5, 0.75, -2, 0.125] : 3x1x1x2xf32\n"
            "  %c = conv2d(%t, %w) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1 : "
            "1x4x4x3xf32\n"
            "  %u = transpose(%c) permutation=[0, 3, 1, 2] : 1x3x4x4xf32\n"
            "  %f = constant() data=[2, 0.5, 1] : 3x1x1xf32\n"
            "  %m = mul(%u, %f) : 1x3x4x4xf32\n"
            "  %s = constant() data=[1, -1, 0.25] : 3x1x1xf32\n"
            "  %a = add(%m, %s) : 1x3x4x4xf32\n"
            "  %r = relu(%a) : 1x3x4x4xf32\n"
            "  return %r\n}\n",
            &bench);
    quantize(*state, &bench);
    const struct weft_graph *graph = bench.quantized->graph;
    assert_int_equal(count_of(graph, WEFT_OP_QNN_CONV2D), 1);
    assert_int_equal(count_of(graph, WEFT_OP_TRANSPOSE), 2); /* of input and output */
    assert_int_equal(count_of(graph, WEFT_OP_MUL) + count_of(graph, WEFT_OP_QNN_MUL), 0);
    assert_int_equal(count_of(graph, WEFT_OP_ADD) + count_of(graph, WEFT_OP_QNN_ADD), 0);
    assert_true(ratio(&bench, 0) > 30);
}

/* x * sigmoid(x) of what a product makes, and the same where the sigmoid is needed elsewhere. */
#define SILU(result)                                                                               \
    "graph g(%0: 1x4x4x2xf32) {\n"                                                                 \
    "  %w = constant() data=[0.5, -0.25, 1.5, 0.75, -2, 0.125] : 3x1x1x2xf32\n"                    \
    "  %c = conv2d(%0, %w) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1 : "        \
    "1x4x4x3xf32\n"                                                                                \
    "  %s = logistic(%c) : 1x4x4x3xf32\n"                                                          \
    "  %m = mul(%c, %s) : 1x4x4x3xf32\n"                                                           \
    "  return " result "\n}\n"

static void what_follows_from_one_tensor_has_one_scale(void **state) {
    struct bench bench;
    prepare(*state, SILU("%m"), &bench);
    quantize(*state, &bench);
    assert_false(layer_named(&bench, "s")->is_quantized);
    assert_true(layer_named(&bench, "m")->is_quantized);
    assert_int_equal(bench.quantized->kept_float, 0);
    /* Of the input, of the product's result (in one step with it), and of what the table makes. */
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_QUANTIZE), 2);
    assert_true(ratio(&bench, 0) > 35);
    prepare(*state, SILU("%m, %s"), &bench);
    quantize(*state, &bench);
    assert_true(layer_named(&bench, "s")->is_quantized);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_QUANTIZE), 2);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_MUL), 1);
    static const char *const names[] = {"m"};
    prepare(*state, SILU("%m"), &bench);
    bench.options.keep_float_count = 1;
    bench.options.keep_float = names;
    quantize(*state, &bench);
    assert_true(layer_named(&bench, "s")->is_quantized);
    assert_false(layer_named(&bench, "m")->is_quantized);
}

/* ---- attention ---- */

#define PRODUCT(name, x, w)                                                                        \
    name " = batch_matmul(" x ", " w ") transpose_a=0 transpose_b=0 : 1x6x8xf32"
#define TURN(name, x, order, shape) name " = transpose(" x ") permutation=" order " : " shape "xf32"
#define HEADS(name, x)              name " = reshape(" x ") : 1x6x2x4xf32"

/* Half a layer of an encoder as exporters write it: normalisation, queries, keys and values of two
 * heads, shares of softmax, their mixture and its projection, added. */
static const char *const encoder[] = {
    "%g = constant() data=[1, 1.5, 0.5, 1, 2, 1, 0.75, 1] : 8xf32",
    "%o = constant() data=[0.5, 0, -0.5, 0, 0.25, 0, 1, 0] : 8xf32",
    "%n = layer_norm(%0, %g, %o) epsilon=1e-05 : 1x6x8xf32",
    "%wq = constant() data=#64 : 8x8xf32",
    "%wk = constant() data=$64 : 8x8xf32",
    "%wv = constant() data=$64 : 8x8xf32",
    "%wo = constant() data=#64 : 8x8xf32",
    "%bq = constant() data=[1, 0, 1, 0, -1, 0, 0.5, 0] : 8xf32",
    PRODUCT("%q0", "%n", "%wq"),
    "%q1 = add(%q0, %bq) : 1x6x8xf32",
    HEADS("%q2", "%q1"),
    TURN("%q", "%q2", "[0, 2, 1, 3]", "1x2x6x4"),
    PRODUCT("%k0", "%n", "%wk"),
    HEADS("%k1", "%k0"),
    TURN("%k", "%k1", "[0, 2, 3, 1]", "1x2x4x6"),
    "%v0 = batch_matmul(%n, %wv) transpose_a=0 transpose_b=1 : 1x6x8xf32",
    HEADS("%v1", "%v0"),
    TURN("%v", "%v1", "[0, 2, 1, 3]", "1x2x6x4"),
    "%s0 = batch_matmul(%q, %k) transpose_a=0 transpose_b=0 : 1x2x6x6xf32",
    "%depth = constant() data=[2000] : f32",
    "%s = divide(%s0, %depth) : 1x2x6x6xf32",
    "%p = softmax(%s) beta=1 : 1x2x6x6xf32",
    "%m0 = batch_matmul(%p, %v) transpose_a=0 transpose_b=0 : 1x2x6x4xf32",
    TURN("%m1", "%m0", "[0, 2, 1, 3]", "1x6x2x4"),
    "%m = reshape(%m1) : 1x6x8xf32",
    PRODUCT("%y", "%m", "%wo"),
    "%r = add(%0, %y) : 1x6x8xf32",
};

static void prepare_encoder(struct weft_arena *arena, struct bench *bench) {
    struct weft_text text = {0};
    weft_text_add(&text, "graph g(%%0: 1x6x8xf32) {\n");
    for (size_t i = 0; i < sizeof encoder / sizeof encoder[0]; i++) {
        weft_text_add(&text, "  %s\n", encoder[i]);
    }
    weft_text_add(&text, "  return %%r\n}\n");
    assert_false(text.failed);
    prepare(arena, network, bench);
    bench->graph = graph_filled(arena, text.bytes);
    bench->inputs.graph = bench->graph;
    free(text.bytes);
}

/* The divisor is in the weights of the queries, gain and offset in those of three products. */
static void attention_becomes_int8(void **state) {
    for (int i = 0; i < 2; i++) {
        struct bench bench;
        prepare_encoder(*state, &bench);
        bench.options.activations = i == 0 ? WEFT_I8 : WEFT_U8;
        quantize(*state, &bench);
        const struct weft_graph *graph = bench.quantized->graph;
        assert_int_equal(count_of(graph, WEFT_OP_QNN_DENSE), 4);
        assert_int_equal(count_of(graph, WEFT_OP_QNN_SOFTMAX), 1);
        assert_int_equal(count_of(graph, WEFT_OP_QNN_MEAN), 2);
        assert_int_equal(count_of(graph, WEFT_OP_QNN_SUBTRACT), 1);
        assert_int_equal(count_of(graph, WEFT_OP_QNN_MUL), 1);
        assert_int_equal(count_of(graph, WEFT_OP_ADD), 2); /* one of a table */
        assert_int_equal(count_of(graph, WEFT_OP_QNN_CONV2D), 0);
        assert_int_equal(count_of(graph, WEFT_OP_DIVIDE), 0);
        assert_int_equal(count_of(graph, WEFT_OP_SOFTMAX), 0);
        assert_int_equal(count_of(graph, WEFT_OP_DENSE), 0);
        const struct weft_node *softmax = NULL;
        for (size_t k = 0; k < graph->node_count; k++) {
            softmax = graph->nodes[k]->op == WEFT_OP_QNN_SOFTMAX ? graph->nodes[k] : softmax;
        }
        const struct weft_type *shares = &softmax->results[0]->type;
        assert_true(weft_type_scale(shares, 0) == 1.0 / 256);
        assert_int_equal(weft_type_zero(shares, 0), i == 0 ? -128 : 0);
        if (!(ratio(&bench, 0) > 30)) {
            fail_msg("%f dB", ratio(&bench, 0));
        }
    }
}

static void attention_can_stay_float(void **state) {
    static const char *const names[] = {"p", "n"};
    struct bench bench;
    prepare_encoder(*state, &bench);
    bench.options.keep_float_count = 1;
    bench.options.keep_float = names;
    quantize(*state, &bench);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_SOFTMAX), 0);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_SOFTMAX), 1);
    double all = ratio(&bench, 0);
    bench.options.keep_float_count = 2;
    quantize(*state, &bench);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_MUL), 0);
    assert_true(ratio(&bench, 0) > all - 1);
}

/* Scores of which half are masked, by a choice or a sum, of numbers of any size: they keep their
 * steps. */
static void masks_are_no_magnitudes(void **state) {
    static const char *const masked[] = {
        "  %n = constant() data=[-inf] : f32\n  %m = select(%c, %s, %n) : 1x2x3x3xf32\n",
        "  %n = constant() data=[-3e+38] : f32\n"
        "  %d = constant() data=[0, 1, 1, 0, 0, 1, 0, 0, 0] : 3x3xbool\n"
        "  %m = select(%d, %n, %s) : 1x2x3x3xf32\n",
        "  %n = constant() data=[0, -10000, -10000, 0, 0, -10000, 0, 0, 0] : 3x3xf32\n"
        "  %m = add(%s, %n) : 1x2x3x3xf32\n",
        "  %n = constant() data=[0, -inf, -inf, 0, 0, -inf, 0, 0, 0] : 1x1x3x3xf32\n"
        "  %o = reshape(%n) : 1x3x3xf32\n  %m = add(%o, %s) : 1x2x3x3xf32\n",
    };
    for (size_t i = 0; i < sizeof masked / sizeof masked[0]; i++) {
        struct bench bench;
        char text[1024];
        (void)snprintf(text, sizeof text,
                       "graph g(%%0: 1x2x3x4xf32, %%1: 1x2x3x4xf32) {\n"
                       "  %%c = constant() data=[1, 0, 0, 1, 1, 0, 1, 1, 1] : 3x3xbool\n"
                       "  %%s = batch_matmul(%%0, %%1) transpose_a=0 transpose_b=1 : 1x2x3x3xf32\n"
                       "%s  %%p = softmax(%%m) beta=1 : 1x2x3x3xf32\n"
                       "  %%r = batch_matmul(%%p, %%1) transpose_a=0 transpose_b=0 : 1x2x3x4xf32\n"
                       "  return %%r\n}\n",
                       masked[i]);
        prepare(*state, text, &bench);
        quantize(*state, &bench);
        assert_true(layer_named(&bench, "m")->scale < 0.2);
        assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_SOFTMAX), 1);
        if (!(ratio(&bench, 0) > 30)) {
            fail_msg("%zu: %f dB", i, ratio(&bench, 0));
        }
    }
}

/* It may be a mask: bytes are there on both sides. */
static void what_is_always_0_may_be_anything(void **state) {
    struct bench bench;
    prepare(*state,
            "graph g(%0: 2x2xf32, %1: 2x2xf32) {\n  %c = constant() data=[0] : f32\n"
            "  %z = mul(%1, %c) : 2x2xf32\n  %r = add(%0, %z) : 2x2xf32\n  return %r\n}\n",
            &bench);
    quantize(*state, &bench);
    assert_true(layer_named(&bench, "z")->scale == 1);
    assert_int_equal(layer_named(&bench, "z")->zero, 0);
    bench.options.activations = WEFT_U8;
    quantize(*state, &bench);
    assert_int_equal(layer_named(&bench, "z")->zero, 128);
}

/* Of one element softmax is 1; bytes of a divisor may be 0; a product of nothing has a bias; what
 * is not a number counts as 0. */
static void corners_are_numbers(void **state) {
    static const char *const texts[] = {
        "graph g(%0: 1x1x2x3xf32, %1: 1x1x1x3xf32) {\n"
        "  %s = batch_matmul(%0, %1) transpose_a=0 transpose_b=1 : 1x1x2x1xf32\n"
        "  %p = softmax(%s) beta=1 : 1x1x2x1xf32\n"
        "  %r = batch_matmul(%p, %1) transpose_a=0 transpose_b=0 : 1x1x2x3xf32\n"
        "  return %r\n}\n",
        "graph g(%0: 1x2x2x3xf32, %1: 1x2x2x3xf32) {\n  %a = abs(%1) : 1x2x2x3xf32\n"
        "  %e = constant() data=[0.01] : f32\n  %d = add(%a, %e) : 1x2x2x3xf32\n"
        "  %r = divide(%0, %d) : 1x2x2x3xf32\n  return %r\n}\n",
        "graph g(%0: 3x4xf32) {\n  %w = constant() data=[0, 0, 0, 0, 0, 0, 0, 0] : 2x4xf32\n"
        "  %b = constant() data=[0.1, -0.03] : 2xf32\n  %d = dense(%0, %w) : 3x2xf32\n"
        "  %r = bias_add(%d, %b) : 3x2xf32\n  return %r\n}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct bench bench;
        prepare(*state, texts[i], &bench);
        quantize(*state, &bench);
        if (!(ratio(&bench, 0) > 20)) {
            fail_msg("%zu: %f dB", i, ratio(&bench, 0));
        }
    }
    struct bench bench;
    prepare(*state,
            "graph g(%0: 2x2xf32) {\n  %c = constant() data=[nan, 1, 2, 3] : 2x2xf32\n"
            "  %r = mul(%0, %c) : 2x2xf32\n  return %r\n}\n",
            &bench);
    quantize(*state, &bench);
}

#define NORM(output)                                                                               \
    "graph g(%0: 1x3x4xf32) {\n  %g = constant() data=[1, 3, 0.5, -2] : 4xf32\n"                   \
    "  %o = constant() data=[0.5, 0, -0.5, 4] : 4xf32\n"                                           \
    "  %n = layer_norm(%0, %g, %o) epsilon=0.001 : 1x3x4xf32\n"                                    \
    "  %w = constant() data=[0.5, -0.25, 1.5, 0.75, -2, 0.125, 0.5, 1] : 2x4xf32\n"                \
    "  %f = reshape(%n) : 3x4xf32\n  %d = dense(%f, %w) : 3x2xf32\n  return " output "\n}\n"

/* Where something else reads them, gain and offset are a product of their own. The variance of four
 * channels is anything from nearly nothing on: that costs some dB. */
static void gains_go_where_nothing_else_reads_them(void **state) {
    struct bench bench;
    prepare(*state, NORM("%d"), &bench);
    quantize(*state, &bench);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_CONV2D), 0);
    assert_true(ratio(&bench, 0) > 20);
    prepare(*state, NORM("%d, %n"), &bench);
    quantize(*state, &bench);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_CONV2D), 1);
    assert_true(ratio(&bench, 0) > 20);
    assert_true(ratio(&bench, 1) > 20);
}

/* A product that is taken apart into equal or other parts, of which none overlap. */
static void products_are_split(void **state) {
    static const struct {
        const char *begins[2];
        size_t products;
    } cases[] = {{{"0, 0", "0, 2"}, 2}, {{"0, 2", "0, 0"}, 2}, {{"0, 0", "0, 1"}, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench bench;
        char text[1024];
        (void)snprintf(
            text, sizeof text,
            "graph g(%%0: 3x4xf32) {\n  %%w = constant() data=[0.5, -0.25, 1.5, 0.75, -2, "
            "0.125, 0.5, 1, 0.5, 1, 1.5, 2] : 3x4xf32\n"
            "  %%b = constant() data=[0.5, 1, -1] : 3xf32\n"
            "  %%d = dense(%%0, %%w) : 3x3xf32\n  %%s = bias_add(%%d, %%b) : 3x3xf32\n"
            "  %%p = strided_slice(%%s) begin=[%s] steps=[1, 1] sizes=[3, %d] : 3x%dxf32\n"
            "  %%q = strided_slice(%%s) begin=[%s] steps=[1, 1] sizes=[3, %d] : 3x%dxf32\n"
            "  return %%p, %%q\n}\n",
            cases[i].begins[0], i == 1 ? 1 : 2, i == 1 ? 1 : 2, cases[i].begins[1], i == 0 ? 1 : 2,
            i == 0 ? 1 : 2);
        prepare(*state, text, &bench);
        quantize(*state, &bench);
        assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_DENSE), cases[i].products);
        assert_true(ratio(&bench, 0) > 25);
        assert_true(ratio(&bench, 1) > 25);
    }
}

/* Weights that a converter quantised, and nothing else: of channels, and of all in one. */
static void products_of_quantised_weights_become_int8(void **state) {
    struct bench bench;
    prepare(*state,
            "graph g(%0: 1x2x2x2xf32) {\n"
            "  %w = constant() data=[127, -50, 20, 127, -127, 3] : "
            "3x1x1x2xi8{axis=0; 0.01, 0; 0.02, 0; 0.005, 0}\n"
            "  %b = constant() data=[0.5, -0.25, 1] : 3xf32\n"
            "  %c = hybrid.conv2d(%0, %w, %b) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] "
            "groups=1 asymmetric=1 sum_first=0 : 1x2x2x3xf32\n"
            "  %r = relu(%c) : 1x2x2x3xf32\n  %f = reshape(%r) : 4x3xf32\n"
            "  %v = constant() data=[127, -50, 20, 10, -127, 3] : 2x3xi8{0.01, 0}\n"
            "  %a = constant() data=[0.5, -0.25] : 2xf32\n"
            "  %d = hybrid.dense(%f, %v, %a) asymmetric=0 : 4x2xf32\n  return %d\n}\n",
            &bench);
    quantize(*state, &bench);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_CONV2D), 1);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_DENSE), 1);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_HYBRID_DENSE), 0);
    assert_true(ratio(&bench, 0) > 30);
}

/* Quotients and squares have quantised forms by others. */
static void quotients_and_squares_become_int8(void **state) {
    struct bench bench;
    prepare(*state,
            "graph g(%0: 1x2x2x3xf32, %1: 1x2x2x3xf32) {\n"
            "  %c = constant() data=[2, 4, -0.5] : 3xf32\n"
            "  %d = divide(%0, %c) : 1x2x2x3xf32\n"
            "  %s = squared_difference(%d, %1) : 1x2x2x3xf32\n"
            "  %two = constant() data=[2] : f32\n  %p = power(%d, %two) : 1x2x2x3xf32\n"
            "  return %s, %p\n}\n",
            &bench);
    quantize(*state, &bench);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_DIVIDE), 0);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_CONV2D), 1); /* depthwise */
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_SUBTRACT), 1);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_SQUARE), 2); /* tables */
    assert_true(ratio(&bench, 0) > 30);
    assert_true(ratio(&bench, 1) > 30);
}

/* As PyTorch normalises: by a root that is a number at least, repeated along the axis. */
static void quotients_by_lengths_become_int8(void **state) {
    struct bench bench;
    prepare(*state,
            "graph g(%0: 1x4x6xf32) {\n"
            "  %q = square(%0) : 1x4x6xf32\n  %s = sum(%q) axes=[2] keep_dims=1 : 1x4x1xf32\n"
            "  %l = sqrt(%s) : 1x4x1xf32\n"
            "  %c = float.clip(%l) low=1e-12 high=3.4028234663852886e38 : 1x4x1xf32\n"
            "  %t = tile(%c) multiples=[1, 1, 6] : 1x4x6xf32\n"
            "  %r = divide(%0, %t) : 1x4x6xf32\n  return %r\n}\n",
            &bench);
    quantize(*state, &bench);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_DIVIDE), 0);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_SUM), 0);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_MEAN), 1);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_MUL), 1);
    assert_true(ratio(&bench, 0) > 30);
}

/* What moves or averages keeps the scale of its operand; other averages are products. */
static void averages_and_chosen_channels_become_int8(void **state) {
    struct bench bench;
    prepare(*state,
            "graph g(%0: 1x4x4x3xf32) {\n"
            "  %e = avg_pool2d(%0) kernel=[3, 3] strides=[1, 1] padding=[1, 1, 1, 1] : "
            "1x4x4x3xf32\n"
            "  %a = avg_pool2d(%e) kernel=[2, 2] strides=[2, 2] padding=[0, 0, 0, 0] : "
            "1x2x2x3xf32\n"
            "  %i = constant() data=[2, 0, 1, 2] : 4xi64\n"
            "  %r = gather(%a, %i) axis=3 batch_dims=0 : 1x2x2x4xf32\n  return %r\n}\n",
            &bench);
    quantize(*state, &bench);
    const struct weft_graph *graph = bench.quantized->graph;
    assert_int_equal(count_of(graph, WEFT_OP_QNN_CONV2D), 1);
    assert_int_equal(count_of(graph, WEFT_OP_AVG_POOL2D), 1);
    assert_int_equal(count_of(graph, WEFT_OP_GATHER), 1);
    assert_int_equal(count_of(graph, WEFT_OP_QNN_QUANTIZE), 1);
    assert_int_equal(count_of(graph, WEFT_OP_QNN_DEQUANTIZE), 1);
    assert_true(ratio(&bench, 0) > 30);
}

/* PReLU with a slope for each channel: the larger one of x and a product at its scale, or the
 * smaller one where no slope is below 1. */
static void rectifiers_of_channels_become_int8(void **state) {
    static const char *const slopes[] = {"0.25, -0.5, 1", "1, 1.5, 2", "0.5, 1.5, 1",
                                         "0.5, 0.5, 0.5"};
    static const enum weft_operator becomes[] = {WEFT_OP_MAXIMUM, WEFT_OP_MINIMUM, WEFT_OP_PRELU,
                                                 WEFT_OP_PRELU};
    static const size_t quantizers[] = {1, 2, 2,
                                        2}; /* steep slopes need a larger scale than x has */
    for (size_t i = 0; i < sizeof slopes / sizeof slopes[0]; i++) {
        struct bench bench;
        prepare(*state,
                weft_arena_print(*state,
                                 "graph g(%%0: 1x4x4x3xf32) {\n"
                                 "  %%a = constant() data=[%s] : 1x1x3xf32\n"
                                 "  %%r = prelu(%%0, %%a) : 1x4x4x3xf32\n  return %%r\n}\n",
                                 slopes[i]),
                &bench);
        quantize(*state, &bench);
        const struct weft_graph *graph = bench.quantized->graph;
        bool known = becomes[i] != WEFT_OP_PRELU;
        assert_int_equal(count_of(graph, becomes[i]), 1);
        assert_int_equal(count_of(graph, WEFT_OP_QNN_CONV2D), known);
        assert_int_equal(count_of(graph, WEFT_OP_QNN_QUANTIZE), quantizers[i]);
        assert_true(ratio(&bench, 0) > 30);
    }
}

/* The larger one of two tensors has their scale, if they have one; else both get that of the
 * result. */
static void maxima_of_two_become_int8(void **state) {
    struct bench bench;
    prepare(*state,
            "graph g(%0: 1x4x4x4xf32, %1: 1x4x4x2xf32) {\n"
            "  %t = tanh(%0) : 1x4x4x4xf32\n"
            "  %a = strided_slice(%t) begin=[0, 0, 0, 0] steps=[1, 1, 1, 1] sizes=[1, 4, 4, 2] : "
            "1x4x4x2xf32\n"
            "  %b = strided_slice(%t) begin=[0, 0, 0, 2] steps=[1, 1, 1, 1] sizes=[1, 4, 4, 2] : "
            "1x4x4x2xf32\n"
            "  %m = maximum(%a, %b) : 1x4x4x2xf32\n"
            "  %c = constant() data=[0.25] : f32\n  %s = mul(%1, %c) : 1x4x4x2xf32\n"
            "  %r = minimum(%m, %s) : 1x4x4x2xf32\n  return %r\n}\n",
            &bench);
    quantize(*state, &bench);
    const struct weft_graph *graph = bench.quantized->graph;
    const struct weft_node *first = NULL;
    const struct weft_node *second = NULL;
    for (size_t i = 0; i < graph->node_count; i++) {
        first = graph->nodes[i]->op == WEFT_OP_MAXIMUM ? graph->nodes[i] : first;
        second = graph->nodes[i]->op == WEFT_OP_MINIMUM ? graph->nodes[i] : second;
    }
    assert_non_null(first);
    assert_non_null(second);
    assert_int_equal(first->results[0]->type.dtype, WEFT_I8);
    assert_true(weft_type_equal(&first->inputs[0]->type, &first->results[0]->type));
    assert_int_equal(first->inputs[0]->producer->op, WEFT_OP_STRIDED_SLICE);
    assert_true(weft_type_equal(&second->inputs[0]->type, &second->results[0]->type));
    assert_true(weft_type_equal(&second->inputs[1]->type, &second->results[0]->type));
    assert_true(ratio(&bench, 0) > 30);
}

/* ---- errors ---- */

static void assert_refused(struct weft_arena *arena, struct bench *bench, enum weft_error_code code,
                           const char *words) {
    struct weft_error error;
    ASSERT_FAILS(
        weft_quantize(arena, bench->graph, NULL, &bench->options, &bench->quantized, &error), error,
        code);
    if (strstr(error.message, words) == NULL) {
        fail_msg("%s", error.message);
    }
}

static void weights_that_are_no_numbers_are_refused(void **state) {
    static const struct {
        const char *constant;
        float number;
        const char *words;
    } cases[] = {{"w2", NAN, "weight 2 is not a finite number"},
                 {"w1", INFINITY, "weight 2 is not a finite number"},
                 {"b1", -INFINITY, "bias 2 is not a finite number"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench bench;
        prepare(*state, network, &bench);
        float *numbers =
            (float *)(uintptr_t)weft_value_data(value_named(bench.graph, cases[i].constant));
        numbers[2] = cases[i].number;
        assert_refused(*state, &bench, WEFT_ARGUMENT, cases[i].words);
    }
}

static void wrong_options_are_refused(void **state) {
    static const char *const names[] = {"nothing"};
    struct bench bench;
    prepare(*state, network, &bench);
    const struct weft_quantize_options good = bench.options;
    bench.options.samples = NULL;
    assert_refused(*state, &bench, WEFT_ARGUMENT, "no samples");
    bench.options = good;
    bench.options.bins = 0;
    assert_refused(*state, &bench, WEFT_ARGUMENT, "bins");
    bench.options = good;
    bench.options.levels = 3;
    assert_refused(*state, &bench, WEFT_ARGUMENT, "levels");
    bench.options = good;
    bench.options.activations = WEFT_I16;
    assert_refused(*state, &bench, WEFT_ARGUMENT, "int8 or uint8");
    bench.options = good;
    bench.options.weights = (enum weft_weight_bits)2;
    assert_refused(*state, &bench, WEFT_ARGUMENT, "int8 or int4");
    bench.options = good;
    bench.options.percentile = (double)NAN;
    assert_refused(*state, &bench, WEFT_ARGUMENT, "percentile");
    bench.options = good;
    bench.options.max_drop = 0.1;
    assert_refused(*state, &bench, WEFT_ARGUMENT, "labels");
    bench.options = good;
    bench.options.keep_float_count = 1;
    bench.options.keep_float = names;
    assert_refused(*state, &bench, WEFT_ARGUMENT, "no layer is called 'nothing'");
}

static void a_bad_sample_ends_it(void **state) {
    struct bench bench;
    prepare(*state, network, &bench);
    bench.inputs.bad = 17;
    assert_refused(*state, &bench, WEFT_IO, "sample 17 is bad");
}

static void memory_is_limited(void **state) {
    struct bench bench;
    prepare(*state, network, &bench);
    bench.options.bytes = 64;
    assert_refused(*state, &bench, WEFT_LIMIT, "--memory-limit");
}

static void nothing_to_quantise_is_an_error(void **state) {
    struct bench bench;
    prepare(*state, "graph g(%0: 1x4xf32) {\n  %e = floor(%0) : 1x4xf32\n  return %e\n}\n", &bench);
    assert_refused(*state, &bench, WEFT_ARGUMENT, "no layer of floats");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(a_network_becomes_int8),
        ARENA_TEST(every_calibration_is_near_the_floats),
        ARENA_TEST(variants_are_near_the_floats),
        ARENA_TEST(weights_of_four_bits_go_to_seven),
        ARENA_TEST(four_bits_lose_the_least_square_error),
        ARENA_TEST(dead_channels_have_a_scale),
        ARENA_TEST(every_sum_is_the_machines),
        ARENA_TEST(powers_of_two_are_powers_of_two),
        ARENA_TEST(symmetric_tensors_have_the_zero_point_0),
        ARENA_TEST(what_follows_from_one_tensor_has_one_scale),
        ARENA_TEST(tensors_can_be_uint8),
        ARENA_TEST(ends_can_be_integers),
        ARENA_TEST(what_is_simulated_is_what_is_computed),
        ARENA_TEST(names_in_onnx_are_there_once),
        ARENA_TEST(products_of_two_are_written),
        ARENA_TEST(products_with_matrices_become_integers),
        ARENA_TEST(named_layers_stay_float),
        ARENA_TEST(layers_stay_float_until_the_ratio_holds),
        ARENA_TEST(labels_are_counted),
        ARENA_TEST(unequal_channels_gain_by_equalisation),
        ARENA_TEST(a_clip_to_a_fixed_number_leaves_a_pair_alone),
        ARENA_TEST(limits_of_a_product_are_a_clip),
        ARENA_TEST(channels_first_become_last),
        ARENA_TEST(attention_becomes_int8),
        ARENA_TEST(attention_can_stay_float),
        ARENA_TEST(masks_are_no_magnitudes),
        ARENA_TEST(what_is_always_0_may_be_anything),
        ARENA_TEST(corners_are_numbers),
        ARENA_TEST(gains_go_where_nothing_else_reads_them),
        ARENA_TEST(products_are_split),
        ARENA_TEST(products_of_quantised_weights_become_int8),
        ARENA_TEST(quotients_and_squares_become_int8),
        ARENA_TEST(quotients_by_lengths_become_int8),
        ARENA_TEST(averages_and_chosen_channels_become_int8),
        ARENA_TEST(rectifiers_of_channels_become_int8),
        ARENA_TEST(maxima_of_two_become_int8),
        ARENA_TEST(weights_that_are_no_numbers_are_refused),
        ARENA_TEST(wrong_options_are_refused),
        ARENA_TEST(a_bad_sample_ends_it),
        ARENA_TEST(memory_is_limited),
        ARENA_TEST(nothing_to_quantise_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
