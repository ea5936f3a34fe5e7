/* compiler/host: every kernel against results computed by hand. */
#include "tests/unit/graphs.h"

#include <string.h>

#include "compiler/host/host.h"

#define I8(...)  ((const int8_t[]){__VA_ARGS__})
#define U8(...)  ((const uint8_t[]){__VA_ARGS__})
#define I32(...) ((const int32_t[]){__VA_ARGS__})

/* ---- products ---- */

static void convolution_sums_a_window(void **state) {
    /* (1 + 1) * 1 + (2 + 1) * 2 + (4 + 1) * 3 + (5 + 1) * 4 = 47, ... */
    assert_host(*state,
                "graph g(%0: 1x3x3x1xi8{0.5, -1}) {\n"
                "%w = constant() data=[1, 2, 3, 4] : 1x2x2x1xi8{0.25, 0}\n"
                "%1 = qnn.conv2d(%0, %w) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1]\n"
                "groups=1 : 1x2x2x1xi32{0.125, 0} return %1 }",
                I8(1, 2, 3, 4, 5, 6, 7, 8, 9), NULL, I32(47, 57, 77, 87));
}

static void convolution_subtracts_both_zero_points(void **state) {
    /* weights less 2: -1, 0, 1, 2 */
    assert_host(*state,
                "graph g(%0: 1x3x3x1xi8{0.5, -1}) {\n"
                "%w = constant() data=[1, 2, 3, 4] : 1x2x2x1xi8{0.25, 2}\n"
                "%1 = qnn.conv2d(%0, %w) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1]\n"
                "groups=1 : 1x2x2x1xi32{0.125, 0} return %1 }",
                I8(1, 2, 3, 4, 5, 6, 7, 8, 9), NULL,
                I32(-2 + 5 + 12, -3 + 6 + 14, -5 + 8 + 18, -6 + 9 + 20));
}

static void convolution_pads_with_the_zero_point(void **state) {
    /* Padding counts as nothing, so only taps inside remain: a 3 x 3 window of ones. */
    assert_host(*state,
                "graph g(%0: 1x2x2x1xi8{0.5, 3}) {\n"
                "%w = constant() data=[1, 1, 1, 1, 1, 1, 1, 1, 1] : 1x3x3x1xi8{0.25, 0}\n"
                "%1 = qnn.conv2d(%0, %w) strides=[1, 1] padding=[1, 1, 1, 1] dilation=[1, 1]\n"
                "groups=1 : 1x2x2x1xi32{0.125, 0} return %1 }",
                I8(4, 5, 6, 7), NULL, I32(10, 10, 10, 10));
    /* On the top and the left alone. */
    assert_host(*state,
                "graph g(%0: 1x2x2x1xi8{0.5, 0}) {\n"
                "%w = constant() data=[1, 10, 100, 50] : 1x2x2x1xi8{0.25, 0}\n"
                "%1 = qnn.conv2d(%0, %w) strides=[1, 1] padding=[1, 1, 0, 0] dilation=[1, 1]\n"
                "groups=1 : 1x2x2x1xi32{0.125, 0} return %1 }",
                I8(1, 2, 3, 4), NULL,
                I32(50, 100 * 1 + 50 * 2, 10 * 1 + 50 * 3, 1 + 20 + 300 + 200));
}

static void convolution_strides_and_dilates(void **state) {
    assert_host(*state,
                "graph g(%0: 1x5x5x1xi8{0.5, 0}) {\n"
                "%w = constant() data=[1, 2, 3, 4] : 1x2x2x1xi8{0.25, 0}\n"
                "%1 = qnn.conv2d(%0, %w) strides=[2, 1] padding=[0, 0, 0, 0] dilation=[2, 3]\n"
                "groups=1 : 1x2x2x1xi32{0.125, 0} return %1 }",
                I8(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
                   23, 24, 25),
                NULL,
                I32(1 + 2 * 4 + 3 * 11 + 4 * 14, 2 + 2 * 5 + 3 * 12 + 4 * 15,
                    11 + 2 * 14 + 3 * 21 + 4 * 24, 12 + 2 * 15 + 3 * 22 + 4 * 25));
}

