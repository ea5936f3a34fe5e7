/* Quantising recurrent operators: their steps make tensors of the same scales, and their sigmoids
 * and tanhs become one table. */
#include "tests/unit/quantize_bench.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum {
    STEPS = 5,
};

/* A recurrent operator of one sigmoid and two tanhs; `factor` is the sums' of the cell's first
 * step, 1 or large. The weights of all steps are one tensor. */
static const char *unrolled(struct weft_arena *arena, const char *cell) {
    struct weft_text text = {0};
    weft_text_add(&text,
                  "graph g(%%x: 5x8xf32, %%h: 1x4xf32, %%c: 1x4xf32) {\n"
                  "  %%w = constant() data=[0.5, -0.25, 0.25, 0.75, -0.5, 0.125, 0.3, 0.1, 0.2, "
                  "-0.4, 0.6, 0.1, 0.7, 0.2, -0.1, 0.4, 0.1, 0.3, -0.2, 0.5, -0.3, 0.6, 0.2, -0.7, "
                  "0.4, 0.1, -0.6, 0.2, 0.3, -0.1, 0.8, 0.25] : 8x4xf32\n"
                  "  %%half = constant() data=[0.5] : f32\n"
                  "  %%cell = constant() data=[%s] : f32\n"
                  "  %%few = constant() data=[0.1] : f32\n"
                  "  %%h0 = mul(%%h, %%few) : 1x4xf32\n"
                  "  %%c0 = mul(%%c, %%few) : 1x4xf32\n",
                  cell);
    for (int i = 1; i <= STEPS; i++) {
        int b = i - 1;
        weft_text_add(&text,
                      "  %%x%d = strided_slice(%%x) begin=[%d, 0] steps=[1, 1] sizes=[1, 8] : "
                      "1x8xf32 @7\n"
                      "  %%d%d = dense(%%h%d, %%w) : 1x8xf32 @7\n"
                      "  %%a%d = add(%%x%d, %%d%d) : 1x8xf32 @7\n"
                      "  %%p%d = strided_slice(%%a%d) begin=[0, 0] steps=[1, 1] sizes=[1, 4] : "
                      "1x4xf32 @7\n"
                      "  %%q%d = strided_slice(%%a%d) begin=[0, 4] steps=[1, 1] sizes=[1, 4] : "
                      "1x4xf32 @7\n"
                      "  %%s%d = logistic(%%p%d) : 1x4xf32 @7\n",
                      i, b, i, b, i, i, i, i, i, i, i, i, i);
        weft_text_add(&text,
                      "  %%r%d = mul(%%q%d, %%half) : 1x4xf32 @7\n"
                      "  %%t%d = tanh(%%r%d) : 1x4xf32 @7\n"
                      "  %%f%d = mul(%%s%d, %%c%d) : 1x4xf32 @7\n"
                      "  %%g%d = mul(%%s%d, %%t%d) : 1x4xf32 @7\n"
                      "  %%c%d = add(%%f%d, %%g%d) : 1x4xf32 @7\n"
                      "  %%m%d = mul(%%c%d, %%cell) : 1x4xf32 @7\n"
                      "  %%u%d = tanh(%%m%d) : 1x4xf32 @7\n"
                      "  %%h%d = mul(%%s%d, %%u%d) : 1x4xf32 @7\n",
                      i, i, i, i, i, i, b, i, i, i, i, i, i, i, i, i, i, i, i, i);
    }
    weft_text_add(&text, "  %%y = concatenate(%%h2, %%h3, %%h4, %%h5) axis=0 : 4x4xf32\n"
                         "  return %%y\n}\n");
    struct weft_error error;
    ASSERT_GOOD(weft_text_finish(&text, &error), error);
    char *copy = WEFT_NEW_ARRAY(arena, text.length + 1, char);
    memcpy(copy, text.bytes, text.length);
    weft_text_free(&text);
    return copy;
}

/* The types of all tensors of bytes that follow at once from nodes of an operator are one type, but
 * those of the first step; there are that many. */
static struct weft_type assert_one_type(const struct weft_graph *graph, enum weft_operator op,
                                        size_t count) {
    size_t first = count / STEPS;
    struct weft_type type = {0};
    size_t found = 0;
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        bool is_of = node->op == op;
        if (node->op == WEFT_OP_QNN_QUANTIZE) {
            is_of = node->inputs[0]->producer != NULL && node->inputs[0]->producer->op == op;
        }
        if (is_of && node->results[0]->type.dtype == WEFT_I8) {
            type = found <= first ? node->results[0]->type : type;
            assert_true(weft_type_equal(&node->results[0]->type, &type));
            found++;
        }
    }
    assert_int_equal(found, count);
    return type;
}

