/* The normalising passes, on graphs in text form: what they make is a good graph that computes the
 * same bytes on the host, where the host computes anything; but for the fusion of quantisation,
 * which gives graphs of ONNX their meaning, so the graph behind it is what the others keep. */
#include <stdlib.h>
#include <string.h>

#include "compiler/host/host.h"
#include "compiler/module.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    MOST_BYTES = 1 << 14, /* of a tensor, and of all that a kernel may multiply */
    MOST_NODES = 64,
};

static bool is_small_value(const struct weft_value *value) {
    int64_t elements = weft_type_elements(&value->type);
    return elements >= 0 && elements <= MOST_BYTES / 8;
}

/* Can every kernel run in a moment? */
static bool is_small(const struct weft_graph *graph) {
    bool small = graph->node_count <= MOST_NODES;
    for (size_t i = 0; small && i < graph->input_count; i++) {
        small = is_small_value(graph->inputs[i]);
    }
    for (size_t i = 0; small && i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        small = node->body == NULL;
        for (uint32_t k = 0; small && k < node->result_count; k++) {
            small = is_small_value(node->results[k]);
        }
    }
    return small;
}

static const void **make_inputs(const struct weft_graph *graph) {
    const void **inputs = WEFT_NEW_ARRAY(graph->arena, graph->input_count, const void *);
    uint64_t state = 1;
    for (size_t i = 0; i < graph->input_count; i++) {
        const struct weft_type *type = &graph->inputs[i]->type;
        size_t length = weft_type_bytes(type);
        uint8_t *bytes = weft_arena_allocate(graph->arena, length + 1, 1);
        for (size_t k = 0; k < length; k++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            bytes[k] = (uint8_t)(state >> (type->dtype == WEFT_BOOL ? 63 : 56));
        }
        inputs[i] = bytes;
    }
    return inputs;
}

/* The outputs, or NULL when a kernel refuses. */
static void **run(const struct weft_graph *graph, const void *const *inputs) {
    struct weft_error error;
    void **outputs = WEFT_NEW_ARRAY(graph->arena, graph->output_count, void *);
    for (size_t i = 0; i < graph->output_count; i++) {
        outputs[i] =
            weft_arena_allocate(graph->arena, weft_type_bytes(&graph->outputs[i]->type) + 1, 1);
    }
    return weft_host_run_graph(graph, inputs, outputs, &error) ? outputs : NULL;
}

static void compare(const struct weft_graph *graph, const struct weft_graph *normalised) {
    const void **inputs = make_inputs(graph);
    void **expected = run(graph, inputs);
    void **got = expected == NULL ? NULL : run(normalised, inputs);
    if (expected == NULL) {
        return;
    }
    for (size_t i = 0; i < graph->output_count; i++) {
        const struct weft_type *type = &graph->outputs[i]->type;
        if (got == NULL || !weft_type_equal(type, &normalised->outputs[i]->type) ||
            memcmp(got[i], expected[i], weft_type_bytes(type)) != 0) {
            abort();
        }
    }
}

/* Keeps the graph whose bytes the passes from there on must not change. */
static bool keep_meaning(void *context, const char *pass, const struct weft_graph *graph,
                         struct weft_error *error) {
    (void)error;
    if (strcmp(pass, "fuse-quantize") == 0) {
        *(const struct weft_graph **)context = graph;
    }
    return true;
}

static void normalise(struct weft_arena *arena, const uint8_t *data, size_t size,
                      struct weft_module **module) {
    struct weft_error error;
    struct weft_config config;
    struct weft_graph *graph = NULL;
    const struct weft_graph *meaning = NULL;
    const struct weft_compile_options options = {
        .host_only = true, .after_pass = keep_meaning, .context = (void *)&meaning};
    if (!weft_graph_parse(arena, (const char *)data, size, NULL, &graph, &error) ||
        !is_small(graph) || graph->output_count == 0 /* refused */ ||
        !weft_config_find("small8", &config, &error)) {
        return;
    }
    if (!weft_compile_graph(graph, &config, &options, module, &error)) {
        if (error.code != WEFT_OUT_OF_MEMORY) {
            abort();
        }
        return;
    }
    compare(meaning, (*module)->graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct weft_arena arena = {.limit = (size_t)1 << 28};
    struct weft_module *module = NULL;
    if (setjmp(arena.on_failure) == 0) {
        normalise(&arena, data, size, &module);
    }
    weft_module_free(module);
    weft_arena_free(&arena);
    return 0;
}
