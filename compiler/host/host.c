#include "compiler/host/host.h"

#include <string.h>

#include "compiler/host/kernels.h"

static bool (*const kernels[WEFT_OPERATORS])(const struct kernel_call *call) = {
    [WEFT_OP_QNN_CONV2D] = kernel_conv2d,
    [WEFT_OP_QNN_DENSE] = kernel_dense,
    [WEFT_OP_BIAS_ADD] = kernel_bias_add,
    [WEFT_OP_QNN_REQUANTIZE] = kernel_requantize,
    [WEFT_OP_CLIP] = kernel_clip,
    [WEFT_OP_QNN_ADD] = kernel_add,
    [WEFT_OP_AVG_POOL2D] = kernel_average_pool,
    [WEFT_OP_MAX_POOL2D] = kernel_maximum_pool,
    [WEFT_OP_PAD] = kernel_pad,
    [WEFT_OP_RESHAPE] = kernel_reshape,
    [WEFT_OP_QNN_SOFTMAX] = kernel_softmax,
};

bool kernel_unsupported(const struct kernel_call *call, const char *what) {
    return weft_fail(call->error, WEFT_OPERATOR, (uint64_t)call->node->source, "%s on the host: %s",
                     weft_operator_name(call->node->op), what);
}

bool weft_host_run(const struct weft_node *node, const void *const *inputs, void *const *results,
                   struct weft_error *error) {
    struct kernel_call call = {node, inputs, results, error};
    if (kernels[node->op] == NULL) {
        return kernel_unsupported(&call, "there is no kernel");
    }
    return kernels[node->op](&call);
}

static bool run_node(const struct weft_graph *graph, const struct weft_node *node,
                     struct weft_map *tensors, struct weft_error *error) {
    struct weft_arena *arena = graph->arena;
    const void **inputs = weft_arena_allocate(arena, node->input_count, sizeof *inputs);
    void **results = weft_arena_allocate(arena, node->result_count, sizeof *results);
    for (uint32_t i = 0; i < node->input_count; i++) {
        inputs[i] = weft_map_get(tensors, node->inputs[i]);
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        results[i] = node->op == WEFT_OP_CONSTANT
                         ? (void *)(uintptr_t)weft_value_data(node->results[i])
                         : weft_arena_allocate(arena, weft_type_bytes(&node->results[i]->type), 1);
        weft_map_set(tensors, node->results[i], results[i]);
    }
    if (node->op == WEFT_OP_CONSTANT) {
        return true;
    }
    return node->body != NULL ? weft_host_run_graph(node->body, inputs, results, error)
                              : weft_host_run(node, inputs, results, error);
}

bool weft_host_run_graph(const struct weft_graph *graph, const void *const *inputs,
                         void *const *outputs, struct weft_error *error) {
    struct weft_map *tensors = weft_map_new(graph->arena);
    for (size_t i = 0; i < graph->input_count; i++) {
        weft_map_set(tensors, graph->inputs[i], (void *)(uintptr_t)inputs[i]);
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        if (!run_node(graph, graph->nodes[i], tensors, error)) {
            return false;
        }
    }
    for (size_t i = 0; i < graph->output_count; i++) {
        memcpy(outputs[i], weft_map_get(tensors, graph->outputs[i]),
               weft_type_bytes(&graph->outputs[i]->type));
    }
    return true;
}
