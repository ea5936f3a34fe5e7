/* compiler/passes/move_quantize and fuse_quantize: before and after. Scales are powers of two, so
 * that floats hold all results exactly, and integers give the same. */
#include "tests/unit/graphs.h"

#include <string.h>

#include "compiler/passes/passes.h"

static void what_moves_elements_comes_before_floats(void **state) {
    assert_pass(*state, weft_pass_move_quantize,
                "graph g(%0: 1x3x2x2xi8{0.5, -3}) {\n"
                "  %a = qnn.dequantize(%0) : 1x3x2x2xf32\n"
                "  %b = transpose(%a) permutation=[0, 2, 3, 1] : 1x2x2x3xf32\n"
                "  %c = reshape(%b) : 1x12xf32\n"
                "  %r = qnn.quantize(%c) rounding=\"even\" : 1x12xi8{0.5, -3}\n"
                "  return %c, %r\n"
                "}\n",
                "graph g(%0: 1x3x2x2xi8{0.5, -3}) {\n"
                "  %made0 = transpose(%0) permutation=[0, 2, 3, 1] : 1x2x2x3xi8{0.5, -3}\n"
                "  %made1 = reshape(%made0) : 1x12xi8{0.5, -3}\n"
                "  %c = qnn.dequantize(%made1) : 1x12xf32\n"
                "  %r = qnn.quantize(%c) rounding=\"even\" : 1x12xi8{0.5, -3}\n"
                "  return %c, %r\n"
                "}\n");
    assert_pass(
        *state, weft_pass_move_quantize,
        "graph g(%0: 1x4x4x2xu8{0.5, 3}) {\n"
        "  %a = qnn.dequantize(%0) : 1x4x4x2xf32\n"
        "  %b = max_pool2d(%a) kernel=[2, 2] strides=[2, 2] padding=[0, 0, 0, 0] : 1x2x2x2xf32\n"
        "  %z = constant() data=[0] : f32\n"
        "  %c = pad(%b, %z) pads=[0, 0, 1, 0, 0, 1, 0, 0] : 1x3x3x2xf32\n"
        "  %r = qnn.quantize(%c) rounding=\"even\" : 1x3x3x2xu8{0.25, 0}\n"
        "  return %r\n"
        "}\n",
        "graph g(%0: 1x4x4x2xu8{0.5, 3}) {\n"
        "  %made0 = max_pool2d(%0) kernel=[2, 2] strides=[2, 2] padding=[0, 0, 0, 0] : "
        "1x2x2x2xu8{0.5, 3}\n"
        "  %made1 = pad(%made0) pads=[0, 0, 1, 0, 0, 1, 0, 0] : 1x3x3x2xu8{0.5, 3}\n"
        "  %c = qnn.dequantize(%made1) : 1x3x3x2xf32\n"
        "  %r = qnn.quantize(%c) rounding=\"even\" : 1x3x3x2xu8{0.25, 0}\n"
        "  return %r\n"
        "}\n");
    assert_pass(*state, weft_pass_move_quantize,
                "graph g(%0: 1x2xi8{0.5, 1}, %1: 1x3xi8{0.5, 1}) {\n"
                "  %a = qnn.dequantize(%0) : 1x2xf32\n"
                "  %b = qnn.dequantize(%1) : 1x3xf32\n"
                "  %c = concatenate(%a, %b) axis=1 : 1x5xf32\n"
                "  %r = qnn.quantize(%c) rounding=\"even\" : 1x5xi8{1, 0}\n"
                "  return %r\n"
                "}\n",
                "graph g(%0: 1x2xi8{0.5, 1}, %1: 1x3xi8{0.5, 1}) {\n"
                "  %made0 = concatenate(%0, %1) axis=1 : 1x5xi8{0.5, 1}\n"
                "  %c = qnn.dequantize(%made0) : 1x5xf32\n"
                "  %r = qnn.quantize(%c) rounding=\"even\" : 1x5xi8{1, 0}\n"
                "  return %r\n"
                "}\n");
}

static void scales_of_an_axis_move_with_it(void **state) {
    assert_pass(
        *state, weft_pass_move_quantize,
        "graph g(%0: 2x2xf32) {\n"
        "  %w = constant() data=[1, 2, 3, 4, 5, 6] : 3x2x1xi8{axis=0; 0.5, 0; 1, 0; 2, 0}\n"
        "  %a = qnn.dequantize(%w) : 3x2x1xf32\n"
        "  %b = reshape(%a) : 3x2xf32\n"
        "  %c = transpose(%b) permutation=[1, 0] : 2x3xf32\n"
        "  %d = dense(%0, %b) : 2x3xf32\n"
        "  %r = qnn.quantize(%d) rounding=\"even\" : 2x3xi8{1, 0}\n"
        "  return %c, %r\n"
        "}\n",
        "graph g(%0: 2x2xf32) {\n"
        "  %w = constant() data=[1, 2, 3, 4, 5, 6] : 3x2x1xi8{axis=0; 0.5, 0; 1, 0; 2, 0}\n"
        "  %made0 = reshape(%w) : 3x2xi8{axis=0; 0.5, 0; 1, 0; 2, 0}\n"
        "  %b = qnn.dequantize(%made0) : 3x2xf32\n"
        "  %made1 = transpose(%made0) permutation=[1, 0] : 2x3xi8{axis=1; 0.5, 0; 1, 0; 2, 0}\n"
        "  %c = qnn.dequantize(%made1) : 2x3xf32\n"
        "  %d = dense(%0, %b) : 2x3xf32\n"
        "  %r = qnn.quantize(%d) rounding=\"even\" : 2x3xi8{1, 0}\n"
        "  return %c, %r\n"
        "}\n");
}

static void qnn_quantize_comes_before_what_moves(void **state) {
    assert_pass(*state, weft_pass_move_quantize,
                "graph g(%0: 1x2x2x3xf32) {\n"
                "  %a = transpose(%0) permutation=[0, 3, 1, 2] : 1x3x2x2xf32\n"
                "  %b = relu(%a) : 1x3x2x2xf32\n"
                "  %h = constant() data=[2] : f32\n"
                "  %d = minimum(%b, %h) : 1x3x2x2xf32\n"
                "  %c = float.clip(%d) low=-1 high=1.5 : 1x3x2x2xf32\n"
                "  %r = qnn.quantize(%c) rounding=\"even\" : 1x3x2x2xi8{0.5, -3}\n"
                "  return %r\n"
                "}\n",
                "graph g(%0: 1x2x2x3xf32) {\n"
                "  %made0 = relu(%0) : 1x2x2x3xf32\n"
                "  %h = constant() data=[2] : f32\n"
                "  %made1 = minimum(%made0, %h) : 1x2x2x3xf32\n"
                "  %made2 = float.clip(%made1) low=-1 high=1.5 : 1x2x2x3xf32\n"
                "  %made3 = qnn.quantize(%made2) rounding=\"even\" : 1x2x2x3xi8{0.5, -3}\n"
                "  %r = transpose(%made3) permutation=[0, 3, 1, 2] : 1x3x2x2xi8{0.5, -3}\n"
                "  return %r\n"
                "}\n");
    assert_pass(*state, weft_pass_move_quantize,
                "graph g(%0: 1x2xi8{0.5, 1}, %1: 1x3xf32) {\n"
                "  %a = qnn.dequantize(%0) : 1x2xf32\n"
                "  %c = concatenate(%a, %1) axis=1 : 1x5xf32\n"
                "  %r = qnn.quantize(%c) rounding=\"even\" : 1x5xi8{1, 0}\n"
                "  return %r\n"
                "}\n",
                "graph g(%0: 1x2xi8{0.5, 1}, %1: 1x3xf32) {\n"
                "  %a = qnn.dequantize(%0) : 1x2xf32\n"
                "  %made0 = qnn.quantize(%a) rounding=\"even\" : 1x2xi8{1, 0}\n"
                "  %made1 = qnn.quantize(%1) rounding=\"even\" : 1x3xi8{1, 0}\n"
                "  %r = concatenate(%made0, %made1) axis=1 : 1x5xi8{1, 0}\n"
                "  return %r\n"
                "}\n");
}