static void groups_see_their_own_channels(void **state) {
    /* Two groups of two channels, two outputs each. */
    assert_host(*state,
                "graph g(%0: 1x1x1x4xi8{0.5, 0}) {\n"
                "%w = constant() data=[1, 2, 3, 4, 5, 6, 7, 8] : 4x1x1x2xi8{0.25, 0}\n"
                "%1 = qnn.conv2d(%0, %w) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1]\n"
                "groups=2 : 1x1x1x4xi32{0.125, 0} return %1 }",
                I8(1, 10, 2, 20), NULL, I32(21, 43, 130, 174));
    /* Depthwise with a multiplier of 2: outputs 0 and 1 belong to channel 0. */
    assert_host(*state,
                "graph g(%0: 1x1x2x2xi8{0.5, 0}) {\n"
                "%w = constant() data=[1, 2, 3, 4, 5, 6, 7, 8] : 4x1x2x1xi8{0.25, 0}\n"
                "%1 = qnn.conv2d(%0, %w) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1]\n"
                "groups=2 : 1x1x1x4xi32{0.125, 0} return %1 }",
                I8(1, 10, 2, 20), NULL, I32(1 + 4, 3 + 8, 50 + 120, 70 + 160));
}

static void zero_points_of_weights_are_those_of_their_channel(void **state) {
    assert_host(*state,
                "graph g(%0: 1x1x1x1xi8{0.5, 0}) {\n"
                "%w = constant() data=[5, 5] : 2x1x1x1xi8{axis=0; 0.25, 1; 0.5, -1}\n"
                "%1 = qnn.conv2d(%0, %w) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1]\n"
                "groups=1 : 1x1x1x2xi32{axis=3; 0.125, 0; 0.25, 0} return %1 }",
                I8(3), NULL, I32(12, 18));
}

static void images_of_a_batch_are_apart(void **state) {
    assert_host(*state,
                "graph g(%0: 2x1x2x1xu8{0.5, 128}) {\n"
                "%w = constant() data=[130, 126] : 1x1x2x1xu8{0.25, 128}\n"
                "%1 = qnn.conv2d(%0, %w) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1]\n"
                "groups=1 : 2x1x1x1xi32{0.125, 0} return %1 }",
                U8(0, 255, 200, 100), NULL, I32(-128 * 2 - 127 * 2, 72 * 2 + 28 * 2));
}

static void sums_wrap(void **state) {
    /* bias_add wraps as the machine's accumulators do. */
    assert_host(*state,
                "graph g(%0: 2xi32{0.5, 0}, %1: 2xi32) {\n"
                "%2 = bias_add(%0, %1) : 2xi32{0.5, 0} return %2 }",
                I32(INT32_MAX, INT32_MIN), I32(1, -1), I32(INT32_MIN, INT32_MAX));
}

static void dense_multiplies_rows(void **state) {
    assert_host(
        *state,
        "graph g(%0: 2x3xi8{0.5, 1}) {\n"
        "%w = constant() data=[1, 2, 3, -1, -2, -3] : 2x3xi8{0.25, -1}\n"
        "%1 = qnn.dense(%0, %w) : 2x2xi32{0.125, 0} return %1 }",
        I8(1, 2, 3, 4, 5, 6), NULL,
        I32(0 * 2 + 1 * 3 + 2 * 4, 0 - 1 - 2 * 2, 3 * 2 + 4 * 3 + 5 * 4, 3 * 0 - 4 * 1 - 5 * 2));
}

static void biases_go_along_the_last_axis(void **state) {
    assert_host(*state,
                "graph g(%0: 2x3xi32{0.5, 0}, %1: 3xi32) {\n"
                "%2 = bias_add(%0, %1) : 2x3xi32{0.5, 0} return %2 }",
                I32(1, 2, 3, 4, 5, 6), I32(10, 20, -30), I32(11, 22, -27, 14, 25, -24));
}

/* ---- requantisation ---- */

#define REQUANTIZE(from, rounding, to)                                                             \
    "graph g(%0: " from ") {\n%1 = qnn.requantize(%0) rounding=\"" rounding "\" : " to             \
    " return %1 }"

