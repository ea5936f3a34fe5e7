/* compiler/host: functions of one and two elements, comparisons and sums against results computed
 * by hand. */
#include "tests/unit/graphs.h"

#include <math.h>

#include "compiler/host/host.h"

/* The kernel finds elements for which the reference has no answer. */
static void assert_undefined(struct weft_arena *arena, const char *text, const void *a,
                             const void *b) {
    const struct weft_graph *graph = graph_of(arena, text);
    const void *inputs[2] = {a, b};
    void *const *outputs = output_room(graph);
    struct weft_error error;
    ASSERT_FAILS(weft_host_run_graph(graph, inputs, outputs, &error), error, WEFT_OPERATOR);
}

#define I8(...)   ((const int8_t[]){__VA_ARGS__})
#define BOOL(...) ((const uint8_t[]){__VA_ARGS__})
#define I16(...)  ((const int16_t[]){__VA_ARGS__})
#define I32(...)  ((const int32_t[]){__VA_ARGS__})
#define I64(...)  ((const int64_t[]){__VA_ARGS__})
#define F32(...)  ((const float[]){__VA_ARGS__})

/* ---- one element ---- */

static void absolute_values_and_opposites_wrap(void **state) {
    assert_host(*state, "graph g(%0: 3xi16) { %1 = abs(%0) : 3xi16 return %1 }",
                I16(-5, 7, INT16_MIN), NULL, I16(5, 7, INT16_MIN));
    assert_host(*state, "graph g(%0: 2xf32) { %1 = abs(%0) : 2xf32 return %1 }", F32(-0.0F, -2.5F),
                NULL, F32(0.0F, 2.5F));
    assert_host(*state, "graph g(%0: 3xi8{1, 9}) { %1 = negate(%0) : 3xi8{1, 9} return %1 }",
                I8(-5, 7, INT8_MIN), NULL, I8(5, -7, INT8_MIN));
    assert_host(*state, "graph g(%0: 2xi64) { %1 = negate(%0) : 2xi64 return %1 }",
                I64(INT64_MIN, 3), NULL, I64(INT64_MIN, -3));
    assert_host(*state, "graph g(%0: 2xf32) { %1 = negate(%0) : 2xf32 return %1 }", F32(0.0F, 1.5F),
                NULL, F32(-0.0F, -1.5F));
    assert_host(*state, "graph g(%0: 3xi32) { %1 = sign(%0) : 3xi32 return %1 }",
                I32(INT32_MIN, 0, 7), NULL, I32(-1, 0, 1));
    assert_host(*state, "graph g(%0: 3xf32) { %1 = sign(%0) : 3xf32 return %1 }",
                F32(-0.0F, 1e-45F, -3.0F), NULL, F32(0.0F, 1.0F, -1.0F));
    /* (-10 - 2) becomes 12 * 0.5 / 0.25 - 3. */
    assert_host(*state, "graph g(%0: 3xi8{0.5, 2}) { %1 = qnn.abs(%0) : 3xi8{0.25, -3} return %1 }",
                I8(-10, 2, 5), NULL, I8(21, -3, 3));
    assert_host(*state,
                "graph g(%0: 2xi16{0.5, 0}) { %1 = qnn.abs(%0) : 2xi16{0.25, 0} return %1 }",
                I16(-10, INT16_MIN), NULL, I16(20, INT16_MAX));
    /* 128 shifted to the left by 24 is -2^31, as -128 is. */
    assert_host(*state, "graph g(%0: 2xi8{8388608, 0}) { %1 = qnn.abs(%0) : 2xi8{1, 0} return %1 }",
                I8(INT8_MIN, -127), NULL, I8(INT8_MIN, INT8_MAX));
}

