/* A dense product of which nothing but some outputs here and some there is used, as the queries,
 * keys and values of attention in one, becomes a product for each: nothing is copied apart. */
#include "compiler/passes/rules.h"

/* Does the node take some columns, side by side, of all rows of [N, O]? */
static bool takes_columns(const struct weft_node *node) {
    if (node->op != WEFT_OP_STRIDED_SLICE || node->inputs[0]->type.rank != 2) {
        return false;
    }
    const int64_t *begin = weft_node_ints(node, WEFT_ATTR_begin);
    const int64_t *steps = weft_node_ints(node, WEFT_ATTR_steps);
    return begin[0] == 0 && steps[0] == 1 && steps[1] == 1 &&
           node->results[0]->type.dim[0] == node->inputs[0]->type.dim[0];
}

/* Do its users, more than one, take columns, and no more of them in all than there are? */
static bool is_taken_apart(const struct weft_use_index *index, const struct weft_value *value) {
    const struct weft_users *users = weft_users_of(index, value);
    int64_t columns = 0;
    bool apart = !users->is_output && users->count > 1;
    for (uint32_t i = 0; apart && i < users->count; i++) {
        apart = takes_columns(users->nodes[i]);
        columns += apart ? users->nodes[i]->results[0]->type.dim[1] : 0;
    }
    return apart && columns <= value->type.dim[1];
}

/* Rows of a constant [O, ...], from the first on. */
static struct weft_value *rows_of(struct weft_rewrite *rewrite, const struct weft_value *constant,
                                  int64_t first, int64_t count) {
    struct weft_type type = constant->type;
    size_t bytes = type.dim[0] == 0 ? 0 : weft_type_bytes(&type) / (size_t)type.dim[0];
    type.dim[0] = count;
    return weft_rewrite_constant(rewrite, &type, weft_value_data(constant) + (size_t)first * bytes);
}

static struct weft_value *split(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *slice = site->post->producer;
    const struct weft_node *node = slice->inputs[0]->producer;
    const struct weft_value *biases = NULL;
    if (site->pre == NULL || !takes_columns(slice) ||
        !is_taken_apart(site->context, site->pre->producer->inputs[0])) {
        return NULL;
    }
    if (node != NULL && node->op == WEFT_OP_BIAS_ADD && weft_value_data(node->inputs[1]) != NULL &&
        weft_rewrite_uses(rewrite, node->inputs[0]) == 1) {
        biases = node->inputs[1];
        node = node->inputs[0]->producer;
    }
    if (node == NULL || node->op != WEFT_OP_DENSE || weft_value_data(node->inputs[1]) == NULL) {
        return NULL;
    }
    int64_t first = weft_node_ints(slice, WEFT_ATTR_begin)[1];
    int64_t count = site->post->type.dim[1];
    struct weft_value *inputs[2] = {node->inputs[0],
                                    rows_of(rewrite, node->inputs[1], first, count)};
    struct weft_value *y =
        weft_rewrite_node(rewrite, WEFT_OP_DENSE, 2, inputs, 0, NULL, &site->post->type);
    if (biases != NULL) {
        struct weft_value *sum[2] = {y, rows_of(rewrite, biases, first, count)};
        y = weft_rewrite_node(rewrite, WEFT_OP_BIAS_ADD, 2, sum, 0, NULL, &site->post->type);
    }
    return y;
}

struct weft_graph *weft_pass_split_dense(const struct weft_graph *graph) {
    const struct weft_rule rule = {
        rule_unary(graph->arena, WEFT_OP_STRIDED_SLICE, weft_pattern_wildcard(graph->arena)), split,
        weft_use_index_new(graph)};
    return weft_rewrite(graph, 1, &rule);
}
