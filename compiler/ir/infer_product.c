/* Types of products: convolutions, matrix products, and the bias after them. */
#include <string.h>

#include "base/checked.h"
#include "compiler/ir/inference.h"

/* Scale of a product of x and w: for each output channel. uint8 models multiply the scales in
 * float32. */
static struct weft_quantization product_quantization(const struct inference *inference,
                                                     uint32_t axis, bool in_float) {
    const struct weft_type *x = inference_input(inference, 0);
    const struct weft_type *w = inference_input(inference, 1);
    uint32_t count = w->quantization.count;
    double *scale = WEFT_NEW_ARRAY(inference->arena, count, double);
    int32_t *zero = WEFT_NEW_ARRAY(inference->arena, count, int32_t);
    for (uint32_t i = 0; i < count; i++) {
        double product = x->quantization.scale[0] * w->quantization.scale[i];
        scale[i] = in_float ? (double)(float)product : product;
    }
    return (struct weft_quantization){.count = count, .axis = axis, .scale = scale, .zero = zero};
}

static bool is_quantized(const struct weft_type *type) {
    return type->quantization.count > 0 && (type->dtype == WEFT_I8 || type->dtype == WEFT_U8 ||
                                            type->dtype == WEFT_I16 || type->dtype == WEFT_I32);
}

static bool quantized_operands(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    const struct weft_type *w = inference_input(inference, 1);
    if (!is_quantized(x) || !is_quantized(w) || x->quantization.count != 1) {
        return inference_wrong_type(inference, "operands must be quantised, the first per tensor");
    }
    if (w->quantization.count > 1 && w->quantization.axis != 0) {
        return inference_wrong_type(inference, "weights must be quantised along their first axis");
    }
    return true;
}

static bool float_operands(const struct inference *inference) {
    return (inference_input(inference, 0)->dtype == WEFT_F32 &&
            inference_input(inference, 1)->dtype == WEFT_F32) ||
           inference_wrong_type(inference, "operands must be floats");
}

/* Gives a shape the element type and quantisation of a product; int16 may also give int64. */
static bool quantized_product(const struct inference *inference, struct weft_type shape) {
    const struct weft_type *x = inference_input(inference, 0);
    enum weft_dtype declared = inference_declared(inference, WEFT_I32).dtype;
    bool wide = x->dtype == WEFT_I16 && declared == WEFT_I64;
    const struct weft_attribute *uint8 = weft_node_attribute(inference->node, WEFT_ATTR_uint8);
    bool was_uint8 = x->dtype == WEFT_U8 || (uint8 != NULL && uint8->ints[0] != 0);
    bool in_float = was_uint8 || inference->node->op == WEFT_OP_QNN_BATCH_MATMUL;
    shape.dtype = wide ? WEFT_I64 : WEFT_I32;
    shape.quantization = product_quantization(inference, shape.rank - 1, in_float);
    inference->results[0] = shape;
    return true;
}

/* ---- convolutions ---- */

static bool conv2d_shape(const struct inference *inference, struct weft_type *shape) {
    const struct weft_node *node = inference->node;
    const struct weft_type *x = inference_input(inference, 0);
    const struct weft_type *w = inference_input(inference, 1);
    const int64_t *strides = weft_node_ints(node, WEFT_ATTR_strides);
    const int64_t *padding = weft_node_ints(node, WEFT_ATTR_padding);
    const int64_t *dilation = weft_node_ints(node, WEFT_ATTR_dilation);
    int64_t groups = weft_node_int(node, WEFT_ATTR_groups);
    if (x->rank != 4 || w->rank != 4) {
        return inference_wrong(inference, "operands must have 4 dimensions");
    }
    if (groups < 1 || x->dim[3] % groups != 0 || w->dim[0] % groups != 0 ||
        w->dim[3] != x->dim[3] / groups) {
        return inference_wrong(inference, "channels of input, weights and groups do not agree");
    }
    const int64_t dims[4] = {x->dim[0], 0, 0, w->dim[0]};
    *shape = weft_type_make(WEFT_F32, 4, dims);
    for (int i = 0; i < 2; i++) {
        if (!inference_window(x->dim[1 + i], padding[i], padding[2 + i], w->dim[1 + i], dilation[i],
                              strides[i], &shape->dim[1 + i])) {
            return inference_wrong(inference, "the kernel does not fit the padded input");
        }
    }
    return true;
}

