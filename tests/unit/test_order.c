/* The order of layers: another one than the model's is taken where it is faster, makes its program
 * again from a file, and computes the same; one that cannot be is refused with the reason. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compiler/schedule/saved.h"
#include "tests/unit/computes.h"
#include "tests/unit/modules.h"

#define OF(channels) " : 1x32x32x" #channels "xi8{1, -3}\n"

/* ---- a graph with a branch ---- */

static void add_data(struct weft_text *out, int count) {
    for (int i = 0; i < count; i++) {
        weft_text_add(out, "%s%d", i == 0 ? "[" : ", ", i * 37 % 251 - 125);
    }
    weft_text_add(out, "]");
}

/* A convolution of 3 x 3 pixels of 16 channels. */
static void add_convolution(struct weft_text *out, const char *from, const char *to) {
    weft_text_add(out, "  %%w%s = constant() data=", to);
    add_data(out, 16 * 3 * 3 * 16);
    weft_text_add(out,
                  " : 16x3x3x16xi8{0.25, 0}\n"
                  "  %%p%s = qnn.conv2d(%%%s, %%w%s) strides=[1, 1] padding=[1, 1, 1, 1] "
                  "dilation=[1, 1] groups=1 : 1x32x32x16xi32{0.25, 0}\n"
                  "  %%%s = qnn.requantize(%%p%s) rounding=\"gemmlowp\"" OF(16),
                  to, from, to, to, to);
}

/* Convolutions one after the other, and beside them pools, which VECTOR makes: listed last, MATRIX
 * has nothing to do meanwhile. */
static const struct weft_graph *branches(struct weft_arena *arena) {
    struct weft_text text = {0};
    struct weft_error error;
    weft_text_add(&text, "graph main(%%a: 1x32x32x16xi8{1, -3}) {\n");
    add_convolution(&text, "a", "b");
    add_convolution(&text, "b", "c");
    add_convolution(&text, "c", "d");
    weft_text_add(&text,
                  "  %%m = max_pool2d(%%a) kernel=[3, 3] strides=[1, 1] padding=[1, 1, 1, 1]" OF(
                      16) "  %%e = max_pool2d(%%d) kernel=[3, 3] strides=[1, 1] padding=[1, 1, 1, "
                          "1]" OF(16) "  %%s = qnn.add(%%e, %%m)" OF(16) "  return %%s\n}\n");
    ASSERT_GOOD(weft_text_finish(&text, &error), error);
    const struct weft_graph *graph = graph_of(arena, text.bytes);
    weft_text_free(&text);
    return graph;
}

/* ---- what tests share ---- */

/* The text with what its "order" is as another one. */
static struct weft_text with_order(const struct weft_text *text, const char *order) {
    struct weft_text other = {0};
    const char *at = strstr(text->bytes, "\"order\": [");
    assert_non_null(at);
    const char *end = strchr(at, ']');
    assert_non_null(end);
    weft_text_add(&other, "%.*s\"order\": [%s%s", (int)(at - text->bytes), text->bytes, order, end);
    return other;
}

/* ---- tests ---- */

/* The fewest cycles of what was tried in the order of the model. */
static int64_t fewest_as_listed(const struct saved_schedule *schedule) {
    int64_t fewest = INT64_MAX;
    for (size_t i = 0; i < schedule->try_count; i++) {
        const struct saved_try *try = &schedule->tries[i];
        bool counts = try->layer < 0 && try->cycles > 0 && try->cycles < fewest;
        fewest = counts && strstr(try->what, "in another order") == NULL ? try->cycles : fewest;
    }
    return fewest;
}

static void branches_are_put_in_a_faster_order(void **state) {
    const struct weft_graph *graph = branches(*state);
    struct weft_module *module = NULL;
    struct weft_error error = {0};
    ASSERT_GOOD(compile_with_decisions(graph, "ref16", NULL, &module, &error), error);
    const struct saved_schedule *schedule = module->segments[0].schedule;
    assert_int_equal(fewest_as_listed(schedule), 44232);
    assert_int_equal(module->segments[0].cycles, 37170);
    assert_int_equal(schedule->run_count, 4);
    assert_int_equal(schedule->runs[1].first, 3); /* a pool before the last convolution */
    assert_int_equal(schedule->runs[1].last, 3);
    assert_true(computes_on(graph, "ref16", 1));
    weft_module_free(module);
}

