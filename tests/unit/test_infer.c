/* compiler/ir: types of the results of each operator: infer_*.c. What older operators refuse is in
 * test_ir_rules.c; one good graph for each operator is in tests/fuzz/seeds/graph. */
#include "tests/unit/rules.h"

static const char not_what_follows[] = "not what follows";

/* ---- products ---- */

static void transposed_convolutions(void **state) {
    static const struct rule rules[] = {
        {"3x4x5x2xi8{0.5, 1}, 7x3x2x2xi8{0.25, 0}",
         "strides=[2, 3] padding=[1, 0, 1, 1] output_padding=[1, 2]", "3x8x15x7xi32{0.125, 0}",
         NULL},
        {"1x1x1x2xi8{0.5, 1}, 3x1x1x2xi8{axis=0; 0.25, 0; 0.5, 0; 1, 0}",
         "strides=[1, 1] padding=[0, 0, 0, 0] output_padding=[0, 0]",
         "1x1x1x3xi32{axis=3; 0.125, 0; 0.25, 0; 0.5, 0}", NULL},
        {"1x2x2x1xi8{0.5, 1}, 1x2x2x1xi8",
         "strides=[1, 1] padding=[0, 0, 0, 0] output_padding=[0, 0]", "1x3x3x1xi32{0.125, 0}",
         "must be quantised"},
        {"1x2x2x1xi8{0.5, 1}, 1x2x2x2xi8{0.25, 0}",
         "strides=[1, 1] padding=[0, 0, 0, 0] output_padding=[0, 0]", "1x3x3x1xi32{0.125, 0}",
         "do not agree"},
        {"2x2x1xi8{0.5, 1}, 1x2x2x1xi8{0.25, 0}",
         "strides=[1, 1] padding=[0, 0, 0, 0] output_padding=[0, 0]", "1x3x3x1xi32{0.125, 0}",
         "4 dimensions"},
        {"1x2x2x1xi8{0.5, 1}, 1x2x2x1xi8{0.25, 0}",
         "strides=[1, 1] padding=[2, 0, 1, 0] output_padding=[0, 0]", "1x3x3x1xi32{0.125, 0}",
         "leave no result"},
        {"1x2x2x1xi8{0.5, 1}, 1x2x2x1xi8{0.25, 0}",
         "strides=[1, 1] padding=[-1, 0, 0, 0] output_padding=[0, 0]", "1x4x3x1xi32{0.125, 0}",
         "leave no result"},
        {"1x2x2x1xi8{0.5, 1}, 1x2x2x1xi8{0.25, 0}",
         "strides=[1, 1] padding=[0, 0, 0, 0] output_padding=[1, 0]", "1x4x3x1xi32{0.125, 0}",
         "below the stride"},
        {"1x2x2x1xi8{0.5, 1}, 1x2x2x1xi8{0.25, 0}",
         "strides=[9223372036854775807, 1] padding=[0, 0, 0, 0] output_padding=[0, 0]",
         "1x4x3x1xi32{0.125, 0}", "leave no result"},
        {"1x2x2x1xi8{0.5, 1}, 1x2x2x1xi8{0.25, 0}",
         "strides=[2147483647, 1] padding=[0, 0, 0, 0] output_padding=[0, 0]",
         "1x4x3x1xi32{0.125, 0}", not_what_follows},
        {"1x2x2x1xi8{0.5, 1}, 1x2x2x1xi8{0.25, 0}",
         "strides=[0, 1] padding=[0, 0, 0, 0] output_padding=[0, 0]", "1x4x3x1xi32{0.125, 0}",
         "leave no result"},
    };
    ASSERT_RULES("qnn.conv2d_transpose", rules);
}

static void products_of_int16_may_be_wide(void **state) {
    static const struct rule rules[] = {
        {"1x2xi16{0.5, 0}, 3x2xi8{0.25, 0}", "", "1x3xi32{0.125, 0}", NULL},
        {"1x2xi16{0.5, 0}, 3x2xi8{0.25, 0}", "", "1x3xi64{0.125, 0}", NULL},
        {"1x2xi8{0.5, 0}, 3x2xi8{0.25, 0}", "", "1x3xi64{0.125, 0}", not_what_follows},
        {"1x2xi64{0.5, 0}, 3x2xi8{0.25, 0}", "", "1x3xi64{0.125, 0}", "must be quantised"},
    };
    ASSERT_RULES("qnn.dense", rules);
}