static void gemmlowp_rounds_twice(void **state) {
    /* Times 1/2 the high multiplication rounds ties up; times 1/4 its result is halved again, ties
     * away from zero: 1/4 becomes 1/2 becomes 1. */
    assert_host(*state, REQUANTIZE("8xi32{0.5, 0}", "gemmlowp", "8xi8{1, 0}"),
                I32(0, 1, -1, 2, -2, 3, -3, 5), NULL, I8(0, 1, 0, 1, -1, 2, -1, 3));
    assert_host(*state, REQUANTIZE("8xi32{0.25, 0}", "gemmlowp", "8xi8{1, 0}"),
                I32(1, 2, 3, -1, -2, -3, -4, -6), NULL, I8(1, 1, 1, 0, -1, -1, -1, -2));
}

static void single_rounds_once_ties_away_from_zero(void **state) {
    assert_host(*state, REQUANTIZE("8xi32{0.5, 0}", "single", "8xi8{1, 0}"),
                I32(0, 1, -1, 2, -2, 3, -3, 5), NULL, I8(0, 1, -1, 1, -1, 2, -2, 3));
    assert_host(*state, REQUANTIZE("8xi32{0.25, 0}", "single", "8xi8{1, 0}"),
                I32(1, 2, 3, -1, -2, -3, -4, -6), NULL, I8(0, 1, 1, 0, -1, -1, -1, -2));
}

static void float_rounds_ties_to_even(void **state) {
    assert_host(*state, REQUANTIZE("8xi32{0.5, 0}", "float", "8xi8{1, 0}"),
                I32(0, 1, -1, 2, -2, 3, -3, 5), NULL, I8(0, 0, 0, 1, -1, 2, -2, 2));
    assert_host(*state, REQUANTIZE("8xi32{0.25, 0}", "float", "8xi8{1, 0}"),
                I32(1, 2, 3, -1, -2, -3, -4, -6), NULL, I8(0, 0, 1, 0, 0, -1, -1, -2));
    /* Sums first become floats: 2^24 + 1 is 2^24, the largest is 2^31. */
    assert_host(*state, REQUANTIZE("4xi32{1, 0}", "float", "4xi32{1, 0}"),
                I32((1 << 24) + 1, -(1 << 24) - 3, INT32_MAX, INT32_MIN), NULL,
                I32(1 << 24, -(1 << 24) - 4, INT32_MAX, INT32_MIN));
}

/* 0.09f / 0.02f is 4.5000005, 0.03f / 0.1f times 5 is 1.4999999: as doubles ties. */
static void float_divides_scales_as_floats(void **state) {
    assert_host(*state,
                REQUANTIZE("2x2xi32{axis=1; 0.09, 0; 0.02, 0}", "float", "2x2xi32{0.02, -1}"),
                I32(1, 7, -1, -7), NULL, I32(4, 6, -6, -8));
    assert_host(*state, REQUANTIZE("2xi32{0.03, 0}", "float", "2xi8{0.1, 0}"), I32(5, -5), NULL,
                I8(1, -1));
}

static void float_takes_any_scale(void **state) {
    assert_host(*state, REQUANTIZE("3xi32{1e30, 0}", "float", "3xi8{1e-30, 5}"), I32(1, -1, 0),
                NULL, I8(127, -128, 5));
    assert_host(*state, REQUANTIZE("3xi32{4e9, 0}", "float", "3xi32{1, 0}"), I32(1, -1, 0), NULL,
                I32(INT32_MAX, INT32_MIN, 0));
    assert_host(*state, REQUANTIZE("3xi32{1e-30, 0}", "float", "3xi8{1, 5}"),
                I32(INT32_MAX, INT32_MIN, 0), NULL, I8(5, 5, 5));
}

