/* Concatenations of transposed tensors, and of inputs of the graph, which are turned for it where
 * that moves no more elements than stay. */
#include "compiler/passes/sink.h"

/* The input of the graph, or its bytes, that changes of type alone make the value of; NULL: it is
 * none. */
static const struct weft_value *input_behind(const struct weft_value *value) {
    while (!sink_is_input(value) && sink_changes_type(value->producer)) {
        value = value->producer->inputs[0];
    }
    return sink_is_input(value) ? value : NULL;
}

/* Does a transpose among the users turn it as a transpose of that order turns back? */
static bool users_turn(const struct weft_users *users, const int64_t *order, uint32_t rank) {
    bool turns = false;
    for (uint32_t i = 0; !turns && i < users->count; i++) {
        turns = users->nodes[i]->op == WEFT_OP_TRANSPOSE;
        for (uint32_t k = 0; turns && k < rank; k++) {
            turns = sink_order_of(users->nodes[i])[order[k]] == k;
        }
    }
    return turns;
}

/* Is the input of the graph, or its bytes, turned so for something else: a convolution? */
static bool is_turned_already(struct weft_rewrite *rewrite, const struct weft_use_index *index,
                              const struct weft_value *input, const int64_t *order) {
    const struct weft_graph *graph = index->graph;
    bool turned = false;
    for (size_t i = 0; !turned && i < graph->input_count; i++) {
        const struct weft_users *users = weft_users_of(index, graph->inputs[i]);
        turned = weft_rewrite_map(rewrite, graph->inputs[i]) == input &&
                 users_turn(users, order, input->type.rank);
        for (uint32_t k = 0; !turned && k < users->count; k++) {
            const struct weft_value *bytes = users->nodes[k]->results[0];
            turned = users->nodes[k]->op == WEFT_OP_QNN_QUANTIZE &&
                     weft_rewrite_map(rewrite, bytes) == input &&
                     users_turn(weft_users_of(index, bytes), order, input->type.rank);
        }
    }
    return turned;
}

/* An operand of a concatenation, transposed or not, as it is before the transpose; NULL: its
 * elements would have to move. Merging what is common makes one of all transposes of an input. */
static struct weft_value *turned_part(struct weft_rewrite *rewrite, struct weft_value *value,
                                      const struct weft_node *transpose) {
    const struct weft_node *node = value->producer;
    const int64_t *order = sink_order_of(transpose);
    if (value->type.quantization.count > 1) {
        return NULL;
    }
    if (sink_transpose_of(value) != NULL && sink_same_order(node, transpose)) {
        return node->inputs[0];
    }
    if (weft_value_data(value) != NULL || sink_is_input(value)) {
        return sink_turned(rewrite, value, order, value->type.rank, true);
    }
    struct weft_value *input =
        input_behind(value) == NULL ? NULL : turned_part(rewrite, node->inputs[0], transpose);
    const struct weft_type type = sink_before(&value->type, order);
    return input == NULL ? NULL : weft_rewrite_copy(rewrite, node, &input, &type);
}

/* Is no more to be transposed for the concatenation than is not any more? */
static bool pays(struct weft_rewrite *rewrite, const struct weft_site *site,
                 const struct weft_node *transpose) {
    const struct weft_node *node = site->post->producer;
    int64_t saved = 0;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct weft_value *part = node->inputs[i];
        const struct weft_value *input = input_behind(part);
        if (sink_transpose_of(part) != NULL) {
            saved += weft_type_elements(&part->type);
        } else if (input != NULL &&
                   !is_turned_already(rewrite, site->context, input, sink_order_of(transpose))) {
            saved -= weft_type_elements(&part->type);
        }
    }
    return saved >= 0;
}

/* All operands are transposed alike but for constants and inputs of the graph, which are turned: a
 * block of DenseNet that starts with the picture itself. */
struct weft_value *sink_concatenate(struct weft_rewrite *rewrite, const struct weft_site *site) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    const struct weft_node *node = site->post->producer;
    const struct weft_node *transpose = NULL;
    struct weft_value **parts = WEFT_NEW_ARRAY(arena, node->input_count, struct weft_value *);
    for (uint32_t i = 0; transpose == NULL && i < node->input_count; i++) {
        transpose = sink_transpose_of(node->inputs[i]);
    }
    if (transpose == NULL || !pays(rewrite, site, transpose)) {
        return NULL;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        parts[i] = turned_part(rewrite, node->inputs[i], transpose);
        if (parts[i] == NULL) {
            return NULL;
        }
    }
    const int64_t *order = sink_order_of(transpose);
    struct weft_type type = sink_before(&site->post->type, order);
    struct weft_attribute axis =
        weft_attr_int(arena, WEFT_ATTR_axis, order[weft_node_int(node, WEFT_ATTR_axis)]);
    struct weft_value *y =
        weft_rewrite_node(rewrite, node->op, node->input_count, parts, 1, &axis, &type);
    return sink_put_behind(rewrite, y, transpose, &site->post->type);
}