/* Types that are only moved and cast: the halves are 1.5, the smallest subnormal, infinity. */
static void types_of_storage_are_cast(void **state) {
    static const uint16_t halves[4] = {0x3e00, 0x0001, 0x7c00, 0xc000};
    assert_host(*state, "graph g(%0: 4xf16) { %1 = cast(%0) : 4xf32 return %1 }", halves, NULL,
                F32(1.5F, 0x1p-24F, INFINITY, -2.0F));
    /* To nearest, ties to even: 2049 lies between 2048 and 2050, 65520 rounds to infinity. */
    assert_host(*state, "graph g(%0: 6xf32) { %1 = cast(%0) : 6xf16 return %1 }",
                F32(2049.0F, 2051.0F, 65520.0F, 0x1p-25F, 0x1.8p-24F, -0.0F), NULL,
                ((const uint16_t[]){0x6800, 0x6802, 0x7c00, 0, 0x0002, 0x8000}));
    assert_host(*state, "graph g(%0: 3xf32) { %1 = cast(%0) : 3xf64 return %1 }",
                F32(0.5F, -3.0F, INFINITY), NULL, ((const double[]){0.5, -3.0, INFINITY}));
    assert_host(*state, "graph g(%0: 3xf64) { %1 = cast(%0) : 3xi8 return %1 }",
                ((const double[]){1.9, -1.9, 1000.0}), NULL, I8(1, -1, 127));
    assert_host(*state, "graph g(%0: 2xu16) { %1 = cast(%0) : 2xi32 return %1 }",
                ((const uint16_t[]){65535, 1}), NULL, I32(65535, 1));
    assert_host(*state, "graph g(%0: 2xi32) { %1 = cast(%0) : 2xu16 return %1 }", I32(65537, -1),
                NULL, ((const uint16_t[]){1, 65535}));
    assert_host(*state, "graph g(%0: 2xu32) { %1 = cast(%0) : 2xi64 return %1 }",
                ((const uint32_t[]){UINT32_MAX, 1}), NULL, I64(UINT32_MAX, 1));
    assert_host(*state, "graph g(%0: 1xu64) { %1 = cast(%0) : 1xf32 return %1 }",
                ((const uint64_t[]){UINT64_MAX}), NULL, F32(0x1p64F));
    assert_host(*state,
                "graph g(%0: 3xf16) { %1 = transpose(%0) permutation=[0] : 3xf16 return %1 }",
                halves, NULL, halves);
}

/* Nothing computes with them. */
static void types_of_storage_are_not_computed_with(void **state) {
    static const char *const texts[] = {
        "graph g(%0: 2xf16) { %1 = maximum(%0, %0) : 2xf16 return %1 }",
        "graph g(%0: 2xu16) { %1 = compare(%0, %0) relation=\"less\" : 2xbool return %1 }",
        "graph g(%0: 2xf64) { %1 = negate(%0) : 2xf64 return %1 }",
    };
    static const uint8_t bytes[16];
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_undefined(*state, texts[i], bytes, NULL);
    }
}

static void error_functions_and_softplus(void **state) {
    assert_host(*state, "graph g(%0: 3xf32) { %1 = erf(%0) : 3xf32 return %1 }",
                F32(0.0F, 10.0F, -10.0F), NULL, F32(0.0F, 1.0F, -1.0F));
    /* log(2) at 0; far from it x itself, or nothing. */
    assert_host(*state, "graph g(%0: 3xf32) { %1 = softplus(%0) : 3xf32 return %1 }",
                F32(0.0F, 200.0F, -200.0F), NULL, F32(0.693147182F, 200.0F, 0.0F));
}

static void quantising_rounds_as_asked(void **state) {
    assert_host(*state, "graph g(%0: 5xf32) { %1 = qnn.quantize(%0) : 5xi8{1, 0} return %1 }",
                F32(0.5F, 1.5F, -2.5F, 2.4F, 1e9F), NULL, I8(1, 2, -3, 2, 127));
    assert_host(*state,
                "graph g(%0: 5xf32) { %1 = qnn.quantize(%0) rounding=\"even\" : 5xi8{1, 0} return "
                "%1 }",
                F32(0.5F, 1.5F, -2.5F, 2.4F, 1e9F), NULL, I8(0, 2, -2, 2, 127));
}