static void requantization_adds_the_zero_point_and_saturates(void **state) {
    assert_host(*state, REQUANTIZE("6xi32{0.5, 0}", "gemmlowp", "6xi8{0.5, -10}"),
                I32(0, 137, 138, -118, -119, 1 << 29), NULL, I8(-10, 127, 127, -128, -128, 127));
    assert_host(*state, REQUANTIZE("6xi32{0.5, 0}", "single", "6xi8{0.5, -10}"),
                I32(0, 137, 138, -118, INT32_MIN, INT32_MAX), NULL,
                I8(-10, 127, 127, -128, -128, 127));
    assert_host(*state, REQUANTIZE("4xi32{0.5, 0}", "single", "4xu8{0.5, 10}"),
                I32(-10, -11, 245, 246), NULL, U8(0, 0, 255, 255));
}

/* A scale of 1 is 2^30 shifted left by 1, and TFLite's left shift wraps. */
static void a_left_shift_wraps(void **state) {
    assert_host(*state, REQUANTIZE("2xi32{0.5, 0}", "gemmlowp", "2xi8{0.5, -10}"),
                I32(INT32_MAX, INT32_MIN), NULL, I8(-11, -10));
}

static void requantization_is_per_channel(void **state) {
    assert_host(*state, REQUANTIZE("2x2xi32{axis=1; 0.5, 0; 2, 0}", "single", "2x2xi8{1, 0}"),
                I32(4, 4, -6, 6), NULL, I8(2, 8, -3, 12));
}

static void single_saturates_what_does_not_fit_32_bits(void **state) {
    assert_host(*state, REQUANTIZE("2xi32{1e30, 0}", "single", "2xi8{1e-30, 5}"), I32(1, -1), NULL,
                I8(127, -128));
}

static void clip_limits(void **state) {
    assert_host(*state, "graph g(%0: 5xi8) { %1 = clip(%0) min=-3 max=4 : 5xi8 return %1 }",
                I8(-128, -4, 0, 4, 127), NULL, I8(-3, -3, 0, 4, 4));
    assert_host(*state, "graph g(%0: 3xu8) { %1 = clip(%0) min=6 max=200 : 3xu8 return %1 }",
                U8(0, 199, 255), NULL, U8(6, 199, 200));
    assert_host(*state,
                "graph g(%0: 2xi32) { %1 = clip(%0) min=-2147483648 max=70000 : 2xi32 return %1 }",
                I32(INT32_MIN, INT32_MAX), NULL, I32(INT32_MIN, 70000));
}

/* ---- sums ---- */

static void add_rescales_both_operands(void **state) {
    /* 0.5 * (a - 1) + 0.25 * (b + 2), in steps of 0.5 from -3 */
    assert_host(*state,
                "graph g(%0: 5xi8{0.5, 1}, %1: 5xi8{0.25, -2}) {\n"
                "%2 = qnn.add(%0, %1) : 5xi8{0.5, -3} return %2 }",
                I8(1, 3, 11, 127, -128), I8(-2, 2, -6, 127, -128), I8(-3, 1, 5, 127, -128));
    assert_host(*state,
                "graph g(%0: 3xu8{1, 128}, %1: 3xu8{1, 128}) {\n"
                "%2 = qnn.add(%0, %1) : 3xu8{2, 100} return %2 }",
                U8(128, 138, 0), U8(128, 148, 0), U8(100, 115, 0));
}

/* x + y = 1, 3, -1 and -3 in half steps: 2^20 extra bits keep the sum exact, so one rounding
 * remains, ties away from zero. */
static void add_rounds_half_away_from_zero(void **state) {
    assert_host(*state,
                "graph g(%0: 4xi8{1, 0}, %1: 4xi8{1, 0}) {\n"
                "%2 = qnn.add(%0, %1) : 4xi8{2, 0} return %2 }",
                I8(1, 1, -1, -1), I8(0, 2, 0, -2), I8(1, 2, -1, -2));
}

static void add_refuses_scales_that_the_reference_cannot_do(void **state) {
    struct weft_error error;
    const struct weft_graph *graph =
        graph_of(*state, "graph g(%0: 1xi8{1, 0}) {\n"
                         "%1 = qnn.add(%0, %0) : 1xi8{1e-7, 0} return %1 }");
    const void *inputs[] = {I8(1)};
    ASSERT_FAILS(weft_host_run_graph(graph, inputs, output_room(graph), &error), error,
                 WEFT_OPERATOR);
}

/* ---- pools ---- */

