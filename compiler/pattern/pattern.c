#include "compiler/pattern/pattern.h"

#include <string.h>

enum pattern_kind {
    WILDCARD,
    CONSTANT,
    OP,
    OR,
    HAS_INT,
    HAS_DTYPE,
    HAS_SHAPE,
    BIND,
};

struct weft_pattern {
    enum pattern_kind kind;
    uint32_t count; /* OP: inputs; HAS_SHAPE: rank */
    struct weft_pattern **inputs;
    struct weft_pattern *first, *second; /* OR; `first` also the inner pattern of the rest */
    enum weft_operator op;
    enum weft_attribute_key key;
    int64_t value;
    enum weft_dtype dtype;
    int64_t dims[WEFT_MAX_RANK];
    const char *name;
};

static struct weft_pattern *make(struct weft_arena *arena, enum pattern_kind kind,
                                 struct weft_pattern *inner) {
    struct weft_pattern *pattern = WEFT_NEW(arena, struct weft_pattern);
    pattern->kind = kind;
    pattern->first = inner;
    return pattern;
}

struct weft_pattern *weft_pattern_wildcard(struct weft_arena *arena) {
    return make(arena, WILDCARD, NULL);
}

struct weft_pattern *weft_pattern_constant(struct weft_arena *arena) {
    return make(arena, CONSTANT, NULL);
}

struct weft_pattern *weft_pattern_op(struct weft_arena *arena, enum weft_operator op,
                                     uint32_t input_count, struct weft_pattern *const *inputs) {
    struct weft_pattern *pattern = make(arena, OP, NULL);
    pattern->op = op;
    pattern->count = input_count;
    pattern->inputs = WEFT_NEW_ARRAY(arena, input_count, struct weft_pattern *);
    if (input_count > 0) {
        memcpy(pattern->inputs, inputs, input_count * sizeof(*inputs));
    }
    return pattern;
}

struct weft_pattern *weft_pattern_or(struct weft_arena *arena, struct weft_pattern *first,
                                     struct weft_pattern *second) {
    struct weft_pattern *pattern = make(arena, OR, first);
    pattern->second = second;
    return pattern;
}

struct weft_pattern *weft_pattern_optional(struct weft_arena *arena, struct weft_pattern *inner,
                                           enum weft_operator op) {
    return weft_pattern_or(arena, weft_pattern_op(arena, op, 1, &inner), inner);
}

struct weft_pattern *weft_pattern_has_int(struct weft_arena *arena, struct weft_pattern *inner,
                                          enum weft_attribute_key key, int64_t value) {
    struct weft_pattern *pattern = make(arena, HAS_INT, inner);
    pattern->key = key;
    pattern->value = value;
    return pattern;
}

struct weft_pattern *weft_pattern_has_dtype(struct weft_arena *arena, struct weft_pattern *inner,
                                            enum weft_dtype dtype) {
    struct weft_pattern *pattern = make(arena, HAS_DTYPE, inner);
    pattern->dtype = dtype;
    return pattern;
}

struct weft_pattern *weft_pattern_has_shape(struct weft_arena *arena, struct weft_pattern *inner,
                                            uint32_t rank, const int64_t *dims) {
    struct weft_pattern *pattern = make(arena, HAS_SHAPE, inner);
    pattern->count = rank;
    memcpy(pattern->dims, dims, rank * sizeof *dims);
    return pattern;
}

struct weft_pattern *weft_pattern_bind(struct weft_arena *arena, struct weft_pattern *inner,
                                       const char *name) {
    struct weft_pattern *pattern = make(arena, BIND, inner);
    pattern->name = name;
    return pattern;
}

/* ---- matching ---- */

static bool match_pattern(const struct weft_pattern *pattern, struct weft_value *value,
                          struct weft_match *match);

