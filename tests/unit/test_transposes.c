/* compiler/passes/sink_transposes: before and after. What is computed stays the same, byte for
 * byte. */
#include "tests/unit/graphs.h"

#include <math.h>

#include "compiler/passes/passes.h"

#define G(in, nodes, outputs) "graph g(%0: " in ") {\n" nodes "  return " outputs "\n}\n"
#define TURN(name, operand)                                                                        \
    "  %" name " = transpose(" operand ") permutation=[0, 3, 1, 2] : 1x3x2x2xf32\n"

static void assert_sinks(struct weft_arena *arena, const char *before, const char *after) {
    assert_pass(arena, weft_pass_sink_transposes, before, after);
}

static void assert_floats(struct weft_arena *arena, const char *before, const char *after) {
    static const char form[] = "graph g(%%0: 1x2x2x3xf32) {\n%s  return %%r\n}\n";
    assert_sinks(arena, weft_arena_print(arena, form, before),
                 weft_arena_print(arena, form, after));
}

static void functions_come_before_transposes(void **state) {
    assert_sinks(*state,
                 G("2x3xi8{0.5, -3}",
                   "  %a = transpose(%0) permutation=[1, 0] : 3x2xi8{0.5, -3}\n"
                   "  %b = qnn.logistic(%a) : 3x2xi8{0.00390625, -128}\n",
                   "%b"),
                 G("2x3xi8{0.5, -3}",
                   "  %made0 = qnn.logistic(%0) : 2x3xi8{0.00390625, -128}\n"
                   "  %b = transpose(%made0) permutation=[1, 0] : 3x2xi8{0.00390625, -128}\n",
                   "%b"));
    assert_floats(*state,
                  TURN("a", "%0") "  %b = relu(%a) : 1x3x2x2xf32\n"
                                  "  %r = tanh(%b) : 1x3x2x2xf32\n",
                  "  %made0 = relu(%0) : 1x2x2x3xf32\n"
                  "  %made1 = tanh(%made0) : 1x2x2x3xf32\n" TURN("r", "%made1"));
}

static void operands_are_turned_with_them(void **state) {
    assert_floats(*state,
                  TURN("a", "%0") "  %b = square(%0) : 1x2x2x3xf32\n" TURN(
                      "c", "%b") "  %r = add(%a, %c) : 1x3x2x2xf32\n",
                  "  %b = square(%0) : 1x2x2x3xf32\n"
                  "  %made0 = add(%0, %b) : 1x2x2x3xf32\n" TURN("r", "%made0"));
    /* one number for each channel, and one for all */
    assert_floats(*state,
                  TURN("a", "%0") "  %k = constant() data=[1, 2, 3] : 3x1x1xf32\n"
                                  "  %b = mul(%a, %k) : 1x3x2x2xf32\n"
                                  "  %one = constant() data=[0.5] : f32\n"
                                  "  %r = subtract(%one, %b) : 1x3x2x2xf32\n",
                  "  %made0 = constant() data=[1, 2, 3] : 1x1x1x3xf32\n"
                  "  %made1 = mul(%0, %made0) : 1x2x2x3xf32\n"
                  "  %one = constant() data=[0.5] : f32\n"
                  "  %made2 = subtract(%one, %made1) : 1x2x2x3xf32\n" TURN("r", "%made2"));
}

/* A constant's elements are moved by weft_pass_fold_constants(). */
static void constants_are_turned_with_them(void **state) {
    assert_floats(*state,
                  TURN("a", "%0") "  %k = constant() data=[1, 2, 3, 4, 5, 6] : 3x2x1xf32\n"
                                  "  %r = add(%a, %k) : 1x3x2x2xf32\n",
                  "  %k = constant() data=[1, 2, 3, 4, 5, 6] : 3x2x1xf32\n"
                  "  %made0 = reshape(%k) : 1x3x2x1xf32\n"
                  "  %made1 = transpose(%made0) permutation=[0, 2, 3, 1] : 1x2x1x3xf32\n"
                  "  %made2 = add(%0, %made1) : 1x2x2x3xf32\n" TURN("r", "%made2"));
}

