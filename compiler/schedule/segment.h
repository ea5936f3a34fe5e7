/* A segment: a region of the graph as a program of the machine. */
#ifndef WEFT_COMPILER_SCHEDULE_SEGMENT_H
#define WEFT_COMPILER_SCHEDULE_SEGMENT_H

#include "isa/verify/verify.h"

/* Where an input or output of a segment lies: [N, H, W, C] (the tensor's own order), one byte an
 * element. */
struct weft_binding {
    uint32_t region; /* enum weft_region */
    uint64_t offset;
    uint64_t bytes;
};

/* What a segment does, operator by operator, for tables and reports. */
struct weft_layer_info {
    const char *name;   /* operator */
    const char *tensor; /* what the model calls the result; without a model: the graph */
    int64_t shape[4];   /* of the result, [N, H, W, C] */
    int64_t macs;       /* multiplications that the operator asks for in the model */
    int64_t cut_macs;   /* of these: not carried out, since nothing needs them */
    int32_t source;     /* operator in the model, or -1 */
    int32_t result;     /* tensor in the model that it makes; -1: a part of one, or another form */
};

/* The program of a region. */
struct weft_segment {
    struct weft_program program; /* instructions in the arena of the module */
    int32_t *layer_of;           /* by instruction: index into layers, -1 for HALT */
    const uint8_t *constants;
    uint64_t constant_bytes;
    uint64_t scratch_bytes;
    uint64_t input_bytes;
    uint64_t output_bytes;
    uint32_t input_count, output_count;
    struct weft_binding *inputs; /* as the region's inputs */
    struct weft_binding *outputs;
    uint32_t layer_count;
    struct weft_layer_info *layers;
    uint64_t cycles; /* that the cycle model gives at the configuration's memory */
    /* Cycles that the program takes at most, with that memory (sim/timing/bound.h). */
    uint64_t bound;
    int64_t elements; /* of the results of all operators, as weft_graph_elements() counts */
    struct saved_schedule *schedule; /* what was chosen, and what was tried */
};

/* The external regions of a segment: the bytes that it needs of each, and that it may write what is
 * its own, scratch memory and outputs. Programs and constants are shared by the sessions of a
 * module, inputs stay as they were set. */
void weft_segment_regions(const struct weft_segment *segment, struct weft_regions *regions);

#endif