static void batched_products(void **state) {
    static const struct rule rules[] = {
        {"2x3xi8{0.5, 0}, 3x4xi8{0.25, 0}", "transpose_a=0 transpose_b=0", "2x4xi32{0.125, 0}",
         NULL},
        {"3x2xi8{0.5, 0}, 3x4xi8{0.25, 0}", "transpose_a=1 transpose_b=0", "2x4xi32{0.125, 0}",
         NULL},
        {"5x1x3x2xi8{0.5, 0}, 6x4x3xi8{0.25, 0}", "transpose_a=1 transpose_b=1",
         "5x6x2x4xi32{0.125, 0}", NULL},
        /* Scales are multiplied in float32. */
        {"1x1xi8{0.10000000149011612, 0}, 1x1xi8{0.10000000149011612, 0}",
         "transpose_a=0 transpose_b=0", "1x1xi32{0.010000000707805157, 0}", NULL},
        {"2x3xi8{0.5, 0}, 4x3xi8{0.25, 0}", "transpose_a=0 transpose_b=0", "2x4xi32{0.125, 0}",
         "[..., M, K]"},
        {"3xi8{0.5, 0}, 3x4xi8{0.25, 0}", "transpose_a=0 transpose_b=0", "4xi32{0.125, 0}",
         "[..., M, K]"},
        {"2x2x3xi8{0.5, 0}, 3x3x4xi8{0.25, 0}", "transpose_a=0 transpose_b=0",
         "2x2x4xi32{0.125, 0}", "[..., M, K]"},
        {"2x3xi8{0.5, 0}, 3x4xi8{0.25, 0}", "transpose_a=2 transpose_b=0", "2x4xi32{0.125, 0}",
         "must be 0 or 1"},
        {"2x3xi8{0.5, 0}, 3x1xi8{axis=0; 0.25, 0; 1, 0; 1, 0}", "transpose_a=0 transpose_b=0",
         "2x1xi32{0.125, 0}", "per tensor"},
    };
    ASSERT_RULES("qnn.batch_matmul", rules);
}

static void products_of_floats(void **state) {
    static const struct rule dense[] = {
        {"1x2xf32, 3x2xf32", "", "1x3xf32", NULL},
        {"1x2xi8{0.5, 0}, 3x2xi8{0.5, 0}", "", "1x3xf32", "must be floats"},
        {"1x2xf32, 3x2xi8", "", "1x3xf32", "must be floats"},
        {"1x2xf32, 3x3xf32", "", "1x3xf32", "[N, K]"},
    };
    static const struct rule bias[] = {
        {"4x2xf32, 2xf32", "", "4x2xf32", NULL},
        {"4x2xi64{0.5, 0}, 2xi64", "", "4x2xi64{0.5, 0}", NULL},
        {"4x2xi64, 2xi32", "", "4x2xi64", "expected int32"},
        {"4x2xf32, 4xf32", "", "4x2xf32", "expected int32"},
    };
    ASSERT_RULES("dense", dense);
    ASSERT_RULES("bias_add", bias);
}

/* ---- elements ---- */

