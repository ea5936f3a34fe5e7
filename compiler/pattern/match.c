/* Finding patterns. The recursion is as deep as the pattern, whatever the graph. */
#include <string.h>

#include "compiler/pattern/pattern.h"
#include "compiler/pattern/pattern_node.h"

static bool match_pattern(const struct weft_pattern *pattern, struct weft_value *value,
                          struct weft_match *match);

/* The number of a node in the match; node_count when it is not there. */
static uint32_t number_of(const struct weft_match *match, const struct weft_node *node) {
    uint32_t i = 0;
    while (i < match->node_count && match->nodes[i] != node) {
        i++;
    }
    return i;
}

/* Notes a node, once. */
static bool add_node(struct weft_match *match, struct weft_node *node,
                     const struct weft_pattern *pattern) {
    if (weft_match_has(match, node)) {
        return true;
    }
    if (match->node_count == WEFT_MATCH_NODES) {
        return false;
    }
    match->found_by[match->node_count] = pattern;
    match->nodes[match->node_count++] = node;
    return true;
}

static bool match_op(const struct weft_pattern *pattern, struct weft_value *value,
                     struct weft_match *match) {
    struct weft_node *node = value->producer;
    bool each = pattern->kind == PATTERN_OP_EACH;
    if (node == NULL || node->op != pattern->op || (!each && node->input_count != pattern->count)) {
        return false;
    }
    uint32_t number = number_of(match, node);
    if (number < match->node_count && match->found_by[number] == pattern) {
        return true; /* here before, over another way */
    }
    if (!add_node(match, node, pattern)) {
        return false;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (!match_pattern(each ? pattern->first : pattern->inputs[i], node->inputs[i], match)) {
            return false;
        }
    }
    return true;
}

/* Forgets what a failed try has found. */
static bool try_pattern(const struct weft_pattern *pattern, struct weft_value *value,
                        struct weft_match *match) {
    uint32_t nodes = match->node_count;
    uint32_t bindings = match->binding_count;
    if (match_pattern(pattern, value, match)) {
        return true;
    }
    match->node_count = nodes;
    match->binding_count = bindings;
    return false;
}

/* ---- conditions ---- */

static bool has_int(const struct weft_pattern *pattern, const struct weft_value *value) {
    const struct weft_attribute *attribute =
        value->producer == NULL ? NULL
                                : weft_node_attribute(value->producer, pattern->attribute.key);
    if (attribute == NULL || attribute->ints == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < attribute->count; i++) {
        if (attribute->ints[i] != pattern->value) {
            return false;
        }
    }
    return true;
}

static bool has_attr(const struct weft_pattern *pattern, const struct weft_value *value) {
    const struct weft_attribute *attribute =
        value->producer == NULL ? NULL
                                : weft_node_attribute(value->producer, pattern->attribute.key);
    return attribute != NULL && (weft_attribute_kind(attribute->key) == WEFT_ATTRIBUTE_DATA ||
                                 weft_attribute_equal(attribute, &pattern->attribute));
}

static bool has_shape(const struct weft_pattern *pattern, const struct weft_value *value) {
    bool equal = value->type.rank == pattern->count;
    for (uint32_t i = 0; equal && i < pattern->count; i++) {
        equal = pattern->type.dim[i] == -1 || pattern->type.dim[i] == value->type.dim[i];
    }
    return equal;
}

static bool bind(const struct weft_pattern *pattern, struct weft_value *value,
                 struct weft_match *match) {
    struct weft_value *bound = weft_match_get(match, pattern->name);
    if (bound != NULL) {
        return bound == value;
    }
    if (match->binding_count == WEFT_MATCH_BINDINGS) {
        return false;
    }
    match->bindings[match->binding_count].name = pattern->name;
    match->bindings[match->binding_count++].value = value;
    return true;
}

/* ---- paths ---- */

struct climb {
    const struct weft_pattern *pattern;
    struct weft_match *match;
    struct weft_value *parent; /* once it is found */
    uint32_t count;            /* nodes whose inputs are looked at: of the child and of the paths */
    struct weft_node *nodes[WEFT_MATCH_NODES];
};

static bool is_climbed(const struct climb *climb, const struct weft_node *node) {
    for (uint32_t i = 0; i < climb->count; i++) {
        if (climb->nodes[i] == node) {
            return true;
        }
    }
    return false;
}

/* Goes on above a value that lies on the way. */
static bool climb_path(struct climb *climb, struct weft_value *value) {
    struct weft_match aside;
    if (value->producer == NULL || climb->count == WEFT_MATCH_NODES ||
        !weft_pattern_match(climb->pattern->path, value, &aside) ||
        !add_node(climb->match, value->producer, climb->pattern->path)) {
        return false;
    }
    climb->nodes[climb->count++] = value->producer;
    return true;
}

/* A value above the child: a constant, on the way, or the parent. */
static bool climb_value(struct climb *climb, struct weft_value *value) {
    if (value == climb->parent || weft_value_data(value) != NULL ||
        (value->producer != NULL && is_climbed(climb, value->producer))) {
        return true;
    }
    if (climb->parent == NULL && try_pattern(climb->pattern->second, value, climb->match)) {
        climb->parent = value;
        return true;
    }
    return climb_path(climb, value);
}

