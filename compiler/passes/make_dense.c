/* A product of matrices whose second one is known becomes a dense product, and the sum behind it
 * its bias: weights of dense products are packed, quantised and folded into. */
#include <string.h>

#include "compiler/passes/rules.h"

/* The matrix [K, O] of a constant, or [O, K] if it is `transposed`, as weights [O, K]. */
static struct weft_value *weights_of(struct weft_rewrite *rewrite, const struct weft_value *matrix,
                                     bool transposed) {
    uint32_t rank = matrix->type.rank;
    int64_t inputs = matrix->type.dim[rank - (transposed ? 1 : 2)];
    int64_t outputs = matrix->type.dim[rank - (transposed ? 2 : 1)];
    size_t count = (size_t)(inputs * outputs);
    float *weights = WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), count, float);
    memcpy(weights, weft_value_data(matrix), count * sizeof *weights);
    for (int64_t o = 0; !transposed && o < outputs; o++) {
        for (int64_t k = 0; k < inputs; k++) {
            memcpy(&weights[o * inputs + k],
                   weft_value_data(matrix) + (size_t)(k * outputs + o) * sizeof *weights,
                   sizeof *weights);
        }
    }
    const int64_t dims[2] = {outputs, inputs};
    const struct weft_type type = weft_type_make(WEFT_F32, 2, dims);
    return weft_rewrite_constant(rewrite, &type, weights);
}

static struct weft_value *product_to_dense(struct weft_rewrite *rewrite,
                                           const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    const struct weft_type *x = &node->inputs[0]->type;
    const struct weft_type *w = &node->inputs[1]->type;
    int64_t matrix = w->dim[w->rank - 1] * w->dim[w->rank - 2];
    if (weft_value_data(node->inputs[1]) == NULL || w->dtype != WEFT_F32 ||
        weft_type_elements(w) != matrix || w->rank > x->rank || weft_type_elements(x) == 0 ||
        matrix == 0 || weft_node_int(node, WEFT_ATTR_transpose_a) != 0) {
        return NULL;
    }
    int64_t depth = x->dim[x->rank - 1];
    int64_t rows = weft_type_elements(x) / depth;
    const int64_t flat_dims[2] = {rows, depth};
    const int64_t made_dims[2] = {rows, matrix / depth};
    const struct weft_type flat = weft_type_make(WEFT_F32, 2, flat_dims);
    const struct weft_type made = weft_type_make(WEFT_F32, 2, made_dims);
    struct weft_value *operand = rule_reshape(rewrite, node->inputs[0], &flat);
    struct weft_value *inputs[2] = {
        operand,
        weights_of(rewrite, node->inputs[1], weft_node_int(node, WEFT_ATTR_transpose_b) != 0)};
    struct weft_value *y = weft_rewrite_node(rewrite, WEFT_OP_DENSE, 2, inputs, 0, NULL, &made);
    return rule_reshape(rewrite, y, &site->post->type);
}

/* reshape(dense) plus a number for each output: dense, bias_add, reshape. */
static struct weft_value *sum_to_bias(struct weft_rewrite *rewrite, const struct weft_site *site) {
    float *offsets = NULL;
    const struct weft_value *x = rule_by_channel(rewrite, site->post->producer, true, &offsets);
    const struct weft_node *reshape = x == NULL ? NULL : x->producer;
    if (reshape != NULL && reshape->op == WEFT_OP_RESHAPE && weft_rewrite_uses(rewrite, x) == 1) {
        x = reshape->inputs[0];
    }
    int64_t outputs = x == NULL ? 0 : x->type.dim[x->type.rank - 1];
    if (x == NULL || x->producer == NULL || x->producer->op != WEFT_OP_DENSE ||
        outputs != site->post->type.dim[site->post->type.rank - 1] ||
        weft_rewrite_uses(rewrite, x) != 1) {
        return NULL;
    }
    struct weft_value *inputs[2] = {x->producer->results[0],
                                    rule_vector(rewrite, outputs, offsets)};
    struct weft_value *y =
        weft_rewrite_node(rewrite, WEFT_OP_BIAS_ADD, 2, inputs, 0, NULL, &x->type);
    return rule_reshape(rewrite, y, &site->post->type);
}

struct weft_graph *weft_pass_make_dense(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    struct weft_pattern *both[2] = {weft_pattern_wildcard(arena), weft_pattern_wildcard(arena)};
    const struct weft_rule rules[] = {
        {weft_pattern_op(arena, WEFT_OP_BATCH_MATMUL, 2, both), product_to_dense, NULL},
        {weft_pattern_op(arena, WEFT_OP_ADD, 2, both), sum_to_bias, NULL},
    };
    return weft_rewrite(graph, sizeof rules / sizeof rules[0], rules);
}
