/* One walk over a graph, with rules at every value. */
#include "compiler/pattern/rewrite.h"

enum {
    MAX_NESTING = 16 /* rules inside of rules */
};

/* What is known of a node of the new graph. */
struct fate {
    bool is_made;     /* by a rule */
    bool is_released; /* it uses its inputs no more: nothing uses its results */
    size_t *uses;     /* of each result */
};

struct weft_rewrite {
    struct weft_copy copy;
    const struct weft_use_index *users; /* of the old graph */
    struct weft_map *fates;             /* by node */
    struct weft_map *input_uses;        /* input of the new graph -> uses */
    size_t rule_count;
    const struct weft_rule *rules;
    int nesting;
    int32_t source; /* operator of the model that is being looked at */
    size_t pending_count, pending_capacity;
    struct weft_value **pending; /* values whose use has to be counted still */
};

/* ---- uses ---- */

static size_t *uses_of(const struct weft_rewrite *rewrite, const struct weft_value *value) {
    if (value->producer == NULL) {
        return weft_map_get(rewrite->input_uses, value);
    }
    const struct fate *fate = weft_map_get(rewrite->fates, value->producer);
    return &fate->uses[value->index];
}

static size_t old_uses(const struct weft_rewrite *rewrite, const struct weft_value *old) {
    const struct weft_users *users = weft_users_of(rewrite->users, old);
    return users->count + (users->is_output ? 1 : 0);
}

static void add_pending(struct weft_rewrite *rewrite, const struct weft_node *node) {
    for (uint32_t i = 0; i < node->input_count; i++) {
        rewrite->pending =
            weft_arena_grow(rewrite->copy.to->arena, rewrite->pending, rewrite->pending_count,
                            &rewrite->pending_capacity, sizeof(*rewrite->pending));
        rewrite->pending[rewrite->pending_count++] = node->inputs[i];
    }
}

static bool is_idle(const struct fate *fate, const struct weft_node *node) {
    bool idle = true;
    for (uint32_t i = 0; i < node->result_count; i++) {
        idle = idle && fate->uses[i] == 0;
    }
    return idle;
}

/* A node that nothing uses gives up its inputs, and so on upwards. */
static void release_node(struct weft_rewrite *rewrite, const struct weft_node *node) {
    struct fate *fate = weft_map_get(rewrite->fates, node);
    if (fate->is_released || !is_idle(fate, node)) {
        return;
    }
    fate->is_released = true;
    add_pending(rewrite, node);
    while (rewrite->pending_count > 0) {
        const struct weft_value *value = rewrite->pending[--rewrite->pending_count];
        --*uses_of(rewrite, value);
        struct fate *above =
            value->producer == NULL ? NULL : weft_map_get(rewrite->fates, value->producer);
        if (above != NULL && !above->is_released && is_idle(above, value->producer)) {
            above->is_released = true;
            add_pending(rewrite, value->producer);
        }
    }
}

static void release(struct weft_rewrite *rewrite, const struct weft_value *value, size_t count) {
    *uses_of(rewrite, value) -= count;
    if (count > 0 && value->producer != NULL) {
        release_node(rewrite, value->producer);
    }
}

/* Counts the uses of pending values; a node that had been given up takes its inputs again. */
static void acquire_pending(struct weft_rewrite *rewrite) {
    while (rewrite->pending_count > 0) {
        const struct weft_value *value = rewrite->pending[--rewrite->pending_count];
        ++*uses_of(rewrite, value);
        struct fate *fate =
            value->producer == NULL ? NULL : weft_map_get(rewrite->fates, value->producer);
        if (fate != NULL && fate->is_released) {
            fate->is_released = false;
            add_pending(rewrite, value->producer);
        }
    }
}

static void acquire(struct weft_rewrite *rewrite, struct weft_value *value, size_t count) {
    struct fate *fate =
        value->producer == NULL ? NULL : weft_map_get(rewrite->fates, value->producer);
    *uses_of(rewrite, value) += count;
    if (count > 0 && fate != NULL && fate->is_released) {
        fate->is_released = false;
        add_pending(rewrite, value->producer);
        acquire_pending(rewrite);
    }
}

