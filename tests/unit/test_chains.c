/* Chains, windows that take over what picks their pixels, and what is made beside them: what the
 * files of compiler/plan and compiler/emit promise each other. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "compiler/emit/stream.h"
#include "tests/unit/computes.h"
#include "tests/unit/folder.h"
#include "tests/unit/modules.h"
#include "tests/unit/random_graphs.h"

/* ---- windows ---- */

/* The region that the graph becomes, undivided. */
static struct region region_of(struct weft_arena *arena, const struct weft_config *config,
                               const char *text) {
    struct weft_error error = {0};
    struct region listed;
    struct region region;
    struct weft_module *module = NULL;
    const struct region_form form = {.behind = true};
    const struct weft_graph *graph = graph_of(arena, text);
    ASSERT_GOOD(module_of(graph, config->name, &module, &error), error);
    const struct weft_graph *body = NULL;
    for (size_t i = 0; i < module->graph->node_count; i++) {
        const struct weft_node *node = module->graph->nodes[i];
        body = node->op == WEFT_OP_REGION ? node->body : body;
    }
    assert_non_null(body);
    ASSERT_GOOD(region_read(arena, config, body, &listed, &error), error);
    region_create(arena, &listed, &form, &region);
    return region;
}

/* The only layer that is any work. */
static const struct layer *only_layer(const struct region *region) {
    const struct layer *found = NULL;
    for (int i = 0; i < region->layer_count; i++) {
        if (!layer_is_idle(region, i)) {
            assert_null(found);
            found = &region->layers[i];
        }
    }
    assert_non_null(found);
    return found;
}

#define CONVOLUTION(operand, in)                                                                   \
    "  %w = constant() data=[1, 2, 3, 4] : 2x1x1x2xi8{0.25, 0}\n"                                  \
    "  %p = qnn.conv2d(" operand ", %w) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] "      \
    "groups=1 : 1x" in "x2xi32{0.125, 0}\n"                                                        \
    "  %r = qnn.requantize(%p) rounding=\"gemmlowp\" : 1x" in "x2xi8{1, -3}\n"

/* NASNet's factorised reduction: every second pixel, beginning with the second one. */
static void convolutions_take_over_what_picks_pixels(void **state) {
    const struct weft_config config = config_named("ref16");
    const struct region region = region_of(
        *state, &config,
        "graph main(%a: 1x7x8x2xi8{0.5, 3}) {\n"
        "  %b = pad(%a) pads=[0, 0, 0, 1, 0, 1, 0, 0] : 1x8x9x2xi8{0.5, 3}\n"
        "  %c = strided_slice(%b) begin=[0, 1, 1, 0] steps=[1, 1, 1, 1] sizes=[1, 7, 8, 2] : "
        "1x7x8x2xi8{0.5, 3}\n"
        "  %d = avg_pool2d(%c) kernel=[1, 1] strides=[2, 2] padding=[0, 0, 0, 0] : "
        "1x4x4x2xi8{0.5, 3}\n" CONVOLUTION("%d", "4x4") "  return %r\n}\n");
    const struct layer *layer = only_layer(&region);
    assert_int_equal(layer->kind, LAYER_CONV);
    assert_int_equal(layer->stride[0], 2);
    assert_int_equal(layer->stride[1], 2);
    assert_int_equal(layer->pad[TOP], -1);
    assert_int_equal(layer->pad[LEFT], -1);
    assert_int_equal(layer->pad[BOTTOM], 1); /* row 7 of 7 */
    assert_int_equal(layer->pad[RIGHT], 0);
    assert_int_equal(layer->in.h, 7);
    assert_int_equal(layer->in.w, 8);
}

