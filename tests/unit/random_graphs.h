/* Random graphs of the operators that the machine takes. */
#ifndef WEFT_TESTS_UNIT_RANDOM_GRAPHS_H
#define WEFT_TESTS_UNIT_RANDOM_GRAPHS_H

#include "tests/unit/graphs.h"

/* How large graphs may become: the host kernels that they are compared with are slow. */
struct random_limits {
    int64_t side;     /* rows and columns of an input */
    int64_t channels; /* of any tensor */
    int64_t batch;
    int64_t macs;   /* of a product */
    int64_t layers; /* at most */
    /* Windows: rows and columns, steps from one to the next, and from tap to tap when they are not
     * neighbours. */
    int64_t window, stride, dilation;
    /* Layers are windows behind pads, slices and pools of one pixel, as in factorised reductions.
     */
    bool picks;
};

/* Up to 6 layers that compile in milliseconds. */
extern const struct random_limits random_small;

/* A graph of 1 to limits->layers random operators, mostly each on the result of the one before. */
struct weft_graph *random_layers(struct weft_arena *arena, const struct random_limits *limits,
                                 uint64_t seed);

#endif