static void casts_that_relabel_are_one(void **state) {
    assert_pass(*state, weft_pass_move_quantize,
                "graph g(%0: 4xf32) {\n"
                "  %a = qnn.quantize(%0) rounding=\"even\" : 4xu8{0.5, 3}\n"
                "  %b = cast(%a) : 4xu8\n"
                "  %c = cast(%b) : 4xu8{0.5, 3}\n"
                "  %d = cast(%b) : 4xu8{0.25, 3}\n"
                "  %r = qnn.dequantize(%c) : 4xf32\n"
                "  %s = qnn.dequantize(%d) : 4xf32\n"
                "  return %r, %s\n"
                "}\n",
                "graph g(%0: 4xf32) {\n"
                "  %a = qnn.quantize(%0) rounding=\"even\" : 4xu8{0.5, 3}\n"
                "  %d = cast(%a) : 4xu8{0.25, 3}\n"
                "  %r = qnn.dequantize(%a) : 4xf32\n"
                "  %s = qnn.dequantize(%d) : 4xf32\n"
                "  return %r, %s\n"
                "}\n");
}

static void products_are_of_integers(void **state) {
    assert_pass(
        *state, weft_pass_fuse_quantize,
        "graph g(%0: 1x2x2x2xi8{0.5, -3}) {\n"
        "  %w = constant() data=[1, 2, 3, -4, 5, 6] : 3x1x1x2xi8{axis=0; 0.5, 0; 0.25, 0; 2, 0}\n"
        "  %x = qnn.dequantize(%0) : 1x2x2x2xf32\n"
        "  %v = qnn.dequantize(%w) : 3x1x1x2xf32\n"
        "  %b = constant() data=[10, 20, -30] : 3xi32{axis=0; 0.25, 0; 0.125, 0; 1, 0}\n"
        "  %d = qnn.dequantize(%b) : 3xf32\n"
        "  %c = conv2d(%x, %v) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1 : "
        "1x2x2x3xf32\n"
        "  %e = bias_add(%c, %d) : 1x2x2x3xf32\n"
        "  %r = qnn.quantize(%e) rounding=\"even\" : 1x2x2x3xi8{4, 5}\n"
        "  return %r\n"
        "}\n",
        "graph g(%0: 1x2x2x2xi8{0.5, -3}) {\n"
        "  %w = constant() data=[1, 2, 3, -4, 5, 6] : 3x1x1x2xi8{axis=0; 0.5, 0; 0.25, 0; 2, 0}\n"
        "  %made0 = qnn.conv2d(%0, %w) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] "
        "groups=1 : 1x2x2x3xi32{axis=3; 0.25, 0; 0.125, 0; 1, 0}\n"
        "  %made1 = constant() data=[10, 20, -30] : 3xi32\n"
        "  %made2 = bias_add(%made0, %made1) : 1x2x2x3xi32{axis=3; 0.25, 0; 0.125, 0; 1, 0}\n"
        "  %r = qnn.requantize(%made2) rounding=\"float\" : 1x2x2x3xi8{4, 5}\n"
        "  return %r\n"
        "}\n");
    assert_pass(
        *state, weft_pass_fuse_quantize,
        "graph g(%0: 1x2x2x2xu8{0.5, 3}) {\n"
        "  %w = constant() data=[1, 2, 3, -4, 5, 6] : 3x1x1x2xi8{axis=0; 0.5, 0; 0.25, 0; 2, 0}\n"
        "  %x = qnn.dequantize(%0) : 1x2x2x2xf32\n"
        "  %v = qnn.dequantize(%w) : 3x1x1x2xf32\n"
        "  %c = conv2d(%x, %v) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1 : "
        "1x2x2x3xf32\n"
        "  %r = qnn.quantize(%c) rounding=\"even\" : 1x2x2x3xu8{4, 5}\n"
        "  return %r\n"
        "}\n",
        "graph g(%0: 1x2x2x2xu8{0.5, 3}) {\n"
        "  %w = constant() data=[1, 2, 3, -4, 5, 6] : 3x1x1x2xi8{axis=0; 0.5, 0; 0.25, 0; 2, 0}\n"
        "  %made0 = qnn.conv2d(%0, %w) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] "
        "groups=1 : 1x2x2x3xi32{axis=3; 0.25, 0; 0.125, 0; 1, 0}\n"
        "  %r = qnn.requantize(%made0) rounding=\"float\" : 1x2x2x3xu8{4, 5}\n"
        "  return %r\n"
        "}\n");
    assert_pass(*state, weft_pass_fuse_quantize,
                "graph g(%0: 1x1x1x2xi8{0.5, -3}) {\n"
                "  %w = constant() data=[1, 2, 3, -4] : 1x2x1x2xi8{0.5, 0}\n"
                "  %x = qnn.dequantize(%0) : 1x1x1x2xf32\n"
                "  %v = qnn.dequantize(%w) : 1x2x1x2xf32\n"
                "  %c = conv2d_transpose(%x, %v) strides=[2, 1] padding=[0, 0, 0, 0] "
                "output_padding=[0, 0] : 1x2x1x1xf32\n"
                "  %r = qnn.quantize(%c) rounding=\"even\" : 1x2x1x1xi8{4, 5}\n"
                "  return %r\n"
                "}\n",
                "graph g(%0: 1x1x1x2xi8{0.5, -3}) {\n"
                "  %w = constant() data=[1, 2, 3, -4] : 1x2x1x2xi8{0.5, 0}\n"
                "  %made0 = qnn.conv2d_transpose(%0, %w) strides=[2, 1] padding=[0, 0, 0, 0] "
                "output_padding=[0, 0] : 1x2x1x1xi32{0.25, 0}\n"
                "  %r = qnn.requantize(%made0) rounding=\"float\" : 1x2x1x1xi8{4, 5}\n"
                "  return %r\n"
                "}\n");
    assert_pass(
        *state, weft_pass_fuse_quantize,
        "graph g(%0: 2x3x2xi8{0.5, -3}, %1: 2x2x2xi8{0.25, 1}) {\n"
        "  %x = qnn.dequantize(%0) : 2x3x2xf32\n"
        "  %v = qnn.dequantize(%1) : 2x2x2xf32\n"
        "  %c = batch_matmul(%x, %v) transpose_a=0 transpose_b=0 : 2x3x2xf32\n"
        "  %r = qnn.quantize(%c) rounding=\"even\" : 2x3x2xi8{4, 5}\n"
        "  return %r\n"
        "}\n",
        "graph g(%0: 2x3x2xi8{0.5, -3}, %1: 2x2x2xi8{0.25, 1}) {\n"
        "  %made0 = qnn.batch_matmul(%0, %1) transpose_a=0 transpose_b=0 : 2x3x2xi32{0.125, 0}\n"
        "  %r = qnn.requantize(%made0) rounding=\"float\" : 2x3x2xi8{4, 5}\n"
        "  return %r\n"
        "}\n");
}

