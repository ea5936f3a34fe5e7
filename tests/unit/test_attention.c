/* What attention needs beside products: softmax, and layer normalisation as converters write it. */
#include "compiler/partition/partition.h"
#include "compiler/schedule/target.h"
#include "tests/unit/computes.h"
#include "tests/unit/modules.h"

#include <stdio.h>
#include <string.h>

#define SOFTMAX(shape, scale, type)                                                                \
    "graph g(%0: " shape "x" type "{" scale "}) { %r = qnn.softmax(%0) beta=1 : " shape "x" type   \
    "{0.00390625, "

/* The graph with what the machine takes of it. */
static const struct weft_graph *annotated(struct weft_arena *arena, const char *text,
                                          const struct weft_config *config) {
    const struct weft_pattern_table *table = weft_machine_patterns(arena, config);
    return weft_annotate_targets(weft_merge_composites(graph_of(arena, text), table), 1, table);
}

/* Why %r is the host's; "": it is the machine's. */
static const char *refusal(struct weft_arena *arena, const char *text,
                           const struct weft_config *config) {
    const struct weft_node *root = node_named(annotated(arena, text, config), "r");
    return root->op == WEFT_OP_COMPOSITE ? "" : weft_node_attribute(root, WEFT_ATTR_reason)->text;
}

static void assert_computes(struct weft_arena *arena, const char *text) {
    const struct weft_config config = config_named("small8");
    const char *reason = refusal(arena, text, &config);
    if (reason[0] != '\0') {
        print_error("%s\n%s\n", text, reason);
        fail();
    }
    for (uint64_t seed = 1; seed <= 3; seed++) {
        assert_true(computes(graph_of(arena, text), seed, NULL));
    }
}

/* ---- softmax ---- */

/* Whole vectors and parts of them, of one and more; scales so small that nearly all elements count,
 * and so large that one does. */
static void softmax_computes_what_the_host_does(void **state) {
    static const char *const cases[] = {
        SOFTMAX("1x1x128x128", "0.03, 5", "i8") "-128} return %r }",
        SOFTMAX("1x2x64x64", "0.2, 5", "i8") "-128} return %r }",
        SOFTMAX("9000x1", "0.2, 5", "i8") "-128} return %r }",
        SOFTMAX("900x10", "0.05, 5", "i8") "-128} return %r }",
        SOFTMAX("300x33", "0.001, -9", "i8") "-128} return %r }",
        SOFTMAX("2x3x41x39", "0.9, 0", "i8") "-128} return %r }",
        SOFTMAX("2x2x2x3x511", "0.01, 0", "i8") "-128} return %r }",
        SOFTMAX("17x509", "2.5, 0", "i8") "-128} return %r }",
        SOFTMAX("130x65", "0.06, 100", "u8") "0} return %r }",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_computes(*state, cases[i]);
    }
}

/* All elements of a row equal the largest: the largest sums. */
static void softmax_of_equal_elements(void **state) {
    static const char text[] = SOFTMAX("9x511", "0.01, 0", "i8") "-128} return %r }";
    const struct weft_graph *graph = graph_of(*state, text);
    static int8_t bytes[9 * 511];
    static int8_t result[9 * 511];
    const void *inputs[] = {bytes};
    void *outputs[] = {result};
    for (int value = -128; value < 128; value += 51) {
        struct weft_module *module = NULL;
        struct weft_error error;
        memset(bytes, value, sizeof bytes);
        ASSERT_GOOD(module_of(graph, "small8", &module, &error), error);
        ASSERT_GOOD(module_run(module, "cycle", inputs, outputs, &error), error);
        for (size_t i = 0; i < sizeof result; i++) {
            assert_int_equal(result[i], -127); /* 256 / 511 = 0.501 rounds to 1 */
        }
    }
}

static void softmax_is_clipped(void **state) {
    assert_computes(*state, "graph g(%0: 64x64xi8{0.1, 0}) {\n"
                            "%s = qnn.softmax(%0) beta=1 : 64x64xi8{0.00390625, -128}\n"
                            "%r = clip(%s) min=-120 max=-90 : 64x64xi8{0.00390625, -128}\n"
                            "return %r }");
}

