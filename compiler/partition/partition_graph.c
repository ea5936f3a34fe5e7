/* PartitionGraph: each region becomes one node. */
#include "compiler/partition/partition.h"

/* What is carried out at once: the nodes of a region, or one node of the host. */
struct unit {
    int64_t region; /* -1: the host */
    size_t count, capacity;
    const struct weft_node **nodes; /* in the order of the graph */
    size_t waiting;                 /* units that must come first and are not there yet, by edge */
    size_t user_count, user_capacity;
    struct unit **users; /* units that wait for this one, by edge */
};

struct partition {
    const struct weft_graph *graph;
    const struct weft_use_index *uses;
    struct weft_copy copy;
    struct weft_map *units; /* node -> unit */
    size_t count;
    struct unit **order; /* units by their first node */
};

static int64_t region_of(const struct weft_node *node) {
    const struct weft_attribute *region = weft_node_attribute(node, WEFT_ATTR_region);
    bool runs_in_one = region != NULL && weft_node_attribute(node, WEFT_ATTR_target) != NULL;
    return runs_in_one ? region->ints[0] : -1;
}

/* ---- units ---- */

static struct unit *unit_of(const struct partition *partition, const struct weft_node *node) {
    return weft_map_get(partition->units, node);
}

/* Puts every node into its unit. */
static void make_units(struct partition *partition) {
    const struct weft_graph *graph = partition->graph;
    struct weft_map *regions = weft_map_new(graph->arena); /* number + 1 -> unit */
    partition->order = WEFT_NEW_ARRAY(graph->arena, graph->node_count, struct unit *);
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        int64_t region = region_of(node);
        const void *key = (const void *)(uintptr_t)(region + 1);
        struct unit *unit = region < 0 ? NULL : weft_map_get(regions, key);
        if (unit == NULL) {
            unit = WEFT_NEW(graph->arena, struct unit);
            unit->region = region;
            partition->order[partition->count++] = unit;
            if (region >= 0) {
                weft_map_set(regions, key, unit);
            }
        }
        unit->nodes = weft_arena_grow(graph->arena, (void *)unit->nodes, unit->count,
                                      &unit->capacity, sizeof *unit->nodes);
        unit->nodes[unit->count++] = node;
        weft_map_set(partition->units, node, unit);
    }
}

/* Notes which unit waits for which. */
static void connect(struct partition *partition, struct unit *unit) {
    for (size_t i = 0; i < unit->count; i++) {
        for (uint32_t k = 0; k < unit->nodes[i]->input_count; k++) {
            const struct weft_node *producer = unit->nodes[i]->inputs[k]->producer;
            struct unit *before = producer == NULL ? unit : unit_of(partition, producer);
            if (before == unit) {
                continue;
            }
            before->users =
                weft_arena_grow(partition->graph->arena, before->users, before->user_count,
                                &before->user_capacity, sizeof(*before->users));
            before->users[before->user_count++] = unit;
            unit->waiting++;
        }
    }
}

/* ---- regions ---- */

/* A region's body that is being made. */
struct making {
    struct weft_graph *body;
    struct weft_map *inside; /* value of the graph -> value of the body */
    struct weft_value **outside;
    size_t outside_count, outside_capacity;
};

static struct weft_value *body_value(struct partition *partition, struct making *making,
                                     const struct weft_value *value) {
    struct weft_value *known = weft_map_get(making->inside, value);
    if (known == NULL) {
        known = weft_graph_add_input(making->body, &value->type, value->name, value->tensor);
        weft_map_set(making->inside, value, known);
        making->outside =
            weft_arena_grow(making->body->arena, making->outside, making->outside_count,
                            &making->outside_capacity, sizeof(*making->outside));
        making->outside[making->outside_count++] = weft_copy_value(&partition->copy, value);
    }
    return known;
}

static void add_to_body(struct partition *partition, struct making *making,
                        const struct weft_node *node) {
    struct weft_value **inputs =
        WEFT_NEW_ARRAY(making->body->arena, node->input_count, struct weft_value *);
    for (uint32_t i = 0; i < node->input_count; i++) {
        inputs[i] = body_value(partition, making, node->inputs[i]);
    }
    struct weft_node *made = weft_graph_copy_node(making->body, node, inputs);
    weft_node_remove_attribute(made, WEFT_ATTR_region);
    for (uint32_t i = 0; i < node->result_count; i++) {
        weft_map_set(making->inside, node->results[i], made->results[i]);
    }
}

static bool leaves_unit(const struct partition *partition, const struct unit *unit,
                        const struct weft_value *value) {
    const struct weft_users *users = weft_users_of(partition->uses, value);
    for (uint32_t i = 0; i < users->count; i++) {
        if (unit_of(partition, users->nodes[i]) != unit) {
            return true;
        }
    }
    return users->is_output;
}

/* Values of the region that are needed outside become its results; one, when there is none. */
static void add_results(struct partition *partition, const struct unit *unit,
                        const struct making *making, struct weft_node *call) {
    for (size_t i = 0; i < unit->count; i++) {
        for (uint32_t k = 0; k < unit->nodes[i]->result_count; k++) {
            const struct weft_value *value = unit->nodes[i]->results[k];
            bool last = i + 1 == unit->count && k + 1 == unit->nodes[i]->result_count;
            if (!leaves_unit(partition, unit, value) && (!last || call->result_count > 0)) {
                continue;
            }
            weft_graph_add_output(making->body, weft_map_get(making->inside, value));
            struct weft_value *result =
                weft_node_add_result(partition->copy.to, call, &value->type, value->tensor);
            result->name = value->name;
            weft_map_set(partition->copy.values, value, result);
        }
    }
}

static void add_region(struct partition *partition, const struct unit *unit) {
    struct weft_arena *arena = partition->graph->arena;
    struct making making = {.body = weft_graph_new(arena, "region"), .inside = weft_map_new(arena)};
    for (size_t i = 0; i < unit->count; i++) {
        add_to_body(partition, &making, unit->nodes[i]);
    }
    struct weft_attribute target = *weft_node_attribute(unit->nodes[0], WEFT_ATTR_target);
    struct weft_node *call =
        weft_graph_add_node(partition->copy.to, WEFT_OP_REGION, (uint32_t)making.outside_count,
                            making.outside, 1, &target);
    call->body = making.body;
    add_results(partition, unit, &making, call);
}

/* ---- all ---- */

struct weft_graph *weft_partition(const struct weft_graph *graph) {
    struct partition partition = {
        .graph = graph,
        .uses = weft_use_index_new(graph),
        .copy = weft_copy_start(graph),
        .units = weft_map_new(graph->arena),
    };
    make_units(&partition);
    for (size_t i = 0; i < partition.count; i++) {
        connect(&partition, partition.order[i]);
    }
    /* Units in the order in which they become ready; those that wait for nothing, in the graph's.
     */
    struct unit **ready = WEFT_NEW_ARRAY(graph->arena, partition.count, struct unit *);
    size_t end = 0;
    for (size_t i = 0; i < partition.count; i++) {
        if (partition.order[i]->waiting == 0) {
            ready[end++] = partition.order[i];
        }
    }
    for (size_t i = 0; i < end; i++) {
        if (ready[i]->region >= 0) {
            add_region(&partition, ready[i]);
        } else {
            weft_copy_node(&partition.copy, ready[i]->nodes[0]);
        }
        for (size_t k = 0; k < ready[i]->user_count; k++) {
            if (--ready[i]->users[k]->waiting == 0) {
                ready[end++] = ready[i]->users[k];
            }
        }
    }
    return end == partition.count ? weft_copy_finish(&partition.copy) : NULL;
}
