/* compiler/passes/drop_guards.c: what stands behind softmax of rows that are masked as a whole; and
 * drop_pairs.c, which like it is of use to quantising alone. */
#include "tests/unit/quantize_bench.h"

#include <stdio.h>
#include <string.h>

#include "compiler/passes/passes.h"

/* Scores of two heads with what `nodes` make of them, %m, up to softmax, behind which `guard` makes
 * %r. */
#define GUARDED(nodes, guard)                                                                      \
    "graph g(%0: 1x2x3x3xf32, %1: 3x3xbool) {\n  %z = constant() data=[0] : f32\n" nodes           \
    "  %p = softmax(%m) beta=1 : 1x2x3x3xf32\n" guard "  return %r\n}\n"
#define IS_NO_NUMBER                                                                               \
    "  %n = compare(%p, %p) relation=\"not_equal\" : 1x2x3x3xbool\n"                               \
    "  %r = select(%n, %z, %p) : 1x2x3x3xf32\n"
#define SCORES "  %s = tanh(%0) : 1x2x3x3xf32\n"
#define FINITE                                                                                     \
    SCORES "  %i = constant() data=[-100000] : f32\n  %a = select(%1, %z, %i) : 3x3xf32\n"         \
           "  %m = add(%s, %a) : 1x2x3x3xf32\n"
#define INFINITE                                                                                   \
    SCORES "  %i = constant() data=[-inf] : f32\n  %a = select(%1, %z, %i) : 3x3xf32\n"            \
           "  %b = reshape(%a) : 1x1x3x3xf32\n  %m = add(%s, %b) : 1x2x3x3xf32\n"

static struct weft_graph *dropped(struct weft_arena *arena, const char *text) {
    struct weft_graph *graph = weft_pass_drop_guards(graph_of(arena, text));
    struct weft_error error;
    if (!weft_graph_verify(graph, &error)) {
        fail_msg("%s", error.message);
    }
    return graph;
}

static void choices_of_no_numbers_go(void **state) {
    static const char *const texts[] = {
        GUARDED(FINITE, IS_NO_NUMBER),
        GUARDED(FINITE, "  %n = compare(%p, %p) relation=\"equal\" : 1x2x3x3xbool\n"
                        "  %r = select(%n, %p, %z) : 1x2x3x3xf32\n"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct weft_graph *graph = dropped(*state, texts[i]);
        assert_int_equal(count_of(graph, WEFT_OP_COMPARE), 0);
        assert_int_equal(count_of(graph, WEFT_OP_SELECT), 1); /* the mask */
        assert_int_equal(count_of(graph, WEFT_OP_SOFTMAX), 1);
        assert_same_results(graph_of(*state, texts[i]), graph);
    }
}

/* A row of which all is masked by infinity is one of equal shares; no other one changes. */
static void masks_become_finite(void **state) {
    const char *text = GUARDED(INFINITE, IS_NO_NUMBER);
    struct weft_graph *graph = dropped(*state, text);
    assert_int_equal(count_of(graph, WEFT_OP_COMPARE), 0);
    static const float scores[18] = {1, 2, 3, -1, 0.5F, 2, 0, 0, 1, 3, 1, 2, 2, 1, 0, 1, 1, 1};
    static const bool rows[9] = {true, false, true, false, false, false, true, true, true};
    const void *inputs[2] = {scores, rows};
    float *before = host_outputs(graph_of(*state, text), inputs)[0];
    float *after = host_outputs(graph, inputs)[0];
    for (int i = 0; i < 18; i++) {
        bool whole = i / 3 % 3 == 1;
        assert_true(after[i] >= 0 && after[i] <= 1);
        assert_true(whole ? after[i] == 1.0F / 3 : after[i] == before[i]);
    }
}

/* A mask that is an input; another number than 0; what is asked of something else, or is something
 * else; what has infinities of the other sign. */
static void others_stay(void **state) {
    static const char *const texts[] = {
        GUARDED("  %i = constant() data=[-inf] : f32\n  %a = select(%1, %0, %i) : 1x2x3x3xf32\n"
                "  %m = add(%a, %a) : 1x2x3x3xf32\n",
                IS_NO_NUMBER),
        GUARDED(FINITE, "  %o = constant() data=[1] : f32\n"
                        "  %n = compare(%p, %p) relation=\"not_equal\" : 1x2x3x3xbool\n"
                        "  %r = select(%n, %o, %p) : 1x2x3x3xf32\n"),
        GUARDED(FINITE, "  %n = compare(%m, %m) relation=\"not_equal\" : 1x2x3x3xbool\n"
                        "  %r = select(%n, %z, %p) : 1x2x3x3xf32\n"),
        GUARDED(FINITE, "  %n = compare(%p, %p) relation=\"less\" : 1x2x3x3xbool\n"
                        "  %r = select(%n, %z, %p) : 1x2x3x3xf32\n"),
        GUARDED(FINITE, "  %q = exp(%p) : 1x2x3x3xf32\n"
                        "  %n = compare(%q, %q) relation=\"not_equal\" : 1x2x3x3xbool\n"
                        "  %r = select(%n, %z, %q) : 1x2x3x3xf32\n"),
        GUARDED(SCORES "  %i = constant() data=[inf] : f32\n  %a = select(%1, %z, %i) : 3x3xf32\n"
                       "  %m = add(%s, %a) : 1x2x3x3xf32\n",
                IS_NO_NUMBER),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_stays(*state, weft_pass_drop_guards, texts[i]);
    }
}

/* A mask of sums, each of which has the one before twice, is not looked through to its end. */
static void long_ways_stay(void **state) {
    char text[4096];
    int at = snprintf(text, sizeof text,
                      "graph g(%%0: 3x3xf32) {\n"
                      "  %%z = constant() data=[0] : f32\n"
                      "  %%a0 = tanh(%%0) : 3x3xf32\n");
    enum {
        SUMS = 40
    };
    for (int i = 0; i < SUMS; i++) {
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  %%a%d = add(%%a%d, %%a%d) : 3x3xf32\n", i + 1, i, i);
    }
    (void)snprintf(text + at, sizeof text - (size_t)at,
                   "  %%p = softmax(%%a%d) beta=1 : 3x3xf32\n"
                   "  %%n = compare(%%p, %%p) relation=\"not_equal\" : 3x3xbool\n"
                   "  %%r = select(%%n, %%z, %%p) : 3x3xf32\n  return %%r\n}\n",
                   SUMS);
    assert_stays(*state, weft_pass_drop_guards, text);
}

/* Attention as PyTorch exports it: all of it is integers. */
static void attention_is_quantised(void **state) {
    static const char *const numbers[] = {"-inf", "-3.4e+38"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct bench bench;
        char text[1024];
        (void)snprintf(text, sizeof text,
                       "graph g(%%0: 1x2x3x4xf32, %%1: 1x2x3x4xf32) {\n"
                       "  %%c = constant() data=[1, 0, 0, 1, 1, 0, 1, 1, 1] : 3x3xbool\n"
                       "  %%z = constant() data=[0] : f32\n  %%i = constant() data=[%s] : f32\n"
                       "  %%a = select(%%c, %%z, %%i) : 3x3xf32\n"
                       "  %%s = batch_matmul(%%0, %%1) transpose_a=0 transpose_b=1 : 1x2x3x3xf32\n"
                       "  %%m = add(%%s, %%a) : 1x2x3x3xf32\n"
                       "  %%p = softmax(%%m) beta=1 : 1x2x3x3xf32\n"
                       "  %%n = compare(%%p, %%p) relation=\"not_equal\" : 1x2x3x3xbool\n"
                       "  %%q = select(%%n, %%z, %%p) : 1x2x3x3xf32\n"
                       "  %%r = batch_matmul(%%q, %%1) transpose_a=0 transpose_b=0 : 1x2x3x4xf32\n"
                       "  return %%r\n}\n",
                       numbers[i]);
        prepare(*state, text, &bench);
        quantize(*state, &bench);
        assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_SOFTMAX), 1);
        assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_COMPARE), 0);
        assert_true(ratio(&bench, 0) > 30);
    }
}

