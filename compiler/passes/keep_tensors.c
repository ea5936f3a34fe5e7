#include "compiler/passes/passes.h"

struct weft_graph *weft_pass_keep_tensors(const struct weft_graph *graph) {
    struct weft_copy copy = weft_copy_start(graph);
    struct weft_map *known = weft_map_new(graph->arena);
    for (size_t i = 0; i < graph->node_count; i++) {
        weft_copy_node(&copy, graph->nodes[i]);
    }
    struct weft_graph *kept = weft_copy_finish(&copy);
    for (size_t i = 0; i < kept->output_count; i++) {
        weft_map_set(known, kept->outputs[i], kept->outputs[i]);
    }
    for (size_t i = 0; i < kept->node_count; i++) {
        const struct weft_node *node = kept->nodes[i];
        for (uint32_t k = 0; k < node->result_count; k++) {
            struct weft_value *value = node->results[k];
            if (node->op != WEFT_OP_CONSTANT && value->tensor >= 0 &&
                weft_map_get(known, value) == NULL) {
                weft_graph_add_output(kept, value);
            }
        }
    }
    return kept;
}
