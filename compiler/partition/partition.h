/* Splitting a graph between targets and the host.
 *
 * A target brings a pattern table: patterns with checks. The passes below work for any number of
 * targets, and none of them knows any:
 *     weft_merge_composites   what a pattern matches becomes one composite node
 *     weft_annotate_targets   which target, or the host and why, takes each node
 *     weft_merge_regions      which nodes of a target run together
 *     weft_partition          each region becomes one node
 *     weft_release_regions    regions that are not worth it go back to the host
 * When a target finds that it has no room for an operator of a region,
 *     weft_release_operators  gives it to the host, and the last three are carried out again
 */
#ifndef WEFT_COMPILER_PARTITION_PARTITION_H
#define WEFT_COMPILER_PARTITION_PARTITION_H

#include "compiler/pattern/pattern.h"
#include "isa/config.h"

struct weft_pattern_entry {
    const char *name; /* of the composites it makes, e.g. "weft.conv2d" */
    struct weft_pattern *pattern;
    /* Can the target carry out this match? NULL: yes; else the reason, in words for the user. The
     * function itself may be NULL. */
    const char *(*check)(void *context, struct weft_arena *arena, const struct weft_match *match);
};

struct weft_pattern_table {
    const char *name;
    size_t entry_count;
    const struct weft_pattern_entry *entries; /* tried in this order */
    void *context;                            /* for the checks */
    /* Is it worth carrying out a region that takes from the host or gives to it? `body` has the
     * table's composites. *reason: NULL for yes, else why not, in words for the user. The function
     * itself may be NULL. */
    bool (*check_region)(void *context, struct weft_arena *arena, const struct weft_graph *body,
                         const char **reason, struct weft_error *error);
};

/* Replaces what the patterns of `target` match by composites, starting from the outputs. A match is
 * left alone when an inner value is used outside, when it works on constants alone, or when its
 * check gives a reason; that is then noted on its nodes (attribute `reason`), unless another match
 * takes them. Constants move into the composites. */
struct weft_graph *weft_merge_composites(const struct weft_graph *graph,
                                         const struct weft_pattern_table *target);

/* Sets the attribute `target` on every composite that a table made, and on every other node but
 * constants a `reason` when it has none. */
struct weft_graph *weft_annotate_targets(const struct weft_graph *graph, size_t target_count,
                                         const struct weft_pattern_table *targets);

/* Sets the attribute `region` on every node that has a target: the number of the region that it
 * runs in. Nodes of one target get the same number only when no path between them leads through
 * another target or the host, so that regions can be carried out as a whole: there is no cycle
 * between regions and what lies outside. */
struct weft_graph *weft_merge_regions(const struct weft_graph *graph);

/* Makes each region one node whose body holds its nodes; the others stay. The order of nodes is one
 * in which everything can run. NULL when regions are numbered so that one waits for itself, which
 * weft_merge_regions() never does. */
struct weft_graph *weft_partition(const struct weft_graph *graph);

/* Asks the target of every region that takes from the host or gives to it whether it is worth it.
 * The operators of refused ones become the host's, with the `reason`. Regions of one target that
 * are left cannot be merged then: each has a level of its own (weft_merge_regions()), and those
 * behind a refused one all have one less. Errors: those of the targets' checks. */
bool weft_release_regions(const struct weft_graph *graph, size_t target_count,
                          const struct weft_pattern_table *targets, struct weft_graph **released,
                          struct weft_error *error);

/* What a target cannot carry out of a region that it was given. */
struct weft_refusal {
    const struct weft_node *region;
    bool is_whole; /* nothing of it */
    size_t index;  /* else this composite of its body */
    const char *reason;
};

/* Takes everything apart that passes put into bodies, and forgets who was to carry out what: a
 * graph as it was before weft_merge_composites(). */
struct weft_graph *weft_open_bodies(const struct weft_graph *graph);

/* Takes all regions apart into the nodes that weft_merge_regions() saw. The operators of what is
 * refused become the host's, with the reason. */
struct weft_graph *weft_release_operators(const struct weft_graph *graph,
                                          const struct weft_refusal *refusal);

#endif
