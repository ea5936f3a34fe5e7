/* The whole compiler on graphs that nobody should write: a clear error, or the right answer. */
#include "tests/unit/modules.h"

#include <string.h>

#include "base/integer.h"
#include "compiler/host/host.h"

#define T "1x2x2x1xi8{0.5, 0}"

static bool compiles(const struct weft_graph *graph, struct weft_module **module,
                     struct weft_error *error) {
    const struct weft_config config = config_named("small8");
    const struct weft_compile_options options = {0};
    *error = (struct weft_error){0};
    return weft_compile_graph(graph, &config, &options, module, error);
}

/* Compiles, runs on the functional simulator and compares with the host; or fails with an error
 * that the compiler does not blame itself for. True when it was compiled. */
static bool compile_and_compare(const struct weft_graph *graph) {
    struct weft_error error;
    struct weft_module *module = NULL;
    const void **inputs = random_inputs(graph, 3);
    void **expected = output_room(graph);
    void **got = output_room(graph);
    if (!compiles(graph, &module, &error)) {
        assert_int_not_equal(error.code, WEFT_INTERNAL);
        assert_true(strlen(error.message) > 0);
        return false;
    }
    bool computed = weft_host_run_graph(graph, inputs, expected, &error);
    bool ran = module_run(module, "func", inputs, got, &error);
    assert_int_equal(ran, computed);
    for (size_t i = 0; ran && i < graph->output_count; i++) {
        assert_memory_equal(got[i], expected[i], weft_type_bytes(&graph->outputs[i]->type));
    }
    weft_module_free(module);
    return true;
}

static void assert_refused(const struct weft_graph *graph, const char *words) {
    struct weft_error error;
    struct weft_module *module = NULL;
    ASSERT_FAILS(compiles(graph, &module, &error), error, WEFT_GRAPH);
    assert_non_null(strstr(error.message, words));
}

/* ---- graphs that are none ---- */

static struct weft_graph *two_clips(struct weft_arena *arena) {
    return graph_of(arena, "graph g(%0: " T ") {\n  %a = clip(%0) min=0 max=9 : " T "\n"
                           "  %b = clip(%a) min=1 max=8 : " T "\n  return %b\n}\n");
}

static void cycles_are_refused(void **state) {
    struct weft_graph *graph = two_clips(*state);
    graph->nodes[0]->inputs[0] = value_named(graph, "b");
    assert_refused(graph, "node 0 (clip): an input is used before it is made");
    graph = two_clips(*state);
    graph->nodes[1]->inputs[0] = value_named(graph, "b");
    assert_refused(graph, "node 1 (clip): an input is used before it is made");
}

static void what_hangs_in_the_air_is_refused(void **state) {
    struct weft_graph *graph = two_clips(*state);
    graph->nodes[1]->inputs[0] = value_named(two_clips(*state), "a");
    assert_refused(graph, "node 1 (clip): an input is used before it is made");
    graph = two_clips(*state);
    graph->nodes[1]->inputs[0] = NULL;
    assert_refused(graph, "node 1 (clip): an input is used before it is made");
    graph = two_clips(*state);
    graph->outputs[0] = value_named(two_clips(*state), "b");
    assert_refused(graph, "an output is not made in the graph");
}

/* Sizes whose product, or whose padded, repeated or joined size leaves 64 bits or what a tensor may
 * have. */
static void shapes_that_overflow_are_refused(void **state) {
    static const char *const texts[] = {
        "graph g(%0: 4294967296x4294967296xi8) { return %0 }",
        "graph g(%0: 99999999999999999999xi8) { return %0 }",
        "graph g(%0: 2xi8) { %1 = pad(%0) pads=[9223372036854775807, 9223372036854775807] : 2xi8 "
        "return %1 }",
        "graph g(%0: 2xi8) { %1 = pad(%0) pads=[0, 4611686018427387904] : 4611686018427387906xi8 "
        "return %1 }",
        "graph g(%0: 2147483647xi8) { %1 = concatenate(%0, %0) axis=0 : 4294967294xi8 return %1 }",
        "graph g(%0: 1x1x1x1xi8) { %1 = resize_nearest_neighbor(%0) size=[2147483647, 2147483647]\n"
        "align_corners=0 half_pixel_centers=0 : 1x2147483647x2147483647x1xi8 return %1 }",
        "graph g(%0: 1x4x4x1xi8{1, 0}) { %w = constant() data=[1] : 1x1x1x1xi8{1, 0}\n"
        "%1 = qnn.conv2d(%0, %w) strides=[1, 1] padding=[9223372036854775807, 0, 1, 0]\n"
        "dilation=[1, 1] groups=1 : 1x4x4x1xi32{1, 0} return %1 }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct weft_graph *graph = NULL;
        struct weft_error error;
        ASSERT_FAILS(weft_graph_parse(*state, texts[i], strlen(texts[i]), NULL, &graph, &error),
                     error, WEFT_GRAPH);
    }
}

/* ---- quantisation ---- */

static const char *const forms[] = {
    "qnn.relu(%0)",
    "qnn.relu6(%0)",
    "qnn.leaky_relu(%0) alpha=1e300",
    "qnn.hard_swish(%0)",
    "qnn.logistic(%0)",
    "qnn.tanh(%0)",
    "qnn.add(%0, %0)",
    "qnn.subtract(%0, %0)",
    "qnn.mul(%0, %0)",
    "qnn.softmax(%0) beta=1e300",
    "qnn.log_softmax(%0)",
    "qnn.l2_normalize(%0)",
    "qnn.requantize(%0) rounding=\"gemmlowp\"",
    "qnn.concatenate(%0) axis=0",
    "qnn.mean(%0) axes=[1] keep_dims=1",
};

