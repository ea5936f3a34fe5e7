/* compiler/passes: activations, clips and changes of scale, before and after. */
#include "tests/unit/graphs.h"

#include "compiler/passes/passes.h"

#define G(in, nodes, outputs) "graph g(%0: " in ") {\n" nodes "  return " outputs "\n}\n"
#define A                     "3xi8{0.5, -3}"
#define B                     "3xi8{0.5, 4}"
#define W                     "3xi32{0.125, 0}"
#define M                     "3xi32{0.5, -3}"
#define N                     "3xi32{0.5, 0}"
#define SCALE(to, from, type)                                                                      \
    "  %" to " = qnn.requantize(%" from ") rounding=\"gemmlowp\" : " type "\n"
#define FLOAT_SCALE(to, from, type)                                                                \
    "  %" to " = qnn.requantize(%" from ") rounding=\"float\" : " type "\n"
#define CLIP(to, from, limits, type) "  %" to " = clip(%" from ") " limits " : " type "\n"
#define CAST(to, from, type)         "  %" to " = cast(%" from ") : " type "\n"
#define RELU(to, kind, from, type)   "  %" to " = qnn." kind "(%" from ") : " type "\n"

/* ---- activations ---- */

static void relus_are_clips(void **state) {
    assert_pass(*state, weft_pass_lower_activations, G(A, RELU("a", "relu", "0", A), "%a"),
                G(A, CLIP("a", "0", "min=-3 max=127", A), "%a"));
    assert_pass(*state, weft_pass_lower_activations, G(A, RELU("a", "relu6", "0", A), "%a"),
                G(A, CLIP("a", "0", "min=-3 max=9", A), "%a"));
    assert_pass(*state, weft_pass_lower_activations, G(A, RELU("a", "relu_n1_to_1", "0", A), "%a"),
                G(A, CLIP("a", "0", "min=-5 max=-1", A), "%a"));
    assert_pass(*state, weft_pass_lower_activations,
                G("3xu8{0.5, 128}", RELU("a", "relu6", "0", "3xu8{0.5, 128}"), "%a"),
                G("3xu8{0.5, 128}", CLIP("a", "0", "min=128 max=140", "3xu8{0.5, 128}"), "%a"));
}

/* An upper limit beyond the type is none; one at its end makes a clip of nothing. */
static void limits_beyond_the_type_are_its_ends(void **state) {
    assert_pass(*state, weft_pass_lower_activations,
                G("3xi8{0.5, 120}", RELU("a", "relu6", "0", "3xi8{0.5, 120}"), "%a"),
                G("3xi8{0.5, 120}", CLIP("a", "0", "min=120 max=127", "3xi8{0.5, 120}"), "%a"));
    assert_pass(*state, weft_pass_lower_activations,
                G("3xi8{0.015625, -128}", RELU("a", "relu6", "0", "3xi8{0.015625, -128}"), "%a"),
                G("3xi8{0.015625, -128}", "", "%0"));
    assert_pass(*state, weft_pass_lower_activations,
                G("3xi8{9.9999999999999996e-39, 5}",
                  RELU("a", "relu6", "0", "3xi8{9.9999999999999996e-39, 5}"), "%a"),
                G("3xi8{9.9999999999999996e-39, 5}",
                  CLIP("a", "0", "min=5 max=127", "3xi8{9.9999999999999996e-39, 5}"), "%a"));
}

static void a_relu_that_moves_the_zero_point_is_two_steps(void **state) {
    assert_pass(*state, weft_pass_lower_activations, G(A, RELU("a", "relu", "0", B), "%a"),
                G(A, SCALE("made0", "0", B) CLIP("a", "made0", "min=4 max=127", B), "%a"));
}

static void a_relu_with_another_scale_stays(void **state) {
    assert_stays(*state, weft_pass_lower_activations,
                 G(A, RELU("a", "relu", "0", "3xi8{0.25, -3}"), "%a"));
    assert_stays(*state, weft_pass_lower_activations,
                 G("3xi16{0.5, 0}", RELU("a", "relu", "0", "3xi16{0.5, 0}"), "%a"));
}

#define LIMIT(data, type)  "  %k = constant() data=[" data "] : " type "\n"
#define BOTH(op, a, b, to) "  %a = " op "(%" a ", %" b ") : " to "\n"