static struct fate *add_fate(struct weft_rewrite *rewrite, const struct weft_node *node) {
    struct fate *fate = WEFT_NEW(rewrite->copy.to->arena, struct fate);
    fate->uses = WEFT_NEW_ARRAY(rewrite->copy.to->arena, node->result_count, size_t);
    weft_map_set(rewrite->fates, node, fate);
    return fate;
}

/* ---- rules ---- */

/* What takes the place of a value: the first rule that applies says; NULL: nothing. */
static struct weft_value *apply_rules(struct weft_rewrite *rewrite, const struct weft_value *pre,
                                      struct weft_value *post) {
    struct weft_match match;
    struct weft_value *made = NULL;
    rewrite->nesting++;
    for (size_t i = 0; made == NULL && i < rewrite->rule_count; i++) {
        const struct weft_rule *rule = &rewrite->rules[i];
        const struct weft_site site = {pre, post, &match, rule->context};
        if (weft_pattern_match(rule->pattern, post, &match)) {
            made = rule->rewrite(rewrite, &site);
        }
        if (made == post || (made != NULL && !weft_type_equal(&made->type, &post->type))) {
            made = NULL;
        }
    }
    rewrite->nesting--;
    return made;
}

static bool is_made(const struct weft_rewrite *rewrite, const struct weft_value *value) {
    const struct fate *fate =
        value->producer == NULL ? NULL : weft_map_get(rewrite->fates, value->producer);
    return fate != NULL && fate->is_made;
}

/* `made` is what the model knows as `post`. */
static void take_name(const struct weft_rewrite *rewrite, struct weft_value *made,
                      struct weft_value *post) {
    if (is_made(rewrite, made) && made->tensor < 0) {
        made->tensor = post->tensor;
        made->name = post->name;
        post->tensor = -1;
        post->name = NULL;
    }
}

/* Offers result `index` of a copied node to the rules. */
static void offer_copied(struct weft_rewrite *rewrite, const struct weft_node *old,
                         struct weft_node *node, uint32_t index) {
    const struct weft_value *pre = old->results[index];
    struct weft_value *post = node->results[index];
    struct weft_value *made = apply_rules(rewrite, pre, post);
    if (made != NULL) {
        size_t uses = old_uses(rewrite, pre);
        take_name(rewrite, made, post);
        weft_map_set(rewrite->copy.values, pre, made);
        acquire(rewrite, made, uses);
        release(rewrite, post, uses);
    }
}

static void walk_node(struct weft_rewrite *rewrite, const struct weft_node *old) {
    struct weft_node *node = weft_copy_node(&rewrite->copy, old);
    struct fate *fate = add_fate(rewrite, node);
    rewrite->source = old->source;
    for (uint32_t i = 0; i < old->result_count; i++) {
        fate->uses[i] = old_uses(rewrite, old->results[i]);
    }
    for (uint32_t i = 0; i < old->result_count; i++) {
        offer_copied(rewrite, old, node, i);
    }
}

/* ---- inside a rule ---- */

struct weft_arena *weft_rewrite_arena(const struct weft_rewrite *rewrite) {
    return rewrite->copy.to->arena;
}

struct weft_value *weft_rewrite_map(const struct weft_rewrite *rewrite,
                                    const struct weft_value *old) {
    return weft_copy_value(&rewrite->copy, old);
}

size_t weft_rewrite_uses(const struct weft_rewrite *rewrite, const struct weft_value *value) {
    return *uses_of(rewrite, value);
}

/* How often nodes of the match use the value. */
static size_t uses_inside(const struct weft_match *match, const struct weft_value *value) {
    size_t uses = 0;
    for (uint32_t i = 0; i < match->node_count; i++) {
        for (uint32_t k = 0; k < match->nodes[i]->input_count; k++) {
            uses += match->nodes[i]->inputs[k] == value;
        }
    }
    return uses;
}

