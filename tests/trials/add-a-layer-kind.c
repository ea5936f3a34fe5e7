/* docs/guides/add-a-layer-kind.md: a subtraction from zero is a layer that negates. */
#include "tests/unit/modules.h"

#include <string.h>

static void check(struct weft_arena *arena, const char *text, const char *name) {
    const struct weft_graph *graph = graph_of(arena, text);
    const void *const *inputs = random_inputs(graph, 7);
    void *const *expected = host_outputs(graph, inputs);
    for (size_t i = 0; test_configs[i] != NULL; i++) {
        struct weft_module *module = NULL;
        struct weft_error error;
        void **got = output_room(graph);
        ASSERT_GOOD(module_of(graph, test_configs[i], &module, &error), error);
        if (module->segment_count != 1) {
            print_error("%s", text_of(module->graph));
        }
        assert_int_equal(module->segment_count, 1);
        assert_string_equal(module->segments[0].layers[0].name, name);
        ASSERT_GOOD(module_run(module, "cycle", inputs, got, &error), error);
        assert_memory_equal(got[0], expected[0], weft_type_bytes(&graph->outputs[0]->type));
    }
}

static void zero_less_a_tensor_negates(void **state) {
    check(*state,
          "graph main(%x: 1x6x5x19xi8{0.5, 3} #0) {\n"
          "  %zero = constant() data=[7] : i8{0.25, 7}\n"
          "  %y = qnn.subtract(%zero, %x) : 1x6x5x19xi8{0.5, -9}\n"
          "  return %y\n"
          "}\n",
          "negate");
}

static void something_less_a_tensor_does_not(void **state) {
    check(*state,
          "graph main(%x: 1x6x5x16xi8{0.5, 3} #0) {\n"
          "  %one = constant() data=[8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8] : "
          "1x1x1x16xi8{0.25, 7}\n"
          "  %y = qnn.subtract(%one, %x) : 1x6x5x16xi8{0.5, -9}\n"
          "  return %y\n"
          "}\n",
          "subtract");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(zero_less_a_tensor_negates),
        ARENA_TEST(something_less_a_tensor_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
