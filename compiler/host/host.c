#include "compiler/host/host.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compiler/host/bind.h"

static bind_function *const functions[WEFT_OPERATORS] = {
#define WEFT_UNARY_FUNCTION(OPERATOR, name, kernel)            [WEFT_OP_##OPERATOR] = bind_##kernel,
#define WEFT_BINARY_FUNCTION(OPERATOR, name, kernel, FUNCTION) [WEFT_OP_##OPERATOR] = bind_##kernel,
#include "compiler/ir/functions.def"
    [WEFT_OP_QNN_CONV2D] = bind_qnn_conv2d,
    [WEFT_OP_QNN_CONV2D_TRANSPOSE] = bind_qnn_conv2d_transpose,
    [WEFT_OP_QNN_DENSE] = bind_qnn_dense,
    [WEFT_OP_QNN_BATCH_MATMUL] = bind_qnn_batch_matmul,
    [WEFT_OP_CONV2D] = bind_conv2d,
    [WEFT_OP_CONV2D_TRANSPOSE] = bind_conv2d_transpose,
    [WEFT_OP_DENSE] = bind_dense,
    [WEFT_OP_BATCH_MATMUL] = bind_batch_matmul,
    [WEFT_OP_HYBRID_CONV2D] = bind_hybrid_conv2d,
    [WEFT_OP_HYBRID_DENSE] = bind_hybrid_dense,
    [WEFT_OP_BIAS_ADD] = bind_bias_add,
    [WEFT_OP_QNN_QUANTIZE] = bind_quantize,
    [WEFT_OP_QNN_DEQUANTIZE] = bind_dequantize,
    [WEFT_OP_CAST] = bind_cast,
    [WEFT_OP_ADD] = bind_add,
    [WEFT_OP_SUBTRACT] = bind_subtract,
    [WEFT_OP_MUL] = bind_mul,
    [WEFT_OP_QNN_DIVIDE] = bind_qnn_divide,
    [WEFT_OP_QNN_SQUARED_DIFFERENCE] = bind_qnn_squared_difference,
    [WEFT_OP_QNN_PRELU] = bind_qnn_prelu,
    [WEFT_OP_DIVIDE] = bind_divide,
    [WEFT_OP_SQUARED_DIFFERENCE] = bind_squared_difference,
    [WEFT_OP_PRELU] = bind_prelu,
    [WEFT_OP_POWER] = bind_power,
    [WEFT_OP_FLOOR_DIVIDE] = bind_floor_divide,
    [WEFT_OP_FLOOR_MODULO] = bind_floor_modulo,
    [WEFT_OP_QNN_COMPARE] = bind_qnn_compare,
    [WEFT_OP_COMPARE] = bind_compare,
    [WEFT_OP_SELECT] = bind_select,
    [WEFT_OP_RELU] = bind_relu,
    [WEFT_OP_RELU6] = bind_relu6,
    [WEFT_OP_RELU_N1_TO_1] = bind_relu_n1_to_1,
    [WEFT_OP_LEAKY_RELU] = bind_leaky_relu,
    [WEFT_OP_HARD_SWISH] = bind_hard_swish,
    [WEFT_OP_LOGISTIC] = bind_logistic,
    [WEFT_OP_TANH] = bind_tanh,
    [WEFT_OP_ABS] = bind_abs,
    [WEFT_OP_NEGATE] = bind_negate,
    [WEFT_OP_SIGN] = bind_sign,
    [WEFT_OP_EXP] = bind_exp,
    [WEFT_OP_LOG] = bind_log,
    [WEFT_OP_SQRT] = bind_sqrt,
    [WEFT_OP_RSQRT] = bind_rsqrt,
    [WEFT_OP_SQUARE] = bind_square,
    [WEFT_OP_SIN] = bind_sin,
    [WEFT_OP_COS] = bind_cos,
    [WEFT_OP_CEIL] = bind_ceil,
    [WEFT_OP_FLOOR] = bind_floor,
    [WEFT_OP_ROUND] = bind_round,
    [WEFT_OP_ELU] = bind_elu,
    [WEFT_OP_GELU] = bind_gelu,
    [WEFT_OP_QNN_SOFTMAX] = bind_qnn_softmax,
    [WEFT_OP_QNN_LOG_SOFTMAX] = bind_qnn_log_softmax,
    [WEFT_OP_QNN_L2_NORMALIZE] = bind_qnn_l2_normalize,
    [WEFT_OP_SOFTMAX] = bind_softmax,
    [WEFT_OP_LOG_SOFTMAX] = bind_log_softmax,
    [WEFT_OP_L2_NORMALIZE] = bind_l2_normalize,
    [WEFT_OP_AVG_POOL2D] = bind_avg_pool2d,
    [WEFT_OP_MAX_POOL2D] = bind_max_pool2d,
    [WEFT_OP_QNN_MEAN] = bind_qnn_mean,
    [WEFT_OP_MEAN] = bind_mean,
    [WEFT_OP_REDUCE_MAX] = bind_reduce_max,
    [WEFT_OP_QNN_SUM] = bind_qnn_sum,
    [WEFT_OP_SUM] = bind_sum,
    [WEFT_OP_REDUCE_PROD] = bind_reduce_prod,
    [WEFT_OP_REDUCE_MIN] = bind_reduce_min,
    [WEFT_OP_CUMSUM] = bind_cumsum,
    [WEFT_OP_ARGMAX] = bind_argmax,
    [WEFT_OP_ARGMIN] = bind_argmin,
    [WEFT_OP_PAD] = bind_pad,
    [WEFT_OP_RESHAPE] = bind_reshape,
    [WEFT_OP_SQUEEZE] = bind_reshape,
    [WEFT_OP_EXPAND_DIMS] = bind_reshape,
    [WEFT_OP_TRANSPOSE] = bind_transpose,
    [WEFT_OP_CONCATENATE] = bind_concatenate,
    [WEFT_OP_PACK] = bind_concatenate,
    [WEFT_OP_QNN_CONCATENATE] = bind_qnn_concatenate,
    [WEFT_OP_SPLIT] = bind_split,
    [WEFT_OP_UNPACK] = bind_split,
    [WEFT_OP_STRIDED_SLICE] = bind_strided_slice,
    [WEFT_OP_GATHER] = bind_gather,
    [WEFT_OP_TILE] = bind_tile,
    [WEFT_OP_GATHER_ND] = bind_gather_nd,
    [WEFT_OP_SCATTER_ND] = bind_scatter_nd,
    [WEFT_OP_ONE_HOT] = bind_one_hot,
    [WEFT_OP_TOPK] = bind_topk,
    [WEFT_OP_QNN_LSTM] = bind_qnn_lstm,
    [WEFT_OP_LSTM] = bind_lstm,
    [WEFT_OP_HYBRID_LSTM] = bind_hybrid_lstm,
    [WEFT_OP_QNN_SVDF] = bind_qnn_svdf,
    [WEFT_OP_SVDF] = bind_svdf,
    [WEFT_OP_HYBRID_SVDF] = bind_hybrid_svdf,
    [WEFT_OP_DETECTION_POSTPROCESS] = bind_detection_postprocess,
    [WEFT_OP_RESIZE_NEAREST_NEIGHBOR] = bind_resize_nearest_neighbor,
    [WEFT_OP_RESIZE_BILINEAR] = bind_resize_bilinear,
};

