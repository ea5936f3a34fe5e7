#include "tests/grid/memory_points.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "tests/grid/point.h"

enum {
    LEAST_BYTES = 2048,
    LEAST_BLOCK = 8
};

const char *const point_state_names[POINT_STATES] = {
    [POINT_ILLEGAL] = "illegal", [POINT_GOOD] = "good",   [POINT_TO_HOST] = "to host",
    [POINT_REFUSED] = "refused", [POINT_WRONG] = "wrong", [POINT_DIED] = "died"};

struct memory_point memory_point(size_t index) {
    return (struct memory_point){
        .block = (uint32_t)LEAST_BLOCK << index % BLOCK_SIZES,
        .wgt_bytes = (uint32_t)LEAST_BYTES << index / BLOCK_SIZES % WGT_SIZES,
        .act_bytes = (uint32_t)LEAST_BYTES << index / BLOCK_SIZES / WGT_SIZES,
    };
}

bool memory_point_config(const struct memory_point *point, struct weft_config *config,
                         struct weft_error *error) {
    return grid_config(point->block, point->act_bytes, point->wgt_bytes, config, error);
}

static size_t slot_of(const struct weft_node *node) {
    return (size_t)(node->source + 1);
}

bool host_set_make(struct host_set *set, const struct weft_module *module,
                   struct weft_error *error) {
    const struct weft_graph *graph = module->graph;
    set->size = 1;
    for (size_t i = 0; i < graph->node_count; i++) {
        size_t slot = slot_of(graph->nodes[i]);
        set->size = slot >= set->size ? slot + 1 : set->size;
    }
    set->has = weft_allocate(set->size, sizeof *set->has, "operators of the host", error);
    for (size_t i = 0; set->has != NULL && i < graph->node_count; i++) {
        if (weft_is_host_operator(graph->nodes[i])) {
            set->has[slot_of(graph->nodes[i])] = true;
        }
    }
    return set->has != NULL;
}

static bool has(const struct host_set *set, const struct weft_node *node) {
    return slot_of(node) < set->size && set->has[slot_of(node)];
}

/* Is an operator of the model made of several nodes, and this not the first of them? */
static bool is_again(const struct weft_graph *graph, size_t index) {
    for (size_t i = 0; i < index; i++) {
        if (weft_is_host_operator(graph->nodes[i]) &&
            graph->nodes[i]->source == graph->nodes[index]->source) {
            return true;
        }
    }
    return false;
}

void note_new_host_operators(const struct weft_module *module, const struct host_set *set,
                             struct outcome *outcome) {
    const struct weft_graph *graph = module->graph;
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        if (!weft_is_host_operator(node) || has(set, node) || is_again(graph, i)) {
            continue;
        }
        char text[200];
        (void)snprintf(text, sizeof text, "%s: %s", weft_operator_name(node->op),
                       weft_node_attribute(node, WEFT_ATTR_reason) == NULL
                           ? "no reason"
                           : weft_node_text(node, WEFT_ATTR_reason));
        outcome->to_host++;
        size_t used = strlen(outcome->reason);
        if (strstr(outcome->reason, text) == NULL) {
            (void)snprintf(outcome->reason + used, sizeof outcome->reason - used, "%s%s",
                           used > 0 ? "; " : "", text);
        }
    }
}