/* Tokens that become pixels behind their channels. */
static void axes_are_divided_before(void **state) {
    assert_sinks(*state,
                 G("1x6x4xf32",
                   "  %a = transpose(%0) permutation=[0, 2, 1] : 1x4x6xf32\n"
                   "  %b = reshape(%a) : 1x4x2x3xf32\n  %r = relu(%b) : 1x4x2x3xf32\n",
                   "%r"),
                 G("1x6x4xf32",
                   "  %made0 = reshape(%0) : 1x2x3x4xf32\n"
                   "  %made1 = relu(%made0) : 1x2x3x4xf32\n"
                   "  %r = transpose(%made1) permutation=[0, 3, 1, 2] : 1x4x2x3xf32\n",
                   "%r"));
    /* elements of several axes in one; what a transpose alone reads */
    assert_stays(*state, weft_pass_sink_transposes,
                 G("1x6x4xf32",
                   "  %a = transpose(%0) permutation=[0, 2, 1] : 1x4x6xf32\n"
                   "  %b = reshape(%a) : 1x1x8x3xf32\n",
                   "%b"));
    assert_stays(*state, weft_pass_sink_transposes,
                 G("1x6x4xf32",
                   "  %a = transpose(%0) permutation=[0, 2, 1] : 1x4x6xf32\n"
                   "  %b = reshape(%a) : 1x2x2x6xf32\n"
                   "  %r = transpose(%b) permutation=[0, 2, 1, 3] : 1x2x2x6xf32\n",
                   "%r"));
}

/* LayerNorm of whole images, in another order of rows and columns. */
static void whole_images_are_normalised_before(void **state) {
    static const char norm[] =
        "  %g = constant() data=[2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2] : 12xf32\n"
        "  %o = constant() data=[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] : 12xf32\n";
    static const char before[] = "graph g(%%0: 1x2x2x3xf32) {\n%s"
                                 "  %%a = transpose(%%0) permutation=[0, 3, 2, 1] : 1x3x2x2xf32\n"
                                 "  %%b = reshape(%%a) : 1x12xf32\n"
                                 "  %%c = layer_norm(%%b, %%g, %%o) epsilon=1 : 1x12xf32\n"
                                 "  %%r = reshape(%%c) : 1x3x2x2xf32\n  return %%r\n}\n";
    struct weft_arena *arena = *state;
    const struct weft_graph *graph = graph_of(arena, weft_arena_print(arena, before, norm));
    const struct weft_graph *made = weft_pass_sink_past_norms(graph);
    assert_int_equal(made->outputs[0]->producer->op, WEFT_OP_TRANSPOSE);
    assert_int_equal(made->outputs[0]->producer->inputs[0]->producer->op, WEFT_OP_RESHAPE);
    assert_same_results(graph, made);
    assert_int_equal(weft_pass_sink_transposes(graph)->outputs[0]->producer->op, WEFT_OP_RESHAPE);
    /* another gain for each element */
    const struct weft_graph *other = graph_of(
        arena, weft_arena_print(arena, before,
                                "  %g = constant() data=[1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2] : "
                                "12xf32\n  %o = constant() data=[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
                                "1, 1] : 12xf32\n"));
    assert_int_equal(weft_pass_sink_past_norms(other)->outputs[0]->producer->op, WEFT_OP_RESHAPE);
}

/* Both networks' outputs differ by no more than sums in another order do. */
static void assert_near_results(const struct weft_graph *graph, const struct weft_graph *made) {
    int64_t count = weft_type_elements(&graph->inputs[0]->type);
    float *numbers = WEFT_NEW_ARRAY(graph->arena, (size_t)count, float);
    const void *inputs[1] = {numbers};
    uint64_t seed = 3;
    for (int64_t i = 0; i < count; i++) {
        numbers[i] = (float)random_in(&seed, -1000, 1000) / 500;
    }
    const float *expected = host_outputs(graph, inputs)[0];
    const float *got = host_outputs(made, inputs)[0];
    for (int64_t i = 0; i < weft_type_elements(&graph->outputs[0]->type); i++) {
        double difference = (double)expected[i] - (double)got[i];
        assert_true(fabs(difference) <= 1e-5 * (1 + fabs((double)expected[i])));
    }
}

/* Rows of six elements of what is transposed, reshaped once more before, and to `to` behind. */
#define GROUPS_OF_SIX(from, transposed, to)                                                        \
    "graph g(%0: " from "xf32) {\n"                                                                \
    "  %g = constant() data=[1, 1, 1, 1, 1, 1] : 6xf32\n"                                          \
    "  %o = constant() data=[0, 0, 0, 0, 0, 0] : 6xf32\n"                                          \
    "  %a = transpose(%0) permutation=" transposed "xf32\n"                                        \
    "  %l = reshape(%a) : " to "xf32\n  %b = reshape(%l) : 2x2x6xf32\n"                            \
    "  %c = layer_norm(%b, %g, %o) epsilon=0.5 : 2x2x6xf32\n"                                      \
    "  %r = reshape(%c) : " to "xf32\n  return %r\n}\n"