static void some_softmax_is_the_hosts(void **state) {
    static const struct {
        const char *text, *words;
    } cases[] = {
        {SOFTMAX("20x512", "0.01, 0", "i8") "-128} return %r }", "512 elements and more"},
        {SOFTMAX("1x255", "0.01, 0", "i8") "-128} return %r }", "not worth"},
        {SOFTMAX("10x204", "0.01, 0", "i8") "-128} return %r }", "not worth"},
        {"graph g(%0: 64x64xi16{0.1, 0}) {\n"
         "%r = qnn.softmax(%0) beta=1 : 64x64xi16{0.000030517578125, 0} return %r }",
         "only int8 and uint8"},
        {SOFTMAX("64x64", "0.00000001, 0", "i8") "-128} return %r }", "host's kernel"},
    };
    struct weft_config config = config_named("small8");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *reason = refusal(*state, cases[i].text, &config);
        if (reason[0] == '\0' || strstr(reason, cases[i].words) == NULL) {
            print_error("%s\nexpected '%s', got '%s'\n", cases[i].text, cases[i].words, reason);
            fail();
        }
    }
    static const char good[] = SOFTMAX("64x64", "0.01, 0", "i8") "-128} return %r }";
    assert_string_equal(refusal(*state, good, &config), "");
    config.softmax = 0;
    assert_non_null(strstr(refusal(*state, good, &config), "(softmax)"));
    config.softmax = 1;
    config.lookup = 0;
    assert_non_null(strstr(refusal(*state, good, &config), "(lookup)"));
    config.lookup = 1;
    config.gemmlowp = 0;
    assert_non_null(strstr(refusal(*state, good, &config), "(gemmlowp)"));
}

/* ---- products ---- */

/* What two products read row by row, a mean behind the layer that makes it reads at once: the rows
 * must not lie apart. */
static void means_behind_what_products_read(void **state) {
    static const char text[] =
        "graph g(%0: 1x2x2x64xu8{0.5, 0}, %1: 1x2x64x40xu8{0.25, 255}) {\n"
        "%m = qnn.mean(%0) axes=[1, 2] keep_dims=0 : 1x64xu8{0.6, 128}\n"
        "%s = qnn.batch_matmul(%0, %0) transpose_a=0 transpose_b=1 : 1x2x2x2xi32{0.25, 0}\n"
        "%a = qnn.requantize(%s) rounding=\"gemmlowp\" : 1x2x2x2xu8{128, 0}\n"
        "%t = qnn.batch_matmul(%0, %1) transpose_a=0 transpose_b=0 : 1x2x2x40xi32{0.125, 0}\n"
        "%r = qnn.requantize(%t) rounding=\"gemmlowp\" : 1x2x2x40xu8{16, 255}\n"
        "return %m, %a, %r }";
    for (uint64_t seed = 1; seed <= 3; seed++) {
        assert_true(computes(graph_of(*state, text), seed, NULL));
    }
}

/* ---- layer normalisation ---- */

static void means_over_channels_compute_what_the_host_does(void **state) {
    static const char *const cases[] = {
        "graph g(%0: 1x16x40xi8{0.1, 5}) {\n"
        "%r = qnn.mean(%0) axes=[2] keep_dims=1 : 1x16x1xi8{0.01, -3} return %r }",
        "graph g(%0: 2x5x7x129xi8{0.1, -128}) {\n"
        "%r = qnn.mean(%0) axes=[3] keep_dims=1 : 2x5x7x1xi8{0.02, 9} return %r }",
        "graph g(%0: 2x5x7x9xi8{0.1, 127}) {\n"
        "%r = qnn.mean(%0) axes=[3] keep_dims=0 : 2x5x7xi8{0.3, 9} return %r }",
        "graph g(%0: 1x33x17xu8{0.1, 127}) {\n"
        "%r = qnn.mean(%0) axes=[2] keep_dims=1 : 1x33x1xu8{0.05, 9} return %r }",
        "graph g(%0: 64x300xi8{0.1, 127}) {\n"
        "%s = qnn.mean(%0) axes=[1] keep_dims=1 : 64x1xi8{0.02, 9}\n"
        "%r = clip(%s) min=-50 max=60 : 64x1xi8{0.02, 9} return %r }",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_computes(*state, cases[i]);
    }
}

static void squared_differences_compute_what_the_host_does(void **state) {
    static const char *const cases[] = {
        "graph g(%0: 1x16x40xi8{0.1, 5}, %1: 1x16x40xi8{0.07, -5}) {\n"
        "%r = qnn.squared_difference(%0, %1) : 1x16x40xi8{0.9, -128} return %r }",
        "graph g(%0: 1x16x40xi8{0.1, 5}, %1: 1x16x1xi8{0.13, 127}) {\n"
        "%r = qnn.squared_difference(%0, %1) : 1x16x40xi8{0.5, -128} return %r }",
        "graph g(%0: 4x1x9xi8{1, 5}, %1: 4x3x9xi8{0.001, 0}) {\n"
        "%r = qnn.squared_difference(%0, %1) : 4x3x9xi8{0.0001, 0} return %r }",
        "graph g(%0: 4x3x9xi8{0.000001, 5}, %1: 4x3x9xi8{10, 0}) {\n"
        "%s = qnn.squared_difference(%0, %1) : 4x3x9xi8{1000, -7}\n"
        "%r = clip(%s) min=-7 max=60 : 4x3x9xi8{1000, -7} return %r }",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_computes(*state, cases[i]);
    }
}

