/* Channels of tensors: which are the same everywhere, and which somebody reads. Used by
 * weft_pass_cut_channels() alone. */
#ifndef WEFT_COMPILER_PASSES_CHANNELS_H
#define WEFT_COMPILER_PASSES_CHANNELS_H

#include "compiler/passes/passes.h"

/* What a node does with the channels, the elements along the last axis, of its first operand. */
enum channel_work {
    CHANNELS_MIXED,      /* anything */
    CHANNELS_KEPT,       /* each channel of the result follows from the same one of the operand */
    CHANNELS_DENSE,      /* a product with constant weights, of all channels */
    CHANNELS_MULTIPLIED, /* a depthwise product: each channel makes some of its own */
};

/* Of a value. */
struct channels {
    int64_t count;
    bool *is_kept;  /* somebody reads it, or it cannot be cut */
    bool *is_known; /* all elements are `value` */
    int64_t *value;
};

/* Of a node; what follows `work` is of products alone. */
struct channel_node {
    enum channel_work work;
    int64_t kernel; /* weights of each pair of channels */
    bool *is_read;  /* [O, C]: one of their weights is not 0; of depthwise products [O] */
    bool has_padding;
    bool takes_bias; /* a bias_add is the only user, so that its sums can be moved */
};

struct channel_analysis {
    const struct weft_graph *graph;
    const struct weft_use_index *uses;
    struct weft_map *values; /* value -> struct channels; none: it has no channels */
    struct weft_map *nodes;  /* node -> struct channel_node */
};

/* Finds out about all channels of a graph; false: not in reasonable time, so nothing is cut. */
bool channels_find(struct channel_analysis *analysis, const struct weft_graph *graph);

const struct channels *channels_of(const struct channel_analysis *analysis,
                                   const struct weft_value *value);
const struct channel_node *channels_node(const struct channel_analysis *analysis,
                                         const struct weft_node *node);

/* Channels that are kept. */
int64_t channels_kept(const struct channels *channels);

/* Is channel `c` of the operand of a product always what its sums can do without, or take into
 * their bias? */
bool channels_can_fold(const struct channel_analysis *analysis, const struct weft_node *product,
                       int64_t c);

/* What channel `c` of the operand, which is known, adds to the sums of channel `o`. */
int64_t channels_sum(const struct channels *operand, const struct weft_node *product, int64_t o,
                     int64_t c);

#endif
