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

/* Does nobody take the node's result? */
static bool is_unused(const struct weft_use_index *uses, const struct weft_node *node) {
    const struct weft_users *users = weft_users_of(uses, node->results[0]);
    return node->result_count == 1 && users->count == 0 && !users->is_output;
}

/* Is the padded tensor needed by convolutions alone, so that it need not be made? */
static bool vanishes(const struct weft_use_index *uses, const struct weft_node *pad) {
    const struct weft_users *users = weft_users_of(uses, pad->results[0]);
    bool vanishes = !users->is_output;
    for (uint32_t i = 0; i < users->count; i++) {
        const struct weft_node *user = users->nodes[i];
        vanishes = vanishes && (is_unused(uses, user) || (user->op == WEFT_OP_QNN_CONV2D &&
                                                          user->inputs[0] == pad->results[0]));
    }
    return vanishes;
}

struct weft_graph *weft_pass_fold_pad(const struct weft_graph *graph) {
    const struct weft_use_index *uses = weft_use_index_new(graph);
    struct weft_copy copy = weft_copy_start(graph);
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        const struct weft_node *pad =
            node->op == WEFT_OP_QNN_CONV2D ? node->inputs[0]->producer : NULL;
        struct weft_node *made = weft_copy_node(&copy, node);
        if (pads_space(pad) && vanishes(uses, pad)) {
            made->inputs[0] = weft_copy_value(&copy, pad->inputs[0]);
            add_padding(graph->arena, made, pad);
        }
    }
    return weft_copy_finish(&copy);
}
