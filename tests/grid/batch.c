#include "tests/grid/batch.h"

#include <string.h>

/* The attribute of a slice that counts elements along the axes: its first entry grows, too. */
static void scale_sizes(struct weft_graph *graph, struct weft_node *node, int64_t batch) {
    const struct weft_attribute *sizes = weft_node_attribute(node, WEFT_ATTR_sizes);
    if (node->op != WEFT_OP_STRIDED_SLICE || sizes->count == 0) {
        return;
    }
    int64_t *scaled = WEFT_NEW_ARRAY(graph->arena, sizes->count, int64_t);
    uint32_t count = sizes->count;
    memcpy(scaled, sizes->ints, count * sizeof *scaled);
    scaled[0] *= batch;
    weft_node_remove_attribute(node, WEFT_ATTR_sizes);
    weft_node_add_attribute(graph->arena, node,
                            weft_attr_ints(graph->arena, WEFT_ATTR_sizes, count, scaled));
}

static bool depends_on_input(const struct weft_node *node, const struct weft_map *scaled) {
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (weft_map_get(scaled, node->inputs[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Marks a value of the old graph as one that has grown, and lets its copy grow. */
static void scale(struct weft_map *scaled, const struct weft_value *from, struct weft_value *to,
                  int64_t batch) {
    weft_map_set(scaled, from, to);
    to->type.dim[0] *= to->type.rank > 0 ? batch : 1;
}

bool graph_with_batch(const struct weft_graph *graph, int64_t batch, struct weft_graph **made,
                      struct weft_error *error) {
    struct weft_copy copy = weft_copy_start(graph);
    struct weft_map *scaled = weft_map_new(graph->arena);
    for (size_t i = 0; i < graph->input_count; i++) {
        scale(scaled, graph->inputs[i], copy.to->inputs[i], batch);
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        struct weft_node *twin = weft_copy_node(&copy, node);
        if (!depends_on_input(node, scaled)) {
            continue;
        }
        scale_sizes(copy.to, twin, batch);
        for (uint32_t k = 0; k < node->result_count; k++) {
            scale(scaled, node->results[k], twin->results[k], batch);
        }
    }
    *made = weft_copy_finish(&copy);
    return weft_graph_verify(*made, error) ||
           weft_fail_context(error, "with a batch of %d", (int)batch);
}
