/* compiler/import/onnx: each operator computes what the package onnx does (tests/onnx/examples,
 * made by make_examples.py), from the bytes of a model to a session. */
#include "tests/unit/graphs.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* Folders with model.onnx, input_K.npy and output_K.npy. */
static const char *const names[] = {
    "attention",  "convolutions", "functions", "groups",    "indices",          "integers",
    "lengths",    "loops",        "microsoft", "moves",     "normalisations",   "operands",
    "places",     "pools",        "products",  "quantised", "rectified",        "recurrent",
    "reductions", "scopes",       "shapes",    "sizes",     "sums_of_products", "types",
    "volumes"};

static const char *path_of(const char *name, const char *file, size_t number) {
    static char path[1024];
    (void)snprintf(path, sizeof path, WEFT_SOURCE_DIR "/tests/onnx/examples/%s/%s_%zu.npy", name,
                   file, number);
    return path;
}

static struct weft_module *compile_example(const char *name, uint8_t **bytes) {
    const struct weft_compile_options options = {.model_name = name};
    struct weft_config config;
    struct weft_module *module = NULL;
    struct weft_error error;
    char path[1024];
    size_t length = 0;
    (void)snprintf(path, sizeof path, WEFT_SOURCE_DIR "/tests/onnx/examples/%s/model.onnx", name);
    ASSERT_GOOD(weft_config_find("ref16", &config, &error), error);
    ASSERT_GOOD(weft_file_read(path, bytes, &length, &error), error);
    ASSERT_GOOD(weft_compile(*bytes, length, &config, &options, &module, &error), error);
    return module;
}

/* Floats within a hundred thousandth, everything else byte for byte. */
static bool is_near(enum weft_dtype dtype, const uint8_t *got, const uint8_t *expected) {
    double a = 0;
    double b = 0;
    if (dtype == WEFT_F32) {
        float numbers[2];
        memcpy(&numbers[0], got, sizeof numbers[0]);
        memcpy(&numbers[1], expected, sizeof numbers[1]);
        a = (double)numbers[0];
        b = (double)numbers[1];
    } else if (dtype == WEFT_F64) {
        memcpy(&a, got, sizeof a);
        memcpy(&b, expected, sizeof b);
    } else {
        return memcmp(got, expected, weft_dtype_bytes(dtype)) == 0;
    }
    return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-5 + 1e-5 * fabs(b);
}

/* The shape and type of the file are those of the output, or reading it fails. */
static void check_output(const char *name, size_t number, const struct weft_module *module,
                         const struct weft_session *session) {
    const struct weft_type *type = &module->graph->outputs[number]->type;
    size_t size = weft_dtype_bytes(type->dtype);
    struct weft_error error;
    const void *got = NULL;
    uint8_t *expected = NULL;
    size_t length = 0;
    ASSERT_GOOD(weft_session_output(session, number, &got, &length, &error), error);
    ASSERT_GOOD(npy_read(path_of(name, "output", number), type, &expected, &error), error);
    for (size_t i = 0; i < length; i += size) {
        if (!is_near(type->dtype, (const uint8_t *)got + i, expected + i)) {
            print_error("%s: element %zu of output %zu\n", name, i / size, number);
            fail();
        }
    }
    free(expected);
}

static void give_inputs(const char *name, const struct weft_module *module,
                        struct weft_session *session) {
    struct weft_error error;
    for (size_t i = 0; i < module->graph->input_count; i++) {
        const struct weft_type *type = &module->graph->inputs[i]->type;
        uint8_t *bytes = NULL;
        ASSERT_GOOD(npy_read(path_of(name, "input", i), type, &bytes, &error), error);
        ASSERT_GOOD(weft_session_set_input(session, i, bytes, weft_type_bytes(type), &error),
                    error);
        free(bytes);
    }
}

static void example_is_right(void **state) {
    const char *name = *state;
    const struct weft_session_options options = weft_session_defaults();
    uint8_t *bytes = NULL;
    struct weft_session *session = NULL;
    struct weft_error error;
    struct weft_module *module = compile_example(name, &bytes);
    ASSERT_GOOD(weft_session_open("func", module, &options, &session, &error), error);
    give_inputs(name, module, session);
    ASSERT_GOOD(weft_session_run(session, &error), error);
    for (size_t i = 0; i < module->graph->output_count; i++) {
        check_output(name, i, module, session);
    }
    assert_true(module->graph->output_count > 0);
    weft_session_close(session);
    weft_module_free(module);
    free(bytes);
}

/* Groups of a channel each would fill no lanes: those of an operator become one or two. */
static void groups_become_few(void **state) {
    uint8_t *bytes = NULL;
    struct weft_module *module = compile_example("groups", &bytes);
    (void)state;
    assert_int_equal(count_of(module->graph, WEFT_OP_CONV2D_TRANSPOSE),
                     6); /* 34 groups of a channel are 2 of 17, all others 1 */
    weft_module_free(module);
    free(bytes);
}

/* Every folder that is there is one of those above. */
static void all_examples_are_tried(void **state) {
    DIR *folder = opendir(WEFT_SOURCE_DIR "/tests/onnx/examples");
    size_t count = 0;
    (void)state;
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        count += entry->d_name[0] != '.';
    }
    (void)closedir(folder);
    assert_int_equal(count, sizeof names / sizeof names[0]);
}

int main(void) {
    enum {
        COUNT = sizeof names / sizeof names[0]
    };
    struct CMUnitTest tests[COUNT + 2] = {[COUNT] = cmocka_unit_test(all_examples_are_tried),
                                          [COUNT + 1] = cmocka_unit_test(groups_become_few)};
    for (size_t i = 0; i < COUNT; i++) {
        tests[i] = (struct CMUnitTest){.name = names[i],
                                       .test_func = example_is_right,
                                       .initial_state = (void *)(uintptr_t)names[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