bool weft_rewrite_escapes(const struct weft_rewrite *rewrite, const struct weft_match *match) {
    for (uint32_t i = 0; i < match->node_count; i++) {
        const struct weft_node *node = match->nodes[i];
        for (uint32_t k = 0; node != match->root->producer && k < node->result_count; k++) {
            const struct weft_value *value = node->results[k];
            if (*uses_of(rewrite, value) > uses_inside(match, value)) {
                return true;
            }
        }
    }
    return false;
}

struct weft_value *weft_rewrite_node(struct weft_rewrite *rewrite, enum weft_operator op,
                                     uint32_t input_count, struct weft_value *const *inputs,
                                     uint32_t attribute_count,
                                     const struct weft_attribute *attributes,
                                     const struct weft_type *type) {
    struct weft_node *node =
        weft_graph_add_node(rewrite->copy.to, op, input_count, inputs, attribute_count, attributes);
    struct weft_value *value = weft_node_add_result(rewrite->copy.to, node, type, -1);
    node->source = rewrite->source;
    add_fate(rewrite, node)->is_made = true;
    add_pending(rewrite, node);
    acquire_pending(rewrite);
    struct weft_value *made =
        rewrite->nesting < MAX_NESTING ? apply_rules(rewrite, NULL, value) : NULL;
    if (made != NULL) {
        release_node(rewrite, node);
    }
    return made == NULL ? value : made;
}

struct weft_value *weft_rewrite_copy(struct weft_rewrite *rewrite, const struct weft_node *node,
                                     struct weft_value *const *inputs,
                                     const struct weft_type *type) {
    return weft_rewrite_node(rewrite, node->op, node->input_count, inputs, node->attribute_count,
                             node->attributes, type);
}

struct weft_value *weft_rewrite_constant(struct weft_rewrite *rewrite, const struct weft_type *type,
                                         const void *data) {
    struct weft_value *value = weft_graph_add_constant(rewrite->copy.to, type, data, NULL, -1);
    add_fate(rewrite, value->producer)->is_made = true;
    return value;
}

/* ---- all ---- */

/* Drops nodes that nothing uses any more, and what rules have made in vain. */
static void drop_unused(struct weft_rewrite *rewrite) {
    struct weft_graph *graph = rewrite->copy.to;
    size_t kept = 0;
    size_t unnamed = 0;
    for (size_t i = graph->node_count; i-- > 0;) {
        const struct fate *fate = weft_map_get(rewrite->fates, graph->nodes[i]);
        if (fate->is_made) {
            release_node(rewrite, graph->nodes[i]);
        }
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        struct weft_node *node = graph->nodes[i];
        const struct fate *fate = weft_map_get(rewrite->fates, node);
        if (fate->is_released) {
            continue;
        }
        graph->nodes[kept++] = node;
        for (uint32_t k = 0; k < node->result_count; k++) {
            if (node->results[k]->name == NULL) {
                node->results[k]->name = weft_arena_print(graph->arena, "made%zu", unnamed++);
            }
        }
    }
    graph->node_count = kept;
}

struct weft_graph *weft_rewrite(const struct weft_graph *graph, size_t rule_count,
                                const struct weft_rule *rules) {
    struct weft_rewrite rewrite = {
        .copy = weft_copy_start(graph),
        .users = weft_use_index_new(graph),
        .fates = weft_map_new(graph->arena),
        .input_uses = weft_map_new(graph->arena),
        .rule_count = rule_count,
        .rules = rules,
    };
    for (size_t i = 0; i < graph->input_count; i++) {
        size_t *uses = WEFT_NEW(graph->arena, size_t);
        *uses = old_uses(&rewrite, graph->inputs[i]);
        weft_map_set(rewrite.input_uses, rewrite.copy.to->inputs[i], uses);
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        walk_node(&rewrite, graph->nodes[i]);
    }
    struct weft_graph *made = weft_copy_finish(&rewrite.copy);
    drop_unused(&rewrite);
    return made;
}
