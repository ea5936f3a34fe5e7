/* Types of windows and reductions. */
#include "compiler/ir/inference.h"

bool infer_pool(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    const int64_t *kernel = weft_node_ints(inference->node, WEFT_ATTR_kernel);
    const int64_t *strides = weft_node_ints(inference->node, WEFT_ATTR_strides);
    const int64_t *padding = weft_node_ints(inference->node, WEFT_ATTR_padding);
    if (x->rank != 4) {
        return inference_wrong(inference, "the operand must have 4 dimensions");
    }
    inference->results[0] = *x;
    for (int i = 0; i < 2; i++) {
        if (x->dim[1 + i] < 1) {
            return inference_wrong(inference, "the operand must have a row and a column");
        }
        if (padding[i] >= kernel[i] || padding[2 + i] >= kernel[i] ||
            !inference_window(x->dim[1 + i], padding[i], padding[2 + i], kernel[i], 1, strides[i],
                              &inference->results[0].dim[1 + i])) {
            return inference_wrong(inference, "the window does not fit the padded input");
        }
    }
    return true;
}

/* `x` without the axes whose bit is set in `reduced`; with `keep` they stay with one element. */
static struct weft_type reduce(const struct weft_type *x, uint32_t reduced, bool keep) {
    struct weft_type type = {.dtype = x->dtype};
    for (uint32_t i = 0; i < x->rank; i++) {
        bool gone = (reduced >> i & 1) != 0;
        if (!gone || keep) {
            type.dim[type.rank++] = gone ? 1 : x->dim[i];
        }
    }
    return type;
}

static bool reduced_shape(const struct inference *inference, struct weft_type *shape) {
    const struct weft_type *x = inference_input(inference, 0);
    const struct weft_attribute *axes = weft_node_attribute(inference->node, WEFT_ATTR_axes);
    int64_t keep = weft_node_int(inference->node, WEFT_ATTR_keep_dims);
    uint32_t reduced = 0;
    for (uint32_t i = 0; i < axes->count; i++) {
        int64_t axis = axes->ints[i];
        if (axis < 0 || axis >= x->rank || (reduced >> axis & 1) != 0) {
            return inference_wrong(inference, "axes must be axes of the operand, each once");
        }
        if (x->dim[axis] < 1) {
            return inference_wrong(inference, "there is nothing to reduce along an axis");
        }
        reduced |= UINT32_C(1) << axis;
    }
    if (keep < 0 || keep > 1) {
        return inference_wrong(inference, "keep_dims must be 0 or 1");
    }
    *shape = reduce(x, reduced, keep == 1);
    return true;
}

bool infer_qnn_mean(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    struct weft_type result = inference_declared(inference, x->dtype);
    struct weft_type shape;
    if (x->dtype != result.dtype || !inference_is_per_tensor(x) ||
        !inference_is_per_tensor(&result)) {
        return inference_wrong_type(inference,
                                    "operand and result must be int8, uint8 or int16, alike "
                                    "and quantised per tensor");
    }
    if (!reduced_shape(inference, &shape)) {
        return false;
    }
    inference->results[0] = inference_shaped(result, &shape);
    return true;
}

bool infer_mean(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    if (x->quantization.count > 0 ||
        (x->dtype != WEFT_F32 && x->dtype != WEFT_I32 && x->dtype != WEFT_I64)) {
        return inference_wrong_type(inference,
                                    "the operand must be float, int32 or int64 and not quantised");
    }
    return reduced_shape(inference, &inference->results[0]);
}

bool infer_reduce_max(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    if (x->quantization.count > 1) {
        return inference_wrong_type(inference, "the operand must not be quantised along an axis");
    }
    if (!reduced_shape(inference, &inference->results[0])) {
        return false;
    }
    inference->results[0].quantization = x->quantization;
    return true;
}

bool infer_argmax(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    enum weft_dtype dtype = inference_declared(inference, WEFT_I32).dtype;
    uint32_t axis = 0;
    if (!inference_axis(inference, x->rank, &axis)) {
        return false;
    }
    if (dtype != WEFT_I32 && dtype != WEFT_I64) {
        return inference_wrong_type(inference, "the result must be int32 or int64");
    }
    if (x->dim[axis] < 1) {
        return inference_wrong(inference, "there is nothing to reduce along an axis");
    }
    inference->results[0] = reduce(x, UINT32_C(1) << axis, false);
    inference->results[0].dtype = dtype;
    return true;
}

bool infer_cumsum(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    int64_t exclusive = weft_node_int(inference->node, WEFT_ATTR_exclusive);
    int64_t reverse = weft_node_int(inference->node, WEFT_ATTR_reverse);
    uint32_t axis = 0;
    if (x->quantization.count > 0 ||
        (x->dtype != WEFT_F32 && x->dtype != WEFT_I32 && x->dtype != WEFT_I64)) {
        return inference_wrong_type(inference,
                                    "the operand must be float, int32 or int64 and not quantised");
    }
    if (exclusive < 0 || exclusive > 1 || reverse < 0 || reverse > 1) {
        return inference_wrong(inference, "exclusive and reverse must be 0 or 1");
    }
    inference->results[0] = *x;
    return inference_axis(inference, x->rank, &axis);
}

bool infer_topk(const struct inference *inference) {
    const struct weft_node *node = inference->node;
    const struct weft_type *x = inference_input(inference, 0);
    int64_t depth = weft_node_int(node, WEFT_ATTR_depth);
    enum weft_dtype indices = node->result_count > 1 ? node->results[1]->type.dtype : WEFT_I32;
    if (x->dtype == WEFT_BOOL || x->quantization.count > 1 ||
        (indices != WEFT_I32 && indices != WEFT_I64)) {
        return inference_wrong_type(inference, "the operand must be numbers of one scale, the "
                                               "indices int32 or int64");
    }
    if (x->rank < 1 || depth < 0 || depth > x->dim[x->rank - 1]) {
        return inference_wrong(inference, "the depth must be at most that of the last axis");
    }
    inference->results[0] = *x;
    inference->results[0].dim[x->rank - 1] = depth;
    inference->results[1] = inference->results[0];
    inference->results[1].dtype = indices;
    inference->results[1].quantization = (struct weft_quantization){0};
    return true;
}
