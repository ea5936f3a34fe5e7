/* Making patterns. */
#include "compiler/pattern/pattern.h"

#include <string.h>

#include "compiler/pattern/pattern_node.h"

static struct weft_pattern *make(struct weft_arena *arena, enum pattern_kind kind,
                                 struct weft_pattern *inner) {
    struct weft_pattern *pattern = WEFT_NEW(arena, struct weft_pattern);
    pattern->kind = kind;
    pattern->first = inner;
    return pattern;
}

struct weft_pattern *weft_pattern_wildcard(struct weft_arena *arena) {
    return make(arena, PATTERN_WILDCARD, NULL);
}

struct weft_pattern *weft_pattern_constant(struct weft_arena *arena) {
    return make(arena, PATTERN_CONSTANT, NULL);
}

struct weft_pattern *weft_pattern_op(struct weft_arena *arena, enum weft_operator op,
                                     uint32_t input_count, struct weft_pattern *const *inputs) {
    struct weft_pattern *pattern = make(arena, PATTERN_OP, NULL);
    pattern->op = op;
    pattern->count = input_count;
    pattern->inputs = WEFT_NEW_ARRAY(arena, input_count, struct weft_pattern *);
    for (uint32_t i = 0; i < input_count; i++) {
        pattern->inputs[i] = inputs[i];
    }
    return pattern;
}

struct weft_pattern *weft_pattern_op_each(struct weft_arena *arena, enum weft_operator op,
                                          struct weft_pattern *input) {
    struct weft_pattern *pattern = make(arena, PATTERN_OP_EACH, input);
    pattern->op = op;
    return pattern;
}

struct weft_pattern *weft_pattern_result(struct weft_arena *arena, struct weft_pattern *inner,
                                         uint32_t index) {
    struct weft_pattern *pattern = make(arena, PATTERN_RESULT, inner);
    pattern->count = index;
    return pattern;
}

struct weft_pattern *weft_pattern_or(struct weft_arena *arena, struct weft_pattern *first,
                                     struct weft_pattern *second) {
    struct weft_pattern *pattern = make(arena, PATTERN_OR, first);
    pattern->second = second;
    return pattern;
}

struct weft_pattern *weft_pattern_optional(struct weft_arena *arena, struct weft_pattern *inner,
                                           enum weft_operator op) {
    return weft_pattern_or(arena, weft_pattern_op(arena, op, 1, &inner), inner);
}

struct weft_pattern *weft_pattern_commutative(struct weft_arena *arena, enum weft_operator op,
                                              struct weft_pattern *a, struct weft_pattern *b) {
    return weft_pattern_or(arena, weft_pattern_op(arena, op, 2, (struct weft_pattern *[]){a, b}),
                           weft_pattern_op(arena, op, 2, (struct weft_pattern *[]){b, a}));
}

struct weft_pattern *weft_pattern_has_int(struct weft_arena *arena, struct weft_pattern *inner,
                                          enum weft_attribute_key key, int64_t value) {
    struct weft_pattern *pattern = make(arena, PATTERN_HAS_INT, inner);
    pattern->attribute.key = key;
    pattern->value = value;
    return pattern;
}

struct weft_pattern *weft_pattern_has_attr(struct weft_arena *arena, struct weft_pattern *inner,
                                           struct weft_attribute attribute) {
    struct weft_pattern *pattern = make(arena, PATTERN_HAS_ATTR, inner);
    pattern->attribute = attribute;
    return pattern;
}

struct weft_pattern *weft_pattern_has_dtype(struct weft_arena *arena, struct weft_pattern *inner,
                                            enum weft_dtype dtype) {
    struct weft_pattern *pattern = make(arena, PATTERN_HAS_DTYPE, inner);
    pattern->type.dtype = dtype;
    return pattern;
}

struct weft_pattern *weft_pattern_has_type(struct weft_arena *arena, struct weft_pattern *inner,
                                           const struct weft_type *type) {
    struct weft_pattern *pattern = make(arena, PATTERN_HAS_TYPE, inner);
    pattern->type = *type;
    return pattern;
}

struct weft_pattern *weft_pattern_has_shape(struct weft_arena *arena, struct weft_pattern *inner,
                                            uint32_t rank, const int64_t *dims) {
    struct weft_pattern *pattern = make(arena, PATTERN_HAS_SHAPE, inner);
    pattern->count = rank;
    memcpy(pattern->type.dim, dims, rank * sizeof *dims);
    return pattern;
}

struct weft_pattern *weft_pattern_where(struct weft_arena *arena, struct weft_pattern *inner,
                                        bool (*test)(void *context, const struct weft_value *value),
                                        void *context) {
    struct weft_pattern *pattern = make(arena, PATTERN_WHERE, inner);
    pattern->test = test;
    pattern->context = context;
    return pattern;
}

struct weft_pattern *weft_pattern_bind(struct weft_arena *arena, struct weft_pattern *inner,
                                       const char *name) {
    struct weft_pattern *pattern = make(arena, PATTERN_BIND, inner);
    pattern->name = name;
    return pattern;
}

struct weft_pattern *weft_pattern_dominates(struct weft_arena *arena, struct weft_pattern *parent,
                                            struct weft_pattern *path, struct weft_pattern *child) {
    struct weft_pattern *pattern = make(arena, PATTERN_DOMINATES, child);
    pattern->second = parent;
    pattern->path = path;
    return pattern;
}
