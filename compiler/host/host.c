#include "compiler/host/host.h"

#include <string.h>

#include "compiler/host/kernels.h"

static kernel *const kernels[WEFT_OPERATORS] = {
#define WEFT_UNARY_FUNCTION(OPERATOR, name, kernel) [WEFT_OP_##OPERATOR] = kernel_##kernel,
#define WEFT_BINARY_FUNCTION(OPERATOR, name, kernel, FUNCTION)                                     \
    [WEFT_OP_##OPERATOR] = kernel_##kernel,
#include "compiler/ir/functions.def"
    [WEFT_OP_QNN_CONV2D] = kernel_qnn_conv2d,
    [WEFT_OP_QNN_CONV2D_TRANSPOSE] = kernel_qnn_conv2d_transpose,
    [WEFT_OP_QNN_DENSE] = kernel_qnn_dense,
    [WEFT_OP_QNN_BATCH_MATMUL] = kernel_qnn_batch_matmul,
    [WEFT_OP_CONV2D] = kernel_conv2d,
    [WEFT_OP_CONV2D_TRANSPOSE] = kernel_conv2d_transpose,
    [WEFT_OP_DENSE] = kernel_dense,
    [WEFT_OP_BATCH_MATMUL] = kernel_batch_matmul,
    [WEFT_OP_BIAS_ADD] = kernel_bias_add,
    [WEFT_OP_QNN_QUANTIZE] = kernel_quantize,
    [WEFT_OP_QNN_DEQUANTIZE] = kernel_dequantize,
    [WEFT_OP_CAST] = kernel_cast,
    [WEFT_OP_ADD] = kernel_add,
    [WEFT_OP_SUBTRACT] = kernel_subtract,
    [WEFT_OP_MUL] = kernel_mul,
    [WEFT_OP_RELU] = kernel_relu,
    [WEFT_OP_RELU6] = kernel_relu6,
    [WEFT_OP_RELU_N1_TO_1] = kernel_relu_n1_to_1,
    [WEFT_OP_LEAKY_RELU] = kernel_leaky_relu,
    [WEFT_OP_HARD_SWISH] = kernel_hard_swish,
    [WEFT_OP_LOGISTIC] = kernel_logistic,
    [WEFT_OP_TANH] = kernel_tanh,
    [WEFT_OP_QNN_SOFTMAX] = kernel_qnn_softmax,
    [WEFT_OP_QNN_LOG_SOFTMAX] = kernel_qnn_log_softmax,
    [WEFT_OP_QNN_L2_NORMALIZE] = kernel_qnn_l2_normalize,
    [WEFT_OP_SOFTMAX] = kernel_softmax,
    [WEFT_OP_LOG_SOFTMAX] = kernel_log_softmax,
    [WEFT_OP_L2_NORMALIZE] = kernel_l2_normalize,
    [WEFT_OP_AVG_POOL2D] = kernel_average_pool,
    [WEFT_OP_MAX_POOL2D] = kernel_maximum_pool,
    [WEFT_OP_QNN_MEAN] = kernel_qnn_mean,
    [WEFT_OP_MEAN] = kernel_mean,
    [WEFT_OP_REDUCE_MAX] = kernel_reduce_max,
    [WEFT_OP_ARGMAX] = kernel_argmax,
    [WEFT_OP_PAD] = kernel_pad,
    [WEFT_OP_RESHAPE] = kernel_reshape,
    [WEFT_OP_SQUEEZE] = kernel_reshape,
    [WEFT_OP_EXPAND_DIMS] = kernel_reshape,
    [WEFT_OP_TRANSPOSE] = kernel_transpose,
    [WEFT_OP_CONCATENATE] = kernel_concatenate,
    [WEFT_OP_PACK] = kernel_concatenate,
    [WEFT_OP_QNN_CONCATENATE] = kernel_qnn_concatenate,
    [WEFT_OP_SPLIT] = kernel_split,
    [WEFT_OP_UNPACK] = kernel_split,
    [WEFT_OP_STRIDED_SLICE] = kernel_strided_slice,
    [WEFT_OP_GATHER] = kernel_gather,
    [WEFT_OP_RESIZE_NEAREST_NEIGHBOR] = kernel_resize_nearest,
    [WEFT_OP_RESIZE_BILINEAR] = kernel_resize_bilinear,
};

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

/* The type with 256 elements along its last axis. */
static void make_vector(struct weft_type *type) {
    type->rank = type->rank == 0 ? 1 : type->rank;
    for (uint32_t i = 0; i < type->rank; i++) {
        type->dim[i] = i + 1 == type->rank ? 256 : 1;
    }
}

bool weft_host_table(const struct weft_node *node, uint32_t input, int8_t table[256],
                     struct weft_error *error) {
    struct weft_value x = *node->inputs[input];
    struct weft_value y = *node->results[0];
    struct weft_value *inputs[1] = {&x};
    struct weft_value *results[1] = {&y};
    struct weft_node one = *node;
    uint8_t bytes[256];
    const void *in[1] = {bytes};
    void *out[1] = {table};
    make_vector(&x.type);
    make_vector(&y.type);
    one.inputs = inputs;
    one.results = results;
    one.input_count = 1;
    for (int i = 0; i < 256; i++) {
        bytes[i] = (uint8_t)i;
    }
    return weft_host_run(&one, in, out, error);
}
