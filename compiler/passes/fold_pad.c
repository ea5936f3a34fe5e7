#include "compiler/passes/passes.h"

#include <string.h>

/* Does the node pad rows and columns of [N, H, W, C] only? */
static bool pads_space(const struct weft_node *node) {
    if (node == NULL || node->op != WEFT_OP_PAD || node->inputs[0]->type.rank != 4) {
        return false;
    }
    const int64_t *pads = weft_node_ints(node, WEFT_ATTR_pads);
    return pads[0] == 0 && pads[1] == 0 && pads[6] == 0 && pads[7] == 0;
}

/* The convolution's padding together with that of the pad before it. */
static void add_padding(struct weft_arena *arena, struct weft_node *conv,
                        const struct weft_node *pad) {
    static const int from[4] = {2, 4, 3, 5}; /* top, left, bottom, right in `pads` */
    const int64_t *pads = weft_node_ints(pad, WEFT_ATTR_pads);
    const int64_t *own = weft_node_ints(conv, WEFT_ATTR_padding);
    int64_t sum[4];
    for (int i = 0; i < 4; i++) {
        sum[i] = own[i] + pads[from[i]];
    }
    for (uint32_t i = 0; i < conv->attribute_count; i++) {
        if (conv->attributes[i].key == WEFT_ATTR_padding) {
            conv->attributes[i] = weft_attr_ints(arena, WEFT_ATTR_padding, 4, sum);
        }
    }
}

struct weft_graph *weft_pass_fold_pad(const struct weft_graph *graph) {
    struct weft_copy copy = weft_copy_start(graph);
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        const struct weft_node *pad =
            node->op == WEFT_OP_QNN_CONV2D ? node->inputs[0]->producer : NULL;
        struct weft_node *made = weft_copy_node(&copy, node);
        if (pads_space(pad)) {
            made->inputs[0] = weft_copy_value(&copy, pad->inputs[0]);
            add_padding(graph->arena, made, pad);
        }
    }
    return weft_copy_finish(&copy);
}
