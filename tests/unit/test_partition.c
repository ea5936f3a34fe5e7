/* compiler/partition: composites, targets, regions, and the partitioned graph. */
#include "tests/unit/graphs.h"
#include "tests/unit/modules.h"

#include <stdio.h>
#include <string.h>

#include "compiler/partition/partition.h"
#include "compiler/schedule/target.h"

/* ---- targets ---- */

static struct weft_config ref16;

static const struct weft_pattern_table *machine(struct weft_arena *arena) {
    ref16 = config_named("ref16");
    return weft_machine_patterns(arena, &ref16);
}

static struct weft_pattern *op1(struct weft_arena *arena, enum weft_operator op,
                                struct weft_pattern *input) {
    return weft_pattern_op(arena, op, 1, &input);
}

static const char *refuse_long_rows(void *context, struct weft_arena *arena,
                                    const struct weft_match *match) {
    (void)arena;
    const struct weft_type *type = &match->root->type;
    bool fits = type->dim[type->rank - 1] <= *(const int64_t *)context;
    return fits ? NULL : "rows are too long for tiny";
}

/* A target of the test: softmaxes of short rows, and clips, whatever they are. */
static const struct weft_pattern_table *tiny(struct weft_arena *arena) {
    static int64_t longest = 4;
    static struct weft_pattern_entry entries[2];
    static struct weft_pattern_table table = {
        .name = "tiny", .entry_count = 2, .entries = entries, .context = &longest};
    struct weft_pattern *x = weft_pattern_wildcard(arena);
    entries[0] = (struct weft_pattern_entry){"tiny.softmax", op1(arena, WEFT_OP_QNN_SOFTMAX, x),
                                             refuse_long_rows};
    entries[1] = (struct weft_pattern_entry){"tiny.clip", op1(arena, WEFT_OP_CLIP, x), NULL};
    return &table;
}

/* A target that takes m and everything made of it: add(m, clip(m)), either way round. */
static const struct weft_pattern_table *diamonds(struct weft_arena *arena, bool long_side_first) {
    static struct weft_pattern_entry entry = {.name = "diamond"};
    static struct weft_pattern_table table = {
        .name = "diamonds", .entry_count = 1, .entries = &entry};
    struct weft_pattern *m =
        weft_pattern_bind(arena, op1(arena, WEFT_OP_MAX_POOL2D, weft_pattern_wildcard(arena)), "m");
    struct weft_pattern *left = op1(arena, WEFT_OP_CLIP, m);
    entry.pattern = weft_pattern_op(arena, WEFT_OP_QNN_ADD, 2,
                                    long_side_first ? (struct weft_pattern *[]){left, m}
                                                    : (struct weft_pattern *[]){m, left});
    return &table;
}

/* ---- steps ---- */

/* A step must give a good graph that computes the same. */
static struct weft_graph *checked(const struct weft_graph *before, struct weft_graph *after) {
    struct weft_error error;
    ASSERT_GOOD(weft_graph_verify(after, &error), error);
    assert_same_results(before, after);
    return after;
}

static struct weft_graph *merged(struct weft_arena *arena, const char *text) {
    const struct weft_graph *graph = graph_of(arena, text);
    return checked(graph, weft_merge_composites(graph, machine(arena)));
}

static struct weft_graph *annotated(struct weft_arena *arena, const char *text) {
    const struct weft_graph *graph = merged(arena, text);
    return checked(graph, weft_annotate_targets(graph, 1, machine(arena)));
}

static struct weft_graph *partitioned(struct weft_arena *arena, const char *text) {
    const struct weft_graph *graph = annotated(arena, text);
    const struct weft_graph *numbered = checked(graph, weft_merge_regions(graph));
    return checked(numbered, weft_partition(numbered));
}

static const char *composite_name(const struct weft_graph *graph, const char *value) {
    const struct weft_node *node = node_named(graph, value);
    assert_int_equal(node->op, WEFT_OP_COMPOSITE);
    return weft_node_text(node, WEFT_ATTR_name);
}

static const char *reason_of(const struct weft_graph *graph, const char *value) {
    const struct weft_attribute *reason =
        weft_node_attribute(node_named(graph, value), WEFT_ATTR_reason);
    assert_non_null(reason);
    return reason->text;
}

/* ---- composites ---- */

