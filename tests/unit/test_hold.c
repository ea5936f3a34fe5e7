/* compiler/quantize/hold.c and hold_ends.c: layers that stay in float. */
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

/* Of hundreds of shares nearly alike none has a step of 1/256; of fewer, or where a share is large,
 * some have. */
static void small_shares_stay_float(void **state) {
    static const struct {
        const char *tokens, *factor;
        bool is_quantized;
    } cases[] = {{"300", "0.1", false}, {"300", "10", true}, {"100", "0.1", true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench bench;
        prepare(*state,
                weft_arena_print(*state,
                                 "graph g(%%0: 1x2x%sx4xf32) {\n"
                                 "  %%f = constant() data=[%s] : f32\n"
                                 "  %%q = mul(%%0, %%f) : 1x2x%sx4xf32\n"
                                 "  %%s = batch_matmul(%%q, %%0) transpose_a=0 transpose_b=1 : "
                                 "1x2x%sx%sxf32\n  %%p = softmax(%%s) beta=1 : 1x2x%sx%sxf32\n"
                                 "  %%r = batch_matmul(%%p, %%0) transpose_a=0 transpose_b=0 : "
                                 "1x2x%sx4xf32\n  return %%r\n}\n",
                                 cases[i].tokens, cases[i].factor, cases[i].tokens, cases[i].tokens,
                                 cases[i].tokens, cases[i].tokens, cases[i].tokens,
                                 cases[i].tokens),
                &bench);
        quantize(*state, &bench);
        const struct weft_layer_report *layer = layer_named(&bench, "p");
        assert_int_equal(layer->is_quantized, cases[i].is_quantized);
        if (!cases[i].is_quantized) {
            assert_string_equal(layer->reason, "its shares are too small for steps of 1/256");
            assert_true(ratio(&bench, 0) > 30);
        }
    }
}

/* A spectrum: its powers, and the bands that they go into, are floats where a logarithm follows;
 * what has made them is bytes. */
static void logarithms_of_wide_ranges_stay_float(void **state) {
    static const char reason[] = "a logarithm is taken of it, over too wide a range";
    static const char *const floats[] = {"q", "e"};
    struct bench bench;
    prepare(
        *state,
        "graph g(%0: 3x4xf32) {\n"
        "  %w = constant() data=[1, 0.5, -1, 0.25, -0.5, 1, 1, 2, 0.5, -1, 1, 0.5, 1, 1, -2, 1] "
        ": 4x4xf32\n  %x = dense(%0, %w) : 3x4xf32\n  %q = square(%x) : 3x4xf32\n"
        "  %k = constant() data=[1, 0, 0, 0, 0, 0.01, 0.01, 0, 0, 0, 0, 0.0001] : 3x4xf32\n"
        "  %b = dense(%q, %k) : 3x3xf32\n  %o = constant() data=[0.000001] : f32\n"
        "  %e = add(%b, %o) : 3x3xf32\n  %l = log(%e) : 3x3xf32\n"
        "  %v = constant() data=[1, 2, -1] : 1x3xf32\n  %r = dense(%l, %v) : 3x1xf32\n"
        "  return %r\n}\n",
        &bench);
    quantize(*state, &bench);
    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++) {
        assert_string_equal(layer_named(&bench, floats[i])->reason, reason);
    }
    assert_true(layer_named(&bench, "x")->is_quantized);
    /* of values that are as large as each other */
    prepare(*state,
            "graph g(%0: 3x4xf32) {\n  %q = square(%0) : 3x4xf32\n"
            "  %o = constant() data=[1] : f32\n  %e = add(%q, %o) : 3x4xf32\n"
            "  %l = log(%e) : 3x4xf32\n  %v = constant() data=[1, 2, -1, 1] : 1x4xf32\n"
            "  %r = dense(%l, %v) : 3x1xf32\n  return %r\n}\n",
            &bench);
    quantize(*state, &bench);
    assert_true(layer_named(&bench, "e")->is_quantized);
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

/* One row of hundreds that is a hundredth of the others, as of a word that is not there: bytes of 1
 * over the roots would have no steps for those. It is in one sample of four alone. */
static void a_small_row_keeps_floats(void **state) {
    struct bench bench;
    prepare(*state,
            "graph g(%0: 1x8x4xf32) {\n"
            "  %l = constant() data=[1.9] : f32\n  %g = constant() data=[0.001] : f32\n"
            "  %o = constant() data=[1] : f32\n  %h = reduce_max(%0) axes=[1, 2] keep_dims=1 : "
            "1x1x1xf32\n  %c = compare(%h, %l) relation=\"less\" : 1x1x1xbool\n"
            "  %f = select(%c, %o, %g) : 1x1x1xf32\n  %x = mul(%0, %f) : 1x8x4xf32\n"
            "  %q = square(%x) : 1x8x4xf32\n  %v = mean(%q) axes=[2] keep_dims=1 : 1x8x1xf32\n"
            "  %s = sqrt(%v) : 1x8x1xf32\n  %i = divide(%o, %s) : 1x8x1xf32\n"
            "  %r = mul(%x, %i) : 1x8x4xf32\n  return %r\n}\n",
            &bench);
    quantize(*state, &bench);
    assert_string_equal(layer_named(&bench, "r")->reason, "its rows are of too different sizes");
}

/* The square of an RMSNorm is where holding ends: a product before it is the network's own. */
static void products_before_uneven_rows_are_bytes(void **state) {
    struct bench bench;
    prepare(
        *state,
        "graph g(%0: 3x4xf32) {\n"
        "  %f = constant() data=[1, 30, 1] : 3x1xf32\n  %y = mul(%0, %f) : 3x4xf32\n"
        "  %w = constant() data=[1, 0.5, -1, 0.25, -0.5, 1, 1, 2, 0.5, -1, 1, 0.5, 1, 1, -2, 1] "
        ": 4x4xf32\n  %x = dense(%y, %w) : 3x4xf32\n  %q = square(%x) : 3x4xf32\n"
        "  %v = mean(%q) axes=[1] keep_dims=1 : 3x1xf32\n  %o = constant() data=[1] : f32\n"
        "  %s = sqrt(%v) : 3x1xf32\n  %i = divide(%o, %s) : 3x1xf32\n"
        "  %r = mul(%x, %i) : 3x4xf32\n  return %r\n}\n",
        &bench);
    quantize(*state, &bench);
    assert_string_equal(layer_named(&bench, "r")->reason, "its rows are of too different sizes");
    assert_true(layer_named(&bench, "x")->is_quantized);
}

/* What is always 0 has the scale 1, and a difference with it one that the reference's arithmetic
 * does not reach: it is one of floats. */
static void fine_differences_are_floats(void **state) {
    static const char *const factors[] = {"0.01", "0.0000001"};
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
        struct bench bench;
        prepare(*state,
                weft_arena_print(*state,
                                 "graph g(%%0: 1x2x2x3xf32, %%1: 1x2x2x3xf32) {\n"
                                 "  %%c = constant() data=[0] : f32\n"
                                 "  %%f = constant() data=[%s] : f32\n"
                                 "  %%z = mul(%%1, %%c) : 1x2x2x3xf32\n"
                                 "  %%t = mul(%%0, %%f) : 1x2x2x3xf32\n"
                                 "  %%r = subtract(%%t, %%z) : 1x2x2x3xf32\n  return %%r\n}\n",
                                 factors[i]),
                &bench);
        quantize(*state, &bench);
        assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_SUBTRACT), i == 0);
        assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_SUBTRACT), i == 1);
        assert_true(ratio(&bench, 0) > 35);
    }
}

