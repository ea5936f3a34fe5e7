/* compiler/passes/divide_phases.c: transposed convolutions with large windows. */
#include <stdio.h>

#include "compiler/passes/passes.h"
#include "tests/unit/graphs.h"

/* A transposed convolution of i8, its rows and columns. */
struct shape {
    int n, c, o;
    int in[2], kernel[2], stride[2], before[2], after[2];
    bool has_bias, by_channel;
};

static int size_of(const struct shape *s, int i) {
    return (s->in[i] - 1) * s->stride[i] + s->kernel[i] - s->before[i] - s->after[i];
}

/* Constants of zero bytes, which the caller fills. */
static const char *text_of_shape(struct weft_arena *arena, const struct shape *s) {
    int h = size_of(s, 0);
    int w = size_of(s, 1);
    const char *scales = s->by_channel ? "axis=0; 0.5, 0; 0.25, 0" : "0.5, 0";
    const char *sums = s->by_channel ? "axis=3; 0.25, 0; 0.125, 0" : "0.25, 0";
    const char *bias = s->has_bias
                           ? weft_arena_print(arena,
                                              "  %%b = constant() data=[100, -2000] : 2xi32\n"
                                              "  %%s = bias_add(%%c, %%b) : %dx%dx%dx%dxi32{%s}\n",
                                              s->n, h, w, s->o, sums)
                           : "";
    return weft_arena_print(
        arena,
        "graph g(%%0: %dx%dx%dx%dxi8{0.5, -3}) {\n"
        "  %%w = constant() data=$%d : %dx%dx%dx%dxi8{%s}\n"
        "  %%c = qnn.conv2d_transpose(%%0, %%w) strides=[%d, %d] padding=[%d, %d, %d, %d] "
        "output_padding=[0, 0] : %dx%dx%dx%dxi32{%s}\n%s"
        "  %%r = qnn.requantize(%%%c) rounding=\"float\" : %dx%dx%dx%dxi8{64, 5}\n  return "
        "%%r\n}\n",
        s->n, s->in[0], s->in[1], s->c, s->o * s->kernel[0] * s->kernel[1] * s->c, s->o,
        s->kernel[0], s->kernel[1], s->c, scales, s->stride[0], s->stride[1], s->before[0],
        s->before[1], s->after[0], s->after[1], s->n, h, w, s->o, sums, bias,
        s->has_bias ? 's' : 'c', s->n, h, w, s->o);
}

/* Bytes stay, and the multiplications that the model asks for. */
static void assert_divided(struct weft_arena *arena, const struct shape *s) {
    const struct weft_graph *before = graph_filled(arena, text_of_shape(arena, s));
    const struct weft_graph *after = weft_pass_divide_phases(before);
    int64_t macs[2] = {0, 0};
    assert_int_equal(count_of(after, WEFT_OP_QNN_CONV2D_TRANSPOSE), 0);
    assert_int_equal(count_of(after, WEFT_OP_QNN_CONV2D), 1);
    assert_same_results(before, after);
    for (size_t i = 0; i < before->node_count; i++) {
        macs[0] += weft_node_model_macs(before->nodes[i]);
    }
    for (size_t i = 0; i < after->node_count; i++) {
        macs[1] += weft_node_model_macs(after->nodes[i]);
    }
    assert_int_equal(macs[0], macs[1]);
}

static void large_windows_are_convolutions(void **state) {
    static const struct shape shapes[] = {
        {1, 3, 2, {4, 5}, {16, 16}, {8, 8}, {4, 4}, {4, 4}, true, true},
        {2, 3, 2, {3, 2}, {9, 10}, {4, 3}, {0, 2}, {3, 0}, true, false},
        {1, 1, 2, {2, 7}, {70, 1}, {2, 1}, {5, 0}, {0, 0}, false, true},
        {1, 2, 2, {1, 1}, {9, 9}, {9, 9}, {0, 0}, {0, 0}, true, true},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        assert_divided(*state, &shapes[i]);
    }
}

static void random_windows_are_what_they_were(void **state) {
    uint64_t seed = 77;
    int divided = 0;
    for (int i = 0; i < random_share(150); i++) {
        struct weft_arena arena = {0};
        struct shape s = {.o = 2};
        s.n = (int)random_in(&seed, 1, 2);
        s.c = (int)random_in(&seed, 1, 4);
        s.has_bias = random_once_in(&seed, 2);
        s.by_channel = random_once_in(&seed, 2);
        for (int k = 0; k < 2; k++) {
            s.in[k] = (int)random_in(&seed, 1, 5);
            s.kernel[k] = (int)random_in(&seed, 9, 14);
            s.stride[k] = (int)random_in(&seed, 1, 9);
            s.before[k] = (int)random_in(&seed, 0, s.kernel[k] - 1);
            s.after[k] = (int)random_in(&seed, 0, s.kernel[k] - 1);
        }
        if (size_of(&s, 0) > 0 && size_of(&s, 1) > 0 && s.stride[0] * s.stride[1] > 1 &&
            setjmp(arena.on_failure) == 0) {
            const struct weft_graph *before = graph_filled(&arena, text_of_shape(&arena, &s));
            const struct weft_graph *after = weft_pass_divide_phases(before);
            divided += count_of(after, WEFT_OP_QNN_CONV2D) == 1;
            assert_same_results(before, after);
        }
        weft_arena_free(&arena);
    }
    (void)state;
    print_message("%d were divided\n", divided);
    assert_true(divided > 0);
}

/* A window of 64 taps; results that something else needs; weights that are not known. */
static void others_stay(void **state) {
    const struct shape small = {1, 3, 2, {4, 5}, {8, 8}, {4, 4}, {2, 2}, {2, 2}, true, true};
    const struct weft_graph *graph = graph_filled(*state, text_of_shape(*state, &small));
    assert_int_equal(count_of(weft_pass_divide_phases(graph), WEFT_OP_QNN_CONV2D_TRANSPOSE), 1);
    assert_stays(*state, weft_pass_divide_phases,
                 "graph g(%0: 1x2x2x1xi8{0.5, -3}, %1: 2x9x9x1xi8{0.5, 0}) {\n"
                 "  %c = qnn.conv2d_transpose(%0, %1) strides=[4, 4] padding=[0, 0, 0, 0] "
                 "output_padding=[0, 0] : 1x13x13x2xi32{0.25, 0}\n"
                 "  %r = qnn.requantize(%c) rounding=\"float\" : 1x13x13x2xi8{64, 5}\n"
                 "  return %r\n}\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(large_windows_are_convolutions),
        ARENA_TEST(random_windows_are_what_they_were),
        ARENA_TEST(others_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
