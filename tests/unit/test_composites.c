/* compiler/partition: composites of a target. */
#include "tests/unit/partition_steps.h"

#include <string.h>

static void a_chain_becomes_one_composite_with_its_constants(void **state) {
    const struct weft_graph *graph =
        merged(*state, "graph main(%0: " X " #0) {\n" LAYER "  return %c\n}\n");
    assert_text(graph, "graph main(%0: " X " #0) {\n"
                       "  %c = composite(%0) name=\"weft.conv2d\" body(%0: " X " #0) {\n"
                       "    %w = constant() data=[1, 2, -3, 4] : 2x1x1x2xi8{0.25, 0} #1\n"
                       "    %p = qnn.conv2d(%0, %w)" CONV ACC "\n"
                       "    %k = constant() data=[5, -6] : 2xi32{0.125, 0} #2\n"
                       "    %s = bias_add(%p, %k) : " ACC "\n"
                       "    %r = qnn.requantize(%s) rounding=\"gemmlowp\" : " X "\n"
                       "    %c = clip(%r) min=-20 max=20 : " X " #3\n"
                       "    return %c\n"
                       "  } : " X " #3\n"
                       "  return %c\n"
                       "}\n");
}

static void every_pattern_of_the_machine_is_found(void **state) {
    const struct weft_graph *graph =
        merged(*state,
               "graph main(%0: " X ", %1: 3x4xi8{0.5, 0}) {\n" LAYER
               "  %w2 = constant() data=[1, 2, 3, 4, 5, 6, 7, 8] : 1x8xi8{0.25, 0}\n"
               "  %w3 = constant() data=[1, 2, 3, 4] : 1x4xi8{0.25, 0}\n"
               "  %flat = reshape(%c) : 1x8xi8{0.5, -3}\n"
               "  %d1 = qnn.dense(%flat, %w2) : 1x1xi32{0.125, 0}\n"
               "  %dense_flat = qnn.requantize(%d1) rounding=\"single\" : 1x1xi8{0.5, 0}\n"
               "  %d2 = qnn.dense(%1, %w3) : 3x1xi32{0.125, 0}\n"
               "  %dense = qnn.requantize(%d2) rounding=\"single\" : 3x1xi8{0.5, 0}\n"
               "  %add = qnn.add(%c, %0) : " X "\n"
               "  %sum = qnn.add(%0, %c) : " X "\n"
               "  %relu = clip(%sum) min=-3 max=127 : " X "\n"
               "  %avg = avg_pool2d(%0)" UNIT X "\n"
               "  %max = max_pool2d(%0)" UNIT X "\n"
               "  %pad = pad(%0) pads=[0, 0, 1, 0, 0, 2, 0, 0] : 1x3x4x2xi8{0.5, -3}\n"
               "  %reshape = reshape(%0) : 2x4xi8{0.5, -3}\n"
               "  %mean = qnn.mean(%0) axes=[1, 2] keep_dims=1 : 1x1x1x2xi8{0.5, 0}\n"
               "  %requantize = qnn.requantize(%0) rounding=\"gemmlowp\" : 1x2x2x2xu8{1, 0}\n"
               "  %tanh = qnn.tanh(%0) : 1x2x2x2xi8{0.0078125, 0}\n"
               "  %clip = clip(%0) min=1 max=2 : " X "\n"
               "  %subtract = qnn.subtract(%0, %c) : " X "\n"
               "  %mul = qnn.mul(%0, %c) : " X "\n"
               "  %maximum = maximum(%0, %c) : " X "\n"
               "  %minimum = minimum(%0, %c) : " X "\n"
               "  %td = qnn.conv2d_transpose(%0, %w) strides=[2, 2] padding=[0, 0, 0, 0]\n"
               "  output_padding=[0, 0] : 1x3x3x2xi32{0.125, 0}\n"
               "  %conv2d_transpose = qnn.requantize(%td) rounding=\"gemmlowp\"\n"
               "  : 1x3x3x2xi8{0.5, -3}\n"
               "  %seven = constant() data=[7] : i8{0.5, -3}\n"
               "  %sevens = pad(%0, %seven) pads=[0, 0, 1, 0, 0, 2, 0, 0] : 1x3x4x2xi8{0.5, -3}\n"
               "  %resize_nearest_neighbor = resize_nearest_neighbor(%0) size=[4, 2]\n"
               "  align_corners=0 half_pixel_centers=1 : 1x4x2x2xi8{0.5, -3}\n"
               "  %interpolate_axis = interpolate_axis(%0) axis=1 elements=[0] fractions=[7]\n"
               "  : 1x1x2x2xi8{0.5, -3}\n"
               "  %concatenate = concatenate(%0, %0) axis=3 : 1x2x2x4xi8{0.5, -3}\n"
               "  %joined = qnn.concatenate(%0, %0) axis=1 : 1x4x2x2xi8{1, 0}\n"
               "  %split, %rest = split(%0) axis=3 sizes=[1, 1] : 1x2x2x1xi8{0.5, -3},\n"
               "  1x2x2x1xi8{0.5, -3}\n"
               "  %strided_slice = strided_slice(%0) begin=[0, 1, 0, 1] steps=[1, -1, 2, 1]\n"
               "  sizes=[1, 2, 1, 1] : 1x2x1x1xi8{0.5, -3}\n"
               "  return %c, %dense_flat, %dense, %add, %relu, %avg, %max, %pad, %reshape, %mean,\n"
               "  %requantize, %tanh, %clip, %subtract, %mul, %maximum, %minimum,\n"
               "  %conv2d_transpose, %sevens, %resize_nearest_neighbor, %interpolate_axis,\n"
               "  %concatenate, %joined, %split, %rest, %strided_slice }\n");
    static const char *const names[] = {"dense_flat",
                                        "dense",
                                        "add",
                                        "pad",
                                        "reshape",
                                        "mean",
                                        "requantize",
                                        "tanh",
                                        "clip",
                                        "subtract",
                                        "mul",
                                        "maximum",
                                        "minimum",
                                        "conv2d_transpose",
                                        "resize_nearest_neighbor",
                                        "interpolate_axis",
                                        "concatenate",
                                        "split",
                                        "strided_slice"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_string_equal(composite_name(graph, names[i]) + strlen("weft."), names[i]);
    }
    assert_string_equal(composite_name(graph, "c"), "weft.conv2d");
    assert_string_equal(composite_name(graph, "avg"), "weft.avg_pool2d");
    assert_string_equal(composite_name(graph, "max"), "weft.max_pool2d");
    assert_string_equal(composite_name(graph, "relu"), "weft.add");
    assert_string_equal(composite_name(graph, "sevens"), "weft.pad");
    assert_string_equal(composite_name(graph, "joined"), "weft.concatenate");
    assert_string_equal(composite_name(graph, "rest"), "weft.split");
    assert_int_equal(graph->node_count, 25);
}