static void roots_are_cut(void **state) {
    /* sqrt(2) / 0.25 = 5.66, sqrt(16) / 0.25 = 16; what is below 0 counts as 0 in a table. */
    assert_host(*state, "graph g(%0: 4xi8{1, 0}) { %1 = qnn.sqrt(%0) : 4xi8{0.25, 1} return %1 }",
                I8(2, 16, 0, -1), NULL, I8(6, 17, 1, 1));
    assert_host(*state, "graph g(%0: 2xi16{1, 0}) { %1 = qnn.sqrt(%0) : 2xi16{0.25, 0} return %1 }",
                I16(2, 16), NULL, I16(5, 16));
    assert_undefined(*state,
                     "graph g(%0: 2xi16{1, 0}) { %1 = qnn.sqrt(%0) : 2xi16{0.25, 0} return %1 }",
                     I16(2, -1), NULL);
    /* 1 / sqrt(4) / 0.01 = 50; 1 / sqrt(1) saturates at 100 - 1; 0 gives the largest. */
    assert_host(*state, "graph g(%0: 3xi8{1, 0}) { %1 = qnn.rsqrt(%0) : 3xi8{0.01, -1} return %1 }",
                I8(4, 1, 0), NULL, I8(49, 99, 127));
    assert_host(*state, "graph g(%0: 2xf32) { %1 = rsqrt(%0) : 2xf32 return %1 }", F32(4.0F, 0.0F),
                NULL, F32(0.5F, INFINITY));
}

static void functions_of_bytes_are_rounded(void **state) {
    /* exp(1) = 2.718, exp(0) = 1, in steps of 0.1. */
    assert_host(*state, "graph g(%0: 2xi8{1, 0}) { %1 = qnn.exp(%0) : 2xi8{0.1, -5} return %1 }",
                I8(1, 0), NULL, I8(22, 5));
    /* log(0) is the smallest number. */
    assert_host(*state, "graph g(%0: 3xi8{1, 0}) { %1 = qnn.log(%0) : 3xi8{0.1, 3} return %1 }",
                I8(1, 10, 0), NULL, I8(3, 26, -128));
    /* exp(-1) - 1 = -0.632 */
    assert_host(*state, "graph g(%0: 2xi8{1, 0}) { %1 = qnn.elu(%0) : 2xi8{0.1, 0} return %1 }",
                I8(-1, 2), NULL, I8(-6, 20));
    /* gelu(1) = 0.8413, gelu(-1) = -0.1587 */
    assert_host(*state,
                "graph g(%0: 3xi8{1, 0}) {\n"
                "%1 = qnn.gelu(%0) approximate=0 : 3xi8{0.01, 0} return %1 }",
                I8(1, -1, 0), NULL, I8(84, -16, 0));
}

static void tables_of_16_bits_are_interpolated(void **state) {
    /* A straight line, which exp() nearly is near 0: steps of 2^-15 in, 2^-13 out. */
    assert_host(*state,
                "graph g(%0: 2xi16{0.000030517578125, 0}) {\n"
                "%1 = qnn.exp(%0) : 2xi16{0.0001220703125, 0} return %1 }",
                I16(0, 128), NULL, I16(8192, 8224));
}

static void floats_are_rounded(void **state) {
    assert_host(*state, "graph g(%0: 5xf32) { %1 = round(%0) : 5xf32 return %1 }",
                F32(0.5F, 1.5F, -2.5F, 2.4F, -1.6F), NULL, F32(0.0F, 2.0F, -2.0F, 2.0F, -2.0F));
    assert_host(*state, "graph g(%0: 2xf32) { %1 = ceil(%0) : 2xf32 return %1 }", F32(1.2F, -1.2F),
                NULL, F32(2.0F, -1.0F));
    assert_host(*state, "graph g(%0: 2xf32) { %1 = floor(%0) : 2xf32 return %1 }", F32(1.2F, -1.2F),
                NULL, F32(1.0F, -2.0F));
    assert_host(*state, "graph g(%0: 2xf32) { %1 = square(%0) : 2xf32 return %1 }",
                F32(1.5F, -3.0F), NULL, F32(2.25F, 9.0F));
}

