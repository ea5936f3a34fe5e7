/* Groups of host operators: which there are, and that they come to the bytes of their operators one
 * by one, on one thread and on several. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compiler/host/group.h"
#include "compiler/host/host.h"
#include "compiler/host/step.h"
#include "tests/unit/graphs.h"

/* ---- which groups there are ---- */

static void assert_groups(struct weft_arena *arena, const char *graph_text, const char *expected) {
    const struct weft_graph *graph = graph_of(arena, graph_text);
    struct weft_host_groups groups;
    struct weft_text text = {0};
    struct weft_error error;
    ASSERT_GOOD(weft_host_groups_find(graph, true, &groups, &error), error);
    weft_host_groups_print(graph, &groups, &text);
    ASSERT_GOOD(weft_text_finish(&text, &error), error);
    assert_string_equal(text.bytes, expected);
    weft_text_free(&text);
    weft_host_groups_free(&groups);
    ASSERT_GOOD(weft_host_groups_find(graph, false, &groups, &error), error);
    for (uint32_t i = 0; i < groups.count; i++) {
        assert_int_equal(groups.last[i], i);
        assert_int_equal(groups.size[i], 1);
    }
    weft_host_groups_free(&groups);
}

#define CONV(result, input)                                                                        \
    "%" result " = conv2d(%" input ", %w) strides=[1, 1] padding=[1, 1, 1, 1] dilation=[1, 1] "    \
    "groups=1 : 1x8x8x8xf32\n"
#define OPERANDS "%x: 1x8x8x8xf32, %w: 8x3x3x8xf32, %b: 8xf32"

static void a_product_takes_what_follows_by_element(void **state) {
    assert_groups(*state,
                  "graph g(" OPERANDS ") {\n" CONV("c", "x") "%d = bias_add(%c, %b) : 1x8x8x8xf32\n"
                                                             "%e = relu(%d) : 1x8x8x8xf32\n" CONV(
                                                                 "f", "e") "return %f }",
                  "conv2d %c, bias_add %d, relu %e\n");
}

/* x * sigmoid(x): both ways from the sum end at the product. */
static void ways_that_meet_again_are_joined(void **state) {
    assert_groups(*state,
                  "graph g(" OPERANDS ") {\n" CONV("c", "x") "%d = bias_add(%c, %b) : 1x8x8x8xf32\n"
                                                             "%e = logistic(%d) : 1x8x8x8xf32\n"
                                                             "%f = mul(%d, %e) : 1x8x8x8xf32\n"
                                                             "return %f }",
                  "conv2d %c, bias_add %d, logistic %e, mul %f\n");
}

static void a_sum_belongs_to_one_of_its_products(void **state) {
    assert_groups(*state,
                  "graph g(" OPERANDS ") {\n" CONV("c", "x")
                      CONV("d", "x") "%e = bias_add(%c, %b) : 1x8x8x8xf32\n"
                                     "%f = bias_add(%d, %b) : 1x8x8x8xf32\n"
                                     "%g = add(%e, %f) : 1x8x8x8xf32\n"
                                     "%h = relu(%g) : 1x8x8x8xf32\n"
                                     "return %h }",
                  "conv2d %d, bias_add %f\n"
                  "conv2d %c, bias_add %e, add %g, relu %h\n");
}

static void what_is_used_elsewhere_ends_a_group(void **state) {
    assert_groups(*state,
                  "graph g(" OPERANDS ") {\n" CONV("c", "x") "%d = bias_add(%c, %b) : 1x8x8x8xf32\n"
                                                             "%e = relu(%d) : 1x8x8x8xf32\n"
                                                             "%f = exp(%e) : 1x8x8x8xf32\n"
                                                             "return %d, %f }",
                  "conv2d %c, bias_add %d\nrelu %e, exp %f\n");
    assert_groups(*state,
                  "graph g(" OPERANDS ") {\n"
                  "%d = relu(%x) : 1x8x8x8xf32\n" CONV(
                      "e", "d") "%f = add(%d, %e) : 1x8x8x8xf32\nreturn %f }",
                  "conv2d %e, add %f\n");
}

