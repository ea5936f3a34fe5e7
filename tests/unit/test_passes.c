/* compiler/passes: what each makes of a graph, and that the graph still computes the same. */
#include "tests/unit/graphs.h"

#include "compiler/passes/passes.h"

/* ---- fold_pad ---- */

#define X       "1x3x4x1xi8{0.5, -3}"
#define W       "  %w = constant() data=[1, -2, 3, -4] : 1x2x2x1xi8{0.25, 0}\n"
#define OUT     " : 1x5x4x1xi32{0.125, 0}\n"
#define PADDED  "1x6x5x1xi8{0.5, -3}"
#define PAD     "  %p = pad(%0) pads=[0, 0, 1, 2, 0, 1, 0, 0] : " PADDED "\n"
#define REST(n) " strides=[1, 1] padding=[" n "] dilation=[1, 1] groups=1"

static void a_pad_becomes_padding_of_the_convolution(void **state) {
    assert_pass(*state, weft_pass_fold_pad,
                "graph g(%0: " X ") {\n" W PAD "  %c = qnn.conv2d(%p, %w)" REST("0, 0, 0, 0") OUT
                "  return %c\n}\n",
                "graph g(%0: " X ") {\n" W PAD "  %c = qnn.conv2d(%0, %w)" REST("1, 0, 2, 1") OUT
                "  return %c\n}\n");
}

static void paddings_add_up(void **state) {
    assert_pass(*state, weft_pass_fold_pad,
                "graph g(%0: " X ") {\n" W PAD
                "  %c = qnn.conv2d(%p, %w)" REST("0, 3, 1, 2") " : 1x6x9x1xi32{0.125, 0}\n"
                                                               "  return %c\n}\n",
                "graph g(%0: " X ") {\n" W PAD
                "  %c = qnn.conv2d(%0, %w)" REST("1, 3, 3, 3") " : 1x6x9x1xi32{0.125, 0}\n"
                                                               "  return %c\n}\n");
}

static void a_pad_of_channels_or_images_stays(void **state) {
    static const char channels[] =
        "graph g(%0: 1x3x4x1xi8{0.5, -3}) {\n"
        "  %w = constant() data=[1, -2] : 1x1x1x2xi8{0.25, 0}\n"
        "  %p = pad(%0) pads=[0, 0, 0, 0, 0, 0, 0, 1] : 1x3x4x2xi8{0.5, -3}\n"
        "  %c = qnn.conv2d(%p, %w)" REST("0, 0, 0, 0") " : 1x3x4x1xi32{0.125, 0}\n"
                                                       "  return %c\n}\n";
    static const char images[] =
        "graph g(%0: " X ") {\n" W "  %p = pad(%0) pads=[1, 0, 0, 0, 0, 0, 0, 0] : "
        "2x3x4x1xi8{0.5, -3}\n"
        "  %c = qnn.conv2d(%p, %w)" REST("0, 0, 0, 0") " : 2x2x3x1xi32{0.125, 0}\n"
                                                       "  return %c\n}\n";
    assert_pass(*state, weft_pass_fold_pad, channels, channels);
    assert_pass(*state, weft_pass_fold_pad, images, images);
}

static void a_pad_before_something_else_stays(void **state) {
    static const char pool[] =
        "graph g(%0: " X ") {\n" PAD
        "  %m = max_pool2d(%p) kernel=[2, 2] strides=[1, 1] padding=[0, 0, 0, 0] : "
        "1x5x4x1xi8{0.5, -3}\n"
        "  return %m\n}\n";
    assert_pass(*state, weft_pass_fold_pad, pool, pool);
}

/* Of the smallest number, 2 rows below: a window of 3 rows has one inside, a window of 2 has not.
 */
#define SMALL         "1x3x4x1xi8{0.5, -128}"
#define SMALL_PAD     "  %p = pad(%0) pads=[0, 0, 1, 2, 0, 1, 0, 0] : 1x6x5x1xi8{0.5, -128}\n"
#define POOL(x, size) "  %m = max_pool2d(" x ") kernel=" size " strides=[1, 1] padding="