/* ---- pairs ---- */

/* compiler/passes/drop_pairs.c: what comes of floats goes back to them; integers and other scales
 * stay. */
static void pairs_go(void **state) {
    const struct weft_graph *after = weft_pass_drop_pairs(
        graph_of(*state, "graph g(%0: 2x3xf32, %1: 2x3xi8{0.5, 0}) {\n"
                         "  %q = qnn.quantize(%0) rounding=\"even\" : 2x3xi8{0.25, 3}\n"
                         "  %x = qnn.dequantize(%q) : 2x3xf32\n  %t = tanh(%x) : 2x3xf32\n"
                         "  %y = qnn.dequantize(%1) : 2x3xf32\n  %r = add(%t, %y) : 2x3xf32\n"
                         "  return %r, %q\n}\n"));
    assert_text(after, "graph g(%0: 2x3xf32, %1: 2x3xi8{0.5, 0}) {\n"
                       "  %q = qnn.quantize(%0) rounding=\"even\" : 2x3xi8{0.25, 3}\n"
                       "  %t = tanh(%0) : 2x3xf32\n"
                       "  %y = qnn.dequantize(%1) : 2x3xf32\n  %r = add(%t, %y) : 2x3xf32\n"
                       "  return %r, %q\n}\n");
}

/* A network with pairs is quantised as well as without. */
static void prepared_networks_are_quantised(void **state) {
    struct bench bench;
    prepare(*state,
            "graph g(%0: 1x4x4x2xf32) {\n"
            "  %w = constant() data=[1, -2, 3, 4, 5, -6, 7, 8] : 4x1x1x2xi8{0.125, 0}\n"
            "  %q = qnn.quantize(%0) rounding=\"even\" : 1x4x4x2xi8{0.25, 0}\n"
            "  %x = qnn.dequantize(%q) : 1x4x4x2xf32\n  %v = qnn.dequantize(%w) : 4x1x1x2xf32\n"
            "  %c = conv2d(%x, %v) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1 : "
            "1x4x4x4xf32\n"
            "  %s = logistic(%c) : 1x4x4x4xf32\n  %m = mul(%c, %s) : 1x4x4x4xf32\n"
            "  %p = qnn.quantize(%m) rounding=\"even\" : 1x4x4x4xi8{0.25, 0}\n"
            "  %r = qnn.dequantize(%p) : 1x4x4x4xf32\n  return %r\n}\n",
            &bench);
    quantize(*state, &bench);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_CONV2D), 1);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_CONV2D), 0);
    for (size_t i = 0; i < bench.quantized->layer_count; i++) {
        assert_true(bench.quantized->layers[i].is_quantized ||
                    strstr(bench.quantized->layers[i].reason, "table") != NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(choices_of_no_numbers_go),
        ARENA_TEST(masks_become_finite),
        ARENA_TEST(others_stay),
        ARENA_TEST(long_ways_stay),
        ARENA_TEST(attention_is_quantised),
        ARENA_TEST(pairs_go),
        ARENA_TEST(prepared_networks_are_quantised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