/* GroupNorm of several groups, with channels first: means of channels, averaged. */
static void groups_of_channels_are_normalised_before(void **state) {
    static const char text[] =
        "graph g(%%0: 2x2x3x6xf32) {\n"
        "  %%g = constant() data=[2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2] : 12xf32\n"
        "  %%o = constant() data=[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] : 12xf32\n"
        "  %%a = transpose(%%0) permutation=[%s] : 2x6x%sxf32\n"
        "  %%b = reshape(%%a) : 2x3x12xf32\n"
        "  %%c = layer_norm(%%b, %%g, %%o) epsilon=0.5 : 2x3x12xf32\n"
        "  %%r = reshape(%%c) : 2x6x%sxf32\n  return %%r\n}\n";
    struct weft_arena *arena = *state;
    const struct weft_graph *graph =
        graph_of(arena, weft_arena_print(arena, text, "0, 3, 1, 2", "2x3", "2x3"));
    const struct weft_graph *made = weft_pass_sink_past_norms(graph);
    assert_int_equal(made->outputs[0]->producer->op, WEFT_OP_TRANSPOSE);
    assert_int_equal(count_of(weft_pass_remove_unused(made), WEFT_OP_LAYER_NORM), 0);
    assert_int_equal(count_of(made, WEFT_OP_DENSE), 4);
    assert_near_results(graph, made);
    /* one group, of pictures and of lines */
    graph = graph_of(arena, "graph g(%0: 2x2x3x4xf32) {\n"
                            "  %g = constant() data=[2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, "
                            "2, 2, 2, 2, 2, 2, 2, 2, 2] : 24xf32\n"
                            "  %o = constant() data=[3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, "
                            "3, 3, 3, 3, 3, 3, 3, 3, 3] : 24xf32\n"
                            "  %a = transpose(%0) permutation=[0, 3, 1, 2] : 2x4x2x3xf32\n"
                            "  %b = reshape(%a) : 2x1x24xf32\n"
                            "  %c = layer_norm(%b, %g, %o) epsilon=0.5 : 2x1x24xf32\n"
                            "  %r = reshape(%c) : 2x4x2x3xf32\n  return %r\n}\n");
    made = weft_pass_sink_past_norms(graph);
    assert_int_equal(made->outputs[0]->producer->op, WEFT_OP_TRANSPOSE);
    assert_int_equal(count_of(weft_pass_remove_unused(made), WEFT_OP_LAYER_NORM), 0);
    assert_near_results(graph, made);
    graph = graph_of(arena, GROUPS_OF_SIX("2x1x3x4", "[0, 3, 1, 2] : 2x4x1x3", "2x4x3"));
    made = weft_pass_sink_past_norms(graph);
    assert_int_equal(made->outputs[0]->producer->op, WEFT_OP_RESHAPE);
    assert_int_equal(made->outputs[0]->producer->inputs[0]->producer->op, WEFT_OP_TRANSPOSE);
    assert_near_results(graph, made);
    graph = graph_of(arena, GROUPS_OF_SIX("2x3x4", "[0, 2, 1] : 2x4x3", "2x4x1x3"));
    made = weft_pass_sink_past_norms(graph);
    assert_int_equal(count_of(weft_pass_remove_unused(made), WEFT_OP_LAYER_NORM), 0);
    assert_near_results(graph, made);
    /* which is another order of axes */
    graph = graph_of(arena, GROUPS_OF_SIX("2x3x4", "[0, 2, 1] : 2x4x3", "2x3x4"));
    assert_int_equal(count_of(weft_pass_sink_past_norms(graph), WEFT_OP_LAYER_NORM), 1);
    /* groups of one channel */
    graph = graph_of(arena, "graph g(%0: 1x2x3x4xf32) {\n"
                            "  %g = constant() data=[1, 1, 1, 1, 1, 1] : 6xf32\n"
                            "  %o = constant() data=[0, 0, 0, 0, 0, 0] : 6xf32\n"
                            "  %a = transpose(%0) permutation=[0, 3, 1, 2] : 1x4x2x3xf32\n"
                            "  %b = reshape(%a) : 1x4x6xf32\n"
                            "  %c = layer_norm(%b, %g, %o) epsilon=0.5 : 1x4x6xf32\n"
                            "  %r = reshape(%c) : 1x4x2x3xf32\n  return %r\n}\n");
    made = weft_pass_sink_past_norms(graph);
    assert_int_equal(count_of(made, WEFT_OP_DENSE), 0);
    assert_int_equal(made->outputs[0]->producer->op, WEFT_OP_TRANSPOSE);
    assert_near_results(graph, made);
    /* columns before rows: another order of the elements of a channel */
    graph = graph_of(arena, weft_arena_print(arena, text, "0, 3, 2, 1", "3x2", "3x2"));
    assert_int_equal(weft_pass_sink_past_norms(graph)->outputs[0]->producer->op, WEFT_OP_RESHAPE);
}

