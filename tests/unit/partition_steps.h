/* The steps of compiler/partition one by one, for its tests. */
#ifndef WEFT_TESTS_UNIT_PARTITION_STEPS_H
#define WEFT_TESTS_UNIT_PARTITION_STEPS_H

#include "tests/unit/graphs.h"

#include "compiler/partition/partition.h"

/* The machine of ref16. */
const struct weft_pattern_table *machine(struct weft_arena *arena);

/* A target of the tests: softmaxes of short rows, and clips, whatever they are. */
const struct weft_pattern_table *tiny(struct weft_arena *arena);

/* An operator of one input. */
struct weft_pattern *op1(struct weft_arena *arena, enum weft_operator op,
                         struct weft_pattern *input);

/* Asserts that a step gave a good graph that computes the same; returns it. */
struct weft_graph *checked(const struct weft_graph *before, struct weft_graph *after);

/* The graph of a text after merging composites, annotating targets, and all of the partition, each
 * of them checked. */
struct weft_graph *merged(struct weft_arena *arena, const char *text);
struct weft_graph *annotated(struct weft_arena *arena, const char *text);
struct weft_graph *partitioned(struct weft_arena *arena, const char *text);

/* Of the node of a value: the name of a composite, the reason to be on the host. */
const char *composite_name(const struct weft_graph *graph, const char *value);
const char *reason_of(const struct weft_graph *graph, const char *value);

/* Parts of the texts of graphs. */
#define X    "1x2x2x2xi8{0.5, -3}"
#define ACC  "1x2x2x2xi32{0.125, 0}"
#define CONV " strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1 : "
#define UNIT " kernel=[1, 1] strides=[1, 1] padding=[0, 0, 0, 0] : "
#define LAYER                                                                                      \
    "  %w = constant() data=[1, 2, -3, 4] : 2x1x1x2xi8{0.25, 0} #1\n"                              \
    "  %k = constant() data=[5, -6] : 2xi32{0.125, 0} #2\n"                                        \
    "  %p = qnn.conv2d(%0, %w)" CONV ACC "\n"                                                      \
    "  %s = bias_add(%p, %k) : " ACC "\n"                                                          \
    "  %r = qnn.requantize(%s) rounding=\"gemmlowp\" : " X "\n"                                    \
    "  %c = clip(%r) min=-20 max=20 : " X " #3\n"

#endif