static void conversions(void **state) {
    static const struct rule quantize[] = {
        {"2xf32", "", "2xu8{0.5, 3}", NULL},
        {"2xf32", "", "2xi16{0.5, 3}", NULL},
        {"2xf32", "", "2xi32{axis=0; 0.5, 0; 1, 0}", NULL},
        {"2xf32", "", "2xi8", "must be a quantised"},
        {"2xf32", "", "2xf32", "must be a quantised"},
        {"2xf32", "", "2xi64{0.5, 0}", "must be a quantised"},
        {"2xi8", "", "2xi8{0.5, 0}", "must be float"},
        {"2xf32", "", "3xi8{0.5, 0}", not_what_follows},
    };
    static const struct rule dequantize[] = {
        {"2xi32{axis=0; 0.5, 0; 1, 0}", "", "2xf32", NULL},
        {"2xi8", "", "2xf32", "must be a quantised"},
        {"2xi64{0.5, 0}", "", "2xf32", "must be a quantised"},
        {"2xi8{0.5, 0}", "", "2xi8{0.5, 0}", not_what_follows},
    };
    static const struct rule requantize[] = {
        {"2xi8{0.5, 0}", "rounding=\"gemmlowp\"", "2xu8{0.25, 3}", NULL},
        {"2x2xi32{axis=1; 0.5, 0; 1, 0}", "rounding=\"single\"", "2x2xi32{0.25, 3}", NULL},
        {"2x2xi32{axis=1; 0.5, 0; 1, 0}", "rounding=\"float\"", "2x2xi16{0.25, 3}", NULL},
        {"2xi64{0.5, 0}", "rounding=\"reduced\"", "2xi16{0.25, 0}", NULL},
        {"2xi32{0.5, 0}", "rounding=\"float\" factor=0.75", "2xi8{0.25, 3}", NULL},
        {"2xi32{0.5, 0}", "rounding=\"single\" factor=0.75", "2xi8{0.25, 3}", "a factor must be"},
        {"2xi32{0.5, 0}", "rounding=\"float\" factor=-0.75", "2xi8{0.25, 3}", "a factor must be"},
        {"2xi32{0.5, 0}", "rounding=\"float\" factor=0.1", "2xi8{0.25, 3}", "a factor must be"},
        {"2x2xi32{axis=1; 0.5, 0; 1, 0}", "rounding=\"float\" factor=0.75", "2x2xi8{0.25, 3}",
         "a factor must be"},
    };
    static const struct rule cast[] = {
        {"2xi32{0.5, 3}", "", "2xu8{0.5, 3}", NULL},
        {"2xi32{0.5, 3}", "", "2xbool", NULL},
        {"2xf32", "", "2xi8", NULL},
        {"2xf32", "", "2x1xi8", not_what_follows},
    };
    ASSERT_RULES("qnn.quantize", quantize);
    ASSERT_RULES("qnn.dequantize", dequantize);
    ASSERT_RULES("qnn.requantize", requantize);
    ASSERT_RULES("cast", cast);
}

