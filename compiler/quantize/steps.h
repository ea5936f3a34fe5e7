/* The steps of weft_quantize(), one a file, in their order; used in compiler/quantize alone. */
#ifndef WEFT_COMPILER_QUANTIZE_STEPS_H
#define WEFT_COMPILER_QUANTIZE_STEPS_H

#include "compiler/quantize/plan.h"

/* The graph with constants folded, transposes where they cancel, what follows products in their
 * weights and biases, and operators without a quantised form as others that have one. */
struct weft_graph *quantize_prepare(const struct weft_graph *graph);

/* The prepared graph with channels of products scaled so that what one makes and what the next one
 * takes have like ranges: pairs of products with nothing but a bias and a relu between them; those
 * with a clip to a fixed number are left alone. *pairs: how many. */
struct weft_graph *quantize_equalize(const struct weft_graph *graph, size_t *pairs);

/* Sets plan->tables: layers that are inside of what becomes one table, but not those that
 * `keep_float` (by layer; NULL: none) holds back. */
void quantize_find_tables(struct plan *plan, const bool *keep_float);

/* Runs the float graph over all samples: fills plan->limits with what the tensors between layers
 * hold, and plan->ranges with what calibration makes of that. */
bool quantize_observe(struct plan *plan, struct weft_error *error);

/* Marks in `keep_float`, by layer, those whose ranges bytes would say nothing of: scores behind a
 * mask that plan_find_masks() does not know, and normalisations of rows of very different sizes. */
void quantize_hold_layers(struct plan *plan, bool *keep_float);

/* Marks in `keep_float`, by layer, those at the end of the network that stay in float:
 * concatenations of tensors with very different ranges, and what lies between an operator without a
 * quantised form and the end. */
void quantize_hold_ends(struct plan *plan, bool *keep_float);

/* Changes layer->float_bias of every quantised product by the mean of what quantising its weights
 * and its operand changes in its results, channel by channel, over all samples. */
bool quantize_correct_biases(struct plan *plan, struct weft_error *error);

/* How far the quantised layers are from the float graph, by simulating them: reports->alone and
 * ->accumulated by layer (may be NULL), and the outputs. */
bool quantize_measure(const struct plan *plan, struct weft_layer_report *reports,
                      struct weft_outputs_report *outputs, struct weft_error *error);

/* The quantised graph that the plan says. */
struct weft_graph *quantize_rewrite(const struct plan *plan);

#endif