/* GroupNorm of three groups, of which one is `factor` times the others. */
static void prepare_groups(struct weft_arena *arena, const char *factor, struct bench *bench) {
    prepare(arena,
            weft_arena_print(arena,
                             "graph g(%%0: 1x4x4x6xf32) {\n"
                             "  %%f = constant() data=[1, 1, %s, %s, 1, 1] : 6xf32\n"
                             "  %%x = mul(%%0, %%f) : 1x4x4x6xf32\n"
                             "  %%g = constant() data=[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
                             "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] : 32xf32\n"
                             "  %%o = constant() data=[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
                             "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] : 32xf32\n"
                             "  %%a = transpose(%%x) permutation=[0, 3, 1, 2] : 1x6x4x4xf32\n"
                             "  %%b = reshape(%%a) : 1x3x32xf32\n"
                             "  %%c = layer_norm(%%b, %%g, %%o) epsilon=0.001 : 1x3x32xf32\n"
                             "  %%d = reshape(%%c) : 1x6x4x4xf32\n"
                             "  %%e = transpose(%%d) permutation=[0, 2, 3, 1] : 1x4x4x6xf32\n"
                             "  %%r = tanh(%%e) : 1x4x4x6xf32\n  return %%r\n}\n",
                             factor, factor),
            bench);
}