static void layer_normalisation_runs_on_the_machine(void **state) {
    static const char text[] = "graph g(%0: 1x32x40xi8{0.1, 5}, %scale: 1x32x40xi8{0.01, 0}) {\n"
                               "%m = qnn.mean(%0) axes=[2] keep_dims=1 : 1x32x1xi8{0.02, -3}\n"
                               "%d = qnn.squared_difference(%0, %m) : 1x32x40xi8{0.6, -128}\n"
                               "%v = qnn.mean(%d) axes=[2] keep_dims=1 : 1x32x1xi8{0.3, -128}\n"
                               "%i = qnn.rsqrt(%v) : 1x32x1xi8{0.02, -128}\n"
                               "%g = qnn.mul(%i, %scale) : 1x32x40xi8{0.01, 0}\n"
                               "%x = qnn.mul(%0, %g) : 1x32x40xi8{0.1, 0}\n"
                               "%y = qnn.mul(%m, %g) : 1x32x40xi8{0.05, 0}\n"
                               "%r = qnn.subtract(%x, %y) : 1x32x40xi8{0.1, 0}\n"
                               "return %r }";
    const struct weft_config config = config_named("ref16");
    const struct weft_graph *graph = annotated(*state, text, &config);
    assert_int_equal(count_of(graph, WEFT_OP_COMPOSITE), graph->node_count);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        assert_true(computes(graph_of(*state, text), seed, NULL));
    }
}

/* Shares of so many tokens that a row of them has no room: columns by columns. */
static void many_tokens_are_divided(void **state) {
    static const char text[] =
        "graph g(%0: 1x2x330x24xi8{0.25, 5}, %1: 1x2x330x24xi8{0.125, 0}) {\n"
        "%p = qnn.batch_matmul(%0, %1) transpose_a=0 transpose_b=1 : 1x2x330x330xi32{0.03125, 0}\n"
        "%q = qnn.requantize(%p) rounding=\"gemmlowp\" : 1x2x330x330xi8{0.3, 5}\n"
        "%s = qnn.softmax(%q) beta=1 : 1x2x330x330xi8{0.00390625, -128}\n"
        "%t = qnn.batch_matmul(%s, %1) transpose_a=0 transpose_b=0 : 1x2x330x24xi32{0.00048828125, "
        "0}\n"
        "%r = qnn.requantize(%t) rounding=\"gemmlowp\" : 1x2x330x24xi8{0.02, -3}\n"
        "return %r }";
    const struct weft_config config = config_named("small8"); /* a row of shares: twice its ACT */
    const struct weft_graph *graph = annotated(*state, text, &config);
    assert_int_equal(count_of(graph, WEFT_OP_COMPOSITE), graph->node_count);
    assert_true(computes_on(graph_of(*state, text), "small8", 1));
}

static void some_means_are_the_hosts(void **state) {
    static const char *const cases[][2] = {
        {"graph g(%0: 2x5x7x9xi8{0.1, 127}) {\n"
         "%r = qnn.mean(%0) axes=[0] keep_dims=1 : 1x5x7x9xi8{0.3, 9} return %r }",
         "a mean over images"},
        {"graph g(%0: 2x5x7x9xi8{0.1, 127}) {\n"
         "%r = qnn.mean(%0) axes=[2, 3] keep_dims=1 : 2x5x1x1xi8{0.3, 9} return %r }",
         "over channels and anything else"},
    };
    const struct weft_config config = config_named("small8");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_non_null(strstr(refusal(*state, cases[i][0], &config), cases[i][1]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(softmax_computes_what_the_host_does),
        ARENA_TEST(softmax_of_equal_elements),
        ARENA_TEST(softmax_is_clipped),
        ARENA_TEST(some_softmax_is_the_hosts),
        ARENA_TEST(means_behind_what_products_read),
        ARENA_TEST(means_over_channels_compute_what_the_host_does),
        ARENA_TEST(squared_differences_compute_what_the_host_does),
        ARENA_TEST(layer_normalisation_runs_on_the_machine),
        ARENA_TEST(many_tokens_are_divided),
        ARENA_TEST(some_means_are_the_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