#define POOL(op, type, kernel, rest, result)                                                       \
    "graph g(%0: " type ") {\n%1 = " op "(%0) kernel=" kernel " " rest " : " result " return %1 }"
#define NO_PADDING "strides=[1, 1] padding=[0, 0, 0, 0]"

static void averages_round_half_away_from_zero(void **state) {
    assert_host(*state,
                POOL("avg_pool2d", "1x1x4x2xi8", "[1, 2]", "strides=[1, 2] padding=[0, 0, 0, 0]",
                     "1x1x2x2xi8"),
                I8(1, -1, 2, -2, -3, 3, -4, 4), NULL, I8(2, -2, -4, 4));
    /* quarters: 6 / 4 = 1.5, 5 / 4 = 1.25, -6 / 4 = -1.5, -7 / 4 = -1.75 */
    assert_host(*state, POOL("avg_pool2d", "1x2x2x4xi8", "[2, 2]", NO_PADDING, "1x1x1x4xi8"),
                I8(1, 1, -1, -1, 1, 1, -1, -2, 2, 1, -2, -2, 2, 2, -2, -2), NULL, I8(2, 1, -2, -2));
}

/* As raw bytes: 127 and 128 average to 127.5, up to 128. In int8 the same numbers less 128 give
 * -0.5, away from zero to -1, which is 127. */
static void averages_of_unsigned_bytes_round_up(void **state) {
    assert_host(*state, POOL("avg_pool2d", "1x1x2x1xu8", "[1, 2]", NO_PADDING, "1x1x1x1xu8"),
                U8(127, 128), NULL, U8(128));
    assert_host(*state, POOL("avg_pool2d", "1x1x2x1xi8", "[1, 2]", NO_PADDING, "1x1x1x1xi8"),
                I8(-1, 0), NULL, I8(-1));
}

static void averages_do_not_count_padding(void **state) {
    assert_host(*state,
                POOL("avg_pool2d", "1x2x2x1xi8{0.5, 100}", "[2, 2]",
                     "strides=[1, 1] padding=[1, 1, 1, 1]", "1x3x3x1xi8{0.5, 100}"),
                I8(10, 20, 30, 40), NULL, I8(10, 15, 20, 20, 25, 30, 30, 35, 40));
}

static void maxima_ignore_padding(void **state) {
    assert_host(*state,
                POOL("max_pool2d", "1x2x2x1xi8{0.5, 0}", "[2, 2]",
                     "strides=[2, 2] padding=[1, 1, 1, 1]", "1x2x2x1xi8{0.5, 0}"),
                I8(-10, -20, -30, -40), NULL, I8(-10, -20, -30, -40));
    assert_host(*state, POOL("max_pool2d", "2x2x3x1xu8", "[2, 2]", NO_PADDING, "2x1x2x1xu8"),
                U8(1, 9, 3, 4, 5, 200, 0, 0, 0, 255, 0, 0), NULL, U8(9, 200, 255, 0));
}

static void pools_keep_channels_apart(void **state) {
    assert_host(*state, POOL("max_pool2d", "1x1x2x3xi8", "[1, 2]", NO_PADDING, "1x1x1x3xi8"),
                I8(1, -5, 9, 0, -4, 8), NULL, I8(1, -4, 9));
}

/* ---- moving ---- */

static void pad_surrounds_with_the_zero_point(void **state) {
    assert_host(*state,
                "graph g(%0: 2x2xi8{0.5, 7}) { %1 = pad(%0) pads=[1, 0, 0, 2] : 3x4xi8{0.5, 7}\n"
                "return %1 }",
                I8(1, 2, 3, 4), NULL, I8(7, 7, 7, 7, 1, 2, 7, 7, 3, 4, 7, 7));
    assert_host(*state, "graph g(%0: 2xi8) { %1 = pad(%0) pads=[1, 1] : 4xi8 return %1 }", I8(1, 2),
                NULL, I8(0, 1, 2, 0));
    assert_host(*state,
                "graph g(%0: 1xi16{0.5, -3}) { %1 = pad(%0) pads=[0, 1] : 2xi16{0.5, -3}\n"
                "return %1 }",
                (const int16_t[]){300}, NULL, ((const int16_t[]){300, -3}));
    assert_host(*state, "graph g(%0: i8) { %1 = pad(%0) pads=[] : i8 return %1 }", I8(5), NULL,
                I8(5));
    assert_host(*state, "graph g(%0: 0xi8) { %1 = pad(%0) pads=[1, 1] : 2xi8 return %1 }", I8(5),
                NULL, I8(0, 0));
}

