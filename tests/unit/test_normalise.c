/* compiler/passes: constants, moves and common subexpressions, before and after; then all
 * normalising passes, on random graphs and on both styles in which quantised networks arrive. */
#include "tests/unit/graphs.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/module.h"
#include "compiler/passes/passes.h"

#define G(in, nodes, outputs) "graph g(%0: " in ") {\n" nodes "  return " outputs "\n}\n"
#define X                     "2x3xi8{0.5, -3}"

/* ---- fold_constants ---- */

static void assert_folds(struct weft_arena *arena, const char *nodes, const char *folded) {
    static const char form[] = "graph g(%%0: 1xi8) {\n%s  return %%r\n}\n";
    const struct weft_graph *graph = graph_of(arena, weft_arena_print(arena, form, nodes));
    const struct weft_graph *made = weft_pass_remove_unused(weft_pass_fold_constants(graph));
    assert_text(made, weft_arena_print(arena, form, folded));
    assert_same_results(graph, made);
}

static void float_weights_are_quantised(void **state) {
    assert_folds(*state,
                 "  %w = constant() data=[1, -0.5, 100, 0.7] : 4xf32\n"
                 "  %r = qnn.quantize(%w) : 4xi8{0.5, 0}\n",
                 "  %r = constant() data=[2, -1, 127, 1] : 4xi8{0.5, 0}\n");
    assert_folds(*state,
                 "  %w = constant() data=[1, 1, 1, 1] : 2x2xf32\n"
                 "  %r = qnn.quantize(%w) : 2x2xi8{axis=0; 0.5, 0; 0.25, 0}\n",
                 "  %r = constant() data=[2, 2, 4, 4] : 2x2xi8{axis=0; 0.5, 0; 0.25, 0}\n");
    assert_folds(*state,
                 "  %b = constant() data=[1000, -1] : 2xf32\n"
                 "  %r = qnn.quantize(%b) : 2xi32{axis=0; 0.125, 0; 0.0625, 0}\n",
                 "  %r = constant() data=[8000, -16] : 2xi32{axis=0; 0.125, 0; 0.0625, 0}\n");
}

static void chains_on_constants_are_folded(void **state) {
    assert_folds(*state,
                 "  %w = constant() data=[1, 2, 3, 4, 5, 6] : 2x3xi8{0.5, 0}\n"
                 "  %t = transpose(%w) permutation=[1, 0] : 3x2xi8{0.5, 0}\n"
                 "  %u = reshape(%t) : 6xi8{0.5, 0}\n"
                 "  %a, %b = split(%u) axis=0 sizes=[2, 4] : 2xi8{0.5, 0}, 4xi8{0.5, 0}\n"
                 "  %r = concatenate(%b, %a) axis=0 : 6xi8{0.5, 0}\n",
                 "  %r = constant() data=[2, 5, 3, 6, 1, 4] : 6xi8{0.5, 0}\n");
}

static void what_is_not_known_is_not_folded(void **state) {
    assert_stays(*state, weft_pass_fold_constants,
                 G(X,
                   "  %k = constant() data=[1] : 1xi8{0.5, -3}\n"
                   "  %a = qnn.add(%0, %k) : " X "\n",
                   "%a"));
    /* a kernel that refuses, and a body */
    assert_stays(*state, weft_pass_fold_constants,
                 G(X,
                   "  %k = constant() data=[1] : 1xi8{0.5, -3}\n"
                   "  %a = composite(%k) name=\"c\" body(%k: 1xi8{0.5, -3}) {\n"
                   "    return %k\n  } : 1xi8{0.5, -3}\n",
                   "%a"));
    static const char refused[] = G(X,
                                    "  %k = constant() data=[1] : 1xi8{0.5, -3}\n"
                                    "  %a = qnn.softmax(%k) beta=-1 : 1xi8{0.5, -3}\n",
                                    "%a");
    assert_text(weft_pass_fold_constants(graph_of(*state, refused)), refused);
}

/* A model of some bytes must not become one of gigabytes. */
static void results_that_are_much_larger_are_not_folded(void **state) {
    static const char large[] =
        G(X,
          "  %k = constant() data=[1] : 1x1x1x1xi8{0.5, -3}\n"
          "  %a = resize_nearest_neighbor(%k) size=[300, 300] align_corners=0 "
          "half_pixel_centers=0 : 1x300x300x1xi8{0.5, -3}\n",
          "%a");
    assert_stays(*state, weft_pass_fold_constants, large);
}