/* Fours are computed otherwise than what is left: both are near what mathematics says. */
static void gelu_is_near(void **state) {
    static const char *const texts[] = {
        "graph g(%0: 7xf32) { %1 = gelu(%0) approximate=0 : 7xf32 return %1 }",
        "graph g(%0: 7xf32) { %1 = gelu(%0) approximate=1 : 7xf32 return %1 }"};
    static const float x[7] = {-3.0F, -1.0F, 0.0F, 2.0F, -3.0F, 1.0F, 20.0F};
    for (int k = 0; k < 2; k++) {
        const struct weft_graph *graph = graph_of(*state, texts[k]);
        const void *inputs[1] = {x};
        void *const *outputs = host_outputs(graph, inputs);
        for (int i = 0; i < 7; i++) {
            float y = ((const float *)outputs[0])[i];
            double expected = 0.5 * (double)x[i] * erfc(-sqrt(0.5) * (double)x[i]);
            assert_true(fabs((double)y - expected) < (k == 0 ? 1e-6 : 1e-3));
        }
    }
}

/* ---- two elements ---- */

static void quotients_go_towards_zero_or_down(void **state) {
    const int32_t *a = I32(7, -7, 7, INT32_MIN);
    const int32_t *b = I32(2, 2, -2, -1);
    assert_host(*state, "graph g(%0: 4xi32, %1: 4xi32) { %2 = divide(%0, %1) : 4xi32 return %2 }",
                a, b, I32(3, -3, -3, INT32_MIN));
    assert_host(*state,
                "graph g(%0: 4xi32, %1: 4xi32) { %2 = floor_divide(%0, %1) : 4xi32 return %2 }", a,
                b, I32(3, -4, -4, INT32_MIN));
    assert_host(*state,
                "graph g(%0: 4xi32, %1: 4xi32) { %2 = floor_modulo(%0, %1) : 4xi32 return %2 }", a,
                b, I32(1, 1, -1, 0));
    assert_host(*state,
                "graph g(%0: 3xf32, %1: 3xf32) { %2 = floor_modulo(%0, %1) : 3xf32 return %2 }",
                F32(7.5F, -7.5F, 4.0F), F32(2.0F, 2.0F, -2.0F), F32(1.5F, 0.5F, 0.0F));
    assert_host(*state,
                "graph g(%0: 2xf32, %1: 2xf32) { %2 = floor_divide(%0, %1) : 2xf32 return %2 }",
                F32(7.5F, -0.4870273F), F32(2.0F, 0.009019024F), F32(3.0F, -55.0F));
    assert_host(*state, "graph g(%0: 2xf32, %1: 2xf32) { %2 = divide(%0, %1) : 2xf32 return %2 }",
                F32(1.0F, -1.0F), F32(4.0F, 0.0F), F32(0.25F, -3.40282347e38F));
    /* 6 / 2 in steps of a half. */
    assert_host(*state,
                "graph g(%0: 2xi8{1, 0}, %1: 2xi8{1, 1}) {\n"
                "%2 = qnn.divide(%0, %1) : 2xi8{0.5, 2} return %2 }",
                I8(6, 100), I8(3, 0), I8(8, -128));
}

static void divisors_of_zero_are_undefined(void **state) {
    static const char *const texts[] = {
        "graph g(%0: 2xi32, %1: 2xi32) { %2 = divide(%0, %1) : 2xi32 return %2 }",
        "graph g(%0: 2xi32, %1: 2xi32) { %2 = floor_divide(%0, %1) : 2xi32 return %2 }",
        "graph g(%0: 2xi32, %1: 2xi32) { %2 = floor_modulo(%0, %1) : 2xi32 return %2 }"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_undefined(*state, texts[i], I32(1, 2), I32(1, 0));
    }
    assert_undefined(
        *state, "graph g(%0: 2xf32, %1: 2xf32) { %2 = floor_divide(%0, %1) : 2xf32 return %2 }",
        F32(1.0F, 2.0F), F32(1.0F, 0.0F));
    assert_undefined(*state,
                     "graph g(%0: 2xi32, %1: 2xi32) { %2 = power(%0, %1) : 2xi32 return %2 }",
                     I32(1, 2), I32(1, -1));
    assert_undefined(*state,
                     "graph g(%0: 2xi8{1, 0}, %1: 2xi8{1, 3}) {\n"
                     "%2 = qnn.divide(%0, %1) : 2xi8{1, 0} return %2 }",
                     I8(1, 2), I8(1, 3));
}