/* A reduction of the last axis ends a group that has no product. */
static void a_reduction_ends_a_group(void **state) {
    assert_groups(*state,
                  "graph g(%x: 2x3x8xf32) {\n"
                  "%c = square(%x) : 2x3x8xf32\n"
                  "%d = sum(%c) axes=[2] keep_dims=1 : 2x3x1xf32\n"
                  "%e = sqrt(%d) : 2x3x1xf32\n"
                  "%f = exp(%e) : 2x3x1xf32\n"
                  "return %f }",
                  "square %c, sum %d\nsqrt %e, exp %f\n");
    assert_groups(*state,
                  "graph g(" OPERANDS
                  ") {\n" CONV("c", "x") "%d = relu(%c) : 1x8x8x8xf32\n"
                                         "%e = mean(%d) axes=[3] keep_dims=0 : 1x8x8xf32\n"
                                         "return %e }",
                  "conv2d %c, relu %d\n");
    assert_groups(*state,
                  "graph g(%x: 2x3x8xf32) {\n"
                  "%c = square(%x) : 2x3x8xf32\n"
                  "%d = sum(%c) axes=[1] keep_dims=0 : 2x8xf32\n"
                  "return %d }",
                  "");
}

static void what_moves_elements_or_is_opaque_is_alone(void **state) {
    assert_groups(*state,
                  "graph g(%x: 4x6xf32, %y: 6x1xf32) {\n"
                  "%c = relu(%x) : 4x6xf32\n"
                  "%d = softmax(%c) beta=1 : 4x6xf32\n"
                  "%e = transpose(%d) permutation=[1, 0] : 6x4xf32\n"
                  "%f = relu(%e) : 6x4xf32\n"
                  "%g = add(%f, %y) : 6x4xf32\n"
                  "return %g }",
                  "");
}

/* Sums of integers are joined like those of floats; quantised tensors are not. */
static void types_decide_too(void **state) {
    assert_groups(*state,
                  "graph g(%x: 4x6xi32, %y: 4x6xi8{1, 0}) {\n"
                  "%c = add(%x, %x) : 4x6xi32\n"
                  "%d = negate(%c) : 4x6xi32\n"
                  "%e = negate(%y) : 4x6xi8{1, 0}\n"
                  "%f = negate(%e) : 4x6xi8{1, 0}\n"
                  "return %d, %f }",
                  "add %c, negate %d\n");
}

/* ---- what they come to ---- */

/* Carries a graph out group by group. */
static void run_groups(const struct weft_graph *graph, const void *const *inputs, unsigned threads,
                       bool is_kept, uint64_t room, void **outputs) {
    struct weft_arena *arena = graph->arena;
    struct weft_map *tensors = weft_map_new(arena);
    struct weft_host_groups groups;
    struct weft_error error;
    struct weft_team *team = weft_team_open(threads);
    const struct weft_host_step_options options = {team, is_kept, room};
    ASSERT_GOOD(weft_host_groups_find(graph, true, &groups, &error), error);
    for (size_t i = 0; i < graph->input_count; i++) {
        weft_map_set(tensors, graph->inputs[i], (void *)(uintptr_t)inputs[i]);
    }
    for (uint32_t last = 0; last < graph->node_count; last++) {
        struct weft_node *nodes[64];
        const void *operands[256];
        uint32_t count = 0;
        struct weft_host_step *step = NULL;
        struct weft_value *result = graph->nodes[last]->results[0];
        if (graph->nodes[last]->op == WEFT_OP_CONSTANT) {
            weft_map_set(tensors, result, (void *)(uintptr_t)weft_value_data(result));
            continue;
        }
        for (uint32_t i = 0; i <= last; i++) {
            if (groups.last[i] == last) {
                nodes[count++] = graph->nodes[i];
            }
        }
        if (groups.last[last] != last) {
            continue;
        }
        ASSERT_GOOD(weft_host_step_open(nodes, count, &options, &step, &error), error);
        assert_true(weft_host_step_memory(step) > 0);
        for (uint32_t i = 0; i < weft_host_step_operands(step); i++) {
            operands[i] = weft_map_get(tensors, weft_host_step_operand(step, i));
            assert_non_null(operands[i]);
        }
        void *bytes = weft_arena_allocate(arena, weft_type_bytes(&result->type), 1);
        void *scratch = malloc(weft_host_step_scratch(step) + 1);
        assert_non_null(scratch);
        ASSERT_GOOD(weft_host_step_run(step, operands, &bytes, NULL, scratch, &error), error);
        weft_map_set(tensors, result, bytes);
        free(scratch);
        weft_host_step_close(step);
    }
    for (size_t i = 0; i < graph->output_count; i++) {
        memcpy(outputs[i], weft_map_get(tensors, graph->outputs[i]),
               weft_type_bytes(&graph->outputs[i]->type));
    }
    weft_host_groups_free(&groups);
    weft_team_close(team);
}

