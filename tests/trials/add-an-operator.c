/* docs/guides/add-an-operator.md: a rectifier, on the host and on the machine. */
#include "tests/unit/modules.h"

static const char text[] = "graph main(%x: 1x2x2x3xi8{0.5, 3} #0) {\n"
                           "  %y = qnn.relu_0_to_1(%x) : 1x2x2x3xi8{0.125, -128}\n"
                           "  return %y\n"
                           "}\n";

static void the_host_computes_it(void **state) {
    static const int8_t x[12] = {3, 4, 2, 5, 1, 13, -7, 103, -97, 127, -128, 0};
    /* From 3 on four steps for each, at most 8. */
    static const int8_t expected[12] = {-128, -124, -128, -120, -128, -120,
                                        -128, -120, -128, -120, -128, -128};
    const struct weft_graph *graph = graph_of(*state, text);
    void *const *got = host_outputs(graph, (const void *[1]){x});
    assert_memory_equal(got[0], expected, sizeof expected);
}

static void the_machine_computes_the_same(void **state) {
    const struct weft_graph *graph = graph_of(*state, text);
    const void *const *inputs = random_inputs(graph, 7);
    void *const *expected = host_outputs(graph, inputs);
    for (size_t i = 0; test_configs[i] != NULL; i++) {
        struct weft_module *module = NULL;
        struct weft_error error;
        void **got = output_room(graph);
        ASSERT_GOOD(module_of(graph, test_configs[i], &module, &error), error);
        assert_int_equal(module->segment_count, 1);
        ASSERT_GOOD(module_run(module, "cycle", inputs, got, &error), error);
        assert_memory_equal(got[0], expected[0], 12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(the_host_computes_it),
        ARENA_TEST(the_machine_computes_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
