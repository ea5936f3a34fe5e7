/* compiler/host: int16 activations, and floats with int8 weights, against results computed by hand.
 */
#include "tests/unit/graphs.h"

#include <math.h>
#include <string.h>

#define I8(...)  ((const int8_t[]){__VA_ARGS__})
#define I16(...) ((const int16_t[]){__VA_ARGS__})
#define F32(...) ((const float[]){__VA_ARGS__})

/* ---- int16 ---- */

/* x + y = 1, 3, -1 and -3 in half steps; the largest sum saturates. */
static void sums_of_int16_round_once(void **state) {
    assert_host(*state,
                "graph g(%0: 5xi16{1, 0}, %1: 5xi16{1, 0}) {\n"
                "%2 = qnn.add(%0, %1) : 5xi16{2, 0} return %2 }",
                I16(1, 1, -1, -1, 32767), I16(0, 2, 0, -2, 32767), I16(1, 2, -1, -2, 32767));
    assert_host(*state,
                "graph g(%0: 2xi16{1, 0}, %1: 2xi16{0.5, 0}) {\n"
                "%2 = qnn.subtract(%0, %1) : 2xi16{0.25, 0} return %2 }",
                I16(10, -20000), I16(3, 1), I16(34, -32768));
}

/* With scales that are powers of two, the second operand is halved and rounded by itself: 5 - 1/2
 * is 4 then, not 5 as 4.5 would be. */
static void shifted_operands_round_by_themselves(void **state) {
    assert_host(*state,
                "graph g(%0: 5xi16{1, 0}, %1: 5xi16{0.5, 0}) {\n"
                "%2 = qnn.add(%0, %1) shifts=[0, 1] : 5xi16{1, 0} return %2 }",
                I16(5, 5, -5, 32767, 0), I16(-1, 1, 2, 3, -3), I16(4, 6, -4, 32767, -2));
    assert_host(*state,
                "graph g(%0: 2xi16{0.25, 0}, %1: 2xi16{1, 0}) {\n"
                "%2 = qnn.subtract(%0, %1) shifts=[2, 0] : 2xi16{1, 0} return %2 }",
                I16(6, -6), I16(1, 1), I16(1, -3));
    /* gemmlowp's rounding of int16 by 16 bits and more: 1, or -1 below 0. */
    assert_host(*state,
                "graph g(%0: 2xi16{1, 0}, %1: 2xi16{1, 0}) {\n"
                "%2 = qnn.add(%0, %1) shifts=[0, 16] : 2xi16{1, 0} return %2 }",
                I16(5, 5), I16(0, -1), I16(6, 4));
}

/* 2^-16 / 2^-10: 64000 / 64; the largest product wraps nowhere. */
static void products_of_int16(void **state) {
    assert_host(*state,
                "graph g(%0: 3xi16{0.00390625, 0}, %1: 3xi16{0.00390625, 0}) {\n"
                "%2 = qnn.mul(%0, %1) : 3xi16{0.0009765625, 0} return %2 }",
                I16(100, -100, -32768), I16(640, 640, -32768), I16(1000, -1000, 32767));
}

/* Of one step of 2^-12 the argument is 3: a table that begins with 32768 and 33451 gives
 * 32768 + 683 * 3 / 512, in half steps 16386.5, cut after half a step is added. */
static void logistic_and_tanh_of_int16_are_interpolated(void **state) {
    assert_host(*state,
                "graph g(%0: 2xi16{0.000244140625, 0}) {\n"
                "%1 = qnn.logistic(%0) : 2xi16{0.000030517578125, 0} return %1 }",
                I16(0, 1), NULL, I16(16384, 16386));
    assert_host(*state,
                "graph g(%0: 2xi16{1, 0}) {\n"
                "%1 = qnn.logistic(%0) : 2xi16{0.000030517578125, 0} return %1 }",
                I16(100, -100), NULL, I16(32767, 1));
    /* 2 * 683 * 3 / 512 = 8.004, and twice that */
    assert_host(*state,
                "graph g(%0: 2xi16{0.000244140625, 0}) {\n"
                "%1 = qnn.tanh(%0) : 2xi16{0.000030517578125, 0} return %1 }",
                I16(0, 1), NULL, I16(0, 8));
    assert_host(*state,
                "graph g(%0: 1xi16{0.00048828125, 0}) {\n"
                "%1 = qnn.tanh(%0) : 1xi16{0.000030517578125, 0} return %1 }",
                I16(1), NULL, I16(16));
    assert_host(*state,
                "graph g(%0: 2xi16{1, 0}) {\n"
                "%1 = qnn.tanh(%0) : 2xi16{0.000030517578125, 0} return %1 }",
                I16(100, -100), NULL, I16(32767, -32767));
}

