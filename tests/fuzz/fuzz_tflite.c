/* TFLite models: read, and compiled when they are small enough to be quick. */
#include <stdlib.h>

#include "compiler/import/import.h"
#include "compiler/module.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    MOST_ELEMENTS = 1 << 16
};

static bool is_small(const struct weft_graph *graph) {
    int64_t elements = 0;
    for (size_t i = 0; i < graph->node_count; i++) {
        elements += weft_type_elements(&graph->nodes[i]->results[0]->type);
    }
    for (size_t i = 0; i < graph->input_count; i++) {
        elements += weft_type_elements(&graph->inputs[i]->type);
    }
    return elements <= MOST_ELEMENTS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct weft_error error;
    struct weft_config config;
    struct weft_graph *graph = NULL;
    struct weft_module *module = NULL;
    struct weft_arena arena = {.limit = (size_t)1 << 28};
    volatile bool small = false;
    if (setjmp(arena.on_failure) == 0 &&
        weft_import_tflite(&arena, data, size, NULL, &graph, &error)) {
        small = is_small(graph);
    }
    weft_arena_free(&arena);
    const struct weft_compile_options options = {0};
    if (small && weft_config_find("small8", &config, &error)) {
        if (weft_compile(data, size, &config, &options, &module, &error)) {
            weft_module_free(module);
        } else if (error.code == WEFT_INTERNAL) {
            abort(); /* a bug of the compiler that the verifier caught */
        }
    }
    return 0;
}
