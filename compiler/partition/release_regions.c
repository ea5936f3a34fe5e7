/* ReleaseRegions: regions that are not worth a round trip, and operators that a target has no room
 * for, go back to the host. */
#include <string.h>

#include "compiler/partition/partition.h"

struct release {
    const struct weft_graph *graph;
    const struct weft_use_index *uses;
    size_t target_count;
    const struct weft_pattern_table *targets;
};

static const struct weft_pattern_table *table_of(const struct release *release,
                                                 const struct weft_node *region) {
    const char *name = weft_node_text(region, WEFT_ATTR_target);
    for (size_t i = 0; i < release->target_count; i++) {
        if (strcmp(release->targets[i].name, name) == 0) {
            return &release->targets[i];
        }
    }
    return NULL;
}

static bool is_on_host(const struct weft_node *node) {
    return node != NULL && node->op != WEFT_OP_REGION && node->op != WEFT_OP_CONSTANT;
}

/* A region between inputs and outputs of the model and other regions saves the host nothing by
 * going back to it. */
static bool is_next_to_host(const struct release *release, const struct weft_node *region) {
    for (uint32_t i = 0; i < region->input_count; i++) {
        if (is_on_host(region->inputs[i]->producer)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < region->result_count; i++) {
        const struct weft_users *users = weft_users_of(release->uses, region->results[i]);
        for (uint32_t k = 0; k < users->count; k++) {
            if (is_on_host(users->nodes[k])) {
                return true;
            }
        }
    }
    return false;
}

/* *reason: why a region goes back, or NULL. */
static bool check(const struct release *release, const struct weft_node *region,
                  const char **reason, struct weft_error *error) {
    const struct weft_pattern_table *table = table_of(release, region);
    *reason = NULL;
    return table == NULL || table->check_region == NULL || !is_next_to_host(release, region) ||
           table->check_region(table->context, release->graph->arena, region->body, reason, error);
}

/* Puts the operators of a body where its node was; they are the host's. */
static void open_body(struct weft_copy *outer, const struct weft_node *node, const char *reason) {
    struct weft_graph *to = outer->to;
    struct weft_copy copy = {node->body, to, weft_map_new(to->arena)};
    for (uint32_t i = 0; i < node->input_count; i++) {
        weft_map_set(copy.values, node->body->inputs[i], weft_copy_value(outer, node->inputs[i]));
    }
    for (size_t i = 0; i < node->body->node_count; i++) {
        const struct weft_node *inner = node->body->nodes[i];
        if (inner->op == WEFT_OP_COMPOSITE) {
            open_body(&copy, inner, reason);
            continue;
        }
        struct weft_node *made = weft_copy_node(&copy, inner);
        if (inner->op != WEFT_OP_CONSTANT) {
            weft_node_remove_attribute(made, WEFT_ATTR_reason);
            weft_node_add_attribute(to->arena, made, weft_attr_text(WEFT_ATTR_reason, reason));
        }
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        weft_map_set(outer->values, node->results[i],
                     weft_copy_value(&copy, node->body->outputs[i]));
    }
}

bool weft_release_regions(const struct weft_graph *graph, size_t target_count,
                          const struct weft_pattern_table *targets, struct weft_graph **released,
                          struct weft_error *error) {
    const struct release release = {graph, weft_use_index_new(graph), target_count, targets};
    struct weft_copy copy = weft_copy_start(graph);
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        const char *reason = NULL;
        if (node->op == WEFT_OP_REGION && !check(&release, node, &reason, error)) {
            return false;
        }
        if (reason != NULL) {
            open_body(&copy, node, reason);
        } else {
            weft_copy_node(&copy, node);
        }
    }
    *released = weft_copy_finish(&copy);
    return true;
}

/* Puts the nodes of a region where it was: its target's, but for those that are refused. */
static void open_region(struct weft_copy *outer, const struct weft_node *region,
                        const struct weft_refusal *refusal) {
    struct weft_graph *to = outer->to;
    struct weft_copy copy = {region->body, to, weft_map_new(to->arena)};
    for (uint32_t i = 0; i < region->input_count; i++) {
        weft_map_set(copy.values, region->body->inputs[i],
                     weft_copy_value(outer, region->inputs[i]));
    }
    for (size_t i = 0; i < region->body->node_count; i++) {
        const struct weft_node *inner = region->body->nodes[i];
        bool refused = region == refusal->region && (refusal->is_whole || refusal->index == i);
        if (refused && inner->op == WEFT_OP_COMPOSITE) {
            open_body(&copy, inner, refusal->reason);
        } else {
            weft_copy_node(&copy, inner);
        }
    }
    for (uint32_t i = 0; i < region->result_count; i++) {
        weft_map_set(outer->values, region->results[i],
                     weft_copy_value(&copy, region->body->outputs[i]));
    }
}

struct weft_graph *weft_release_operators(const struct weft_graph *graph,
                                          const struct weft_refusal *refusal) {
    struct weft_copy copy = weft_copy_start(graph);
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        if (node->op == WEFT_OP_REGION) {
            open_region(&copy, node, refusal);
        } else {
            weft_copy_node(&copy, node);
        }
    }
    return weft_copy_finish(&copy);
}
