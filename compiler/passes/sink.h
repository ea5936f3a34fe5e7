/* What the files of weft_pass_sink_transposes() share. */
#ifndef WEFT_COMPILER_PASSES_SINK_H
#define WEFT_COMPILER_PASSES_SINK_H

#include "compiler/passes/rules.h"

/* The transpose that makes the value; NULL: none does. */
const struct weft_node *sink_transpose_of(const struct weft_value *value);

const int64_t *sink_order_of(const struct weft_node *transpose);

bool sink_same_order(const struct weft_node *a, const struct weft_node *b);

/* The type that becomes `type` by a transpose; it has one scale. */
struct weft_type sink_before(const struct weft_type *type, const int64_t *order);

/* The transpose behind y that was before it. */
struct weft_value *sink_put_behind(struct weft_rewrite *rewrite, struct weft_value *y,
                                   const struct weft_node *transpose, const struct weft_type *type);

/* Is it an input of the graph, or the bytes of one? */
bool sink_is_input(const struct weft_value *value);

/* Is it a change of scale, or between bytes and floats? */
bool sink_changes_type(const struct weft_node *node);

/* An operand that is broadcast to a transposed one, as it has to be without the transpose: its axes
 * in another order. NULL: its elements would have to move, and it is no constant, nor an input of
 * the graph, if these are turned: they mostly are for something else, too. */
struct weft_value *sink_turned(struct weft_rewrite *rewrite, struct weft_value *value,
                               const int64_t *order, uint32_t rank, bool turns_inputs);

/* concatenate(transpose(x), ..., inputs of the graph) with the transpose behind it; NULL: it does
 * not go. The context is the graph's use index. */
struct weft_value *sink_concatenate(struct weft_rewrite *rewrite, const struct weft_site *site);

/* reshape(layer_norm(reshape(transpose(x)))) with the transpose behind it; NULL: it does not go. */
struct weft_value *sink_norm(struct weft_rewrite *rewrite, const struct weft_site *site);

#endif