static void comparing_with_a_number_is_a_clip(void **state) {
    assert_pass(*state, weft_pass_lower_activations,
                G(A, LIMIT("-7", "1xi8{0.5, -3}") BOTH("maximum", "0", "k", A), "%a"),
                G(A, CLIP("a", "0", "min=-7 max=127", A), "%a"));
    assert_pass(*state, weft_pass_lower_activations,
                G(A, LIMIT("5, 5, 5", "3xi8") BOTH("minimum", "k", "0", A), "%a"),
                G(A, CLIP("a", "0", "min=-128 max=5", A), "%a"));
    assert_pass(*state, weft_pass_lower_activations,
                G("3xi32", LIMIT("-70000", "i32") BOTH("maximum", "0", "k", "3xi32"), "%a"),
                G("3xi32", CLIP("a", "0", "min=-70000 max=2147483647", "3xi32"), "%a"));
    assert_pass(*state, weft_pass_lower_activations,
                G("3xu8", LIMIT("200", "u8") BOTH("minimum", "0", "k", "3xu8"), "%a"),
                G("3xu8", CLIP("a", "0", "min=0 max=200", "3xu8"), "%a"));
}

static void comparing_with_more_than_a_number_stays(void **state) {
    /* different elements; a limit that makes the tensor larger; another scale; no constant */
    assert_stays(*state, weft_pass_lower_activations,
                 G(A, LIMIT("1, 2, 1", A) BOTH("maximum", "0", "k", A), "%a"));
    assert_stays(*state, weft_pass_lower_activations,
                 G("1xi8", LIMIT("1, 1", "2xi8") BOTH("maximum", "0", "k", "2xi8"), "%a"));
    assert_stays(*state, weft_pass_lower_activations,
                 G(A, LIMIT("1", "1xi8") BOTH("maximum", "0", "k", B), "%a"));
    assert_stays(*state, weft_pass_lower_activations, G(A, BOTH("maximum", "0", "0", A), "%a"));
    assert_stays(*state, weft_pass_lower_activations,
                 G("1xf32", LIMIT("0", "1xf32") BOTH("maximum", "0", "k", "1xf32"), "%a"));
    assert_stays(*state, weft_pass_lower_activations,
                 G("0xi8", LIMIT("", "0xi8") BOTH("maximum", "0", "k", "0xi8"), "%a"));
}

/* ---- requantize, clip, cast ---- */

static void a_cast_after_a_clip_goes(void **state) {
    assert_pass(
        *state, weft_pass_narrow_requantize,
        G(W, SCALE("r", "0", M) CLIP("c", "r", "min=-128 max=127", M) CAST("q", "c", A), "%q"),
        G(W, SCALE("q", "0", A), "%q"));
    assert_pass(
        *state, weft_pass_narrow_requantize,
        G(W, SCALE("r", "0", M) CLIP("c", "r", "min=-3 max=100", M) CAST("q", "c", A), "%q"),
        G(W, SCALE("made0", "0", A) CLIP("q", "made0", "min=-3 max=100", A), "%q"));
    /* Two clips are one. */
    assert_pass(*state, weft_pass_narrow_requantize,
                G(W,
                  SCALE("r", "0", M) CLIP("b", "r", "min=-3 max=1000", M)
                      CLIP("c", "b", "min=-128 max=127", M) CAST("q", "c", A),
                  "%q"),
                G(W, SCALE("made0", "0", A) CLIP("q", "made0", "min=-3 max=127", A), "%q"));
}

static void a_cast_that_computes_stays(void **state) {
    /* limits beyond the type: the cast wraps */
    assert_stays(
        *state, weft_pass_narrow_requantize,
        G(W, SCALE("r", "0", M) CLIP("c", "r", "min=-129 max=127", M) CAST("q", "c", A), "%q"));
    assert_stays(
        *state, weft_pass_narrow_requantize,
        G(W, SCALE("r", "0", M) CLIP("c", "r", "min=0 max=255", M) CAST("q", "c", A), "%q"));
    assert_stays(*state, weft_pass_narrow_requantize,
                 G(W, SCALE("r", "0", M) CAST("q", "r", A), "%q"));
    /* another scale: the cast renames */
    assert_stays(*state, weft_pass_narrow_requantize,
                 G(W, SCALE("r", "0", M) CLIP("c", "r", "min=0 max=9", M) CAST("q", "c", B), "%q"));
    /* to float */
    assert_stays(
        *state, weft_pass_narrow_requantize,
        G(W, SCALE("r", "0", M) CLIP("c", "r", "min=0 max=9", M) CAST("q", "c", "3xf32"), "%q"));
}