/* Constants of a model file lie at any address. */
static void constants_at_odd_addresses_are_folded(void **state) {
    static const float weights[2] = {1.5F, -2.0F};
    static const char text[] = "graph g(%0: 1xi8) {\n  %w = constant() data=blob 0 : 2xf32\n"
                               "  %r = qnn.quantize(%w) : 2xi8{0.5, 0}\n  return %r\n}\n";
    uint8_t *bytes = WEFT_NEW_ARRAY(*state, sizeof weights + 1, uint8_t);
    memcpy(bytes + 1, weights, sizeof weights);
    struct weft_blob blob = {bytes + 1, sizeof weights};
    const struct weft_blobs blobs = {1, 1, &blob};
    struct weft_graph *graph = NULL;
    struct weft_error error;
    ASSERT_GOOD(weft_graph_parse(*state, text, strlen(text), &blobs, &graph, &error), error);
    const struct weft_graph *made = weft_pass_fold_constants(graph);
    assert_memory_equal(weft_value_data(made->outputs[0]), ((const int8_t[]){3, -4}), 2);
}

/* ---- simplify_moves ---- */

static void assert_moves(struct weft_arena *arena, const char *before, const char *after) {
    assert_pass(arena, weft_pass_simplify_moves, before, after);
}

static void chains_of_moves_are_one_move(void **state) {
    assert_moves(*state,
                 G(X,
                   "  %a = reshape(%0) : 6xi8{0.5, -3}\n"
                   "  %b = reshape(%a) : 3x2xi8{0.5, -3}\n"
                   "  %c = expand_dims(%b) axis=0 : 1x3x2xi8{0.5, -3}\n",
                   "%c"),
                 G(X, "  %c = reshape(%0) : 1x3x2xi8{0.5, -3}\n", "%c"));
    assert_moves(*state,
                 G("2x3x4xi8",
                   "  %a = transpose(%0) permutation=[2, 0, 1] : 4x2x3xi8\n"
                   "  %b = transpose(%a) permutation=[1, 0, 2] : 2x4x3xi8\n",
                   "%b"),
                 G("2x3x4xi8", "  %b = transpose(%0) permutation=[0, 2, 1] : 2x4x3xi8\n", "%b"));
    assert_moves(*state,
                 G(X,
                   "  %a = pad(%0) pads=[1, 0, 0, 2] : 3x5xi8{0.5, -3}\n"
                   "  %b = pad(%a) pads=[0, 1, 1, 0] : 4x6xi8{0.5, -3}\n",
                   "%b"),
                 G(X, "  %b = pad(%0) pads=[1, 1, 1, 2] : 4x6xi8{0.5, -3}\n", "%b"));
}

/* What is left to move keeps the last axis, or nothing is. */
static void products_transpose_their_second_matrices(void **state) {
    assert_moves(
        *state,
        G("1x2x5x3xi8{0.5, 0}",
          "  %t = transpose(%0) permutation=[0, 2, 3, 1] : 1x5x3x2xi8{0.5, 0}\n"
          "  %s = transpose(%0) permutation=[0, 2, 1, 3] : 1x5x2x3xi8{0.5, 0}\n"
          "  %r = qnn.batch_matmul(%s, %t) transpose_a=0 transpose_b=0 : 1x5x2x2xi32{0.25, 0}\n",
          "%r"),
        G("1x2x5x3xi8{0.5, 0}",
          "  %s = transpose(%0) permutation=[0, 2, 1, 3] : 1x5x2x3xi8{0.5, 0}\n"
          "  %made0 = transpose(%0) permutation=[0, 2, 1, 3] : 1x5x2x3xi8{0.5, 0}\n"
          "  %r = qnn.batch_matmul(%s, %made0) transpose_a=0 transpose_b=1 : "
          "1x5x2x2xi32{0.25, 0}\n",
          "%r"));
    assert_moves(*state,
                 G("3x2xf32",
                   "  %t = transpose(%0) permutation=[1, 0] : 2x3xf32\n"
                   "  %r = batch_matmul(%t, %t) transpose_a=0 transpose_b=1 : 2x2xf32\n",
                   "%r"),
                 G("3x2xf32",
                   "  %t = transpose(%0) permutation=[1, 0] : 2x3xf32\n"
                   "  %r = batch_matmul(%t, %0) transpose_a=0 transpose_b=0 : 2x2xf32\n",
                   "%r"));
}