/* Floats that are moderate, of each input of a graph. */
static const void **float_inputs(const struct weft_graph *graph, uint64_t *seed) {
    const void **inputs = weft_arena_allocate(graph->arena, graph->input_count, sizeof *inputs);
    for (size_t i = 0; i < graph->input_count; i++) {
        int64_t count = weft_type_elements(&graph->inputs[i]->type);
        float *floats = weft_arena_allocate(graph->arena, (size_t)count, sizeof *floats);
        for (int64_t k = 0; k < count; k++) {
            floats[k] = (float)random_in(seed, -500, 500) / 256.0F;
        }
        inputs[i] = floats;
    }
    return inputs;
}

/* A random head, whose result is `shape`; its operands are %a and %w. */
static void add_head(struct weft_text *inputs, struct weft_text *nodes, char shape[64],
                     int64_t *columns, uint64_t *seed) {
    int64_t rows = random_in(seed, 1, 70);
    int64_t depth = random_in(seed, 1, 40);
    *columns = random_in(seed, 1, random_once_in(seed, 3) ? 1200 : 90);
    switch (random_in(seed, 0, 4)) {
    case 0:
        (void)snprintf(shape, 64, "%dx%d", (int)rows, (int)*columns);
        weft_text_add(inputs, "%%a: %dx%dxf32, %%w: %dx%dxf32", (int)rows, (int)depth,
                      (int)*columns, (int)depth);
        weft_text_add(nodes, "%%h = dense(%%a, %%w) : %sxf32\n", shape);
        break;
    case 1: {
        int batches = (int)random_in(seed, 1, 3);
        (void)snprintf(shape, 64, "%dx%dx%d", batches, (int)rows, (int)*columns);
        weft_text_add(inputs, "%%a: %dx%dx%dxf32, %%w: %dx%dx%dxf32", batches, (int)rows,
                      (int)depth, random_once_in(seed, 2) ? 1 : batches, (int)depth, (int)*columns);
        weft_text_add(nodes, "%%h = batch_matmul(%%a, %%w) transpose_a=0 transpose_b=0 : %sxf32\n",
                      shape);
        break;
    }
    case 2: {
        int size = (int)random_in(seed, 2, 12);
        int groups = random_once_in(seed, 2) ? (int)*columns : 1;
        int channels = groups > 1 ? 1 : (int)random_in(seed, 1, 9);
        (void)snprintf(shape, 64, "1x%dx%dx%d", size, size, (int)*columns);
        weft_text_add(inputs, "%%a: 1x%dx%dx%dxf32, %%w: %dx3x3x%dxf32", size, size,
                      channels * groups, (int)*columns, channels);
        weft_text_add(nodes,
                      "%%h = conv2d(%%a, %%w) strides=[1, 1] padding=[1, 1, 1, 1] dilation=[1, 1] "
                      "groups=%d : %sxf32\n",
                      groups, shape);
        break;
    }
    default:
        (void)snprintf(shape, 64, "%dx%dx%d", (int)rows, (int)depth, (int)*columns);
        weft_text_add(inputs, "%%a: %sxf32, %%w: 1xf32", shape);
        weft_text_add(nodes, "%%h = mul(%%a, %%w) : %sxf32\n", shape);
        break;
    }
}

