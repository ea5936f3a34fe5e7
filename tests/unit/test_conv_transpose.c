/* Transposed convolutions: phase by phase they compute what the host's kernel does, in fewer cycles
 * than with zeros between the rows and columns of their operand. */
#include <stdio.h>

#include "base/text.h"
#include "tests/unit/computes.h"
#include "tests/unit/modules.h"

/* One operand of images x rows x columns x channels, zero point 5. */
struct transposed {
    int images, rows, columns, channels, outputs;
    int kernel[2], stride[2];
    int padding[4]; /* top, left, bottom, right */
    int more[2];    /* rows and columns of the result below and right of the last window */
    bool in_chain;  /* between two other layers */
};

static const struct transposed cases[] = {
    {1, 7, 9, 8, 8, {2, 2}, {2, 2}, {0}, {0, 0}, false},
    {2, 5, 4, 20, 19, {3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}, false},
    {1, 6, 6, 16, 16, {4, 4}, {2, 2}, {1, 1, 1, 1}, {0, 0}, true},
    {1, 3, 8, 3, 2, {5, 3}, {3, 1}, {0, 2, 4, 0}, {2, 0}, false},
    {1, 1, 9, 8, 8, {4, 5}, {3, 4}, {3, 0, 0, 4}, {0, 3}, false}, /* one row: no phases of rows */
    {1, 4, 4, 8, 8, {3, 4}, {3, 4}, {2, 3, 1, 0}, {0, 0}, true},  /* a tap for each phase */
    /* The operand comes block by block: a bank holds no more weights. */
    {1, 5, 5, 300, 9, {4, 4}, {2, 2}, {1, 1, 1, 1}, {0, 0}, false},
    /* Stripes, and columns in parts on the smallest machine. */
    {1, 40, 90, 24, 12, {3, 3}, {2, 2}, {0, 0, 1, 1}, {0, 0}, true},
    {1, 2, 900, 16, 16, {2, 4}, {2, 4}, {0}, {0, 0}, false},
    /* Phases without taps: zeros between columns. */
    {1, 6, 5, 8, 8, {2, 1}, {2, 2}, {0}, {0, 1}, false},
};

static int rows_made(const struct transposed *t) {
    return (t->rows - 1) * t->stride[0] + t->kernel[0] - t->padding[0] - t->padding[2] + t->more[0];
}

static int columns_made(const struct transposed *t) {
    return (t->columns - 1) * t->stride[1] + t->kernel[1] - t->padding[1] - t->padding[3] +
           t->more[1];
}

/* [o] [kernel] [c], of o x c bytes for each tap. */
static void add_weights(struct weft_text *text, const char *name, const int shape[4]) {
    int count = shape[0] * shape[1] * shape[2] * shape[3];
    weft_text_add(text, "%%%s = constant() data=", name);
    for (int i = 0; i < count; i++) {
        weft_text_add(text, "%s%d", i == 0 ? "[" : ", ", i * 37 % 251 - 125);
    }
    weft_text_add(text, "] : %dx%dx%dx%dxi8{0.25, 0}\n", shape[0], shape[1], shape[2], shape[3]);
}

/* A convolution of one tap from channels to channels. */
static void add_conv(struct weft_text *text, const char *to, const char *from, const int shape[4]) {
    const int weights[4] = {shape[3], 1, 1, shape[3]};
    char name[16];
    (void)snprintf(name, sizeof name, "%sw", to);
    add_weights(text, name, weights);
    weft_text_add(text,
                  "%%%sa = qnn.conv2d(%%%s, %%%s) strides=[1, 1] padding=[0, 0, 0, 0] "
                  "dilation=[1, 1] groups=1 : %dx%dx%dx%dxi32{0.125, 0}\n"
                  "%%%s = qnn.requantize(%%%sa) rounding=\"gemmlowp\" : %dx%dx%dx%dxi8{0.5, 5}\n",
                  to, from, name, shape[0], shape[1], shape[2], shape[3], to, to, shape[0],
                  shape[1], shape[2], shape[3]);
}

static struct weft_graph *graph_for(struct weft_arena *arena, const struct transposed *t) {
    struct weft_text text = {0};
    struct weft_error error;
    const int in[4] = {t->images, t->rows, t->columns, t->channels};
    const int out[4] = {t->images, rows_made(t), columns_made(t), t->outputs};
    const int weights[4] = {t->outputs, t->kernel[0], t->kernel[1], t->channels};
    weft_text_add(&text, "graph g(%%x: %dx%dx%dx%dxi8{0.5, 5}) {\n", in[0], in[1], in[2], in[3]);
    add_weights(&text, "w", weights);
    if (t->in_chain) {
        add_conv(&text, "before", "x", in);
    }
    weft_text_add(&text,
                  "%%a = qnn.conv2d_transpose(%%%s, %%w) strides=[%d, %d] padding=[%d, %d, %d, %d] "
                  "output_padding=[%d, %d] : %dx%dx%dx%dxi32{0.125, 0}\n"
                  "%%y = qnn.requantize(%%a) rounding=\"gemmlowp\" : %dx%dx%dx%dxi8{0.5, 5}\n",
                  t->in_chain ? "before" : "x", t->stride[0], t->stride[1], t->padding[0],
                  t->padding[1], t->padding[2], t->padding[3], t->more[0], t->more[1], out[0],
                  out[1], out[2], out[3], out[0], out[1], out[2], out[3]);
    if (t->in_chain) {
        add_conv(&text, "after", "y", out);
    }
    weft_text_add(&text, "return %%%s }", t->in_chain ? "after" : "y");
    ASSERT_GOOD(weft_text_finish(&text, &error), error);
    struct weft_graph *graph = graph_of(arena, text.bytes);
    weft_text_free(&text);
    return graph;
}

static void phases_compute_what_the_host_does(void **state) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(computes(graph_for(*state, &cases[i]), i, NULL));
    }
}

static uint64_t cycles_on(const struct weft_graph *graph, const char *config) {
    struct weft_error error;
    struct weft_module *module = NULL;
    ASSERT_GOOD(module_of(graph, config, &module, &error), error);
    assert_int_equal(module->segment_count, 1);
    return weft_module_cycles(module);
}

/* Four taps for each result instead of sixteen. On a machine that subtracts no zero points of
 * activations there are no phases where they are not 0. */
static void phases_take_fewer_cycles(void **state) {
    static const struct transposed doubling = {1,      24,     24,           32,     32,
                                               {4, 4}, {2, 2}, {1, 1, 1, 1}, {0, 0}, false};
    const char *without = WEFT_SOURCE_DIR "/tests/unit/no_activation_zero16.json";
    const struct weft_graph *graph = graph_for(*state, &doubling);
    uint64_t by_phases = cycles_on(graph, "ref16");
    uint64_t spread = cycles_on(graph, without);
    assert_true(computes_on(graph, without, 1));
    assert_true(3 * by_phases < spread);
    /* Each of 2,304 results has 4 taps of 2 x 2 tiles: 36,864 passes' pixels. */
    assert_in_range(by_phases, 36864, 36864 * 11 / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(phases_compute_what_the_host_does),
        ARENA_TEST(phases_take_fewer_cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