static void a_value_that_is_needed_outside_is_not_swallowed(void **state) {
    const struct weft_graph *graph =
        annotated(*state, "graph main(%0: " X " #0) {\n" LAYER "  return %c, %r\n}\n");
    assert_int_equal(graph->node_count, 2);
    assert_string_equal(composite_name(graph, "r"), "weft.conv2d");
    assert_string_equal(composite_name(graph, "c"), "weft.clip");
}

static void a_sum_that_is_needed_outside_leaves_the_chain_to_the_host(void **state) {
    const struct weft_graph *graph =
        annotated(*state, "graph main(%0: " X " #0) {\n" LAYER "  return %c, %s\n}\n");
    assert_string_equal(composite_name(graph, "c"), "weft.clip");
    assert_int_equal(count_of(graph, WEFT_OP_COMPOSITE), 1);
    assert_int_equal(count_of(graph, WEFT_OP_CONSTANT), 2);
    assert_int_equal(graph->node_count, 6);
    static const char *const chain[] = {"p", "s", "r"};
    for (size_t i = 0; i < sizeof chain / sizeof chain[0]; i++) {
        assert_non_null(strstr(reason_of(graph, chain[i]), "needed elsewhere"));
    }
}

static void a_reshape_with_another_user_stays_out_of_the_product(void **state) {
    const struct weft_graph *graph =
        merged(*state, "graph main(%0: " X ") {\n"
                       "  %w = constant() data=[1, 2, 3, 4, 5, 6, 7, 8] : 1x8xi8{0.25, 0}\n"
                       "  %flat = reshape(%0) : 1x8xi8{0.5, -3}\n"
                       "  %d = qnn.dense(%flat, %w) : 1x1xi32{0.125, 0}\n"
                       "  %r = qnn.requantize(%d) rounding=\"single\" : 1x1xi8{0.5, 0}\n"
                       "  return %r, %flat\n}\n");
    assert_string_equal(composite_name(graph, "r"), "weft.dense");
    assert_string_equal(composite_name(graph, "flat"), "weft.reshape");
}