static void orders_come_back_from_a_file(void **state) {
    const struct weft_graph *graph = branches(*state);
    struct weft_module *module = NULL;
    struct weft_module *again = NULL;
    struct weft_error error = {0};
    ASSERT_GOOD(compile_with_decisions(graph, "ref16", NULL, &module, &error), error);
    struct weft_text text = decisions_of(module);
    ASSERT_GOOD(compile_with_decisions(graph, "ref16", &text, &again, &error), error);
    const struct weft_program *a = &module->segments[0].program;
    const struct weft_program *b = &again->segments[0].program;
    uint8_t *programs[2];
    ASSERT_GOOD(weft_program_encode(a, &programs[0], &error), error);
    ASSERT_GOOD(weft_program_encode(b, &programs[1], &error), error);
    assert_int_equal(a->count, b->count);
    assert_memory_equal(programs[0], programs[1], a->count * WEFT_INSTRUCTION_BYTES);
    assert_int_equal(again->segments[0].cycles, module->segments[0].cycles);
    assert_int_equal(again->segments[0].schedule->run_count, 4);
    free(programs[0]);
    free(programs[1]);
    weft_text_free(&text);
    weft_module_free(module);
    weft_module_free(again);
}

/* The graph is 6 layers as listed: three convolutions, two pools, and the addition of these. */
static const struct {
    const char *order, *words;
} refusals[] = {
    {"", "layer 2 is max_pool2d"}, /* the layers of the file have the other order */
    {"{\"first\": 0, \"last\": 4}", "\"order\" has 5 layers, the model 6"},
    {"{\"first\": 0, \"last\": 6}", "run 0 is of the layers 0 to 6"},
    {"{\"first\": -1, \"last\": 4}", "run 0 is of the layers -1 to 4"},
    {"{\"first\": 4, \"last\": 3}", "run 0 is of the layers 4 to 3"},
    {"{\"first\": 0, \"last\": 9223372036854775807}", "to 9223372036854775807"},
    {"{\"first\": -9223372036854775807, \"last\": 9223372036854775807}", "run 0 is of the layers"},
    {"{\"first\": 0, \"last\": 4}, {\"first\": 0, \"last\": 4}",
     "run 1 is of the layers 0 to 4, expected at most 1 more of 0 to 5"},
    {"{\"first\": 0, \"last\": 4}, {\"first\": 0, \"last\": 0}",
     "layer 0 (conv2d), as it is listed, is there twice, or before one that makes what it reads"},
    {"{\"first\": 3, \"last\": 5}, {\"first\": 0, \"last\": 2}", "layer 4 (max_pool2d), as it is"},
    {"{\"first\": 1, \"last\": 5}, {\"first\": 0, \"last\": 0}", "layer 1 (conv2d), as it is"},
    {"{\"first\": 0, \"last\": 3}, {\"first\": 5, \"last\": 5}, {\"first\": 4, \"last\": 4}",
     "layer 5 (add), as it is"},
    {"7", "expected '{'"},
};

static void orders_that_cannot_be_are_refused(void **state) {
    const struct weft_graph *graph = branches(*state);
    struct weft_module *module = NULL;
    struct weft_error error = {0};
    ASSERT_GOOD(compile_with_decisions(graph, "ref16", NULL, &module, &error), error);
    struct weft_text good = decisions_of(module);
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        struct weft_module *other = NULL;
        struct weft_text text = with_order(&good, refusals[i].order);
        assert_false(compile_with_decisions(graph, "ref16", &text, &other, &error));
        if (strstr(error.message, refusals[i].words) == NULL) {
            fail_msg("%s, expected \"%s\"", error.message, refusals[i].words);
        }
        assert_int_equal(error.code, WEFT_DECISIONS);
        weft_text_free(&text);
    }
    weft_text_free(&good);
    weft_module_free(module);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(branches_are_put_in_a_faster_order),
        ARENA_TEST(orders_come_back_from_a_file),
        ARENA_TEST(orders_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
