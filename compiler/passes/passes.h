/* Passes over the graph: each reads one graph and returns another. compiler/compile.c lists them in
 * order. A pass rewrites only where every result stays the same, byte for byte, but for
 * those that say that they are for models of ONNX alone.
 */
#ifndef WEFT_COMPILER_PASSES_PASSES_H
#define WEFT_COMPILER_PASSES_PASSES_H

#include "compiler/ir/ir.h"

/* Makes every tensor of the model an output, in the order in which they are made, after those that
 * are outputs already. */
struct weft_graph *weft_pass_keep_tensors(const struct weft_graph *graph);

/* ---- normalising: both ways in which quantised networks arrive end as the same graph ---- */

/* Transposes move towards the outputs: past functions of one element and of two, where the other
 * operand is transposed alike or broadcast from one axis, past concatenation, of constants and
 * inputs of the graph, too, which are turned for it, past gather, pads, slices and reductions, and
 * into the constant weights of qnn.dense behind a reshape. What comes after merges those that meet
 * (weft_pass_simplify_moves()). */
struct weft_graph *weft_pass_sink_transposes(const struct weft_graph *graph);

/* Transposes and slices of more than four axes, as of heads and parts of attention, become those of
 * fewer between reshapes; a reshape that joins axes behind a transpose comes before it. */
struct weft_graph *weft_pass_fewer_axes(const struct weft_graph *graph);

/* Transposes with reshapes between them become those that keep the last axis, at most as many or
 * one more, and one behind them that takes it to its place where it moves at all: this one may meet
 * its opposite, or go into a product of matrices. */
struct weft_graph *weft_pass_merge_moves(const struct weft_graph *graph);

/* Channels of bytes in another order, or chosen by a constant, become a convolution of one pixel
 * with weights of 0 and 1, which keeps every byte: the machine moves pixels as a whole. */
struct weft_graph *weft_pass_shuffle_channels(const struct weft_graph *graph);

/* gather of elements that a constant names one after another becomes a slice. */
struct weft_graph *weft_pass_slice_gathers(const struct weft_graph *graph);

/* In graphs of ONNX, which say rounding="even" of qnn.quantize: qnn.dequantize moves towards the
 * outputs and qnn.quantize towards the inputs, past what moves or picks elements, the larger or
 * smaller one of two tensors of bytes among it; casts that only relabel integers become one. */
struct weft_graph *weft_pass_move_quantize(const struct weft_graph *graph);

/* In graphs of ONNX qnn.dequantize, a float operator, perhaps limits, and qnn.quantize become what
 * ONNX Runtime makes of them: products of integers rounded as float32, sums, products by element,
 * averages. Functions of one tensor are left to weft_pass_make_tables(). This is the meaning of
 * such a model, not that of its floats, and for models of ONNX alone. */
struct weft_graph *weft_pass_fuse_quantize(const struct weft_graph *graph);

/* reduce_max of bytes over axes side by side, none of them the last one, becomes max_pool2d between
 * reshapes, or several whose windows have at most 63 rows and columns each, as the machine's; so
 * does max_pool2d of a whole image that is larger. */
struct weft_graph *weft_pass_pool_maxima(const struct weft_graph *graph);

/* Operators on constants alone become constants, computed by the host's kernels: float weights and
 * biases wrapped in qnn.quantize, reshaped or transposed constants. Results much larger than the
 * operands stay operators. */
struct weft_graph *weft_pass_fold_constants(const struct weft_graph *graph);

/* Moving elements in fewer and simpler steps: squeeze and expand_dims become reshape, pack and
 * unpack slices and concatenations; what moves nothing goes; chains of reshapes, transposes and
 * pads become one; a product of matrices transposes its second ones itself. */
struct weft_graph *weft_pass_simplify_moves(const struct weft_graph *graph);

/* Factors and offsets of floats that are one for each channel behind a convolution or dense product
 * with constant weights, which nothing else uses, go into weights and bias: batch normalisation,
 * also when it was written as products and sums. So does one number for all behind moves and
 * products of two tensors, as attention divides its scores by one. Results differ in the last
 * places, so this is for models of ONNX alone. */
struct weft_graph *weft_pass_fold_scales(const struct weft_graph *graph);

/* What changes no element goes: x * 1, x / 1, x - 0, a function behind itself, negate twice; of
 * floats alone. Numbers that are not numbers may have other bytes. */
struct weft_graph *weft_pass_drop_identities(const struct weft_graph *graph);

/* Products of matrices of floats whose second one is known become dense products, between reshapes
 * where they have more than two axes, and sums of a number for each output their bias. For models
 * of ONNX alone, as sums are in another order. */
struct weft_graph *weft_pass_make_dense(const struct weft_graph *graph);

/* GELU (with erf or tanh) and layer normalisation along the last axis, written out in sums and
 * products, become gelu and layer_norm; factors and offsets of channels behind the latter go into
 * it. For models of ONNX alone: results differ in the last places. */
struct weft_graph *weft_pass_recognise_functions(const struct weft_graph *graph);

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

/* qnn.conv2d_transpose of a window of more than 64 taps, with its requantisation, becomes a
 * qnn.conv2d that makes the results of each place of the operand as channels, which are put side by
 * side. It carries out some more multiplications than the model's, of which `cut_macs` tells. */