/* ---- what fits in parameters ---- */

/* An empty tensor may have any other axes; those that would not fit are refused, too. */
static bool shape_fits(const struct weft_type *type) {
    int64_t elements = 1;
    bool fits = true;
    for (uint32_t i = 0; fits && i < type->rank; i++) {
        fits = type->dim[i] <= INT32_MAX;
        elements *= fits && type->dim[i] > 0 ? type->dim[i] : 1;
        fits = fits && elements <= INT32_MAX;
    }
    return fits;
}

static bool attribute_fits(const struct weft_attribute *attribute) {
    enum weft_attribute_kind kind = weft_attribute_kind(attribute->key);
    bool fits = true;
    if ((kind != WEFT_ATTRIBUTE_INT && kind != WEFT_ATTRIBUTE_INTS) ||
        attribute->key == WEFT_ATTR_min || attribute->key == WEFT_ATTR_max) {
        return true;
    }
    for (uint32_t i = 0; i < (kind == WEFT_ATTRIBUTE_INT ? 1 : attribute->count); i++) {
        fits = fits && attribute->ints[i] >= INT32_MIN && attribute->ints[i] <= INT32_MAX;
    }
    return fits;
}

static bool check_ranges(const struct bind *bind) {
    const struct weft_node *node = bind->node;
    for (uint32_t i = 0; i < node->input_count + node->result_count; i++) {
        const struct weft_value *value =
            i < node->input_count ? node->inputs[i] : node->results[i - node->input_count];
        if (!shape_fits(&value->type)) {
            return bind_unsupported(bind, "a shape of more than 31 bits");
        }
    }
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        if (!attribute_fits(&node->attributes[i])) {
            return bind_unsupported(bind, "an attribute of more than 32 bits");
        }
    }
    return true;
}

