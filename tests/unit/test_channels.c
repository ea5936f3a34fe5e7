/* compiler/passes: tables for what follows from one byte, and channels that go, before and after;
 * then random networks with dead channels, which compute the same. */
#include "tests/unit/graphs.h"

#include <string.h>

#include "compiler/passes/passes.h"

/* ---- make_tables ---- */

#define IN "graph g(%0: 2x3xi8{0.5, -3}) {\n"

/* The operators of the graph become one table, whose values are what the host computed before. */
static void assert_table(struct weft_arena *arena, const char *nodes, size_t left) {
    const struct weft_graph *graph =
        graph_of(arena, weft_arena_print(arena, "%s%s  return %%r\n}\n", IN, nodes));
    const struct weft_graph *made = weft_pass_remove_unused(weft_pass_make_tables(graph));
    assert_int_equal(count_of(made, WEFT_OP_QNN_TABLE), left == 1 ? 1 : 0);
    assert_int_equal(made->node_count, left);
    assert_same_results(graph, made);
}

static void chains_between_bytes_become_tables(void **state) {
    static const char *const nodes[] = {
        /* SiLU */
        "  %l = qnn.logistic(%0) : 2x3xi8{0.00390625, -128}\n"
        "  %r = qnn.mul(%0, %l) : 2x3xi8{0.25, 10}\n",
        /* hard-swish in its parts */
        "  %three = constant() data=[127] : 1x1xi8{0.0236, 0}\n"
        "  %a = qnn.add(%0, %three) : 2x3xi8{0.5, 3}\n"
        "  %c = qnn.relu6(%a) : 2x3xi8{0.0235, -128}\n"
        "  %m = qnn.mul(%0, %c) : 2x3xi8{1, 0}\n"
        "  %sixth = constant() data=[127] : i8{0.00131, 0}\n"
        "  %r = qnn.mul(%m, %sixth) : 2x3xi8{0.25, 10}\n",
        /* through floats, with a constant of the whole shape; GELU with tanh */
        "  %x = qnn.dequantize(%0) : 2x3xf32\n"
        "  %k = constant() data=[0.044715, 0.044715, 0.044715, 0.044715, 0.044715, 0.044715] : "
        "2x3xf32\n"
        "  %s = square(%x) : 2x3xf32\n  %q = mul(%s, %x) : 2x3xf32\n"
        "  %t = mul(%q, %k) : 2x3xf32\n  %u = add(%x, %t) : 2x3xf32\n"
        "  %v = tanh(%u) : 2x3xf32\n  %w = mul(%v, %x) : 2x3xf32\n"
        "  %y = add(%w, %x) : 2x3xf32\n  %r = qnn.quantize(%y) : 2x3xi8{0.25, -7}\n",
        "  %k = constant() data=[5] : 1xi8{0.25, 1}\n"
        "  %r = qnn.subtract(%k, %0) : 2x3xi8{0.5, 3}\n",
        "  %a = qnn.tanh(%0) : 2x3xi8{0.0078125, 0}\n"
        "  %r = qnn.exp(%a) : 2x3xi8{0.03125, -128}\n",
        "  %a = negate(%0) : 2x3xi8{0.5, 3}\n  %r = qnn.requantize(%a) rounding=\"gemmlowp\" : "
        "2x3xu8{0.5, 130}\n",
    };
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        assert_table(*state, nodes[i], 1);
    }
}

/* One function of a byte already; a constant for each channel; two tensors; a kernel that refuses.
 */