static void a_float_bias_is_quantised_and_limits_are_clips(void **state) {
    assert_pass(*state, weft_pass_fuse_quantize,
                "graph g(%0: 2x2xi8{0.5, -3}) {\n"
                "  %w = constant() data=[1, 2, 3, -4] : 2x2xi8{0.25, 0}\n"
                "  %x = qnn.dequantize(%0) : 2x2xf32\n"
                "  %v = qnn.dequantize(%w) : 2x2xf32\n"
                "  %b = constant() data=[0.5, -1] : 2xf32\n"
                "  %c = dense(%x, %v) : 2x2xf32\n"
                "  %d = bias_add(%c, %b) : 2x2xf32\n"
                "  %e = relu6(%d) : 2x2xf32\n"
                "  %h = constant() data=[4.75] : f32\n"
                "  %f = minimum(%e, %h) : 2x2xf32\n"
                "  %r = qnn.quantize(%f) rounding=\"even\" : 2x2xi8{0.5, -5}\n"
                "  return %r\n"
                "}\n",
                "graph g(%0: 2x2xi8{0.5, -3}) {\n"
                "  %w = constant() data=[1, 2, 3, -4] : 2x2xi8{0.25, 0}\n"
                "  %made0 = qnn.dense(%0, %w) : 2x2xi32{0.125, 0}\n"
                "  %made1 = constant() data=[4, -8] : 2xi32\n"
                "  %made2 = bias_add(%made0, %made1) : 2x2xi32{0.125, 0}\n"
                "  %made3 = qnn.requantize(%made2) rounding=\"float\" : 2x2xi8{0.5, -5}\n"
                "  %r = clip(%made3) min=-5 max=5 : 2x2xi8{0.5, -5}\n"
                "  return %r\n"
                "}\n");
    assert_pass(*state, weft_pass_fuse_quantize,
                "graph g(%0: 2x2xi8{0.5, -3}) {\n"
                "  %w = constant() data=[1, 2, 3, -4] : 2x2xi8{0.25, 0}\n"
                "  %x = qnn.dequantize(%0) : 2x2xf32\n"
                "  %v = qnn.dequantize(%w) : 2x2xf32\n"
                "  %b = constant() data=[0.5, -1] : 2xf32\n"
                "  %c = dense(%x, %v) : 2x2xf32\n"
                "  %d = bias_add(%c, %b) : 2x2xf32\n"
                "  %f = float.clip(%d) low=0 high=4.75 : 2x2xf32\n"
                "  %r = qnn.quantize(%f) rounding=\"even\" : 2x2xi8{0.5, -5}\n"
                "  return %r\n"
                "}\n",
                "graph g(%0: 2x2xi8{0.5, -3}) {\n"
                "  %w = constant() data=[1, 2, 3, -4] : 2x2xi8{0.25, 0}\n"
                "  %made0 = qnn.dense(%0, %w) : 2x2xi32{0.125, 0}\n"
                "  %made1 = constant() data=[4, -8] : 2xi32\n"
                "  %made2 = bias_add(%made0, %made1) : 2x2xi32{0.125, 0}\n"
                "  %made3 = qnn.requantize(%made2) rounding=\"float\" : 2x2xi8{0.5, -5}\n"
                "  %r = clip(%made3) min=-5 max=5 : 2x2xi8{0.5, -5}\n"
                "  return %r\n"
                "}\n");
    assert_pass(*state, weft_pass_fuse_quantize,
                "graph g(%0: 2x2xi8{0.5, -3}) {\n"
                "  %w = constant() data=[1, 2, 3, -4] : 2x2xi8{0.25, 0}\n"
                "  %x = qnn.dequantize(%0) : 2x2xf32\n"
                "  %v = qnn.dequantize(%w) : 2x2xf32\n"
                "  %c = dense(%x, %v) : 2x2xf32\n"
                "  %d = relu(%c) : 2x2xf32\n"
                "  %r = qnn.quantize(%d) rounding=\"even\" : 2x2xi8{0.5, -128}\n"
                "  return %r\n"
                "}\n",
                "graph g(%0: 2x2xi8{0.5, -3}) {\n"
                "  %w = constant() data=[1, 2, 3, -4] : 2x2xi8{0.25, 0}\n"
                "  %made0 = qnn.dense(%0, %w) : 2x2xi32{0.125, 0}\n"
                "  %r = qnn.requantize(%made0) rounding=\"float\" : 2x2xi8{0.5, -128}\n"
                "  return %r\n"
                "}\n");
}

/* QLinearAdd with a number: RNE(a / 2 + 255 / 2 - 1 + 3), say, as floats with one rounding each. */
static void a_sum_with_a_number_is_a_table(void **state) {
    struct weft_graph *graph = weft_pass_fuse_quantize(
        graph_of(*state, "graph g(%0: 4xu8{0.5, 2}) {\n"
                         "  %n = constant() data=[255] : 1xu8{0.25, 1}\n"
                         "  %x = qnn.dequantize(%0) : 4xf32\n"
                         "  %v = qnn.dequantize(%n) : 1xf32\n"
                         "  %c = add(%v, %x) : 4xf32\n"
                         "  %r = qnn.quantize(%c) rounding=\"even\" : 4xu8{1, 3}\n"
                         "  return %r\n"
                         "}\n"));
    graph = weft_pass_make_tables(graph);
    const struct weft_node *node = graph->outputs[0]->producer;
    assert_int_equal(node->op, WEFT_OP_QNN_TABLE);
    const int64_t *table = weft_node_ints(node, WEFT_ATTR_table);
    /* (a - 2) / 2 + 63.5 + 3, ties to even */
    assert_int_equal(table[0], 66);
    assert_int_equal(table[1], 66);
    assert_int_equal(table[3], 67);
    assert_int_equal(table[255], 193);
}

/* A clip from a high number to a low one gives the low one, whatever comes behind it. */
static void limits_may_be_the_wrong_way_round(void **state) {
    struct weft_graph *graph = weft_pass_fuse_quantize(
        graph_of(*state, "graph g(%0: 2x2xi8{0.5, -3}) {\n"
                         "  %w = constant() data=[1, 2, 3, -4] : 2x2xi8{0.25, 0}\n"
                         "  %x = qnn.dequantize(%0) : 2x2xf32\n"
                         "  %v = qnn.dequantize(%w) : 2x2xf32\n"
                         "  %c = dense(%x, %v) : 2x2xf32\n"
                         "  %d = float.clip(%c) low=5 high=1 : 2x2xf32\n"
                         "  %h = constant() data=[2] : f32\n"
                         "  %e = minimum(%d, %h) : 2x2xf32\n"
                         "  %r = qnn.quantize(%e) rounding=\"even\" : 2x2xi8{0.5, 1}\n"
                         "  return %r\n"
                         "}\n"));
    const struct weft_node *node = graph->outputs[0]->producer;
    assert_int_equal(node->op, WEFT_OP_CLIP);
    assert_int_equal(weft_node_int(node, WEFT_ATTR_min), 3);
    assert_int_equal(weft_node_int(node, WEFT_ATTR_max), 3);
}