/* The first move is needed as well: it stays, and the second one starts before it. */
static void a_shared_move_stays(void **state) {
    assert_moves(*state,
                 G(X,
                   "  %a = reshape(%0) : 6xi8{0.5, -3}\n"
                   "  %b = reshape(%a) : 3x2xi8{0.5, -3}\n",
                   "%a, %b"),
                 G(X,
                   "  %a = reshape(%0) : 6xi8{0.5, -3}\n"
                   "  %b = reshape(%0) : 3x2xi8{0.5, -3}\n",
                   "%a, %b"));
}

static void what_moves_nothing_goes(void **state) {
    static const char *const nodes[] = {
        "reshape(%0)",
        "transpose(%0) permutation=[0, 1]",
        "pad(%0) pads=[0, 0, 0, 0]",
        "split(%0) axis=0 sizes=[2]",
        "concatenate(%0) axis=1",
        "qnn.concatenate(%0) axis=1",
        "strided_slice(%0) begin=[0, 0] steps=[1, 1] sizes=[2, 3]",
    };
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        assert_moves(
            *state,
            weft_arena_print(*state, "graph g(%%0: " X ") {\n  %%a = %s : " X "\n  return %%a\n}\n",
                             nodes[i]),
            G(X, "", "%0"));
    }
    assert_moves(*state,
                 G("1x2x3x1xi8",
                   "  %a = resize_nearest_neighbor(%0) size=[2, 3] align_corners=1 "
                   "half_pixel_centers=0 : 1x2x3x1xi8\n",
                   "%a"),
                 G("1x2x3x1xi8", "", "%0"));
    /* there and back */
    assert_moves(*state,
                 G(X,
                   "  %a = transpose(%0) permutation=[1, 0] : 3x2xi8{0.5, -3}\n"
                   "  %b = transpose(%a) permutation=[1, 0] : " X "\n",
                   "%b"),
                 G(X, "", "%0"));
}

static void what_moves_something_stays(void **state) {
    assert_stays(*state, weft_pass_simplify_moves,
                 G("3x3xi8", "  %a = transpose(%0) permutation=[1, 0] : 3x3xi8\n", "%a"));
    assert_stays(*state, weft_pass_simplify_moves,
                 G("1x3xi8", "  %a = concatenate(%0, %0) axis=0 : 2x3xi8\n", "%a"));
    assert_stays(
        *state, weft_pass_simplify_moves,
        G("4xi8", "  %a = strided_slice(%0) begin=[3] steps=[-1] sizes=[4] : 4xi8\n", "%a"));
    assert_stays(*state, weft_pass_simplify_moves,
                 G("2xi8{0.5, -3}", "  %a = qnn.concatenate(%0) axis=0 : 2xi8{0.25, -3}\n", "%a"));
}

static void transposes_of_single_elements_are_reshapes(void **state) {
    assert_moves(
        *state,
        G("1x4x1x3xi8", "  %a = transpose(%0) permutation=[0, 2, 1, 3] : 1x1x4x3xi8\n", "%a"),
        G("1x4x1x3xi8", "  %a = reshape(%0) : 1x1x4x3xi8\n", "%a"));
}

static void pads_with_the_zero_point_need_no_number(void **state) {
    assert_moves(*state,
                 G(X,
                   "  %k = constant() data=[-3] : 1xi8{0.5, -3}\n"
                   "  %a = pad(%0, %k) pads=[1, 0, 0, 0] : 3x3xi8{0.5, -3}\n",
                   "%a"),
                 G(X, "  %a = pad(%0) pads=[1, 0, 0, 0] : 3x3xi8{0.5, -3}\n", "%a"));
    assert_stays(*state, weft_pass_simplify_moves,
                 G(X,
                   "  %k = constant() data=[0] : 1xi8{0.5, -3}\n"
                   "  %a = pad(%0, %k) pads=[1, 0, 0, 0] : 3x3xi8{0.5, -3}\n",
                   "%a"));
}

