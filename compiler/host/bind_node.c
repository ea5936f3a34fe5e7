#include "compiler/host/bind_node.h"

#include <stdlib.h>

#include "compiler/host/bind.h"

static bind_function *const functions[WEFT_OPERATORS] = {
#define WEFT_UNARY_FUNCTION(OPERATOR, name, kernel)            [WEFT_OP_##OPERATOR] = bind_##kernel,
#define WEFT_BINARY_FUNCTION(OPERATOR, name, kernel, FUNCTION) [WEFT_OP_##OPERATOR] = bind_##kernel,
#include "compiler/ir/functions.def"
#define WEFT_FLOAT_FUNCTION(OPERATOR, kernel)  [WEFT_OP_##OPERATOR] = bind_unary,
#define WEFT_NUMBER_FUNCTION(OPERATOR, kernel) [WEFT_OP_##OPERATOR] = bind_unary,
#define WEFT_PAIR_FUNCTION(OPERATOR, kernel)   [WEFT_OP_##OPERATOR] = bind_binary,
#include "compiler/host/elements.def"
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
    [WEFT_OP_QNN_DIVIDE] = bind_qnn_divide,
    [WEFT_OP_QNN_PRELU] = bind_qnn_prelu,
    [WEFT_OP_PRELU] = bind_prelu,
    [WEFT_OP_POWER] = bind_power,
    [WEFT_OP_QNN_COMPARE] = bind_qnn_compare,
    [WEFT_OP_COMPARE] = bind_compare,
    [WEFT_OP_SELECT] = bind_select,
    [WEFT_OP_FLOAT_CLIP] = bind_float_clip,
    [WEFT_OP_LEAKY_RELU] = bind_leaky_relu,
    [WEFT_OP_GELU] = bind_gelu,
    [WEFT_OP_QNN_SOFTMAX] = bind_qnn_softmax,
    [WEFT_OP_QNN_LOG_SOFTMAX] = bind_qnn_log_softmax,
    [WEFT_OP_QNN_L2_NORMALIZE] = bind_qnn_l2_normalize,
    [WEFT_OP_SOFTMAX] = bind_softmax,
    [WEFT_OP_LOG_SOFTMAX] = bind_log_softmax,
    [WEFT_OP_L2_NORMALIZE] = bind_l2_normalize,
    [WEFT_OP_LAYER_NORM] = bind_layer_norm,
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
    [WEFT_OP_SCATTER] = bind_scatter,
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
    [WEFT_OP_GRID_SAMPLE] = bind_grid_sample,
    [WEFT_OP_INTERPOLATE_AXIS] = bind_interpolate_axis,
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

/* Types of storage are moved and cast, and nothing else: no kernel knows their elements. */
static bool takes_storage(enum weft_operator op) {
    static const enum weft_operator takers[] = {
        WEFT_OP_CAST,   WEFT_OP_RESHAPE,   WEFT_OP_SQUEEZE,       WEFT_OP_EXPAND_DIMS,
        WEFT_OP_SPLIT,  WEFT_OP_TRANSPOSE, WEFT_OP_STRIDED_SLICE, WEFT_OP_CONCATENATE,
        WEFT_OP_PACK,   WEFT_OP_UNPACK,    WEFT_OP_GATHER,        WEFT_OP_GATHER_ND,
        WEFT_OP_SELECT, WEFT_OP_TILE,      WEFT_OP_PAD,
    };
    bool takes = false;
    for (size_t i = 0; i < sizeof takers / sizeof takers[0]; i++) {
        takes = takes || takers[i] == op;
    }
    return takes;
}

static bool check_types(const struct bind *bind) {
    const struct weft_node *node = bind->node;
    bool has_storage = false;
    for (uint32_t i = 0; i < node->input_count; i++) {
        has_storage = has_storage || weft_dtype_is_storage(node->inputs[i]->type.dtype);
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        has_storage = has_storage || weft_dtype_is_storage(node->results[i]->type.dtype);
    }
    return !has_storage || takes_storage(node->op) ||
           bind_unsupported(bind, "a type that is only cast and moved");
}

/* ---- binding ---- */

bool weft_host_bind(const struct weft_node *node, struct weft_host_binding *binding,
                    struct weft_error *error) {
    struct bind bind = {node, binding, error};
    if (functions[node->op] == NULL) {
        return bind_unsupported(&bind, "there is no kernel");
    }
    return check_ranges(&bind) && check_types(&bind) && functions[node->op](&bind);
}

void weft_host_binding_free(struct weft_host_binding *binding) {
    free(binding->parameters);
    *binding = (struct weft_host_binding){0};
}
