/* A graph without regions and composites. */
#include "compiler/partition/partition.h"

static void forget_target(struct weft_node *node) {
    weft_node_remove_attribute(node, WEFT_ATTR_target);
    weft_node_remove_attribute(node, WEFT_ATTR_region);
    weft_node_remove_attribute(node, WEFT_ATTR_reason);
}

static void open_nodes(struct weft_copy *copy, const struct weft_graph *graph);

/* Puts the nodes of a body where its node was. Bodies of a good graph are nested at most three
 * deep.
 */
static void open_body(struct weft_copy *outer, const struct weft_node *node) {
    struct weft_copy copy = {node->body, outer->to, weft_map_new(outer->to->arena)};
    for (uint32_t i = 0; i < node->input_count; i++) {
        weft_map_set(copy.values, node->body->inputs[i], weft_copy_value(outer, node->inputs[i]));
    }
    open_nodes(&copy, node->body);
    for (uint32_t i = 0; i < node->result_count; i++) {
        weft_map_set(outer->values, node->results[i],
                     weft_copy_value(&copy, node->body->outputs[i]));
    }
}

static void open_nodes(struct weft_copy *copy, const struct weft_graph *graph) {
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        if (node->body != NULL) {
            open_body(copy, node);
        } else {
            forget_target(weft_copy_node(copy, node));
        }
    }
}

struct weft_graph *weft_open_bodies(const struct weft_graph *graph) {
    struct weft_copy copy = weft_copy_start(graph);
    open_nodes(&copy, graph);
    return weft_copy_finish(&copy);
}