static void a_constant_that_is_needed_outside_is_in_both_places(void **state) {
    const struct weft_graph *graph =
        merged(*state, "graph main(%0: " X " #0) {\n" LAYER "  return %c, %k\n}\n");
    assert_string_equal(composite_name(graph, "c"), "weft.conv2d");
    assert_int_equal(count_of(graph, WEFT_OP_CONSTANT), 1);
    assert_int_equal(count_of(node_named(graph, "c")->body, WEFT_OP_CONSTANT), 2);
}

static void a_constant_of_two_composites_is_copied_into_both(void **state) {
    const struct weft_graph *graph = merged(
        *state, "graph main(%0: " X " #0) {\n" LAYER "  %p2 = qnn.conv2d(%c, %w)" CONV ACC "\n"
                "  %r2 = qnn.requantize(%p2) rounding=\"gemmlowp\" : " X "\n"
                "  return %r2\n}\n");
    assert_int_equal(graph->node_count, 2);
    assert_int_equal(count_of(node_named(graph, "c")->body, WEFT_OP_CONSTANT), 2);
    assert_int_equal(count_of(node_named(graph, "r2")->body, WEFT_OP_CONSTANT), 1);
}

static void an_operand_used_twice_is_one_input(void **state) {
    const struct weft_graph *graph =
        merged(*state, "graph main(%0: " X ") {\n  %a = qnn.add(%0, %0) : " X "\n  return %a\n}\n");
    assert_string_equal(composite_name(graph, "a"), "weft.add");
    assert_int_equal(node_named(graph, "a")->input_count, 1);
}

/* A composite has at least one input (operators.def). */
static void work_on_constants_alone_is_no_composite(void **state) {
    const struct weft_graph *graph =
        partitioned(*state, "graph main(%0: " X ") {\n"
                            "  %k = constant() data=[1, 2, 3, 4, 5, 6, 7, 8] : " X "\n"
                            "  %a = max_pool2d(%k)" UNIT X "\n"
                            "  %b = qnn.add(%0, %a) : " X "\n"
                            "  return %b\n}\n");
    assert_int_equal(count_of(graph, WEFT_OP_REGION), 1);
}

static void operators_keep_the_numbers_of_the_model(void **state) {
    struct weft_graph *graph =
        graph_of(*state, "graph main(%0: " X " #0) {\n" LAYER "  return %c\n}\n");
    node_named(graph, "c")->source = 7;
    const struct weft_graph *after = weft_merge_composites(graph, machine(*state));
    assert_int_equal(node_named(after, "c")->source, 7);
    assert_int_equal(value_named(after, "c")->tensor, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(a_chain_becomes_one_composite_with_its_constants),
        ARENA_TEST(every_pattern_of_the_machine_is_found),
        ARENA_TEST(a_value_that_is_needed_outside_is_not_swallowed),
        ARENA_TEST(a_sum_that_is_needed_outside_leaves_the_chain_to_the_host),
        ARENA_TEST(a_reshape_with_another_user_stays_out_of_the_product),
        ARENA_TEST(a_constant_that_is_needed_outside_is_in_both_places),
        ARENA_TEST(a_constant_of_two_composites_is_copied_into_both),
        ARENA_TEST(an_operand_used_twice_is_one_input),
        ARENA_TEST(work_on_constants_alone_is_no_composite),
        ARENA_TEST(operators_keep_the_numbers_of_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