static void assert_scale(const struct weft_type *type, double scale, int32_t zero) {
    assert_true(weft_type_scale(type, 0) >= scale && weft_type_scale(type, 0) <= scale);
    assert_int_equal(weft_type_zero(type, 0), zero);
}

/* What goes into a function of floats, as bytes. */
static const struct weft_type *operand_of(const struct weft_graph *graph, enum weft_operator op,
                                          size_t number) {
    for (size_t i = 0; i < graph->node_count; i++) {
        if (graph->nodes[i]->op != op || number-- > 0) {
            continue;
        }
        const struct weft_value *value = graph->nodes[i]->inputs[0];
        while (value->type.dtype == WEFT_F32) {
            const struct weft_node *node = value->producer;
            value = node->inputs[weft_value_data(node->inputs[0]) != NULL];
        }
        return &value->type;
    }
    fail();
    return NULL;
}

static void steps_have_the_same_scales(void **state) {
    struct bench bench;
    prepare(*state, unrolled(*state, "1"), &bench);
    quantize(*state, &bench);
    const struct weft_graph *graph = bench.quantized->graph;
    struct weft_type sigmoids = assert_one_type(graph, WEFT_OP_LOGISTIC, STEPS);
    struct weft_type tanhs = assert_one_type(graph, WEFT_OP_TANH, 2 * STEPS);
    assert_scale(&sigmoids, 1.0 / 256, -128);
    assert_scale(&tanhs, 1.0 / 128, 0);
    /* The cell's tanh takes half the scale of the gates. */
    const struct weft_type *gate = operand_of(graph, WEFT_OP_LOGISTIC, 1);
    assert_int_equal(weft_type_zero(gate, 0), 0);
    for (size_t i = 1; i < STEPS; i++) {
        assert_true(weft_quantization_equal(&operand_of(graph, WEFT_OP_LOGISTIC, i)->quantization,
                                            &gate->quantization));
        assert_true(weft_quantization_equal(&operand_of(graph, WEFT_OP_TANH, 2 * i)->quantization,
                                            &gate->quantization));
        assert_scale(operand_of(graph, WEFT_OP_TANH, 2 * i + 1), weft_type_scale(gate, 0) / 2, 0);
    }
    assert_true(ratio(&bench, 0) > 25);
}

/* A cell that reaches much further than the gates keeps its own table. */
static void cells_that_reach_far_have_their_own_scale(void **state) {
    struct bench bench;
    prepare(*state, unrolled(*state, "40"), &bench);
    quantize(*state, &bench);
    const struct weft_graph *graph = bench.quantized->graph;
    double gate = weft_type_scale(operand_of(graph, WEFT_OP_LOGISTIC, 1), 0);
    double cell = weft_type_scale(operand_of(graph, WEFT_OP_TANH, 5), 0);
    for (size_t i = 2; i < STEPS; i++) {
        assert_scale(operand_of(graph, WEFT_OP_LOGISTIC, i), gate, 0);
        const struct weft_type *other = operand_of(graph, WEFT_OP_TANH, 2 * i + 1);
        assert_true(weft_type_scale(other, 0) <= cell && weft_type_scale(other, 0) >= cell);
    }
    assert_true(cell < 0.49 * gate || cell > 0.51 * gate);
}

/* Products of the same weights that are operators of their own are no steps. */
static void other_operators_keep_their_scales(void **state) {
    struct bench bench;
    prepare(*state,
            "graph g(%0: 1x4xf32) {\n"
            "  %w = constant() data=[0.5, -0.25, 0.25, 0.75, -0.5, 0.125, 0.3, 0.1, 0.2, -0.4, "
            "0.6, 0.1, 0.7, 0.2, -0.1, 0.4] : 4x4xf32\n"
            "  %a = dense(%0, %w) : 1x4xf32 @1\n"
            "  %b = logistic(%a) : 1x4xf32 @2\n"
            "  %c = dense(%b, %w) : 1x4xf32 @3\n"
            "  %d = logistic(%c) : 1x4xf32 @4\n"
            "  return %d\n}\n",
            &bench);
    quantize(*state, &bench);
    const struct weft_graph *graph = bench.quantized->graph;
    assert_false(weft_quantization_equal(&operand_of(graph, WEFT_OP_LOGISTIC, 0)->quantization,
                                         &operand_of(graph, WEFT_OP_LOGISTIC, 1)->quantization));
}

/* Where a tanh's results are few hundredths, 1 / 128 is too coarse. */
static void small_results_keep_their_scale(void **state) {
    struct bench bench;
    prepare(*state, unrolled(*state, "0.05"), &bench);
    quantize(*state, &bench);
    const struct weft_graph *graph = bench.quantized->graph;
    double least = 1;
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        const struct weft_node *before = node->input_count > 0 ? node->inputs[0]->producer : NULL;
        if (node->op == WEFT_OP_QNN_QUANTIZE && before != NULL && before->op == WEFT_OP_TANH) {
            double scale = weft_type_scale(&node->results[0]->type, 0);
            least = scale < least ? scale : least;
        }
    }
    assert_true(least < 1.0 / 1000);
}