static void interpolations_are_made_before(void **state) {
    assert_pass(*state, weft_pass_sink_transposes,
                G("1x4x3x2xf32",
                  "  %a = transpose(%0) permutation=[0, 3, 1, 2] : 1x2x4x3xf32\n"
                  "  %r = interpolate_axis(%a) axis=3 elements=[0, 1] fractions=[7, 8] : "
                  "1x2x4x2xf32\n",
                  "%r"),
                G("1x4x3x2xf32",
                  "  %made0 = interpolate_axis(%0) axis=2 elements=[0, 1] fractions=[7, 8] : "
                  "1x4x2x2xf32\n"
                  "  %r = transpose(%made0) permutation=[0, 3, 1, 2] : 1x2x4x2xf32\n",
                  "%r"));
}

/* Channels become the pixels of a block, and the other way round, also where the first axis went.
 */
static void parts_of_axes_move_before(void **state) {
    assert_pass(*state, weft_pass_sink_transposes,
                G("1x2x3x8xf32",
                  "  %a = transpose(%0) permutation=[0, 3, 1, 2] : 1x8x2x3xf32\n"
                  "  %b = reshape(%a) : 1x2x2x2x2x3xf32\n"
                  "  %c = transpose(%b) permutation=[0, 1, 4, 2, 5, 3] : 1x2x2x2x3x2xf32\n"
                  "  %r = reshape(%c) : 1x2x4x6xf32\n",
                  "%r"),
                G("1x2x3x8xf32",
                  "  %made0 = reshape(%0) : 1x2x3x2x2x2xf32\n"
                  "  %made1 = transpose(%made0) permutation=[0, 1, 4, 2, 5, 3] : 1x2x2x3x2x2xf32\n"
                  "  %made2 = reshape(%made1) : 1x4x6x2xf32\n"
                  "  %r = transpose(%made2) permutation=[0, 3, 1, 2] : 1x2x4x6xf32\n",
                  "%r"));
    assert_pass(*state, weft_pass_sink_transposes,
                G("1x4x6x2xf32",
                  "  %a = transpose(%0) permutation=[0, 3, 1, 2] : 1x2x4x6xf32\n"
                  "  %b = reshape(%a) : 2x2x2x3x2xf32\n"
                  "  %c = transpose(%b) permutation=[2, 4, 0, 1, 3] : 2x2x2x2x3xf32\n"
                  "  %r = reshape(%c) : 1x8x2x3xf32\n",
                  "%r"),
                G("1x4x6x2xf32",
                  "  %made0 = reshape(%0) : 2x2x3x2x2xf32\n"
                  "  %made1 = transpose(%made0) permutation=[0, 2, 1, 3, 4] : 2x3x2x2x2xf32\n"
                  "  %made2 = reshape(%made1) : 1x2x3x8xf32\n"
                  "  %r = transpose(%made2) permutation=[0, 3, 1, 2] : 1x8x2x3xf32\n",
                  "%r"));
    /* What has parts of two axes is no part of one. */
    assert_stays(*state, weft_pass_sink_transposes,
                 G("1x2x3x8xf32",
                   "  %a = transpose(%0) permutation=[0, 3, 1, 2] : 1x8x2x3xf32\n"
                   "  %b = reshape(%a) : 4x4x3xf32\n"
                   "  %c = transpose(%b) permutation=[1, 0, 2] : 4x4x3xf32\n"
                   "  %r = reshape(%c) : 1x8x2x3xf32\n",
                   "%r"));
}

