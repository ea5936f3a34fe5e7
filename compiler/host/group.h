/* Which operators of the host are carried out together, tile by tile, so that the tensors between
 * them are never there as a whole.
 *
 * An operator's immediate post-dominator is the first one that everything made of its result goes
 * through. A product, or an operator by element, is joined with it when all on the ways between can
 * be carried out by tiles; a group has one product, at its head, or ends with one reduction. */
#ifndef WEFT_COMPILER_HOST_GROUP_H
#define WEFT_COMPILER_HOST_GROUP_H

#include "base/text.h"
#include "compiler/ir/ir.h"

struct weft_host_groups {
    size_t count; /* of nodes */
    /* By node of the graph: the last node of its group, which is the node itself where it is alone.
     * The results of the others are used inside the group alone. */
    uint32_t *last;
    uint32_t *size; /* by last node: of nodes */
};

/* Finds the groups of a graph; without `fuse` every operator is one of its own. Errors:
 * WEFT_OUT_OF_MEMORY. */
bool weft_host_groups_find(const struct weft_graph *graph, bool fuse,
                           struct weft_host_groups *groups, struct weft_error *error);

void weft_host_groups_free(struct weft_host_groups *groups);

/* Appends a line for each group of more than one: the operators and the names of their results. */
void weft_host_groups_print(const struct weft_graph *graph, const struct weft_host_groups *groups,
                            struct weft_text *text);

#endif
