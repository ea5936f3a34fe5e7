/* compiler/partition: why operators stay on the host. */
#include "tests/unit/partition_steps.h"

#include <string.h>

static void a_refusal_is_noted_on_the_root(void **state) {
    const struct weft_graph *graph =
        annotated(*state, "graph main(%0: 1x2x2x1xi16{0.5, 0}, %1: 1x2x2x1xi8{0.5, 0}) {\n"
                          "  %a = max_pool2d(%0) kernel=[1, 1] strides=[1, 1]"
                          " padding=[0, 0, 0, 0] : 1x2x2x1xi16{0.5, 0}\n"
                          "  %b = pad(%1) pads=[0, 1, 0, 0, 0, 0, 0, 0] : 2x2x2x1xi8{0.5, 0}\n"
                          "  %c = qnn.softmax(%1) beta=1 : 1x2x2x1xi8{0.00390625, -128}\n"
                          "  return %a, %b, %c\n}\n");
    assert_int_equal(count_of(graph, WEFT_OP_COMPOSITE), 0);
    assert_string_equal(reason_of(graph, "a"), "only int8 and uint8 run on the machine");
    assert_string_equal(reason_of(graph, "b"), "images are not padded on the machine");
    assert_string_equal(
        reason_of(graph, "c"),
        "a softmax as small as this is not worth loading its table of exponentials");
}