static void two_operands(void **state) {
    static const struct rule quantized[] = {
        {"2x1x3xi8{1, 0}, 4x1xi8{2, 0}", "", "2x4x3xi8{3, 0}", NULL},
        {"3xi16{1, 0}, i16{2, 0}", "", "3xi16{3, 0}", NULL},
        {"0x3xi8{1, 0}, 1x3xi8{2, 0}", "", "0x3xi8{3, 0}", NULL},
        {"2x3xi8{1, 0}, 3x2xi8{1, 0}", "", "2x3xi8{1, 0}", "shapes that fit"},
    };
    static const struct rule product[] = {
        {"2xi8{1, 0}, 2xi8{2, 0}", "rounding=\"float\"", "2xi8{3, 0}", NULL},
        {"2xu8{1, 0}, 2xu8{2, 0}", "factor=0.75", "2xu8{3, 0}", NULL},
        {"2xi8{1, 0}, 2xi8{2, 0}", "factor=5", "2xi8{3, 0}", NULL},
        {"2xi16{1, 0}, 2xi16{2, 0}", "rounding=\"float\"", "2xi16{3, 0}", "8-bit tensors"},
        {"2xi16{1, 0}, 2xi16{2, 0}", "factor=0.5", "2xi16{3, 0}", "8-bit tensors"},
        {"2xi8{1, 0}, 2xi8{2, 0}", "rounding=\"float\" factor=0.5", "2xi8{3, 0}", "8-bit tensors"},
        {"2xi8{1, 0}, 2xi8{2, 0}", "rounding=\"even\"", "2xi8{3, 0}", "must be float, or not said"},
        {"2xi8{1, 0}, 2xi8{2, 0}", "factor=0", "2xi8{3, 0}", "of 31 bits"},
        {"2xi8{1, 0}, 2xi8{2, 0}", "factor=-0.5", "2xi8{3, 0}", "of 31 bits"},
        {"2xi8{1, 0}, 2xi8{2, 0}", "factor=0.1", "2xi8{3, 0}", "of 31 bits"},
        {"2xi8{1, 0}, 2xi8{2, 0}", "factor=4294967296", "2xi8{3, 0}", "of 31 bits"},
        {"2xi8{1, 0}, 2xi8{2, 0}", "factor=1e-10", "2xi8{3, 0}", "of 31 bits"},
        {"2xi8{1, 0}, 2xi8{2, 0}", "corrections=[1, 2]", "2xi8{3, 0}", "a factor is of qnn.mul"},
    };
    static const struct rule sum[] = {
        {"2xi8{1, 0}, 2xi8{2, 0}", "rounding=\"float\"", "2xi8{3, 0}", NULL},
        {"2xu8{1, 0}, 2xu8{2, 0}", "corrections=[16777216, -16777216]", "2xu8{3, 0}", NULL},
        {"2xi16{1, 0}, 2xi16{2, 0}", "corrections=[1, 0]", "2xi16{3, 0}", "8-bit tensors"},
        {"2xi8{1, 0}, 2xi8{2, 0}", "rounding=\"float\" corrections=[1, 0]", "2xi8{3, 0}",
         "8-bit tensors"},
        {"2xi8{1, 0}, 2xi8{2, 0}", "corrections=[1]", "2xi8{3, 0}", "must be two"},
        {"2xi8{1, 0}, 2xi8{2, 0}", "factor=0.5", "2xi8{3, 0}", "corrections are of qnn.add"},
        {"2xi8{1, 0}, 2xi8{2, 0}", "corrections=[16777217, 0]", "2xi8{3, 0}", "must be two"},
        {"2xi8{1, 0}, 2xi8{2, 0}", "corrections=[0, -16777217]", "2xi8{3, 0}", "must be two"},
    };
    static const struct rule plain[] = {
        {"2xi64, 2xi64", "", "2xi64", NULL},
        {"1xf32, 3x1xf32", "", "3x1xf32", NULL},
        {"2xi8, 2xi8", "", "2xi8", "float, int32 or int64"},
        {"2xi32, 2xi64", "", "2xi32", "float, int32 or int64"},
        {"2xi32{1, 0}, 2xi32", "", "2xi32", "float, int32 or int64"},
        {"2xf32, 3xf32", "", "2xf32", "do not fit"},
    };
    static const struct rule compare[] = {
        {"2xi8{1, 0}, 2xi8{2, 0}", "", "2xi8{3, 0}", NULL},
        {"2xf32, 1xf32", "", "2xf32", NULL},
        {"2xbool, 2xbool", "", "2xbool", NULL},
        {"2xi8, 2xu8", "", "2xi8", "one element type"},
        {"2xi8, 2xi8", "", "2xu8", "one element type"},
    };
    ASSERT_RULES("qnn.subtract", quantized);
    ASSERT_RULES("qnn.mul", quantized);
    ASSERT_RULES("qnn.mul", product);
    ASSERT_RULES("qnn.add", quantized);
    ASSERT_RULES("qnn.add", sum);
    ASSERT_RULES("qnn.subtract", sum);
    ASSERT_RULES("subtract", plain);
    ASSERT_RULES("mul", plain);
    ASSERT_RULES("minimum", compare);
    ASSERT_RULES("maximum", compare);
}

static void one_operand(void **state) {
    static const struct rule quantized[] = {
        {"2xi16{1, 0}", "", "2xi16{2, 0}", NULL},
        {"2xi8{1, 0}", "", "2xu8{2, 0}", "alike"},
        {"2xi8", "", "2xi8{2, 0}", "per tensor"},
        {"2xi8{1, 0}", "", "2xi8", "per tensor"},
        {"2xi32{1, 0}", "", "2xi32{1, 0}", "int8, uint8 or int16"},
    };
    static const struct rule plain[] = {
        {"2xi8{1, 0}", "", "2xi8{1, 0}", "must be float"},
        {"2xf32", "", "3xf32", not_what_follows},
    };
    static const struct rule last[] = {
        {"f32", "", "f32", "last axis"},
        {"2xi32", "", "2xi32", "must be float"},
    };
    static const struct rule layer[] = {
        {"2x3xf32, 3xf32, 3xf32", "epsilon=0.5", "2x3xf32", NULL},
        {"3xf32, 3xf32, 3xf32", "epsilon=0", "3xf32", NULL},
        {"f32, f32, f32", "epsilon=0", "f32", "expected [..., C], [C] and [C]"},
        {"2x3xf32, 2xf32, 3xf32", "epsilon=0", "2x3xf32", "expected [..., C], [C] and [C]"},
        {"2x3xf32, 3xf32, 1x3xf32", "epsilon=0", "2x3xf32", "expected [..., C], [C] and [C]"},
        {"2x3xi32, 3xf32, 3xf32", "epsilon=0", "2x3xi32", "must be float"},
        {"2x3xf32, 3xf32, 3xf32", "epsilon=-1", "2x3xf32", "0 or above"},
    };
    ASSERT_RULES("layer_norm", layer);
    ASSERT_RULES("qnn.relu", quantized);
    ASSERT_RULES("qnn.tanh", quantized);
    ASSERT_RULES("relu6", plain);
    ASSERT_RULES("logistic", plain);
    ASSERT_RULES("log_softmax", last);
    ASSERT_RULES("l2_normalize", last);
}

