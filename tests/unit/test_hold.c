/* compiler/quantize/hold.c: layers that stay in float. */
#include "tests/unit/quantize_bench.h"

/* ---- for what the samples showed ---- */

#define ATTENTION(scores)                                                                          \
    "graph g(%0: 1x2x3x4xf32, %1: 1x2x3x4xf32) {\n"                                                \
    "  %s = batch_matmul(%0, %1) transpose_a=0 transpose_b=1 : 1x2x3x3xf32\n" scores               \
    "  %p = softmax(%m) beta=1 : 1x2x3x3xf32\n"                                                    \
    "  %r = batch_matmul(%p, %1) transpose_a=0 transpose_b=0 : 1x2x3x4xf32\n  return %r\n}\n"

/* A mask in a form that is not known, and a bias that is none: the former's scores stay float. */
static void what_is_no_known_mask_is_not_clipped(void **state) {
    static const struct {
        const char *text;
        const char *reason; /* of %m; NULL: it becomes bytes */
    } cases[] = {
        {ATTENTION("  %n = constant() data=[0, 1e9, 1e9, 0, 0, 1e9, 0, 0, 0] : 3x3xf32\n"
                   "  %m = subtract(%s, %n) : 1x2x3x3xf32\n"),
         "its range is that of a mask"},
        {ATTENTION("  %n = constant() data=[0, -1e9, -1e9, 0, 0, -1e9, 0, 0, 0] : 3x3xf32\n"
                   "  %a = add(%s, %n) : 1x2x3x3xf32\n"
                   "  %b = constant() data=[1, 2, 3] : 3x1xf32\n"
                   "  %m = add(%a, %b) : 1x2x3x3xf32\n"),
         "its range is that of a mask"},
        {ATTENTION("  %n = constant() data=[-60, -55, -60, -57, -58, -59, -55, -56, -59] : "
                   "3x3xf32\n  %m = add(%s, %n) : 1x2x3x3xf32\n"),
         NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench bench;
        prepare(*state, cases[i].text, &bench);
        quantize(*state, &bench);
        const struct weft_layer_report *layer = layer_named(&bench, "m");
        assert_int_equal(layer->is_quantized, cases[i].reason == NULL);
        if (cases[i].reason != NULL) {
            assert_string_equal(layer->reason, cases[i].reason);
        }
        if (!(ratio(&bench, 0) > 20)) {
            fail_msg("%zu: %f dB", i, ratio(&bench, 0));
        }
    }
}

/* Rows of a normalisation of which one is thirty times the others: bytes of variances would say 0
 * of these. */
static void uneven_rows_stay_float(void **state) {
    struct bench bench;
    prepare(*state,
            "graph g(%0: 1x3x4xf32) {\n  %f = constant() data=[1, 30, 1] : 3x1xf32\n"
            "  %x = mul(%0, %f) : 1x3x4xf32\n"
            "  %m1 = mean(%x) axes=[2] keep_dims=1 : 1x3x1xf32\n"
            "  %m2 = mean(%x) axes=[2] keep_dims=1 : 1x3x1xf32\n"
            "  %d1 = subtract(%x, %m1) : 1x3x4xf32\n  %d2 = subtract(%x, %m2) : 1x3x4xf32\n"
            "  %q = square(%d2) : 1x3x4xf32\n"
            "  %v = mean(%q) axes=[2] keep_dims=1 : 1x3x1xf32\n"
            "  %e = constant() data=[0.00001] : f32\n  %w = add(%v, %e) : 1x3x1xf32\n"
            "  %s = sqrt(%w) : 1x3x1xf32\n  %r = divide(%d1, %s) : 1x3x4xf32\n  return %r\n}\n",
            &bench);
    quantize(*state, &bench);
    assert_string_equal(layer_named(&bench, "r")->reason, "its rows are of too different sizes");
    assert_int_equal(bench.quantized->kept_float, 6); /* the sum is inside of a table */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(what_is_no_known_mask_is_not_clipped),
        ARENA_TEST(uneven_rows_stay_float),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
