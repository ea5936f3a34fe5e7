/* compiler/passes/make_dense: before and after. */
#include "tests/unit/graphs.h"

#include "compiler/passes/passes.h"

#define G(x, nodes) "graph g(%0: " x "xf32) {\n" nodes "  return %r\n}\n"
#define MATRIX      "  %w = constant() data=[1, 2, 3, 4, 5, 6] : 3x2xf32\n"
#define PLAIN       " transpose_a=0 transpose_b=0 : "

/* Sums may be in another order, so results are not compared here; tests/onnx does. */
static void assert_becomes(struct weft_arena *arena, const char *before, const char *after) {
    struct weft_error error;
    const struct weft_graph *made = weft_pass_make_dense(graph_of(arena, before));
    ASSERT_GOOD(weft_graph_verify(made, &error), error);
    assert_text(made, after);
}

static void products_of_known_matrices_are_dense(void **state) {
    assert_becomes(*state, G("4x3", MATRIX "  %r = batch_matmul(%0, %w)" PLAIN "4x2xf32\n"),
                   G("4x3", "  %made0 = constant() data=[1, 3, 5, 2, 4, 6] : 2x3xf32\n"
                            "  %r = dense(%0, %made0) : 4x2xf32\n"));
    assert_becomes(*state,
                   G("4x2", MATRIX "  %r = batch_matmul(%0, %w) transpose_a=0 transpose_b=1 "
                                   ": 4x3xf32\n"),
                   G("4x2", "  %made0 = constant() data=[1, 2, 3, 4, 5, 6] : 3x2xf32\n"
                            "  %r = dense(%0, %made0) : 4x3xf32\n"));
}

static void sums_become_their_bias(void **state) {
    assert_becomes(*state,
                   G("2x4x3", MATRIX "  %a = batch_matmul(%0, %w)" PLAIN "2x4x2xf32\n"
                                     "  %b = constant() data=[7, 8] : 2xf32\n"
                                     "  %r = add(%b, %a) : 2x4x2xf32\n"),
                   G("2x4x3", "  %made0 = reshape(%0) : 8x3xf32\n"
                              "  %made1 = constant() data=[1, 3, 5, 2, 4, 6] : 2x3xf32\n"
                              "  %made2 = dense(%made0, %made1) : 8x2xf32\n"
                              "  %made3 = constant() data=[7, 8] : 2xf32\n"
                              "  %made4 = bias_add(%made2, %made3) : 8x2xf32\n"
                              "  %r = reshape(%made4) : 2x4x2xf32\n"));
}

static void other_products_stay(void **state) {
    static const char *const texts[] = {
        /* a matrix for each of the batch */
        G("2x1x2", "  %w = constant() data=[1, 2, 3, 4, 5, 6, 7, 8] : 2x2x2xf32\n"
                   "  %r = batch_matmul(%0, %w)" PLAIN "2x1x2xf32\n"),
        /* the result has more axes than the operand */
        G("1x2", "  %w = constant() data=[1, 2, 3, 4] : 1x2x2xf32\n"
                 "  %r = batch_matmul(%0, %w)" PLAIN "1x1x2xf32\n"),
        G("2x2", "  %w = constant() data=[1, 2, 3, 4] : 2x2xf32\n"
                 "  %r = batch_matmul(%0, %w) transpose_a=1 transpose_b=0 : 2x2xf32\n"),
        G("2x2", "  %r = batch_matmul(%0, %0)" PLAIN "2x2xf32\n"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_stays(*state, weft_pass_make_dense, texts[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(products_of_known_matrices_are_dense),
        ARENA_TEST(sums_become_their_bias),
        ARENA_TEST(other_products_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
