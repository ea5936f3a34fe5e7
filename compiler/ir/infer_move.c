/* Types of operators that move elements: same elements, another shape. */
#include "base/checked.h"
#include "compiler/ir/inference.h"

bool infer_pad(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    const struct weft_attribute *pads = weft_node_attribute(inference->node, WEFT_ATTR_pads);
    if (pads->count != 2 * x->rank) {
        return inference_wrong(inference, "pads must hold two numbers for each dimension");
    }
    if (inference->node->input_count == 2) {
        const struct weft_type *value = inference_input(inference, 1);
        if (value->dtype != x->dtype || weft_type_elements(value) != 1) {
            return inference_wrong_type(inference,
                                        "the value must be one element of the same type");
        }
    }
    inference->results[0] = *x;
    for (uint32_t i = 0; i < x->rank; i++) {
        int64_t *dim = &inference->results[0].dim[i];
        if (pads->ints[2 * i] < 0 || pads->ints[2 * i + 1] < 0 ||
            !weft_add_i64(*dim, pads->ints[2 * i], dim) ||
            !weft_add_i64(*dim, pads->ints[2 * i + 1], dim)) {
            return inference_wrong(inference, "pads must not be negative nor too large");
        }
    }
    return true;
}

bool infer_reshape(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    struct weft_type result = inference_declared(inference, x->dtype);
    if (weft_type_elements(x) != weft_type_elements(&result) || x->dtype != result.dtype ||
        !weft_quantization_equal(&x->quantization, &result.quantization)) {
        return inference_wrong_type(inference,
                                    "the result must have as many elements of the same type");
    }
    inference->results[0] = result;
    return true;
}

/* Takes axis `axis` out of a type. A tensor quantised along a later axis stays so. */
static void drop_axis(struct weft_type *type, uint32_t axis) {
    for (uint32_t i = axis; i + 1 < type->rank; i++) {
        type->dim[i] = type->dim[i + 1];
    }
    type->rank--;
    type->dim[type->rank] = 0;
    if (type->quantization.count > 1 && type->quantization.axis > axis) {
        type->quantization.axis--;
    }
}

/* Puts an axis of `size` elements before axis `axis`. */
static void insert_axis(struct weft_type *type, uint32_t axis, int64_t size) {
    for (uint32_t i = type->rank; i > axis; i--) {
        type->dim[i] = type->dim[i - 1];
    }
    type->rank++;
    type->dim[axis] = size;
    if (type->quantization.count > 1 && type->quantization.axis >= axis) {
        type->quantization.axis++;
    }
}

bool infer_squeeze(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    const struct weft_attribute *axes = weft_node_attribute(inference->node, WEFT_ATTR_axes);
    uint32_t dropped = 0;
    for (uint32_t i = 0; i < axes->count; i++) {
        int64_t axis = axes->ints[i];
        if (axis < 0 || axis >= x->rank || x->dim[axis] != 1 || (dropped >> axis & 1) != 0) {
            return inference_wrong(inference, "axes must be axes of one element, each once");
        }
        dropped |= UINT32_C(1) << axis;
    }
    inference->results[0] = *x;
    for (uint32_t axis = x->rank; axis-- > 0;) {
        if ((dropped >> axis & 1) != 0) {
            drop_axis(&inference->results[0], axis);
        }
    }
    return true;
}

static bool new_axis(const struct inference *inference, uint32_t *axis) {
    uint32_t rank = inference_input(inference, 0)->rank;
    return rank < WEFT_MAX_RANK
               ? inference_axis(inference, (int64_t)rank + 1, axis)
               : inference_wrong(inference, "a tensor can not have more than 8 dimensions");
}

bool infer_expand_dims(const struct inference *inference) {
    uint32_t axis = 0;
    if (!new_axis(inference, &axis)) {
        return false;
    }
    inference->results[0] = *inference_input(inference, 0);
    insert_axis(&inference->results[0], axis, 1);
    return true;
}

bool infer_transpose(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    const struct weft_attribute *order =
        weft_node_attribute(inference->node, WEFT_ATTR_permutation);
    uint32_t seen = 0;
    struct weft_type type = *x;
    for (uint32_t i = 0; i < order->count && i < x->rank; i++) {
        int64_t axis = order->ints[i];
        if (axis < 0 || axis >= x->rank) {
            break;
        }
        seen |= UINT32_C(1) << axis;
        type.dim[i] = x->dim[axis];
        if (x->quantization.count > 1 && x->quantization.axis == axis) {
            type.quantization.axis = i;
        }
    }
    if (order->count != x->rank || seen != (UINT32_C(1) << x->rank) - 1) {
        return inference_wrong(inference, "the permutation must name each axis once");
    }
    inference->results[0] = type;
    return true;
}