/* As MatMul and Add, of which ONNX Runtime makes one product. */
static void a_constant_for_each_column_is_a_bias(void **state) {
    assert_pass(*state, weft_pass_fuse_quantize,
                "graph g(%0: 2x2xi8{0.5, -3}) {\n"
                "  %w = constant() data=[1, 2, 3, -4] : 2x2xi8{0.25, 0}\n"
                "  %x = qnn.dequantize(%0) : 2x2xf32\n"
                "  %v = qnn.dequantize(%w) : 2x2xf32\n"
                "  %b = constant() data=[0.5, -1] : 2xf32\n"
                "  %c = dense(%x, %v) : 2x2xf32\n"
                "  %d = add(%b, %c) : 2x2xf32\n"
                "  %r = qnn.quantize(%d) rounding=\"even\" : 2x2xi8{0.5, -5}\n"
                "  return %r\n"
                "}\n",
                "graph g(%0: 2x2xi8{0.5, -3}) {\n"
                "  %w = constant() data=[1, 2, 3, -4] : 2x2xi8{0.25, 0}\n"
                "  %made0 = qnn.dense(%0, %w) : 2x2xi32{0.125, 0}\n"
                "  %made1 = constant() data=[4, -8] : 2xi32\n"
                "  %made2 = bias_add(%made0, %made1) : 2x2xi32{0.125, 0}\n"
                "  %r = qnn.requantize(%made2) rounding=\"float\" : 2x2xi8{0.5, -5}\n"
                "  return %r\n"
                "}\n");
    assert_pass(
        *state, weft_pass_fuse_quantize,
        "graph g(%0: 3x2x2xi8{0.5, -3}) {\n"
        "  %w = constant() data=[1, 2, 3, -4] : 2x2xi8{0.25, 0}\n"
        "  %x = qnn.dequantize(%0) : 3x2x2xf32\n"
        "  %v = qnn.dequantize(%w) : 2x2xf32\n"
        "  %b = constant() data=[0.5, -1] : 2xf32\n"
        "  %c = batch_matmul(%x, %v) transpose_a=0 transpose_b=0 : 3x2x2xf32\n"
        "  %d = add(%c, %b) : 3x2x2xf32\n"
        "  %r = qnn.quantize(%d) rounding=\"even\" : 3x2x2xi8{0.5, -5}\n"
        "  return %r\n"
        "}\n",
        "graph g(%0: 3x2x2xi8{0.5, -3}) {\n"
        "  %w = constant() data=[1, 2, 3, -4] : 2x2xi8{0.25, 0}\n"
        "  %made0 = qnn.batch_matmul(%0, %w) transpose_a=0 transpose_b=0 : 3x2x2xi32{0.125, 0}\n"
        "  %made1 = constant() data=[4, -8] : 2xi32\n"
        "  %made2 = bias_add(%made0, %made1) : 3x2x2xi32{0.125, 0}\n"
        "  %r = qnn.requantize(%made2) rounding=\"float\" : 3x2x2xi8{0.5, -5}\n"
        "  return %r\n"
        "}\n");
}

static void sums_are_of_integers(void **state) {
    assert_pass(*state, weft_pass_fuse_quantize,
                "graph g(%0: 2x2xi8{0.3125, -3}, %1: 1x2xi8{0.6875, 1}) {\n"
                "  %a = qnn.dequantize(%0) : 2x2xf32\n"
                "  %b = qnn.dequantize(%1) : 1x2xf32\n"
                "  %c = add(%a, %b) : 2x2xf32\n"
                "  %r = qnn.quantize(%c) rounding=\"even\" : 2x2xi8{1.09375, 5}\n"
                "  return %r\n"
                "}\n",
                "graph g(%0: 2x2xi8{0.3125, -3}, %1: 1x2xi8{0.6875, 1}) {\n"
                "  %r = qnn.add(%0, %1) rounding=\"float\" : 2x2xi8{1.09375, 5}\n"
                "  return %r\n"
                "}\n");
}

/* The scale and zero point of what is repeated along the last axis that has more than one element
 * come second, as ONNX Runtime adds a number to a row. */
