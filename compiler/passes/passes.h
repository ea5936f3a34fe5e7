/* Passes over the graph: each reads one graph and returns another. compiler/compile.c lists them in
 * order. A pass rewrites only where every result stays the same, byte for byte.
 */
#ifndef WEFT_COMPILER_PASSES_PASSES_H
#define WEFT_COMPILER_PASSES_PASSES_H

#include "compiler/ir/ir.h"

/* Makes every tensor of the model an output, in the order in which they are made, after those that
 * are outputs already. */
struct weft_graph *weft_pass_keep_tensors(const struct weft_graph *graph);

/* ---- normalising: both ways in which quantised networks arrive end as the same graph ---- */

/* Operators on constants alone become constants, computed by the host's kernels: float weights and
 * biases wrapped in qnn.quantize, reshaped or transposed constants. Results much larger than the
 * operands stay operators. */
struct weft_graph *weft_pass_fold_constants(const struct weft_graph *graph);

/* Moving elements in fewer and simpler steps: squeeze and expand_dims become reshape, pack and
 * unpack slices and concatenations; what moves nothing goes; chains of reshapes, transposes and
 * pads become one. */
struct weft_graph *weft_pass_simplify_moves(const struct weft_graph *graph);

/* Activations become clips where that is all they do: qnn.relu, qnn.relu6, qnn.relu_n1_to_1 without
 * a change of scale, maximum and minimum with a constant. */
struct weft_graph *weft_pass_lower_activations(const struct weft_graph *graph);

/* qnn.requantize to int32, clip, cast to 8 or 16 bits: the same as qnn.requantize to that type and
 * the clip, since it saturates. */
struct weft_graph *weft_pass_narrow_requantize(const struct weft_graph *graph);

/* Two changes of scale in a row become one, and one that changes nothing goes, where no value comes
 * out different: proved by arithmetic when the second one only moves the zero point, by trying all
 * values of operands of 8 and 16 bits otherwise. */
struct weft_graph *weft_pass_merge_requantize(const struct weft_graph *graph);

/* Clips in a row become one. A clip goes when its type's range, or what the type that follows can
 * hold, limits the values as much. */
struct weft_graph *weft_pass_merge_clips(const struct weft_graph *graph);

/* A pad of rows and columns with the zero point whose only users are convolutions, or such pads,
 * becomes part of the convolutions' own padding. */
struct weft_graph *weft_pass_fold_pad(const struct weft_graph *graph);

/* Operators that compute the same from the same values, and constants of the same elements, become
 * one. */
struct weft_graph *weft_pass_merge_common(const struct weft_graph *graph);

/* Leaves out nodes whose results nothing needs. */
struct weft_graph *weft_pass_remove_unused(const struct weft_graph *graph);

#endif
