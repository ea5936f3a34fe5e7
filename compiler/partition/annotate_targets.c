/* AnnotateTarget: which target, or the host and why, takes each node. */
#include <string.h>

#include "compiler/partition/partition.h"

static const char *target_of_composite(const struct weft_node *node, size_t target_count,
                                       const struct weft_pattern_table *targets) {
    const char *name = weft_node_text(node, WEFT_ATTR_name);
    for (size_t i = 0; i < target_count; i++) {
        for (size_t k = 0; k < targets[i].entry_count; k++) {
            if (strcmp(targets[i].entries[k].name, name) == 0) {
                return targets[i].name;
            }
        }
    }
    return NULL;
}

/* Does it read or make floats? */
static bool is_float(const struct weft_node *node) {
    bool found = false;
    for (uint32_t i = 0; i < node->input_count; i++) {
        found = found || node->inputs[i]->type.dtype == WEFT_F32;
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        found = found || node->results[i]->type.dtype == WEFT_F32;
    }
    return found;
}

/* Why nobody takes an operator: said when no check gave a reason. */
static const char *default_reason(struct weft_arena *arena, const struct weft_node *node) {
    return weft_arena_print(arena, "the machine has no operation for %s%s",
                            weft_operator_name(node->op), is_float(node) ? " of FLOAT32" : "");
}

struct weft_graph *weft_annotate_targets(const struct weft_graph *graph, size_t target_count,
                                         const struct weft_pattern_table *targets) {
    struct weft_copy copy = weft_copy_start(graph);
    for (size_t i = 0; i < graph->node_count; i++) {
        struct weft_node *node = weft_copy_node(&copy, graph->nodes[i]);
        const char *target =
            node->op == WEFT_OP_COMPOSITE ? target_of_composite(node, target_count, targets) : NULL;
        if (target != NULL) {
            weft_node_remove_attribute(node, WEFT_ATTR_target);
            weft_node_add_attribute(graph->arena, node, weft_attr_text(WEFT_ATTR_target, target));
        } else if (node->op != WEFT_OP_CONSTANT &&
                   weft_node_attribute(node, WEFT_ATTR_reason) == NULL) {
            weft_node_add_attribute(
                graph->arena, node,
                weft_attr_text(WEFT_ATTR_reason, default_reason(graph->arena, node)));
        }
    }
    return weft_copy_finish(&copy);
}
