/* gather of elements that a constant names one after another is a slice, perhaps without its axis.
 */
#include "compiler/passes/rules.h"

/* The place of the first of elements that a constant names one after another; -1: it does not. */
static int64_t first_of_run(const struct weft_value *indices, int64_t most) {
    const uint8_t *data = weft_value_data(indices);
    int64_t count = weft_type_elements(&indices->type);
    bool integers = indices->type.dtype == WEFT_I32 || indices->type.dtype == WEFT_I64;
    int64_t first =
        data == NULL || !integers || count == 0 ? -1 : weft_element(indices->type.dtype, data, 0);
    bool runs = first >= 0 && count <= most && first <= most - count;
    for (int64_t i = 1; runs && i < count; i++) {
        runs = weft_element(indices->type.dtype, data, i) == first + i;
    }
    return runs ? first : -1;
}

static struct weft_value *slice_gather(struct weft_rewrite *rewrite, const struct weft_site *site) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    const struct weft_node *node = site->post->producer;
    struct weft_value *x = node->inputs[0];
    int64_t axis = weft_node_int(node, WEFT_ATTR_axis);
    int64_t first = first_of_run(node->inputs[1], x->type.dim[axis]);
    if (first < 0 || weft_node_int(node, WEFT_ATTR_batch_dims) != 0 ||
        x->type.quantization.count > 1 || weft_value_data(x) != NULL ||
        !weft_quantization_equal(&x->type.quantization, &site->post->type.quantization)) {
        return NULL;
    }
    int64_t begin[WEFT_MAX_RANK] = {0};
    int64_t steps[WEFT_MAX_RANK];
    struct weft_type part = x->type;
    part.dim[axis] = weft_type_elements(&node->inputs[1]->type);
    begin[axis] = first;
    for (uint32_t i = 0; i < WEFT_MAX_RANK; i++) {
        steps[i] = 1;
    }
    const struct weft_attribute attributes[] = {
        weft_attr_ints(arena, WEFT_ATTR_begin, part.rank, begin),
        weft_attr_ints(arena, WEFT_ATTR_steps, part.rank, steps),
        weft_attr_ints(arena, WEFT_ATTR_sizes, part.rank, part.dim),
    };
    struct weft_value *slice =
        weft_rewrite_node(rewrite, WEFT_OP_STRIDED_SLICE, 1, &x, 3, attributes, &part);
    return rule_reshape(rewrite, slice, &site->post->type);
}

struct weft_graph *weft_pass_slice_gathers(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    struct weft_pattern *both[2] = {weft_pattern_wildcard(arena), weft_pattern_wildcard(arena)};
    const struct weft_rule rule = {weft_pattern_op(arena, WEFT_OP_GATHER, 2, both), slice_gather,
                                   NULL};
    return weft_rewrite(graph, 1, &rule);
}