/* ---- reductions ---- */

static void reductions(void **state) {
    static const struct rule mean[] = {
        {"2x3x4xi8{1, 0}", "axes=[0, 2] keep_dims=0", "3xi8{2, 0}", NULL},
        {"2x3x4xi8{1, 0}", "axes=[2, 0] keep_dims=1", "1x3x1xi8{2, 0}", NULL},
        {"2x3xi8{1, 0}", "axes=[0, 1] keep_dims=0", "i8{2, 0}", NULL},
        {"2x3xi8{1, 0}", "axes=[] keep_dims=0", "2x3xi8{2, 0}", NULL},
        {"2x3xi8{1, 0}", "axes=[2] keep_dims=0", "2x3xi8{1, 0}", "axes of the operand"},
        {"2x3xi8{1, 0}", "axes=[-1] keep_dims=0", "2xi8{1, 0}", "axes of the operand"},
        {"2x3xi8{1, 0}", "axes=[1, 1] keep_dims=0", "2xi8{1, 0}", "each once"},
        {"2x3xi8{1, 0}", "axes=[1] keep_dims=2", "2xi8{1, 0}", "0 or 1"},
        {"2x0xi8{1, 0}", "axes=[1] keep_dims=0", "2xi8{1, 0}", "nothing to reduce"},
        {"2x3xi8{1, 0}", "axes=[1] keep_dims=0", "2xu8{1, 0}", "alike"},
        {"2x3xi8", "axes=[1] keep_dims=0", "2xi8{1, 0}", "per tensor"},
    };
    static const struct rule plain[] = {
        {"2x3xi32", "axes=[1] keep_dims=0", "2xi32", NULL},
        {"2x3xi8", "axes=[1] keep_dims=0", "2xi8", "float, int32 or int64"},
        {"2x3xi32{1, 0}", "axes=[1] keep_dims=0", "2xi32{1, 0}", "not quantised"},
    };
    static const struct rule largest[] = {
        {"2x3xi16{1, 5}", "axes=[1] keep_dims=0", "2xi16{1, 5}", NULL},
        {"2x3xi8{1, 5}", "axes=[1] keep_dims=0", "2xi8{1, 0}", not_what_follows},
        {"2x1xi8{axis=0; 1, 0; 1, 0}", "axes=[1] keep_dims=0", "2xi8{1, 0}", "along an axis"},
    };
    static const struct rule index[] = {
        {"2x3xf32", "axis=0", "3xi64", NULL},
        {"2x3xf32", "axis=2", "2x3xi64", "not one of the tensor"},
        {"2x3xf32", "axis=-1", "2xi64", "not one of the tensor"},
        {"2x3xf32", "axis=1", "2xi16", "int32 or int64"},
        {"2x0xf32", "axis=1", "2xi32", "nothing to reduce"},
    };
    ASSERT_RULES("qnn.mean", mean);
    ASSERT_RULES("mean", plain);
    ASSERT_RULES("reduce_max", largest);
    ASSERT_RULES("argmax", index);
}

/* ---- moving ---- */