static void packing_is_reshaping_and_joining(void **state) {
    assert_moves(*state, G("2x3xi8", "  %a = pack(%0, %0) axis=1 : 2x2x3xi8\n", "%a"),
                 G("2x3xi8",
                   "  %made0 = reshape(%0) : 2x1x3xi8\n  %made1 = reshape(%0) : 2x1x3xi8\n"
                   "  %a = concatenate(%made0, %made1) axis=1 : 2x2x3xi8\n",
                   "%a"));
    assert_moves(*state, G("2x3xi8", "  %a, %b = unpack(%0) axis=0 : 3xi8, 3xi8\n", "%b"),
                 G("2x3xi8",
                   "  %made0 = strided_slice(%0) begin=[1, 0] steps=[1, 1] sizes=[1, 3] : 1x3xi8\n"
                   "  %b = reshape(%made0) : 3xi8\n",
                   "%b"));
}

/* Axes that carry scales keep their operators, whose results say where they go. */
static void scales_of_channels_are_left_alone(void **state) {
    assert_stays(*state, weft_pass_simplify_moves,
                 G("1x2xi8{axis=1; 0.5, 0; 0.25, 0}",
                   "  %a = transpose(%0) permutation=[1, 0] : 2x1xi8{axis=0; 0.5, 0; 0.25, 0}\n",
                   "%a"));
}

/* ---- merge_common ---- */

static void common_subexpressions_are_one(void **state) {
    assert_pass(*state, weft_pass_merge_common,
                G("2xi8{0.5, 0}",
                  "  %k = constant() data=[1, 2] : 2xi8{0.5, 0}\n"
                  "  %l = constant() data=[1, 2] : 2xi8{0.5, 0}\n"
                  "  %a = qnn.add(%0, %k) : 2xi8{0.5, 0}\n"
                  "  %b = qnn.add(%0, %l) : 2xi8{0.5, 0}\n"
                  "  %c = clip(%a) min=0 max=9 : 2xi8{0.5, 0}\n"
                  "  %d = clip(%b) max=9 min=0 : 2xi8{0.5, 0}\n",
                  "%c, %d, %b"),
                G("2xi8{0.5, 0}",
                  "  %k = constant() data=[1, 2] : 2xi8{0.5, 0}\n"
                  "  %a = qnn.add(%0, %k) : 2xi8{0.5, 0}\n"
                  "  %c = clip(%a) min=0 max=9 : 2xi8{0.5, 0}\n",
                  "%c, %c, %a"));
    assert_pass(*state, weft_pass_merge_common,
                G("2xi8",
                  "  %a, %b = split(%0) axis=0 sizes=[1, 1] : 1xi8, 1xi8\n"
                  "  %c, %d = split(%0) axis=0 sizes=[1, 1] : 1xi8, 1xi8\n"
                  "  %e = concatenate(%d, %a) axis=0 : 2xi8\n",
                  "%e"),
                G("2xi8",
                  "  %a, %b = split(%0) axis=0 sizes=[1, 1] : 1xi8, 1xi8\n"
                  "  %e = concatenate(%b, %a) axis=0 : 2xi8\n",
                  "%e"));
}

/* Another attribute, type, order of operands, constant, or an inside that is not known. */
static void what_differs_is_not_common(void **state) {
    assert_stays(*state, weft_pass_merge_common,
                 G("2xi8{0.5, 0}",
                   "  %k = constant() data=[1, 2] : 2xi8{0.5, 0}\n"
                   "  %l = constant() data=[1, 3] : 2xi8{0.5, 0}\n"
                   "  %m = constant() data=[1, 2] : 2xi8{0.25, 0}\n"
                   "  %n = constant() data=[513] : 1xi16{0.5, 0}\n"
                   "  %a = clip(%0) min=0 max=9 : 2xi8{0.5, 0}\n"
                   "  %b = clip(%0) min=0 max=8 : 2xi8{0.5, 0}\n"
                   "  %c = qnn.add(%0, %k) : 2xi8{0.5, 0}\n"
                   "  %d = qnn.add(%k, %0) : 2xi8{0.5, 0}\n"
                   "  %e = qnn.add(%0, %k) : 2xi8{0.25, 0}\n"
                   "  %f = qnn.softmax(%0) beta=1 : 2xi8{0.5, 0}\n"
                   "  %g = qnn.softmax(%0) beta=0.5 : 2xi8{0.5, 0}\n",
                   "%a, %b, %c, %d, %e, %f, %g, %l, %m, %n"));
    static const char opaque[] =
        G("2xi8", "  %a = opaque(%0) : 2xi8\n  %b = opaque(%0) : 2xi8\n", "%a, %b");
    assert_text(weft_pass_merge_common(graph_of(*state, opaque)), opaque);
}

