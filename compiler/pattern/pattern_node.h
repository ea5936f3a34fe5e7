/* How a pattern is kept; compiler/pattern alone looks inside. */
#ifndef WEFT_COMPILER_PATTERN_PATTERN_NODE_H
#define WEFT_COMPILER_PATTERN_PATTERN_NODE_H

#include "compiler/ir/ir.h"

enum pattern_kind {
    PATTERN_WILDCARD,
    PATTERN_CONSTANT,
    PATTERN_OP,
    PATTERN_OP_EACH,
    PATTERN_RESULT,
    PATTERN_OR,
    PATTERN_HAS_INT,
    PATTERN_HAS_ATTR,
    PATTERN_HAS_DTYPE,
    PATTERN_HAS_TYPE,
    PATTERN_HAS_SHAPE,
    PATTERN_WHERE,
    PATTERN_BIND,
    PATTERN_DOMINATES,
};

struct weft_pattern {
    enum pattern_kind kind;
    uint32_t count; /* OP: inputs; HAS_SHAPE: rank; RESULT: index */
    struct weft_pattern **inputs;
    struct weft_pattern *first;  /* the inner pattern; OR: tried first; DOMINATES: the child */
    struct weft_pattern *second; /* OR: tried second; DOMINATES: the parent */
    struct weft_pattern *path;
    enum weft_operator op;
    struct weft_attribute attribute; /* HAS_INT: its key alone */
    int64_t value;
    struct weft_type type; /* HAS_TYPE; HAS_DTYPE: its dtype; HAS_SHAPE: its dims */
    bool (*test)(void *context, const struct weft_value *value);
    void *context;
    const char *name;
};

#endif
