/* Rows and columns of a window that lie in the padding wherever the window is go: those of wide
 * windows over small pictures, and of windows spread further apart than the picture is large. */
#include <string.h>

#include "compiler/ir/window.h"
#include "compiler/passes/rules.h"

/* Does tap `k` meet the picture anywhere? */
static bool meets(const struct weft_axis_window *axis, int64_t k) {
    int64_t first = 0;
    int64_t end = 0;
    weft_tap_outputs(axis, k, &first, &end);
    return first < end;
}

/* The taps that stay, *first to the one before *end. Padding that is less than what goes stays as
 * it is, with the taps: windows of the IR leave nothing out. A window that meets nothing at all
 * stays, too. */
static void find_taps(const struct weft_axis_window *axis, int64_t *first, int64_t *end) {
    *first = 0;
    *end = axis->kernel;
    while (*first < *end && !meets(axis, *first) && (*first + 1) * axis->dilation <= axis->before) {
        (*first)++;
    }
    while (*end > *first && !meets(axis, *end - 1) &&
           (axis->kernel - *end + 1) * axis->dilation <= axis->after) {
        (*end)--;
    }
    if (*first == *end) {
        *first = 0;
        *end = axis->kernel;
    }
}

/* Rows [first[0], end[0]) and columns [first[1], end[1]) of weights [O, H, W, C]. */
static struct weft_value *cut_weights(struct weft_rewrite *rewrite,
                                      const struct weft_value *weights, const int64_t first[2],
                                      const int64_t end[2]) {
    struct weft_type type = weights->type;
    type.dim[1] = end[0] - first[0];
    type.dim[2] = end[1] - first[1];
    size_t bytes = (size_t)type.dim[3] * weft_dtype_bytes(type.dtype);
    size_t row = bytes * (size_t)type.dim[2];
    const uint8_t *from = weft_value_data(weights);
    uint8_t *made = weft_arena_allocate(weft_rewrite_arena(rewrite),
                                        (size_t)(type.dim[0] * type.dim[1]) + 1, row);
    for (int64_t i = 0; i < type.dim[0] * type.dim[1]; i++) {
        int64_t at = i / type.dim[1] * weights->type.dim[1] + first[0] + i % type.dim[1];
        memcpy(made + (size_t)i * row,
               from + (size_t)(at * weights->type.dim[2] + first[1]) * bytes, row);
    }
    return weft_rewrite_constant(rewrite, &type, made);
}

static struct weft_value *cut(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    const struct weft_value *weights = node->inputs[1];
    if (weft_value_data(weights) == NULL || weft_type_elements(&weights->type) == 0 ||
        weft_type_elements(&site->post->type) == 0) {
        return NULL;
    }
    int64_t padding[4];
    int64_t first[2];
    int64_t end[2];
    bool is_cut = false;
    memcpy(padding, weft_node_ints(node, WEFT_ATTR_padding), sizeof padding);
    for (int i = 0; i < 2; i++) {
        const struct weft_axis_window axis = {.in = node->inputs[0]->type.dim[1 + i],
                                              .out = site->post->type.dim[1 + i],
                                              .kernel = weights->type.dim[1 + i],
                                              .stride = weft_node_ints(node, WEFT_ATTR_strides)[i],
                                              .dilation =
                                                  weft_node_ints(node, WEFT_ATTR_dilation)[i],
                                              .before = padding[i],
                                              .after = padding[2 + i]};
        find_taps(&axis, &first[i], &end[i]);
        padding[i] -= first[i] * axis.dilation;
        padding[2 + i] -= (axis.kernel - end[i]) * axis.dilation;
        is_cut = is_cut || end[i] - first[i] < axis.kernel;
    }
    if (!is_cut) {
        return NULL;
    }
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    struct weft_value *inputs[2] = {node->inputs[0], cut_weights(rewrite, weights, first, end)};
    int64_t left = (end[0] - first[0]) * (end[1] - first[1]);
    int64_t macs = weft_node_macs(node);
    int64_t lost = macs - macs / (weights->type.dim[1] * weights->type.dim[2]) * left;
    struct weft_attribute *attributes =
        WEFT_NEW_ARRAY(arena, node->attribute_count + 1U, struct weft_attribute);
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        if (node->attributes[i].key != WEFT_ATTR_cut_macs) {
            attributes[count++] = node->attributes[i].key == WEFT_ATTR_padding
                                      ? weft_attr_ints(arena, WEFT_ATTR_padding, 4, padding)
                                      : node->attributes[i];
        }
    }
    attributes[count++] =
        weft_attr_int(arena, WEFT_ATTR_cut_macs, weft_node_model_macs(node) - (macs - lost));
    return weft_rewrite_node(rewrite, node->op, 2, inputs, count, attributes, &site->post->type);
}

struct weft_graph *weft_pass_cut_taps(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    struct weft_pattern *any[2] = {weft_pattern_wildcard(arena), weft_pattern_wildcard(arena)};
    const struct weft_rule rule = {weft_pattern_op(arena, WEFT_OP_QNN_CONV2D, 2, any), cut, NULL};
    return weft_rewrite(graph, 1, &rule);
}