static void a_pad_of_the_smallest_number_becomes_padding_of_a_maximum(void **state) {
    assert_pass(*state, weft_pass_fold_pad,
                "graph g(%0: " SMALL ") {\n" SMALL_PAD POOL(
                    "%p", "[3, 2]") "[0, 0, 0, 0] : 1x4x4x1xi8{0.5, -128}\n  return %m\n}\n",
                "graph g(%0: " SMALL ") {\n" SMALL_PAD POOL(
                    "%0", "[3, 2]") "[1, 0, 2, 1] : 1x4x4x1xi8{0.5, -128}\n  return %m\n}\n");
}

static void a_pad_that_fills_a_window_of_a_maximum_stays(void **state) {
    static const char low[] = "graph g(%0: " SMALL ") {\n" SMALL_PAD POOL(
        "%p", "[2, 2]") "[0, 0, 0, 0] : 1x5x4x1xi8{0.5, -128}\n  return %m\n}\n";
    static const char twice[] =
        "graph g(%0: " SMALL ") {\n" SMALL_PAD
        "  %q = pad(%p) pads=[0, 0, 1, 1, 0, 0, 0, 0] : 1x8x5x1xi8{0.5, -128}\n" POOL(
            "%q", "[3, 2]") "[0, 0, 0, 0] : 1x6x4x1xi8{0.5, -128}\n  return %m\n}\n";
    assert_pass(*state, weft_pass_fold_pad, low, low);
    assert_pass(*state, weft_pass_fold_pad, twice, twice);
}

static void two_pads_are_folded(void **state) {
    const char *before = "graph g(%0: " X ") {\n" W PAD
                         "  %q = pad(%p) pads=[0, 0, 1, 0, 0, 0, 0, 0] : 1x7x5x1xi8{0.5, -3}\n"
                         "  %c = qnn.conv2d(%q, %w)" REST("0, 0, 0, 0") " : 1x6x4x1xi32{0.125, 0}\n"
                                                                        "  return %c\n}\n";
    const struct weft_graph *graph = graph_of(*state, before);
    const struct weft_graph *once = weft_pass_fold_pad(graph);
    const struct weft_graph *twice = weft_pass_fold_pad(once);
    assert_ptr_not_equal(node_named(once, "c")->inputs[0], value_named(once, "q"));
    assert_ptr_equal(node_named(twice, "c")->inputs[0], value_named(twice, "0"));
    assert_same_results(graph, once);
    assert_same_results(graph, twice);
}

/* "A pad of rows and columns whose only users are convolutions". */
static void a_pad_with_other_users_keeps_its_convolutions(void **state) {
    static const char shared[] =
        "graph g(%0: " X ") {\n" W PAD "  %c = qnn.conv2d(%p, %w)" REST("0, 0, 0, 0") OUT
        "  return %c, %p\n}\n";
    assert_pass(*state, weft_pass_fold_pad, shared, shared);
}

static void a_pad_of_two_convolutions_is_folded_into_both(void **state) {
    assert_pass(*state, weft_pass_fold_pad,
                "graph g(%0: " X ") {\n" W PAD "  %c = qnn.conv2d(%p, %w)" REST("0, 0, 0, 0") OUT
                "  %d = qnn.conv2d(%p, %w)" REST("0, 0, 0, 0") OUT "  return %c, %d\n}\n",
                "graph g(%0: " X ") {\n" W PAD "  %c = qnn.conv2d(%0, %w)" REST("1, 0, 2, 1") OUT
                "  %d = qnn.conv2d(%0, %w)" REST("1, 0, 2, 1") OUT "  return %c, %d\n}\n");
}

/* ---- keep_tensors ---- */

static void every_tensor_of_the_model_becomes_an_output(void **state) {
    assert_pass(*state, weft_pass_keep_tensors,
                "graph g(%0: 2xi8 #0) {\n"
                "  %k = constant() data=[1, 2] : 2xi8 #1\n"
                "  %a = clip(%0) min=0 max=9 : 2xi8 #2\n"
                "  %b = clip(%a) min=0 max=8 : 2xi8\n"
                "  %c = clip(%b) min=0 max=7 : 2xi8 #4\n"
                "  %d = clip(%c) min=0 max=6 : 2xi8 #3\n"
                "  return %c, %b\n}\n",
                "graph g(%0: 2xi8 #0) {\n"
                "  %k = constant() data=[1, 2] : 2xi8 #1\n"
                "  %a = clip(%0) min=0 max=9 : 2xi8 #2\n"
                "  %b = clip(%a) min=0 max=8 : 2xi8\n"
                "  %c = clip(%b) min=0 max=7 : 2xi8 #4\n"
                "  %d = clip(%c) min=0 max=6 : 2xi8 #3\n"
                "  return %c, %b, %a, %d\n}\n");
}