static void powers_and_squares(void **state) {
    assert_host(*state, "graph g(%0: 3xi32, %1: 3xi32) { %2 = power(%0, %1) : 3xi32 return %2 }",
                I32(-3, 7, 2), I32(3, 0, 31), I32(-27, 1, INT32_MIN));
    assert_host(*state, "graph g(%0: 2xf32, %1: 1xf32) { %2 = power(%0, %1) : 2xf32 return %2 }",
                F32(2.0F, 9.0F), F32(0.5F), F32(1.41421354F, 3.0F));
    assert_host(*state, "graph g(%0: 2xf32, %1: 1xf32) { %2 = power(%0, %1) : 2xf32 return %2 }",
                F32(-2.0F, 1e10F), F32(5.0F), F32(-32.0F, 3.40282347e38F));
    assert_host(*state,
                "graph g(%0: 2xi32, %1: 2xi32) {\n"
                "%2 = squared_difference(%0, %1) : 2xi32 return %2 }",
                I32(3, -2), I32(7, 5), I32(16, 49));
    /* (3 * 1 - 4 * 0.5)^2 = 1 in steps of a quarter */
    assert_host(*state,
                "graph g(%0: 1xi8{1, 0}, %1: 1xi8{0.5, 0}) {\n"
                "%2 = qnn.squared_difference(%0, %1) : 1xi8{0.25, -8} return %2 }",
                I8(3), I8(4), I8(-4));
    assert_host(*state, "graph g(%0: 2xf32, %1: 1xf32) { %2 = prelu(%0, %1) : 2xf32 return %2 }",
                F32(2.0F, -4.0F), F32(0.25F), F32(2.0F, -1.0F));
    /* -8 * 0.25 = -2 in steps of a half */
    assert_host(*state,
                "graph g(%0: 2xi8{1, 0}, %1: 1xi8{0.125, 0}) {\n"
                "%2 = qnn.prelu(%0, %1) : 2xi8{0.5, 1} return %2 }",
                I8(3, -8), I8(2), I8(7, -3));
}