bool infer_qnn_conv2d(const struct inference *inference) {
    struct weft_type shape;
    return quantized_operands(inference) && conv2d_shape(inference, &shape) &&
           quantized_product(inference, shape);
}

bool infer_conv2d(const struct inference *inference) {
    return float_operands(inference) && conv2d_shape(inference, &inference->results[0]);
}

/* (size - 1) * stride + kernel - before - after + extra, when it is positive and nothing overflows.
 */
static bool spread(int64_t size, int64_t before, int64_t after, int64_t extra, int64_t kernel,
                   int64_t stride, int64_t *out) {
    const int64_t limit = WEFT_MAX_ELEMENTS;
    bool sane = size >= 1 && before >= 0 && before <= limit && after >= 0 && after <= limit &&
                extra >= 0 && extra < stride && kernel >= 1 && stride >= 1 && stride <= limit;
    *out = sane ? (size - 1) * stride + kernel - before - after + extra : 0;
    return *out >= 1;
}

static bool conv2d_transpose_shape(const struct inference *inference, struct weft_type *shape) {
    const struct weft_node *node = inference->node;
    const struct weft_type *x = inference_input(inference, 0);
    const struct weft_type *w = inference_input(inference, 1);
    const int64_t *strides = weft_node_ints(node, WEFT_ATTR_strides);
    const int64_t *padding = weft_node_ints(node, WEFT_ATTR_padding);
    const int64_t *extra = weft_node_ints(node, WEFT_ATTR_output_padding);
    if (x->rank != 4 || w->rank != 4) {
        return inference_wrong(inference, "operands must have 4 dimensions");
    }
    if (w->dim[3] != x->dim[3]) {
        return inference_wrong(inference, "channels of input and weights do not agree");
    }
    const int64_t dims[4] = {x->dim[0], 0, 0, w->dim[0]};
    *shape = weft_type_make(WEFT_F32, 4, dims);
    for (int i = 0; i < 2; i++) {
        if (!spread(x->dim[1 + i], padding[i], padding[2 + i], extra[i], w->dim[1 + i], strides[i],
                    &shape->dim[1 + i])) {
            return inference_wrong(inference, "padding and output padding leave no result, "
                                              "or the latter is not below the stride");
        }
    }
    return true;
}

bool infer_qnn_conv2d_transpose(const struct inference *inference) {
    struct weft_type shape;
    return quantized_operands(inference) && conv2d_transpose_shape(inference, &shape) &&
           quantized_product(inference, shape);
}

bool infer_conv2d_transpose(const struct inference *inference) {
    return float_operands(inference) && conv2d_transpose_shape(inference, &inference->results[0]);
}

/* ---- matrix products ---- */

static bool dense_shape(const struct inference *inference, struct weft_type *shape) {
    const struct weft_type *x = inference_input(inference, 0);
    const struct weft_type *w = inference_input(inference, 1);
    if (x->rank != 2 || w->rank != 2 || x->dim[1] != w->dim[1]) {
        return inference_wrong(inference, "expected [N, K] and [O, K]");
    }
    const int64_t dims[2] = {x->dim[0], w->dim[0]};
    *shape = weft_type_make(WEFT_F32, 2, dims);
    return true;
}

bool infer_qnn_dense(const struct inference *inference) {
    struct weft_type shape;
    return quantized_operands(inference) && dense_shape(inference, &shape) &&
           quantized_product(inference, shape);
}

