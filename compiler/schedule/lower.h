/* From a chain of graph operators to one operation of the machine: what the files lower_*.c share.
 *
 * Each function fills the layer for one kind of operator and returns NULL, or the reason why the
 * machine cannot carry it out, in words for the user.
 */
#ifndef WEFT_COMPILER_SCHEDULE_LOWER_H
#define WEFT_COMPILER_SCHEDULE_LOWER_H

#include "compiler/schedule/layer.h"

struct lowering {
    struct weft_arena *arena;
    const struct weft_config *config;
    const struct weft_match *match; /* the chain in its graph, or NULL: all of a composite's body */
    struct layer *layer;
};

/* ---- lower.c ---- */

/* The operand, the result, their shapes and zero points. */
const char *set_shapes(const struct lowering *lowering, const struct weft_value *input,
                       const struct weft_value *output);

/* The shape and the zero point of a tensor on the machine. */
const char *set_tensor(const struct lowering *lowering, const struct weft_value *value,
                       struct shape *shape, int32_t *zero);

/* Is a tensor of this shape, with padding top, left, bottom and right, small enough? */
const char *check_size(const struct lowering *lowering, const struct shape *shape,
                       const int64_t pad[4]);

/* Strides, padding and dilation of a window; kernel and shapes are set. */
const char *set_window(const struct lowering *lowering, const struct weft_node *node);

/* The operator of the chain that makes a value; NULL for one that comes from outside of it. */
const struct weft_node *made_inside(const struct lowering *lowering,
                                    const struct weft_value *value);

/* Depthwise windows keep a line of weights for each element. */
const char *check_taps(const struct lowering *lowering);

/* A window of one column can as well lie along the columns, where depthwise mode has its shift
 * register. Long tensors are left alone: they are carried out in stripes of rows. */
void turn_column(const struct weft_config *config, struct layer *layer);

/* ---- lower_element.c ---- */

/* What an operator makes of every byte of operand `input` on the machine; NULL: the host's kernel
 * does not cover it. */
uint8_t *function_table(const struct lowering *lowering, const struct weft_node *node,
                        uint32_t input);

/* ---- lower_*.c: the chain that ends at `node`; a clip below it has been taken off ---- */

/* [bias_add] (conv2d | conv2d_transpose | dense [reshape]) and the requantize `node`. */
const char *lower_product(const struct lowering *lowering, const struct weft_node *node,
                          const struct weft_value *output);

/* avg_pool2d, max_pool2d */
const char *lower_pool(const struct lowering *lowering, const struct weft_node *node,
                       const struct weft_value *output);

/* qnn.mean over rows and columns */
const char *lower_mean(const struct lowering *lowering, const struct weft_node *node,
                       const struct weft_value *output);

/* qnn.add, qnn.subtract, qnn.mul, maximum, minimum */
const char *lower_binary(const struct lowering *lowering, const struct weft_node *node,
                         const struct weft_value *output);

/* A function of one byte, and the clip that may follow it, or a clip alone. */
const char *lower_table(const struct lowering *lowering, const struct weft_node *node,
                        const struct weft_value *output);

/* pad */
const char *lower_pad(const struct lowering *lowering, const struct weft_node *node,
                      const struct weft_value *output);

/* reshape */
const char *lower_reshape(const struct lowering *lowering, const struct weft_node *node,
                          const struct weft_value *output);

/* resize_nearest_neighbor */
const char *lower_resize(const struct lowering *lowering, const struct weft_node *node,
                         const struct weft_value *output);

/* concatenate, qnn.concatenate */
const char *lower_concatenate(const struct lowering *lowering, const struct weft_node *node,
                              const struct weft_value *output);

/* strided_slice; split: `output` says which result */
const char *lower_slice(const struct lowering *lowering, const struct weft_node *node,
                        const struct weft_value *output);

#endif
