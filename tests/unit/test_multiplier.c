/* Depthwise products with a multiplier: each way of carrying them out computes what the host's
 * kernels do, and the search takes one that is no slower than the others. */
#include <string.h>

#include "base/text.h"
#include "compiler/plan/plan.h"
#include "compiler/schedule/schedule.h"
#include "tests/unit/modules.h"

/* What reads the result of the product. */
enum reader {
    READER_NONE,
    READER_CONV,  /* sums over channels */
    READER_TABLE, /* a function of one byte, and that after it */
    READER_POOL,  /* wants the channels in order */
    READER_BOTH   /* a convolution, and it is an output */
};

/* The operand has one image of rows x columns and so many times 8 channels. */
struct product {
    int rows, columns, eights, multiplier;
    int kernel[2], stride, dilation;
    enum reader reader;
};

static const struct product products[] = {
    {9, 11, 4, 2, {3, 3}, 1, 1, READER_NONE},  {12, 12, 4, 4, {3, 3}, 2, 1, READER_CONV},
    {8, 8, 4, 3, {3, 3}, 1, 1, READER_TABLE},  {7, 5, 8, 2, {5, 1}, 1, 2, READER_POOL},
    {40, 1, 4, 2, {9, 1}, 1, 1, READER_CONV},  {6, 6, 3, 5, {2, 3}, 1, 1, READER_CONV},
    {10, 10, 4, 2, {3, 3}, 3, 1, READER_BOTH}, {6, 50, 1, 9, {1, 7}, 1, 1, READER_NONE},
    {4, 4, 24, 2, {4, 4}, 1, 1, READER_TABLE},
};

/* ---- graphs ---- */

static void add_data(struct weft_text *out, int count, int seed) {
    for (int i = 0; i < count; i++) {
        weft_text_add(out, "%s%d", i == 0 ? "[" : ", ", (i + seed) * 37 % 251 - 125);
    }
    weft_text_add(out, "]");
}

/* Scales for each channel along an axis. */
static void add_scales(struct weft_text *out, int axis, int count, double scale) {
    weft_text_add(out, "{axis=%d; ", axis);
    for (int i = 0; i < count; i++) {
        weft_text_add(out, "%s%.17g, 0", i == 0 ? "" : "; ", scale * (1 + i % 5));
    }
    weft_text_add(out, "}");
}

static void add_convolution(struct weft_text *out, const char *operand, const int size[3]) {
    weft_text_add(out, "  %%v = constant() data=");
    add_data(out, 24 * size[2], 5);
    weft_text_add(out, " : 24x1x1x%dxi8{0.25, 0}\n", size[2]);
    weft_text_add(out,
                  "  %%s = qnn.conv2d(%%%s, %%v) strides=[1, 1] padding=[0, 0, 0, 0] "
                  "dilation=[1, 1] groups=1 : 1x%dx%dx24xi32{8, 0}\n"
                  "  %%t = qnn.requantize(%%s) rounding=\"gemmlowp\" : 1x%dx%dx24xi8{512, 1}\n",
                  operand, size[0], size[1], size[0], size[1]);
}

static void add_reader(struct weft_text *out, enum reader reader, const int size[3]) {
    const char *result = reader == READER_NONE ? "r" : reader == READER_POOL ? "m" : "t";
    if (reader == READER_POOL) {
        weft_text_add(out,
                      "  %%m = max_pool2d(%%r) kernel=[1, 1] strides=[1, 1] padding=[0, 0, 0, 0] "
                      ": 1x%dx%dx%dxi8{32, -3}\n",
                      size[0], size[1], size[2]);
    }
    if (reader == READER_TABLE) {
        weft_text_add(out, "  %%k = qnn.hard_swish(%%r) : 1x%dx%dx%dxi8{32, 5}\n", size[0], size[1],
                      size[2]);
    }
    if (reader == READER_CONV || reader == READER_BOTH || reader == READER_TABLE) {
        add_convolution(out, reader == READER_TABLE ? "k" : "r", size);
    }
    weft_text_add(out, "  return %%%s%s\n}\n", result, reader == READER_BOTH ? ", %r" : "");
}