static void a_cast_whose_operands_are_needed_stays(void **state) {
    assert_stays(
        *state, weft_pass_narrow_requantize,
        G(W, SCALE("r", "0", M) CLIP("c", "r", "min=0 max=9", M) CAST("q", "c", A), "%q, %r"));
    assert_stays(
        *state, weft_pass_narrow_requantize,
        G(W, SCALE("r", "0", M) CLIP("c", "r", "min=0 max=9", M) CAST("q", "c", A), "%q, %c"));
}

static void a_cast_to_the_same_type_goes(void **state) {
    assert_pass(*state, weft_pass_narrow_requantize, G(A, CAST("q", "0", A), "%q"), G(A, "", "%0"));
    assert_stays(*state, weft_pass_narrow_requantize, G(A, CAST("q", "0", B), "%q"));
}

/* ---- changes of scale ---- */

static void a_scale_that_does_not_change_goes(void **state) {
    assert_pass(*state, weft_pass_merge_requantize, G(A, SCALE("a", "0", A), "%a"), G(A, "", "%0"));
    assert_pass(*state, weft_pass_merge_requantize,
                G("3xi16{0.5, 0}", SCALE("a", "0", "3xi16{0.5, 0}"), "%a"),
                G("3xi16{0.5, 0}", "", "%0"));
    /* Of 32 bits the multiplier one, a shift to the left, wraps. */
    assert_stays(*state, weft_pass_merge_requantize, G(M, SCALE("a", "0", M), "%a"));
}

static void a_zero_point_moves_into_the_first_scale(void **state) {
    assert_pass(*state, weft_pass_merge_requantize,
                G(W, SCALE("a", "0", A) SCALE("b", "a", B), "%b"),
                G(W, SCALE("made0", "0", B) CLIP("b", "made0", "min=-121 max=127", B), "%b"));
    /* int8 to uint8: nothing is cut off */
    assert_pass(*state, weft_pass_merge_requantize,
                G(W, SCALE("a", "0", A) SCALE("b", "a", "3xu8{0.5, 125}"), "%b"),
                G(W, SCALE("b", "0", "3xu8{0.5, 125}"), "%b"));
    assert_pass(
        *state, weft_pass_merge_requantize,
        G(W, SCALE("a", "0", A) CLIP("c", "a", "min=-3 max=60", A) SCALE("b", "c", B), "%b"),
        G(W, SCALE("made0", "0", B) CLIP("b", "made0", "min=4 max=67", B), "%b"));
    /* a clip of what the second type cannot hold */
    assert_pass(
        *state, weft_pass_merge_requantize,
        G(W, SCALE("a", "0", A) CLIP("c", "a", "min=121 max=127", A) SCALE("b", "c", B), "%b"),
        G(W, SCALE("made0", "0", B) CLIP("b", "made0", "min=127 max=127", B), "%b"));
}

/* Of a float 24 bits are exact. */
static void a_zero_point_moves_where_floats_are_exact(void **state) {
    assert_pass(*state, weft_pass_merge_requantize,
                G(W, FLOAT_SCALE("a", "0", A) SCALE("b", "a", B), "%b"),
                G(W, FLOAT_SCALE("made0", "0", B) CLIP("b", "made0", "min=-121 max=127", B), "%b"));
    assert_pass(*state, weft_pass_merge_requantize,
                G(W,
                  SCALE("a", "0", N) CLIP("c", "a", "min=-16777216 max=16777216", N)
                      FLOAT_SCALE("b", "c", B),
                  "%b"),
                G(W, SCALE("b", "0", B), "%b"));
    assert_stays(*state, weft_pass_merge_requantize,
                 G(W,
                   SCALE("a", "0", N) CLIP("c", "a", "min=-16777216 max=16777217", N)
                       FLOAT_SCALE("b", "c", B),
                   "%b"));
}

static void a_first_scale_that_is_needed_stays(void **state) {
    assert_stays(*state, weft_pass_merge_requantize,
                 G(W, SCALE("a", "0", A) SCALE("b", "a", B), "%a, %b"));
    assert_stays(
        *state, weft_pass_merge_requantize,
        G(W, SCALE("a", "0", A) CLIP("c", "a", "min=0 max=6", A) SCALE("b", "c", B), "%b, %c"));
}

