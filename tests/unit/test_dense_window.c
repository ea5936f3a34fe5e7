/* How rows of a window fill reduction steps together: compiler/plan/dense_window.c. */
#include <string.h>

#include "compiler/plan/region.h"
#include "tests/unit/modules.h"
#include "tests/unit/test.h"

static struct dense_window window_of(const struct weft_config *config, int64_t rows,
                                     int64_t columns, int64_t channels) {
    struct layer layer = {.kernel = {rows, columns}, .dilation = {1, 1}};
    layer.in.c = channels;
    return dense_window_of(config, &layer);
}

static void steps_are_as_many_as_taps_fill(void **state) {
    (void)state;
    struct weft_config config = config_named("ref16");
    assert_int_equal(window_of(&config, 3, 3, 3).steps, 2);
    assert_int_equal(window_of(&config, 5, 5, 3).steps, 5);
    assert_int_equal(window_of(&config, 7, 7, 3).steps, 10);
    assert_int_equal(window_of(&config, 7, 7, 4).steps, 13);
    /* Two short rows a step: a third would need a second end. */
    assert_int_equal(window_of(&config, 5, 5, 1).steps, 3);
    assert_int_equal(window_of(&config, 10, 4, 1).steps, 5);
}

static void some_windows_have_none(void **state) {
    (void)state;
    struct weft_config config = config_named("ref16");
    assert_int_equal(window_of(&config, 1, 3, 3).steps, 0);
    assert_int_equal(window_of(&config, 8, 3, 3).steps, 0);  /* more rows than the field holds */
    assert_int_equal(window_of(&config, 3, 16, 4).steps, 0); /* more bytes */
    struct layer layer = {.kernel = {3, 3}, .dilation = {2, 1}};
    layer.in.c = 3;
    assert_int_equal(dense_window_of(&config, &layer).steps, 0);
    config.dense_rows = 0;
    assert_int_equal(window_of(&config, 3, 3, 3).steps, 0);
}

static void pitches_put_rows_into_other_sub_banks(void **state) {
    (void)state;
    struct weft_config config = config_named("ref16");
    const struct dense_window window = window_of(&config, 3, 3, 3);
    for (int64_t least = 1; least < 400; least++) {
        int64_t pitch = dense_window_pitch(&config, &window, least);
        int64_t lines = (pitch - window.bytes) / config.block;
        assert_int_equal((pitch - window.bytes) % config.block, 0);
        assert_true(lines % 4 == 1 || lines % 4 == 2);
        assert_true(pitch >= least && pitch < least + 3 * (int64_t)config.block + 9);
    }
}

/* What a layer has made of few channels comes back from external memory as rows of bytes. */
static void operands_of_few_channels_are_packed(void **state) {
    static const char text[] =
        "graph main(%0: 1x24x26x16xi8{0.5, 3}) {\n"
        "  %w = constant() data=$32 : 2x1x1x16xi8{0.25, 0}\n"
        "  %p = qnn.conv2d(%0, %w) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1 : "
        "1x24x26x2xi32{0.125, 0}\n"
        "  %a = qnn.requantize(%p) rounding=\"gemmlowp\" : 1x24x26x2xi8{2, 3}\n"
        "  %v = constant() data=$1568 : 16x7x7x2xi8{0.25, 0}\n"
        "  %q = qnn.conv2d(%a, %v) strides=[1, 1] padding=[3, 3, 2, 4] dilation=[1, 1] groups=1 : "
        "1x23x27x16xi32{0.5, 0}\n"
        "  %r = qnn.requantize(%q) rounding=\"gemmlowp\" : 1x23x27x16xi8{20, 0}\n"
        "  return %r, %a\n}\n";
    for (size_t i = 0; test_configs[i] != NULL; i++) {
        struct weft_error error = {0};
        struct weft_module *module = NULL;
        struct weft_graph *graph = graph_filled(*state, text);
        const void **inputs = random_inputs(graph, 3);
        void **expected = host_outputs(graph, inputs);
        void **got = output_room(graph);
        ASSERT_GOOD(module_of(graph, test_configs[i], &module, &error), error);
        ASSERT_GOOD(module_run(module, "cycle", inputs, got, &error), error);
        for (size_t k = 0; k < 2; k++) {
            assert_memory_equal(got[k], expected[k], weft_type_bytes(&graph->outputs[k]->type));
        }
        if (strcmp(test_configs[i], "ref16") == 0) {
            assert_in_range(weft_module_cycles(module), 1, 10000); /* a step for each tap: 30,429 */
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(operands_of_few_channels_are_packed),
        cmocka_unit_test(steps_are_as_many_as_taps_fill),
        cmocka_unit_test(some_windows_have_none),
        cmocka_unit_test(pitches_put_rows_into_other_sub_banks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