static void shapes(void **state) {
    static const struct rule pad[] = {
        {"2xi8{1, 0}, 1xi8{1, 0}", "pads=[1, 2]", "5xi8{1, 0}", NULL},
        {"2xf32, f32", "pads=[1, 2]", "5xf32", NULL},
        {"2xi8, 2xi8", "pads=[1, 2]", "5xi8", "one element"},
        {"2xi8, 1xu8", "pads=[1, 2]", "5xi8", "same type"},
        {"2xi8{axis=0; 1, 0; 1, 0}", "pads=[1, 0]", "3xi8{axis=0; 1, 0; 1, 0; 1, 0}",
         not_what_follows},
    };
    static const struct rule squeeze[] = {
        {"1x2x1x3xi8{axis=3; 1, 0; 2, 0; 3, 0}", "axes=[2, 0]", "2x3xi8{axis=1; 1, 0; 2, 0; 3, 0}",
         NULL},
        {"1x2xi8", "axes=[1]", "1xi8", "one element"},
        {"1x2xi8", "axes=[2]", "2xi8", "one element"},
        {"1x2xi8", "axes=[0, 0]", "2xi8", "each once"},
        {"1xi8", "axes=[0]", "i8", NULL},
    };
    static const struct rule expand[] = {
        {"2x3xi8{axis=1; 1, 0; 2, 0; 3, 0}", "axis=1", "2x1x3xi8{axis=2; 1, 0; 2, 0; 3, 0}", NULL},
        {"i8", "axis=0", "1xi8", NULL},
        {"2x3xi8", "axis=3", "2x3x1xi8", "not one of the tensor"},
        {"1x1x1x1x1x1x1x1xi8", "axis=0", "1xi8", "more than 8"},
    };
    static const struct rule transpose[] = {
        {"i8", "permutation=[]", "i8", NULL},
        {"2x3x4xi8", "permutation=[2, 0, 1]", "4x2x3xi8", NULL},
        {"2x3xi8", "permutation=[1, 1]", "3x3xi8", "each axis once"},
        {"2x3xi8", "permutation=[1, 2]", "3x3xi8", "each axis once"},
        {"2x3xi8", "permutation=[1]", "3xi8", "each axis once"},
        {"2x3xi8", "permutation=[1, 0, 2]", "3x2xi8", "each axis once"},
    };
    ASSERT_RULES("pad", pad);
    ASSERT_RULES("squeeze", squeeze);
    ASSERT_RULES("expand_dims", expand);
    ASSERT_RULES("transpose", transpose);
}

static void joins(void **state) {
    static const struct rule plain[] = {
        {"2x3xi8, 2x4xi8, 2x0xi8", "axis=1", "2x7xi8", NULL},
        {"2x3xi8{axis=1; 1, 0; 2, 0; 3, 0}, 1x3xi8{axis=1; 1, 0; 2, 0; 3, 0}", "axis=0",
         "3x3xi8{axis=1; 1, 0; 2, 0; 3, 0}", NULL},
        {"2x1xi8{axis=0; 1, 0; 2, 0}, 2x1xi8{axis=0; 1, 0; 2, 0}", "axis=0", "4x1xi8",
         "not along the axis"},
        {"2x3xi8{1, 0}, 2x3xi8{2, 0}", "axis=1", "2x6xi8{1, 0}", "one quantisation"},
        {"2x3xi8, 3x3xi8", "axis=1", "2x6xi8", "one shape"},
        {"2x3xi8, 2x3xu8", "axis=1", "2x6xi8", "one element type"},
        {"2x3xi8, 2xi8", "axis=0", "4x3xi8", "one shape"},
        {"i8, i8", "axis=0", "2xi8", "not one of the tensor"},
    };
    static const struct rule scaled[] = {
        {"2xu8{1, 0}, 3xu8{2, 5}", "axis=0", "5xu8{3, 1}", NULL},
        {"2xu8{1, 0}, 3xu8", "axis=0", "5xu8{3, 1}", "per tensor"},
        {"2xu8{1, 0}", "axis=0", "2xi8{3, 1}", "alike"},
    };
    static const struct rule pack[] = {
        {"2xi8, 2xi8, 2xi8", "axis=0", "3x2xi8", NULL},
        {"2xi8{axis=0; 1, 0; 2, 0}, 2xi8{axis=0; 1, 0; 2, 0}", "axis=0",
         "2x2xi8{axis=1; 1, 0; 2, 0}", NULL},
        {"2xi8{1, 0}, 2xi8", "axis=0", "2x2xi8{1, 0}", "one type"},
        {"2xi8, 2xi8", "axis=2", "2x2xi8", "not one of the tensor"},
    };
    ASSERT_RULES("concatenate", plain);
    ASSERT_RULES("qnn.concatenate", scaled);
    ASSERT_RULES("pack", pack);
}

