/* compiler/passes/cut_taps.c: rows and columns of windows that meet nothing but padding. */
#include "tests/unit/graphs.h"

#include "compiler/passes/passes.h"

#define WINDOW(strides, padding, dilation)                                                         \
    " strides=[" strides "] padding=[" padding "] dilation=[" dilation "] groups=1"
#define NINE "  %w = constant() data=[1, 2, 3, 4, 5, 6, 7, 8, 9] : 1x3x3x1xi8{0.25, 0}\n"

/* Nine pixels apart over a picture of 4 x 2: the middle is left. Zero points of both are not 0. */
static void what_lies_outside_everywhere_goes(void **state) {
    assert_pass(*state, weft_pass_cut_taps,
                "graph g(%0: 1x4x2x1xi8{0.5, -3}) {\n"
                "  %w = constant() data=[1, 2, 3, 4, 5, 6, 7, 8, 9] : 1x3x3x1xi8{0.25, 7}\n"
                "  %c = qnn.conv2d(%0, %w)" WINDOW(
                    "1, 1", "9, 9, 9, 9", "9, 9") " : "
                                                  "1x4x2x1xi32{0.125, 0}\n  return %c\n}\n",
                "graph g(%0: 1x4x2x1xi8{0.5, -3}) {\n"
                "  %made0 = constant() data=[5] : 1x1x1x1xi8{0.25, 7}\n"
                "  %c = qnn.conv2d(%0, %made0) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[9, 9] "
                "groups=1 cut_macs=64 : 1x4x2x1xi32{0.125, 0}\n  return %c\n}\n");
}

/* Of a window over two rows and one column, two rows apart: the row above all results is outside of
 * the picture, the one below is not; of columns the middle. */
static void rows_and_columns_go_by_themselves(void **state) {
    assert_pass(*state, weft_pass_cut_taps,
                "graph g(%0: 1x2x1x1xi8{0.5, -3}) {\n" NINE "  %c = qnn.conv2d(%0, %w)" WINDOW(
                    "2, 1", "1, 1, 0, 1", "1, 1") " : "
                                                  "1x1x1x1xi32{0.125, 0}\n  return %c\n}\n",
                "graph g(%0: 1x2x1x1xi8{0.5, -3}) {\n"
                "  %made0 = constant() data=[5, 8] : 1x2x1x1xi8{0.25, 0}\n"
                "  %c = qnn.conv2d(%0, %made0) strides=[2, 1] padding=[0, 0, 0, 0] dilation=[1, 1] "
                "groups=1 cut_macs=7 : 1x1x1x1xi32{0.125, 0}\n  return %c\n}\n");
}

/* Weights of several outputs and inputs, and what was cut before. */
static void the_right_weights_are_left(void **state) {
    assert_pass(*state, weft_pass_cut_taps,
                "graph g(%0: 1x2x2x2xi8{0.5, -3}) {\n"
                "  %w = constant() data=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16] : "
                "2x2x2x2xi8{0.25, 0}\n"
                "  %c = qnn.conv2d(%0, %w)" WINDOW(
                    "2, 2", "0, 0, 2, 2", "2, 2") " cut_macs=100 : "
                                                  "1x1x1x2xi32{0.125, 0}\n  return %c\n}\n",
                "graph g(%0: 1x2x2x2xi8{0.5, -3}) {\n"
                "  %made0 = constant() data=[1, 2, 9, 10] : 2x1x1x2xi8{0.25, 0}\n"
                "  %c = qnn.conv2d(%0, %made0)" WINDOW(
                    "2, 2", "0, 0, 0, 0", "2, 2") " cut_macs=112 : "
                                                  "1x1x1x2xi32{0.125, 0}\n  return %c\n}\n");
}

/* Padding that is less than what would go; a window that meets nothing; taps that some result
 * meets; weights that are not known. */
static void others_stay(void **state) {
    static const char *const texts[] = {
        "graph g(%0: 1x2x1x1xi8{0.5, -3}) {\n"
        "  %w = constant() data=[1, 2] : 1x2x1x1xi8{0.25, 0}\n"
        "  %c = qnn.conv2d(%0, %w)" WINDOW("2, 1", "0, 0, 1, 0",
                                           "2, 1") " : "
                                                   "1x1x1x1xi32{0.125, 0}\n  return %c\n}\n",
        "graph g(%0: 1x1x1x1xi8{0.5, -3}) {\n"
        "  %w = constant() data=[1, 2] : 1x2x1x1xi8{0.25, 0}\n"
        "  %c = qnn.conv2d(%0, %w)" WINDOW("1, 1", "5, 0, 4, 0",
                                           "9, 1") " : "
                                                   "1x1x1x1xi32{0.125, 0}\n  return %c\n}\n",
        "graph g(%0: 1x2x2x1xi8{0.5, -3}) {\n" NINE "  %c = qnn.conv2d(%0, %w)" WINDOW(
            "1, 1", "1, 1, 1, 1", "1, 1") " : "
                                          "1x2x2x1xi32{0.125, 0}\n  return %c\n}\n",
        "graph g(%0: 1x1x1x1xi8{0.5, -3}, %w: 1x3x3x1xi8{0.25, 0}) {\n"
        "  %c = qnn.conv2d(%0, %w)" WINDOW("1, 1", "1, 1, 1, 1",
                                           "1, 1") " : "
                                                   "1x1x1x1xi32{0.125, 0}\n  return %c\n}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_pass(*state, weft_pass_cut_taps, texts[i], texts[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(what_lies_outside_everywhere_goes),
        ARENA_TEST(rows_and_columns_go_by_themselves),
        ARENA_TEST(the_right_weights_are_left),
        ARENA_TEST(others_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