/* For quantising: networks of one dimension have reshapes between products and clips. */
static void reshapes_come_behind_functions(void **state) {
    static const char text[] = G("6x4xf32",
                                 "  %a = exp(%0) : 6x4xf32\n  %b = reshape(%0) : 2x3x4xf32\n"
                                 "  %c = reshape(%a) : 2x3x4xf32\n  %d = relu(%b) : 2x3x4xf32\n"
                                 "  %r = add(%d, %c) : 2x3x4xf32\n",
                                 "%r");
    assert_pass(*state, weft_pass_sink_past_norms, text,
                G("6x4xf32",
                  "  %a = exp(%0) : 6x4xf32\n  %made0 = relu(%0) : 6x4xf32\n"
                  "  %made1 = add(%made0, %a) : 6x4xf32\n  %r = reshape(%made1) : 2x3x4xf32\n",
                  "%r"));
    assert_stays(*state, weft_pass_sink_transposes, text);
    /* and a number: x / (1 + |x|) behind a dense product */
    assert_pass(*state, weft_pass_sink_past_norms,
                G("6x4xf32",
                  "  %b = reshape(%0) : 2x3x4xf32\n  %c = abs(%b) : 2x3x4xf32\n"
                  "  %one = constant() data=[1] : 1x1x1xf32\n"
                  "  %d = add(%one, %c) : 2x3x4xf32\n  %r = divide(%b, %d) : 2x3x4xf32\n",
                  "%r"),
                G("6x4xf32",
                  "  %made0 = abs(%0) : 6x4xf32\n"
                  "  %made1 = constant() data=[1] : f32\n"
                  "  %made2 = add(%made1, %made0) : 6x4xf32\n"
                  "  %made3 = divide(%0, %made2) : 6x4xf32\n"
                  "  %r = reshape(%made3) : 2x3x4xf32\n",
                  "%r"));
    /* of another shape each */
    assert_stays(*state, weft_pass_sink_past_norms,
                 G("6x4xf32",
                   "  %a = softmax(%0) beta=1 : 6x4xf32\n  %b = reshape(%a) : 4x6xf32\n"
                   "  %c = softmax(%b) beta=1 : 4x6xf32\n  %d = reshape(%c) : 2x3x4xf32\n"
                   "  %e = reshape(%a) : 2x3x4xf32\n  %r = add(%d, %e) : 2x3x4xf32\n",
                   "%r"));
}

/* A sum of an input with channels first and what a product made of it. */
static void inputs_are_turned_for_sums(void **state) {
    static const char text[] =
        G("1x3x4xf32",
          "  %a = transpose(%0) permutation=[0, 2, 1] : 1x4x3xf32\n  %b = exp(%a) : 1x4x3xf32\n"
          "  %c = softmax(%b) beta=1 : 1x4x3xf32\n"
          "  %d = transpose(%c) permutation=[0, 2, 1] : 1x3x4xf32\n"
          "  %r = add(%0, %d) : 1x3x4xf32\n",
          "%r");
    const struct weft_graph *graph = graph_of(*state, text);
    const struct weft_graph *made = weft_pass_merge_common(weft_pass_sink_past_norms(graph));
    made = weft_pass_remove_unused(made);
    assert_int_equal(made->outputs[0]->producer->op, WEFT_OP_TRANSPOSE);
    assert_int_equal(made->outputs[0]->producer->inputs[0]->producer->op, WEFT_OP_ADD);
    assert_same_results(graph, made);
}

/* What the graph becomes, without what nothing uses. */
static const struct weft_graph *sunk(const struct weft_graph *graph) {
    const struct weft_graph *made = weft_pass_merge_common(weft_pass_sink_transposes(graph));
    return weft_pass_remove_unused(made);
}

/* A block of DenseNet: what products made and the picture, which is turned for them already, though
 * it is larger. */
static void inputs_are_turned_for_concatenations(void **state) {
    static const char text[] =
        "graph g(%0: 1x5x2x2xf32) {\n"
        "  %a = transpose(%0) permutation=[0, 2, 3, 1] : 1x2x2x5xf32\n"
        "  %b = softmax(%a) beta=1 : 1x2x2x5xf32\n"
        "  %c = strided_slice(%b) begin=[0, 0, 0, 1] steps=[1, 1, 1, 1] sizes=[1, 2, 2, 3] : "
        "1x2x2x3xf32\n"
        "  %d = transpose(%c) permutation=[0, 3, 1, 2] : 1x3x2x2xf32\n"
        "  %k = constant() data=[1, 2, 3, 4] : 1x1x2x2xf32\n"
        "  %e = concatenate(%0, %d, %k) axis=1 : 1x9x2x2xf32\n"
        "  %f = transpose(%e) permutation=[0, 2, 3, 1] : 1x2x2x9xf32\n"
        "  %r = softmax(%f) beta=1 : 1x2x2x9xf32\n  return %r\n}\n";
    const struct weft_graph *graph = graph_of(*state, text);
    const struct weft_graph *made = weft_pass_simplify_moves(weft_pass_fold_constants(sunk(graph)));
    assert_int_equal(count_of(weft_pass_remove_unused(made), WEFT_OP_TRANSPOSE), 1);
    assert_same_results(graph, made);
}