static void softmax_of_int16_is_close_to_the_real_one(void **state) {
    static const int16_t in[4] = {0, 4096, -20000, 8192};
    const struct weft_graph *graph =
        graph_of(*state, "graph g(%0: 1x4xi16{0.000244140625, 0}) {\n"
                         "%1 = qnn.softmax(%0) beta=1 : 1x4xi16{0.000030517578125, 0} return %1 }");
    const void *inputs[] = {in};
    const int16_t *out = host_outputs(graph, inputs)[0];
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        sum += exp(in[i] / 4096.0);
    }
    for (int i = 0; i < 4; i++) {
        assert_true(fabs(out[i] - 32768 * exp(in[i] / 4096.0) / sum) < 8);
    }
}

/* ---- floats with int8 weights ---- */

/* The largest is 127, so one step is 1: (127 - 2 * 127 + 3 + 8) * 0.5 + 10 = -48. */
static void rows_are_quantised_symmetrically(void **state) {
    assert_host_of_three(*state,
                         "graph g(%0: 2x4xf32, %1: 1x4xi8{0.5, 0}, %2: 1xf32) {\n"
                         "%3 = hybrid.dense(%0, %1, %2) asymmetric=0 : 2x1xf32 return %3 }",
                         F32(127.0F, -127.0F, 1.0F, 2.0F, 0.0F, 0.0F, 0.0F, 0.0F), I8(1, 2, 3, 4),
                         F32(10.0F), F32(-48.0F, 10.0F));
}

/* From 0 to 255 one step is 1 and the zero point -128: 255 * 2 * 0.5 + 1 = 256. */
static void rows_are_quantised_with_a_zero_point(void **state) {
    assert_host_of_three(*state,
                         "graph g(%0: 2x2xf32, %1: 1x2xi8{0.5, 0}, %2: 1xf32) {\n"
                         "%3 = hybrid.dense(%0, %1, %2) asymmetric=1 : 2x1xf32 return %3 }",
                         F32(0.0F, 255.0F, -255.0F, 0.0F), I8(3, 2), F32(1.0F),
                         F32(256.0F, -381.5F));
}

static void nothing_but_zeros_leaves_the_bias(void **state) {
    assert_host_of_three(*state,
                         "graph g(%0: 1x2xf32, %1: 1x2xi8{0.5, 0}, %2: 1xf32) {\n"
                         "%3 = hybrid.dense(%0, %1, %2) asymmetric=1 : 1x1xf32 return %3 }",
                         F32(0.0F, -0.0F), I8(3, 2), F32(-0.0F), F32(-0.0F));
}

/* Each image has its own steps, 1 and 0.5; each channel its own scale. */
static void images_are_quantised(void **state) {
    assert_host_of_three(
        *state,
        "graph g(%0: 2x1x2x1xf32, %1: 2x1x1x1xi8{axis=0; 0.5, 0; 0.25, 0}, %2: 2xf32) {\n"
        "%3 = hybrid.conv2d(%0, %1, %2) strides=[1, 1] padding=[0, 0, 0, 0]\n"
        "dilation=[1, 1] groups=1 asymmetric=0 sum_first=1 : 2x1x2x2xf32 return %3 }",
        F32(127.0F, 1.0F, 63.5F, 1.0F), I8(2, 4), F32(1.0F, 0.0F),
        F32(128.0F, 127.0F, 2.0F, 1.0F, 64.5F, 63.5F, 2.0F, 1.0F));
}

/* No images: nothing to quantise, and no memory to do it in. */
static void no_images_are_quantised(void **state) {
    assert_host_of_three(
        *state,
        "graph g(%0: 0x1x2x1xf32, %1: 2x1x1x1xi8{axis=0; 0.5, 0; 0.25, 0}, %2: 2xf32) {\n"
        "%3 = hybrid.conv2d(%0, %1, %2) strides=[1, 1] padding=[0, 0, 0, 0]\n"
        "dilation=[1, 1] groups=1 asymmetric=1 sum_first=0 : 0x1x2x2xf32 return %3 }",
        F32(0.0F), I8(2, 4), F32(1.0F, 0.0F), F32(0.0F));
}