static void what_is_repeated_is_added_second(void **state) {
    static const struct {
        const char *a, *b, *to;
        bool turns;
    } cases[] = {
        {"1x3x1x1xi8{0.3125, -3}", "2x3x4x5xi8{0.6875, 1}", "2x3x4x5", true},
        {"1x3x4x1xi8{0.3125, -3}", "2x3x4x1xi8{0.6875, 1}", "2x3x4x1", false},
        {"1x1x4x1xi8{0.3125, -3}", "2x3x4x5xi8{0.6875, 1}", "2x3x4x5", true},
        {"3x1xi8{0.3125, -3}", "3x1xi8{0.6875, 1}", "3x1", false},
        {"1x1xi8{0.3125, -3}", "3x1xi8{0.6875, 1}", "3x1", true},
        {"i8{0.3125, -3}", "3x4xi8{0.6875, 1}", "3x4", true},
        {"4xi8{0.3125, -3}", "3x4xi8{0.6875, 1}", "3x4", false},
        {"3x4xi8{0.3125, -3}", "3x1xi8{0.6875, 1}", "3x4", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *floats[2];
        const char *types[2] = {cases[i].a, cases[i].b};
        for (int k = 0; k < 2; k++) {
            size_t length = strlen(types[k]) - strlen(strstr(types[k], "i8"));
            floats[k] = weft_arena_print(*state, "%.*sf32", (int)length, types[k]);
        }
        const struct weft_graph *made = weft_pass_fuse_quantize(graph_of(
            *state,
            weft_arena_print(*state,
                             "graph g(%%0: %s, %%1: %s) {\n"
                             "  %%a = qnn.dequantize(%%0) : %s\n"
                             "  %%b = qnn.dequantize(%%1) : %s\n"
                             "  %%c = add(%%a, %%b) : %sxf32\n"
                             "  %%r = qnn.quantize(%%c) rounding=\"even\" : %sxi8{1.09375, 5}\n"
                             "  return %%r\n}\n",
                             types[0], types[1], floats[0], floats[1], cases[i].to, cases[i].to)));
        const struct weft_node *node = made->outputs[0]->producer;
        assert_int_equal(node->op, WEFT_OP_QNN_ADD);
        assert_ptr_equal(node->inputs[0], made->inputs[cases[i].turns ? 1 : 0]);
    }
}

static void products_by_element_are_of_integers(void **state) {
    assert_pass(*state, weft_pass_fuse_quantize,
                "graph g(%0: 2x2xi8{0.5, -3}, %1: 1x2xi8{0.25, 0}) {\n"
                "  %a = qnn.dequantize(%0) : 2x2xf32\n"
                "  %b = qnn.dequantize(%1) : 1x2xf32\n"
                "  %c = mul(%a, %b) : 2x2xf32\n"
                "  %r = qnn.quantize(%c) rounding=\"even\" : 2x2xi8{1, 4}\n"
                "  return %r\n"
                "}\n",
                "graph g(%0: 2x2xi8{0.5, -3}, %1: 1x2xi8{0.25, 0}) {\n"
                "  %r = qnn.mul(%0, %1) rounding=\"float\" : 2x2xi8{1, 4}\n"
                "  return %r\n"
                "}\n");
}

static void averages_over_an_image_are_convolutions(void **state) {
    assert_pass(
        *state, weft_pass_fuse_quantize,
        "graph g(%0: 1x3x2x2xi8{0.5, -3}) {\n"
        "  %a = qnn.dequantize(%0) : 1x3x2x2xf32\n"
        "  %c = mean(%a) axes=[2, 3] keep_dims=1 : 1x3x1x1xf32\n"
        "  %r = qnn.quantize(%c) rounding=\"even\" : 1x3x1x1xi8{0.25, 4}\n"
        "  return %r\n"
        "}\n",
        "graph g(%0: 1x3x2x2xi8{0.5, -3}) {\n"
        "  %made0 = transpose(%0) permutation=[0, 2, 3, 1] : 1x2x2x3xi8{0.5, -3}\n"
        "  %made1 = constant() data=[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] : 3x2x2x1xi8{1, 0}\n"
        "  %made2 = qnn.conv2d(%made0, %made1) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] "
        "groups=3 : 1x1x1x3xi32{0.5, 0}\n"
        "  %made3 = qnn.requantize(%made2) rounding=\"float\" factor=0.5 : 1x1x1x3xi8{0.25, 4}\n"
        "  %r = transpose(%made3) permutation=[0, 3, 1, 2] : 1x3x1x1xi8{0.25, 4}\n"
        "  return %r\n"
        "}\n");
    assert_pass(
        *state, weft_pass_fuse_quantize,
        "graph g(%0: 1x2x2x3xu8{0.5, 3}) {\n"
        "  %a = qnn.dequantize(%0) : 1x2x2x3xf32\n"
        "  %c = mean(%a) axes=[1, 2] keep_dims=0 : 1x3xf32\n"
        "  %r = qnn.quantize(%c) rounding=\"even\" : 1x3xu8{0.5, 4}\n"
        "  return %r\n"
        "}\n",
        "graph g(%0: 1x2x2x3xu8{0.5, 3}) {\n"
        "  %made0 = constant() data=[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] : 3x2x2x1xi8{1, 0}\n"
        "  %made1 = qnn.conv2d(%0, %made0) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] "
        "groups=3 : 1x1x1x3xi32{0.5, 0}\n"
        "  %made2 = qnn.requantize(%made1) rounding=\"float\" factor=0.25 : 1x1x1x3xu8{0.5, 4}\n"
        "  %r = reshape(%made2) : 1x3xu8{0.5, 4}\n"
        "  return %r\n"
        "}\n");
}

/* Of one axis and of three: as images of one row. The factor is 0.1f / (0.1f * 3), which is not
 * 1.0f / 3. */
static void averages_over_other_axes_are_those_of_images(void **state) {
    assert_pass(
        *state, weft_pass_fuse_quantize,
        "graph g(%0: 1x2x3xi8{0.10000000000000001, -3}) {\n"
        "  %a = qnn.dequantize(%0) : 1x2x3xf32\n"
        "  %c = mean(%a) axes=[2] keep_dims=1 : 1x2x1xf32\n"
        "  %r = qnn.quantize(%c) rounding=\"even\" : 1x2x1xi8{0.10000000000000001, 4}\n"
        "  return %r\n"
        "}\n",
        "graph g(%0: 1x2x3xi8{0.10000000000000001, -3}) {\n"
        "  %made0 = reshape(%0) : 1x2x1x3xi8{0.10000000000000001, -3}\n"
        "  %made1 = transpose(%made0) permutation=[0, 2, 3, 1] : "
        "1x1x3x2xi8{0.10000000000000001, -3}\n"
        "  %made2 = constant() data=[1, 1, 1, 1, 1, 1] : 2x1x3x1xi8{1, 0}\n"
        "  %made3 = qnn.conv2d(%made1, %made2) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] "
        "groups=2 : 1x1x1x2xi32{0.10000000000000001, 0}\n"
        "  %made4 = qnn.requantize(%made3) rounding=\"float\" factor=0.33333331346511841 : "
        "1x1x1x2xi8{0.10000000000000001, 4}\n"
        "  %made5 = transpose(%made4) permutation=[0, 3, 1, 2] : "
        "1x2x1x1xi8{0.10000000000000001, 4}\n"
        "  %r = reshape(%made5) : 1x2x1xi8{0.10000000000000001, 4}\n"
        "  return %r\n"
        "}\n");
    assert_pass(
        *state, weft_pass_fuse_quantize,
        "graph g(%0: 1x1x2x2x2xi8{0.5, -3}) {\n"
        "  %a = qnn.dequantize(%0) : 1x1x2x2x2xf32\n"
        "  %c = mean(%a) axes=[1, 2, 3] keep_dims=0 : 1x2xf32\n"
        "  %r = qnn.quantize(%c) rounding=\"even\" : 1x2xi8{0.25, 4}\n"
        "  return %r\n"
        "}\n",
        "graph g(%0: 1x1x2x2x2xi8{0.5, -3}) {\n"
        "  %made0 = reshape(%0) : 1x1x4x2xi8{0.5, -3}\n"
        "  %made1 = constant() data=[1, 1, 1, 1, 1, 1, 1, 1] : 2x1x4x1xi8{1, 0}\n"
        "  %made2 = qnn.conv2d(%made0, %made1) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] "
        "groups=2 : 1x1x1x2xi32{0.5, 0}\n"
        "  %made3 = qnn.requantize(%made2) rounding=\"float\" factor=0.5 : 1x1x1x2xi8{0.25, 4}\n"
        "  %r = reshape(%made3) : 1x2xi8{0.25, 4}\n"
        "  return %r\n"
        "}\n");
}

/* As integers ONNX Runtime counts what hangs over, too; floats by themselves do not. */
static void averages_count_what_hangs_over(void **state) {
    const struct weft_graph *before = graph_of(
        *state,
        "graph g(%0: 1x3x2x1xi8{0.5, -3}) {\n"
        "  %a = qnn.dequantize(%0) : 1x3x2x1xf32\n"
        "  %c = avg_pool2d(%a) kernel=[2, 2] strides=[2, 2] padding=[0, 0, 1, 0] hanging=[1, 0] : "
        "1x2x1x1xf32\n"
        "  %r = qnn.quantize(%c) rounding=\"even\" : 1x2x1x1xi8{0.5, 4}\n"
        "  return %r\n"
        "}\n");
    assert_text(weft_pass_fuse_quantize(before),
                "graph g(%0: 1x3x2x1xi8{0.5, -3}) {\n"
                "  %a = qnn.dequantize(%0) : 1x3x2x1xf32\n"
                "  %made0 = pad(%a) pads=[0, 0, 0, 1, 0, 0, 0, 0] : 1x4x2x1xf32\n"
                "  %made1 = avg_pool2d(%made0) kernel=[2, 2] strides=[2, 2] padding=[0, 0, 0, 0] : "
                "1x2x1x1xf32\n"
                "  %made2 = constant() data=[0.5] : f32\n"
                "  %made3 = divide(%made1, %made2) : 1x2x1x1xf32\n"
                "  %made4 = constant() data=[4] : f32\n"
                "  %made5 = add(%made3, %made4) : 1x2x1x1xf32\n"
                "  %made6 = qnn.quantize(%made5) rounding=\"even\" : 1x2x1x1xi8{1, 0}\n"
                "  %r = cast(%made6) : 1x2x1x1xi8{0.5, 4}\n"
                "  return %r\n"
                "}\n");
}

static void average_pools_add_the_zero_point_before_rounding(void **state) {
    assert_pass(
        *state, weft_pass_fuse_quantize,
        "graph g(%0: 1x2x2x3xi8{0.5, -3}) {\n"
        "  %a = qnn.dequantize(%0) : 1x2x2x3xf32\n"
        "  %c = avg_pool2d(%a) kernel=[2, 1] strides=[1, 1] padding=[0, 0, 0, 0] : 1x1x2x3xf32\n"
        "  %r = qnn.quantize(%c) rounding=\"even\" : 1x1x2x3xi8{0.5, 4}\n"
        "  return %r\n"
        "}\n",
        "graph g(%0: 1x2x2x3xi8{0.5, -3}) {\n"
        "  %a = qnn.dequantize(%0) : 1x2x2x3xf32\n"
        "  %made0 = avg_pool2d(%a) kernel=[2, 1] strides=[1, 1] padding=[0, 0, 0, 0] : "
        "1x1x2x3xf32\n"
        "  %made1 = constant() data=[0.5] : f32\n"
        "  %made2 = divide(%made0, %made1) : 1x1x2x3xf32\n"
        "  %made3 = constant() data=[4] : f32\n"
        "  %made4 = add(%made2, %made3) : 1x1x2x3xf32\n"
        "  %made5 = qnn.quantize(%made4) rounding=\"even\" : 1x1x2x3xi8{1, 0}\n"
        "  %r = cast(%made5) : 1x1x2x3xi8{0.5, 4}\n"
        "  return %r\n"
        "}\n");
}

/* A third of an integer is never near a half of one; the mean of two (above) may be one, and so
 * may be that of three in steps of another scale, or next to padding, where fewer count. */
static void average_pools_whose_sums_tell_are_convolutions(void **state) {
    assert_pass(
        *state, weft_pass_fuse_quantize,
        "graph g(%0: 1x5x2x2xi8{0.25, -3}) {\n"
        "  %a = qnn.dequantize(%0) : 1x5x2x2xf32\n"
        "  %c = avg_pool2d(%a) kernel=[3, 1] strides=[2, 1] padding=[0, 0, 0, 0] : 1x2x2x2xf32\n"
        "  %r = qnn.quantize(%c) rounding=\"even\" : 1x2x2x2xi8{0.25, 5}\n"
        "  return %r\n"
        "}\n",
        "graph g(%0: 1x5x2x2xi8{0.25, -3}) {\n"
        "  %made0 = constant() data=[1, 1, 1, 1, 1, 1] : 2x3x1x1xi8{1, 0}\n"
        "  %made1 = qnn.conv2d(%0, %made0) strides=[2, 1] padding=[0, 0, 0, 0] dilation=[1, 1] "
        "groups=2 : 1x2x2x2xi32{0.25, 0}\n"
        "  %r = qnn.requantize(%made1) rounding=\"float\" factor=0.3333333432674408 : "
        "1x2x2x2xi8{0.25, 5}\n"
        "  return %r\n"
        "}\n");
    static const char *const in_floats[] = {
        "kernel=[3, 1] strides=[2, 1] padding=[0, 0, 0, 0] : 1x2x2x2xf32\n"
        "  %r = qnn.quantize(%c) rounding=\"even\" : 1x2x2x2xi8{0.2, 5}\n",
        "kernel=[3, 1] strides=[2, 1] padding=[1, 0, 1, 0] : 1x3x2x2xf32\n"
        "  %r = qnn.quantize(%c) rounding=\"even\" : 1x3x2x2xi8{0.25, 5}\n",
    };
    for (size_t i = 0; i < sizeof in_floats / sizeof in_floats[0]; i++) {
        const struct weft_graph *graph =
            graph_of(*state, weft_arena_print(*state,
                                              "graph g(%%0: 1x5x2x2xi8{0.25, -3}) {\n"
                                              "  %%a = qnn.dequantize(%%0) : 1x5x2x2xf32\n"
                                              "  %%c = avg_pool2d(%%a) %s  return %%r\n}\n",
                                              in_floats[i]));
        const struct weft_graph *made = weft_pass_fuse_quantize(graph);
        assert_int_equal(count_of(made, WEFT_OP_AVG_POOL2D), 1);
    }
}

static void a_softmax_is_a_table_of_exponentials(void **state) {
    assert_pass(*state, weft_pass_fuse_quantize,
                "graph g(%0: 2x3xi8{2, -3}) {\n"
                "  %a = qnn.dequantize(%0) : 2x3xf32\n"
                "  %c = softmax(%a) beta=1 : 2x3xf32\n"
                "  %r = qnn.quantize(%c) rounding=\"even\" : 2x3xi8{0.00390625, -128}\n"
                "  return %r\n"
                "}\n",
                "graph g(%0: 2x3xi8{2, -3}) {\n"
                "  %made0 = cast(%0) : 2x3xi32\n"
                "  %made1 = reduce_max(%made0) axes=[1] keep_dims=1 : 2x1xi32\n"
                "  %made2 = subtract(%made0, %made1) : 2x3xi32\n"
                "  %made3 = constant() data=[255] : i32\n"
                "  %made4 = add(%made2, %made3) : 2x3xi32\n"
                "  %made5 = constant() data=blob 0 : 256xi64\n"
                "  %made6 = gather(%made5, %made4) axis=0 batch_dims=0 : 2x3xi64\n"
                "  %made7 = sum(%made6) axes=[1] keep_dims=1 : 2x1xi64\n"
                "  %made8 = cast(%made7) : 2x1xf32\n"
                "  %made9 = cast(%made6) : 2x3xf32\n"
                "  %made10 = constant() data=[256] : f32\n"
                "  %made11 = mul(%made9, %made10) : 2x3xf32\n"
                "  %made12 = divide(%made11, %made8) : 2x3xf32\n"
                "  %made13 = qnn.quantize(%made12) rounding=\"even\" : 2x3xi8{1, -128}\n"
                "  %r = cast(%made13) : 2x3xi8{0.00390625, -128}\n"
                "  return %r\n"
                "}\n");
}

static void what_goes_to_floats_and_back_goes(void **state) {
    assert_pass(*state, weft_pass_fuse_quantize,
                "graph g(%0: 3xi8{0.5, -3}) {\n"
                "  %a = qnn.dequantize(%0) : 3xf32\n"
                "  %r = qnn.quantize(%a) rounding=\"even\" : 3xi8{0.5, -3}\n"
                "  %s = qnn.quantize(%a) rounding=\"even\" : 3xi8{0.5, 1}\n"
                "  return %r, %s\n"
                "}\n",
                "graph g(%0: 3xi8{0.5, -3}) {\n"
                "  %a = qnn.dequantize(%0) : 3xf32\n"
                "  %s = qnn.quantize(%a) rounding=\"even\" : 3xi8{0.5, 1}\n"
                "  return %0, %s\n"
                "}\n");
}

static void what_is_needed_in_its_place_stays(void **state) {
    static const char *const texts[] = {
        /* rounded as TFLite does */
        "graph g(%0: 1x3xi8{0.5, -3}) {\n"
        "  %a = qnn.dequantize(%0) : 1x3xf32\n"
        "  %b = reshape(%a) : 3xf32\n"
        "  %r = qnn.quantize(%b) : 3xi8{0.5, -3}\n"
        "  return %r\n"
        "}\n",
        /* surrounded with another number */
        "graph g(%0: 1x3xi8{0.5, -3}) {\n"
        "  %a = qnn.dequantize(%0) : 1x3xf32\n"
        "  %z = constant() data=[1] : f32\n"
        "  %b = pad(%a, %z) pads=[0, 0, 0, 1] : 1x4xf32\n"
        "  %r = qnn.quantize(%b) rounding=\"even\" : 1x4xi8{0.5, -3}\n"
        "  return %r\n"
        "}\n",
        /* needed as floats as well */
        "graph g(%0: 1x3xf32) {\n"
        "  %b = reshape(%0) : 3xf32\n"
        "  %r = qnn.quantize(%b) rounding=\"even\" : 3xi8{0.5, -3}\n"
        "  return %b, %r\n"
        "}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_stays(*state, weft_pass_move_quantize, texts[i]);
    }
}

static void what_has_no_integer_operator_stays(void **state) {
    static const char *const texts[] = {
        /* a bias of what is no product, of one operand and of none */
        "graph g(%0: 1x2x2x2xi8{0.5, -3}) {\n"
        "  %b = constant() data=[1, 2] : 2xf32\n"
        "  %x = qnn.dequantize(%0) : 1x2x2x2xf32\n"
        "  %p = pad(%x) pads=[0, 0, 0, 1, 0, 1, 0, 0] : 1x3x3x2xf32\n"
        "  %c = bias_add(%p, %b) : 1x3x3x2xf32\n"
        "  %r = qnn.quantize(%c) rounding=\"even\" : 1x3x3x2xi8{4, 5}\n"
        "  return %r\n"
        "}\n",
        "graph g(%0: 1x2x2x2xi8{0.5, -3}) {\n"
        "  %b = constant() data=[1, 2] : 2xf32\n"
        "  %x = qnn.dequantize(%0) : 1x2x2x2xf32\n"
        "  %c = bias_add(%x, %b) : 1x2x2x2xf32\n"
        "  %r = qnn.quantize(%c) rounding=\"even\" : 1x2x2x2xi8{4, 5}\n"
        "  return %r\n"
        "}\n",
        /* rounded as TFLite does */
        "graph g(%0: 1x2x2x2xi8{0.5, -3}) {\n"
        "  %w = constant() data=[1, 2, 3, -4, 5, 6] : 3x1x1x2xi8{axis=0; 0.5, 0; 0.25, 0; 2, 0}\n"
        "  %x = qnn.dequantize(%0) : 1x2x2x2xf32\n"
        "  %v = qnn.dequantize(%w) : 3x1x1x2xf32\n"
        "  %c = conv2d(%x, %v) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1 : "
        "1x2x2x3xf32\n"
        "  %r = qnn.quantize(%c) : 1x2x2x3xi8{4, 5}\n"
        "  return %r\n"
        "}\n",
        /* needed as floats as well */
        "graph g(%0: 1x2x2x2xi8{0.5, -3}) {\n"
        "  %w = constant() data=[1, 2, 3, -4, 5, 6] : 3x1x1x2xi8{axis=0; 0.5, 0; 0.25, 0; 2, 0}\n"
        "  %x = qnn.dequantize(%0) : 1x2x2x2xf32\n"
        "  %v = qnn.dequantize(%w) : 3x1x1x2xf32\n"
        "  %c = conv2d(%x, %v) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1 : "
        "1x2x2x3xf32\n"
        "  %r = qnn.quantize(%c) rounding=\"even\" : 1x2x2x3xi8{4, 5}\n"
        "  return %c, %r\n"
        "}\n",
        /* weights of floats */
        "graph g(%0: 2x2xi8{0.5, -3}) {\n"
        "  %v = constant() data=[1, 2, 3, -4] : 2x2xf32\n"
        "  %x = qnn.dequantize(%0) : 2x2xf32\n"
        "  %c = dense(%x, %v) : 2x2xf32\n"
        "  %r = qnn.quantize(%c) rounding=\"even\" : 2x2xi8{4, 5}\n"
        "  return %r\n"
        "}\n",
        /* a bias in other units */
        "graph g(%0: 2x2xi8{0.5, -3}) {\n"
        "  %w = constant() data=[1, 2, 3, -4] : 2x2xi8{0.25, 0}\n"
        "  %b = constant() data=[1, 2] : 2xi32{0.25, 0}\n"
        "  %x = qnn.dequantize(%0) : 2x2xf32\n"
        "  %v = qnn.dequantize(%w) : 2x2xf32\n"
        "  %d = qnn.dequantize(%b) : 2xf32\n"
        "  %c = dense(%x, %v) : 2x2xf32\n"
        "  %e = bias_add(%c, %d) : 2x2xf32\n"
        "  %r = qnn.quantize(%e) rounding=\"even\" : 2x2xi8{4, 5}\n"
        "  return %r\n"
        "}\n",
        /* two element types */
        "graph g(%0: 3xi8{0.5, -3}, %1: 3xu8{0.5, 3}) {\n"
        "  %a = qnn.dequantize(%0) : 3xf32\n"
        "  %b = qnn.dequantize(%1) : 3xf32\n"
        "  %c = add(%a, %b) : 3xf32\n"
        "  %r = qnn.quantize(%c) rounding=\"even\" : 3xi8{1, 0}\n"
        "  return %r\n"
        "}\n",
        /* rounded after the zero point, with a limit that the type does not have */
        "graph g(%0: 2x2xi8{0.5, -3}, %1: 1x2xi8{0.25, 0}) {\n"
        "  %a = qnn.dequantize(%0) : 2x2xf32\n"
        "  %b = qnn.dequantize(%1) : 1x2xf32\n"
        "  %c = mul(%a, %b) : 2x2xf32\n"
        "  %d = relu(%c) : 2x2xf32\n"
        "  %r = qnn.quantize(%d) rounding=\"even\" : 2x2xi8{1, 4}\n"
        "  return %r\n"
        "}\n",
        "graph g(%0: 1x3x3x2xi8{0.5, -3}) {\n"
        "  %x = qnn.dequantize(%0) : 1x3x3x2xf32\n"
        "  %c = avg_pool2d(%x) kernel=[2, 2] strides=[1, 1] padding=[0, 0, 0, 0] : 1x2x2x2xf32\n"
        "  %d = float.clip(%c) low=-4 high=4 : 1x2x2x2xf32\n"
        "  %r = qnn.quantize(%d) rounding=\"even\" : 1x2x2x2xi8{0.5, 5}\n"
        "  return %r\n"
        "}\n",
        "graph g(%0: 1x4xi8{0.5, -3}) {\n"
        "  %x = qnn.dequantize(%0) : 1x4xf32\n"
        "  %c = softmax(%x) beta=1 : 1x4xf32\n"
        "  %h = constant() data=[0.125] : f32\n"
        "  %d = maximum(%c, %h) : 1x4xf32\n"
        "  %r = qnn.quantize(%d) rounding=\"even\" : 1x4xi8{0.00390625, -128}\n"
        "  return %r\n"
        "}\n",
        /* a bias that leaves no room for the sums, behind which there is a limit */
        "graph g(%0: 2x2xi8{0.5, -3}) {\n"
        "  %w = constant() data=[1, 2, 3, -4] : 2x2xi8{0.25, 0}\n"
        "  %x = qnn.dequantize(%0) : 2x2xf32\n"
        "  %v = qnn.dequantize(%w) : 2x2xf32\n"
        "  %b = constant() data=[0.5, -1e+09] : 2xf32\n"
        "  %c = dense(%x, %v) : 2x2xf32\n"
        "  %d = bias_add(%c, %b) : 2x2xf32\n"
        "  %e = relu(%d) : 2x2xf32\n"
        "  %r = qnn.quantize(%e) rounding=\"even\" : 2x2xi8{0.5, -5}\n"
        "  return %r\n"
        "}\n",
        /* a constant of another shape is no bias */
        "graph g(%0: 2x2xi8{0.5, -3}) {\n"
        "  %w = constant() data=[1, 2, 3, -4] : 2x2xi8{0.25, 0}\n"
        "  %x = qnn.dequantize(%0) : 2x2xf32\n"
        "  %v = qnn.dequantize(%w) : 2x2xf32\n"
        "  %b = constant() data=[0.5, -1] : 2x1xf32\n"
        "  %c = dense(%x, %v) : 2x2xf32\n"
        "  %d = add(%c, %b) : 2x2xf32\n"
        "  %r = qnn.quantize(%d) rounding=\"even\" : 2x2xi8{0.5, -5}\n"
        "  return %r\n"
        "}\n",
        /* one tensor and a number: a table */
        "graph g(%0: 3xi8{0.5, -3}) {\n"
        "  %a = qnn.dequantize(%0) : 3xf32\n"
        "  %n = constant() data=[1.5] : f32\n"
        "  %c = add(%a, %n) : 3xf32\n"
        "  %r = qnn.quantize(%c) rounding=\"even\" : 3xi8{1, 0}\n"
        "  return %r\n"
        "}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_stays(*state, weft_pass_fuse_quantize, texts[i]);
    }
}

/* What is larger stays larger: bytes are compared at the result's scale. */
static void the_larger_one_is_one_of_bytes(void **state) {
    assert_pass(*state, weft_pass_move_quantize,
                "graph g(%0: 1x3x2xi8{0.5, -3}, %1: 1x3x2xi8{0.25, 7}) {\n"
                "  %a = qnn.dequantize(%0) : 1x3x2xf32\n"
                "  %b = qnn.dequantize(%1) : 1x3x2xf32\n"
                "  %m = maximum(%a, %b) : 1x3x2xf32\n"
                "  %r = qnn.quantize(%m) rounding=\"even\" : 1x3x2xi8{0.5, -3}\n"
                "  return %r\n"
                "}\n",
                "graph g(%0: 1x3x2xi8{0.5, -3}, %1: 1x3x2xi8{0.25, 7}) {\n"
                "  %b = qnn.dequantize(%1) : 1x3x2xf32\n"
                "  %made0 = qnn.quantize(%b) rounding=\"even\" : 1x3x2xi8{0.5, -3}\n"
                "  %r = maximum(%0, %made0) : 1x3x2xi8{0.5, -3}\n"
                "  return %r\n"
                "}\n");
    static const char *const texts[] = {
        /* of floats; of another shape; needed as floats */
        "graph g(%0: 1x3x2xi8{0.5, -3}, %1: 1x3x2xf32) {\n"
        "  %a = qnn.dequantize(%0) : 1x3x2xf32\n  %m = minimum(%a, %1) : 1x3x2xf32\n"
        "  %r = qnn.quantize(%m) rounding=\"even\" : 1x3x2xi8{0.5, -3}\n  return %r\n}\n",
        "graph g(%0: 1x3x2xi8{0.5, -3}, %1: 1x1x2xi8{0.5, -3}) {\n"
        "  %a = qnn.dequantize(%0) : 1x3x2xf32\n  %b = qnn.dequantize(%1) : 1x1x2xf32\n"
        "  %m = maximum(%a, %b) : 1x3x2xf32\n"
        "  %r = qnn.quantize(%m) rounding=\"even\" : 1x3x2xi8{0.5, -3}\n  return %r\n}\n",
        "graph g(%0: 1x3x2xi8{0.5, -3}, %1: 1x3x2xi8{0.5, -3}) {\n"
        "  %a = qnn.dequantize(%0) : 1x3x2xf32\n  %b = qnn.dequantize(%1) : 1x3x2xf32\n"
        "  %m = maximum(%a, %b) : 1x3x2xf32\n"
        "  %r = qnn.quantize(%m) rounding=\"even\" : 1x3x2xi8{0.5, -3}\n  return %r, %m\n}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_stays(*state, weft_pass_move_quantize, texts[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(what_moves_elements_comes_before_floats),
        ARENA_TEST(the_larger_one_is_one_of_bytes),
        ARENA_TEST(scales_of_an_axis_move_with_it),
        ARENA_TEST(qnn_quantize_comes_before_what_moves),
        ARENA_TEST(casts_that_relabel_are_one),
        ARENA_TEST(products_are_of_integers),
        ARENA_TEST(a_float_bias_is_quantised_and_limits_are_clips),
        ARENA_TEST(a_sum_with_a_number_is_a_table),
        ARENA_TEST(limits_may_be_the_wrong_way_round),
        ARENA_TEST(a_constant_for_each_column_is_a_bias),
        ARENA_TEST(sums_are_of_integers),
        ARENA_TEST(what_is_repeated_is_added_second),
        ARENA_TEST(products_by_element_are_of_integers),
        ARENA_TEST(averages_over_an_image_are_convolutions),
        ARENA_TEST(averages_over_other_axes_are_those_of_images),
        ARENA_TEST(averages_count_what_hangs_over),
        ARENA_TEST(average_pools_add_the_zero_point_before_rounding),
        ARENA_TEST(average_pools_whose_sums_tell_are_convolutions),
        ARENA_TEST(a_softmax_is_a_table_of_exponentials),
        ARENA_TEST(what_goes_to_floats_and_back_goes),
        ARENA_TEST(what_is_needed_in_its_place_stays),
        ARENA_TEST(what_has_no_integer_operator_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