/* The same of bytes, that have another scale in the concatenation. */
static void bytes_of_inputs_are_turned_for_concatenations(void **state) {
    static const char text[] =
        "graph g(%0: 1x3x2x2xf32) {\n"
        "  %q = qnn.quantize(%0) : 1x3x2x2xi8{0.5, 3}\n"
        "  %a = transpose(%q) permutation=[0, 2, 3, 1] : 1x2x2x3xi8{0.5, 3}\n"
        "  %b = qnn.softmax(%a) beta=1 : 1x2x2x3xi8{0.00390625, -128}\n"
        "  %c = transpose(%b) permutation=[0, 3, 1, 2] : 1x3x2x2xi8{0.00390625, -128}\n"
        "  %d = qnn.requantize(%q) rounding=\"gemmlowp\" : 1x3x2x2xi8{0.00390625, -128}\n"
        "  %r = concatenate(%d, %c) axis=1 : 1x6x2x2xi8{0.00390625, -128}\n  return %r\n}\n";
    const struct weft_graph *graph = graph_of(*state, text);
    const struct weft_graph *made = sunk(graph);
    assert_int_equal(made->outputs[0]->producer->op, WEFT_OP_TRANSPOSE);
    assert_int_equal(count_of(made, WEFT_OP_TRANSPOSE), 2);
    assert_same_results(graph, made);
    /* nothing is to be done where they are */
    assert_stays(*state, weft_pass_sink_transposes,
                 "graph g(%0: 1x3x2x2xf32) {\n"
                 "  %q = qnn.quantize(%0) : 1x3x2x2xi8{0.5, 3}\n"
                 "  %a = transpose(%q) permutation=[0, 2, 3, 1] : 1x2x2x3xi8{0.5, 3}\n"
                 "  %w = constant() data=[1, 2, 3] : 1x1x1x3xi8{1, 0}\n"
                 "  %b = qnn.conv2d(%a, %w) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] "
                 "groups=1 : 1x2x2x1xi32{0.5, 0}\n"
                 "  %c = qnn.requantize(%b) rounding=\"gemmlowp\" : 1x2x2x1xi8{0.25, 1}\n"
                 "  %d = qnn.requantize(%a) rounding=\"gemmlowp\" : 1x2x2x3xi8{0.25, 1}\n"
                 "  %r = concatenate(%d, %c) axis=3 : 1x2x2x4xi8{0.25, 1}\n  return %r\n}\n");
}

/* Rows, then columns, of either kind of places. */
static void resizes_are_interpolated(void **state) {
    static const char *const modes[] = {"align_corners=0 half_pixel_centers=0",
                                        "align_corners=0 half_pixel_centers=1",
                                        "align_corners=1 half_pixel_centers=0"};
    static const char *const sizes[] = {"[6, 3]", "[2, 8]", "[1, 1]", "[17, 31]"};
    static const char *const shapes[] = {"1x6x3x2", "1x2x8x2", "1x1x1x2", "1x17x31x2"};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            const struct weft_graph *graph = graph_of(
                *state, weft_arena_print(*state,
                                         "graph g(%%0: 1x4x5x2xf32) {\n"
                                         "  %%r = resize_bilinear(%%0) size=%s %s : %sxf32\n"
                                         "  return %%r\n}\n",
                                         sizes[k], modes[i], shapes[k]));
            const struct weft_graph *made = weft_pass_expand_resize(graph);
            assert_int_equal(count_of(made, WEFT_OP_INTERPOLATE_AXIS), 2);
            assert_near_results(graph, made);
        }
    }
    assert_stays(*state, weft_pass_expand_resize,
                 "graph g(%0: 1x2x2x1xi8{1, 0}) {\n"
                 "  %r = resize_bilinear(%0) size=[3, 3] align_corners=0 half_pixel_centers=0 : "
                 "1x3x3x1xi8{1, 0}\n  return %r\n}\n");
}