/* ---- joining and splitting ---- */

/* The shape of operands one after another along `axis`. */
static bool joined_shape(const struct inference *inference, uint32_t axis,
                         struct weft_type *shape) {
    *shape = *inference_input(inference, 0);
    for (uint32_t i = 1; i < inference->node->input_count; i++) {
        const struct weft_type *next = inference_input(inference, i);
        bool fits = next->dtype == shape->dtype && next->rank == shape->rank;
        for (uint32_t k = 0; fits && k < shape->rank; k++) {
            fits = k == axis || next->dim[k] == shape->dim[k];
        }
        if (!fits || !weft_add_i64(shape->dim[axis], next->dim[axis], &shape->dim[axis])) {
            return inference_wrong_type(inference,
                                        "operands must have one element type and, but for "
                                        "the axis, one shape");
        }
    }
    return true;
}

bool infer_concatenate(const struct inference *inference) {
    const struct weft_type *first = inference_input(inference, 0);
    uint32_t axis = 0;
    if (!inference_axis(inference, first->rank, &axis)) {
        return false;
    }
    for (uint32_t i = 0; i < inference->node->input_count; i++) {
        const struct weft_type *x = inference_input(inference, i);
        if (!weft_quantization_equal(&first->quantization, &x->quantization) ||
            !inference_axis_is_free(x, axis)) {
            return inference_wrong(inference,
                                   "operands must have one quantisation, not along the axis");
        }
    }
    return joined_shape(inference, axis, &inference->results[0]);
}

bool infer_qnn_concatenate(const struct inference *inference) {
    struct weft_type result = inference_declared(inference, inference_input(inference, 0)->dtype);
    struct weft_type shape;
    uint32_t axis = 0;
    if (!inference_axis(inference, inference_input(inference, 0)->rank, &axis) ||
        !joined_shape(inference, axis, &shape)) {
        return false;
    }
    bool quantized = shape.dtype == result.dtype && inference_is_per_tensor(&result);
    for (uint32_t i = 0; quantized && i < inference->node->input_count; i++) {
        quantized = inference_is_per_tensor(inference_input(inference, i));
    }
    inference->results[0] = inference_shaped(result, &shape);
    return quantized ||
           inference_wrong_type(inference, "operands and result must be int8, uint8 or "
                                           "int16, alike and quantised per tensor");
}

/* Has the node as many results as it must, or none yet? */
static bool right_results(const struct inference *inference) {
    uint32_t count = inference->node->result_count;
    return count == 0 || count == weft_node_expected_results(inference->node) ||
           inference_wrong(inference, "wrong number of results");
}

bool infer_split(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    const struct weft_attribute *sizes = weft_node_attribute(inference->node, WEFT_ATTR_sizes);
    uint32_t axis = 0;
    int64_t sum = 0;
    if (!inference_axis(inference, x->rank, &axis) || !right_results(inference)) {
        return false;
    }
    bool fits = inference_axis_is_free(x, axis);
    for (uint32_t i = 0; fits && i < sizes->count; i++) {
        fits = sizes->ints[i] >= 0 && weft_add_i64(sum, sizes->ints[i], &sum);
        inference->results[i] = *x;
        inference->results[i].dim[axis] = sizes->ints[i];
    }
    return (fits && sum == x->dim[axis]) ||
           inference_wrong(inference, "sizes must add up to the axis, which has one quantisation");
}

bool infer_pack(const struct inference *inference) {
    const struct weft_type *first = inference_input(inference, 0);
    uint32_t axis = 0;
    if (!new_axis(inference, &axis)) {
        return false;
    }
    for (uint32_t i = 1; i < inference->node->input_count; i++) {
        if (!weft_type_equal(first, inference_input(inference, i))) {
            return inference_wrong_type(inference, "operands must have one type");
        }
    }
    inference->results[0] = *first;
    insert_axis(&inference->results[0], axis, inference->node->input_count);
    return true;
}

bool infer_unpack(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    uint32_t axis = 0;
    if (!inference_axis(inference, x->rank, &axis) || !right_results(inference)) {
        return false;
    }
    if (!inference_axis_is_free(x, axis)) {
        return inference_wrong_type(inference, "the operand must not be quantised along the axis");
    }
    for (uint32_t i = 0; i < weft_node_expected_results(inference->node); i++) {
        inference->results[i] = *x;
        drop_axis(&inference->results[i], axis);
    }
    return true;
}
