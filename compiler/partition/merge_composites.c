/* MergeComposite: matches of a pattern table become composite nodes. */
#include "compiler/partition/partition.h"
#include "compiler/pattern/claims.h"

struct merge {
    const struct weft_pattern_table *target;
    struct weft_claims claims;
    struct weft_map *reasons; /* node -> why the pattern that found it does not apply */
};

/* Why nodes stay where they are; the first reason given for a node counts. */
static void note_refusal(struct merge *merge, const struct weft_match *match, const char *reason) {
    for (uint32_t i = 0; i < match->node_count; i++) {
        if (weft_map_get(merge->reasons, match->nodes[i]) == NULL) {
            weft_map_set(merge->reasons, match->nodes[i], (void *)(uintptr_t)reason);
        }
    }
}

/* Tries one entry of the table at a result. */
static bool try_entry(struct merge *merge, const struct weft_pattern_entry *entry,
                      struct weft_value *value) {
    struct weft_match match;
    const char *reason = NULL;
    if (!weft_pattern_match(entry->pattern, value, &match)) {
        return false;
    }
    if (weft_claims_allows(&merge->claims, &match, &reason) && entry->check != NULL) {
        reason = entry->check(merge->target->context, merge->claims.graph->arena, &match);
    }
    if (reason != NULL) {
        note_refusal(merge, &match, reason);
        return false;
    }
    weft_claims_add(&merge->claims, &match, entry->name);
    return true;
}

/* Takes the first entry of the table that fits a result of the node. */
static void find(struct merge *merge, const struct weft_node *node) {
    for (size_t i = 0; i < merge->target->entry_count; i++) {
        for (uint32_t k = 0; k < node->result_count; k++) {
            if (try_entry(merge, &merge->target->entries[i], node->results[k])) {
                return;
            }
        }
    }
}

static void note_reason(void *context, const struct weft_node *from, struct weft_node *to) {
    const struct merge *merge = context;
    const char *reason = weft_map_get(merge->reasons, from);
    if (reason != NULL && weft_node_attribute(to, WEFT_ATTR_reason) == NULL) {
        weft_node_add_attribute(merge->claims.graph->arena, to,
                                weft_attr_text(WEFT_ATTR_reason, reason));
    }
}

struct weft_graph *weft_merge_composites(const struct weft_graph *graph,
                                         const struct weft_pattern_table *target) {
    struct merge merge = {target, weft_claims_new(graph), weft_map_new(graph->arena)};
    for (size_t i = graph->node_count; i-- > 0;) {
        const struct weft_node *node = graph->nodes[i];
        if (node->op != WEFT_OP_CONSTANT && !weft_claims_has(&merge.claims, node)) {
            find(&merge, node);
        }
    }
    return weft_claims_build(&merge.claims, note_reason, &merge);
}
