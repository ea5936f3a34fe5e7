/* compiler/passes/shuffle_channels, and what brings shuffles into the form that it takes: before
 * and after. */
#include "tests/unit/graphs.h"

#include "compiler/passes/passes.h"

#define G(input, nodes) "graph g(%0: " input ") {\n" nodes "  return %r\n}\n"
#define T               "i8{0.5, 3}"

/* As ShuffleNet has it, in two groups of two. */
#define SHUFFLE(parts, turned, order)                                                              \
    "  %p = reshape(%0) : " parts "x" T "\n"                                                       \
    "  %t = transpose(%p) permutation=" order " : " turned "x" T "\n"                              \
    "  %r = reshape(%t) : 1x2x2x4x" T "\n"

static void shuffles_are_products(void **state) {
    static const char *const texts[] = {
        G("1x2x2x4x" T, SHUFFLE("4x2x2", "4x2x2", "[0, 2, 1]")),
        G("1x2x2x4x" T, SHUFFLE("1x2x2x2x2", "1x2x2x2x2", "[0, 1, 2, 4, 3]")),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const struct weft_graph *before = graph_of(*state, texts[i]);
        const struct weft_graph *after = weft_pass_shuffle_channels(before);
        assert_int_equal(count_of(after, WEFT_OP_QNN_CONV2D), 1);
        assert_int_equal(count_of(after, WEFT_OP_TRANSPOSE), 0);
        assert_same_results(before, after);
    }
}

/* Pixel shuffling: a product for the channels, and a transpose of four axes for the pixels. */
static void pixels_move_after_channels(void **state) {
    const struct weft_graph *before =
        graph_of(*state, G("1x2x3x8x" T,
                           "  %p = reshape(%0) : 2x3x2x2x2x" T "\n"
                           "  %t = transpose(%p) permutation=[0, 3, 1, 4, 2] : 2x2x3x2x2x" T "\n"
                           "  %r = reshape(%t) : 1x4x6x2x" T "\n"));
    const struct weft_graph *after = weft_pass_shuffle_channels(before);
    assert_int_equal(count_of(after, WEFT_OP_QNN_CONV2D), 1);
    assert_int_equal(count_of(after, WEFT_OP_TRANSPOSE), 1);
    for (size_t i = 0; i < after->node_count; i++) {
        assert_true(after->nodes[i]->op != WEFT_OP_TRANSPOSE ||
                    after->nodes[i]->results[0]->type.rank <= 4);
    }
    assert_same_results(before, after);
}

/* A product with a bias and a clip, whose channels are mixed behind it, and one before which they
 * are: no product more. Scales, zero points and biases of channels go with them. */
#define MIXED(order, turned)                                                                       \
    "  %p = reshape(%q) : 4x2x2x" T "\n  %t = transpose(%p) permutation=" order " : " turned "x" T \
    "\n"
#define PRODUCT                                                                                    \
    "  %w = constant() data=[1, 2, 3, -4, 5, 6, -7, 8] : "                                         \
    "4x1x1x2xi8{axis=0; 0.5, 0; 0.25, 0; 2, 0; 1, 0}\n"                                            \
    "  %c = qnn.conv2d(%0, %w) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1 : "    \
    "1x2x2x4xi32{axis=3; 0.25, 0; 0.125, 0; 1, 0; 0.5, 0}\n"                                       \
    "  %b = constant() data=[1, -20, 300, 7] : 4xi32\n"                                            \
    "  %s = bias_add(%c, %b) : 1x2x2x4xi32{axis=3; 0.25, 0; 0.125, 0; 1, 0; 0.5, 0}\n"             \
    "  %k = qnn.requantize(%s) rounding=\"float\" : 1x2x2x4x" T "\n"                               \
    "  %q = clip(%k) min=-50 max=60 : 1x2x2x4x" T "\n"