/* A few operators by element behind it, and perhaps a reduction. */
static void add_tail(struct weft_text *inputs, struct weft_text *nodes, const char *shape,
                     int64_t columns, uint64_t *seed) {
    static const char *const unary[] = {"relu", "logistic", "abs", "hard_swish", "tanh", "square"};
    static const char *const binary[] = {"add", "mul", "subtract", "maximum", "divide", "prelu"};
    int count = (int)random_in(seed, 1, 6);
    for (int i = 0; i < count; i++) {
        char last[8];
        char earlier[8];
        (void)snprintf(last, sizeof last, i == 0 ? "h" : "t%d", i - 1);
        const char *form = random_once_in(seed, 2) ? "t%d" : "h";
        (void)snprintf(earlier, sizeof earlier, form, (int)random_in(seed, 0, i < 2 ? 0 : i - 2));
        if (random_once_in(seed, 2)) {
            weft_text_add(nodes, "%%t%d = %s(%%%s) : %sxf32\n", i, unary[random_in(seed, 0, 5)],
                          last, shape);
            continue;
        }
        const char *op = binary[random_in(seed, 0, 5)];
        if (random_once_in(seed, 4) && i > 1) {
            weft_text_add(nodes, "%%t%d = %s(%%%s, %%%s) : %sxf32\n", i, op, earlier, last, shape);
            continue;
        }
        char operand[64];
        (void)snprintf(operand, sizeof operand, "%d", random_once_in(seed, 3) ? 1 : (int)columns);
        weft_text_add(inputs, ", %%o%d: %sxf32", i, random_once_in(seed, 2) ? shape : operand);
        weft_text_add(nodes, "%%t%d = %s(%%%s, %%o%d) : %sxf32\n", i, op, last, i, shape);
    }
    weft_text_add(nodes, "return %%t%d }", count - 1);
}

static const struct weft_graph *random_tail(struct weft_arena *arena, uint64_t *seed) {
    struct weft_text inputs = {0};
    struct weft_text nodes = {0};
    struct weft_text text = {0};
    char shape[64];
    int64_t columns = 0;
    add_head(&inputs, &nodes, shape, &columns, seed);
    add_tail(&inputs, &nodes, shape, columns, seed);
    weft_text_add(&text, "graph g(%s) {\n%s", inputs.bytes, nodes.bytes);
    const struct weft_graph *graph = graph_of(arena, text.bytes);
    weft_text_free(&inputs);
    weft_text_free(&nodes);
    weft_text_free(&text);
    return graph;
}

static void groups_come_to_the_same_bytes(void **state) {
    uint64_t seed = 7;
    size_t joined = 0;
    for (int i = 0; i < 150; i++) {
        const struct weft_graph *graph = random_tail(*state, &seed);
        const void **inputs = float_inputs(graph, &seed);
        void **expected = host_outputs(graph, inputs);
        size_t bytes = weft_type_bytes(&graph->outputs[0]->type);
        struct weft_host_groups groups;
        struct weft_error error;
        for (unsigned threads = 1; threads < 6; threads += 2) {
            void **got = output_room(graph);
            run_groups(graph, inputs, threads, false, random_once_in(&seed, 5) ? 0 : UINT64_MAX,
                       got);
            assert_memory_equal(got[0], expected[0], bytes);
        }
        ASSERT_GOOD(weft_host_groups_find(graph, true, &groups, &error), error);
        joined += groups.size[graph->node_count - 1] > 1 ? 1 : 0;
        weft_host_groups_free(&groups);
    }
    assert_true(joined > 100);
}

/* Weights of a constant are packed once; those that are not finite leave the product to its
 * kernel. */