/* What lies around a slice is inside what it was taken from. */
static void padding_stays_around_slices(void **state) {
    const struct weft_config config = config_named("ref16");
    const struct region region = region_of(
        *state, &config,
        "graph main(%a: 1x8x8x2xi8{0.5, 3}) {\n"
        "  %c = strided_slice(%a) begin=[0, 1, 1, 0] steps=[1, 1, 1, 1] sizes=[1, 6, 6, 2] : "
        "1x6x6x2xi8{0.5, 3}\n"
        "  %w = constant() data=[1, 2, 3, 4] : 2x1x1x2xi8{0.25, 0}\n"
        "  %p = qnn.conv2d(%c, %w) strides=[1, 1] padding=[1, 0, 0, 0] dilation=[1, 1] "
        "groups=1 : 1x7x6x2xi32{0.125, 0}\n"
        "  %r = qnn.requantize(%p) rounding=\"gemmlowp\" : 1x7x6x2xi8{1, -3}\n"
        "  return %r\n}\n");
    int layers = 0;
    for (int i = 0; i < region.layer_count; i++) {
        layers += !layer_is_idle(&region, i);
    }
    assert_int_equal(layers, 2);
}

/* Two pools over one pad see its zero points around what it surrounds. */
static void pools_take_over_a_pad_that_they_share(void **state) {
    const struct weft_config config = config_named("ref16");
    const struct region region =
        region_of(*state, &config,
                  "graph main(%a: 1x8x8x2xi8{0.5, 3}) {\n"
                  "  %b = pad(%a) pads=[0, 0, 1, 1, 1, 1, 0, 0] : 1x10x10x2xi8{0.5, 3}\n"
                  "  %c = max_pool2d(%b) kernel=[3, 3] strides=[2, 2] padding=[0, 0, 0, 0] : "
                  "1x4x4x2xi8{0.5, 3}\n"
                  "  %d = avg_pool2d(%b) kernel=[3, 3] strides=[2, 2] padding=[0, 0, 0, 0] : "
                  "1x4x4x2xi8{0.5, 3}\n"
                  "  return %c, %d\n}\n");
    int pools = 0;
    for (int i = 0; i < region.layer_count; i++) {
        if (!layer_is_idle(&region, i)) {
            assert_true(region.layers[i].pads_inside);
            assert_int_equal(region.layers[i].pad[TOP], 1);
            assert_int_equal(region.layers[i].pad[BOTTOM], 0);
            pools++;
        }
    }
    assert_int_equal(pools, 2);
    assert_int_equal(region.tensors[region.tensors_of[0][0]].halo[TOP], 1);
}

/* ---- streams ---- */

static void add_step(struct stream *stream, int layer) {
    const struct step step = {.layer = layer, .piece = NO_PIECE};
    stream_add(stream, &step);
}

/* A tile of the host is a MATRIX and what VECTOR does to it: guests come between the two. What has
 * no second half is followed by its guests, what is left of them comes at the end. */
static void guests_come_before_what_waits_for_the_tile(void **state) {
    struct stream host = {.arena = *state};
    struct stream guest = {.arena = *state};
    struct stream merged = {.arena = *state};
    add_step(&host, 1);
    stream_begin_half(&host);
    add_step(&host, 2);
    stream_end_part(&host);
    add_step(&host, 3);
    stream_end_part(&host);
    add_step(&host, 4);
    for (int layer = 11; layer < 14; layer++) {
        add_step(&guest, layer);
        stream_end_part(&guest);
    }
    stream_merge(&merged, &host, 1, &guest);
    const int expected[] = {1, 11, 2, 3, 12, 4, 13};
    assert_int_equal(merged.count, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < merged.count; i++) {
        assert_int_equal(merged.steps[i].layer, expected[i]);
    }
}

/* ---- little memories ---- */

/* Writes as many characters over others. */
static void replace(char *text, const char *old, const char *with) {
    char *at = strstr(text, old);
    assert_non_null(at);
    for (; *with != 0; with++) {
        *at++ = *with;
    }
}