static void parts(void **state) {
    static const struct rule split[] = {
        {"2x4xi8", "axis=1 sizes=[4]", "2x4xi8", NULL},
        {"2x4xi8", "axis=1 sizes=[3]", "2x3xi8", "add up"},
        {"2x4xi8", "axis=2 sizes=[4]", "2x4xi8", "not one of the tensor"},
        {"1x4xi8", "axis=0 sizes=[9223372036854775807]", "1x4xi8", "add up"},
        {"2x1xi8{axis=0; 1, 0; 2, 0}", "axis=0 sizes=[2]", "2x1xi8{axis=0; 1, 0; 2, 0}",
         "one quantisation"},
    };
    static const struct rule slice[] = {
        {"5x6xi8", "begin=[4, 1] steps=[-2, 2] sizes=[3, 2]", "3x2xi8", NULL},
        {"5x2xi8{axis=1; 1, 0; 2, 0}", "begin=[4, 0] steps=[1, 1] sizes=[1, 2]",
         "1x2xi8{axis=1; 1, 0; 2, 0}", NULL},
        {"5x2xi8{axis=1; 1, 0; 2, 0}", "begin=[4, 1] steps=[1, -1] sizes=[1, 2]",
         "1x2xi8{axis=1; 1, 0; 2, 0}", "many scales"},
        {"5xi8", "begin=[5] steps=[1] sizes=[0]", "0xi8", NULL},
        {"5xi8", "begin=[5] steps=[1] sizes=[1]", "1xi8", "leaves the operand"},
        {"5xi8", "begin=[-1] steps=[1] sizes=[1]", "1xi8", "leaves the operand"},
        {"5xi8", "begin=[1] steps=[2] sizes=[3]", "3xi8", "leaves the operand"},
        {"5xi8", "begin=[1] steps=[-1] sizes=[3]", "3xi8", "leaves the operand"},
        {"5xi8", "begin=[1] steps=[0] sizes=[1]", "1xi8", "steps of 0"},
        {"5xi8", "begin=[1] steps=[1] sizes=[-1]", "1xi8", "leaves the operand"},
        {"5xi8", "begin=[1] steps=[9223372036854775807] sizes=[3]", "3xi8", "leaves the operand"},
        {"5xi8", "begin=[1, 0] steps=[1] sizes=[1]", "1xi8", "a number for each axis"},
    };
    static const struct rule gather[] = {
        {"4x5x6xi8, 2x3xi64", "axis=2 batch_dims=0", "4x5x2x3xi8", NULL},
        {"4x5x6xi8, 4x3xi32", "axis=2 batch_dims=1", "4x5x3xi8", NULL},
        {"4x5x6xi8, i32", "axis=0 batch_dims=0", "5x6xi8", NULL},
        {"4x2xi8{axis=1; 1, 0; 2, 0}, 3x3xi32", "axis=0 batch_dims=0",
         "3x3x2xi8{axis=2; 1, 0; 2, 0}", NULL},
        {"4x2xi8{axis=1; 1, 0; 2, 0}, 3xi32", "axis=1 batch_dims=0", "4x3xi8",
         "must not be quantised"},
        {"4x5xi8, 3xi8", "axis=0 batch_dims=0", "3x5xi8", "int32 or int64"},
        {"4x5xi8, 3x2xi32", "axis=1 batch_dims=1", "4x2xi8", "share batch_dims"},
        {"4x5xi8, 4xi32", "axis=0 batch_dims=1", "4x5xi8", "share batch_dims"},
        {"4x5xi8, 4xi32", "axis=1 batch_dims=2", "4x5xi8", "share batch_dims"},
        {"4x5xi8, 4xi32", "axis=1 batch_dims=-1", "4x5xi8", "share batch_dims"},
        {"4x5xi8, 4xi32", "axis=2 batch_dims=0", "4x5xi8", "not one of the tensor"},
        {"1x1x1x1x1xi8, 1x1x1x1x1xi32", "axis=1 batch_dims=0", "1xi8", "more than 8"},
    };
    static const struct rule resize[] = {
        {"1x2x3x4xi8", "size=[5, 1] align_corners=1 half_pixel_centers=0", "1x5x1x4xi8", NULL},
        {"1x2x3x4xi8", "size=[0, 1] align_corners=0 half_pixel_centers=0", "1x0x1x4xi8", "rows"},
        {"1x0x3x4xi8", "size=[1, 1] align_corners=0 half_pixel_centers=0", "1x1x1x4xi8", "rows"},
        {"2x3x4xi8", "size=[1, 1] align_corners=0 half_pixel_centers=0", "1x1x4xi8",
         "4 dimensions"},
        {"1x2x3x4xi8", "size=[1, 1] align_corners=1 half_pixel_centers=1", "1x1x1x4xi8",
         "not both 1"},
        {"1x2x3x4xi8", "size=[1, 1] align_corners=2 half_pixel_centers=0", "1x1x1x4xi8", "0 or 1"},
    };
    static const struct rule interpolation[] = {
        {"2x3xi8{1, 0}", "axis=1 elements=[0, 1, 2, 1] fractions=[5, 1073741823, 0, 1]",
         "2x4xi8{1, 0}", NULL},
        {"2x3xf32", "axis=0 elements=[1] fractions=[0]", "1x3xf32", NULL},
        {"2x3xf32", "axis=0 elements=[1] fractions=[1]", "1x3xf32", "inside the axis"},
        {"2x3xf32", "axis=0 elements=[2] fractions=[0]", "1x3xf32", "inside the axis"},
        {"2x3xf32", "axis=0 elements=[-1] fractions=[0]", "1x3xf32", "inside the axis"},
        {"2x3xf32", "axis=0 elements=[0] fractions=[1073741824]", "1x3xf32", "inside the axis"},
        {"2x3xf32", "axis=0 elements=[0] fractions=[-1]", "1x3xf32", "inside the axis"},
        {"2x3xf32", "axis=0 elements=[0, 0] fractions=[0]", "1x3xf32", "as many places"},
        {"2x3xf32", "axis=0 elements=[] fractions=[]", "0x3xf32", "as many places"},
        {"2x3xf32", "axis=2 elements=[0] fractions=[0]", "1x3xf32", "not one of the tensor"},
        {"2x3xi32", "axis=0 elements=[0] fractions=[0]", "1x3xi32", "float32, int8 or uint8"},
        {"2x2xi8{axis=0; 1, 0; 2, 0}", "axis=1 elements=[0] fractions=[0]",
         "2x1xi8{axis=0; 1, 0; 2, 0}", "at most one scale"},
    };
    static const struct rule sample[] = {
        {"2x3x4x5xf32, 2x7x1x2xf32", "mode=\"cubic\" outside=\"border\" align_corners=1",
         "2x7x1x5xf32", NULL},
        {"2x3x4x5xf32, 1x7x1x2xf32", "mode=\"cubic\" outside=\"border\" align_corners=1",
         "2x7x1x5xf32", "as many pictures"},
        {"2x3x4x5xf32, 2x7x1x3xf32", "mode=\"cubic\" outside=\"border\" align_corners=1",
         "2x7x1x5xf32", "places two floats"},
        {"2x0x4x5xf32, 2x7x1x2xf32", "mode=\"cubic\" outside=\"border\" align_corners=1",
         "2x7x1x5xf32", "rows and columns"},
        {"2x3x4x5xf32, 2x7x1x2xf32", "mode=\"lanczos\" outside=\"border\" align_corners=1",
         "2x7x1x5xf32", "linear, nearest or cubic"},
        {"2x3x4x5xf32, 2x7x1x2xf32", "mode=\"linear\" outside=\"wrap\" align_corners=1",
         "2x7x1x5xf32", "border or reflection"},
        {"2x3x4x5xf32, 2x7x1x2xf32", "mode=\"linear\" outside=\"zeros\" align_corners=2",
         "2x7x1x5xf32", "align_corners 0 or 1"},
    };
    ASSERT_RULES("split", split);
    ASSERT_RULES("grid_sample", sample);
    ASSERT_RULES("interpolate_axis", interpolation);
    ASSERT_RULES("strided_slice", slice);
    ASSERT_RULES("gather", gather);
    ASSERT_RULES("resize_bilinear", resize);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(transposed_convolutions),
        ARENA_TEST(products_of_int16_may_be_wide),
        ARENA_TEST(batched_products),
        ARENA_TEST(products_of_floats),
        ARENA_TEST(conversions),
        ARENA_TEST(two_operands),
        ARENA_TEST(one_operand),
        ARENA_TEST(reductions),
        ARENA_TEST(shapes),
        ARENA_TEST(joins),
        ARENA_TEST(parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
