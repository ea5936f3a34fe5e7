/* Type inference: one small function for each operator. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "compiler/ir/ir.h"

struct inference {
    struct weft_arena *arena;
    const struct weft_node *node;
    struct weft_type *results;
    struct weft_error *error;
};

static bool wrong(const struct inference *inference, const char *what) {
    return weft_fail(inference->error, WEFT_GRAPH, 0, "%s: %s",
                     weft_operator_name(inference->node->op), what);
}

static const struct weft_type *input(const struct inference *inference, uint32_t index) {
    return &inference->node->inputs[index]->type;
}

/* The result type that the node declares; inference keeps its quantisation where the operator
 * leaves it open. */
static const struct weft_type *declared(const struct inference *inference) {
    return &inference->node->results[0]->type;
}

static bool is_quantized(const struct weft_type *type) {
    return type->quantization.count > 0 && (type->dtype == WEFT_I8 || type->dtype == WEFT_U8 ||
                                            type->dtype == WEFT_I16 || type->dtype == WEFT_I32);
}

/* Output size of a sliding window over one axis; false when the window does not fit. */
static bool window(int64_t size, int64_t before, int64_t after, int64_t kernel, int64_t dilation,
                   int64_t stride, int64_t *out) {
    int64_t reach = 0;
    int64_t padded = 0;
    if (before < 0 || after < 0 || kernel < 1 || dilation < 1 || stride < 1 ||
        !weft_mul_i64(kernel - 1, dilation, &reach) || !weft_add_i64(size, before, &padded) ||
        !weft_add_i64(padded, after, &padded) || padded <= reach) {
        return false;
    }
    *out = (padded - reach - 1) / stride + 1;
    return true;
}

/* Scale of a product of x and w: for each output channel. uint8 models multiply the scales in
 * float32. */
static struct weft_quantization product_quantization(const struct inference *inference,
                                                     uint32_t axis) {
    const struct weft_type *x = input(inference, 0);
    const struct weft_type *w = input(inference, 1);
    uint32_t count = w->quantization.count;
    double *scale = WEFT_NEW_ARRAY(inference->arena, count, double);
    int32_t *zero = WEFT_NEW_ARRAY(inference->arena, count, int32_t);
    for (uint32_t i = 0; i < count; i++) {
        double product = x->quantization.scale[0] * w->quantization.scale[i];
        scale[i] = x->dtype == WEFT_U8 ? (double)(float)product : product;
    }
    return (struct weft_quantization){.count = count, .axis = axis, .scale = scale, .zero = zero};
}

static bool product_operands(const struct inference *inference) {
    const struct weft_type *x = input(inference, 0);
    const struct weft_type *w = input(inference, 1);
    if (!is_quantized(x) || !is_quantized(w) || x->quantization.count != 1) {
        return wrong(inference, "operands must be quantised, the first per tensor");
    }
    if (w->quantization.count > 1 && w->quantization.axis != 0) {
        return wrong(inference, "weights must be quantised along their first axis");
    }
    return true;
}

static bool infer_conv2d(const struct inference *inference) {
    const struct weft_node *node = inference->node;
    const struct weft_type *x = input(inference, 0);
    const struct weft_type *w = input(inference, 1);
    const int64_t *strides = weft_node_ints(node, WEFT_ATTR_strides);
    const int64_t *padding = weft_node_ints(node, WEFT_ATTR_padding);
    const int64_t *dilation = weft_node_ints(node, WEFT_ATTR_dilation);
    int64_t groups = weft_node_int(node, WEFT_ATTR_groups);
    if (!product_operands(inference)) {
        return false;
    }
    if (x->rank != 4 || w->rank != 4) {
        return wrong(inference, "operands must have 4 dimensions");
    }
    if (groups < 1 || x->dim[3] % groups != 0 || w->dim[0] % groups != 0 ||
        w->dim[3] != x->dim[3] / groups) {
        return wrong(inference, "channels of input, weights and groups do not agree");
    }
    struct weft_type type = {.dtype = WEFT_I32, .rank = 4};
    type.dim[0] = x->dim[0];
    type.dim[3] = w->dim[0];
    for (int i = 0; i < 2; i++) {
        if (!window(x->dim[1 + i], padding[i], padding[2 + i], w->dim[1 + i], dilation[i],
                    strides[i], &type.dim[1 + i])) {
            return wrong(inference, "the kernel does not fit the padded input");
        }
    }
    type.quantization = product_quantization(inference, 3);
    inference->results[0] = type;
    return true;
}

