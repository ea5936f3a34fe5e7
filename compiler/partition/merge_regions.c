/* MergeCompilerRegions: which nodes of a target run together.
 *
 * The level of a node says how many regions must have run, one after another, before it can: it
 * grows by one where a path enters a target from outside, unless that path has not been in any
 * target yet. Levels never fall along a path and rise wherever one enters a region, so no region
 * waits for itself when all nodes of a target on one level run together. Nor can there be fewer
 * regions of a single target: some path leads through all levels, and each needs a region.
 */
#include <string.h>

#include "base/integer.h"
#include "compiler/partition/partition.h"

enum {
    BEFORE_ALL = -1, /* level of the host's nodes that need nothing of a target */
};

/* Where the nodes of a target on a level go. */
struct region {
    int64_t level;
    const char *target;
    int64_t number;
    struct region *next; /* of the same level */
};

struct numbering {
    struct weft_arena *arena;
    struct weft_map *levels;  /* node of the old graph -> level - BEFORE_ALL + 1 */
    struct region **by_level; /* lists: one for each level */
    int64_t count;            /* of regions */
};

static const char *target_of(const struct weft_node *node) {
    const struct weft_attribute *target = weft_node_attribute(node, WEFT_ATTR_target);
    return target == NULL ? "" : target->text;
}

static int64_t level_of(const struct numbering *numbering, const struct weft_node *node) {
    const char *target = target_of(node);
    bool on_host = target[0] == '\0';
    int64_t level = on_host ? BEFORE_ALL : 0;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct weft_node *producer = node->inputs[i]->producer;
        if (producer == NULL || producer->op == WEFT_OP_CONSTANT) {
            continue;
        }
        int64_t known = (int64_t)(uintptr_t)weft_map_get(numbering->levels, producer);
        int64_t before = known - 1 + BEFORE_ALL;
        bool enters = !on_host && strcmp(target_of(producer), target) != 0;
        level = weft_max(level, enters ? before + 1 : before);
    }
    return level;
}

/* The number of the region of a target on a level. */
static int64_t number_of(struct numbering *numbering, int64_t level, const char *target) {
    struct region *region = numbering->by_level[level];
    while (region != NULL && strcmp(region->target, target) != 0) {
        region = region->next;
    }
    if (region == NULL) {
        region = WEFT_NEW(numbering->arena, struct region);
        *region = (struct region){level, target, numbering->count++, numbering->by_level[level]};
        numbering->by_level[level] = region;
    }
    return region->number;
}

struct weft_graph *weft_merge_regions(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    struct numbering numbering = {arena, weft_map_new(arena),
                                  WEFT_NEW_ARRAY(arena, graph->node_count + 1, struct region *), 0};
    struct weft_copy copy = weft_copy_start(graph);
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        struct weft_node *made = weft_copy_node(&copy, node);
        int64_t level = level_of(&numbering, node);
        weft_map_set(numbering.levels, node, (void *)(uintptr_t)(level - BEFORE_ALL + 1));
        if (target_of(node)[0] != '\0') {
            weft_node_remove_attribute(made, WEFT_ATTR_region);
            int64_t number = number_of(&numbering, level, target_of(node));
            weft_node_add_attribute(arena, made, weft_attr_int(arena, WEFT_ATTR_region, number));
        }
    }
    return weft_copy_finish(&copy);
}