static void uneven_groups_stay_float(void **state) {
    struct bench bench;
    prepare_groups(*state, "2", &bench);
    quantize(*state, &bench);
    assert_int_equal(bench.quantized->kept_float, 0);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_DENSE), 4);
    assert_true(ratio(&bench, 0) > 25);
    prepare_groups(*state, "8", &bench);
    quantize(*state, &bench);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_DENSE), 0);
    assert_true(bench.quantized->kept_float > 0);
    assert_true(ratio(&bench, 0) > 25);
}

/* ---- at the end of the network ---- */

/* Boxes of hundreds of pixels and scores of at most 1, of one convolution each. */
#define DETECTOR(factor)                                                                           \
    "graph g(%0: 1x4x4x2xf32) {\n"                                                                 \
    "  %w1 = constant() data=[0.5, -0.25, 1.5, 0.75, -2, 0.125, 1, 1] : 4x1x1x2xf32\n"             \
    "  %w2 = constant() data=[1.5, -0.5, 0.5, 0.75, -1, 0.25, 1, -1] : 4x1x1x2xf32\n"              \
    "  %b = conv2d(%0, %w1) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1 : "       \
    "1x4x4x4xf32\n"                                                                                \
    "  %s = conv2d(%0, %w2) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1 : "       \
    "1x4x4x4xf32\n"                                                                                \
    "  %f = constant() data=[" factor "] : f32\n  %boxes = mul(%b, %f) : 1x4x4x4xf32\n"            \
    "  %scores = logistic(%s) : 1x4x4x4xf32\n"                                                     \
    "  %j = concatenate(%boxes, %scores) axis=3 : 1x4x4x8xf32\n"
#define SCORES(of, name)                                                                           \
    "  %" name " = strided_slice(%" of ") begin=[0, 0, 0, 4] steps=[1, 1, 1, 1] "                  \
    "sizes=[1, 4, 4, 4] : 1x4x4x4xf32\n"

static const char *reason_of(const struct bench *bench, const char *name) {
    return layer_named(bench, name)->reason;
}

/* What is joined of too different ranges on its way out is joined in floats, and moved in floats
 * from there on; its operands are bytes. */
static void uneven_ends_are_joined_in_floats(void **state) {
    static const char reason[] = "what it joins has too different ranges";
    struct bench bench;
    prepare(*state, DETECTOR("200") SCORES("j", "r") "  return %r, %j\n}\n", &bench);
    quantize(*state, &bench);
    assert_string_equal(reason_of(&bench, "j"), reason);
    assert_string_equal(reason_of(&bench, "r"), reason);
    assert_true(layer_named(&bench, "boxes")->is_quantized);
    assert_true(layer_named(&bench, "scores")->is_quantized);
    assert_true(ratio(&bench, 0) > 35);
    assert_true(ratio(&bench, 1) > 35);

    bench.options.integer_ends = true; /* bytes are wanted */
    quantize(*state, &bench);
    assert_true(layer_named(&bench, "j")->is_quantized);
    assert_int_equal(bench.quantized->graph->outputs[1]->type.dtype, WEFT_I8);

    /* Two such ends are joined again, on another axis. */
    prepare(*state,
            DETECTOR("200") "  %q = concatenate(%j, %j) axis=1 : 1x8x4x8xf32\n"
                            "  %p = softmax(%q) beta=1 : 1x8x4x8xf32\n  return %q, %p\n}\n",
            &bench);
    quantize(*state, &bench);
    assert_string_equal(reason_of(&bench, "q"), reason);
}