bool infer_dense(const struct inference *inference) {
    return float_operands(inference) && dense_shape(inference, &inference->results[0]);
}

static bool batch_matmul_shape(const struct inference *inference, struct weft_type *shape) {
    const struct weft_type *a = inference_input(inference, 0);
    const struct weft_type *b = inference_input(inference, 1);
    int64_t swap_a = weft_node_int(inference->node, WEFT_ATTR_transpose_a);
    int64_t swap_b = weft_node_int(inference->node, WEFT_ATTR_transpose_b);
    *shape = (struct weft_type){.dtype = WEFT_F32};
    if (swap_a < 0 || swap_a > 1 || swap_b < 0 || swap_b > 1) {
        return inference_wrong(inference, "transpose_a and transpose_b must be 0 or 1");
    }
    if (a->rank < 2 || b->rank < 2 ||
        a->dim[a->rank - 1 - swap_a] != b->dim[b->rank - 2 + swap_b] ||
        !inference_broadcast(a, b, 2, shape)) {
        return inference_wrong(inference, "expected [..., M, K] and [..., K, N]");
    }
    shape->dim[shape->rank - 2] = a->dim[a->rank - 2 + swap_a];
    shape->dim[shape->rank - 1] = b->dim[b->rank - 1 - swap_b];
    return true;
}

bool infer_qnn_batch_matmul(const struct inference *inference) {
    struct weft_type shape;
    if (inference_input(inference, 1)->quantization.count > 1) {
        return inference_wrong_type(inference, "both operands must be quantised per tensor");
    }
    return quantized_operands(inference) && batch_matmul_shape(inference, &shape) &&
           quantized_product(inference, shape);
}

bool infer_batch_matmul(const struct inference *inference) {
    return float_operands(inference) && batch_matmul_shape(inference, &inference->results[0]);
}

/* ---- floats with int8 weights ---- */

static bool is_flag(const struct inference *inference, enum weft_attribute_key key) {
    int64_t flag = weft_node_int(inference->node, key);
    return flag == 0 || flag == 1 ||
           inference_wrong(inference, "asymmetric and sum_first must be 0 or 1");
}

static bool hybrid_operands(const struct inference *inference) {
    const struct weft_type *w = inference_input(inference, 1);
    const struct weft_type *bias = inference_input(inference, 2);
    const struct weft_quantization *q = &w->quantization;
    if (inference_input(inference, 0)->dtype != WEFT_F32 || w->dtype != WEFT_I8 || q->count == 0 ||
        (q->count > 1 && q->axis != 0)) {
        return inference_wrong_type(inference,
                                    "expected floats, and int8 weights that are quantised, "
                                    "per tensor or along their first axis");
    }
    return (bias->dtype == WEFT_F32 && bias->rank == 1 && w->rank > 0 &&
            bias->dim[0] == w->dim[0]) ||
           inference_wrong_type(inference, "expected a bias of one float for each output");
}

bool infer_hybrid_conv2d(const struct inference *inference) {
    return hybrid_operands(inference) && is_flag(inference, WEFT_ATTR_asymmetric) &&
           is_flag(inference, WEFT_ATTR_sum_first) &&
           conv2d_shape(inference, &inference->results[0]);
}

bool infer_hybrid_dense(const struct inference *inference) {
    return hybrid_operands(inference) && is_flag(inference, WEFT_ATTR_asymmetric) &&
           dense_shape(inference, &inference->results[0]);
}

bool infer_bias_add(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    const struct weft_type *bias = inference_input(inference, 1);
    if ((x->dtype != WEFT_I32 && x->dtype != WEFT_I64 && x->dtype != WEFT_F32) ||
        bias->dtype != x->dtype || x->rank < 1 || bias->rank != 1 ||
        bias->dim[0] != x->dim[x->rank - 1]) {
        return inference_wrong_type(
            inference, "expected int32 [..., C] and int32 [C], or both int64 or float");
    }
    inference->results[0] = *x;
    return true;
}
