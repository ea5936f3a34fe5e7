#include "compiler/ir/inference.h"

#include <string.h>

#include "base/checked.h"

bool inference_wrong(const struct inference *inference, const char *what) {
    return weft_fail(inference->error, WEFT_GRAPH, 0, "%s: %s",
                     weft_operator_name(inference->node->op), what);
}

/* `names` and after it, behind commas, the types of values; of many the first ones. */
static const char *type_names(const struct inference *inference, const char *names, uint32_t count,
                              struct weft_value *const *values) {
    static const uint32_t most = 8;
    for (uint32_t i = 0; i < count && i < most; i++) {
        const struct weft_type *type = &values[i]->type;
        names = weft_arena_print(inference->arena, "%s%s%s%s", names, i == 0 ? "" : ", ",
                                 weft_dtype_file_name(type->dtype),
                                 type->quantization.count == 0   ? ""
                                 : type->quantization.count == 1 ? " (quantised)"
                                                                 : " (quantised along an axis)");
    }
    return count > most ? weft_arena_print(inference->arena, "%s, ...", names) : names;
}

bool inference_wrong_type(const struct inference *inference, const char *what) {
    const struct weft_node *node = inference->node;
    const char *operands = type_names(inference, "; found ", node->input_count, node->inputs);
    const char *results = node->result_count == 0 ? ""
                                                  : type_names(inference, " and the result ",
                                                               node->result_count, node->results);
    return inference_wrong(inference,
                           weft_arena_print(inference->arena, "%s%s%s", what, operands, results));
}

const struct weft_type *inference_input(const struct inference *inference, uint32_t index) {
    return &inference->node->inputs[index]->type;
}

struct weft_type inference_declared(const struct inference *inference, enum weft_dtype missing) {
    struct weft_type type = {.dtype = missing};
    return inference->node->result_count == 0 ? type : inference->node->results[0]->type;
}

struct weft_type inference_shaped(struct weft_type type, const struct weft_type *shape) {
    memcpy(type.dim, shape->dim, sizeof type.dim);
    type.rank = shape->rank;
    return type;
}

bool inference_is_per_tensor(const struct weft_type *type) {
    return type->quantization.count == 1 &&
           (type->dtype == WEFT_I8 || type->dtype == WEFT_U8 || type->dtype == WEFT_I16);
}

bool inference_axis_is_free(const struct weft_type *type, int64_t axis) {
    return type->quantization.count <= 1 || type->quantization.axis != axis;
}

bool inference_axis(const struct inference *inference, int64_t limit, uint32_t *axis) {
    int64_t value = weft_node_int(inference->node, WEFT_ATTR_axis);
    *axis = (uint32_t)value;
    return (value >= 0 && value < limit) ||
           inference_wrong(inference, "the axis is not one of the tensor");
}

bool inference_window(int64_t size, int64_t before, int64_t after, int64_t kernel, int64_t dilation,
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

/* The size along the axis that is `back` axes before the end; 1 before the first. */
static int64_t size_from_end(const struct weft_type *type, uint32_t back) {
    return back <= type->rank ? type->dim[type->rank - back] : 1;
}

bool inference_broadcast(const struct weft_type *a, const struct weft_type *b, uint32_t last,
                         struct weft_type *shape) {
    shape->rank = a->rank > b->rank ? a->rank : b->rank;
    for (uint32_t back = last + 1; back <= shape->rank; back++) {
        int64_t of_a = size_from_end(a, back);
        int64_t of_b = size_from_end(b, back);
        if (of_a != of_b && of_a != 1 && of_b != 1) {
            return false;
        }
        shape->dim[shape->rank - back] = of_a == 1 ? of_b : of_a;
    }
    return true;
}

/* Elements of the operand along the attribute `axis`; 0 when that is no axis of it. */
static uint32_t parts_along_axis(const struct weft_node *node) {
    const struct weft_attribute *axis = weft_node_attribute(node, WEFT_ATTR_axis);
    const struct weft_type *x = node->input_count == 1 ? &node->inputs[0]->type : NULL;
    if (axis == NULL || x == NULL || axis->ints[0] < 0 || axis->ints[0] >= x->rank) {
        return 0;
    }
    int64_t parts = x->dim[axis->ints[0]];
    return parts < 0 || parts > UINT32_MAX ? 0 : (uint32_t)parts;
}

uint32_t weft_node_expected_results(const struct weft_node *node) {
    const struct weft_attribute *sizes = weft_node_attribute(node, WEFT_ATTR_sizes);
    switch (node->op) {
    case WEFT_OP_SPLIT:
        return sizes == NULL ? 0 : sizes->count;
    case WEFT_OP_UNPACK:
        return parts_along_axis(node);
    case WEFT_OP_TOPK:
        return 2;
    case WEFT_OP_DETECTION_POSTPROCESS:
        return 4;
    case WEFT_OP_OPAQUE:
        return node->result_count;
    case WEFT_OP_COMPOSITE:
    case WEFT_OP_REGION:
        return node->body == NULL ? node->result_count : (uint32_t)node->body->output_count;
    default:
        return 1;
    }
}
