/* A pad becomes padding of the convolutions and maximum pools after it. */
#include "compiler/passes/rules.h"

/* Where `pads` has top, left, bottom and right. */
static const int pad_of_side[4] = {2, 4, 3, 5};

/* Does the node pad rows and columns of [N, H, W, C] only? */
static bool pads_space(const struct weft_node *node) {
    if (node->op != WEFT_OP_PAD || node->inputs[0]->type.rank != 4) {
        return false;
    }
    const int64_t *pads = weft_node_ints(node, WEFT_ATTR_pads);
    return pads[0] == 0 && pads[1] == 0 && pads[6] == 0 && pads[7] == 0 && rule_pads_zero(node);
}

static bool is_convolution(const struct weft_node *node) {
    return node->op == WEFT_OP_QNN_CONV2D || node->op == WEFT_OP_CONV2D;
}

/* A maximum pool has nothing to do with what lies outside, so a pad of the smallest number of all
 * can as well be outside, if every window has something inside. */
static bool takes_smallest(const struct weft_node *pool, const struct weft_node *pad) {
    const struct weft_type *type = &pad->results[0]->type;
    const struct weft_node *before = pad->inputs[0]->producer;
    if (before != NULL && before->op == WEFT_OP_PAD) {
        return false; /* both together could hold a window */
    }
    if (pool->op != WEFT_OP_MAX_POOL2D || type->dtype != WEFT_I8 || type->quantization.count == 0 ||
        weft_type_zero(type, 0) != INT8_MIN) {
        return false;
    }
    const int64_t *pads = weft_node_ints(pad, WEFT_ATTR_pads);
    const int64_t *own = weft_node_ints(pool, WEFT_ATTR_padding);
    const int64_t *kernel = weft_node_ints(pool, WEFT_ATTR_kernel);
    bool inside = true;
    for (int side = 0; side < 4; side++) {
        inside = inside && own[side] + pads[pad_of_side[side]] < kernel[side % 2];
    }
    return inside;
}

/* Does nobody take the node's results? */
static bool is_unused(const struct weft_use_index *uses, const struct weft_node *node) {
    bool unused = true;
    for (uint32_t i = 0; unused && i < node->result_count; i++) {
        const struct weft_users *users = weft_users_of(uses, node->results[i]);
        unused = users->count == 0 && !users->is_output;
    }
    return unused;
}

/* Do all users take the padding over: convolutions, for which it is the first operand, and pads
 * that go as well? What nobody uses does not count. */
static bool goes_into_users(const struct weft_use_index *uses, const struct weft_map *folded,
                            const struct weft_value *value) {
    const struct weft_users *users = weft_users_of(uses, value);
    bool all = !users->is_output;
    for (uint32_t i = 0; all && i < users->count; i++) {
        const struct weft_node *user = users->nodes[i];
        bool takes = user->inputs[0] == value &&
                     (user->input_count < 2 || user->inputs[1] != value) &&
                     (is_convolution(user) || takes_smallest(user, value->producer) ||
                      weft_map_get(folded, user) != NULL);
        all = takes || is_unused(uses, user);
    }
    return all;
}

/* The padding of a window together with that of the pad before it. */
static void add_padding(struct weft_arena *arena, struct weft_node *window,
                        const struct weft_node *pad) {
    const int64_t *pads = weft_node_ints(pad, WEFT_ATTR_pads);
    const int64_t *own = weft_node_ints(window, WEFT_ATTR_padding);
    int64_t sum[4];
    for (int i = 0; i < 4; i++) {
        sum[i] = own[i] + pads[pad_of_side[i]];
    }
    for (uint32_t i = 0; i < window->attribute_count; i++) {
        if (window->attributes[i].key == WEFT_ATTR_padding) {
            window->attributes[i] = weft_attr_ints(arena, WEFT_ATTR_padding, 4, sum);
        }
    }
}

/* Pads that go, found from the outputs upwards. */
static struct weft_map *find_folded(const struct weft_graph *graph) {
    const struct weft_use_index *uses = weft_use_index_new(graph);
    struct weft_map *folded = weft_map_new(graph->arena);
    for (size_t i = graph->node_count; i-- > 0;) {
        struct weft_node *node = graph->nodes[i];
        if (pads_space(node) && goes_into_users(uses, folded, node->results[0])) {
            weft_map_set(folded, node, node);
        }
    }
    return folded;
}

struct weft_graph *weft_pass_fold_pad(const struct weft_graph *graph) {
    struct weft_map *folded = find_folded(graph);
    struct weft_copy copy = weft_copy_start(graph);
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        struct weft_node *made = weft_copy_node(&copy, node);
        const struct weft_value *x =
            is_convolution(node) || node->op == WEFT_OP_MAX_POOL2D ? node->inputs[0] : NULL;
        while (x != NULL && x->producer != NULL && weft_map_get(folded, x->producer) != NULL) {
            add_padding(graph->arena, made, x->producer);
            x = x->producer->inputs[0];
            made->inputs[0] = weft_copy_value(&copy, x);
        }
    }
    return weft_copy_finish(&copy);
}
