/* Another shape of the same bytes: a name, no work. */
#include "compiler/layers/layers.h"

static const char *lower_reshape(const struct lowering *lowering, const struct weft_node *node,
                                 const struct weft_value *output) {
    const char *reason = set_any_shapes(lowering, node->inputs[0], output);
    lowering->layer->kind = LAYER_RESHAPE;
    lowering->layer->name = "reshape";
    if (made_inside(lowering, node->inputs[0]) != NULL) {
        return "channels of several heads share a block"; /* of a product of heads */
    }
    if (reason == NULL && weft_value_data(node->inputs[0]) != NULL) {
        return "a constant needs no machine to be reshaped";
    }
    return reason;
}

static const struct layer_pattern patterns[] = {
    {"weft.reshape", WEFT_OP_RESHAPE, plain_function, lower_reshape},
};

const struct layer_operations reshape_operations = {
    .name = "reshape",
    .pattern_count = COUNT_OF(patterns),
    .patterns = patterns,
    .rows_read = same_rows,
};
