/* The pattern language over the graph IR.
 *
 * A pattern describes a value by the operator that makes it and, recursively, by that operator's
 * inputs. docs/patterns.md is the guide; its example is compiled and run by the tests.
 *
 *     struct weft_pattern *x = weft_pattern_bind(arena, weft_pattern_wildcard(arena), "x");
 *     struct weft_pattern *w = weft_pattern_constant(arena);
 *     struct weft_pattern *conv = weft_pattern_op(arena, WEFT_OP_QNN_CONV2D, 2,
 *                                                 (struct weft_pattern *[]){x, w});
 *     struct weft_pattern *relu = weft_pattern_optional(arena, conv, WEFT_OP_CLIP);
 *
 * Patterns live in an arena and can be used in several places of a larger pattern. That alone does
 * not make them stand for one value: a bound name does, it stands for the same value everywhere.
 *
 * Three things can be done with a pattern: find it (weft_pattern_match), put something else in its
 * place (compiler/pattern/rewrite.h), make what it finds one composite node
 * (weft_pattern_partition).
 */
#ifndef WEFT_COMPILER_PATTERN_PATTERN_H
#define WEFT_COMPILER_PATTERN_PATTERN_H

#include "compiler/ir/ir.h"

struct weft_pattern;

/* ---- what makes a value ---- */

/* Any value. It is not part of the match: what it stands for stays outside. */
struct weft_pattern *weft_pattern_wildcard(struct weft_arena *arena);

/* A constant. It is not part of the match either; composites take a copy of it in. */
struct weft_pattern *weft_pattern_constant(struct weft_arena *arena);

/* A result of operator `op` that has `input_count` inputs, which match `inputs` one by one. */
struct weft_pattern *weft_pattern_op(struct weft_arena *arena, enum weft_operator op,
                                     uint32_t input_count, struct weft_pattern *const *inputs);

/* A result of operator `op` with any number of inputs, each of which matches `input`. A name bound
 * inside must stand for the same value in all of them. */
struct weft_pattern *weft_pattern_op_each(struct weft_arena *arena, enum weft_operator op,
                                          struct weft_pattern *input);

/* What matches `inner` and is result number `index` of its node: of operators with several results
 * (split, unpack). Other patterns take any of them. */
struct weft_pattern *weft_pattern_result(struct weft_arena *arena, struct weft_pattern *inner,
                                         uint32_t index);

/* ---- choices ---- */

/* What matches `first`, else what matches `second`. */
struct weft_pattern *weft_pattern_or(struct weft_arena *arena, struct weft_pattern *first,
                                     struct weft_pattern *second);

/* `op` of one input applied to what matches `inner`; or, without it, what matches `inner`. */
struct weft_pattern *weft_pattern_optional(struct weft_arena *arena, struct weft_pattern *inner,
                                           enum weft_operator op);

/* `op` of two inputs, one of which matches `a` and the other one `b`, in either order. */
struct weft_pattern *weft_pattern_commutative(struct weft_arena *arena, enum weft_operator op,
                                              struct weft_pattern *a, struct weft_pattern *b);

/* ---- conditions ---- */

/* What matches `inner` and is made by a node whose attribute `key` equals `value` (of INTS: every
 * element). */
struct weft_pattern *weft_pattern_has_int(struct weft_arena *arena, struct weft_pattern *inner,
                                          enum weft_attribute_key key, int64_t value);

/* What matches `inner` and is made by a node that has an attribute of the same key and value. Of
 * constants (kind DATA) only the key is compared. The values must live as long as the pattern. */
struct weft_pattern *weft_pattern_has_attr(struct weft_arena *arena, struct weft_pattern *inner,
                                           struct weft_attribute attribute);

/* What matches `inner` and has this element type. */
struct weft_pattern *weft_pattern_has_dtype(struct weft_arena *arena, struct weft_pattern *inner,
                                            enum weft_dtype dtype);