static void outputs_that_repeat_stay_as_they_are(void **state) {
    static const char text[] = "graph g(%0: 2xi8 #0) {\n"
                               "  %a = clip(%0) min=0 max=9 : 2xi8 #2\n"
                               "  return %a, %0, %a\n}\n";
    assert_pass(*state, weft_pass_keep_tensors, text, text);
}

/* ---- remove_unused ---- */

static void what_nothing_needs_is_left_out(void **state) {
    assert_pass(*state, weft_pass_remove_unused,
                "graph g(%0: 2xi8, %1: 2xi8) {\n"
                "  %k = constant() data=[1, 2] : 2xi8\n"
                "  %a = clip(%0) min=0 max=9 : 2xi8\n"
                "  %b = clip(%1) min=0 max=8 : 2xi8\n"
                "  %c = clip(%b) min=0 max=7 : 2xi8\n"
                "  %l = constant() data=[3, 4] : 2xi8\n"
                "  return %a, %l\n}\n",
                "graph g(%0: 2xi8, %1: 2xi8) {\n"
                "  %a = clip(%0) min=0 max=9 : 2xi8\n"
                "  %l = constant() data=[3, 4] : 2xi8\n"
                "  return %a, %l\n}\n");
}

static void a_node_with_one_needed_result_stays(void **state) {
    static const char text[] = "graph g(%0: 2xi8) {\n"
                               "  %a, %b = region(%0) target=\"t\" body(%x: 2xi8) {\n"
                               "    %y = clip(%x) min=0 max=1 : 2xi8\n"
                               "    return %x, %y\n"
                               "  } : 2xi8, 2xi8\n"
                               "  return %b\n}\n";
    assert_pass(*state, weft_pass_remove_unused, text, text);
}

static void everything_can_be_unused(void **state) {
    assert_pass(*state, weft_pass_remove_unused,
                "graph g(%0: 2xi8) {\n  %a = clip(%0) min=0 max=9 : 2xi8\n  return %0\n}\n",
                "graph g(%0: 2xi8) {\n  return %0\n}\n");
}

static void a_folded_pad_is_removed(void **state) {
    const struct weft_graph *graph =
        graph_of(*state, "graph g(%0: " X ") {\n" W PAD
                         "  %c = qnn.conv2d(%p, %w)" REST("0, 0, 0, 0") OUT "  return %c\n}\n");
    const struct weft_graph *after = weft_pass_remove_unused(weft_pass_fold_pad(graph));
    assert_int_equal(count_of(after, WEFT_OP_PAD), 0);
    assert_same_results(graph, after);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(a_pad_becomes_padding_of_the_convolution),
        ARENA_TEST(paddings_add_up),
        ARENA_TEST(a_pad_of_channels_or_images_stays),
        ARENA_TEST(a_pad_before_something_else_stays),
        ARENA_TEST(a_pad_of_the_smallest_number_becomes_padding_of_a_maximum),
        ARENA_TEST(a_pad_that_fills_a_window_of_a_maximum_stays),
        ARENA_TEST(two_pads_are_folded),
        ARENA_TEST(a_pad_with_other_users_keeps_its_convolutions),
        ARENA_TEST(a_pad_of_two_convolutions_is_folded_into_both),
        ARENA_TEST(every_tensor_of_the_model_becomes_an_output),
        ARENA_TEST(outputs_that_repeat_stay_as_they_are),
        ARENA_TEST(what_nothing_needs_is_left_out),
        ARENA_TEST(a_node_with_one_needed_result_stays),
        ARENA_TEST(everything_can_be_unused),
        ARENA_TEST(a_folded_pad_is_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