/* ---- all passes ---- */

/* The graph with names that follow from its order alone. */
static struct weft_graph *without_names(const struct weft_graph *graph) {
    struct weft_copy copy = weft_copy_start(graph);
    for (size_t i = 0; i < graph->input_count; i++) {
        copy.to->inputs[i]->name = NULL;
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        struct weft_node *node = weft_copy_node(&copy, graph->nodes[i]);
        for (uint32_t k = 0; k < node->result_count; k++) {
            node->results[k]->name = NULL;
        }
    }
    struct weft_graph *made = weft_copy_finish(&copy);
    weft_graph_name(made);
    return made;
}

/* Keeps the text after the last normalising pass. */
static bool keep_text(void *context, const char *pass, const struct weft_graph *graph,
                      struct weft_error *error) {
    struct weft_text text = {0};
    struct weft_blobs blobs = {0};
    if (strcmp(pass, "remove-unused") != 0) {
        return true;
    }
    weft_graph_print(without_names(graph), &text, &blobs);
    *(char **)context = text.bytes;
    return weft_text_finish(&text, error);
}

/* The graph after all normalising passes, in the arena. */
static const char *normalised(struct weft_arena *arena, const struct weft_graph *graph) {
    struct weft_error error;
    struct weft_config config;
    struct weft_module *module = NULL;
    char *text = NULL;
    const struct weft_compile_options options = {
        .host_only = true, .after_pass = keep_text, .context = (void *)&text};
    assert_true(weft_config_find("ref16", &config, &error));
    ASSERT_GOOD(weft_compile_graph(graph, &config, &options, &module, &error), error);
    weft_module_free(module);
    assert_non_null(text);
    const char *copy = weft_arena_string(arena, text, strlen(text));
    free(text);
    return copy;
}

/* Both networks must become `after`, and compute the same. */
static void assert_one_network(struct weft_arena *arena, const char *tflite, const char *pytorch,
                               const char *after) {
    const struct weft_graph *a = graph_of(arena, tflite);
    const struct weft_graph *b = graph_of(arena, pytorch);
    assert_string_equal(normalised(arena, a), after);
    assert_string_equal(normalised(arena, b), after);
    assert_same_results(a, b);
    assert_same_results(a, graph_of(arena, after));
}

#define IN      "1x2x2x2xi8{0.5, -1}"
#define ACC     "1x2x2x2xi32{axis=3; 0.125, 0; 0.0625, 0}"
#define OUT     "1x2x2x2xi8{1, -128}"
#define WIDE    "1x2x2x2xi32{1, -128}"
#define WEIGHTS "2x2x2x1xi8{axis=0; 0.25, 0; 0.125, 0}"
#define BIAS    "2xi32{axis=0; 0.125, 0; 0.0625, 0}"
#define SUM(x, pads)                                                                               \
    "  %c = qnn.conv2d(%" x ", %w) strides=[1, 1] padding=[" pads                                  \
    "] dilation=[1, 1] groups=2 : " ACC "\n  %s = bias_add(%c, %k) : " ACC "\n"
/* As TFLite has it: integers, padding of the convolution. */
#define TFLITE                                                                                     \
    "  %w = constant() data=[4, -8, 1, 127, 8, 16, -128, 3] : " WEIGHTS "\n"                       \
    "  %k = constant() data=[8, -32] : " BIAS "\n" SUM("0", "0, 1, 1, 0")
/* As PyTorch has it: floats wrapped in qnn.quantize, a pad before. */
#define PYTORCH                                                                                    \
    "  %wf = constant() data=[1, -2, 0.25, 31.75, 1, 2, -16, 0.375] : 2x2x2x1xf32\n"               \
    "  %w = qnn.quantize(%wf) : " WEIGHTS "\n"                                                     \
    "  %kf = constant() data=[1, -2] : 2xf32\n  %k = qnn.quantize(%kf) : " BIAS "\n"               \
    "  %p = pad(%0) pads=[0, 0, 0, 1, 1, 0, 0, 0] : 1x3x3x2xi8{0.5, -1}\n" SUM("p", "0, 0, 0, 0")