static bool match_op(const struct weft_pattern *pattern, struct weft_value *value,
                     struct weft_match *match) {
    struct weft_node *node = value->producer;
    if (node == NULL || node->op != pattern->op || node->input_count != pattern->count) {
        return false;
    }
    for (uint32_t i = 0; i < pattern->count; i++) {
        if (!match_pattern(pattern->inputs[i], node->inputs[i], match)) {
            return false;
        }
    }
    /* Behind its producers, however many users it has in the match. */
    if (!weft_match_has(match, node)) {
        if (match->node_count == WEFT_MATCH_NODES) {
            return false;
        }
        match->nodes[match->node_count++] = node;
    }
    return true;
}

/* Forgets what a failed alternative has found. */
static bool match_or(const struct weft_pattern *pattern, struct weft_value *value,
                     struct weft_match *match) {
    uint32_t nodes = match->node_count;
    uint32_t bindings = match->binding_count;
    if (match_pattern(pattern->first, value, match)) {
        return true;
    }
    match->node_count = nodes;
    match->binding_count = bindings;
    return match_pattern(pattern->second, value, match);
}

static bool has_int(const struct weft_pattern *pattern, const struct weft_value *value) {
    const struct weft_attribute *attribute =
        value->producer == NULL ? NULL : weft_node_attribute(value->producer, pattern->key);
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

static bool has_shape(const struct weft_pattern *pattern, const struct weft_value *value) {
    bool equal = value->type.rank == pattern->count;
    for (uint32_t i = 0; equal && i < pattern->count; i++) {
        equal = pattern->dims[i] == -1 || pattern->dims[i] == value->type.dim[i];
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

static bool match_pattern(const struct weft_pattern *pattern, struct weft_value *value,
                          struct weft_match *match) {
    switch (pattern->kind) {
    case WILDCARD:
        return true;
    case CONSTANT:
        return weft_value_data(value) != NULL;
    case OP:
        return match_op(pattern, value, match);
    case OR:
        return match_or(pattern, value, match);
    case HAS_INT:
        return match_pattern(pattern->first, value, match) && has_int(pattern, value);
    case HAS_DTYPE:
        return match_pattern(pattern->first, value, match) && value->type.dtype == pattern->dtype;
    case HAS_SHAPE:
        return match_pattern(pattern->first, value, match) && has_shape(pattern, value);
    case BIND:
        return match_pattern(pattern->first, value, match) && bind(pattern, value, match);
    }
    return false;
}

bool weft_pattern_match(const struct weft_pattern *pattern, struct weft_value *value,
                        struct weft_match *match) {
    *match = (struct weft_match){.root = value};
    if (!match_pattern(pattern, value, match)) {
        return false;
    }
    for (uint32_t i = 0; i < match->node_count / 2; i++) {
        struct weft_node *other = match->nodes[match->node_count - 1 - i];
        match->nodes[match->node_count - 1 - i] = match->nodes[i];
        match->nodes[i] = other;
    }
    return true;
}

struct weft_value *weft_match_get(const struct weft_match *match, const char *name) {
    for (uint32_t i = 0; i < match->binding_count; i++) {
        if (strcmp(match->bindings[i].name, name) == 0) {
            return match->bindings[i].value;
        }
    }
    return NULL;
}

bool weft_match_has(const struct weft_match *match, const struct weft_node *node) {
    for (uint32_t i = 0; i < match->node_count; i++) {
        if (match->nodes[i] == node) {
            return true;
        }
    }
    return false;
}

bool weft_match_escapes(const struct weft_match *match, const struct weft_use_index *index) {
    for (uint32_t i = 0; i < match->node_count; i++) {
        for (uint32_t j = 0; j < match->nodes[i]->result_count; j++) {
            const struct weft_value *value = match->nodes[i]->results[j];
            const struct weft_users *users = weft_users_of(index, value);
            if (value == match->root) {
                continue;
            }
            if (users->is_output) {
                return true;
            }
            for (uint32_t k = 0; k < users->count; k++) {
                if (!weft_match_has(match, users->nodes[k])) {
                    return true;
                }
            }
        }
    }
    return false;
}
