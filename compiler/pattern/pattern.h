/* The pattern language over the graph IR.
 *
 * A pattern describes a value by the operator that makes it and, recursively, by that operator's
 * inputs:
 *
 *     struct weft_pattern *x = weft_pattern_bind(weft_pattern_wildcard(arena), "x");
 *     struct weft_pattern *conv = weft_pattern_op(arena, WEFT_OP_QNN_CONV2D, 2,
 *                                                 (struct weft_pattern *[]){x,
 * weft_pattern_constant(arena)}); struct weft_pattern *relu = weft_pattern_optional(arena, conv,
 * WEFT_OP_CLIP);
 *
 * Patterns live in an arena and can be used in several places of a larger pattern; a bound name
 * must then stand for the same value everywhere.
 */
#ifndef WEFT_COMPILER_PATTERN_PATTERN_H
#define WEFT_COMPILER_PATTERN_PATTERN_H

#include "compiler/ir/ir.h"

struct weft_pattern;

/* Any value. */
struct weft_pattern *weft_pattern_wildcard(struct weft_arena *arena);

/* A constant. */
struct weft_pattern *weft_pattern_constant(struct weft_arena *arena);

/* A result of operator `op` whose inputs match `inputs` one by one. */
struct weft_pattern *weft_pattern_op(struct weft_arena *arena, enum weft_operator op,
                                     uint32_t input_count, struct weft_pattern *const *inputs);

/* What matches `first`, else what matches `second`. */
struct weft_pattern *weft_pattern_or(struct weft_arena *arena, struct weft_pattern *first,
                                     struct weft_pattern *second);

/* `op` of one input applied to what matches `inner`; or, without it, what matches `inner`. */
struct weft_pattern *weft_pattern_optional(struct weft_arena *arena, struct weft_pattern *inner,
                                           enum weft_operator op);

/* What matches `inner` and is made by a node whose attribute `key` equals `value` (of INTS: every
 * element). */
struct weft_pattern *weft_pattern_has_int(struct weft_arena *arena, struct weft_pattern *inner,
                                          enum weft_attribute_key key, int64_t value);

/* What matches `inner` and has this element type. */
struct weft_pattern *weft_pattern_has_dtype(struct weft_arena *arena, struct weft_pattern *inner,
                                            enum weft_dtype dtype);

/* What matches `inner` and has this shape; -1 stands for any size of a dimension. */
struct weft_pattern *weft_pattern_has_shape(struct weft_arena *arena, struct weft_pattern *inner,
                                            uint32_t rank, const int64_t *dims);

/* What matches `inner`; a match remembers the value under `name`. Returns the pattern that binds.
 */
struct weft_pattern *weft_pattern_bind(struct weft_arena *arena, struct weft_pattern *inner,
                                       const char *name);

/* ---- matching ---- */

enum {
    WEFT_MATCH_NODES = 64,
    WEFT_MATCH_BINDINGS = 16
};

/* What a pattern found. */
struct weft_match {
    struct weft_value *root;
    uint32_t
        node_count; /* nodes that WEFT_OP patterns matched, each once, users before producers */
    struct weft_node *nodes[WEFT_MATCH_NODES];
    uint32_t binding_count;
    struct {
        const char *name;
        struct weft_value *value;
    } bindings[WEFT_MATCH_BINDINGS];
};

/* Does `pattern` describe `value`? Alternatives are tried in order; the first that fits the whole
 * pattern below it is taken, without trying others because of what stands above. */
bool weft_pattern_match(const struct weft_pattern *pattern, struct weft_value *value,
                        struct weft_match *match);

/* The value bound to `name`, or NULL. */
struct weft_value *weft_match_get(const struct weft_match *match, const char *name);

/* Is the node one of those matched? */
bool weft_match_has(const struct weft_match *match, const struct weft_node *node);

/* Does a value made inside the match, other than the root, have a user outside or leave the graph?
 * Such a match cannot be replaced as a whole. */
bool weft_match_escapes(const struct weft_match *match, const struct weft_use_index *users);

#endif
