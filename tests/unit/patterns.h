/* Short names for the tests of patterns. */
#ifndef WEFT_TESTS_UNIT_PATTERNS_H
#define WEFT_TESTS_UNIT_PATTERNS_H

#include "tests/unit/graphs.h"

#include "compiler/pattern/pattern.h"

typedef struct weft_pattern *pattern;

static inline pattern any(struct weft_arena *arena) {
    return weft_pattern_wildcard(arena);
}

static inline pattern bound(struct weft_arena *arena, pattern inner, const char *name) {
    return weft_pattern_bind(arena, inner, name);
}

static inline pattern op1(struct weft_arena *arena, enum weft_operator op, pattern input) {
    return weft_pattern_op(arena, op, 1, &input);
}

static inline pattern op2(struct weft_arena *arena, enum weft_operator op, pattern a, pattern b) {
    return weft_pattern_op(arena, op, 2, (pattern[]){a, b});
}

static inline pattern clip(struct weft_arena *arena, pattern input) {
    return op1(arena, WEFT_OP_CLIP, input);
}

static inline bool matches(pattern wanted, const struct weft_graph *graph, const char *name,
                           struct weft_match *match) {
    return weft_pattern_match(wanted, value_named(graph, name), match);
}

static inline bool fits(pattern wanted, const struct weft_graph *graph, const char *name) {
    struct weft_match match;
    return matches(wanted, graph, name, &match);
}

#endif