/* Attention with channels first: its values come as [D, T]. */
static void values_are_mixed_before(void **state) {
    static const char text[] =
        "graph g(%0: 1x5x3xf32, %1: 1x4x5xf32) {\n"
        "  %a = transpose(%0) permutation=[0, 2, 1] : 1x3x5xf32\n"
        "  %r = batch_matmul(%a, %1) transpose_a=0 transpose_b=1 : 1x3x4xf32\n"
        "  return %r\n}\n";
    static const char after[] =
        "graph g(%0: 1x5x3xf32, %1: 1x4x5xf32) {\n"
        "  %made0 = batch_matmul(%1, %0) transpose_a=0 transpose_b=0 : 1x4x3xf32\n"
        "  %r = transpose(%made0) permutation=[0, 2, 1] : 1x3x4xf32\n"
        "  return %r\n}\n";
    assert_pass(*state, weft_pass_sink_past_norms, text, after);
    assert_stays(*state, weft_pass_sink_transposes, text);
}

static void axes_are_renamed(void **state) {
    assert_floats(*state, TURN("a", "%0") "  %r = concatenate(%a, %a) axis=1 : 1x6x2x2xf32\n",
                  "  %made0 = concatenate(%0, %0) axis=3 : 1x2x2x6xf32\n"
                  "  %r = transpose(%made0) permutation=[0, 3, 1, 2] : 1x6x2x2xf32\n");
    assert_floats(*state,
                  TURN("a", "%0") "  %r = pad(%a) pads=[0, 0, 0, 0, 1, 2, 0, 3] : 1x3x5x5xf32\n",
                  "  %made0 = pad(%0) pads=[0, 0, 1, 2, 0, 3, 0, 0] : 1x5x5x3xf32\n"
                  "  %r = transpose(%made0) permutation=[0, 3, 1, 2] : 1x3x5x5xf32\n");
    assert_floats(
        *state,
        TURN(
            "a",
            "%0") "  %r = strided_slice(%a) begin=[0, 2, 0, 1] steps=[1, -1, 1, 1] sizes=[1, 2, 2, "
                  "1] : 1x2x2x1xf32\n",
        "  %made0 = strided_slice(%0) begin=[0, 0, 1, 2] steps=[1, 1, 1, -1] sizes=[1, 2, 1, 2] : "
        "1x2x1x2xf32\n"
        "  %r = transpose(%made0) permutation=[0, 3, 1, 2] : 1x2x2x1xf32\n");
    assert_floats(*state,
                  TURN("a", "%0") "  %k = constant() data=[1, 0, 1] : 3xi64\n"
                                  "  %r = gather(%a, %k) axis=3 batch_dims=0 : 1x3x2x3xf32\n",
                  "  %k = constant() data=[1, 0, 1] : 3xi64\n"
                  "  %made0 = gather(%0, %k) axis=2 batch_dims=0 : 1x2x3x3xf32\n"
                  "  %r = transpose(%made0) permutation=[0, 3, 1, 2] : 1x3x2x3xf32\n");
    assert_floats(*state, TURN("a", "%0") "  %r = mean(%a) axes=[2, 3] keep_dims=1 : 1x3x1x1xf32\n",
                  "  %made0 = mean(%0) axes=[1, 2] keep_dims=1 : 1x1x1x3xf32\n"
                  "  %r = transpose(%made0) permutation=[0, 3, 1, 2] : 1x3x1x1xf32\n");
    assert_floats(*state,
                  TURN("a", "%0") "  %r = reduce_max(%a) axes=[3] keep_dims=0 : 1x3x2xf32\n",
                  "  %made0 = reduce_max(%0) axes=[2] keep_dims=0 : 1x2x3xf32\n"
                  "  %r = transpose(%made0) permutation=[0, 2, 1] : 1x3x2xf32\n");
}