static void what_is_no_chain_stays(void **state) {
    static const char *const nodes[] = {
        "  %r = qnn.exp(%0) : 2x3xi8{0.03125, -128}\n",
        "  %a = qnn.exp(%0) : 2x3xi8{0.03125, -128}\n"
        "  %r = clip(%a) min=-100 max=100 : 2x3xi8{0.03125, -128}\n",
        "  %k = constant() data=[5, 6, 7] : 3xi8{0.25, 1}\n"
        "  %r = qnn.add(%0, %k) : 2x3xi8{0.5, 3}\n",
        "  %a = transpose(%0) permutation=[1, 0] : 3x2xi8{0.5, -3}\n"
        "  %b = reshape(%a) : 2x3xi8{0.5, -3}\n"
        "  %r = qnn.add(%0, %b) : 2x3xi8{0.5, 3}\n",
        "  %a = qnn.dequantize(%0) : 2x3xf32\n  %r = exp(%a) : 2x3xf32\n",
    };
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        assert_stays(*state, weft_pass_make_tables,
                     weft_arena_print(*state, "%s%s  return %%r\n}\n", IN, nodes[i]));
    }
    assert_stays(*state, weft_pass_make_tables,
                 IN "  %k = constant() data=[5] : 1xi8{0.25, 1}\n"
                    "  %r = qnn.divide(%k, %0) : 2x3xi8{0.5, 3}\n  return %r\n}\n");
}

/* What is needed elsewhere is still made, and only the ends of a chain become tables. */
static void values_inside_that_are_needed_stay(void **state) {
    const struct weft_graph *graph =
        graph_of(*state, IN "  %l = qnn.logistic(%0) : 2x3xi8{0.00390625, -128}\n"
                            "  %r = qnn.mul(%0, %l) : 2x3xi8{0.25, 10}\n"
                            "  %t = transpose(%l) permutation=[1, 0] : 3x2xi8{0.00390625, -128}\n"
                            "  return %r, %t\n}\n");
    const struct weft_graph *made = weft_pass_remove_unused(weft_pass_make_tables(graph));
    assert_int_equal(count_of(made, WEFT_OP_QNN_TABLE), 1);
    assert_int_equal(count_of(made, WEFT_OP_QNN_LOGISTIC), 1);
    assert_int_equal(count_of(made, WEFT_OP_QNN_MUL), 0);
    assert_same_results(graph, made);
}

/* What is needed as bytes is a table, also where floats of it leave the group. */
static void floats_of_a_table_are_made_of_its_bytes(void **state) {
    const struct weft_graph *graph =
        graph_of(*state, IN "  %a = qnn.dequantize(%0) : 2x3xf32\n"
                            "  %b = logistic(%a) : 2x3xf32\n"
                            "  %c = qnn.quantize(%b) rounding=\"even\" : 2x3xi8{0.00390625, -128}\n"
                            "  %d = qnn.dequantize(%c) : 2x3xf32\n"
                            "  %r = transpose(%d) permutation=[1, 0] : 3x2xf32\n  return %r\n}\n");
    const struct weft_graph *made = weft_pass_remove_unused(weft_pass_make_tables(graph));
    assert_int_equal(count_of(made, WEFT_OP_QNN_TABLE), 1);
    assert_int_equal(count_of(made, WEFT_OP_QNN_DEQUANTIZE), 1);
    assert_int_equal(count_of(made, WEFT_OP_LOGISTIC), 0);
    assert_same_results(graph, made);
}

/* The clip of a product is part of it. */
static void clips_stay_with_what_they_limit(void **state) {
    static const char text[] = "graph g(%x: 2x3xi32{0.0078125, 0}) {\n"
                               "  %a = qnn.requantize(%x) rounding=\"gemmlowp\" : 2x3xi8{0.5, -3}\n"
                               "  %b = clip(%a) min=-3 max=9 : 2x3xi8{0.5, -3}\n"
                               "  %c = qnn.exp(%b) : 2x3xi8{0.03125, -128}\n  return %c\n}\n";
    assert_stays(*state, weft_pass_make_tables, text);
}

/* ---- cut_channels ---- */

#define X     "1x2x2x2xi8{0.5, -1}"
#define POINT "strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1"

static void assert_cuts(struct weft_arena *arena, const char *before, const char *after) {
    const struct weft_graph *graph = graph_of(arena, before);
    const struct weft_graph *made = weft_pass_remove_unused(weft_pass_cut_channels(graph));
    weft_graph_name((struct weft_graph *)made);
    assert_text(made, after);
    assert_same_results(graph, made);
}

