/* AnnotateTarget, MergeCompilerRegions, PartitionGraph. */
#include <string.h>

#include "base/integer.h"
#include "compiler/partition/partition.h"

/* ---- which target ---- */

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

struct weft_graph *weft_annotate_targets(const struct weft_graph *graph, size_t target_count,
                                         const struct weft_pattern_table *targets) {
    struct weft_copy copy = weft_copy_start(graph);
    for (size_t i = 0; i < graph->node_count; i++) {
        struct weft_node *node = weft_copy_node(&copy, graph->nodes[i]);
        const char *target =
            node->op == WEFT_OP_COMPOSITE ? target_of_composite(node, target_count, targets) : NULL;
        if (target != NULL) {
            weft_node_add_attribute(graph->arena, node, weft_attr_text(WEFT_ATTR_target, target));
        } else if (node->op != WEFT_OP_CONSTANT &&
                   weft_node_attribute(node, WEFT_ATTR_reason) == NULL) {
            const char *reason = weft_arena_print(
                graph->arena, "the machine has no operation for %s", weft_operator_name(node->op));
            weft_node_add_attribute(graph->arena, node, weft_attr_text(WEFT_ATTR_reason, reason));
        }
    }
    return weft_copy_finish(&copy);
}

/* ---- which region ---- */

static const char *target_of(const struct weft_node *node) {
    const struct weft_attribute *target = weft_node_attribute(node, WEFT_ATTR_target);
    return target == NULL ? "" : target->text;
}

/* The level of a node grows by one whenever a path changes the target (the host is one). Nodes of
 * one target on one level can run together: whatever lies between two of them is on a higher level
 * than the first. */
static int64_t level_of(const struct weft_map *levels, const struct weft_node *node) {
    int64_t level = 0;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct weft_node *producer = node->inputs[i]->producer;
        if (producer == NULL || producer->op == WEFT_OP_CONSTANT) {
            continue;
        }
        int64_t before = (int64_t)(uintptr_t)weft_map_get(levels, producer) - 1;
        bool same = strcmp(target_of(producer), target_of(node)) == 0;
        level = weft_max(level, same ? before : before + 1);
    }
    return level;
}

struct weft_map *weft_merge_regions(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    struct weft_map *levels = weft_map_new(arena);
    struct weft_map *regions = weft_map_new(arena);
    struct region {
        int64_t level;
        const char *target;
    } *known = NULL;
    size_t count = 0;
    size_t capacity = 0;
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        int64_t level = level_of(levels, node);
        weft_map_set(levels, node, (void *)(uintptr_t)(level + 1));
        if (target_of(node)[0] == '\0') {
            continue;
        }
        size_t number = 0;
        while (number < count && (known[number].level != level ||
                                  strcmp(known[number].target, target_of(node)) != 0)) {
            number++;
        }
        if (number == count) {
            known = weft_arena_grow(arena, known, count, &capacity, sizeof *known);
            known[count++] = (struct region){level, target_of(node)};
        }
        weft_map_set(regions, node, (void *)(uintptr_t)(number + 1));
    }
    return regions;
}

/* ---- building the partitioned graph ---- */

struct partition {
    const struct weft_graph *graph;
    const struct weft_map *regions;
    const struct weft_use_index *users;
    struct weft_copy copy;
    struct weft_map *done; /* nodes that are in the copy */
};

static uintptr_t region_of(const struct partition *partition, const struct weft_node *node) {
    return (uintptr_t)weft_map_get(partition->regions, node);
}

static bool leaves_region(const struct partition *partition, const struct weft_value *value,
                          uintptr_t region) {
    const struct weft_users *users = weft_users_of(partition->users, value);
    for (uint32_t i = 0; i < users->count; i++) {
        if (region_of(partition, users->nodes[i]) != region) {
            return true;
        }
    }
    return users->is_output;
}

/* The value inside the region's body. */
static struct weft_value *region_input(struct partition *partition, struct weft_graph *body,
                                       struct weft_map *inside, struct weft_value *value,
                                       struct weft_value ***outside, size_t *count,
                                       size_t *capacity) {
    struct weft_value *known = weft_map_get(inside, value);
    if (known == NULL) {
        known = weft_graph_add_input(body, &value->type, value->name, value->tensor);
        weft_map_set(inside, value, known);
        *outside = weft_arena_grow(body->arena, *outside, *count, capacity, sizeof(**outside));
        (*outside)[(*count)++] = weft_copy_value(&partition->copy, value);
    }
    return known;
}

