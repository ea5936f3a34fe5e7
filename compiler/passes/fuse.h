/* What the files of weft_pass_fuse_quantize() share, fuse_*.c; products of integers are also
 * weft_pass_shuffle_channels()'s, numbers weft_pass_find_multipliers()'s. */
#ifndef WEFT_COMPILER_PASSES_FUSE_H
#define WEFT_COMPILER_PASSES_FUSE_H

#include "compiler/passes/rules.h"

/* The 8-bit tensor that a value of floats is made of by qnn.dequantize, or NULL. */
struct weft_value *fuse_integers(const struct weft_value *value);

/* A type in another shape. */
struct weft_type fuse_shaped(struct weft_type type, const struct weft_type *shape);

/* A constant of one number, f32 or i32. */
struct weft_value *fuse_number(struct weft_rewrite *rewrite, enum weft_dtype dtype, float number);

struct weft_value *fuse_binary(struct weft_rewrite *rewrite, enum weft_operator op,
                               struct weft_value *a, struct weft_value *b,
                               const struct weft_type *type);

/* A product of integers, of the type that follows; NULL: its operands do not fit. */
struct weft_value *fuse_sums(struct weft_rewrite *rewrite, enum weft_operator op,
                             struct weft_value *const inputs[2], uint32_t attribute_count,
                             const struct weft_attribute *attributes);

/* qnn.requantize of sums as float32 rounds: times the quotient of scales, or times *factor. */
struct weft_value *fuse_rescale(struct weft_rewrite *rewrite, struct weft_value *sums,
                                const float *factor, const struct weft_type *to);

/* Floats in units of the result, rounded, ties to even; the zero point is added behind. */
struct weft_value *fuse_round(struct weft_rewrite *rewrite, struct weft_value *x, int32_t zero,
                              const struct weft_type *to);

/* The same, with the zero point added before. */
struct weft_value *fuse_round_with_zero(struct weft_rewrite *rewrite, struct weft_value *x,
                                        const struct weft_type *to);

/* qnn.add, qnn.subtract or qnn.mul that rounds as float32 does, of the integers of both operands;
 * NULL: they do not fit. */
struct weft_value *fuse_by_element(struct weft_rewrite *rewrite, enum weft_operator op,
                                   const struct weft_node *node, const struct weft_type *to);

/* What takes the place of qnn.quantize to the type `to` behind a node; NULL: nothing does. */
struct weft_value *fuse_mean(struct weft_rewrite *rewrite, const struct weft_node *mean,
                             const struct weft_type *to);
struct weft_value *fuse_average_pool(struct weft_rewrite *rewrite, const struct weft_node *pool,
                                     const struct weft_type *to);
struct weft_value *fuse_softmax(struct weft_rewrite *rewrite, const struct weft_node *softmax,
                                const struct weft_type *to);

#endif
