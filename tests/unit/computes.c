#include "tests/unit/computes.h"

#include <stdlib.h>

#include "tests/unit/modules.h"

/* The targets of this process. */
static const char *const simulators[] = {"func", "cycle", NULL};

static bool mismatch(const struct weft_graph *graph, const char *config, const char *what) {
    print_error("%s on %s:\n%s\n", what, config, text_of(graph));
    return false;
}

bool same_outputs(const struct weft_graph *graph, const char *config, const char *target,
                  void *const *expected, void *const *got) {
    for (size_t i = 0; i < graph->output_count; i++) {
        const int8_t *a = expected[i];
        const int8_t *b = got[i];
        for (size_t k = 0; k < weft_type_bytes(&graph->outputs[i]->type); k++) {
            if (a[k] != b[k]) {
                print_error("output %zu, byte %zu: expected %d, got %d\n", i, k, a[k], b[k]);
                return mismatch(graph, config, target);
            }
        }
    }
    return true;
}

/* As a .weft file and back, then run: nothing may be lost on the way. */
static bool file_computes(const struct weft_graph *graph, const char *config,
                          struct weft_module *module, const void *const *inputs,
                          void *const *expected) {
    struct weft_error error;
    struct weft_module *again = NULL;
    uint8_t *bytes = NULL;
    size_t length = 0;
    void **got = output_room(graph);
    bool good = weft_module_write(module, &bytes, &length, &error) &&
                weft_module_read(bytes, length, NULL, &again, &error) &&
                module_run(again, "func", inputs, got, &error);
    weft_module_free(again);
    free(bytes);
    return good ? same_outputs(graph, config, "a .weft file", expected, got)
                : mismatch(graph, config, error.message);
}

static bool config_computes(const struct weft_graph *graph, const char *config,
                            const void *const *inputs, void *const *expected) {
    struct weft_error error = {0};
    struct weft_module *module = NULL;
    if (!module_of(graph, config, &module, &error)) {
        return mismatch(graph, config, error.message);
    }
    for (size_t i = 0; simulators[i] != NULL; i++) {
        void **got = output_room(graph);
        if (!module_run(module, simulators[i], inputs, got, &error)) {
            return mismatch(graph, config, error.message);
        }
        if (!same_outputs(graph, config, simulators[i], expected, got)) {
            return false;
        }
    }
    return file_computes(graph, config, module, inputs, expected);
}

bool computes_on(const struct weft_graph *graph, const char *config, uint64_t seed) {
    const void **inputs = random_inputs(graph, seed);
    return config_computes(graph, config, inputs, host_outputs(graph, inputs));
}

bool module_computes(const struct weft_graph *graph, const char *config,
                     const struct weft_module *module, uint64_t seed) {
    const void *const *inputs = random_inputs(graph, seed);
    void *const *expected = host_outputs(graph, inputs);
    void **got = output_room(graph);
    struct weft_error error;
    return module_run(module, "cycle", inputs, got, &error)
               ? same_outputs(graph, config, "cycle", expected, got)
               : mismatch(graph, config, error.message);
}

bool computes(const struct weft_graph *graph, uint64_t seed, int *programs) {
    struct weft_error error;
    ASSERT_GOOD(weft_graph_verify(graph, &error), error);
    const void **inputs = random_inputs(graph, seed);
    void **expected = host_outputs(graph, inputs);
    bool good = true;
    for (size_t i = 0; test_configs[i] != NULL; i++) {
        good = config_computes(graph, test_configs[i], inputs, expected) && good;
        if (programs != NULL) {
            (*programs)++;
        }
    }
    return good;
}
