/* Partition by pattern: matches become composite nodes. */
#include "compiler/pattern/claims.h"

struct claim {
    const char *name;
    struct weft_match match;
};

struct weft_claims weft_claims_new(const struct weft_graph *graph) {
    return (struct weft_claims){graph, weft_use_index_new(graph), weft_map_new(graph->arena)};
}

bool weft_claims_has(const struct weft_claims *claims, const struct weft_node *node) {
    return weft_map_get(claims->owner, node) != NULL;
}

static bool is_taken(const struct weft_claims *claims, const struct weft_match *match) {
    bool taken = false;
    for (uint32_t i = 0; i < match->node_count; i++) {
        taken = taken || weft_claims_has(claims, match->nodes[i]);
    }
    return taken;
}

/* Does anything but constants come in from outside? */
static bool takes_input(const struct weft_match *match) {
    for (uint32_t i = 0; i < match->node_count; i++) {
        const struct weft_node *node = match->nodes[i];
        for (uint32_t k = 0; k < node->input_count; k++) {
            const struct weft_value *input = node->inputs[k];
            bool inside = input->producer != NULL && weft_match_has(match, input->producer);
            if (!inside && weft_value_data(input) == NULL) {
                return true;
            }
        }
    }
    return false;
}

bool weft_claims_allows(const struct weft_claims *claims, const struct weft_match *match,
                        const char **refusal) {
    const char *why =
        is_taken(claims, match) ? "a part of it runs together with another operator"
        : !takes_input(match)   ? "all of its operands are constants"
        : weft_match_escapes(match, claims->users)
            ? "a value between it and the operators it would run with is needed elsewhere"
            : NULL;
    if (refusal != NULL) {
        *refusal = why;
    }
    return why == NULL;
}

void weft_claims_add(struct weft_claims *claims, const struct weft_match *match, const char *name) {
    struct claim *claim = WEFT_NEW(claims->graph->arena, struct claim);
    claim->name = name;
    claim->match = *match;
    for (uint32_t i = 0; i < match->node_count; i++) {
        weft_map_set(claims->owner, match->nodes[i], claim);
    }
}

/* ---- building ---- */

/* A composite that is being made. */
struct making {
    struct weft_graph *body;
    struct weft_map *inside; /* value of the graph -> value of the body */
    struct weft_value **outside;
    uint32_t outside_count;
};

/* The value that stands for `value` in the body: a copy of a constant, or an input. */
static struct weft_value *body_value(struct making *making, struct weft_value *value) {
    struct weft_value *known = weft_map_get(making->inside, value);
    if (known != NULL) {
        return known;
    }
    if (weft_value_data(value) != NULL) {
        known = weft_graph_copy_node(making->body, value->producer, NULL)->results[0];
    } else {
        known = weft_graph_add_input(making->body, &value->type, value->name, value->tensor);
        making->outside[making->outside_count++] = value;
    }
    weft_map_set(making->inside, value, known);
    return known;
}

static void add_to_body(struct making *making, const struct weft_node *node) {
    struct weft_value **inputs =
        WEFT_NEW_ARRAY(making->body->arena, node->input_count, struct weft_value *);
    for (uint32_t i = 0; i < node->input_count; i++) {
        inputs[i] = body_value(making, node->inputs[i]);
    }
    const struct weft_node *made = weft_graph_copy_node(making->body, node, inputs);
    for (uint32_t i = 0; i < node->result_count; i++) {
        weft_map_set(making->inside, node->results[i], made->results[i]);
    }
}

static struct making make_body(struct weft_arena *arena, const struct weft_match *match) {
    struct making making = {weft_graph_new(arena, "body"), weft_map_new(arena), NULL, 0};
    const struct weft_node *root = match->root->producer;
    size_t operands = 0;
    for (uint32_t i = 0; i < match->node_count; i++) {
        operands += match->nodes[i]->input_count;
    }
    making.outside = WEFT_NEW_ARRAY(arena, operands, struct weft_value *);
    /* The match lists users before producers. */
    for (uint32_t i = match->node_count; i-- > 0;) {
        add_to_body(&making, match->nodes[i]);
    }
    for (uint32_t i = 0; i < root->result_count; i++) {
        weft_graph_add_output(making.body, weft_map_get(making.inside, root->results[i]));
    }
    return making;
}

static void add_composite(struct weft_copy *copy, const struct claim *claim) {
    const struct weft_node *root = claim->match.root->producer;
    struct making making = make_body(copy->to->arena, &claim->match);
    for (uint32_t i = 0; i < making.outside_count; i++) {
        making.outside[i] = weft_copy_value(copy, making.outside[i]);
    }
    struct weft_attribute name = weft_attr_text(WEFT_ATTR_name, claim->name);
    struct weft_node *composite = weft_graph_add_node(
        copy->to, WEFT_OP_COMPOSITE, making.outside_count, making.outside, 1, &name);
    composite->body = making.body;
    composite->source = root->source;
    for (uint32_t i = 0; i < root->result_count; i++) {
        const struct weft_value *value = root->results[i];
        struct weft_value *result =
            weft_node_add_result(copy->to, composite, &value->type, value->tensor);
        result->name = value->name;
        weft_map_set(copy->values, value, result);
    }
}

/* A constant stays when a node that stays uses it, or the graph's output. */
static bool stays(const struct weft_claims *claims, const struct weft_node *node) {
    if (node->op != WEFT_OP_CONSTANT) {
        return true;
    }
    const struct weft_users *users = weft_users_of(claims->users, node->results[0]);
    for (uint32_t i = 0; i < users->count; i++) {
        if (!weft_claims_has(claims, users->nodes[i])) {
            return true;
        }
    }
    return users->is_output;
}

struct weft_graph *weft_claims_build(const struct weft_claims *claims,
                                     void (*note)(void *context, const struct weft_node *from,
                                                  struct weft_node *to),
                                     void *context) {
    struct weft_copy copy = weft_copy_start(claims->graph);
    for (size_t i = 0; i < claims->graph->node_count; i++) {
        const struct weft_node *node = claims->graph->nodes[i];
        const struct claim *claim = weft_map_get(claims->owner, node);
        if (claim != NULL && claim->match.root->producer == node) {
            add_composite(&copy, claim);
        } else if (claim == NULL && stays(claims, node)) {
            struct weft_node *made = weft_copy_node(&copy, node);
            if (note != NULL) {
                note(context, node, made);
            }
        }
    }
    return weft_copy_finish(&copy);
}

struct weft_graph *weft_pattern_partition(
    const struct weft_graph *graph, const struct weft_pattern *pattern, const char *name,
    bool (*check)(void *context, const struct weft_match *match), void *context) {
    struct weft_claims claims = weft_claims_new(graph);
    for (size_t i = graph->node_count; i-- > 0;) {
        const struct weft_node *node = graph->nodes[i];
        for (uint32_t k = 0; k < node->result_count; k++) {
            struct weft_match match;
            if (weft_pattern_match(pattern, node->results[k], &match) &&
                weft_claims_allows(&claims, &match, NULL) &&
                (check == NULL || check(context, &match))) {
                weft_claims_add(&claims, &match, name);
            }
        }
    }
    return weft_claims_build(&claims, NULL, NULL);
}
