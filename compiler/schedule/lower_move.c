/* Moving elements. */
#include <string.h>

#include "compiler/schedule/lower.h"

const char *lower_pad(const struct lowering *lowering, const struct weft_node *node,
                      const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    const char *reason = set_shapes(lowering, node->inputs[0], output);
    if (reason != NULL) {
        return reason;
    }
    const int64_t *pads = weft_node_ints(node, WEFT_ATTR_pads);
    int64_t all[8] = {0};
    memcpy(all + 2 * (4 - node->inputs[0]->type.rank), pads,
           2 * node->inputs[0]->type.rank * sizeof *pads);
    if (all[0] != 0 || all[1] != 0 || all[6] != 0 || all[7] != 0) {
        return "only rows and columns are padded on the machine";
    }
    layer->kind = LAYER_PAD;
    layer->name = "pad";
    const int64_t pad[4] = {all[2], all[4], all[3], all[5]};
    memcpy(layer->pad, pad, sizeof pad);
    return NULL;
}

const char *lower_reshape(const struct lowering *lowering, const struct weft_node *node,
                          const struct weft_value *output) {
    const char *reason = set_shapes(lowering, node->inputs[0], output);
    lowering->layer->kind = LAYER_RESHAPE;
    lowering->layer->name = "reshape";
    if (reason == NULL && weft_value_data(node->inputs[0]) != NULL) {
        return "a constant needs no machine to be reshaped";
    }
    return reason;
}
