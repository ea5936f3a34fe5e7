/* MergeComposite: matches of a pattern table become composite nodes. */
#include "compiler/partition/partition.h"

struct merge {
    const struct weft_graph *graph;
    const struct weft_pattern_table *target;
    struct weft_use_index *users;
    struct weft_map *owner;   /* node -> the match that takes it */
    struct weft_map *reasons; /* node -> why its pattern does not apply */
};

struct taken {
    const struct weft_pattern_entry *entry;
    struct weft_match match;
};

static bool is_free(const struct merge *merge, const struct weft_match *match) {
    for (uint32_t i = 0; i < match->node_count; i++) {
        if (weft_map_get(merge->owner, match->nodes[i]) != NULL) {
            return false;
        }
    }
    return true;
}

/* Does the match take anything but constants? Work on those alone is no program. */
static bool has_inputs(const struct weft_match *match) {
    for (uint32_t i = 0; i < match->node_count; i++) {
        for (uint32_t k = 0; k < match->nodes[i]->input_count; k++) {
            const struct weft_value *value = match->nodes[i]->inputs[k];
            if (weft_value_data(value) == NULL &&
                (value->producer == NULL || !weft_match_has(match, value->producer))) {
                return true;
            }
        }
    }
    return false;
}

/* Takes the first entry of the table that fits the node. */
static void find(struct merge *merge, struct weft_node *node) {
    struct weft_arena *arena = merge->graph->arena;
    const char *reason = NULL;
    for (size_t i = 0; i < merge->target->entry_count; i++) {
        const struct weft_pattern_entry *entry = &merge->target->entries[i];
        struct weft_match match;
        if (!weft_pattern_match(entry->pattern, node->results[0], &match) ||
            !is_free(merge, &match) || weft_match_escapes(&match, merge->users)) {
            continue;
        }
        const char *no = NULL;
        if (!has_inputs(&match)) {
            no = "work on constants alone is no work for the machine";
        } else if (entry->check != NULL) {
            no = entry->check(merge->target->context, arena, &match);
        }
        if (no != NULL) {
            reason = reason == NULL ? no : reason;
            continue;
        }
        struct taken *taken = WEFT_NEW(arena, struct taken);
        taken->entry = entry;
        taken->match = match;
        for (uint32_t k = 0; k < match.node_count; k++) {
            weft_map_set(merge->owner, match.nodes[k], taken);
        }
        return;
    }
    if (reason != NULL) {
        weft_map_set(merge->reasons, node, (void *)(uintptr_t)reason);
    }
}

/* ---- building the new graph ---- */

/* The value that stands for `value` in the body: a copy of a constant, or an input of the
 * composite. */
static struct weft_value *body_value(struct weft_graph *body, struct weft_map *inside,
                                     struct weft_value *value, struct weft_value **outside,
                                     uint32_t *outside_count) {
    struct weft_value *known = weft_map_get(inside, value);
    if (known != NULL) {
        return known;
    }
    if (weft_value_data(value) != NULL) {
        known = weft_graph_copy_node(body, value->producer, NULL)->results[0];
    } else {
        known = weft_graph_add_input(body, &value->type, value->name, value->tensor);
        outside[(*outside_count)++] = value;
    }
    weft_map_set(inside, value, known);
    return known;
}

static void add_composite(struct weft_copy *copy, const struct taken *taken) {
    struct weft_graph *graph = copy->to;
    struct weft_graph *body = weft_graph_new(graph->arena, "body");
    struct weft_map *inside = weft_map_new(graph->arena);
    const struct weft_match *match = &taken->match;
    struct weft_value **outside = NULL;
    uint32_t outside_count = 0;
    uint32_t operands = 0;
    for (uint32_t i = 0; i < match->node_count; i++) {
        operands += match->nodes[i]->input_count;
    }
    outside = WEFT_NEW_ARRAY(graph->arena, operands, struct weft_value *);
    /* The match lists users before producers. */
    for (uint32_t i = match->node_count; i-- > 0;) {
        const struct weft_node *node = match->nodes[i];
        struct weft_value **inputs =
            WEFT_NEW_ARRAY(graph->arena, node->input_count, struct weft_value *);
        for (uint32_t j = 0; j < node->input_count; j++) {
            inputs[j] = body_value(body, inside, node->inputs[j], outside, &outside_count);
        }
        const struct weft_node *made = weft_graph_copy_node(body, node, inputs);
        for (uint32_t j = 0; j < node->result_count; j++) {
            weft_map_set(inside, node->results[j], made->results[j]);
        }
    }
    weft_graph_add_output(body, weft_map_get(inside, match->root));
    for (uint32_t i = 0; i < outside_count; i++) {
        outside[i] = weft_copy_value(copy, outside[i]);
    }
    struct weft_attribute name = weft_attr_text(WEFT_ATTR_name, taken->entry->name);
    struct weft_node *composite =
        weft_graph_add_node(graph, WEFT_OP_COMPOSITE, outside_count, outside, 1, &name);
    composite->body = body;
    composite->source = match->root->producer->source;
    struct weft_value *result =
        weft_node_add_result(graph, composite, &match->root->type, match->root->tensor);
    result->name = match->root->name;
    weft_map_set(copy->values, match->root, result);
}

/* Copies a node that no composite took, with the reason why. */
static void add_plain(const struct merge *merge, struct weft_copy *copy,
                      const struct weft_node *node) {
    struct weft_node *made = weft_copy_node(copy, node);
    const char *reason = weft_map_get(merge->reasons, node);
    if (reason != NULL && weft_node_attribute(made, WEFT_ATTR_reason) == NULL) {
        weft_node_add_attribute(copy->to->arena, made, weft_attr_text(WEFT_ATTR_reason, reason));
    }
}

/* A constant is needed outside composites when a node that stays uses it, or the graph's output. */
static bool stays(const struct merge *merge, const struct weft_node *node) {
    if (node->op != WEFT_OP_CONSTANT) {
        return true;
    }
    const struct weft_users *users = weft_users_of(merge->users, node->results[0]);
    bool needed = users->is_output;
    for (uint32_t i = 0; i < users->count; i++) {
        needed = needed || weft_map_get(merge->owner, users->nodes[i]) == NULL;
    }
    return needed;
}

struct weft_graph *weft_merge_composites(const struct weft_graph *graph,
                                         const struct weft_pattern_table *target) {
    struct merge merge = {graph, target, weft_use_index_new(graph), weft_map_new(graph->arena),
                          weft_map_new(graph->arena)};
    for (size_t i = graph->node_count; i-- > 0;) {
        struct weft_node *node = graph->nodes[i];
        if (node->op != WEFT_OP_CONSTANT && weft_map_get(merge.owner, node) == NULL) {
            find(&merge, node);
        }
    }
    struct weft_copy copy = weft_copy_start(graph);
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        const struct taken *taken = weft_map_get(merge.owner, node);
        if (taken == NULL) {
            if (stays(&merge, node)) {
                add_plain(&merge, &copy, node);
            }
        } else if (taken->match.root->producer == node) {
            add_composite(&copy, taken);
        }
    }
    return weft_copy_finish(&copy);
}