static void constant_weights_are_kept(void **state) {
    const struct weft_graph *graph =
        graph_of(*state, "graph g(%x: 1x8x8x8xf32, %y: 8xf32) {\n"
                         "%z = constant() data=[1, -2, 3, 4, 5, 6, 7, 8] : 8x1x1x1xf32\n"
                         "%u = constant() data=[1, -2, 3, 4, 5, 6, 7, 8] : 8xf32\n"
                         "%w = constant() data=[inf, -2, 3, 4, 5, 6, 7, 8] : 8x1x1x1xf32\n"
                         "%t = tile(%z) multiples=[1, 9, 9, 8] : 8x9x9x8xf32\n"
                         "%c = conv2d(%x, %t) strides=[1, 1] padding=[4, 4, 4, 4] dilation=[1, 1] "
                         "groups=1 : 1x8x8x8xf32\n"
                         "%d = bias_add(%c, %u) : 1x8x8x8xf32\n"
                         "%e = conv2d(%d, %w) strides=[1, 1] padding=[1, 1, 1, 1] dilation=[1, 1] "
                         "groups=8 : 1x10x10x8xf32\n"
                         "%f = bias_add(%e, %y) : 1x10x10x8xf32\n"
                         "return %f }");
    uint64_t seed = 3;
    const void **inputs = float_inputs(graph, &seed);
    void **expected = host_outputs(graph, inputs);
    void **got = output_room(graph);
    for (unsigned threads = 1; threads < 4; threads++) {
        run_groups(graph, inputs, threads, true, UINT64_MAX, got);
        assert_memory_equal(got[0], expected[0], weft_type_bytes(&graph->outputs[0]->type));
    }
}

/* What a kernel finds in the elements is said of the operator that it is. */
static void operators_inside_can_fail(void **state) {
    const struct weft_graph *graph = graph_of(*state, "graph g(%x: 4xi32, %y: 4xi32) {\n"
                                                      "%c = negate(%x) : 4xi32\n"
                                                      "%d = divide(%c, %y) : 4xi32\n"
                                                      "%e = negate(%d) : 4xi32\n"
                                                      "return %e }");
    const int32_t x[4] = {6, 7, 8, 9};
    int32_t y[4] = {2, 7, 4, 3};
    const int32_t expected[4] = {3, 1, 2, 3};
    int32_t got[4] = {0};
    const void *operands[2] = {x, y};
    const struct weft_host_step_options options = {.room = UINT64_MAX};
    struct weft_host_step *step = NULL;
    struct weft_error error;
    ASSERT_GOOD(weft_host_step_open(graph->nodes, 3, &options, &step, &error), error);
    assert_int_equal(weft_host_step_operands(step), 2);
    void *scratch = malloc(weft_host_step_scratch(step) + 1);
    assert_non_null(scratch);
    ASSERT_GOOD(weft_host_step_run(step, operands, (void *[]){got}, NULL, scratch, &error), error);
    assert_memory_equal(got, expected, sizeof expected);
    y[2] = 0;
    ASSERT_FAILS(weft_host_step_run(step, operands, (void *[]){got}, NULL, scratch, &error), error,
                 WEFT_OPERATOR);
    assert_non_null(strstr(error.message, "divide"));
    free(scratch);
    weft_host_step_close(step);
}

/* NaN stays, and high wins over low. */
static void floats_are_clipped(void **state) {
    const float nan = NAN;
    const float x[6] = {-INFINITY, -2, -1, 0.5F, 7, nan};
    const float inside[6] = {-1, -1, -1, 0.5F, 2, nan};
    const float high[6] = {-3, -3, -3, -3, -3, nan};
    assert_host(*state,
                "graph g(%0: 6xf32) { %1 = float.clip(%0) low=-1 high=2 : 6xf32 return %1 }", x,
                NULL, inside);
    assert_host(*state,
                "graph g(%0: 6xf32) { %1 = float.clip(%0) low=-1 high=-3 : 6xf32 return %1 }", x,
                NULL, high);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(a_product_takes_what_follows_by_element),
        ARENA_TEST(ways_that_meet_again_are_joined),
        ARENA_TEST(a_sum_belongs_to_one_of_its_products),
        ARENA_TEST(what_is_used_elsewhere_ends_a_group),
        ARENA_TEST(a_reduction_ends_a_group),
        ARENA_TEST(what_moves_elements_or_is_opaque_is_alone),
        ARENA_TEST(types_decide_too),
        ARENA_TEST(groups_come_to_the_same_bytes),
        ARENA_TEST(constant_weights_are_kept),
        ARENA_TEST(operators_inside_can_fail),
        ARENA_TEST(floats_are_clipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