static void add_region(struct partition *partition, uintptr_t region) {
    struct weft_arena *arena = partition->graph->arena;
    struct weft_graph *body = weft_graph_new(arena, "region");
    struct weft_map *inside = weft_map_new(arena);
    struct weft_value **outside = NULL;
    size_t outside_count = 0;
    size_t capacity = 0;
    const char *target = NULL;
    for (size_t i = 0; i < partition->graph->node_count; i++) {
        const struct weft_node *node = partition->graph->nodes[i];
        if (region_of(partition, node) != region) {
            continue;
        }
        target = target_of(node);
        struct weft_value **inputs = WEFT_NEW_ARRAY(arena, node->input_count, struct weft_value *);
        for (uint32_t k = 0; k < node->input_count; k++) {
            inputs[k] = region_input(partition, body, inside, node->inputs[k], &outside,
                                     &outside_count, &capacity);
        }
        const struct weft_node *made = weft_graph_copy_node(body, node, inputs);
        weft_map_set(inside, node->results[0], made->results[0]);
        weft_map_set(partition->done, node, (void *)(uintptr_t)1);
    }
    struct weft_attribute attribute = weft_attr_text(WEFT_ATTR_target, target);
    struct weft_node *call = weft_graph_add_node(partition->copy.to, WEFT_OP_REGION,
                                                 (uint32_t)outside_count, outside, 1, &attribute);
    call->body = body;
    for (size_t i = 0; i < partition->graph->node_count; i++) {
        const struct weft_node *node = partition->graph->nodes[i];
        if (region_of(partition, node) != region ||
            !leaves_region(partition, node->results[0], region)) {
            continue;
        }
        const struct weft_value *value = node->results[0];
        weft_graph_add_output(body, weft_map_get(inside, value));
        struct weft_value *result =
            weft_node_add_result(partition->copy.to, call, &value->type, value->tensor);
        result->name = value->name;
        weft_map_set(partition->copy.values, value, result);
    }
}

/* Is every input made that does not come out of `region` itself? */
static bool inputs_made(const struct partition *partition, const struct weft_node *node,
                        uintptr_t region) {
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct weft_node *producer = node->inputs[i]->producer;
        bool inside = region != 0 && producer != NULL && region_of(partition, producer) == region;
        if (!inside && weft_copy_value(&partition->copy, node->inputs[i]) == NULL) {
            return false;
        }
    }
    return true;
}

/* Can the node, or all of its region, be added? */
static bool is_ready(const struct partition *partition, const struct weft_node *node) {
    uintptr_t region = region_of(partition, node);
    bool ready = inputs_made(partition, node, region);
    for (size_t i = 0; ready && region != 0 && i < partition->graph->node_count; i++) {
        const struct weft_node *other = partition->graph->nodes[i];
        ready = region_of(partition, other) != region || inputs_made(partition, other, region);
    }
    return ready;
}

struct weft_graph *weft_partition(const struct weft_graph *graph, const struct weft_map *regions) {
    struct partition partition = {
        .graph = graph,
        .regions = regions,
        .users = weft_use_index_new(graph),
        .copy = weft_copy_start(graph),
        .done = weft_map_new(graph->arena),
    };
    /* Levels rise along every path, so each sweep gets at least one region or node further. */
    for (bool progress = true; progress;) {
        progress = false;
        for (size_t i = 0; i < graph->node_count; i++) {
            const struct weft_node *node = graph->nodes[i];
            if (weft_map_get(partition.done, node) != NULL || !is_ready(&partition, node)) {
                continue;
            }
            progress = true;
            if (region_of(&partition, node) != 0) {
                add_region(&partition, region_of(&partition, node));
            } else {
                weft_copy_node(&partition.copy, node);
                weft_map_set(partition.done, node, (void *)(uintptr_t)1);
            }
        }
    }
    return weft_copy_finish(&partition.copy);
}