static bool infer_dense(const struct inference *inference) {
    const struct weft_type *x = input(inference, 0);
    const struct weft_type *w = input(inference, 1);
    if (!product_operands(inference)) {
        return false;
    }
    if (x->rank != 2 || w->rank != 2 || x->dim[1] != w->dim[1]) {
        return wrong(inference, "expected [N, K] and [O, K]");
    }
    int64_t dims[2] = {x->dim[0], w->dim[0]};
    struct weft_type type = weft_type_make(WEFT_I32, 2, dims);
    type.quantization = product_quantization(inference, 1);
    inference->results[0] = type;
    return true;
}

static bool infer_bias_add(const struct inference *inference) {
    const struct weft_type *x = input(inference, 0);
    const struct weft_type *bias = input(inference, 1);
    if (x->dtype != WEFT_I32 || bias->dtype != WEFT_I32 || x->rank < 1 || bias->rank != 1 ||
        bias->dim[0] != x->dim[x->rank - 1]) {
        return wrong(inference, "expected int32 [..., C] and int32 [C]");
    }
    inference->results[0] = *x;
    return true;
}

static bool infer_requantize(const struct inference *inference) {
    const struct weft_type *x = input(inference, 0);
    const struct weft_type *result = declared(inference);
    const char *rounding = weft_node_text(inference->node, WEFT_ATTR_rounding);
    if (x->dtype != WEFT_I32 || x->quantization.count == 0) {
        return wrong(inference, "the operand must be quantised int32");
    }
    if (result->quantization.count != 1 || (result->dtype != WEFT_I8 && result->dtype != WEFT_U8)) {
        return wrong(inference, "the result must be int8 or uint8, quantised per tensor");
    }
    if (strcmp(rounding, "gemmlowp") != 0 && strcmp(rounding, "single") != 0) {
        return wrong(inference, "rounding must be gemmlowp or single");
    }
    inference->results[0] = *result;
    memcpy(inference->results[0].dim, x->dim, sizeof x->dim);
    inference->results[0].rank = x->rank;
    return true;
}

static bool infer_clip(const struct inference *inference) {
    const struct weft_type *x = input(inference, 0);
    int64_t min = weft_node_int(inference->node, WEFT_ATTR_min);
    int64_t max = weft_node_int(inference->node, WEFT_ATTR_max);
    if (x->dtype == WEFT_F32 || min > max || min < weft_dtype_min(x->dtype) ||
        max > weft_dtype_max(x->dtype)) {
        return wrong(inference, "expected integers and min <= max inside their type");
    }
    inference->results[0] = *x;
    return true;
}

static bool infer_sum(const struct inference *inference) {
    const struct weft_type *a = input(inference, 0);
    const struct weft_type *b = input(inference, 1);
    const struct weft_type *result = declared(inference);
    if (!weft_shape_equal(a, b) || a->dtype != b->dtype || a->dtype != result->dtype) {
        return wrong(inference, "operands and result must have one shape and element type");
    }
    if (a->quantization.count != 1 || b->quantization.count != 1 ||
        result->quantization.count != 1) {
        return wrong(inference, "operands and result must be quantised per tensor");
    }
    inference->results[0] = *result;
    memcpy(inference->results[0].dim, a->dim, sizeof a->dim);
    inference->results[0].rank = a->rank;
    return true;
}

static bool infer_pool(const struct inference *inference) {
    const struct weft_type *x = input(inference, 0);
    const int64_t *kernel = weft_node_ints(inference->node, WEFT_ATTR_kernel);
    const int64_t *strides = weft_node_ints(inference->node, WEFT_ATTR_strides);
    const int64_t *padding = weft_node_ints(inference->node, WEFT_ATTR_padding);
    if (x->rank != 4) {
        return wrong(inference, "the operand must have 4 dimensions");
    }
    inference->results[0] = *x;
    for (int i = 0; i < 2; i++) {
        if (padding[i] >= kernel[i] || padding[2 + i] >= kernel[i] ||
            !window(x->dim[1 + i], padding[i], padding[2 + i], kernel[i], 1, strides[i],
                    &inference->results[0].dim[1 + i])) {
            return wrong(inference, "the window does not fit the padded input");
        }
    }
    return true;
}