static void products_take_shuffles_in(void **state) {
    static const char *const texts[] = {
        G("1x2x2x2x" T, PRODUCT MIXED("[0, 2, 1]", "4x2x2") "  %r = reshape(%t) : 1x2x2x4x" T "\n"),
        G("1x2x2x2x" T, PRODUCT "  %p = reshape(%q) : 4x4x1x1x" T "\n"
                                "  %t = transpose(%p) permutation=[0, 2, 3, 1] : 4x1x1x4x" T "\n"
                                "  %r = reshape(%t) : 1x2x2x4x" T "\n"),
        G("1x2x2x4x" T,
          "  %p = reshape(%0) : 4x2x2x" T "\n"
          "  %t = transpose(%p) permutation=[0, 2, 1] : 4x2x2x" T "\n"
          "  %x = reshape(%t) : 1x2x2x4x" T "\n"
          "  %w = constant() data=[1, 2, 3, -4, 5, 6, -7, 8] : 2x1x1x4xi8{axis=0; 0.5, 0; 1, 0}\n"
          "  %c = qnn.conv2d(%x, %w) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1 "
          ": "
          "1x2x2x2xi32{axis=3; 0.25, 0; 0.5, 0}\n"
          "  %r = qnn.requantize(%c) rounding=\"float\" : 1x2x2x2x" T "\n"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const struct weft_graph *before = graph_of(*state, texts[i]);
        const struct weft_graph *after = weft_pass_shuffle_channels(before);
        assert_int_equal(count_of(after, WEFT_OP_QNN_CONV2D), 1);
        if (i != 1) { /* which moves nothing */
            assert_int_equal(count_of(after, WEFT_OP_TRANSPOSE), 0);
        }
        assert_same_results(before, after);
    }
}

/* What else needs the product as it was, or has groups: a product of its own, as before. */
static void products_that_others_need_stay(void **state) {
    static const char *const texts[] = {
        "graph g(%0: 1x2x2x2x" T
        ") {\n" PRODUCT MIXED("[0, 2, 1]", "4x2x2") "  %r = reshape(%t) : 1x2x2x4x" T
                                                    "\n  return %r, %q\n}\n",
        "graph g(%0: 1x2x2x2x" T
        ") {\n" PRODUCT MIXED("[0, 2, 1]", "4x2x2") "  %r = reshape(%t) : 1x2x2x4x" T
                                                    "\n  return %r, %k\n}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const struct weft_graph *before = graph_of(*state, texts[i]);
        const struct weft_graph *after = weft_pass_shuffle_channels(before);
        assert_int_equal(count_of(after, WEFT_OP_QNN_CONV2D), 2);
        assert_same_results(before, after);
    }
}

static void gathers_are_products(void **state) {
    static const char text[] =
        G("3x4xu8{0.5, 7}", "  %i = constant() data=[2, 0, 2, 3, 1] : 5xi64\n"
                            "  %r = gather(%0, %i) axis=1 batch_dims=0 : 3x5xu8{0.5, 7}\n");
    const struct weft_graph *before = graph_of(*state, text);
    const struct weft_graph *after = weft_pass_shuffle_channels(before);
    assert_int_equal(count_of(after, WEFT_OP_QNN_CONV2D), 1);
    assert_int_equal(count_of(after, WEFT_OP_GATHER), 0);
    assert_same_results(before, after);
}

static void others_stay(void **state) {
    static const char *const texts[] = {
        /* rows move; the channels are others behind; floats; no scale; rows are gathered */
        G("1x4x2x4x" T, "  %p = reshape(%0) : 2x2x8x" T "\n"
                        "  %t = transpose(%p) permutation=[1, 0, 2] : 2x2x8x" T "\n"
                        "  %r = reshape(%t) : 1x4x2x4x" T "\n"),
        G("1x2x2x4x" T, "  %p = reshape(%0) : 4x2x2x" T "\n"
                        "  %t = transpose(%p) permutation=[0, 2, 1] : 4x2x2x" T "\n"
                        "  %r = reshape(%t) : 1x2x4x2x" T "\n"),
        G("2x4xf32", "  %p = reshape(%0) : 2x2x2xf32\n"
                     "  %t = transpose(%p) permutation=[0, 2, 1] : 2x2x2xf32\n"
                     "  %r = reshape(%t) : 2x4xf32\n"),
        G("2x4xi8", "  %p = reshape(%0) : 2x2x2xi8\n"
                    "  %t = transpose(%p) permutation=[0, 2, 1] : 2x2x2xi8\n"
                    "  %r = reshape(%t) : 2x4xi8\n"),
        G("3x4x" T, "  %i = constant() data=[2, 0] : 2xi64\n"
                    "  %r = gather(%0, %i) axis=0 batch_dims=0 : 2x4x" T "\n"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_stays(*state, weft_pass_shuffle_channels, texts[i]);
    }
}

/* The host says so when it runs. */
static void a_channel_that_is_not_there_is_no_product(void **state) {
    static const char text[] =
        G("3x4x" T, "  %i = constant() data=[2, 4] : 2xi64\n"
                    "  %r = gather(%0, %i) axis=1 batch_dims=0 : 3x2x" T "\n");
    assert_int_equal(
        count_of(weft_pass_shuffle_channels(graph_of(*state, text)), WEFT_OP_QNN_CONV2D), 0);
}

/* Between transposes to channels first and back, as PyTorch has it. */
static void shuffles_of_channels_that_come_first_are_of_the_last(void **state) {
    static const char text[] =
        G("1x3x5x4x" T, "  %a = transpose(%0) permutation=[0, 3, 1, 2] : 1x4x3x5x" T "\n"
                        "  %p = reshape(%a) : 1x2x2x3x5x" T "\n"
                        "  %t = transpose(%p) permutation=[0, 2, 1, 3, 4] : 1x2x2x3x5x" T "\n"
                        "  %b = reshape(%t) : 1x4x3x5x" T "\n"
                        "  %s = strided_slice(%b) begin=[0, 2, 0, 0] steps=[1, 1, 1, 1] "
                        "sizes=[1, 2, 3, 5] : 1x2x3x5x" T "\n"
                        "  %r = transpose(%s) permutation=[0, 2, 3, 1] : 1x3x5x2x" T "\n");
    const struct weft_graph *before = graph_of(*state, text);
    const struct weft_graph *after = weft_pass_shuffle_channels(
        weft_pass_simplify_moves(weft_pass_sink_transposes(weft_pass_merge_moves(before))));
    assert_int_equal(count_of(after, WEFT_OP_TRANSPOSE), 0);
    assert_int_equal(count_of(after, WEFT_OP_QNN_CONV2D), 1);
    assert_same_results(before, after);
}

/* Where channels are last in the end alone the shuffle waits for them. */
static void a_shuffle_in_a_chain_is_kept_apart(void **state) {
    assert_stays(*state, weft_pass_merge_moves,
                 G("1x4x3x5x" T,
                   "  %p = reshape(%0) : 1x2x2x15x" T "\n"
                   "  %t = transpose(%p) permutation=[0, 2, 1, 3] : 1x2x2x15x" T "\n"
                   "  %b = reshape(%t) : 1x4x3x5x" T "\n"
                   "  %r = transpose(%b) permutation=[0, 2, 3, 1] : 1x3x5x4x" T "\n"));
    assert_pass(*state, weft_pass_merge_moves,
                G("1x3x5x4x" T, "  %a = transpose(%0) permutation=[0, 3, 1, 2] : 1x4x3x5x" T "\n"
                                "  %p = reshape(%a) : 1x2x2x15x" T "\n"
                                "  %t = transpose(%p) permutation=[0, 2, 1, 3] : 1x2x2x15x" T "\n"
                                "  %b = reshape(%t) : 1x4x3x5x" T "\n"
                                "  %r = transpose(%b) permutation=[0, 2, 3, 1] : 1x3x5x4x" T "\n"),
                G("1x3x5x4x" T,
                  "  %made0 = reshape(%0) : 15x2x2x" T "\n"
                  "  %made1 = transpose(%made0) permutation=[0, 2, 1] : 15x2x2x" T "\n"
                  "  %r = reshape(%made1) : 1x3x5x4x" T "\n"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(shuffles_are_products),
        ARENA_TEST(pixels_move_after_channels),
        ARENA_TEST(products_take_shuffles_in),
        ARENA_TEST(products_that_others_need_stay),
        ARENA_TEST(gathers_are_products),
        ARENA_TEST(others_stay),
        ARENA_TEST(a_channel_that_is_not_there_is_no_product),
        ARENA_TEST(shuffles_of_channels_that_come_first_are_of_the_last),
        ARENA_TEST(a_shuffle_in_a_chain_is_kept_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
