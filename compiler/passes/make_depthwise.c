/* Windows and channels of [N, H, W, C] of floats that are weighed by numbers which are known become
 * depthwise convolutions: quantised, they are products like any other. */
#include <math.h>

#include "compiler/passes/rules.h"

/* ---- averages ---- */

/* The mean of the whole image is left to others: it has a sum of its own. */
static struct weft_value *average(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *pool = site->post->producer;
    struct weft_value *x = pool->inputs[0];
    const int64_t *kernel = weft_node_ints(pool, WEFT_ATTR_kernel);
    const int64_t *padding = weft_node_ints(pool, WEFT_ATTR_padding);
    const int64_t *dims = site->post->type.dim;
    bool padded = padding[0] != 0 || padding[1] != 0 || padding[2] != 0 || padding[3] != 0;
    if (x->type.dtype != WEFT_F32 || padded || (dims[1] == 1 && dims[2] == 1)) {
        return NULL;
    }
    int64_t of_window = kernel[0] * kernel[1];
    int64_t count = x->type.dim[3] * of_window;
    float *weights = WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), (size_t)count, float);
    for (int64_t i = 0; i < count; i++) {
        weights[i] = 1.0F / (float)of_window;
    }
    return rule_depthwise(rewrite, x, kernel, weft_node_ints(pool, WEFT_ATTR_strides), weights,
                          &site->post->type);
}

/* ---- factors ---- */

/* One number for all channels is a table's. */
static struct weft_value *weigh(struct weft_rewrite *rewrite, struct weft_value *x,
                                const struct weft_value *constant, const float *factors) {
    static const int64_t one[2] = {1, 1};
    bool fits = x->type.rank == 4 && weft_type_elements(&constant->type) > 1;
    for (int64_t i = 0; fits && i < x->type.dim[3]; i++) {
        fits = isfinite(factors[i]);
    }
    return fits ? rule_depthwise(rewrite, x, one, one, factors, &x->type) : NULL;
}

static struct weft_value *multiply(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    float *factors = NULL;
    struct weft_value *x = rule_by_channel(rewrite, node, true, &factors);
    return x == NULL ? NULL
                     : weigh(rewrite, x, node->inputs[x == node->inputs[0] ? 1 : 0], factors);
}

static struct weft_value *divide(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    float *factors = NULL;
    struct weft_value *x = rule_by_channel(rewrite, node, false, &factors);
    for (int64_t i = 0; x != NULL && i < x->type.dim[x->type.rank - 1]; i++) {
        factors[i] = 1.0F / factors[i];
    }
    return x == NULL ? NULL : weigh(rewrite, x, node->inputs[1], factors);
}

struct weft_graph *weft_pass_make_depthwise(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    struct weft_pattern *both[2] = {weft_pattern_wildcard(arena), weft_pattern_wildcard(arena)};
    const struct weft_rule rules[] = {
        {rule_unary(arena, WEFT_OP_AVG_POOL2D, weft_pattern_wildcard(arena)), average, NULL},
        {weft_pattern_op(arena, WEFT_OP_MUL, 2, both), multiply, NULL},
        {weft_pattern_op(arena, WEFT_OP_DIVIDE, 2, both), divide, NULL},
    };
    return weft_rewrite(graph, sizeof rules / sizeof rules[0], rules);
}
