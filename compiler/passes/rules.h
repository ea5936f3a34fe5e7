/* What passes made of rewriting rules share; used in compiler/passes alone. */
#ifndef WEFT_COMPILER_PASSES_RULES_H
#define WEFT_COMPILER_PASSES_RULES_H

#include "compiler/passes/passes.h"
#include "compiler/pattern/rewrite.h"

/* ---- patterns ---- */

/* `op` of one operand that is bound to `name`. */
struct weft_pattern *rule_unary(struct weft_arena *arena, enum weft_operator op,
                                struct weft_pattern *operand);

/* Any value, bound to `name`. */
struct weft_pattern *rule_any(struct weft_arena *arena, const char *name);

/* ---- nodes ---- */

/* clip(x) to [min, max], or x itself when its type has no other values. */
struct weft_value *rule_clip(struct weft_rewrite *rewrite, struct weft_value *x, int64_t min,
                             int64_t max);

/* Does the clip limit the values of its type? */
bool rule_clip_is_idle(const struct weft_node *clip);

/* reshape(x) to the type, or x itself when it has that type. */
struct weft_value *rule_reshape(struct weft_rewrite *rewrite, struct weft_value *x,
                                const struct weft_type *type);

/* Is it a constant of floats, all of which are `number`? 0 and -0 are the same. */
bool rule_is_all(const struct weft_value *value, float number);

/* The first axis that a transpose moves; the rank: it moves none. */
uint32_t rule_first_moved(const struct weft_node *transpose);

/* A type in a shape of so many axes, of as many elements. */
struct weft_type rule_shaped(const struct weft_type *type, uint32_t rank, const int64_t *dims);

/* Does the pad surround with the zero point: by default, or by a constant that equals it? */
bool rule_pads_zero(const struct weft_node *pad);

/* Does the graph come of ONNX: does a qnn.quantize round ties to even? */
bool rule_is_onnx(const struct weft_graph *graph);

/* ---- numbers of channels, of floats ---- */

/* A number for each channel of the type, [..., C] of at least one axis, from a constant of one
 * number or of one for each channel, which is broadcast along the other axes alone; in the arena.
 * NULL: the value is none. */
float *rule_channels(struct weft_rewrite *rewrite, const struct weft_value *value,
                     const struct weft_type *type);

/* The operand of a node of two that is not the constant, when that has one number, or one for each
 * channel of the other operand, which has the shape of the result; they are in the arena,
 * `*numbers`, one for each channel. `any_order`: the constant may be the first operand. NULL: the
 * node is not of this kind. */
struct weft_value *rule_by_channel(struct weft_rewrite *rewrite, const struct weft_node *node,
                                   bool any_order, float **numbers);

/* A constant of so many floats; they are not copied. */
struct weft_value *rule_vector(struct weft_rewrite *rewrite, int64_t count, const float *numbers);

enum {
    RULE_WINDOW_ATTRIBUTES = 4
};
/* The attributes of a convolution without padding and dilation. */
void rule_window(struct weft_arena *arena, const int64_t strides[2], int64_t groups,
                 struct weft_attribute attributes[RULE_WINDOW_ATTRIBUTES]);

/* The depthwise convolution of x, [N, H, W, C] of floats, with `weights` of a window [C, H, W],
 * without padding; `to` is the type of the result. */
struct weft_value *rule_depthwise(struct weft_rewrite *rewrite, struct weft_value *x,
                                  const int64_t window[2], const int64_t strides[2],
                                  const float *weights, const struct weft_type *to);

/* Is the value a constant of one float? Then it is in *number. */
bool rule_is_number(const struct weft_value *value, float *number);

/* What takes the place of a number that masks scores: it takes away all that they are. */
#define RULE_NOTHING (-3e38F)

/* ---- evaluating ---- */

/* Is the type one whose values can all be tried: integers of at most 16 bits, quantised per tensor
 * or not? */
bool rule_is_enumerable(const struct weft_type *type);

/* Operators of one operand, one after another, that work element by element; the types are those of
 * the nodes. */
struct rule_chain {
    size_t count;
    const struct weft_node *const *nodes;
};

/* Do two chains make the same of every value of their operand's type, which must be enumerable?
 * False also when a kernel refuses. */
bool rule_makes_same(struct weft_arena *arena, struct rule_chain a, struct rule_chain b);

/* Does qnn.requantize `node` never map a larger value to a smaller one? Only a left shift of large
 * values wraps. */
bool rule_is_monotone(const struct weft_node *node);

/* The least and the most that qnn.requantize `node` makes of the value in any channel; false when a
 * kernel refuses. */
bool rule_requantize_limits(struct weft_arena *arena, const struct weft_node *node, int64_t value,
                            int64_t *least, int64_t *most);

/* ---- rules that several passes need ---- */

enum {
    CLIP_RULES = 2
};
/* clip(clip(x)), and clips that are idle. */
void rule_add_clips(struct weft_arena *arena, struct weft_rule rules[CLIP_RULES]);

#endif
