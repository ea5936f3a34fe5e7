/* compiler/passes/scale_channels: lines of channels in floats between bytes, before and after, of
 * all bytes in every channel. */
#include "tests/unit/graphs.h"

#include <stdio.h>
#include <string.h>

#include "compiler/passes/passes.h"

enum {
    CHANNELS = 48,
    VALUES = 256
};

/* A number from 0 to 1. */
static double share(uint64_t *seed) {
    return (double)random_in(seed, 0, 1 << 20) / (1 << 20);
}

/* A constant of numbers from low to high, one for each channel; some are 0. */
static const char *constant(struct weft_arena *arena, uint64_t *seed, const char *name,
                            int channels, double low, double high) {
    const char *text = weft_arena_print(arena, "  %%%s = constant() data=[", name);
    for (int i = 0; i < channels; i++) {
        double number = random_once_in(seed, 20) ? 0 : low + (high - low) * share(seed);
        text = weft_arena_print(arena, "%s%s%.9g", text, i == 0 ? "" : ", ", number);
    }
    return weft_arena_print(arena, "%s] : %dxf32\n", text, channels);
}

/* Does it become what computes the same, without floats? Of all bytes in every channel. */
static bool goes(struct weft_arena *arena, const struct weft_graph *graph) {
    const struct weft_type *type = &graph->inputs[0]->type;
    const int64_t channels = type->dim[type->rank - 1];
    const size_t elements = (size_t)weft_type_elements(type);
    uint8_t *bytes = weft_arena_allocate(arena, elements, 1);
    const void *inputs[1] = {bytes};
    assert_int_equal(elements, VALUES * channels);
    for (size_t i = 0; i < elements; i++) {
        bytes[i] = (uint8_t)((int64_t)i / channels);
    }
    const struct weft_graph *made = weft_pass_remove_unused(weft_pass_scale_channels(graph));
    assert_memory_equal(host_outputs(graph, inputs)[0], host_outputs(made, inputs)[0], elements);
    return count_of(made, WEFT_OP_QNN_DEQUANTIZE) == 0;
}

/* The nodes between %x, of floats, and %y, in a shape of 256 x CHANNELS elements. */
static const struct weft_graph *between(struct weft_arena *arena, const char *shape,
                                        const char *from, const char *nodes, const char *to) {
    return graph_of(arena, weft_arena_print(arena,
                                            "graph g(%%0: %s%s) {\n"
                                            "  %%x = qnn.dequantize(%%0) : %sxf32\n%s"
                                            "  %%r = qnn.quantize(%%y) rounding=\"even\" : %s%s\n"
                                            "  return %%r\n}\n",
                                            shape, from, shape, nodes, shape, to));
}

/* Of a scale from `least` to 0.1 above, and any zero point. */
static const char *random_type(struct weft_arena *arena, uint64_t *seed, const char *type,
                               double least) {
    int64_t lowest = type[0] == 'i' ? -128 : 0;
    double scale = least + 0.1 * share(seed);
    return weft_arena_print(arena, "x%s{%.9g, %d}", type, scale,
                            (int)random_in(seed, lowest, lowest + 255));
}

static void normalisation_is_a_convolution(void **state) {
    static const char *const limits[] = {
        "  %%y = relu(%%b) : %sxf32\n",
        "  %%y = float.clip(%%b) low=-2 high=5 : %sxf32\n",
        "  %%y = negate(%%b) : %sxf32\n",
    };
    static const char *const shapes[] = {"256x48", "2x128x48", "1x16x16x48", "1x2x8x16x48"};
    uint64_t seed = 1;
    int count = random_share(60);
    int found = 0;
    for (int i = 0; i < count; i++) {
        struct weft_arena *arena = weft_arena_child(*state);
        const char *shape = shapes[i % 4];
        const char *type = random_once_in(&seed, 2) ? "i8" : "u8";
        const char *gain = constant(arena, &seed, "g", CHANNELS, -1.5, 3);
        const char *offset = constant(arena, &seed, "o", CHANNELS, -4, 4);
        const char *limit = weft_arena_print(arena, limits[i % 3], shape);
        const char *nodes = weft_arena_print(
            arena, "%s%s  %%a = mul(%%x, %%g) : %sxf32\n  %%b = add(%%a, %%o) : %sxf32\n%s", gain,
            offset, shape, shape, limit);
        const char *from = random_type(arena, &seed, type, 0.005);
        const char *to = random_type(arena, &seed, type, 0.01);
        found += goes(arena, between(arena, shape, from, nodes, to));
        weft_arena_free(arena);
    }
    assert_true(found >= count * 8 / 10);
}

/* Of 48 channels one is cut off where no line is; the largest number of a channel would need a
 * table for each. */