static void weights_take_transposes(void **state) {
    assert_sinks(*state,
                 G("1x2x3xi8{0.5, 1}",
                   "  %a = transpose(%0) permutation=[0, 2, 1] : 1x3x2xi8{0.5, 1}\n"
                   "  %b = reshape(%a) : 1x6xi8{0.5, 1}\n"
                   "  %w = constant() data=[1, 2, 3, 4, 5, 6] : 1x6xi8{1, 0}\n"
                   "  %c = qnn.dense(%b, %w) : 1x1xi32{0.5, 0}\n",
                   "%c"),
                 G("1x2x3xi8{0.5, 1}",
                   "  %w = constant() data=[1, 2, 3, 4, 5, 6] : 1x6xi8{1, 0}\n"
                   "  %made0 = reshape(%0) : 1x6xi8{0.5, 1}\n"
                   "  %made1 = reshape(%w) : 1x3x2xi8{1, 0}\n"
                   "  %made2 = transpose(%made1) permutation=[0, 2, 1] : 1x2x3xi8{1, 0}\n"
                   "  %made3 = reshape(%made2) : 1x6xi8{1, 0}\n"
                   "  %c = qnn.dense(%made0, %made3) : 1x1xi32{0.5, 0}\n",
                   "%c"));
}

static void what_needs_the_order_stays(void **state) {
    static const char *const texts[] = {
        /* another transpose, and an operand of more than one axis */
        G("2x2xf32",
          "  %a = transpose(%0) permutation=[1, 0] : 2x2xf32\n"
          "  %b = add(%a, %0) : 2x2xf32\n",
          "%b"),
        /* sums in another order */
        G("2x3xf32",
          "  %a = transpose(%0) permutation=[1, 0] : 3x2xf32\n"
          "  %b = sum(%a) axes=[0, 1] keep_dims=0 : f32\n",
          "%b"),
        G("2x3xf32",
          "  %a = transpose(%0) permutation=[1, 0] : 3x2xf32\n"
          "  %b = softmax(%a) beta=1 : 3x2xf32\n",
          "%b"),
        /* more elements of an input than are transposed, and what is neither */
        "graph g(%0: 1x3xf32, %1: 4x1xf32) {\n"
        "  %a = transpose(%0) permutation=[1, 0] : 3x1xf32\n"
        "  %b = concatenate(%1, %a) axis=0 : 7x1xf32\n  return %b\n}\n",
        "graph g(%0: 2x3xf32, %1: 3x2xf32) {\n"
        "  %a = transpose(%0) permutation=[1, 0] : 3x2xf32\n"
        "  %b = softmax(%1) beta=1 : 3x2xf32\n"
        "  %c = concatenate(%a, %b) axis=1 : 3x4xf32\n  return %c\n}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_stays(*state, weft_pass_sink_transposes, texts[i]);
    }
}

/* More operands than a match can hold. */
static void long_concatenations_let_transposes_through(void **state) {
    enum {
        OPERANDS = 100
    };
    struct weft_arena *arena = *state;
    const char *nodes = "";
    const char *list = "";
    for (int i = 0; i < OPERANDS; i++) {
        nodes = weft_arena_print(
            arena, "%s  %%a%d = transpose(%%0) permutation=[0, 3, 1, 2] : 1x2x3x1xi8\n", nodes, i);
        list = weft_arena_print(arena, "%s%s%%a%d", list, i == 0 ? "" : ", ", i);
    }
    const struct weft_graph *before =
        graph_of(arena, weft_arena_print(arena,
                                         "graph g(%%0: 1x3x1x2xi8) {\n%s"
                                         "  %%r = concatenate(%s) axis=1 : 1x%dx3x1xi8\n"
                                         "  return %%r\n}\n",
                                         nodes, list, 2 * OPERANDS));
    const struct weft_graph *after = weft_pass_sink_transposes(before);
    assert_int_equal(count_of(after, WEFT_OP_TRANSPOSE), 1);
    assert_same_results(before, after);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(long_concatenations_let_transposes_through),
        ARENA_TEST(functions_come_before_transposes),
        ARENA_TEST(operands_are_turned_with_them),
        ARENA_TEST(constants_are_turned_with_them),
        ARENA_TEST(axes_are_divided_before),
        ARENA_TEST(whole_images_are_normalised_before),
        ARENA_TEST(groups_of_channels_are_normalised_before),
        ARENA_TEST(interpolations_are_made_before),
        ARENA_TEST(parts_of_axes_move_before),
        ARENA_TEST(reshapes_come_behind_functions),
        ARENA_TEST(inputs_are_turned_for_sums),
        ARENA_TEST(inputs_are_turned_for_concatenations),
        ARENA_TEST(bytes_of_inputs_are_turned_for_concatenations),
        ARENA_TEST(resizes_are_interpolated),
        ARENA_TEST(values_are_mixed_before),
        ARENA_TEST(axes_are_renamed),
        ARENA_TEST(weights_take_transposes),
        ARENA_TEST(what_needs_the_order_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
