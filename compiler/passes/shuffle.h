/* Transposes of channels alone, as shuffle_channels.c and fold_shuffles.c see them; used in
 * compiler/passes alone. */
#ifndef WEFT_COMPILER_PASSES_SHUFFLE_H
#define WEFT_COMPILER_PASSES_SHUFFLE_H

#include "compiler/passes/rules.h"

/* The axis from which on the transpose moves axes, which together are so many channels; the rank:
 * it moves others, too, or nothing. */
uint32_t shuffle_first(const struct weft_node *transpose, int64_t channels);

/* Which channel each one was before the transpose of axes from `first` on. */
void shuffle_places(const struct weft_node *transpose, uint32_t first, int64_t channels,
                    int64_t *places);

/* A transpose of x, perhaps reshaped, of more than four axes that takes channels of x elsewhere
 * with pixels: a transpose of the channels into the order in which the result has them, and one of
 * pixels with what they keep of their channels. NULL: it is another one, or takes more than that.
 */
struct weft_value *move_split(struct weft_rewrite *rewrite, struct weft_value *x,
                              const struct weft_value *result);

/* A rule for transposes: the channels of a product that nothing else needs are made in the other
 * order, by its weights, its bias and its scales. */
struct weft_value *fold_shuffle_behind(struct weft_rewrite *rewrite, const struct weft_site *site);

/* A rule for qnn.conv2d of a transpose, perhaps reshaped: its weights take the channels in the
 * order from before. */
struct weft_value *fold_shuffle_before(struct weft_rewrite *rewrite, const struct weft_site *site);

#endif
