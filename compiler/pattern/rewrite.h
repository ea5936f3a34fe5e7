/* Rewriting graphs by patterns.
 *
 * One walk over a graph builds a new one, node by node, users after producers. Every value that
 * comes into the new graph is offered to the rules at once: a copied one with its inputs already
 * rewritten, and just so one that a rule makes. What a rule puts in the place of a value is what
 * every later node, and so every later rule, sees.
 *
 *     static struct weft_value *drop_clip(struct weft_rewrite *rewrite,
 *                                         const struct weft_site *site) {
 *         return weft_match_get(site->match, "x");
 *     }
 *     struct weft_rule rule = {weft_pattern_bind(...), drop_clip, NULL};
 *     struct weft_graph *after = weft_rewrite(before, 1, &rule);
 *
 * docs/patterns.md has a whole example.
 */
#ifndef WEFT_COMPILER_PATTERN_REWRITE_H
#define WEFT_COMPILER_PATTERN_REWRITE_H

#include "compiler/pattern/pattern.h"

struct weft_rewrite;

/* Where a rule applies. */
struct weft_site {
    /* The value in the graph from before; NULL for one that a rule has made. */
    const struct weft_value *pre;
    /* The same value in the new graph: its inputs are rewritten. */
    struct weft_value *post;
    /* What names and operators of the pattern stand for, in the new graph. */
    const struct weft_match *match;
    void *context; /* of the rule */
};

struct weft_rule {
    const struct weft_pattern *pattern;
    /* Returns the value that takes the place of site->post, made with the functions below or there
     * already, or NULL when the rule does not apply after all. Its type must be that of site->post,
     * else it is not taken. */
    struct weft_value *(*rewrite)(struct weft_rewrite *rewrite, const struct weft_site *site);
    void *context;
};

/* The rewritten graph. At each value the first rule of the list that applies is carried out; the
 * nodes that it makes are offered to all rules before it gets them. Rules must come to an end:
 * nodes made by rules inside of rules inside of rules, sixteen deep, are not offered any more.
 * Nodes that rewriting leaves without users are dropped; those that had none before stay. What
 * takes the place of a tensor of the model gets its name and index. */
struct weft_graph *weft_rewrite(const struct weft_graph *graph, size_t rule_count,
                                const struct weft_rule *rules);

/* ---- inside a rule ---- */

struct weft_arena *weft_rewrite_arena(const struct weft_rewrite *rewrite);

/* The value of the new graph that stands for a value of the old one that is there already; NULL
 * otherwise. */
struct weft_value *weft_rewrite_map(const struct weft_rewrite *rewrite,
                                    const struct weft_value *old);

/* How many uses the value will have when nothing changes any more: each operand of a node that is
 * or will be there, and being an output of the graph. */
size_t weft_rewrite_uses(const struct weft_rewrite *rewrite, const struct weft_value *value);

/* Does anything outside the match use, or will use, a value made inside it, other than the root? A
 * rule that makes the inner nodes superfluous asks this where doing their work twice would cost. */
bool weft_rewrite_escapes(const struct weft_rewrite *rewrite, const struct weft_match *match);

/* A node with one result, which is offered to the rules: the value returned is what took its place.
 */
struct weft_value *weft_rewrite_node(struct weft_rewrite *rewrite, enum weft_operator op,
                                     uint32_t input_count, struct weft_value *const *inputs,
                                     uint32_t attribute_count,
                                     const struct weft_attribute *attributes,
                                     const struct weft_type *type);

/* A copy of a node of the new graph on other inputs; as weft_rewrite_node(). The node must have one
 * result. */
struct weft_value *weft_rewrite_copy(struct weft_rewrite *rewrite, const struct weft_node *node,
                                     struct weft_value *const *inputs,
                                     const struct weft_type *type);

/* A constant; `data` is not copied. */
struct weft_value *weft_rewrite_constant(struct weft_rewrite *rewrite, const struct weft_type *type,
                                         const void *data);

#endif