/* A range from -1 to 254 has the zero point -127: what lies in the padding counts as nothing. */
static void padding_counts_as_nothing(void **state) {
    assert_host_of_three(
        *state,
        "graph g(%0: 1x1x2x1xf32, %1: 1x1x3x1xi8{1, 0}, %2: 1xf32) {\n"
        "%3 = hybrid.conv2d(%0, %1, %2) strides=[1, 1] padding=[0, 1, 0, 1]\n"
        "dilation=[1, 1] groups=1 asymmetric=1 sum_first=0 : 1x1x2x1xf32 return %3 }",
        F32(-1.0F, 254.0F), I8(1, 10, 100), F32(0.0F), F32(-10.0F + 25400.0F, -1.0F + 2540.0F));
}

/* What is not a number or infinite has no answer in the reference; here it must not do harm. */
static void what_is_not_finite_is_limited(void **state) {
    const struct weft_graph *graph =
        graph_of(*state, "graph g(%0: 4x2xf32, %1: 1x2xi8{0.5, 0}, %2: 1xf32) {\n"
                         "%3 = hybrid.dense(%0, %1, %2) asymmetric=1 : 4x1xf32 return %3 }");
    const void *inputs[] = {F32(NAN, 1.0F, INFINITY, -1.0F, -INFINITY, INFINITY, 1e-45F, 0.0F),
                            I8(1, 1), F32(0.0F)};
    assert_non_null(host_outputs(graph, inputs)[0]);
}

/* ---- what is refused ---- */

static void attributes_and_operands_are_checked(void **state) {
    static const char *const texts[] = {
        "graph g(%0: 1xi8{1, 0}) { %1 = qnn.add(%0, %0) shifts=[0, 1] : 1xi8{1, 0} return %1 }",
        "graph g(%0: 1xi16{1, 0}) { %1 = qnn.add(%0, %0) shifts=[0] : 1xi16{1, 0} return %1 }",
        "graph g(%0: 1xi16{1, 0}) { %1 = qnn.add(%0, %0) shifts=[0, 32] : 1xi16{1, 0} return %1 }",
        "graph g(%0: 1x2xf32, %1: 1x2xi8{1, 0}, %2: 1xf32) {\n"
        "%3 = hybrid.dense(%0, %1, %2) asymmetric=2 : 1x1xf32 return %3 }",
        "graph g(%0: 1x2xf32, %1: 1x2xi8, %2: 1xf32) {\n"
        "%3 = hybrid.dense(%0, %1, %2) asymmetric=0 : 1x1xf32 return %3 }",
        "graph g(%0: 1x2xf32, %1: 1x2xi8{1, 0}, %2: 2xf32) {\n"
        "%3 = hybrid.dense(%0, %1, %2) asymmetric=0 : 1x1xf32 return %3 }",
        "graph g(%0: 1x2xf32, %1: 1x3xi8{1, 0}, %2: 1xf32) {\n"
        "%3 = hybrid.dense(%0, %1, %2) asymmetric=0 : 1x1xf32 return %3 }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct weft_error error = {0};
        struct weft_graph *graph = NULL;
        ASSERT_FAILS(weft_graph_parse(*state, texts[i], strlen(texts[i]), NULL, &graph, &error),
                     error, WEFT_GRAPH);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(sums_of_int16_round_once),
        ARENA_TEST(shifted_operands_round_by_themselves),
        ARENA_TEST(products_of_int16),
        ARENA_TEST(logistic_and_tanh_of_int16_are_interpolated),
        ARENA_TEST(softmax_of_int16_is_close_to_the_real_one),
        ARENA_TEST(rows_are_quantised_symmetrically),
        ARENA_TEST(rows_are_quantised_with_a_zero_point),
        ARENA_TEST(nothing_but_zeros_leaves_the_bias),
        ARENA_TEST(images_are_quantised),
        ARENA_TEST(no_images_are_quantised),
        ARENA_TEST(padding_counts_as_nothing),
        ARENA_TEST(what_is_not_finite_is_limited),
        ARENA_TEST(attributes_and_operands_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
