#include "compiler/passes/passes.h"

struct weft_graph *weft_pass_remove_unused(const struct weft_graph *graph) {
    struct weft_map *needed = weft_map_new(graph->arena); /* values */
    struct weft_map *kept = weft_map_new(graph->arena);   /* nodes */
    for (size_t i = 0; i < graph->output_count; i++) {
        weft_map_set(needed, graph->outputs[i], graph->outputs[i]);
    }
    for (size_t i = graph->node_count; i-- > 0;) {
        struct weft_node *node = graph->nodes[i];
        for (uint32_t k = 0; k < node->result_count; k++) {
            if (weft_map_get(needed, node->results[k]) != NULL) {
                weft_map_set(kept, node, node);
            }
        }
        for (uint32_t k = 0; weft_map_get(kept, node) != NULL && k < node->input_count; k++) {
            weft_map_set(needed, node->inputs[k], node->inputs[k]);
        }
    }
    struct weft_copy copy = weft_copy_start(graph);
    for (size_t i = 0; i < graph->node_count; i++) {
        if (weft_map_get(kept, graph->nodes[i]) != NULL) {
            weft_copy_node(&copy, graph->nodes[i]);
        }
    }
    return weft_copy_finish(&copy);
}