static void relations_hold_or_not(void **state) {
    static const struct {
        const char *text;
        uint8_t holds[3];
    } cases[] = {{"equal", {0, 1, 0}},      {"not_equal", {1, 0, 1}}, {"less", {1, 0, 0}},
                 {"less_equal", {1, 1, 0}}, {"greater", {0, 0, 1}},   {"greater_equal", {0, 1, 1}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_host(*state,
                    weft_arena_print(*state,
                                     "graph g(%%0: 3xi64, %%1: 1xi64) { %%2 = compare(%%0, %%1) "
                                     "relation=\"%s\" : 3xbool return %%2 }",
                                     cases[i].text),
                    I64(1, 2, 3), I64(2), cases[i].holds);
        /* 1, 2 and 3 halves with 1 */
        assert_host(*state,
                    weft_arena_print(*state,
                                     "graph g(%%0: 3xi8{0.5, 0}, %%1: 1xi8{1, -1}) {\n"
                                     "%%2 = qnn.compare(%%0, %%1) relation=\"%s\" : 3xbool\n"
                                     "return %%2 }",
                                     cases[i].text),
                    I8(1, 2, 3), I8(0), cases[i].holds);
    }
    assert_host(*state,
                "graph g(%0: 2xf32, %1: 1xf32) {\n"
                "%2 = compare(%0, %1) relation=\"greater_equal\" : 2xbool return %2 }",
                F32(NAN, 1.0F), F32(1.0F), BOOL(0, 1));
}

static void conditions_choose(void **state) {
    assert_host(*state,
                "graph g(%0: 2x1xbool, %1: 3xi16) {\n"
                "%z = constant() data=[-1] : i16\n"
                "%2 = select(%0, %1, %z) : 2x3xi16 return %2 }",
                BOOL(1, 0), I16(1, 2, 3), I16(1, 2, 3, -1, -1, -1));
}

/* ---- reductions ---- */

static void elements_are_reduced(void **state) {
    assert_host(*state,
                "graph g(%0: 2x3xi32) { %1 = sum(%0) axes=[0] keep_dims=0 : 3xi32 return %1 }",
                I32(1, 2, INT32_MAX, 4, 5, 1), NULL, I32(5, 7, INT32_MIN));
    assert_host(*state,
                "graph g(%0: 2x2xf32) {\n"
                "%1 = reduce_prod(%0) axes=[1] keep_dims=0 : 2xf32 return %1 }",
                F32(2.0F, 3.0F, -1.0F, 0.5F), NULL, F32(6.0F, -0.5F));
    assert_host(*state,
                "graph g(%0: 2x2xbool) {\n"
                "%1 = reduce_min(%0) axes=[1] keep_dims=0 : 2xbool return %1 }",
                BOOL(1, 1, 1, 0), NULL, BOOL(1, 0));
    /* (4 - 1 + 2 - 1) * 0.5 / 0.25 */
    assert_host(*state,
                "graph g(%0: 1x2xi8{0.5, 1}) {\n"
                "%1 = qnn.sum(%0) axes=[1] keep_dims=0 : 1xi8{0.25, -3} return %1 }",
                I8(4, 2), NULL, I8(5));
}

/* All axes begin with the first element, some with a number of their own. */
static void starts_of_floats_differ(void **state) {
    const float *x = F32(-INFINITY, -INFINITY);
    assert_host(*state,
                "graph g(%0: 2xf32) { %1 = reduce_max(%0) axes=[0] keep_dims=0 : f32 return %1 }",
                x, NULL, F32(-INFINITY));
    assert_host(*state,
                "graph g(%0: 1x2xf32) {\n"
                "%1 = reduce_max(%0) axes=[1] keep_dims=0 : 1xf32 return %1 }",
                x, NULL, F32(-3.40282347e38F));
}

static void sums_add_up_along_an_axis(void **state) {
    static const int32_t x[] = {1, 2, 3, 10, 20, 30};
    assert_host(*state,
                "graph g(%0: 2x3xi32) {\n"
                "%1 = cumsum(%0) axis=1 exclusive=0 reverse=0 : 2x3xi32 return %1 }",
                x, NULL, I32(1, 3, 6, 10, 30, 60));
    assert_host(*state,
                "graph g(%0: 2x3xi32) {\n"
                "%1 = cumsum(%0) axis=1 exclusive=1 reverse=1 : 2x3xi32 return %1 }",
                x, NULL, I32(5, 3, 0, 50, 30, 0));
    assert_host(*state,
                "graph g(%0: 2x2xf32) {\n"
                "%1 = cumsum(%0) axis=0 exclusive=0 reverse=0 : 2x2xf32 return %1 }",
                F32(1.0F, 2.0F, 0.5F, -2.0F), NULL, F32(1.0F, 2.0F, 1.5F, 0.0F));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(types_of_storage_are_cast),
        ARENA_TEST(types_of_storage_are_not_computed_with),
        ARENA_TEST(error_functions_and_softplus),
        ARENA_TEST(quantising_rounds_as_asked),
        ARENA_TEST(absolute_values_and_opposites_wrap),
        ARENA_TEST(roots_are_cut),
        ARENA_TEST(functions_of_bytes_are_rounded),
        ARENA_TEST(tables_of_16_bits_are_interpolated),
        ARENA_TEST(floats_are_rounded),
        ARENA_TEST(gelu_is_near),
        ARENA_TEST(quotients_go_towards_zero_or_down),
        ARENA_TEST(divisors_of_zero_are_undefined),
        ARENA_TEST(powers_and_squares),
        ARENA_TEST(relations_hold_or_not),
        ARENA_TEST(conditions_choose),
        ARENA_TEST(elements_are_reduced),
        ARENA_TEST(starts_of_floats_differ),
        ARENA_TEST(sums_add_up_along_an_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