static bool match_dominates(const struct weft_pattern *pattern, struct weft_value *value,
                            struct weft_match *match) {
    struct climb climb = {.pattern = pattern, .match = match};
    uint32_t first = match->node_count;
    if (value->producer == NULL || !match_pattern(pattern->first, value, match) ||
        !add_node(match, value->producer, pattern->first)) {
        return false;
    }
    climb.nodes[climb.count++] = value->producer;
    for (uint32_t i = first; i < match->node_count; i++) {
        if (match->nodes[i] != value->producer) {
            climb.nodes[climb.count++] = match->nodes[i];
        }
    }
    for (uint32_t i = 0; i < climb.count; i++) {
        for (uint32_t k = 0; k < climb.nodes[i]->input_count; k++) {
            if (!climb_value(&climb, climb.nodes[i]->inputs[k])) {
                return false;
            }
        }
    }
    return climb.parent != NULL;
}

/* ---- all ---- */

static bool is_result(const struct weft_pattern *pattern, const struct weft_value *value) {
    return value->producer != NULL && value->index == pattern->count;
}

static bool match_pattern(const struct weft_pattern *pattern, struct weft_value *value,
                          struct weft_match *match) {
    switch (pattern->kind) {
    case PATTERN_WILDCARD:
        return true;
    case PATTERN_CONSTANT:
        return weft_value_data(value) != NULL;
    case PATTERN_OP:
    case PATTERN_OP_EACH:
        return match_op(pattern, value, match);
    case PATTERN_RESULT:
        return is_result(pattern, value) && match_pattern(pattern->first, value, match);
    case PATTERN_OR:
        return try_pattern(pattern->first, value, match) ||
               match_pattern(pattern->second, value, match);
    case PATTERN_HAS_INT:
        return has_int(pattern, value) && match_pattern(pattern->first, value, match);
    case PATTERN_HAS_ATTR:
        return has_attr(pattern, value) && match_pattern(pattern->first, value, match);
    case PATTERN_HAS_DTYPE:
        return value->type.dtype == pattern->type.dtype &&
               match_pattern(pattern->first, value, match);
    case PATTERN_HAS_TYPE:
        return weft_type_equal(&value->type, &pattern->type) &&
               match_pattern(pattern->first, value, match);
    case PATTERN_HAS_SHAPE:
        return has_shape(pattern, value) && match_pattern(pattern->first, value, match);
    case PATTERN_WHERE:
        return match_pattern(pattern->first, value, match) &&
               pattern->test(pattern->context, value);
    case PATTERN_BIND:
        return match_pattern(pattern->first, value, match) && bind(pattern, value, match);
    case PATTERN_DOMINATES:
        return match_dominates(pattern, value, match);
    }
    return false;
}

/* Does a node of the match that is not placed yet use a result of node number `index`? */
static bool has_waiting_user(const struct weft_match *match, uint32_t index, uint32_t placed) {
    for (uint32_t i = placed; i < match->node_count; i++) {
        for (uint32_t k = 0; k < match->nodes[i]->input_count; k++) {
            if (match->nodes[i]->inputs[k]->producer == match->nodes[index]) {
                return true;
            }
        }
    }
    return false;
}

/* Users before producers; otherwise as they were found. */
static void sort_nodes(struct weft_match *match) {
    for (uint32_t placed = 0; placed < match->node_count; placed++) {
        uint32_t next = placed;
        while (next + 1 < match->node_count && has_waiting_user(match, next, placed)) {
            next++;
        }
        struct weft_node *node = match->nodes[next];
        const struct weft_pattern *pattern = match->found_by[next];
        for (uint32_t i = next; i > placed; i--) {
            match->nodes[i] = match->nodes[i - 1];
            match->found_by[i] = match->found_by[i - 1];
        }
        match->nodes[placed] = node;
        match->found_by[placed] = pattern;
    }
}

bool weft_pattern_match_tuple(size_t count, const struct weft_pattern *const *patterns,
                              struct weft_value *const *values, struct weft_match *match) {
    match->root = count == 0 ? NULL : values[0];
    match->node_count = 0;
    match->binding_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!match_pattern(patterns[i], values[i], match)) {
            return false;
        }
    }
    sort_nodes(match);
    return true;
}

bool weft_pattern_match(const struct weft_pattern *pattern, struct weft_value *value,
                        struct weft_match *match) {
    return weft_pattern_match_tuple(1, &pattern, &value, match);
}

struct weft_value *weft_match_get(const struct weft_match *match, const char *name) {
    for (uint32_t i = 0; i < match->binding_count; i++) {
        if (strcmp(match->bindings[i].name, name) == 0) {
            return match->bindings[i].value;
        }
    }
    return NULL;
}

struct weft_node *weft_match_node(const struct weft_match *match,
                                  const struct weft_pattern *pattern) {
    for (uint32_t i = 0; i < match->node_count; i++) {
        if (match->found_by[i] == pattern) {
            return match->nodes[i];
        }
    }
    return NULL;
}

bool weft_match_has(const struct weft_match *match, const struct weft_node *node) {
    return number_of(match, node) < match->node_count;
}

static bool is_used_outside(const struct weft_match *match, const struct weft_users *users) {
    for (uint32_t i = 0; i < users->count; i++) {
        if (!weft_match_has(match, users->nodes[i])) {
            return true;
        }
    }
    return users->is_output;
}

bool weft_match_escapes(const struct weft_match *match, const struct weft_use_index *index) {
    for (uint32_t i = 0; i < match->node_count; i++) {
        const struct weft_node *node = match->nodes[i];
        for (uint32_t k = 0; node != match->root->producer && k < node->result_count; k++) {
            if (is_used_outside(match, weft_users_of(index, node->results[k]))) {
                return true;
            }
        }
    }
    return false;
}