/* What matches `inner` and has this type: element type, shape and quantisation. */
struct weft_pattern *weft_pattern_has_type(struct weft_arena *arena, struct weft_pattern *inner,
                                           const struct weft_type *type);

/* What matches `inner` and has this shape; -1 stands for any size of a dimension. */
struct weft_pattern *weft_pattern_has_shape(struct weft_arena *arena, struct weft_pattern *inner,
                                            uint32_t rank, const int64_t *dims);

/* What matches `inner` and passes a test of one's own. */
struct weft_pattern *weft_pattern_where(struct weft_arena *arena, struct weft_pattern *inner,
                                        bool (*test)(void *context, const struct weft_value *value),
                                        void *context);

/* What matches `inner`; a match remembers the value under `name`. */
struct weft_pattern *weft_pattern_bind(struct weft_arena *arena, struct weft_pattern *inner,
                                       const char *name);

/* ---- paths ---- */

/* What matches `child`, where every way up from the inputs of the child's node comes to what
 * matches `parent`, over any number of values that match `path`: the parent dominates the child.
 * All ways come to the same parent. Constants on the way are passed over. Of `path` the node that
 * makes the value counts, not what its pattern says of inputs; names inside `path` stay unbound.
 * The nodes on the way belong to the match. To know that nothing else uses them, ask
 * weft_match_escapes(). */
struct weft_pattern *weft_pattern_dominates(struct weft_arena *arena, struct weft_pattern *parent,
                                            struct weft_pattern *path, struct weft_pattern *child);

/* ---- matching ---- */

enum {
    WEFT_MATCH_NODES = 64,
    WEFT_MATCH_BINDINGS = 16
};

/* What a pattern found. */
struct weft_match {
    struct weft_value *root;
    uint32_t node_count;
    /* The nodes that the pattern's operators stand for, each once, users before producers, and the
     * operator of the pattern that found each. */
    struct weft_node *nodes[WEFT_MATCH_NODES];
    const struct weft_pattern *found_by[WEFT_MATCH_NODES];
    uint32_t binding_count;
    struct {
        const char *name;
        struct weft_value *value;
    } bindings[WEFT_MATCH_BINDINGS];
};

/* Does `pattern` describe `value`? Alternatives are tried in order; the first that fits the whole
 * pattern below it is taken, without trying others because of what stands above. A match has at
 * most WEFT_MATCH_NODES nodes and WEFT_MATCH_BINDINGS names; what has more does not match. */
bool weft_pattern_match(const struct weft_pattern *pattern, struct weft_value *value,
                        struct weft_match *match);

/* Do `count` patterns describe `count` values at once, so that names stand for the same values in
 * all of them? The root of the match is the first value. */
bool weft_pattern_match_tuple(size_t count, const struct weft_pattern *const *patterns,
                              struct weft_value *const *values, struct weft_match *match);

/* The value bound to `name`, or NULL. */
struct weft_value *weft_match_get(const struct weft_match *match, const char *name);

/* The node that an operator of the pattern stands for, or NULL; the first one, where it was used in
 * several places. */
struct weft_node *weft_match_node(const struct weft_match *match,
                                  const struct weft_pattern *pattern);

/* Is the node one of those matched? */
bool weft_match_has(const struct weft_match *match, const struct weft_node *node);

/* Does a value made inside the match have a user outside or leave the graph? The results of the
 * root's node may; they are what the match makes. A match that escapes cannot be replaced as a
 * whole. */
bool weft_match_escapes(const struct weft_match *match, const struct weft_use_index *users);

/* ---- partition by pattern ---- */

/* Makes what the pattern finds composite nodes called `name`, from the outputs of the graph
 * upwards; matches that escape, that share a node with an earlier one or that work on constants
 * alone stay as they are. Results of the root's node are results of the composite; constants move
 * into its body. `check` may refuse a match; NULL: it takes all. */
struct weft_graph *
weft_pattern_partition(const struct weft_graph *graph, const struct weft_pattern *pattern,
                       const char *name,
                       bool (*check)(void *context, const struct weft_match *match), void *context);

#endif
