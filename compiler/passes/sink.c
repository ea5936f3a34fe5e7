/* Transposes, and what they turn, for the files of weft_pass_sink_transposes(). */
#include "compiler/passes/sink.h"

/* ---- transposes ---- */

const struct weft_node *sink_transpose_of(const struct weft_value *value) {
    bool is_transpose = value->producer != NULL && value->producer->op == WEFT_OP_TRANSPOSE;
    return is_transpose ? value->producer : NULL;
}

const int64_t *sink_order_of(const struct weft_node *transpose) {
    return weft_node_ints(transpose, WEFT_ATTR_permutation);
}

bool sink_same_order(const struct weft_node *a, const struct weft_node *b) {
    return a->inputs[0]->type.rank == b->inputs[0]->type.rank &&
           weft_attribute_equal(weft_node_attribute(a, WEFT_ATTR_permutation),
                                weft_node_attribute(b, WEFT_ATTR_permutation));
}

struct weft_type sink_before(const struct weft_type *type, const int64_t *order) {
    struct weft_type result = *type;
    for (uint32_t i = 0; i < type->rank; i++) {
        result.dim[order[i]] = type->dim[i];
    }
    return result;
}

struct weft_value *sink_put_behind(struct weft_rewrite *rewrite, struct weft_value *y,
                                   const struct weft_node *transpose,
                                   const struct weft_type *type) {
    struct weft_attribute order = *weft_node_attribute(transpose, WEFT_ATTR_permutation);
    return weft_rewrite_node(rewrite, WEFT_OP_TRANSPOSE, 1, &y, 1, &order, type);
}

/* ---- inputs of the graph ---- */

bool sink_is_input(const struct weft_value *value) {
    const struct weft_node *node = value->producer;
    return node == NULL || (node->op == WEFT_OP_QNN_QUANTIZE && node->inputs[0]->producer == NULL);
}

bool sink_changes_type(const struct weft_node *node) {
    return node->op == WEFT_OP_QNN_QUANTIZE || node->op == WEFT_OP_QNN_REQUANTIZE ||
           node->op == WEFT_OP_QNN_DEQUANTIZE;
}

struct weft_value *sink_turned(struct weft_rewrite *rewrite, struct weft_value *value,
                               const int64_t *order, uint32_t rank, bool turns_inputs) {
    struct weft_type type = value->type;
    uint32_t wide = 0;
    if (type.rank > rank || type.quantization.count > 1) {
        return NULL;
    }
    uint32_t missing = rank - type.rank;
    int64_t dims[WEFT_MAX_RANK];
    int64_t back[WEFT_MAX_RANK];
    type.rank = rank;
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = i < missing ? 1 : value->type.dim[i - missing];
        type.dim[order[i]] = dims[i];
        back[order[i]] = i;
        wide += dims[i] != 1;
    }
    const uint8_t *data = weft_value_data(value);
    bool turns = data != NULL || /* weft_pass_fold_constants() moves its elements */
                 (turns_inputs && sink_is_input(value) && missing == 0);
    if (wide > 1 && !turns) {
        return NULL;
    }
    if (wide > 1) {
        const struct weft_type whole = rule_shaped(&value->type, rank, dims);
        const struct weft_attribute permutation =
            weft_attr_ints(weft_rewrite_arena(rewrite), WEFT_ATTR_permutation, rank, back);
        value = rule_reshape(rewrite, value, &whole);
        return weft_rewrite_node(rewrite, WEFT_OP_TRANSPOSE, 1, &value, 1, &permutation, &type);
    }
    return wide == 0      ? value
           : data != NULL ? weft_rewrite_constant(rewrite, &type, data)
                          : rule_reshape(rewrite, value, &type);
}