static void a_few_channels_are_looked_up(void **state) {
    static const struct {
        int cut;
        bool goes;
    } cases[] = {{0, true}, {1, true}, {4, true}, {5, false}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char limits[CHANNELS * 8] = "";
        for (int i = 0; i < CHANNELS; i++) {
            size_t length = strlen(limits);
            (void)snprintf(limits + length, sizeof limits - length, "%s%s", i == 0 ? "" : ", ",
                           i % 11 == 3 && i / 11 < cases[k].cut ? "1.25" : "-100");
        }
        const char *nodes = weft_arena_print(
            *state,
            "  %%l = constant() data=[%s] : 48xf32\n  %%y = maximum(%%x, %%l) : 256x48xf32\n",
            limits);
        const struct weft_graph *graph =
            between(*state, "256x48", "xi8{0.05, 3}", nodes, "xi8{0.043, -5}");
        assert_int_equal(goes(*state, graph), cases[k].goes);
        const struct weft_graph *made = weft_pass_remove_unused(weft_pass_scale_channels(graph));
        assert_int_equal(count_of(made, WEFT_OP_QNN_TABLE), cases[k].goes ? cases[k].cut : 0);
    }
}

/* More channels than are computed at once. */
static void many_channels_are_lines(void **state) {
    uint64_t seed = 5;
    const char *gain = constant(*state, &seed, "g", 150, 0.1, 1.6);
    const char *nodes = weft_arena_print(
        *state, "%s%s  %%a = mul(%%x, %%g) : 256x150xf32\n  %%y = add(%%a, %%o) : 256x150xf32\n",
        gain, constant(*state, &seed, "o", 150, -2, 2));
    assert_true(goes(*state, between(*state, "256x150", "xi8{0.05, 3}", nodes, "xi8{0.043, -5}")));
}

static void what_is_no_line_of_channels_stays(void **state) {
    static const char *const nodes[] = {
        /* no channels: make-tables has it */
        "  %c = constant() data=[1.5] : f32\n  %y = mul(%x, %c) : 2x3xf32\n",
        /* one number for each row */
        "  %c = constant() data=[1.5, 2] : 2x1xf32\n  %y = mul(%x, %c) : 2x3xf32\n",
        /* one for each element */
        "  %c = constant() data=[1, 2, 3, 4, 5, 6] : 2x3xf32\n  %y = mul(%x, %c) : 2x3xf32\n",
        /* two tensors */
        "  %c = constant() data=[1, 2, 3] : 3xf32\n  %d = mul(%x, %c) : 2x3xf32\n"
        "  %e = qnn.dequantize(%1) : 2x3xf32\n  %y = add(%d, %e) : 2x3xf32\n",
        /* not element by element */
        "  %c = constant() data=[1, 2, 3] : 3xf32\n  %d = mul(%x, %c) : 2x3xf32\n"
        "  %y = softmax(%d) beta=1 : 2x3xf32\n",
    };
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        assert_stays(*state, weft_pass_scale_channels,
                     weft_arena_print(*state,
                                      "graph g(%%0: 2x3xi8{0.5, 3}, %%1: 2x3xi8{0.25, 3}) {\n"
                                      "  %%x = qnn.dequantize(%%0) : 2x3xf32\n%s"
                                      "  %%r = qnn.quantize(%%y) rounding=\"even\" : "
                                      "2x3xi8{0.25, -5}\n  return %%r\n}\n",
                                      nodes[i]));
    }
}

/* Scales that no int32 has, and results that are no numbers. */
static void what_has_no_scale_stays(void **state) {
    static const char *const constants[] = {"[1e38, 1e38, 1e38]", "[1e-38, 1, 1e38]", "[0, 0, 0]"};
    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++) {
        const struct weft_graph *graph =
            graph_of(*state, weft_arena_print(*state,
                                              "graph g(%%0: 85x3xi8{1e30, 3}) {\n"
                                              "  %%x = qnn.dequantize(%%0) : 85x3xf32\n"
                                              "  %%c = constant() data=%s : 3xf32\n"
                                              "  %%a = mul(%%x, %%c) : 85x3xf32\n"
                                              "  %%y = add(%%a, %%c) : 85x3xf32\n"
                                              "  %%r = qnn.quantize(%%y) rounding=\"even\" : "
                                              "85x3xi8{1e-30, -5}\n  return %%r\n}\n",
                                              constants[i]));
        assert_same_results(graph, weft_pass_scale_channels(graph));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(normalisation_is_a_convolution), ARENA_TEST(many_channels_are_lines),
        ARENA_TEST(a_few_channels_are_looked_up),   ARENA_TEST(what_is_no_line_of_channels_stays),
        ARENA_TEST(what_has_no_scale_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