/* What both become. */
#define AFTER(nodes, outputs)                                                                      \
    "graph g(%v0: " IN ") {\n"                                                                     \
    "  %v1 = constant() data=[4, -8, 1, 127, 8, 16, -128, 3] : " WEIGHTS "\n"                      \
    "  %v2 = constant() data=[8, -32] : " BIAS "\n"                                                \
    "  %v3 = qnn.conv2d(%v0, %v1) strides=[1, 1] padding=[0, 1, 1, 0] dilation=[1, 1] groups=2 "   \
    ": " ACC "\n  %v4 = bias_add(%v3, %v2) : " ACC "\n" nodes "  return " outputs "\n}\n"
#define SCALE(to, from, type)                                                                      \
    "  %" to " = qnn.requantize(%" from ") rounding=\"gemmlowp\" : " type "\n"

/* requantize -> clip -> cast there, requantize to the type here. */
static void both_styles_are_one_network(void **state) {
    static const char tflite[] =
        G(IN, TFLITE SCALE("r", "s", OUT) "  %q = clip(%r) min=-128 max=127 : " OUT "\n", "%q");
    static const char pytorch[] =
        G(IN,
          PYTORCH SCALE("r", "s", WIDE) "  %l = clip(%r) min=-128 max=127 : " WIDE "\n"
                                        "  %q = cast(%l) : " OUT "\n",
          "%q");
    assert_one_network(*state, tflite, pytorch, AFTER(SCALE("v5", "v4", OUT), "%v5"));
}

#define RELU6      "1x2x2x2xi8{0.0625, -100}"
#define RELU6_WIDE "1x2x2x2xi32{0.0625, -100}"

/* An activation: limits of the clip before the cast there, an operator of its own here; and
 * quantised values that pass through floats. */
static void activations_of_both_styles_are_one_clip(void **state) {
    static const char tflite[] =
        G(IN, TFLITE SCALE("r", "s", RELU6) "  %q = qnn.relu6(%r) : " RELU6 "\n", "%q, %q");
    static const char pytorch[] =
        G(IN,
          PYTORCH SCALE("r", "s", RELU6_WIDE) "  %m = clip(%r) min=-128 max=127 : " RELU6_WIDE "\n"
                                              "  %l = clip(%m) min=-100 max=-4 : " RELU6_WIDE "\n"
                                              "  %q = cast(%l) : " RELU6 "\n"
                                              "  %f = qnn.dequantize(%q) : 1x2x2x2xf32\n"
                                              "  %t = qnn.quantize(%f) : " RELU6 "\n",
          "%q, %t");
    assert_one_network(*state, tflite, pytorch,
                       AFTER(SCALE("v5", "v4", RELU6) "  %v6 = clip(%v5) min=-100 max=-4 : " RELU6
                                                      "\n",
                             "%v6, %v6"));
}

/* ---- random graphs ---- */

static const char *const random_types[] = {"i8{0.5, -3}",  "i8{0.5, 4}",   "i8{0.25, -128}",
                                           "u8{0.5, 125}", "u8{0.1, 0}",   "i16{0.25, 0}",
                                           "i32{0.5, 0}",  "i32{0.125, 0}"};
static const char *const roundings[] = {"gemmlowp", "single", "float"}; /* of i32 */
enum {
    RANDOM_TYPES = sizeof random_types / sizeof random_types[0],
    RANDOM_NODES = 25
};

/* A node of some operator on value `from` of type `type` and shape 2x3 or 3x2; says which type and
 * shape it makes. */
static const char *random_node(struct weft_arena *arena, uint64_t *seed, int from, int *type,
                               bool *turned) {
    bool narrow = *type < 6;
    int low = (int)random_in(seed, *type == 3 || *type == 4 ? 0 : -128, 127);
    int high = (int)random_in(seed, low, 127);
    switch (random_in(seed, 0, narrow ? 8 : 4)) {
    case 0:
        *turned = !*turned;
        return weft_arena_print(arena, "transpose(%%%d) permutation=[1, 0]", from);
    case 1:
        *turned = random_once_in(seed, 2);
        return weft_arena_print(arena, "reshape(%%%d)", from);
    case 2:
        return weft_arena_print(arena, "clip(%%%d) min=%d max=%d", from, low, high);
    case 3:
        *type = (int)random_in(seed, 0, RANDOM_TYPES - 1);
        return weft_arena_print(arena, "qnn.requantize(%%%d) rounding=\"%s\"", from,
                                narrow ? "gemmlowp" : roundings[random_in(seed, 0, 2)]);
    case 4:
        *type = random_once_in(seed, 2) ? *type : (int)random_in(seed, 0, RANDOM_TYPES - 1);
        return weft_arena_print(arena, "cast(%%%d)", from);
    case 5:
        return weft_arena_print(arena, "qnn.relu%s(%%%d)", random_once_in(seed, 2) ? "6" : "",
                                from);
    case 6:
        return weft_arena_print(arena, "maximum(%%%d, %%%d)", from, from);
    case 7:
        return weft_arena_print(arena, "clip(%%%d) min=%d max=%d", from, low, low);
    default:
        return weft_arena_print(arena, "pad(%%%d) pads=[0, 0, 0, 0]", from);
    }
}

