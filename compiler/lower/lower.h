/* From a chain of graph operators to one layer: what the lowering functions of all kinds
 * (compiler/layers) share. Those that return a text return NULL, or the reason why the machine
 * cannot carry it out, in words for the user. */
#ifndef WEFT_COMPILER_LOWER_LOWER_H
#define WEFT_COMPILER_LOWER_LOWER_H

#include "compiler/lower/layer.h"

struct lowering {
    struct weft_arena *arena;
    const struct weft_config *config;
    const struct weft_match *match; /* the chain in its graph, or NULL: all of a composite's body */
    struct layer *layer;
};

/* ---- lower.c ---- */

/* The operand, the result, their shapes and zero points; of any rank for what works by element, or
 * of at most 4 dimensions. */
const char *set_any_shapes(const struct lowering *lowering, const struct weft_value *input,
                           const struct weft_value *output);
const char *set_shapes(const struct lowering *lowering, const struct weft_value *input,
                       const struct weft_value *output);

/* The shape and the zero point of a tensor on the machine; as above. */
const char *set_any_tensor(const struct lowering *lowering, const struct weft_value *value,
                           struct shape *shape, int32_t *zero);
const char *set_tensor(const struct lowering *lowering, const struct weft_value *value,
                       struct shape *shape, int32_t *zero);

/* Is a tensor of this shape, with padding top, left, bottom and right, small enough? */
const char *check_size(const struct lowering *lowering, const struct shape *shape,
                       const int64_t pad[4]);

/* Strides, padding and dilation of a window; kernel and shapes are set. */
const char *set_window(const struct lowering *lowering, const struct weft_node *node);

/* Steps over a clip that limits what another operator of the chain makes, and remembers its limits.
 */
const struct weft_node *skip_clip(const struct lowering *lowering, const struct weft_value *root);

/* The operator of the chain that makes a value; NULL for one that comes from outside of it. */
const struct weft_node *made_inside(const struct lowering *lowering,
                                    const struct weft_value *value);

/* Depthwise windows keep a line of weights for each element. */
const char *check_taps(const struct lowering *lowering);

/* Finds out whether a layer with a window can lie along the columns. */
void find_turn(struct layer *layer);

/* What an operator makes of every byte of operand `input` on the machine; NULL: the host's kernel
 * does not cover it. */
uint8_t *function_table(const struct lowering *lowering, const struct weft_node *node,
                        uint32_t input);

/* ---- product.c ---- */

/* How the node `requantize` scales `product`; limits and zero point of the result are set. */
const char *set_requant(const struct lowering *lowering, const struct weft_value *product,
                        const struct weft_node *requantize);

/* Makes a MUL, whose scaling is set, a product of a tensor of one channel with a weight for each of
 * its result: the same sums, rounded alike. False, and the layer is as it was: it is none, or the
 * machine lacks something for it. */
bool set_outer_product(const struct lowering *lowering, const struct weft_value *operand,
                       const struct weft_value *weights);

/* ---- features.c ---- */

/* The reason why a machine without some feature cannot carry out a layer that one with all can, or
 * NULL. */
const char *layer_lacks(const struct weft_config *config, const struct layer *layer);

/* ---- product.c, pool.c: lowering functions of several kinds; see struct layer_pattern ---- */

/* [bias_add] (conv2d | conv2d_transpose | dense [reshape]) and the requantize `node`. */
const char *lower_product(const struct lowering *lowering, const struct weft_node *node,
                          const struct weft_value *output);

/* avg_pool2d, max_pool2d */
const char *lower_pool(const struct lowering *lowering, const struct weft_node *node,
                       const struct weft_value *output);

/* qnn.mean over rows and columns, or over channels */
const char *lower_mean(const struct lowering *lowering, const struct weft_node *node,
                       const struct weft_value *output);

#endif