/* ---- binding ---- */

bool weft_host_bind(const struct weft_node *node, struct weft_host_binding *binding,
                    struct weft_error *error) {
    struct bind bind = {node, binding, error};
    if (functions[node->op] == NULL) {
        return bind_unsupported(&bind, "there is no kernel");
    }
    return check_ranges(&bind) && functions[node->op](&bind);
}

void weft_host_binding_free(struct weft_host_binding *binding) {
    free(binding->parameters);
    *binding = (struct weft_host_binding){0};
}

/* ---- running ---- */

/* The error of a kernel that found something in the elements. */
static bool explain(const struct weft_node *node, enum weft_kernel_status status,
                    struct weft_error *error) {
    switch (status) {
    case WEFT_KERNEL_OK:
        return true;
    case WEFT_KERNEL_INDEX:
        return weft_fail(error, WEFT_TENSOR, (uint64_t)node->source,
                         "operator %d (%s): an index is outside its axis", node->source,
                         weft_operator_name(node->op));
    default:
        return weft_fail(error, WEFT_OPERATOR, (uint64_t)node->source,
                         "%s on the host: the reference has no answer to these elements",
                         weft_operator_name(node->op));
    }
}

static const struct weft_kernel_entry *kernel_of(const struct weft_host_binding *binding) {
    return &weft_kernels[binding->kernel];
}

static size_t scratch_bytes(const struct weft_host_binding *binding) {
    const struct weft_kernel_entry *kernel = kernel_of(binding);
    return kernel->scratch == NULL ? 0 : kernel->scratch(binding->parameters);
}

static size_t state_bytes(const struct weft_host_binding *binding) {
    const struct weft_kernel_entry *kernel = kernel_of(binding);
    return kernel->state == NULL ? 0 : kernel->state(binding->parameters);
}

bool weft_host_memory(const struct weft_node *node, size_t *state, size_t *scratch,
                      struct weft_error *error) {
    struct weft_host_binding binding = {0};
    bool good = weft_host_bind(node, &binding, error);
    *state = good ? state_bytes(&binding) : 0;
    *scratch = good ? scratch_bytes(&binding) : 0;
    weft_host_binding_free(&binding);
    return good;
}

bool weft_host_reset(const struct weft_node *node, void *state, struct weft_error *error) {
    struct weft_host_binding binding = {0};
    bool good = weft_host_bind(node, &binding, error);
    if (good && kernel_of(&binding)->reset != NULL) {
        kernel_of(&binding)->reset(binding.parameters, state);
    }
    weft_host_binding_free(&binding);
    return good;
}

/* Memory that a kernel asks for; *memory is NULL where it asks for none. */
static bool allocate(size_t bytes, const char *what, void **memory, struct weft_error *error) {
    *memory = bytes == 0 ? NULL : weft_allocate(bytes, 1, what, error);
    return bytes == 0 || *memory != NULL;
}

static bool call(const struct weft_node *node, const struct weft_host_binding *binding,
                 const void *const *inputs, void *const *results, void *state,
                 struct weft_error *error) {
    void *scratch = NULL;
    if (!allocate(scratch_bytes(binding), "sums", &scratch, error)) {
        return false;
    }
    enum weft_kernel_status status =
        kernel_of(binding)->run(binding->parameters, inputs, results, state, scratch);
    free(scratch);
    return explain(node, status, error);
}

bool weft_host_continue(const struct weft_node *node, const void *const *inputs,
                        void *const *results, void *state, struct weft_error *error) {
    struct weft_host_binding binding = {0};
    bool good = weft_host_bind(node, &binding, error) &&
                call(node, &binding, inputs, results, state, error);
    weft_host_binding_free(&binding);
    return good;
}

bool weft_host_run(const struct weft_node *node, const void *const *inputs, void *const *results,
                   struct weft_error *error) {
    struct weft_host_binding binding = {0};
    void *state = NULL;
    bool good = weft_host_bind(node, &binding, error) &&
                allocate(state_bytes(&binding), "a state", &state, error);
    if (good && state != NULL) {
        kernel_of(&binding)->reset(binding.parameters, state);
    }
    good = good && call(node, &binding, inputs, results, state, error);
    free(state);
    weft_host_binding_free(&binding);
    return good;
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