/* The file of a configuration that is ref16 with an eighth of its ACT and WGT. */
static const char *little_machine(struct folder *folder) {
    struct weft_error error = {0};
    uint8_t *text = NULL;
    size_t length = 0;
    ASSERT_GOOD(weft_file_read(WEFT_SOURCE_DIR "/hw/configs/ref16.json", &text, &length, &error),
                error);
    replace((char *)text, "ref16", "tiny1");
    replace((char *)text, "262144", " 32768"); /* bytes of ACT */
    replace((char *)text, "131072", " 16384"); /* of WGT */
    const char *file = folder_write(folder, "little.json", text, length);
    free(text);
    return file;
}

/* Where memories are small, chains and what is added up behind them take many tiny steps: no more
 * than a program has room for. */
static void little_memories_take_steps_that_end(void **state) {
    static const struct random_limits limits = {90, 60, 2, 400000, 5, 5, 2, 2, false};
    struct folder folder = folder_new();
    const char *file = little_machine(&folder);
    for (uint64_t seed = 45; seed < 57; seed++) {
        assert_true(computes_on(random_layers(*state, &limits, seed), file, seed));
    }
    folder_free(&folder);
}

/* Appends a list of so many small weights. */
static void list_weights(struct weft_text *text, int count, int step) {
    for (int i = 0; i < count; i++) {
        weft_text_add(text, "%s%d", i == 0 ? "[" : ", ", i * step % 15 - 7);
    }
    weft_text_add(text, "]");
}

/* Rows that a stripe keeps for the next one are of the table behind a product, which goes further
 * than the product's own limits. */
static void kept_rows_keep_what_is_behind_a_product(void **state) {
    struct folder folder = folder_new();
    struct weft_text text = {0};
    struct weft_error error = {0};
    weft_text_add(&text, "graph main(%%x: 1x28x33x26xi8{0.0625, -29}) {\n  %%w = constant() data=");
    list_weights(&text, 26 * 3 * 3, 11);
    weft_text_add(&text,
                  " : 26x3x3x1xi8{0.125, 0}\n"
                  "  %%c = qnn.conv2d(%%x, %%w) strides=[1, 2] padding=[0, 0, 0, 0] dilation=[1, "
                  "1] groups=26 : "
                  "1x26x16x26xi32{0.0078125, 0}\n"
                  "  %%r = qnn.requantize(%%c) rounding=\"gemmlowp\" : 1x26x16x26xi8{0.125, -128}\n"
                  "  %%l = clip(%%r) min=0 max=35 : 1x26x16x26xi8{0.125, -128}\n"
                  "  %%t = qnn.relu(%%l) : 1x26x16x26xi8{0.109375, -52}\n"
                  "  %%v = constant() data=");
    list_weights(&text, 32 * 2 * 2 * 26, 7);
    weft_text_add(&text,
                  " : 32x2x2x26xi8{0.015625, 0}\n"
                  "  %%d = qnn.conv2d(%%t, %%v) strides=[1, 1] padding=[1, 10, 0, 13] dilation=[1, "
                  "1] groups=1 "
                  ": 1x26x38x32xi32{0.001708984375, 0}\n"
                  "  %%y = qnn.requantize(%%d) rounding=\"gemmlowp\" : 1x26x38x32xi8{0.25, -25}\n"
                  "  return %%y\n}\n");
    ASSERT_GOOD(weft_text_finish(&text, &error), error);
    assert_true(computes_on(graph_of(*state, text.bytes), little_machine(&folder), 1));
    weft_text_free(&text);
    folder_free(&folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(convolutions_take_over_what_picks_pixels),
        ARENA_TEST(padding_stays_around_slices),
        ARENA_TEST(pools_take_over_a_pad_that_they_share),
        ARENA_TEST(guests_come_before_what_waits_for_the_tile),
        ARENA_TEST(little_memories_take_steps_that_end),
        ARENA_TEST(kept_rows_keep_what_is_behind_a_product),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