#define X    "1x2x2x2xi8{0.5, -3}"
#define ACC  "1x2x2x2xi32{0.125, 0}"
#define CONV " strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1 : "
#define UNIT " kernel=[1, 1] strides=[1, 1] padding=[0, 0, 0, 0] : "
#define LAYER                                                                                      \
    "  %w = constant() data=[1, 2, -3, 4] : 2x1x1x2xi8{0.25, 0} #1\n"                              \
    "  %k = constant() data=[5, -6] : 2xi32{0.125, 0} #2\n"                                        \
    "  %p = qnn.conv2d(%0, %w)" CONV ACC "\n"                                                      \
    "  %s = bias_add(%p, %k) : " ACC "\n"                                                          \
    "  %r = qnn.requantize(%s) rounding=\"gemmlowp\" : " X "\n"                                    \
    "  %c = clip(%r) min=-20 max=20 : " X " #3\n"

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
               "  %concatenate = concatenate(%0, %0) axis=3 : 1x2x2x4xi8{0.5, -3}\n"
               "  %joined = qnn.concatenate(%0, %0) axis=1 : 1x4x2x2xi8{1, 0}\n"
               "  %split, %rest = split(%0) axis=3 sizes=[1, 1] : 1x2x2x1xi8{0.5, -3},\n"
               "  1x2x2x1xi8{0.5, -3}\n"
               "  %strided_slice = strided_slice(%0) begin=[0, 1, 0, 1] steps=[1, -1, 2, 1]\n"
               "  sizes=[1, 2, 1, 1] : 1x2x1x1xi8{0.5, -3}\n"
               "  return %c, %dense_flat, %dense, %add, %relu, %avg, %max, %pad, %reshape, %mean,\n"
               "  %requantize, %tanh, %clip, %subtract, %mul, %maximum, %minimum,\n"
               "  %conv2d_transpose, %sevens, %resize_nearest_neighbor, %concatenate, %joined,\n"
               "  %split, %rest, %strided_slice }\n");
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
    assert_int_equal(graph->node_count, 24);
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

/* ---- reasons ---- */

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
    assert_string_equal(reason_of(graph, "c"), "the machine has no operation for qnn.softmax");
}

