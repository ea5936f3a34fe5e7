/* Layer normalisation of whole images, as GroupNorm of one group is, does not care for the order of
 * their elements: transposes that put channels first before it come behind. */
#include "compiler/passes/sink.h"

/* Is a constant of floats the same number everywhere? */
static bool is_uniform(const struct weft_value *value) {
    const float *numbers = (const float *)(const void *)weft_value_data(value); /* aligned */
    int64_t count = weft_type_elements(&value->type);
    int64_t i = 0;
    while (numbers != NULL && i < count && numbers[i] == numbers[0]) {
        i++;
    }
    return numbers != NULL && i == count;
}

/* Do the axes that the transpose moves lie within what is normalised, rows of so many elements? */
static bool moves_within(const struct weft_node *transpose, int64_t elements) {
    const struct weft_type *type = &transpose->inputs[0]->type;
    int64_t moved = 1;
    for (uint32_t i = rule_first_moved(transpose); i < type->rank; i++) {
        moved *= type->dim[i];
    }
    return moved > 0 && elements % moved == 0;
}

struct weft_value *sink_norm(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_value *y = site->post->producer->inputs[0];
    const struct weft_node *norm = y->producer;
    const struct weft_value *flat = norm->inputs[0];
    const struct weft_value *turned = flat->producer->inputs[0];
    const struct weft_node *transpose = turned->producer;
    struct weft_value *x = transpose->inputs[0];
    if (!weft_shape_equal(&turned->type, &site->post->type) || !is_uniform(norm->inputs[1]) ||
        !is_uniform(norm->inputs[2]) ||
        !moves_within(transpose, flat->type.dim[flat->type.rank - 1]) ||
        weft_rewrite_uses(rewrite, y) != 1) {
        return NULL;
    }
    const struct weft_attribute permutation =
        *weft_node_attribute(transpose, WEFT_ATTR_permutation);
    const struct weft_type type = x->type;
    struct weft_value *inputs[3] = {rule_reshape(rewrite, x, &flat->type), norm->inputs[1],
                                    norm->inputs[2]};
    x = rule_reshape(rewrite, weft_rewrite_copy(rewrite, norm, inputs, &y->type), &type);
    return weft_rewrite_node(rewrite, WEFT_OP_TRANSPOSE, 1, &x, 1, &permutation, &site->post->type);
}