static void reshape_keeps_the_order(void **state) {
    assert_host(*state, "graph g(%0: 2x3xi8) { %1 = reshape(%0) : 3x1x2xi8 return %1 }",
                I8(1, 2, 3, 4, 5, 6), NULL, I8(1, 2, 3, 4, 5, 6));
    assert_host(*state, "graph g(%0: 2xf32) { %1 = reshape(%0) : 2x1xf32 return %1 }",
                ((const float[]){1.5F, -2.5F}), NULL, ((const float[]){1.5F, -2.5F}));
}

/* ---- types of all widths ---- */

static void wide_types_are_covered(void **state) {
    assert_host(*state,
                "graph g(%0: 3xi64) { %1 = clip(%0) min=-1 max=5000000000 : 3xi64 return %1 }",
                ((const int64_t[]){INT64_MIN, 4999999999, INT64_MAX}), NULL,
                ((const int64_t[]){-1, 4999999999, 5000000000}));
    assert_host(*state, "graph g(%0: 1xf32) { %1 = pad(%0) pads=[1, 0] : 2xf32 return %1 }",
                ((const float[]){1.5F}), NULL, ((const float[]){0.0F, 1.5F}));
    assert_host(*state, "graph g(%0: 1xi64) { %1 = pad(%0) pads=[1, 0] : 2xi64 return %1 }",
                ((const int64_t[]){INT64_MIN}), NULL, ((const int64_t[]){0, INT64_MIN}));
    assert_host(*state,
                "graph g(%0: 1x1x2x1xi16) { %1 = max_pool2d(%0) kernel=[1, 2] strides=[1, 1]\n"
                "padding=[0, 0, 0, 0] : 1x1x1x1xi16 return %1 }",
                ((const int16_t[]){-32768, -300}), NULL, ((const int16_t[]){-300}));
    assert_host(*state,
                "graph g(%0: 1x1x2x1xf32) { %1 = avg_pool2d(%0) kernel=[1, 2] strides=[1, 1]\n"
                "padding=[0, 0, 0, 0] : 1x1x1x1xf32 return %1 }",
                ((const float[]){1.5F, 2.0F}), NULL, ((const float[]){1.75F}));
}

/* ---- what kernels refuse ---- */

static void types_that_a_kernel_does_not_cover_are_refused(void **state) {
    static const char *const texts[] = {
        "graph g(%0: 1xi16{1, 0}) { %1 = qnn.hard_swish(%0) : 1xi16{1, 0} return %1 }",
        "graph g(%0: 1xi16{1, 1}) { %1 = qnn.softmax(%0) beta=1 : 1xi16{1, 0} return %1 }",
        "graph g(%0: 1xi16{1, 0}) { %1 = qnn.logistic(%0) : 1xi16{1, 0} return %1 }",
        "graph g(%0: 1xi8{1e-9, 0}) { %1 = qnn.softmax(%0) beta=1 : 1xi8{1, 0} return %1 }",
        "graph g(%0: 1xi8{1, 0}) { %1 = qnn.softmax(%0) beta=-1 : 1xi8{1, 0} return %1 }",
        "graph g(%0: 1xi8) { %1 = opaque(%0) : 1xi8 return %1 }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct weft_error error;
        const struct weft_graph *graph = graph_of(*state, texts[i]);
        const void **inputs = random_inputs(graph, 1);
        ASSERT_FAILS(weft_host_run_graph(graph, inputs, output_room(graph), &error), error,
                     WEFT_OPERATOR);
        assert_non_null(strstr(error.message, "on the host"));
    }
}

/* Products of wide integers leave int32: they are covered without undefined behaviour, or refused.
 */
