/* compiler/passes/pool_maxima: before and after, and shapes of any size. */
#include "tests/unit/graphs.h"

#include <inttypes.h>
#include <stdio.h>

#include "compiler/passes/passes.h"

#define G(input, nodes) "graph g(%0: " input ") {\n" nodes "  return %r\n}\n"

static void the_most_of_an_image_is_a_pool(void **state) {
    assert_pass(*state, weft_pass_pool_maxima,
                G("1x5x4x3xi8{0.5, 3}",
                  "  %r = reduce_max(%0) axes=[1, 2] keep_dims=1 : 1x1x1x3xi8{0.5, 3}\n"),
                G("1x5x4x3xi8{0.5, 3}", "  %r = max_pool2d(%0) kernel=[5, 4] strides=[5, 4] "
                                        "padding=[0, 0, 0, 0] : 1x1x1x3xi8{0.5, 3}\n"));
    assert_pass(*state, weft_pass_pool_maxima,
                G("2x5x4x3xu8", "  %r = reduce_max(%0) axes=[1] keep_dims=0 : 2x4x3xu8\n"),
                G("2x5x4x3xu8", "  %made0 = reshape(%0) : 2x1x5x12xu8\n"
                                "  %made1 = max_pool2d(%made0) kernel=[1, 5] strides=[1, 5] "
                                "padding=[0, 0, 0, 0] : 2x1x1x12xu8\n"
                                "  %r = reshape(%made1) : 2x4x3xu8\n"));
}

static void long_axes_are_rows_and_columns(void **state) {
    assert_pass(*state, weft_pass_pool_maxima,
                G("1x124x3xi8", "  %r = reduce_max(%0) axes=[1] keep_dims=1 : 1x1x3xi8\n"),
                G("1x124x3xi8", "  %made0 = reshape(%0) : 1x2x62x3xi8\n"
                                "  %made1 = max_pool2d(%made0) kernel=[2, 62] strides=[2, 62] "
                                "padding=[0, 0, 0, 0] : 1x1x1x3xi8\n"
                                "  %r = reshape(%made1) : 1x1x3xi8\n"));
    /* of a prime number, windows side by side, the last one over the end */
    assert_pass(*state, weft_pass_pool_maxima,
                G("1x127x3xi8", "  %r = reduce_max(%0) axes=[1] keep_dims=1 : 1x1x3xi8\n"),
                G("1x127x3xi8", "  %made0 = reshape(%0) : 1x1x127x3xi8\n"
                                "  %made1 = max_pool2d(%made0) kernel=[1, 63] strides=[1, 63] "
                                "padding=[0, 0, 0, 62] : 1x1x3x3xi8\n"
                                "  %made2 = max_pool2d(%made1) kernel=[1, 3] strides=[1, 3] "
                                "padding=[0, 0, 0, 0] : 1x1x1x3xi8\n"
                                "  %r = reshape(%made2) : 1x1x3xi8\n"));
}

static void windows_that_are_too_large_are_others(void **state) {
    assert_pass(*state, weft_pass_pool_maxima,
                G("1x64x2x3xi8", "  %r = max_pool2d(%0) kernel=[64, 2] strides=[1, 1] "
                                 "padding=[0, 0, 0, 0] : 1x1x1x3xi8\n"),
                G("1x64x2x3xi8", "  %made0 = reshape(%0) : 1x4x32x3xi8\n"
                                 "  %r = max_pool2d(%made0) kernel=[4, 32] strides=[4, 32] "
                                 "padding=[0, 0, 0, 0] : 1x1x1x3xi8\n"));
}

/* Spatial pyramids: along one axis, then along the other. */
static void long_windows_are_divided(void **state) {
    static const char *const texts[] = {
        G("2x8x9x3xu8", "  %r = max_pool2d(%0) kernel=[4, 7] strides=[1, 2] "
                        "padding=[1, 3, 2, 3] : 2x8x5x3xu8\n"),
        G("1x40x7x5xi8", "  %r = max_pool2d(%0) kernel=[31, 3] strides=[1, 1] "
                         "padding=[15, 0, 15, 0] : 1x40x5x5xi8\n"),
        G("1x70x70x1xi8", "  %r = max_pool2d(%0) kernel=[63, 62] strides=[1, 3] "
                          "padding=[0, 1, 1, 0] : 1x9x4x1xi8\n"),
    };
    assert_pass(*state, weft_pass_pool_maxima,
                G("1x8x9x3xi8{0.5, 3}", "  %r = max_pool2d(%0) kernel=[5, 5] strides=[1, 1] "
                                        "padding=[2, 1, 2, 3] : 1x8x9x3xi8{0.5, 3}\n"),
                G("1x8x9x3xi8{0.5, 3}", "  %made0 = max_pool2d(%0) kernel=[1, 5] strides=[1, 1] "
                                        "padding=[0, 1, 0, 3] : 1x8x9x3xi8{0.5, 3}\n"
                                        "  %r = max_pool2d(%made0) kernel=[5, 1] strides=[1, 1] "
                                        "padding=[2, 0, 2, 0] : 1x8x9x3xi8{0.5, 3}\n"));
    /* rows first: there are fewer of them then */
    assert_pass(*state, weft_pass_pool_maxima,
                G("1x9x20x3xu8", "  %r = max_pool2d(%0) kernel=[5, 5] strides=[3, 1] "
                                 "padding=[1, 0, 0, 0] : 1x2x16x3xu8\n"),
                G("1x9x20x3xu8", "  %made0 = max_pool2d(%0) kernel=[5, 1] strides=[3, 1] "
                                 "padding=[1, 0, 0, 0] : 1x2x20x3xu8\n"
                                 "  %r = max_pool2d(%made0) kernel=[1, 5] strides=[1, 1] "
                                 "padding=[0, 0, 0, 0] : 1x2x16x3xu8\n"));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const struct weft_graph *before = graph_of(*state, texts[i]);
        const struct weft_graph *after = weft_pass_pool_maxima(before);
        assert_int_equal(count_of(after, WEFT_OP_MAX_POOL2D), 2);
        assert_same_results(before, after);
    }
}