static int outputs_of(const struct product *p, int i) {
    return ((i == 0 ? p->rows : p->columns) + p->stride - 1) / p->stride;
}

static struct weft_graph *graph_with(struct weft_arena *arena, const struct product *p) {
    struct weft_text text = {0};
    struct weft_error error;
    const int in = 8 * p->eights;
    const int size[3] = {outputs_of(p, 0), outputs_of(p, 1), in * p->multiplier};
    int pad[4];
    for (int i = 0; i < 2; i++) {
        int all = (size[i] - 1) * p->stride + (p->kernel[i] - 1) * p->dilation + 1 -
                  (i == 0 ? p->rows : p->columns);
        pad[i] = all > 0 ? all / 2 : 0;
        pad[2 + i] = all > 0 ? all - pad[i] : 0;
    }
    weft_text_add(&text,
                  "graph main(%%a: 1x%dx%dx%dxi8{0.5, 3}) {\n  %%w = constant() data=", p->rows,
                  p->columns, in);
    add_data(&text, size[2] * p->kernel[0] * p->kernel[1], 0);
    weft_text_add(&text, " : %dx%dx%dx1xi8", size[2], p->kernel[0], p->kernel[1]);
    add_scales(&text, 0, size[2], 0.25);
    weft_text_add(&text,
                  "\n  %%p = qnn.conv2d(%%a, %%w) strides=[%d, %d] padding=[%d, %d, %d, %d] "
                  "dilation=[%d, %d] groups=%d : 1x%dx%dx%dxi32",
                  p->stride, p->stride, pad[0], pad[1], pad[2], pad[3], p->dilation, p->dilation,
                  in, size[0], size[1], size[2]);
    add_scales(&text, 3, size[2], 0.125);
    weft_text_add(&text,
                  "\n  %%r = qnn.requantize(%%p) rounding=\"gemmlowp\" : 1x%dx%dx%dxi8{32, -3}\n",
                  size[0], size[1], size[2]);
    add_reader(&text, p->reader, size);
    ASSERT_GOOD(weft_text_finish(&text, &error), error);
    struct weft_graph *graph = graph_of(arena, text.bytes);
    weft_text_free(&text);
    return graph;
}

/* ---- ways ---- */

/* Makes a schedule of a region with its multiplier in one way; NULL: that way is not possible. */
static struct saved_schedule *schedule_in_way(struct weft_arena *arena,
                                              const struct weft_config *config,
                                              const struct weft_graph *body, int64_t way,
                                              struct region *region) {
    struct weft_error error = {0};
    struct region listed;
    struct decisions decisions;
    struct plan plan;
    const struct style style = {.behind = true, .chains = true};
    ASSERT_GOOD(region_read(arena, config, body, &listed, &error), error);
    struct division *divisions = WEFT_NEW_ARRAY(arena, (size_t)listed.layer_count, struct division);
    const struct region_form form = {.behind = true, .divisions = divisions};
    if (!can_multiply(config, &listed.layers[0], way)) {
        return NULL;
    }
    divisions[0].multiplied = way;
    region_create(arena, &listed, &form, region);
    ASSERT_GOOD(choose_decisions(arena, region, config, &style, NULL, &decisions, &plan, &error),
                error);
    return saved_schedule(arena, region, &decisions, 0);
}

static int count_layers(const struct region *region, const char *name) {
    int count = 0;
    for (int i = 0; i < region->layer_count; i++) {
        count += strcmp(region->layers[i].name, name) == 0 && !layer_is_idle(region, i);
    }
    return count;
}