static void other_ends_are_joined_in_bytes(void **state) {
    static const char *const texts[] = {
        DETECTOR("0.5") "  return %j\n}\n",
        /* a product takes it */
        DETECTOR("200") SCORES("j", "t") "  %w3 = constant() data=[1, -1, 0.5, 0.25] : 1x4xf32\n"
                                         "  %u = reshape(%t) : 16x4xf32\n"
                                         "  %r = dense(%u, %w3) : 16x1xf32\n  return %r\n}\n",
        /* so does a function */
        DETECTOR("200") "  %r = tanh(%j) : 1x4x4x8xf32\n  return %j, %r\n}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct bench bench;
        prepare(*state, texts[i], &bench);
        quantize(*state, &bench);
        if (!layer_named(&bench, "j")->is_quantized) {
            fail_msg("%zu: %s", i, reason_of(&bench, "j"));
        }
    }
    struct bench bench; /* of the graph's inputs: nothing was bytes before */
    prepare(*state,
            "graph g(%0: 1x4xf32, %1: 1x4xf32) {\n  %z = constant() data=[0.001] : f32\n"
            "  %s = mul(%1, %z) : 1x4xf32\n  %t = add(%s, %s) : 1x4xf32\n"
            "  %j = concatenate(%0, %1) axis=1 : 1x8xf32\n  return %j, %t\n}\n",
            &bench);
    quantize(*state, &bench);
    assert_true(layer_named(&bench, "j")->is_quantized);
}

#define DECODER                                                                                    \
    "graph g(%0: 1x4x4x2xf32) {\n"                                                                 \
    "  %w = constant() data=[0.5, -0.25, 1.5, 0.75, -2, 0.125, 1, 1] : 4x1x1x2xf32\n"              \
    "  %c = conv2d(%0, %w) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1 : "        \
    "1x4x4x4xf32\n  %p = softmax(%c) beta=1 : 1x4x4x4xf32\n"

/* A detector's sum of positions, each times its share, and what becomes of that: few products, of
 * floats that the host has already. */
static void what_follows_the_host_stays_with_it(void **state) {
    static const char reason[] = "it lies between what has no quantised form and the end";
    struct bench bench;
    prepare(*state,
            DECODER "  %k = constant() data=[0, 1, 2, 3] : 1x1x1x4xf32\n"
                    "  %d = conv2d(%p, %k) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] "
                    "groups=1 : 1x4x4x1xf32\n"
                    "  %f = constant() data=[8] : f32\n  %m = mul(%d, %f) : 1x4x4x1xf32\n"
                    "  %j = concatenate(%m, %c) axis=3 : 1x4x4x5xf32\n  return %j\n}\n",
            &bench);
    quantize(*state, &bench);
    assert_string_equal(reason_of(&bench, "m"), reason);
    assert_string_equal(reason_of(&bench, "j"), reason);
    assert_true(layer_named(&bench, "c")->is_quantized);
    assert_int_equal(count_of(bench.quantized->graph, WEFT_OP_QNN_DEQUANTIZE), 1);
}

static void what_follows_the_host_may_be_the_machines(void **state) {
    struct bench bench;
    /* Sixteen products a number, and what they take. */
    prepare(*state, DECODER "  return %p\n}\n", &bench);
    bench.graph = graph_filled(
        *state, DECODER "  %m = mul(%p, %c) : 1x4x4x4xf32\n"
                        "  %u = reshape(%m) : 1x64xf32\n  %k = constant() data=$1024 : 16x64xf32\n"
                        "  %d = dense(%u, %k) : 1x16xf32\n  return %d\n}\n");
    bench.inputs.graph = bench.graph;
    quantize(*state, &bench);
    assert_true(layer_named(&bench, "m")->is_quantized);
    assert_true(layer_named(&bench, "d")->is_quantized);
    /* Floats in front of all products: they are brought to bytes for these. */
    prepare(*state,
            "graph g(%0: 1x4xf32) {\n  %p = softmax(%0) beta=1 : 1x4xf32\n"
            "  %k = constant() data=[1, -1, 0.5, 2] : 1x4xf32\n"
            "  %d = dense(%p, %k) : 1x1xf32\n  return %d\n}\n",
            &bench);
    quantize(*state, &bench);
    assert_true(layer_named(&bench, "d")->is_quantized);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(what_is_no_known_mask_is_not_clipped),
        ARENA_TEST(small_shares_stay_float),
        ARENA_TEST(logarithms_of_wide_ranges_stay_float),
        ARENA_TEST(uneven_rows_stay_float),
        ARENA_TEST(a_small_row_keeps_floats),
        ARENA_TEST(products_before_uneven_rows_are_bytes),
        ARENA_TEST(fine_differences_are_floats),
        ARENA_TEST(uneven_groups_stay_float),
        ARENA_TEST(uneven_ends_are_joined_in_floats),
        ARENA_TEST(other_ends_are_joined_in_bytes),
        ARENA_TEST(what_follows_the_host_stays_with_it),
        ARENA_TEST(what_follows_the_host_may_be_the_machines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
