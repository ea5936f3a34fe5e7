/* compiler/passes/fold_scales: before and after. Numbers are such that floats hold all results
 * exactly. */
#include "tests/unit/graphs.h"

#include "compiler/passes/passes.h"

#define G(nodes, outputs) "graph g(%0: 1x2x2x1xf32) {\n" nodes "  return " outputs "\n}\n"
#define CONV(name, w)                                                                              \
    "  %" name " = conv2d(%0, %" w                                                                 \
    ") strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1 "                              \
    ": 1x2x2x2xf32\n"
#define WEIGHTS "  %w = constant() data=[2, 3] : 2x1x1x1xf32\n"

/* Inputs of assert_pass() are random floats, for which results differ in the last places. */
static void assert_folds(struct weft_arena *arena, const char *before, const char *after) {
    struct weft_error error;
    const struct weft_graph *made = weft_pass_fold_scales(graph_of(arena, before));
    ASSERT_GOOD(weft_graph_verify(made, &error), error);
    assert_text(made, after);
}

static void batch_normalisation_goes_into_weights(void **state) {
    assert_folds(*state,
                 G(WEIGHTS CONV("c", "w") "  %s = constant() data=[0.5, -4] : 2xf32\n"
                                          "  %o = constant() data=[1, 8] : 1x1x1x2xf32\n"
                                          "  %m = mul(%c, %s) : 1x2x2x2xf32\n"
                                          "  %r = add(%o, %m) : 1x2x2x2xf32\n",
                   "%r"),
                 G("  %made0 = constant() data=[1, -12] : 2x1x1x1xf32\n" CONV(
                       "m", "made0") "  %made1 = constant() data=[1, 8] : 2xf32\n"
                                     "  %r = bias_add(%m, %made1) : 1x2x2x2xf32\n",
                   "%r"));
}

static void a_bias_takes_factors_and_offsets(void **state) {
    assert_folds(*state,
                 G(WEIGHTS CONV("c", "w") "  %b = constant() data=[10, 20] : 2xf32\n"
                                          "  %d = bias_add(%c, %b) : 1x2x2x2xf32\n"
                                          "  %o = constant() data=[4] : f32\n"
                                          "  %r = subtract(%d, %o) : 1x2x2x2xf32\n",
                   "%r"),
                 G(WEIGHTS CONV("c", "w") "  %made0 = constant() data=[6, 16] : 2xf32\n"
                                          "  %r = bias_add(%c, %made0) : 1x2x2x2xf32\n",
                   "%r"));
}

static void divisors_are_factors(void **state) {
    assert_folds(
        *state,
        G(WEIGHTS CONV("c", "w") "  %s = constant() data=[0.5, -4] : 2xf32\n"
                                 "  %r = divide(%c, %s) : 1x2x2x2xf32\n",
          "%r"),
        G("  %made0 = constant() data=[4, -0.75] : 2x1x1x1xf32\n" CONV("r", "made0"), "%r"));
}

#define A(nodes, output) "graph g(%0: 2x2xf32, %1: 1x2x2xf32) {\n" nodes "  return " output "\n}\n"
#define QUERIES                                                                                    \
    "  %w = constant() data=[1, 2, 3, 4] : 2x2xf32\n  %d = dense(%0, %w) : 2x2xf32\n"              \
    "  %b = constant() data=[4, 8] : 2xf32\n  %e = bias_add(%d, %b) : 2x2xf32\n"                   \
    "  %m = reshape(%e) : 1x2x2xf32\n"                                                             \
    "  %t = transpose(%m) permutation=[0, 2, 1] : 1x2x2xf32\n"
#define QUARTERS                                                                                   \
    "  %made0 = constant() data=[0.25, 0.5, 0.75, 1] : 2x2xf32\n"                                  \
    "  %made1 = dense(%0, %made0) : 2x2xf32\n"                                                     \
    "  %made2 = constant() data=[1, 2] : 2xf32\n"                                                  \
    "  %made3 = bias_add(%made1, %made2) : 2x2xf32\n"                                              \
    "  %made4 = reshape(%made3) : 1x2x2xf32\n"                                                     \
    "  %made5 = transpose(%made4) permutation=[0, 2, 1] : 1x2x2xf32\n"
#define SCORES(name, operands)                                                                     \
    "  %" name " = batch_matmul(" operands ") transpose_a=0 transpose_b=0 : 1x2x2xf32\n"

/* Over what moves, and over products of two tensors, by their first operand or their second. */
static void one_number_goes_further_up(void **state) {
    assert_folds(*state,
                 A(QUERIES SCORES("s", "%t, %1") "  %four = constant() data=[4] : f32\n"
                                                 "  %r = divide(%s, %four) : 1x2x2xf32\n",
                   "%r"),
                 A(QUARTERS SCORES("r", "%made5, %1"), "%r"));
    assert_folds(*state,
                 A(QUERIES SCORES("s", "%1, %t") "  %four = constant() data=[0.25] : f32\n"
                                                 "  %r = mul(%s, %four) : 1x2x2xf32\n",
                   "%r"),
                 A(QUARTERS SCORES("r", "%1, %made5"), "%r"));
    static const char *const texts[] = {
        A(QUERIES SCORES("s", "%t, %1") "  %four = constant() data=[4] : f32\n"
                                        "  %r = divide(%s, %four) : 1x2x2xf32\n",
          "%r, %m"),
        A(QUERIES SCORES("s", "%t, %1") "  %four = constant() data=[4, 2] : 2xf32\n"
                                        "  %r = divide(%s, %four) : 1x2x2xf32\n",
          "%r"),
        A(SCORES("s", "%1, %1") "  %four = constant() data=[4] : f32\n"
                                "  %r = divide(%s, %four) : 1x2x2xf32\n",
          "%r"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_stays(*state, weft_pass_fold_scales, texts[i]);
    }
}

static void what_is_used_elsewhere_stays(void **state) {
    static const char *const texts[] = {
        G(WEIGHTS CONV("c", "w") "  %s = constant() data=[0.5, -4] : 2xf32\n"
                                 "  %r = mul(%c, %s) : 1x2x2x2xf32\n",
          "%c, %r"),
        /* a number for each pixel */
        G(WEIGHTS CONV("c", "w") "  %s = constant() data=[1, 2, 3, 4] : 2x2x1xf32\n"
                                 "  %r = mul(%c, %s) : 1x2x2x2xf32\n",
          "%r"),
        G("  %s = constant() data=[0.5] : f32\n  %r = mul(%0, %s) : 1x2x2x1xf32\n", "%r"),
        /* 1 / 0 is no factor, a number over the convolution no divisor */
        G(WEIGHTS CONV("c", "w") "  %s = constant() data=[0.5, 0] : 2xf32\n"
                                 "  %r = divide(%c, %s) : 1x2x2x2xf32\n",
          "%r"),
        G(WEIGHTS CONV("c", "w") "  %s = constant() data=[0.5, 2] : 2xf32\n"
                                 "  %r = divide(%s, %c) : 1x2x2x2xf32\n",
          "%r"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_stays(*state, weft_pass_fold_scales, texts[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(batch_normalisation_goes_into_weights),
        ARENA_TEST(a_bias_takes_factors_and_offsets),
        ARENA_TEST(divisors_are_factors),
        ARENA_TEST(one_number_goes_further_up),
        ARENA_TEST(what_is_used_elsewhere_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