/* Channel 1 of the middle is read by no weight; it goes from both products. */
static void channels_that_nobody_reads_go(void **state) {
    assert_cuts(*state,
                "graph g(%0: " X ") {\n"
                "  %w = constant() data=[1, 2, 3, 4, 5, 6] : 3x1x1x2xi8{0.5, 0}\n"
                "  %b = constant() data=[7, 8, 9] : 3xi32{0.25, 0}\n"
                "  %c = qnn.conv2d(%0, %w) " POINT " : 1x2x2x3xi32{0.25, 0}\n"
                "  %d = bias_add(%c, %b) : 1x2x2x3xi32{0.25, 0}\n"
                "  %e = qnn.requantize(%d) rounding=\"gemmlowp\" : 1x2x2x3xi8{0.5, 4}\n"
                "  %v = constant() data=[1, 0, 2] : 1x1x1x3xi8{0.5, 0}\n"
                "  %r = qnn.conv2d(%e, %v) " POINT " : 1x2x2x1xi32{0.25, 0}\n"
                "  return %r\n}\n",
                "graph g(%0: " X ") {\n"
                "  %v0 = constant() data=[1, 2, 5, 6] : 2x1x1x2xi8{0.5, 0}\n"
                "  %c = qnn.conv2d(%0, %v0) " POINT " cut_macs=8 : 1x2x2x2xi32{0.25, 0}\n"
                "  %v1 = constant() data=[7, 9] : 2xi32{0.25, 0}\n"
                "  %d = bias_add(%c, %v1) : 1x2x2x2xi32{0.25, 0}\n"
                "  %e = qnn.requantize(%d) rounding=\"gemmlowp\" : 1x2x2x2xi8{0.5, 4}\n"
                "  %v2 = constant() data=[1, 2] : 1x1x1x2xi8{0.5, 0}\n"
                "  %r = qnn.conv2d(%e, %v2) " POINT " cut_macs=4 : 1x2x2x1xi32{0.25, 0}\n"
                "  return %r\n}\n");
}

/* Channel 0 of the middle is 8 * 0.25 / 0.5 + 4 = 8 everywhere: 3 * (8 - 4) goes into the bias. */
static void channels_that_are_the_same_everywhere_go(void **state) {
    assert_cuts(*state,
                "graph g(%0: " X ") {\n"
                "  %w = constant() data=[0, 0, 3, 4] : 2x1x1x2xi8{axis=0; 0.5, 0; 0.25, 0}\n"
                "  %b = constant() data=[8, 9] : 2xi32{axis=0; 0.25, 0; 0.125, 0}\n"
                "  %c = qnn.conv2d(%0, %w) " POINT " : 1x2x2x2xi32{axis=3; 0.25, 0; 0.125, 0}\n"
                "  %d = bias_add(%c, %b) : 1x2x2x2xi32{axis=3; 0.25, 0; 0.125, 0}\n"
                "  %e = qnn.requantize(%d) rounding=\"gemmlowp\" : 1x2x2x2xi8{0.5, 4}\n"
                "  %v = constant() data=[3, 2] : 1x1x1x2xi8{0.5, 0}\n"
                "  %k = constant() data=[100] : 1xi32{0.25, 0}\n"
                "  %f = qnn.conv2d(%e, %v) " POINT " : 1x2x2x1xi32{0.25, 0}\n"
                "  %r = bias_add(%f, %k) : 1x2x2x1xi32{0.25, 0}\n"
                "  return %r\n}\n",
                "graph g(%0: " X ") {\n"
                "  %v0 = constant() data=[3, 4] : 1x1x1x2xi8{0.25, 0}\n"
                "  %c = qnn.conv2d(%0, %v0) " POINT " cut_macs=8 : 1x2x2x1xi32{0.125, 0}\n"
                "  %v1 = constant() data=[9] : 1xi32{0.125, 0}\n"
                "  %d = bias_add(%c, %v1) : 1x2x2x1xi32{0.125, 0}\n"
                "  %e = qnn.requantize(%d) rounding=\"gemmlowp\" : 1x2x2x1xi8{0.5, 4}\n"
                "  %v2 = constant() data=[2] : 1x1x1x1xi8{0.5, 0}\n"
                "  %f = qnn.conv2d(%e, %v2) " POINT " cut_macs=4 : 1x2x2x1xi32{0.25, 0}\n"
                "  %v3 = constant() data=[112] : 1xi32{0.25, 0}\n"
                "  %r = bias_add(%f, %v3) : 1x2x2x1xi32{0.25, 0}\n"
                "  return %r\n}\n");
}

