/* compiler/import: the table of TFLite's operators tells the truth. Every operator that it supports
 * has a small example (tests/differential/make_examples.py), which is compiled here. */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "compiler/import/operators.h"
#include "compiler/module.h"

/* usage: test_operators EXAMPLES; a folder for each operator, with model.tflite. */
static const char *examples;

static struct weft_module *compile_example(const char *name, uint8_t **bytes) {
    const struct weft_compile_options options = {.model_name = name, .keep_regions = true};
    struct weft_config config;
    struct weft_module *module = NULL;
    struct weft_error error;
    char path[1024];
    size_t length = 0;
    (void)snprintf(path, sizeof path, "%s/%s/model.tflite", examples, name);
    ASSERT_GOOD(weft_config_find("ref16", &config, &error), error);
    ASSERT_GOOD(weft_file_read(path, bytes, &length, &error), error);
    ASSERT_GOOD(weft_compile(*bytes, length, &config, &options, &module, &error), error);
    return module;
}

/* What an operator of the graph is for the host: any at all. */
static const char *first_left_to_host(const struct weft_module *module) {
    for (size_t i = 0; i < module->graph->node_count; i++) {
        if (weft_is_host_operator(module->graph->nodes[i])) {
            return weft_node_text(module->graph->nodes[i], WEFT_ATTR_reason);
        }
    }
    return NULL;
}

/* machine: nothing is left to the host; host: something is; when read: there is nothing to do. */
static bool is_in_its_place(const struct weft_tflite_operator *op) {
    uint8_t *bytes = NULL;
    struct weft_module *module = compile_example(op->name, &bytes);
    const char *reason = first_left_to_host(module);
    enum weft_place place = reason != NULL               ? WEFT_PLACE_HOST
                            : module->segment_count == 0 ? WEFT_PLACE_FOLDED
                                                         : WEFT_PLACE_MACHINE;
    if (place != op->place) {
        print_error("%s: the table says %s, the compiler %s (%s)\n", op->name,
                    weft_place_name(op->place), weft_place_name(place),
                    reason == NULL ? "no reason" : reason);
    }
    weft_module_free(module);
    free(bytes);
    return place == op->place;
}

static void places_are_where_examples_run(void **state) {
    size_t count = 0;
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; weft_tflite_operator_at(i) != NULL; i++) {
        const struct weft_tflite_operator *op = weft_tflite_operator_at(i);
        if (op->place != WEFT_PLACE_NONE) {
            wrong += !is_in_its_place(op);
            count++;
        }
    }
    assert_int_equal(wrong, 0);
    assert_true(count > 40);
}

static void the_table_is_in_order_and_complete(void **state) {
    (void)state;
    for (size_t i = 0; weft_tflite_operator_at(i) != NULL; i++) {
        const struct weft_tflite_operator *op = weft_tflite_operator_at(i);
        assert_ptr_equal(weft_tflite_find(op->code), op); /* each code once */
        assert_true((op->types != 0) == (op->place != WEFT_PLACE_NONE));
        assert_true(i == 0 || strcmp(weft_tflite_operator_at(i - 1)->name, op->name) < 0);
    }
    for (int32_t code = 0; code < 210; code++) {
        assert_non_null(weft_tflite_find(code));
    }
    assert_null(weft_tflite_find(210));
    assert_null(weft_tflite_find(-1));
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_in_order_and_complete),
        cmocka_unit_test(places_are_where_examples_run),
    };
    if (argc != 2) {
        fprintf(stderr, "usage: test_operators EXAMPLES\n");
        return 2;
    }
    examples = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