static void products_of_wide_integers_are_defined(void **state) {
    static const char *const types[] = {"i16{0.5, -32768}", "i32{0.5, 0}"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct weft_error error = {0};
        const struct weft_graph *graph = graph_of(
            *state, weft_arena_print(*state,
                                     "graph g(%%0: 1x1x%s, %%1: 1x1x%s) {\n"
                                     "%%2 = qnn.dense(%%0, %%1) : 1x1xi32{0.25, 0} return %%2 }",
                                     types[i], types[i]));
        const void *inputs[] = {I32(0x7fff7fff), I32(0x7fff7fff)};
        bool good = weft_host_run_graph(graph, inputs, output_room(graph), &error);
        assert_true(good || error.code == WEFT_OPERATOR);
    }
}

/* ---- graphs ---- */

static void bodies_are_run(void **state) {
    assert_host(*state,
                "graph g(%0: 2xi8, %1: 2xi8) {\n"
                "%a, %b = region(%0, %1) target=\"t\" body(%x: 2xi8, %y: 2xi8) {\n"
                "%c = composite(%y) name=\"n\" body(%p: 2xi8) {\n"
                "%q = clip(%p) min=0 max=5 : 2xi8 return %q } : 2xi8\n"
                "return %c, %x } : 2xi8, 2xi8\n"
                "return %a, %b }",
                I8(1, 2), I8(-9, 9), I8(0, 5));
}

static void inputs_and_constants_can_be_outputs(void **state) {
    const struct weft_graph *graph =
        graph_of(*state, "graph g(%0: 2xi8) {\n%k = constant() data=[3, 4] : 2xi8\n"
                         "return %k, %0, %0 }");
    const void *inputs[] = {I8(1, 2)};
    void **outputs = host_outputs(graph, inputs);
    assert_memory_equal(outputs[0], I8(3, 4), 2);
    assert_memory_equal(outputs[1], I8(1, 2), 2);
    assert_memory_equal(outputs[2], I8(1, 2), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(convolution_sums_a_window),
        ARENA_TEST(convolution_subtracts_both_zero_points),
        ARENA_TEST(convolution_pads_with_the_zero_point),
        ARENA_TEST(convolution_strides_and_dilates),
        ARENA_TEST(groups_see_their_own_channels),
        ARENA_TEST(zero_points_of_weights_are_those_of_their_channel),
        ARENA_TEST(images_of_a_batch_are_apart),
        ARENA_TEST(sums_wrap),
        ARENA_TEST(dense_multiplies_rows),
        ARENA_TEST(biases_go_along_the_last_axis),
        ARENA_TEST(gemmlowp_rounds_twice),
        ARENA_TEST(single_rounds_once_ties_away_from_zero),
        ARENA_TEST(float_rounds_ties_to_even),
        ARENA_TEST(float_divides_scales_as_floats),
        ARENA_TEST(float_takes_any_scale),
        ARENA_TEST(requantization_adds_the_zero_point_and_saturates),
        ARENA_TEST(a_left_shift_wraps),
        ARENA_TEST(requantization_is_per_channel),
        ARENA_TEST(single_saturates_what_does_not_fit_32_bits),
        ARENA_TEST(clip_limits),
        ARENA_TEST(add_rescales_both_operands),
        ARENA_TEST(add_rounds_half_away_from_zero),
        ARENA_TEST(add_refuses_scales_that_the_reference_cannot_do),
        ARENA_TEST(averages_round_half_away_from_zero),
        ARENA_TEST(averages_of_unsigned_bytes_round_up),
        ARENA_TEST(averages_do_not_count_padding),
        ARENA_TEST(maxima_ignore_padding),
        ARENA_TEST(pools_keep_channels_apart),
        ARENA_TEST(pad_surrounds_with_the_zero_point),
        ARENA_TEST(reshape_keeps_the_order),
        ARENA_TEST(wide_types_are_covered),
        ARENA_TEST(types_that_a_kernel_does_not_cover_are_refused),
        ARENA_TEST(products_of_wide_integers_are_defined),
        ARENA_TEST(bodies_are_run),
        ARENA_TEST(inputs_and_constants_can_be_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