/* What the machine cannot take, each with words of the reason. */
static void every_limit_of_the_machine_is_a_reason(void **state) {
    static const struct {
        const char *text;
        const char *words;
    } cases[] = {
        {"graph g(%0: 1x1x1x1x2xi8{1, 0}, %1: 1x1x1x1x2xi8{1, 0}) {\n"
         "%r = concatenate(%0, %1) axis=4 : 1x1x1x1x4xi8{1, 0} return %r }",
         "element by element alone"},
        {"graph g(%0: 1x40x40x1xi8{1, 0}) { %r = avg_pool2d(%0) kernel=[40, 40] strides=[1, 1]\n"
         "padding=[0, 0, 0, 0] : 1x1x1x1xi8{1, 0} return %r }",
         "up to 1024 elements"},
        {"graph g(%0: 1x70x70x1xi8{1, 0}) { %r = max_pool2d(%0) kernel=[64, 1] strides=[1, 1]\n"
         "padding=[0, 0, 0, 0] : 1x7x70x1xi8{1, 0} return %r }",
         "at most 63 by 63"},
        {"graph g(%0: 2xi8{1, 0}, %1: 2xi8{1, 0}) { %r = qnn.add(%0, %1) : 2xi8{1e-7, 0}\n"
         "return %r }",
         "result's scale is too small"},
        {"graph g(%0: 2xi8{1, 0}, %1: 2xi8{1, 0}) { %r = qnn.mul(%0, %1) : 2xi8{1e-30, 0}\n"
         "return %r }",
         "result's scale is too small"},
        {"graph g(%0: 3x2x1x1xi8{1, 0}, %1: 2x3x2x1x2xi8{1, 0}) {\n"
         "%r = qnn.subtract(%0, %1) : 2x3x2x1x2xi8{1, 0} return %r }",
         "repeated along all but the last two"},
        {"graph g(%0: 2x1x2x1x2xi8{1, 0}, %1: 2x3x2x1x2xi8{1, 0}) {\n"
         "%r = maximum(%0, %1) : 2x3x2x1x2xi8{1, 0} return %r }",
         "repeated along all but the last two"},
        {"graph g(%0: 1x2xi8{1, 0}, %1: 1x2xi8{1, 0}) { %a = qnn.dense(%0, %1) : 1x1xi32{1, 0}\n"
         "%r = qnn.requantize(%a) rounding=\"single\" : 1x1xi8{1, 0} return %r }",
         "only as a part of a product with constant weights"},
        {"graph g(%0: 1x2xi8{1, 0}) {\n"
         "%w = constant() data=[1, 2, 3, 4] : 2x2xi8{axis=0; 1, 0; 1, 1}\n"
         "%a = qnn.dense(%0, %w) : 1x2xi32{axis=1; 1, 0; 1, 0}\n"
         "%r = qnn.requantize(%a) rounding=\"single\" : 1x2xi8{1, 0} return %r }",
         "zero point differs between channels"},
        {"graph g(%0: 2x3xi8{1, 0}, %1: 2x3xi8{1, 0}) {\n"
         "%a = qnn.batch_matmul(%0, %1) transpose_a=1 transpose_b=0 : 3x3xi32{1, 0}\n"
         "%r = qnn.requantize(%a) rounding=\"gemmlowp\" : 3x3xi8{1, 0} return %r }",
         "first operand of a product is not transposed"},
        {"graph g(%0: 1x2x3xi8{1, 0}, %1: 2x3x3xi8{1, 0}) {\n"
         "%a = qnn.batch_matmul(%0, %1) transpose_a=0 transpose_b=0 : 2x2x3xi32{1, 0}\n"
         "%r = qnn.requantize(%a) rounding=\"gemmlowp\" : 2x2x3xi8{1, 0} return %r }",
         "first operand of a product is not repeated"},
        {"graph g(%0: 1x2x3xi8{1, 0}) { %r = transpose(%0) permutation=[0, 2, 1]\n"
         ": 1x3x2xi8{1, 0} return %r }",
         "channels are not transposed"},
        {"graph g(%0: 1x2x1x2x3xi8{1, 0}) { %r = transpose(%0) permutation=[0, 3, 2, 1, 4]\n"
         ": 1x2x1x2x3xi8{1, 0} return %r }",
         "element by element alone"},
        {"graph g(%0: 1x2x2x1xi8{1, 0}) { %r = pad(%0) pads=[0, 0, 1, 0, 0, 0, 1, 0]\n"
         ": 1x3x2x2xi8{1, 0} return %r }",
         "not padded together with rows"},
        {"graph g(%0: 1x1x1x5000xi8{1, 0}) { %r = pad(%0) pads=[0, 0, 0, 0, 0, 0, 1, 0]\n"
         ": 1x1x1x5001xi8{1, 0} return %r }",
         "square of weights"},
        {"graph g(%0: 2xi8{1, 0}, %1: 1xi8{1, 0}) { %r = pad(%0, %1) pads=[1, 0]\n"
         ": 3xi8{1, 0} return %r }",
         "the machine has no operation for pad"},
        {"graph g(%0: 2x5xi8{1, 0}) { %r = strided_slice(%0) begin=[0, 0] steps=[1, 2]\n"
         "sizes=[2, 3] : 2x3xi8{1, 0} return %r }",
         "not sliced with steps"},
        {"graph g(%0: 1x2x3x1xi8{1, 0}) { %r = resize_nearest_neighbor(%0) size=[4, 4]\n"
         "align_corners=0 half_pixel_centers=0 : 1x4x4x1xi8{1, 0} return %r }",
         "all repeated, or left out, alike"},
        {"graph g(%0: 1x2x3x4xi8{1, 0}) { %r = interpolate_axis(%0) axis=3 elements=[0, 1]\n"
         "fractions=[9, 0] : 1x2x3x2xi8{1, 0} return %r }",
         "only rows and columns are interpolated"},
        {"graph g(%0: 1x1x2x2x4xi8{1, 0}) { %r = interpolate_axis(%0) axis=2 elements=[0, 1]\n"
         "fractions=[9, 0] : 1x1x2x2x4xi8{1, 0} return %r }",
         "element by element alone"},
        {"graph g(%0: 1x2x3x4xi8{1, 0}) { %r = interpolate_axis(%0) axis=2 elements=[1, 0]\n"
         "fractions=[9, 0] : 1x2x2x4xi8{1, 0} return %r }",
         "in another order"},
        {"graph g(%0: 2xi16{1, 0}, %1: 2xi16{1, 0}) { %r = concatenate(%0, %1) axis=0\n"
         ": 4xi16{1, 0} return %r }",
         "only int8 and uint8"},
        {"graph g(%0: 1x3x3x1xi8{1, 0}) { %w = constant() data=[1] : 1x1x1x1xi8{1, 0}\n"
         "%a = qnn.conv2d_transpose(%0, %w) strides=[1, 1] padding=[1, 0, 0, 0]\n"
         "output_padding=[0, 0] : 1x2x3x1xi32{1, 0}\n"
         "%r = qnn.requantize(%a) rounding=\"gemmlowp\" : 1x2x3x1xi8{1, 0} return %r }",
         "cuts off more than its window"},
        {"graph g(%0: 2x2x2xi8{1, 0}) { %r = qnn.mean(%0) axes=[1, 2] keep_dims=1\n"
         ": 2x1x1xi8{1, 0} return %r }",
         "over channels and anything else"},
        {"graph g(%0: 2x2x2x3xi8{1, 0}) { %r = qnn.mean(%0) axes=[0, 1] keep_dims=0\n"
         ": 2x3xi8{1, 0} return %r }",
         "mean over images"},
        {"graph g(%0: 4xi16{1, 0}) { %r = qnn.tanh(%0) : 4xi16{1, 0} return %r }",
         "only int8 and uint8"},
        {"graph g(%0: 1x2x2x2xi8{axis=3; 1, 0; 2, 0}) {\n"
         "%r = qnn.requantize(%0) rounding=\"gemmlowp\" : 1x2x2x2xi8{1, 0} return %r }",
         "one scale and zero point"},
        {"graph g(%0: 1x2xi8{1, 0}) {\n"
         "%w = constant() data=[1, 2] : 1x2xi8{1, 0}\n"
         "%a = qnn.dense(%0, %w) : 1x1xi32{1, 0}\n"
         "%r = qnn.requantize(%a) rounding=\"gemmlowp\" : 1x1xi8{1e-12, 0} return %r }",
         "no 31-bit multiplier"},
        {"graph g(%0: 1x2xi8{1e-9, 0}) {\n"
         "%w = constant() data=[1, 2] : 1x2xi8{1e-9, 0}\n"
         "%a = qnn.dense(%0, %w) : 1x1xi32{1.0000000000000001e-18, 0}\n"
         "%r = qnn.requantize(%a) rounding=\"single\" : 1x1xi8{1, 0} return %r }",
         "no 31-bit multiplier"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct weft_graph *graph = graph_of(*state, cases[i].text);
        graph = weft_merge_composites(graph, machine(*state));
        graph = weft_annotate_targets(graph, 1, machine(*state));
        if (strstr(reason_of(graph, "r"), cases[i].words) == NULL) {
            print_error("%s\nexpected '%s', got '%s'\n", cases[i].text, cases[i].words,
                        reason_of(graph, "r"));
            fail();
        }
    }
}

static void a_reason_that_is_there_is_kept(void **state) {
    const struct weft_graph *graph =
        annotated(*state, "graph main(%0: " X ") {\n"
                          "  %a = qnn.log_softmax(%0) reason=\"mine\" : 1x2x2x2xi8{0.0625, 127}\n"
                          "  return %a\n}\n");
    assert_string_equal(reason_of(graph, "a"), "mine");
}

/* Checks must not rely on what the verifier does not promise. */
static void tensors_without_quantization_do_not_break_the_checks(void **state) {
    static const char *const texts[] = {
        "graph g(%0: 1x2x2x1xi8) { %r = max_pool2d(%0) kernel=[1, 1] strides=[1, 1]\n"
        "padding=[0, 0, 0, 0] : 1x2x2x1xi8 return %r }",
        "graph g(%0: 1x2x2x1xi8) { %r = avg_pool2d(%0) kernel=[1, 1] strides=[1, 1]\n"
        "padding=[0, 0, 0, 0] : 1x2x2x1xi8 return %r }",
        "graph g(%0: 4xi8) { %r = reshape(%0) : 2x2xi8 return %r }",
        "graph g(%0: 2x2xi8) { %r = pad(%0) pads=[1, 0, 0, 0] : 3x2xi8 return %r }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        (void)partitioned(*state, texts[i]);
    }
}

static void empty_tensors_do_not_break_the_checks(void **state) {
    (void)partitioned(*state,
                      "graph g(%0: 0x2xi8{1, 0}) { %r = reshape(%0) : 0xi8{1, 0} return %r }");
    (void)partitioned(*state, "graph g(%0: 0x2x2x1xi8{1, 0}) { %r = max_pool2d(%0) kernel=[1, 1]\n"
                              "strides=[1, 1] padding=[0, 0, 0, 0] : 0x2x2x1xi8{1, 0} return %r }");
    (void)partitioned(
        *state, "graph g(%0: 1x0xi8{1, 0}) { %r = qnn.add(%0, %0) : 1x0xi8{1, 0} return %r }");
}

static void a_product_without_outputs_does_not_break_the_checks(void **state) {
    (void)partitioned(*state, "graph g(%0: 1x2xi8{1, 0}) {\n"
                              "%w = constant() data=[] : 0x2xi8{1, 0}\n"
                              "%a = qnn.dense(%0, %w) : 1x0xi32{1, 0}\n"
                              "%r = qnn.requantize(%a) rounding=\"single\" : 1x0xi8{1, 0}\n"
                              "return %r }");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(a_refusal_is_noted_on_the_root),
        ARENA_TEST(every_limit_of_the_machine_is_a_reason),
        ARENA_TEST(a_reason_that_is_there_is_kept),
        ARENA_TEST(tensors_without_quantization_do_not_break_the_checks),
        ARENA_TEST(empty_tensors_do_not_break_the_checks),
        ARENA_TEST(a_product_without_outputs_does_not_break_the_checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
