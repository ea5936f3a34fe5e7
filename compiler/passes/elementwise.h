/* What weft_pass_make_tables() and weft_pass_scale_channels() share: elementwise.c. */
#ifndef WEFT_COMPILER_PASSES_ELEMENTWISE_H
#define WEFT_COMPILER_PASSES_ELEMENTWISE_H

#include "compiler/ir/ir.h"

enum {
    ELEMENTWISE_VALUES = 256, /* of a byte */
    ELEMENTWISE_MOST = 64,    /* nodes of a group */
};

/* Nodes whose results follow, element by element, from one 8-bit tensor, and from constants. */
struct elementwise_group {
    struct weft_value *root;
    size_t count;
    const struct weft_node *nodes[ELEMENTWISE_MOST]; /* operands before those that read them */
};

/* Does each element of the result follow from those at the same place, or from the one that there
 * is? */
bool elementwise_is(const struct weft_node *node);

/* So many of all channels, one after another. */
struct elementwise_channels {
    int64_t first, count, all;
};

/* What the host's kernels make of all values of the root, from the smallest on, in some channels:
 * of each of `values`, results of nodes of the group, the last of which is that of the last of
 * these nodes, elements of its type, [256, channels.count], in the array of the same number in
 * `results`. Constants have an element for each of all channels, or elements that are all the same.
 * False: a kernel refuses. */
bool elementwise_run(struct weft_arena *arena, const struct elementwise_group *group,
                     struct elementwise_channels channels, size_t value_count,
                     const struct weft_value *const *values, void *const *results);

#endif