static bool infer_pad(const struct inference *inference) {
    const struct weft_type *x = input(inference, 0);
    const struct weft_attribute *pads = weft_node_attribute(inference->node, WEFT_ATTR_pads);
    if (pads->count != 2 * x->rank) {
        return wrong(inference, "pads must hold two numbers for each dimension");
    }
    inference->results[0] = *x;
    for (uint32_t i = 0; i < x->rank; i++) {
        int64_t *dim = &inference->results[0].dim[i];
        if (pads->ints[2 * i] < 0 || pads->ints[2 * i + 1] < 0 ||
            !weft_add_i64(*dim, pads->ints[2 * i], dim) ||
            !weft_add_i64(*dim, pads->ints[2 * i + 1], dim)) {
            return wrong(inference, "pads must not be negative nor too large");
        }
    }
    return true;
}

static bool infer_reshape(const struct inference *inference) {
    const struct weft_type *x = input(inference, 0);
    const struct weft_type *result = declared(inference);
    if (weft_type_elements(x) != weft_type_elements(result) || x->dtype != result->dtype ||
        !weft_quantization_equal(&x->quantization, &result->quantization)) {
        return wrong(inference, "the result must have as many elements of the same type");
    }
    inference->results[0] = *result;
    return true;
}

static bool infer_softmax(const struct inference *inference) {
    const struct weft_type *x = input(inference, 0);
    const struct weft_type *result = declared(inference);
    if (x->rank < 1 || x->dtype != result->dtype || x->quantization.count != 1 ||
        result->quantization.count != 1) {
        return wrong(inference, "operand and result must be quantised per tensor");
    }
    inference->results[0] = *result;
    memcpy(inference->results[0].dim, x->dim, sizeof x->dim);
    inference->results[0].rank = x->rank;
    return true;
}

/* Inputs of the body are inputs of the node, outputs its results. */
static bool infer_body(const struct inference *inference) {
    const struct weft_node *node = inference->node;
    const struct weft_graph *body = node->body;
    if (body == NULL || body->input_count != node->input_count ||
        body->output_count != node->result_count) {
        return wrong(inference, "the body must have the inputs and results of the node");
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (!weft_type_equal(&body->inputs[i]->type, &node->inputs[i]->type)) {
            return wrong(inference, "an input of the body has another type than that of the node");
        }
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        inference->results[i] = body->outputs[i]->type;
    }
    return true;
}

static bool infer_declared(const struct inference *inference) {
    inference->results[0] = *declared(inference);
    return true;
}

bool weft_node_infer(struct weft_arena *arena, const struct weft_node *node,
                     struct weft_type *results, struct weft_error *error) {
    static bool (*const functions[WEFT_OPERATORS])(const struct inference *) = {
        [WEFT_OP_CONSTANT] = infer_declared,
        [WEFT_OP_QNN_CONV2D] = infer_conv2d,
        [WEFT_OP_QNN_DENSE] = infer_dense,
        [WEFT_OP_BIAS_ADD] = infer_bias_add,
        [WEFT_OP_QNN_REQUANTIZE] = infer_requantize,
        [WEFT_OP_CLIP] = infer_clip,
        [WEFT_OP_QNN_ADD] = infer_sum,
        [WEFT_OP_AVG_POOL2D] = infer_pool,
        [WEFT_OP_MAX_POOL2D] = infer_pool,
        [WEFT_OP_PAD] = infer_pad,
        [WEFT_OP_RESHAPE] = infer_reshape,
        [WEFT_OP_QNN_SOFTMAX] = infer_softmax,
        [WEFT_OP_OPAQUE] = infer_declared,
        [WEFT_OP_COMPOSITE] = infer_body,
        [WEFT_OP_REGION] = infer_body,
    };
    struct inference inference = {arena, node, results, error};
    return functions[node->op](&inference);
}