static void absurd_scales_end_well(void **state) {
    static const char *const types[] = {"{5e-324, 0}", "{1e-45, 127}", "{1, -128}", "{1e38, 5}",
                                        "{1.7e308, -128}"};
    unsigned compiled = 0;
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        for (size_t k = 0; k < 25; k++) {
            struct weft_arena arena = {0};
            const char *text = weft_arena_print(
                &arena, "graph g(%%0: 1x1x4xi8%s) {\n  %%1 = %s : 1x1x4xi8%s\n  return %%1\n}\n",
                types[k / 5], forms[i], types[k % 5]);
            compiled += compile_and_compare(graph_of(&arena, text));
            weft_arena_free(&arena);
        }
    }
    assert_true(compiled > 0);
}

/* A convolution whose scales, in the accumulator and after it, are as far apart as they can be. */
static void absurd_scales_of_products_end_well(void **state) {
    static const char *const scales[] = {"4.9406564584124654e-324", "9.9999999999999992e-151", "1",
                                         "1e+150"};
    (void)state;
    for (int k = 0; k < 16; k++) {
        struct weft_arena arena = {0};
        const char *text = weft_arena_print(
            &arena,
            "graph g(%%0: 1x2x2x1xi8{1, 127}) {\n"
            "  %%w = constant() data=[-128] : 1x1x1x1xi8{%s, 0}\n"
            "  %%k = constant() data=[-2147483648] : 1xi32\n"
            "  %%a = qnn.conv2d(%%0, %%w) strides=[1, 1] padding=[1, 1, 1, 1] dilation=[1, 1] "
            "groups=1 : 1x4x4x1xi32{%s, 0}\n"
            "  %%b = bias_add(%%a, %%k) : 1x4x4x1xi32{%s, 0}\n"
            "  %%c = qnn.requantize(%%b) rounding=\"gemmlowp\" : 1x4x4x1xi8{%s, -128}\n"
            "  return %%c\n}\n",
            scales[k / 4], scales[k / 4], scales[k / 4], scales[k % 4]);
        (void)compile_and_compare(graph_of(&arena, text));
        weft_arena_free(&arena);
    }
}

static void zero_points_outside_the_type_end_well(void **state) {
    static const char *const zeros[] = {"-2147483648", "-129", "128", "2147483647"};
    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++) {
        struct weft_graph *graph = NULL;
        struct weft_error error;
        const char *text =
            weft_arena_print(*state, "graph g(%%0: 2xi8{1, %s}) { return %%0 }", zeros[i]);
        ASSERT_FAILS(weft_graph_parse(*state, text, strlen(text), NULL, &graph, &error), error,
                     WEFT_GRAPH);
    }
}

/* ---- many operators ---- */

/* A sum of the two values before, and sometimes an operator of the host. */
static const char *long_graph(struct weft_arena *arena, int length, int host) {
    struct weft_text text = {0};
    struct weft_error error;
    weft_text_add(&text, "graph g(%%0: " T ") {\n");
    for (int i = 1; i <= length; i++) {
        if (i % host == 0) {
            weft_text_add(&text, "  %%%d = qnn.softmax(%%%d) beta=1 : " T "\n", i, i - 1);
        } else {
            weft_text_add(&text, "  %%%d = qnn.add(%%%d, %%%d) : " T "\n", i, i - 1,
                          (int)weft_max(i - 2, 0));
        }
    }
    weft_text_add(&text, "  return %%%d\n}\n", length);
    ASSERT_GOOD(weft_text_finish(&text, &error), error);
    const char *copy = weft_arena_string(arena, text.bytes, text.length);
    weft_text_free(&text);
    return copy;
}

/* In one region, in many, and with every second operator on the host. */
static void thousands_of_operators_compute_what_the_host_computes(void **state) {
    static const int hosts[] = {10000, 10, 2};
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        const char *text = long_graph(*state, random_share(3000), hosts[i]);
        assert_true(compile_and_compare(graph_of(*state, text)));
    }
}

/* Each pair of them is tried with all values of int16. */
static void thousands_of_scales_are_merged_in_moments(void **state) {
    struct weft_graph *graph = weft_graph_new(*state, "g");
    struct weft_type type = weft_type_make(WEFT_I16, 1, (const int64_t[]){4});
    type.quantization = weft_quantization_make(*state, 0.5, 0);
    struct weft_value *value = weft_graph_add_input(graph, &type, "x", -1);
    for (int i = 0; i < 2000; i++) {
        const struct weft_attribute rounding = weft_attr_text(WEFT_ATTR_rounding, "gemmlowp");
        type.quantization = weft_quantization_make(*state, i % 2 == 0 ? 0.25 : 0.5, 0);
        value = weft_node_add_result(
            graph, weft_graph_add_node(graph, WEFT_OP_QNN_REQUANTIZE, 1, &value, 1, &rounding),
            &type, -1);
    }
    weft_graph_add_output(graph, value);
    weft_graph_name(graph);
    assert_true(compile_and_compare(graph));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(cycles_are_refused),
        ARENA_TEST(what_hangs_in_the_air_is_refused),
        ARENA_TEST(shapes_that_overflow_are_refused),
        ARENA_TEST(absurd_scales_end_well),
        ARENA_TEST(absurd_scales_of_products_end_well),
        ARENA_TEST(zero_points_outside_the_type_end_well),
        ARENA_TEST(thousands_of_operators_compute_what_the_host_computes),
        ARENA_TEST(thousands_of_scales_are_merged_in_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
