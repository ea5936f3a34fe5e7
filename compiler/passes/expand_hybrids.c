/* Products of floats with weights of int8, as a converter leaves them that quantises weights alone,
 * become products of floats: their weights are what they stand for. */
#include "compiler/passes/rules.h"

/* What a constant of integers, quantised along its first axis or as a whole, stands for; zero
 * points count as 0, as they do in the operator. */
static struct weft_value *floats_of(struct weft_rewrite *rewrite,
                                    const struct weft_value *weights) {
    struct weft_type type = weft_type_make(WEFT_F32, weights->type.rank, weights->type.dim);
    int64_t count = weft_type_elements(&type);
    int64_t each = type.dim[0] == 0 ? 1 : count / type.dim[0];
    float *floats = WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), (size_t)count, float);
    for (int64_t i = 0; i < count; i++) {
        double integer = (double)weft_element(weights->type.dtype, weft_value_data(weights), i);
        floats[i] = (float)(integer * weft_type_scale(&weights->type, i / each));
    }
    return weft_rewrite_constant(rewrite, &type, floats);
}

static struct weft_value *expand(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    const struct weft_value *weights = node->inputs[1];
    const struct weft_quantization *scales = &weights->type.quantization;
    if (weft_value_data(weights) == NULL || scales->count == 0 || weights->type.rank == 0 ||
        (scales->count > 1 && (scales->axis != 0 || scales->count != weights->type.dim[0]))) {
        return NULL;
    }
    bool dense = node->op == WEFT_OP_HYBRID_DENSE;
    struct weft_attribute attributes[4];
    static const enum weft_attribute_key keys[] = {WEFT_ATTR_strides, WEFT_ATTR_padding,
                                                   WEFT_ATTR_dilation, WEFT_ATTR_groups};
    for (size_t i = 0; !dense && i < sizeof keys / sizeof keys[0]; i++) {
        attributes[i] = *weft_node_attribute(node, keys[i]);
    }
    struct weft_value *inputs[2] = {node->inputs[0], floats_of(rewrite, weights)};
    inputs[0] = weft_rewrite_node(rewrite, dense ? WEFT_OP_DENSE : WEFT_OP_CONV2D, 2, inputs,
                                  dense ? 0 : 4, attributes, &site->post->type);
    inputs[1] = node->inputs[2];
    return weft_rewrite_node(rewrite, WEFT_OP_BIAS_ADD, 2, inputs, 0, NULL, &site->post->type);
}

struct weft_graph *weft_pass_expand_hybrids(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    struct weft_pattern *any[3] = {weft_pattern_wildcard(arena), weft_pattern_wildcard(arena),
                                   weft_pattern_wildcard(arena)};
    const struct weft_rule rules[] = {
        {weft_pattern_op(arena, WEFT_OP_HYBRID_CONV2D, 3, any), expand, NULL},
        {weft_pattern_op(arena, WEFT_OP_HYBRID_DENSE, 3, any), expand, NULL},
    };
    return weft_rewrite(graph, sizeof rules / sizeof rules[0], rules);
}
