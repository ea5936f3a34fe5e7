/* Operators on constants alone become constants. */
#include "compiler/passes/passes.h"

#include "compiler/host/host.h"

enum {
    GROWTH = 8,           /* a result may have this many times the bytes of the operands, */
    SMALL_RESULT = 65536, /* or this many bytes */
};

/* Is everything that the node works on known, and its result of a bearable size? */
static bool can_fold(const struct weft_copy *copy, const struct weft_node *node) {
    size_t operands = 0;
    size_t results = 0;
    if (node->input_count == 0 || node->body != NULL) {
        return false;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (weft_value_data(weft_copy_value(copy, node->inputs[i])) == NULL) {
            return false;
        }
        operands += weft_type_bytes(&node->inputs[i]->type);
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        results += weft_type_bytes(&node->results[i]->type);
    }
    return results <= SMALL_RESULT || results / GROWTH <= operands;
}

/* Results of operators with a state are others in every run. */
static bool keeps_state(const struct weft_node *node) {
    struct weft_error error;
    size_t state = 0;
    return weft_host_state(node, &state, &error) && state > 0;
}

/* Computes the results; false when the host has no kernel for them. */
static bool fold(struct weft_copy *copy, const struct weft_node *node) {
    struct weft_arena *arena = copy->to->arena;
    struct weft_error error;
    const void **inputs = WEFT_NEW_ARRAY(arena, node->input_count, const void *);
    void **results = WEFT_NEW_ARRAY(arena, node->result_count, void *);
    for (uint32_t i = 0; i < node->input_count; i++) {
        inputs[i] = weft_value_data(weft_copy_value(copy, node->inputs[i]));
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        size_t length = weft_type_bytes(&node->results[i]->type);
        results[i] = weft_arena_allocate(arena, length + 1, 1);
    }
    if (!weft_host_run(node, inputs, results, &error)) {
        if (error.code == WEFT_OUT_OF_MEMORY) {
            longjmp(arena->on_failure, 1); /* not folding would be another program */
        }
        return false;
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        const struct weft_value *old = node->results[i];
        struct weft_value *value =
            weft_graph_add_constant(copy->to, &old->type, results[i], old->name, old->tensor);
        value->producer->source = node->source;
        weft_map_set(copy->values, old, value);
    }
    return true;
}

struct weft_graph *weft_pass_fold_constants(const struct weft_graph *graph) {
    struct weft_copy copy = weft_copy_start(graph);
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        if (!can_fold(&copy, node) || keeps_state(node) || !fold(&copy, node)) {
            weft_copy_node(&copy, node);
        }
    }
    return weft_copy_finish(&copy);
}
