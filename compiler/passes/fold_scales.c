/* Factors and offsets for each channel behind a product of floats, as batch normalisation leaves
 * them, go into its weights and its bias. */
#include <math.h>
#include <string.h>

#include "compiler/passes/rules.h"

/* The convolution or dense product that makes a value, with weights that are known and that nobody
 * else needs the result of; NULL: there is none. */
static const struct weft_node *product_of(const struct weft_rewrite *rewrite,
                                          const struct weft_value *value) {
    const struct weft_node *node = value->producer;
    bool is_product = node != NULL && (node->op == WEFT_OP_CONV2D || node->op == WEFT_OP_DENSE ||
                                       node->op == WEFT_OP_CONV2D_TRANSPOSE);
    return is_product && weft_value_data(node->inputs[1]) != NULL &&
                   weft_rewrite_uses(rewrite, value) == 1
               ? node
               : NULL;
}

/* The bias_add of a known bias that makes a value and that nobody else needs; NULL: there is none.
 */
static const struct weft_node *bias_of(const struct weft_rewrite *rewrite,
                                       const struct weft_value *value) {
    const struct weft_node *node = value->producer;
    return node != NULL && node->op == WEFT_OP_BIAS_ADD &&
                   weft_value_data(node->inputs[1]) != NULL && value->type.dtype == WEFT_F32 &&
                   weft_rewrite_uses(rewrite, value) == 1
               ? node
               : NULL;
}

/* ---- factors ---- */

/* The product with each output's weights times its factor; outputs are the first axis. */
static struct weft_value *scale_product(struct weft_rewrite *rewrite,
                                        const struct weft_node *product, const float *factors) {
    const struct weft_value *weights = product->inputs[1];
    const uint8_t *data = weft_value_data(weights);
    int64_t count = weft_type_elements(&weights->type);
    int64_t each = weights->type.dim[0] == 0 ? 1 : count / weights->type.dim[0];
    float *scaled = WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), (size_t)count, float);
    memcpy(scaled, data, (size_t)count * sizeof *scaled);
    for (int64_t i = 0; i < count; i++) {
        scaled[i] *= factors[i / each];
    }
    struct weft_value *inputs[2] = {product->inputs[0],
                                    weft_rewrite_constant(rewrite, &weights->type, scaled)};
    return weft_rewrite_copy(rewrite, product, inputs, &product->results[0]->type);
}

/* The product that makes x, with its bias, times factors; NULL: no product does. */
static struct weft_value *scale(struct weft_rewrite *rewrite, const struct weft_value *x,
                                const float *factors) {
    const struct weft_node *bias = bias_of(rewrite, x);
    const struct weft_node *product = product_of(rewrite, bias == NULL ? x : bias->inputs[0]);
    if (product == NULL) {
        return NULL;
    }
    struct weft_value *y = scale_product(rewrite, product, factors);
    if (bias == NULL) {
        return y;
    }
    int64_t channels = bias->inputs[1]->type.dim[0];
    float *numbers = WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), (size_t)channels, float);
    memcpy(numbers, weft_value_data(bias->inputs[1]), (size_t)channels * sizeof *numbers);
    for (int64_t i = 0; i < channels; i++) {
        numbers[i] *= factors[i];
    }
    struct weft_value *inputs[2] = {y, rule_vector(rewrite, channels, numbers)};
    return weft_rewrite_node(rewrite, WEFT_OP_BIAS_ADD, 2, inputs, 0, NULL, &x->type);
}

/* What is between a factor and the product that it goes into. */
enum {
    MOST_BETWEEN = 8
};

static struct weft_value *scale_source(struct weft_rewrite *rewrite, const struct weft_value *x,
                                       float factor, uint32_t between);

/* The node, which nobody else needs, with one operand times a number. */
static struct weft_value *scale_operand(struct weft_rewrite *rewrite, const struct weft_node *node,
                                        uint32_t index, float factor, uint32_t between) {
    struct weft_value *inputs[2] = {node->inputs[0],
                                    node->input_count < 2 ? NULL : node->inputs[1]};
    inputs[index] = scale_source(rewrite, inputs[index], factor, between + 1);
    return inputs[index] == NULL
               ? NULL
               : weft_rewrite_copy(rewrite, node, inputs, &node->results[0]->type);
}

/* x times a number, by a product with known weights that it follows from: over moves and products
 * of two tensors, as that of attention's scores; NULL: no product is found. */