/* Two roundings are one only where no value shows it. */
static void two_scales_are_one_where_no_value_differs(void **state) {
    assert_pass(*state, weft_pass_merge_requantize,
                G(A, SCALE("a", "0", "3xi16{0.25, 0}") SCALE("b", "a", B), "%b"),
                G(A, SCALE("b", "0", B), "%b"));
    assert_stays(*state, weft_pass_merge_requantize,
                 G(A, SCALE("a", "0", "3xi16{0.25, 0}") SCALE("b", "a", "3xi8{2, 0}"), "%b"));
    assert_stays(*state, weft_pass_merge_requantize,
                 G(A, SCALE("a", "0", "3xi8{1, 0}") SCALE("b", "a", "3xi8{2, 0}"), "%b"));
    assert_stays(*state, weft_pass_merge_requantize,
                 G(A, SCALE("a", "0", "3xi8{0.001, 0}") SCALE("b", "a", A), "%b"));
}

static void floats_between_two_scales_go(void **state) {
    assert_pass(*state, weft_pass_merge_requantize,
                G(A, "  %a = qnn.dequantize(%0) : 3xf32\n  %b = qnn.quantize(%a) : " B "\n", "%b"),
                G(A, SCALE("b", "0", B), "%b"));
    assert_pass(*state, weft_pass_merge_requantize,
                G(A, "  %a = qnn.dequantize(%0) : 3xf32\n  %b = qnn.quantize(%a) : " A "\n", "%b"),
                G(A, "", "%0"));
    /* The floats are needed. */
    assert_stays(
        *state, weft_pass_merge_requantize,
        G(A, "  %a = qnn.dequantize(%0) : 3xf32\n  %b = qnn.quantize(%a) : " B "\n", "%a, %b"));
}

/* ---- clips ---- */

static void clips_in_a_row_are_one(void **state) {
    assert_pass(*state, weft_pass_merge_clips,
                G(A, CLIP("a", "0", "min=-9 max=50", A) CLIP("b", "a", "min=-20 max=40", A), "%b"),
                G(A, CLIP("b", "0", "min=-9 max=40", A), "%b"));
    /* apart from each other, either way */
    assert_pass(*state, weft_pass_merge_clips,
                G(A, CLIP("a", "0", "min=0 max=5", A) CLIP("b", "a", "min=10 max=20", A), "%b"),
                G(A, CLIP("b", "0", "min=10 max=10", A), "%b"));
    assert_pass(*state, weft_pass_merge_clips,
                G(A, CLIP("a", "0", "min=10 max=20", A) CLIP("b", "a", "min=0 max=5", A), "%b"),
                G(A, CLIP("b", "0", "min=5 max=5", A), "%b"));
    /* The first one is needed, too: both stay, the second one looks past it. */
    assert_pass(
        *state, weft_pass_merge_clips,
        G(A, CLIP("a", "0", "min=0 max=50", A) CLIP("b", "a", "min=-20 max=40", A), "%a, %b"),
        G(A, CLIP("a", "0", "min=0 max=50", A) CLIP("b", "0", "min=0 max=40", A), "%a, %b"));
}

static void idle_clips_go(void **state) {
    assert_pass(*state, weft_pass_merge_clips, G(A, CLIP("a", "0", "min=-128 max=127", A), "%a"),
                G(A, "", "%0"));
    assert_pass(*state, weft_pass_merge_clips,
                G("3xi16", CLIP("a", "0", "min=-32768 max=32767", "3xi16"), "%a"),
                G("3xi16", "", "%0"));
    assert_stays(*state, weft_pass_merge_clips,
                 G("3xi16", CLIP("a", "0", "min=-128 max=127", "3xi16"), "%a"));
}

