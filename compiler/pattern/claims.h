/* Matches that become composite nodes: what weft_pattern_partition() and MergeComposite
 * (compiler/partition) share. */
#ifndef WEFT_COMPILER_PATTERN_CLAIMS_H
#define WEFT_COMPILER_PATTERN_CLAIMS_H

#include "compiler/pattern/pattern.h"

/* Which match takes which node of a graph. */
struct weft_claims {
    const struct weft_graph *graph;
    struct weft_use_index *users;
    struct weft_map *owner; /* node -> the claim that takes it */
};

struct weft_claims weft_claims_new(const struct weft_graph *graph);

/* Is the node part of a claim? */
bool weft_claims_has(const struct weft_claims *claims, const struct weft_node *node);

/* Can the match become a composite: none of its nodes is taken, nothing inside is needed outside,
 * and it works on more than constants? Otherwise *refusal says why not, in words for the user; it
 * may be NULL. */
bool weft_claims_allows(const struct weft_claims *claims, const struct weft_match *match,
                        const char **refusal);

/* Takes the nodes of an allowed match; its composite will be called `name`. */
void weft_claims_add(struct weft_claims *claims, const struct weft_match *match, const char *name);

/* The graph with a composite for every claim. `note` sees every node that no claim took, old and
 * new; it may be NULL. Constants that only claims use move into their bodies. */
struct weft_graph *weft_claims_build(const struct weft_claims *claims,
                                     void (*note)(void *context, const struct weft_node *from,
                                                  struct weft_node *to),
                                     void *context);

#endif