struct weft_graph *weft_pass_divide_phases(const struct weft_graph *graph);

/* Rows and columns of the windows of qnn.conv2d that lie in the padding for every result go, with
 * the padding that they needed; `cut_macs` as for weft_pass_cut_channels(). */
struct weft_graph *weft_pass_cut_taps(const struct weft_graph *graph);

/* What follows from one 8-bit tensor alone, element by element and with constants of one element,
 * becomes one table of 256 values, which the host's kernels fill: SiLU, GELU and hard-swish in
 * their parts, sums and products with a number, chains of activations. What is one function of a
 * byte already stays. Nodes that are left without users stay for weft_pass_remove_unused(). */
struct weft_graph *weft_pass_make_tables(const struct weft_graph *graph);

/* What follows from one 8-bit tensor of [..., C] in floats, element by element and with constants
 * of one element or of one for each channel, and is a straight line for each channel, limited and
 * rounded, becomes a depthwise convolution of one pixel that makes the same of all 256 bytes: batch
 * normalisation between quantisers. Up to four channels that have no such line are looked up by
 * themselves; where there are more it stays. */
struct weft_graph *weft_pass_scale_channels(const struct weft_graph *graph);

/* qnn.add, qnn.subtract and qnn.mul with rounding "float" get corrections or a factor in its place,
 * with which they are carried out in integers, where these make the same bytes of all operands'
 * bytes: all 256, or those of a constant, or that a table or a limit makes; of a sum but for two
 * pairs, which may be 1 apart. Where they do not, a sum is looked up in a table of all pairs, and
 * others stay. */
struct weft_graph *weft_pass_find_multipliers(const struct weft_graph *graph);

/* Channels that no weight behind them reads, and channels that are the same everywhere and that the
 * sums behind them can do without, or take into their bias, go from what makes them and from what
 * reads them: convolutions, depthwise and dense products with constant weights, and the functions
 * of one element and pools between them. What is computed stays the same, byte for byte. The
 * attribute `cut_macs` of a product says how many multiplications it has lost. */
struct weft_graph *weft_pass_cut_channels(const struct weft_graph *graph);

/* Operators that compute the same from the same values, and constants of the same elements, become
 * one. */
struct weft_graph *weft_pass_merge_common(const struct weft_graph *graph);

/* Leaves out nodes whose results nothing needs. */
struct weft_graph *weft_pass_remove_unused(const struct weft_graph *graph);

/* Does weft_pass_find_multipliers() carry out in integers a sum or a difference, qnn.add or
 * qnn.subtract, of any bytes of these types? */
bool weft_adds_alike(enum weft_operator op, const struct weft_type *a, const struct weft_type *b,
                     const struct weft_type *to);

/* From here down a number masks scores of attention: it stands for nothing that is there. */
#define WEFT_MASKED (-1000.0)

/* ---- for quantising alone: floats that are computed otherwise, and no faster as floats ---- */

/* Products of floats with weights of int8, of which a converter quantised the weights alone, become
 * those of floats. */
struct weft_graph *weft_pass_expand_hybrids(const struct weft_graph *graph);

/* weft_pass_drop_identities(), and sums with 0, of which -0 becomes 0. */
struct weft_graph *weft_pass_drop_zeros(const struct weft_graph *graph);

/* Softmax of floats behind which 0 takes the place of what is no number loses that choice, and its
 * masks their infinities: a row that is masked as a whole has equal shares then, and not 0. Not
 * where a mask may be an input. */
struct weft_graph *weft_pass_drop_guards(const struct weft_graph *graph);

/* qnn.dequantize of qnn.quantize of floats goes. */
struct weft_graph *weft_pass_drop_pairs(const struct weft_graph *graph);

/* resize_bilinear of floats becomes interpolate_axis of rows, then of columns. */
struct weft_graph *weft_pass_expand_resize(const struct weft_graph *graph);

/* A dense product of floats of which several others take columns, no more of them than there are,
 * becomes a product for each: queries, keys and values of attention in one. */
struct weft_graph *weft_pass_split_dense(const struct weft_graph *graph);

/* Average pools without padding, but for means of whole images, and factors of channels of [N, H,
 * W, C] that no product took in become depthwise convolutions: an offset behind one is its bias,
 * once weft_pass_fold_scales() has seen it. */
struct weft_graph *weft_pass_make_depthwise(const struct weft_graph *graph);

/* weft_pass_sink_transposes(), also past layer normalisation of whole images, which adds them up in
 * another order then, and past products of two tensors. */
struct weft_graph *weft_pass_sink_past_norms(const struct weft_graph *graph);

/* Operators of floats without a quantised form become others that have one: layer normalisation a
 * mean, a difference, squares, their mean, a root and a product, whose gain and offset go into the
 * dense products behind it where nothing else reads them, else into a depthwise convolution of one
 * pixel; quotients by constants products; sums means times a number; powers of two and squared
 * differences squares; a choice between scores of attention and a large negative number the sum of
 * scores and a mask; quotients by roots products; softmax over one element ones. */
struct weft_graph *weft_pass_expand_functions(const struct weft_graph *graph);

#endif