/* A quarter, less 3: -505 is below -128, 519 becomes 127. */
static void a_clip_before_a_narrower_type_goes(void **state) {
    assert_pass(*state, weft_pass_merge_clips,
                G(N, CLIP("a", "0", "min=-505 max=519", N) SCALE("b", "a", "3xi8{2, -3}"), "%b"),
                G(N, SCALE("b", "0", "3xi8{2, -3}"), "%b"));
    assert_stays(*state, weft_pass_merge_clips,
                 G(N, CLIP("a", "0", "min=-490 max=519", N) SCALE("b", "a", "3xi8{2, -3}"), "%b"));
    assert_stays(*state, weft_pass_merge_clips,
                 G(N, CLIP("a", "0", "min=-505 max=500", N) SCALE("b", "a", "3xi8{2, -3}"), "%b"));
    assert_stays(
        *state, weft_pass_merge_clips,
        G(N, CLIP("a", "0", "min=-505 max=519", N) SCALE("b", "a", "3xi8{2, -3}"), "%a, %b"));
    /* An operand whose zero point is not 0 wraps at the ends of int32. */
    assert_stays(*state, weft_pass_merge_clips,
                 G(M, CLIP("a", "0", "min=-505 max=519", M) SCALE("b", "a", "3xi8{2, -3}"), "%b"));
    /* A shift to the left wraps: the clip is needed. */
    assert_stays(
        *state, weft_pass_merge_clips,
        G(N, CLIP("a", "0", "min=-200 max=200", N) SCALE("b", "a", "3xi8{0.125, -3}"), "%b"));
}

static void a_clip_before_the_rounding_of_floats_goes(void **state) {
    assert_pass(
        *state, weft_pass_merge_clips,
        G(N, CLIP("a", "0", "min=-505 max=519", N) FLOAT_SCALE("b", "a", "3xi8{2, -3}"), "%b"),
        G(N, FLOAT_SCALE("b", "0", "3xi8{2, -3}"), "%b"));
    assert_stays(
        *state, weft_pass_merge_clips,
        G(N, CLIP("a", "0", "min=-490 max=519", N) FLOAT_SCALE("b", "a", "3xi8{2, -3}"), "%b"));
    assert_stays(
        *state, weft_pass_merge_clips,
        G(M, CLIP("a", "0", "min=-505 max=519", M) FLOAT_SCALE("b", "a", "3xi8{2, -3}"), "%b"));
    /* It shifts nothing to the left. */
    assert_pass(
        *state, weft_pass_merge_clips,
        G(N, CLIP("a", "0", "min=-200 max=200", N) FLOAT_SCALE("b", "a", "3xi8{0.125, -3}"), "%b"),
        G(N, FLOAT_SCALE("b", "0", "3xi8{0.125, -3}"), "%b"));
}

/* Scales of channels: the clip must be idle for all of them. */
static void a_clip_is_idle_in_every_channel_or_needed(void **state) {
    assert_pass(*state, weft_pass_merge_clips,
                G("2xi32{axis=0; 0.5, 0; 0.25, 0}",
                  CLIP("a", "0", "min=-600 max=600", "2xi32{axis=0; 0.5, 0; 0.25, 0}")
                      SCALE("b", "a", "2xi8{1, 0}"),
                  "%b"),
                G("2xi32{axis=0; 0.5, 0; 0.25, 0}", SCALE("b", "0", "2xi8{1, 0}"), "%b"));
    assert_stays(*state, weft_pass_merge_clips,
                 G("2xi32{axis=0; 0.5, 0; 0.25, 0}",
                   CLIP("a", "0", "min=-400 max=400", "2xi32{axis=0; 0.5, 0; 0.25, 0}")
                       SCALE("b", "a", "2xi8{1, 0}"),
                   "%b"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(relus_are_clips),
        ARENA_TEST(limits_beyond_the_type_are_its_ends),
        ARENA_TEST(a_relu_that_moves_the_zero_point_is_two_steps),
        ARENA_TEST(a_relu_with_another_scale_stays),
        ARENA_TEST(comparing_with_a_number_is_a_clip),
        ARENA_TEST(comparing_with_more_than_a_number_stays),
        ARENA_TEST(a_cast_after_a_clip_goes),
        ARENA_TEST(a_cast_that_computes_stays),
        ARENA_TEST(a_cast_whose_operands_are_needed_stays),
        ARENA_TEST(a_cast_to_the_same_type_goes),
        ARENA_TEST(a_scale_that_does_not_change_goes),
        ARENA_TEST(a_zero_point_moves_into_the_first_scale),
        ARENA_TEST(a_zero_point_moves_where_floats_are_exact),
        ARENA_TEST(a_first_scale_that_is_needed_stays),
        ARENA_TEST(two_scales_are_one_where_no_value_differs),
        ARENA_TEST(floats_between_two_scales_go),
        ARENA_TEST(clips_in_a_row_are_one),
        ARENA_TEST(idle_clips_go),
        ARENA_TEST(a_clip_before_a_narrower_type_goes),
        ARENA_TEST(a_clip_before_the_rounding_of_floats_goes),
        ARENA_TEST(a_clip_is_idle_in_every_channel_or_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