static struct weft_value *scale_source(struct weft_rewrite *rewrite, const struct weft_value *x,
                                       float factor, uint32_t between) {
    const struct weft_node *node = x->producer;
    int64_t channels = x->type.rank == 0 ? 0 : x->type.dim[x->type.rank - 1];
    float *factors = WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), (size_t)channels, float);
    for (int64_t i = 0; i < channels; i++) {
        factors[i] = factor;
    }
    struct weft_value *made = scale(rewrite, x, factors);
    if (made != NULL || node == NULL || between == MOST_BETWEEN ||
        weft_rewrite_uses(rewrite, x) != 1) {
        return made;
    }
    if (node->op == WEFT_OP_RESHAPE || node->op == WEFT_OP_TRANSPOSE) {
        return scale_operand(rewrite, node, 0, factor, between);
    }
    for (uint32_t i = 0; made == NULL && node->op == WEFT_OP_BATCH_MATMUL && i < 2; i++) {
        made = scale_operand(rewrite, node, i, factor, between);
    }
    return made;
}

/* x times factors, by the product that it follows from; NULL: there is none. */
static struct weft_value *scale_any(struct weft_rewrite *rewrite, const struct weft_value *x,
                                    const float *factors) {
    bool uniform = x->type.dim[x->type.rank - 1] > 0;
    for (int64_t i = 1; uniform && i < x->type.dim[x->type.rank - 1]; i++) {
        uniform = factors[i] == factors[0];
    }
    return uniform ? scale_source(rewrite, x, factors[0], 0) : scale(rewrite, x, factors);
}

static struct weft_value *fold_factor(struct weft_rewrite *rewrite, const struct weft_site *site) {
    float *factors = NULL;
    const struct weft_value *x = rule_by_channel(rewrite, site->post->producer, true, &factors);
    return x == NULL ? NULL : scale_any(rewrite, x, factors);
}

static struct weft_value *fold_divisor(struct weft_rewrite *rewrite, const struct weft_site *site) {
    float *factors = NULL;
    const struct weft_value *x = rule_by_channel(rewrite, site->post->producer, false, &factors);
    for (int64_t i = 0; x != NULL && i < x->type.dim[x->type.rank - 1]; i++) {
        factors[i] = 1.0F / factors[i];
        if (!isfinite(factors[i])) {
            return NULL;
        }
    }
    return x == NULL ? NULL : scale_any(rewrite, x, factors);
}

/* ---- offsets ---- */

/* x with offsets as its bias, which the one that it has takes in. */
static struct weft_value *offset(struct weft_rewrite *rewrite, struct weft_value *x,
                                 float *offsets) {
    const struct weft_node *bias = bias_of(rewrite, x);
    const struct weft_value *y = bias == NULL ? x : bias->inputs[0];
    int64_t channels = x->type.dim[x->type.rank - 1];
    if (product_of(rewrite, y) == NULL) {
        return NULL;
    }
    for (int64_t i = 0; bias != NULL && i < channels; i++) {
        float number;
        memcpy(&number, weft_value_data(bias->inputs[1]) + (size_t)i * sizeof number,
               sizeof number);
        offsets[i] += number;
    }
    struct weft_value *inputs[2] = {bias == NULL ? x : bias->inputs[0],
                                    rule_vector(rewrite, channels, offsets)};
    return weft_rewrite_node(rewrite, WEFT_OP_BIAS_ADD, 2, inputs, 0, NULL, &x->type);
}

static struct weft_value *fold_sum(struct weft_rewrite *rewrite, const struct weft_site *site) {
    float *offsets = NULL;
    struct weft_value *x = rule_by_channel(rewrite, site->post->producer, true, &offsets);
    return x == NULL ? NULL : offset(rewrite, x, offsets);
}

static struct weft_value *fold_difference(struct weft_rewrite *rewrite,
                                          const struct weft_site *site) {
    float *offsets = NULL;
    struct weft_value *x = rule_by_channel(rewrite, site->post->producer, false, &offsets);
    for (int64_t i = 0; x != NULL && i < x->type.dim[x->type.rank - 1]; i++) {
        offsets[i] = -offsets[i];
    }
    return x == NULL ? NULL : offset(rewrite, x, offsets);
}

struct weft_graph *weft_pass_fold_scales(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    struct weft_pattern *both[2] = {weft_pattern_wildcard(arena), weft_pattern_wildcard(arena)};
    const struct weft_rule rules[] = {
        {weft_pattern_op(arena, WEFT_OP_MUL, 2, both), fold_factor, NULL},
        {weft_pattern_op(arena, WEFT_OP_DIVIDE, 2, both), fold_divisor, NULL},
        {weft_pattern_op(arena, WEFT_OP_ADD, 2, both), fold_sum, NULL},
        {weft_pattern_op(arena, WEFT_OP_SUBTRACT, 2, both), fold_difference, NULL},
    };
    return weft_rewrite(graph, sizeof rules / sizeof rules[0], rules);
}
