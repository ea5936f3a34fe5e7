/* Tensors whose channels came first: inputs of one channel are loaded as if they came last
 * (compiler/plan/make_region.c, dissolve.c), and signals are turned at their ends alone
 * (compiler/passes). */
#include <string.h>

#include "tests/unit/modules.h"

/* A window over a picture of one channel, in a type, with its channels first or last. */
#define WINDOW(type, quantization, shape, before)                                                  \
    "graph g(%0: " shape type quantization ") {\n" before                                          \
    "  %w = constant() data=$392 : 8x7x7x1xi8{0.001953125, 0}\n"                                   \
    "  %c = qnn.conv2d(%x, %w) strides=[1, 1] padding=[3, 3, 3, 3] dilation=[1, 1] groups=1 : "    \
    "1x24x20x8xi32{0.0009765625, 0}\n"                                                             \
    "  %r = qnn.requantize(%c) rounding=\"float\" : 1x24x20x8x" type quantization "\n"             \
    "  return %r\n}\n"
#define LAST                         "1x24x20x1x"
#define FIRST                        "1x1x24x20x"
#define RESHAPED(type, quantization) "  %x = reshape(%0) : 1x24x20x1x" type quantization "\n"
#define AS_IT_IS(type, quantization)                                                               \
    "  %x = pad(%0) pads=[0, 0, 0, 0, 0, 0, 0, 0] : 1x24x20x1x" type quantization "\n"

static int64_t cycles_of(struct weft_arena *arena, const char *text) {
    const struct weft_graph *graph = graph_filled(arena, text);
    struct weft_module *module = NULL;
    struct weft_error error;
    ASSERT_GOOD(module_of(graph, "ref16", &module, &error), error);
    assert_int_equal(module->segment_count, 1);
    const void **inputs = random_inputs(graph, 7);
    void **wanted = host_outputs(graph, inputs);
    void **outputs = output_room(graph);
    ASSERT_GOOD(module_run(module, "cycle", inputs, outputs, &error), error);
    assert_memory_equal(outputs[0], wanted[0], weft_type_bytes(&graph->outputs[0]->type));
    return (int64_t)module->segments[0].cycles;
}

/* Both take as many cycles, and far fewer than a reduction step for each tap would. */
static void channels_first_take_no_longer(void **state) {
    static const struct {
        const char *first, *last;
    } cases[] = {
        {WINDOW("i8", "{0.5, -3}", FIRST, RESHAPED("i8", "{0.5, -3}")),
         WINDOW("i8", "{0.5, -3}", LAST, AS_IT_IS("i8", "{0.5, -3}"))},
        {WINDOW("u8", "{0.5, 125}", FIRST, RESHAPED("u8", "{0.5, 125}")),
         WINDOW("u8", "{0.5, 125}", LAST, AS_IT_IS("u8", "{0.5, 125}"))},
    };
    const int64_t taps = 49;
    const int64_t pixels = 24 * 20;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t first = cycles_of(*state, cases[i].first);
        assert_int_equal(first, cycles_of(*state, cases[i].last));
        assert_true(first < taps * pixels / 4);
    }
}

/* A convolution along a signal [1, 16, 40], as ONNX's becomes one over rows and columns. */
#define ALONG(from, to)                                                                            \
    "  %a" to " = reshape(%" from ") : 1x16x1x40xi8{0.5, 0}\n"                                     \
    "  %t" to " = transpose(%a" to ") permutation=[0, 2, 3, 1] : 1x1x40x16xi8{0.5, 0}\n"           \
    "  %c" to " = qnn.conv2d(%t" to ", %w) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] "   \
    "groups=1 : 1x1x40x16xi32{0.00390625, 0}\n"                                                    \
    "  %q" to " = qnn.requantize(%c" to ") rounding=\"float\" : 1x1x40x16xi8{0.5, 0}\n"            \
    "  %b" to " = transpose(%q" to ") permutation=[0, 3, 1, 2] : 1x16x1x40xi8{0.5, 0}\n"           \
    "  %" to " = reshape(%b" to ") : 1x16x40xi8{0.5, 0}\n"

static void signals_are_turned_at_their_ends(void **state) {
    const struct weft_graph *graph = graph_filled(
        *state, "graph g(%0: 1x16x40xi8{0.5, 0}) {\n"
                "  %w = constant() data=$256 : 16x1x1x16xi8{0.0078125, 0}\n" ALONG("0", "x")
                    ALONG("x", "y") "  %s = qnn.add(%x, %y) : 1x16x40xi8{0.5, 0}\n" ALONG(
                        "s", "r") "  return %r\n}\n");
    struct weft_module *module = NULL;
    struct weft_error error;
    ASSERT_GOOD(compile_with_decisions(graph, "ref16", NULL, &module, &error), error);
    assert_int_equal(module->segment_count, 1);
    const void **inputs = random_inputs(graph, 9);
    void **wanted = host_outputs(graph, inputs);
    void **outputs = output_room(graph);
    ASSERT_GOOD(module_run(module, "cycle", inputs, outputs, &error), error);
    assert_memory_equal(outputs[0], wanted[0], weft_type_bytes(&graph->outputs[0]->type));
    weft_module_free(module);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(channels_first_take_no_longer),
        ARENA_TEST(signals_are_turned_at_their_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