/* Passes need whole blocks of channels; what reads any order takes theirs. */
static void assert_layers(const struct region *region, const struct product *p, int64_t way) {
    bool in_order = p->reader != READER_CONV && p->reader != READER_TABLE;
    assert_int_equal(count_layers(region, "depthwise_conv2d"), way != MULTIPLIED_DENSE);
    assert_int_equal(count_layers(region, "repeat"), way == MULTIPLIED_REPEATED);
    assert_int_equal(count_layers(region, "interleave"), way == MULTIPLIED_PASSES && in_order);
}

static void assert_host_results(const struct weft_graph *graph, const struct weft_module *module) {
    static const char *const targets[] = {"func", "cycle"};
    const void **inputs = random_inputs(graph, 1);
    void **expected = host_outputs(graph, inputs);
    struct weft_error error = {0};
    for (size_t i = 0; i < 2; i++) {
        void **got = output_room(graph);
        ASSERT_GOOD(module_run(module, targets[i], inputs, got, &error), error);
        for (size_t k = 0; k < graph->output_count; k++) {
            assert_memory_equal(got[k], expected[k], weft_type_bytes(&graph->outputs[k]->type));
        }
    }
}

static void every_way_computes_the_same(void **state) {
    struct weft_arena *arena = *state;
    int taken[MULTIPLIED_WAYS] = {0};
    for (size_t c = 0; test_configs[c] != NULL; c++) {
        for (size_t i = 0; i < sizeof products / sizeof products[0]; i++) {
            struct weft_graph *graph = graph_with(arena, &products[i]);
            struct weft_module *module = NULL;
            struct weft_error error = {0};
            ASSERT_GOOD(module_of(graph, test_configs[c], &module, &error), error);
            assert_int_equal(module->segment_count, 1);
            uint64_t fastest = module->segments[0].cycles;
            assert_host_results(graph, module);
            for (int64_t way = 0; way < MULTIPLIED_WAYS; way++) {
                const struct weft_graph *body = body_of(module);
                struct region region;
                const struct saved_schedule *use =
                    schedule_in_way(arena, &module->config, body, way, &region);
                if (use == NULL) {
                    continue;
                }
                ASSERT_GOOD(weft_schedule_region(arena, &module->config, body,
                                                 &(struct schedule_terms){.frames = 1, .effort = 1},
                                                 use, NULL, &module->segments[0], &error),
                            error);
                assert_layers(&region, &products[i], way);
                assert_host_results(graph, module);
                assert_true(fastest <= module->segments[0].cycles);
                taken[way]++;
            }
        }
    }
    assert_int_equal(taken[MULTIPLIED_DENSE], 27);
    assert_int_equal(taken[MULTIPLIED_REPEATED], 27);
    assert_int_equal(taken[MULTIPLIED_PASSES], 23);
}

/* One MATRIX makes all that blocks of the operand become, or an equal part of what one becomes. */
static void groups_are_whole_multiples(void **state) {
    struct weft_arena *arena = *state;
    struct weft_graph *graph = graph_with(arena, &products[1]);
    struct weft_module *module = NULL;
    struct weft_error error = {0};
    struct region region;
    ASSERT_GOOD(module_of(graph, "ref16", &module, &error), error);
    const struct weft_graph *body = body_of(module);
    struct saved_schedule *use =
        schedule_in_way(arena, &module->config, body, MULTIPLIED_PASSES, &region);
    assert_non_null(use);
    use->layers[0].cut.tile_blocks = 3; /* of 8, with a multiplier of 4 */
    use->layers[0].cut.stripe_groups = 3;
    assert_false(weft_schedule_region(arena, &module->config, body,
                                      &(struct schedule_terms){.frames = 1, .effort = 1}, use, NULL,
                                      &module->segments[0], &error));
    assert_int_equal(error.code, WEFT_DECISIONS);
    assert_non_null(strstr(error.message, "no whole multiple of the multiplier"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(every_way_computes_the_same),
        ARENA_TEST(groups_are_whole_multiples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