/* With padding the same everywhere is not enough: outside there is the zero point. And outputs,
 * operands of other operators and weights that are no constants keep every channel. */
static void channels_that_are_needed_stay(void **state) {
#define MIDDLE                                                                                     \
    "graph g(%0: " X ") {\n"                                                                       \
    "  %w = constant() data=[0, 0, 3, 4] : 2x1x1x2xi8{0.5, 0}\n"                                   \
    "  %c = qnn.conv2d(%0, %w) " POINT " : 1x2x2x2xi32{0.25, 0}\n"                                 \
    "  %b = constant() data=[8, 9] : 2xi32{0.25, 0}\n"                                             \
    "  %d = bias_add(%c, %b) : 1x2x2x2xi32{0.25, 0}\n"                                             \
    "  %e = qnn.requantize(%d) rounding=\"gemmlowp\" : 1x2x2x2xi8{0.5, 4}\n"
    static const char *const ends[] = {
        "  %v = constant() data=[3, 2] : 1x1x1x2xi8{0.5, 0}\n"
        "  %k = constant() data=[100] : 1xi32{0.25, 0}\n"
        "  %f = qnn.conv2d(%e, %v) strides=[1, 1] padding=[1, 0, 0, 0] dilation=[1, 1] groups=1 : "
        "1x3x2x1xi32{0.25, 0}\n"
        "  %r = bias_add(%f, %k) : 1x3x2x1xi32{0.25, 0}\n  return %r\n}\n",
        "  return %e\n}\n",
        "  %r = qnn.softmax(%e) beta=1 : 1x2x2x2xi8{0.00390625, -128}\n  return %r\n}\n",
        "  %f = reshape(%e) : 1x1x1x8xi8{0.5, 4}\n  return %f\n}\n",
    };
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        assert_stays(*state, weft_pass_cut_channels,
                     weft_arena_print(*state, "%s%s", MIDDLE, ends[i]));
    }
}

/* ---- random networks ---- */

enum {
    NETWORKS = 400,
    MOST_LAYERS = 6,
};

static const char *random_ints(struct weft_arena *arena, uint64_t *seed, int64_t count,
                               int64_t channels, int most, const bool *dead) {
    const char *text = "";
    for (int64_t i = 0; i < count; i++) {
        int64_t value = random_in(seed, -most, most);
        bool is_dead = dead != NULL && dead[i / (count / channels)];
        text =
            weft_arena_print(arena, "%s%s%d", text, i == 0 ? "" : ", ", is_dead ? 0 : (int)value);
    }
    return text;
}

/* A product with some rows of zeros, bias, scale, perhaps a clip or pool behind. */
static const char *random_layer(struct weft_arena *arena, uint64_t *seed, const char *text,
                                int layer, int64_t *channels, int64_t *size) {
    bool depthwise = *channels > 1 && random_once_in(seed, 3);
    int64_t out =
        depthwise ? *channels * (int64_t)random_in(seed, 1, 2) : (int64_t)random_in(seed, 1, 6);
    int64_t depth = depthwise ? 1 : *channels;
    int64_t kernel = *size > 2 && random_once_in(seed, 2) ? 3 : 1;
    int pad = kernel == 3 && random_once_in(seed, 2) ? 1 : 0;
    int next_zero = (int)random_in(seed, -20, 20);
    bool *dead = WEFT_NEW_ARRAY(arena, (size_t)out, bool);
    for (int64_t o = 0; o < out; o++) {
        dead[o] = random_once_in(seed, 2);
    }
    int64_t made = *size + 2 * pad - kernel + 1;
    const char *weights = random_ints(arena, seed, out * kernel * kernel * depth, out, 3, dead);
    const char *bias = random_ints(arena, seed, out, out, 30, NULL);
    int least = random_once_in(seed, 2) ? next_zero : -128;
    text = weft_arena_print(
        arena,
        "%s  %%w%d = constant() data=[%s] : %dx%dx%dx%dxi8{0.5, 0}\n"
        "  %%c%d = qnn.conv2d(%%x%d, %%w%d) strides=[1, 1] padding=[%d, %d, %d, %d] "
        "dilation=[1, 1] groups=%d : 1x%dx%dx%dxi32{0.25, 0}\n"
        "  %%b%d = constant() data=[%s] : %dxi32{0.25, 0}\n"
        "  %%d%d = bias_add(%%c%d, %%b%d) : 1x%dx%dx%dxi32{0.25, 0}\n"
        "  %%r%d = qnn.requantize(%%d%d) rounding=\"gemmlowp\" : 1x%dx%dx%dxi8{0.5, %d}\n"
        "  %%x%d = clip(%%r%d) min=%d max=100 : 1x%dx%dx%dxi8{0.5, %d}\n",
        text, layer, weights, (int)out, (int)kernel, (int)kernel, (int)depth, layer, layer, layer,
        pad, pad, pad, pad, depthwise ? (int)*channels : 1, (int)made, (int)made, (int)out, layer,
        bias, (int)out, layer, layer, layer, (int)made, (int)made, (int)out, layer, layer,
        (int)made, (int)made, (int)out, next_zero, layer + 1, layer, least, (int)made, (int)made,
        (int)out, next_zero);

    *channels = out;
    *size = made;
    return text;
}