static const char *random_graph(struct weft_arena *arena, uint64_t *seed) {
    const char *text = "graph g(%0: 2x3xi8{0.5, -3}) {\n";
    int types[RANDOM_NODES] = {0};
    bool turned[RANDOM_NODES] = {false};
    for (int i = 1; i < RANDOM_NODES; i++) {
        int from = (int)random_in(seed, i < 4 ? 0 : i - 4, i - 1);
        types[i] = types[from];
        turned[i] = turned[from];
        const char *node = random_node(arena, seed, from, &types[i], &turned[i]);
        text = weft_arena_print(arena, "%s  %%%d = %s : %s%s\n", text, i, node,
                                turned[i] ? "3x2x" : "2x3x", random_types[types[i]]);
    }
    return weft_arena_print(arena, "%s  return %%%d, %%%d, %%%d\n}\n", text, RANDOM_NODES - 1,
                            (int)random_in(seed, 0, RANDOM_NODES - 1), RANDOM_NODES - 2);
}

static void random_graphs_compute_the_same_normalised(void **state) {
    static struct weft_graph *(*const passes[])(const struct weft_graph *) = {
        weft_pass_sink_transposes,   weft_pass_fold_constants,    weft_pass_simplify_moves,
        weft_pass_lower_activations, weft_pass_narrow_requantize, weft_pass_merge_requantize,
        weft_pass_merge_clips,       weft_pass_fold_pad,          weft_pass_merge_common,
        weft_pass_remove_unused};
    uint64_t seed = 31;
    size_t before = 0;
    size_t after = 0;
    (void)state;
    for (int i = 0; i < 500; i++) {
        struct weft_arena arena = {0};
        struct weft_error error;
        const struct weft_graph *graph = graph_of(&arena, random_graph(&arena, &seed));
        const struct weft_graph *made = graph;
        for (size_t k = 0; k < sizeof passes / sizeof passes[0]; k++) {
            const struct weft_graph *next = passes[k](made);
            ASSERT_GOOD(weft_graph_verify(next, &error), error);
            assert_same_results(made, next);
            made = next;
        }
        before += weft_pass_remove_unused(graph)->node_count;
        after += made->node_count;
        weft_arena_free(&arena);
    }
    print_message("%zu nodes became %zu\n", before, after);
    assert_true(3 * after < 2 * before); /* the passes do find something */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(float_weights_are_quantised),
        ARENA_TEST(chains_on_constants_are_folded),
        ARENA_TEST(what_is_not_known_is_not_folded),
        ARENA_TEST(results_that_are_much_larger_are_not_folded),
        ARENA_TEST(constants_at_odd_addresses_are_folded),
        ARENA_TEST(chains_of_moves_are_one_move),
        ARENA_TEST(a_shared_move_stays),
        ARENA_TEST(what_moves_nothing_goes),
        ARENA_TEST(what_moves_something_stays),
        ARENA_TEST(transposes_of_single_elements_are_reshapes),
        ARENA_TEST(pads_with_the_zero_point_need_no_number),
        ARENA_TEST(packing_is_reshaping_and_joining),
        ARENA_TEST(scales_of_channels_are_left_alone),
        ARENA_TEST(products_transpose_their_second_matrices),
        ARENA_TEST(common_subexpressions_are_one),
        ARENA_TEST(what_differs_is_not_common),
        ARENA_TEST(both_styles_are_one_network),
        ARENA_TEST(activations_of_both_styles_are_one_clip),
        ARENA_TEST(random_graphs_compute_the_same_normalised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