/* What the machine cannot take, each with words of the reason. */
static void every_limit_of_the_machine_is_a_reason(void **state) {
    static const struct {
        const char *text;
        const char *words;
    } cases[] = {
        {"graph g(%0: 1x1x1x1x2xi8{1, 0}) { %r = reshape(%0) : 2xi8{1, 0} return %r }",
         "more than 4 dimensions"},
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
        {"graph g(%0: 2x3xi8{1, 0}, %1: 2x1xi8{1, 0}) { %r = maximum(%0, %1) : 2x3xi8{1, 0}\n"
         "return %r }",
         "not repeated over channels"},
        {"graph g(%0: 2xi8{1, 0}, %1: 1x1x1x1x2xi8{1, 0}) {\n"
         "%r = qnn.subtract(%0, %1) : 1x1x1x1x2xi8{1, 0} return %r }",
         "more than 4 dimensions"},
        {"graph g(%0: 1x2xi8{1, 0}, %1: 1x2xi8{1, 0}) { %a = qnn.dense(%0, %1) : 1x1xi32{1, 0}\n"
         "%r = qnn.requantize(%a) rounding=\"single\" : 1x1xi8{1, 0} return %r }",
         "only as a part of a product with constant weights"},
        {"graph g(%0: 1x2xi8{1, 0}) {\n"
         "%w = constant() data=[1, 2, 3, 4] : 2x2xi8{axis=0; 1, 0; 1, 1}\n"
         "%a = qnn.dense(%0, %w) : 1x2xi32{axis=1; 1, 0; 1, 0}\n"
         "%r = qnn.requantize(%a) rounding=\"single\" : 1x2xi8{1, 0} return %r }",
         "zero point differs between channels"},
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
        {"graph g(%0: 2xi16{1, 0}, %1: 2xi16{1, 0}) { %r = concatenate(%0, %1) axis=0\n"
         ": 4xi16{1, 0} return %r }",
         "only int8 and uint8"},
        {"graph g(%0: 1x3x3x1xi8{1, 0}) { %w = constant() data=[1] : 1x1x1x1xi8{1, 0}\n"
         "%a = qnn.conv2d_transpose(%0, %w) strides=[1, 1] padding=[1, 0, 0, 0]\n"
         "output_padding=[0, 0] : 1x2x3x1xi32{1, 0}\n"
         "%r = qnn.requantize(%a) rounding=\"gemmlowp\" : 1x2x3x1xi8{1, 0} return %r }",
         "cuts off more than its window"},
        {"graph g(%0: 2x2x2xi8{1, 0}) { %r = qnn.mean(%0) axes=[2] keep_dims=1\n"
         ": 2x2x1xi8{1, 0} return %r }",
         "mean over images or channels"},
        {"graph g(%0: 2x2x2x3xi8{1, 0}) { %r = qnn.mean(%0) axes=[0, 1] keep_dims=0\n"
         ": 2x3xi8{1, 0} return %r }",
         "mean over images or channels"},
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

/* ---- regions ---- */

#define S                        "1x2x2x1xi8{0.5, 0}"
#define TO_S(to, op, from, rest) "  %" to " = " op "(%" from ") " rest " : " S "\n"
#define POOL(to, from)                                                                             \
    TO_S(to, "max_pool2d", from, "kernel=[1, 1] strides=[1, 1] padding=[0, 0, 0, 0]")
#define HOST(to, from) TO_S(to, "qnn.softmax", from, "beta=1")
#define ADD(to, a, b)  "  %" to " = qnn.add(%" a ", %" b ") : " S "\n"

static void a_chain_is_one_region(void **state) {
    const struct weft_graph *graph = partitioned(*state, "graph g(%0: " S ") {\n" POOL("a", "0")
                                                             POOL("b", "a") "  return %b\n}\n");
    assert_int_equal(graph->node_count, 1);
    const struct weft_node *region = graph->nodes[0];
    assert_int_equal(region->op, WEFT_OP_REGION);
    assert_string_equal(weft_node_text(region, WEFT_ATTR_target), "weft");
    assert_int_equal(region->body->node_count, 2);
    assert_int_equal(region->input_count, 1);
    assert_int_equal(region->result_count, 1);
}

static void values_needed_later_are_results_of_the_region(void **state) {
    const struct weft_graph *graph =
        partitioned(*state, "graph g(%0: " S ") {\n" POOL("a", "0") POOL("b", "a") HOST("h", "a")
                                HOST("i", "a") "  return %b, %h, %i, %b\n}\n");
    assert_int_equal(count_of(graph, WEFT_OP_REGION), 1);
    assert_int_equal(graph->nodes[0]->result_count, 2);
    assert_string_equal(graph->nodes[0]->results[0]->name, "a");
    assert_string_equal(graph->nodes[0]->results[1]->name, "b");
}

static void a_host_operator_between_makes_two_regions(void **state) {
    const struct weft_graph *graph =
        partitioned(*state, "graph g(%0: " S ") {\n" POOL("a", "0") HOST("h", "a") POOL("b", "h")
                                POOL("c", "b") "  return %c\n}\n");
    assert_int_equal(graph->node_count, 3);
    assert_int_equal(graph->nodes[0]->op, WEFT_OP_REGION);
    assert_int_equal(graph->nodes[1]->op, WEFT_OP_QNN_SOFTMAX);
    assert_int_equal(graph->nodes[2]->op, WEFT_OP_REGION);
    assert_int_equal(graph->nodes[2]->body->node_count, 2);
}

/* The target had no room for it. */
static void a_refused_operator_leaves_its_region(void **state) {
    const struct weft_graph *graph =
        partitioned(*state, "graph g(%0: " S ") {\n" POOL("a", "0") POOL("b", "a") POOL("c", "b")
                                POOL("d", "c") "  return %b, %d\n}\n");
    assert_int_equal(graph->node_count, 1);
    struct weft_refusal refusal = {
        .region = graph->nodes[0], .index = 1, .reason = "it is too large"};
    const struct weft_graph *opened = checked(graph, weft_release_operators(graph, &refusal));
    assert_int_equal(opened->node_count, 4);
    assert_int_equal(opened->nodes[1]->op, WEFT_OP_MAX_POOL2D);
    assert_string_equal(weft_node_text(opened->nodes[1], WEFT_ATTR_reason), "it is too large");
    const struct weft_graph *again = checked(opened, weft_partition(weft_merge_regions(opened)));
    assert_int_equal(again->node_count, 3);
    assert_int_equal(again->nodes[0]->op, WEFT_OP_REGION);
    assert_int_equal(again->nodes[2]->op, WEFT_OP_REGION);
    assert_int_equal(again->nodes[2]->body->node_count, 2);
    /* Then nothing of the second region fits. */
    refusal.region = again->nodes[2];
    refusal.is_whole = true;
    opened = checked(again, weft_release_operators(again, &refusal));
    again = checked(opened, weft_partition(weft_merge_regions(opened)));
    assert_int_equal(count_of(again, WEFT_OP_REGION), 1);
    assert_int_equal(count_of(again, WEFT_OP_MAX_POOL2D), 3);
}

/* a -> host -> c, and c also needs a: c must not join a's region, or the region would need itself.
 */
static void a_host_operator_beside_a_path_makes_no_cycle(void **state) {
    const struct weft_graph *graph =
        partitioned(*state, "graph g(%0: " S ") {\n" POOL("a", "0") HOST("h", "a") POOL("b", "a")
                                ADD("c", "b", "h") POOL("d", "b") "  return %c, %d\n}\n");
    assert_int_equal(count_of(graph, WEFT_OP_REGION), 2);
    assert_int_equal(graph->nodes[0]->body->node_count, 3); /* a, b and d */
    assert_int_equal(graph->nodes[2]->body->node_count, 1);
}

/* Work of the host that needs nothing of a region comes before it. */
static void a_host_operator_on_a_side_input_splits_nothing(void **state) {
    const struct weft_graph *graph =
        partitioned(*state, "graph g(%0: " S ", %1: " S ") {\n" POOL("a", "0") HOST("h", "1") HOST(
                                "i", "h") ADD("b", "a", "i") POOL("c", "b") "  return %c\n}\n");
    assert_int_equal(graph->node_count, 3);
    assert_int_equal(count_of(graph, WEFT_OP_REGION), 1);
    assert_int_equal(graph->nodes[2]->body->node_count, 3);
}

static void a_diamond_is_one_region(void **state) {
    const struct weft_graph *graph =
        partitioned(*state, "graph g(%0: " S ") {\n" POOL("m", "0") POOL("a", "m") POOL("b", "m")
                                ADD("c", "a", "b") "  return %c\n}\n");
    assert_int_equal(graph->node_count, 1);
    assert_int_equal(graph->nodes[0]->body->node_count, 4);
}

/* What comes later in the list may have to run earlier. */
static void independent_work_of_one_level_runs_together(void **state) {
    const struct weft_graph *graph =
        partitioned(*state, "graph g(%0: " S ", %1: " S ") {\n" POOL("a", "0") HOST("h", "a")
                                POOL("b", "h") POOL("x", "1") HOST("i", "x") POOL("y", "i")
                                    ADD("z", "b", "y") "  return %z, %x\n}\n");
    assert_int_equal(count_of(graph, WEFT_OP_REGION), 2);
    assert_int_equal(graph->node_count, 4);
    assert_int_equal(graph->nodes[0]->body->node_count, 2);
    assert_int_equal(graph->nodes[3]->body->node_count, 3);
}

static void a_graph_for_the_host_has_no_region(void **state) {
    const struct weft_graph *graph =
        partitioned(*state, "graph g(%0: " S ") {\n" HOST("h", "0") HOST("i", "h") "  return %i, "
                                                                                   "%0\n}\n");
    assert_int_equal(count_of(graph, WEFT_OP_REGION), 0);
    assert_int_equal(graph->node_count, 2);
}

/* ---- two targets ---- */

static struct weft_graph *for_both(struct weft_arena *arena, const struct weft_graph *graph) {
    const struct weft_pattern_table both[] = {*machine(arena), *tiny(arena)};
    const struct weft_graph *mine = checked(graph, weft_merge_composites(graph, &both[0]));
    const struct weft_graph *all = checked(mine, weft_merge_composites(mine, &both[1]));
    const struct weft_graph *named = checked(all, weft_annotate_targets(all, 2, both));
    const struct weft_graph *numbered = checked(named, weft_merge_regions(named));
    return checked(numbered, weft_partition(numbered));
}

static void two_targets_share_a_graph(void **state) {
    const struct weft_graph *graph =
        for_both(*state, graph_of(*state, "graph g(%0: " S ") {\n" POOL("a", "0") HOST("h", "a")
                                              POOL("b", "h") POOL("c", "b") "  return %c\n}\n"));
    assert_int_equal(graph->node_count, 3);
    assert_string_equal(weft_node_text(graph->nodes[0], WEFT_ATTR_target), "weft");
    assert_string_equal(weft_node_text(graph->nodes[1], WEFT_ATTR_target), "tiny");
    assert_string_equal(weft_node_text(graph->nodes[2], WEFT_ATTR_target), "weft");
}

static void the_second_target_may_refuse_too(void **state) {
    const struct weft_graph *graph =
        for_both(*state, graph_of(*state, "graph g(%0: 1x5xi8{0.5, 0}) {\n"
                                          "  %h = qnn.softmax(%0) beta=1 : 1x5xi8{0.5, 0}\n"
                                          "  return %h\n}\n"));
    assert_string_equal(reason_of(graph, "h"), "rows are too long for tiny");
}

static void a_target_takes_what_another_refused(void **state) {
    const struct weft_graph *graph =
        for_both(*state, graph_of(*state, "graph g(%0: 1x1x1x4xi16{0.5, 0}) {\n"
                                          "  %s = max_pool2d(%0)" UNIT "1x1x1x4xi16{0.5, 0}\n"
                                          "  %c = clip(%s) min=0 max=9 : 1x1x1x4xi16{0.5, 0}\n"
                                          "  return %c\n}\n"));
    assert_int_equal(graph->node_count, 2);
    assert_string_equal(reason_of(graph, "s"), "only int8 and uint8 run on the machine");
    assert_int_equal(graph->nodes[1]->op, WEFT_OP_REGION);
    assert_string_equal(weft_node_text(graph->nodes[1], WEFT_ATTR_target), "tiny");
}

/* ---- a target with diamonds ---- */

static void assert_diamond(struct weft_arena *arena, const char *sum, bool long_side_first) {
    const struct weft_graph *graph = graph_of(
        arena, weft_arena_print(arena, "graph g(%%0: %s) {\n%s%s%s  return %%c\n}\n", S,
                                POOL("m", "0"), TO_S("l", "clip", "m", "min=0 max=9"), sum));
    const struct weft_graph *after =
        checked(graph, weft_merge_composites(graph, diamonds(arena, long_side_first)));
    assert_int_equal(after->node_count, 1);
    assert_int_equal(after->nodes[0]->body->node_count, 3);
}

static void a_diamond_becomes_a_composite(void **state) {
    assert_diamond(*state, ADD("c", "l", "m"), true);
}

static void a_diamond_with_the_short_side_first_becomes_a_composite(void **state) {
    assert_diamond(*state, ADD("c", "m", "l"), false);
}

/* ---- random graphs ---- */

/* Twenty operators on tensors of one type, on earlier results as they come. */
static const char *random_graph(struct weft_arena *arena, uint64_t *seed) {
    static const char *const forms[] = {
        "max_pool2d(%%%d) kernel=[1, 1] strides=[1, 1] padding=[0, 0, 0, 0]", "qnn.add(%%%d, %%%d)",
        "qnn.softmax(%%%d) beta=1", "clip(%%%d) min=-5 max=100"};
    const char *text = "graph g(%0: " S ", %1: " S ") {\n";
    for (int i = 2; i < 22; i++) {
        const char *form = forms[random_in(seed, 0, 3)];
        char node[128];
        int a = (int)random_in(seed, i < 6 ? 0 : i - 6, i - 1);
        int b = (int)random_in(seed, 0, i - 1);
        (void)snprintf(node, sizeof node, form, a, b);
        text = weft_arena_print(arena, "%s  %%%d = %s : %s\n", text, i, node, S);
    }
    return weft_arena_print(arena, "%s  return %%21, %%%d, %%20\n}\n", text,
                            (int)random_in(seed, 0, 21));
}

static void random_graphs_compute_the_same_partitioned(void **state) {
    uint64_t seed = 2024;
    (void)state;
    for (int i = 0; i < 100; i++) {
        struct weft_arena arena = {0};
        const char *text = random_graph(&arena, &seed);
        (void)partitioned(&arena, text);
        (void)for_both(&arena, graph_of(&arena, text));
        weft_arena_free(&arena);
    }
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
        ARENA_TEST(a_refusal_is_noted_on_the_root),
        ARENA_TEST(every_limit_of_the_machine_is_a_reason),
        ARENA_TEST(a_reason_that_is_there_is_kept),
        ARENA_TEST(tensors_without_quantization_do_not_break_the_checks),
        ARENA_TEST(empty_tensors_do_not_break_the_checks),
        ARENA_TEST(a_product_without_outputs_does_not_break_the_checks),
        ARENA_TEST(a_chain_is_one_region),
        ARENA_TEST(values_needed_later_are_results_of_the_region),
        ARENA_TEST(a_host_operator_between_makes_two_regions),
        ARENA_TEST(a_refused_operator_leaves_its_region),
        ARENA_TEST(a_host_operator_beside_a_path_makes_no_cycle),
        ARENA_TEST(a_host_operator_on_a_side_input_splits_nothing),
        ARENA_TEST(a_diamond_is_one_region),
        ARENA_TEST(independent_work_of_one_level_runs_together),
        ARENA_TEST(a_graph_for_the_host_has_no_region),
        ARENA_TEST(two_targets_share_a_graph),
        ARENA_TEST(the_second_target_may_refuse_too),
        ARENA_TEST(a_target_takes_what_another_refused),
        ARENA_TEST(a_diamond_becomes_a_composite),
        ARENA_TEST(a_diamond_with_the_short_side_first_becomes_a_composite),
        ARENA_TEST(random_graphs_compute_the_same_partitioned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