static void random_networks_compute_the_same(void **state) {
    uint64_t seed = 16;
    size_t cut = 0;
    for (int i = 0; i < NETWORKS; i++) {
        int64_t channels = (int64_t)random_in(&seed, 1, 4);
        int64_t size = (int64_t)random_in(&seed, 2, 6);
        int layers = (int)random_in(&seed, 2, MOST_LAYERS);
        const char *text = weft_arena_print(*state, "graph g(%%x0: 1x%dx%dx%dxi8{0.5, 3}) {\n",
                                            (int)size, (int)size, (int)channels);
        for (int layer = 0; layer < layers; layer++) {
            text = random_layer(*state, &seed, text, layer, &channels, &size);
        }
        bool two = random_once_in(&seed, 4);
        const struct weft_graph *graph =
            graph_of(*state, weft_arena_print(*state, "%s  return %%x%d%s\n}\n", text, layers,
                                              two ? ", %x1" : ""));
        const struct weft_graph *made = weft_pass_remove_unused(weft_pass_cut_channels(graph));
        assert_same_results(graph, made);
        for (size_t k = 0; k < made->node_count; k++) {
            cut += weft_node_cut_macs(made->nodes[k]) > 0;
        }
    }
    assert_true(cut > NETWORKS);
}

/* Bytes of an input without a scale get one by a cast: the table is of these, as the machine asks.
 */
static void tables_are_of_bytes_with_a_scale(void **state) {
    const struct weft_graph *graph =
        graph_of(*state, "graph g(%0: 2x3xu8) {\n"
                         "  %a = cast(%0) : 2x3xu8{0.5, 3}\n"
                         "  %x = qnn.dequantize(%a) : 2x3xf32\n"
                         "  %l = logistic(%x) : 2x3xf32\n"
                         "  %y = mul(%x, %l) : 2x3xf32\n"
                         "  %r = qnn.quantize(%y) rounding=\"even\" : 2x3xu8{0.25, 10}\n"
                         "  return %r\n}\n");
    const struct weft_graph *made = weft_pass_remove_unused(weft_pass_make_tables(graph));
    const struct weft_node *table = made->outputs[0]->producer;
    assert_int_equal(table->op, WEFT_OP_QNN_TABLE);
    assert_int_equal(table->inputs[0]->type.quantization.count, 1);
    assert_same_results(graph, made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(chains_between_bytes_become_tables),
        ARENA_TEST(tables_are_of_bytes_with_a_scale),
        ARENA_TEST(what_is_no_chain_stays),
        ARENA_TEST(values_inside_that_are_needed_stay),
        ARENA_TEST(floats_of_a_table_are_made_of_its_bytes),
        ARENA_TEST(clips_stay_with_what_they_limit),
        ARENA_TEST(channels_that_nobody_reads_go),
        ARENA_TEST(channels_that_are_the_same_everywhere_go),
        ARENA_TEST(channels_that_are_needed_stay),
        ARENA_TEST(random_networks_compute_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