static void others_stay(void **state) {
    static const char *const texts[] = {
        /* few elements; large strides, which leave few of many; floats */
        G("1x9x9x3xi8", "  %r = max_pool2d(%0) kernel=[3, 3] strides=[1, 1] "
                        "padding=[1, 1, 1, 1] : 1x9x9x3xi8\n"),
        G("1x35x35x3xi8", "  %r = max_pool2d(%0) kernel=[7, 7] strides=[7, 7] "
                          "padding=[0, 0, 0, 0] : 1x5x5x3xi8\n"),
        G("1x9x9x3xf32", "  %r = max_pool2d(%0) kernel=[5, 5] strides=[1, 1] "
                         "padding=[2, 2, 2, 2] : 1x9x9x3xf32\n"),
        /* of floats; of channels; of axes apart; of one element; of one channel */
        G("1x5x4x3xf32", "  %r = reduce_max(%0) axes=[1, 2] keep_dims=1 : 1x1x1x3xf32\n"),
        G("1x5x4x3xi8", "  %r = reduce_max(%0) axes=[2, 3] keep_dims=1 : 1x5x1x1xi8\n"),
        G("2x5x4x3xi8", "  %r = reduce_max(%0) axes=[0, 2] keep_dims=1 : 1x5x1x3xi8\n"),
        G("2x1x1x3xi8", "  %r = reduce_max(%0) axes=[1, 2] keep_dims=0 : 2x3xi8\n"),
        G("1x5x4x1xi8", "  %r = reduce_max(%0) axes=[1, 2] keep_dims=1 : 1x1x1x1xi8\n"),
        /* windows that the machine has, that slide, and that hang over */
        G("1x5x4x3xi8", "  %r = max_pool2d(%0) kernel=[5, 4] strides=[1, 1] "
                        "padding=[0, 0, 0, 0] : 1x1x1x3xi8\n"),
        G("1x65x1x3xi8", "  %r = max_pool2d(%0) kernel=[64, 1] strides=[1, 1] "
                         "padding=[0, 0, 0, 0] : 1x2x1x3xi8\n"),
        G("1x64x1x3xi8", "  %r = max_pool2d(%0) kernel=[64, 1] strides=[1, 1] "
                         "padding=[1, 0, 0, 0] : 1x2x1x3xi8\n"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_stays(*state, weft_pass_pool_maxima, texts[i]);
    }
}

/* Every window that is left is one of the machine. */
static void any_size_computes_the_same(void **state) {
    static const int64_t sizes[][2] = {{1, 2},   {2, 1},    {63, 63},  {64, 64},   {63, 64},
                                       {1, 64},  {1, 67},   {1, 3969}, {1, 3970},  {1, 3967},
                                       {89, 97}, {131, 31}, {1, 8191}, {257, 509}, {1, 262144}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char text[256];
        (void)snprintf(text, sizeof text,
                       "graph g(%%0: 1x%" PRId64 "x%" PRId64 "x2xi8) {\n"
                       "  %%r = reduce_max(%%0) axes=[1, 2] keep_dims=0 : 1x2xi8\n"
                       "  return %%r\n}\n",
                       sizes[i][0], sizes[i][1]);
        const struct weft_graph *before = graph_of(*state, text);
        const struct weft_graph *after = weft_pass_pool_maxima(before);
        assert_int_equal(count_of(after, WEFT_OP_REDUCE_MAX), 0);
        for (size_t k = 0; k < after->node_count; k++) {
            const struct weft_node *node = after->nodes[k];
            if (node->op == WEFT_OP_MAX_POOL2D) {
                assert_in_range(weft_node_ints(node, WEFT_ATTR_kernel)[0], 1, 63);
                assert_in_range(weft_node_ints(node, WEFT_ATTR_kernel)[1], 1, 63);
            }
        }
        assert_same_results(before, after);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(the_most_of_an_image_is_a_pool),
        ARENA_TEST(long_axes_are_rows_and_columns),
        ARENA_TEST(windows_that_are_too_large_are_others),
        ARENA_TEST(long_windows_are_divided),
        ARENA_TEST(others_stay),
        ARENA_TEST(any_size_computes_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