/* Two directions of one operator, whose weights are others. */
static void directions_have_their_own_scales(void **state) {
    struct bench bench;
    prepare(*state,
            "graph g(%0: 1x2xf32) {\n"
            "  %w = constant() data=[0.1, 0.05, 0.05, 0.1] : 2x2xf32\n"
            "  %v = constant() data=[4, 2, 2, 4] : 2x2xf32\n"
            "  %pd1 = dense(%0, %w) : 1x2xf32 @7\n  %ps1 = add(%0, %pd1) : 1x2xf32 @7\n"
            "  %pt1 = add(%0, %ps1) : 1x2xf32 @7\n  %p1 = relu(%pt1) : 1x2xf32 @7\n"
            "  %pd2 = dense(%p1, %w) : 1x2xf32 @7\n  %ps2 = add(%0, %pd2) : 1x2xf32 @7\n"
            "  %pt2 = add(%0, %ps2) : 1x2xf32 @7\n  %p2 = relu(%pt2) : 1x2xf32 @7\n"
            "  %pd3 = dense(%p2, %w) : 1x2xf32 @7\n  %ps3 = add(%0, %pd3) : 1x2xf32 @7\n"
            "  %pt3 = add(%0, %ps3) : 1x2xf32 @7\n  %p3 = relu(%pt3) : 1x2xf32 @7\n"
            "  %pd4 = dense(%p3, %w) : 1x2xf32 @7\n  %ps4 = add(%0, %pd4) : 1x2xf32 @7\n"
            "  %pt4 = add(%0, %ps4) : 1x2xf32 @7\n  %p4 = relu(%pt4) : 1x2xf32 @7\n"
            "  %pd5 = dense(%p4, %w) : 1x2xf32 @7\n  %ps5 = add(%0, %pd5) : 1x2xf32 @7\n"
            "  %pt5 = add(%0, %ps5) : 1x2xf32 @7\n  %p5 = relu(%pt5) : 1x2xf32 @7\n"
            "  %qd1 = dense(%0, %v) : 1x2xf32 @7\n  %qs1 = add(%0, %qd1) : 1x2xf32 @7\n"
            "  %qt1 = add(%0, %qs1) : 1x2xf32 @7\n  %q1 = relu(%qt1) : 1x2xf32 @7\n"
            "  %qd2 = dense(%q1, %v) : 1x2xf32 @7\n  %qs2 = add(%0, %qd2) : 1x2xf32 @7\n"
            "  %qt2 = add(%0, %qs2) : 1x2xf32 @7\n  %q2 = relu(%qt2) : 1x2xf32 @7\n"
            "  %qd3 = dense(%q2, %v) : 1x2xf32 @7\n  %qs3 = add(%0, %qd3) : 1x2xf32 @7\n"
            "  %qt3 = add(%0, %qs3) : 1x2xf32 @7\n  %q3 = relu(%qt3) : 1x2xf32 @7\n"
            "  %qd4 = dense(%q3, %v) : 1x2xf32 @7\n  %qs4 = add(%0, %qd4) : 1x2xf32 @7\n"
            "  %qt4 = add(%0, %qs4) : 1x2xf32 @7\n  %q4 = relu(%qt4) : 1x2xf32 @7\n"
            "  %qd5 = dense(%q4, %v) : 1x2xf32 @7\n  %qs5 = add(%0, %qd5) : 1x2xf32 @7\n"
            "  %qt5 = add(%0, %qs5) : 1x2xf32 @7\n  %q5 = relu(%qt5) : 1x2xf32 @7\n"
            "  %r = add(%p5, %q5) : 1x2xf32\n  return %r\n}\n",
            &bench);
    quantize(*state, &bench);
    const struct weft_graph *graph = bench.quantized->graph;
    const struct weft_node *sum = graph->outputs[0]->producer;
    double scale[2];
    while (sum->op != WEFT_OP_ADD) {
        sum = sum->inputs[0]->producer;
    }
    for (size_t k = 0; k < 2; k++) {
        scale[k] = weft_type_scale(&sum->inputs[k]->producer->inputs[0]->type, 0);
    }
    assert_true(scale[1] > 10 * scale[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(steps_have_the_same_scales),
        ARENA_TEST(cells_that_reach_far_have_their_own_scale),
        ARENA_TEST(directions_have_their_own_scales),
        ARENA_TEST(small_results_keep_their_scale),
        ARENA_TEST(other_operators_keep_their_scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
