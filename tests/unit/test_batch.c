/* Regions of many images: carried out in groups where that is faster, for the same bytes. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/modules.h"

/* A network of `images` images whose tensors for all of them do not fit small8 together: the text
 * of its graph, in which @ stands for their number. */
static const char network[] =
    "graph main(%a: @x40x40x8xi8{0.5, 3}) {\n"
    "  %w = constant() data=$1152 : 16x3x3x8xi8{0.25, 0}\n"
    "  %b = qnn.conv2d(%a, %w) strides=[1, 1] padding=[1, 1, 1, 1] dilation=[1, 1] groups=1 "
    ": @x40x40x16xi32{0.125, 0}\n"
    "  %c = qnn.requantize(%b) rounding=\"gemmlowp\" : @x40x40x16xi8{16, 0}\n"
    "  %d = max_pool2d(%c) kernel=[2, 2] strides=[2, 2] padding=[0, 0, 0, 0] "
    ": @x20x20x16xi8{16, 0}\n"
    "  %e = qnn.mean(%d) axes=[1, 2] keep_dims=0 : @x16xi8{16, 0}\n"
    "  %v = constant() data=$160 : 10x16xi8{0.5, 0}\n"
    "  %f = qnn.dense(%e, %v) : @x10xi32{8, 0}\n"
    "  %g = qnn.requantize(%f) rounding=\"single\" : @x10xi8{64, 0}\n"
    "  return %g\n"
    "}\n";

/* The network's text for so many images. */
static struct weft_graph *network_of(struct weft_arena *arena, int images) {
    struct weft_error error;
    struct weft_text text = {0};
    for (const char *from = network; *from != 0; from++) {
        weft_text_add(&text, *from == '@' ? "%d" : "%c", *from == '@' ? images : *from);
    }
    ASSERT_GOOD(weft_text_finish(&text, &error), error);
    struct weft_graph *graph = graph_filled(arena, text.bytes);
    weft_text_free(&text);
    return graph;
}

/* Compiles and runs it on both simulators against the host's kernels; returns its cycles. */
static uint64_t cycles_of(struct weft_arena *arena, const char *config, int images) {
    struct weft_graph *graph = network_of(arena, images);
    const void **inputs = random_inputs(graph, (uint64_t)images);
    void **expected = host_outputs(graph, inputs);
    struct weft_error error = {0};
    struct weft_module *module = NULL;
    ASSERT_GOOD(module_of(graph, config, &module, &error), error);
    assert_int_equal(module->segment_count, 1);
    static const char *const targets[] = {"func", "cycle"};
    for (size_t i = 0; i < 2; i++) {
        void **got = output_room(graph);
        ASSERT_GOOD(module_run(module, targets[i], inputs, got, &error), error);
        assert_memory_equal(got[0], expected[0], (size_t)images * 10);
    }
    return weft_module_cycles(module);
}

/* What fits for one image does for any number of them, one after the other. */
static void more_images_do_not_cost_more_each(void **state) {
    for (size_t i = 0; test_configs[i] != NULL; i++) {
        uint64_t one = cycles_of(*state, test_configs[i], 1);
        for (int images = 2; images <= 12; images += images == 3 ? 3 : 1) {
            uint64_t all = cycles_of(*state, test_configs[i], images);
            assert_true(all * 200 <= one * (uint64_t)images * 201);
        }
    }
}

/* ---- long programs ---- */

enum {
    LAYERS = 40 /* more than are counted for several groups of images */
};

/* A chain of products of `images` images. */
static struct weft_graph *chain_of(struct weft_arena *arena, int images) {
    char *text = weft_arena_allocate(arena, 1 << 15, 1);
    sprintf(text, "graph main(%%a0: %dx12x12x16xi8{0.5, 3}) {\n", images);
    for (int i = 0; i < LAYERS; i++) {
        sprintf(text + strlen(text),
                "  %%w%d = constant() data=$256 : 16x1x1x16xi8{0.25, 0}\n"
                "  %%b%d = qnn.conv2d(%%a%d, %%w%d) strides=[1, 1] padding=[0, 0, 0, 0] "
                "dilation=[1, 1] groups=1 : %dx12x12x16xi32{0.125, 0}\n"
                "  %%a%d = qnn.requantize(%%b%d) rounding=\"gemmlowp\" : %dx12x12x16xi8{0.5, 3}\n",
                i, i, i, i, images, i + 1, i, images);
    }
    sprintf(text + strlen(text), "  return %%a%d\n}\n", LAYERS);
    return graph_filled(arena, text);
}

/* One group of images stands for all in the search, so what is found for some is found for more. */
static void twice_as_many_images_take_at_most_twice_as_long(void **state) {
    for (size_t i = 0; test_configs[i] != NULL; i++) {
        uint64_t before = 0;
        for (int images = 1; images <= 16; images *= 2) {
            struct weft_error error = {0};
            struct weft_module *module = NULL;
            struct weft_graph *graph = chain_of(*state, images);
            const void **inputs = random_inputs(graph, 3);
            void **expected = host_outputs(graph, inputs);
            void **got = output_room(graph);
            ASSERT_GOOD(module_of(graph, test_configs[i], &module, &error), error);
            ASSERT_GOOD(module_run(module, "cycle", inputs, got, &error), error);
            assert_memory_equal(got[0], expected[0], weft_type_bytes(&graph->outputs[0]->type));
            assert_true(before == 0 || weft_module_cycles(module) <= 2 * before);
            before = weft_module_cycles(module);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {ARENA_TEST(more_images_do_not_cost_more_each),
                                       ARENA_TEST(twice_as_many_images_take_at_most_twice_as_long)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
