/* What the kinds of layers share with each other. */
#ifndef WEFT_COMPILER_LAYERS_LAYERS_H
#define WEFT_COMPILER_LAYERS_LAYERS_H

#include "compiler/plan/plan.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* ---- patterns ---- */

/* product, bias_add or not, requantize, clip or not */
struct weft_pattern *scaled_product(struct weft_arena *arena, enum weft_operator operator,
                                    struct weft_pattern * input);

/* An operator of one operand, and a clip or not. */
struct weft_pattern *clipped_function(struct weft_arena *arena, enum weft_operator operator);

/* An operator of one operand. */
struct weft_pattern *plain_function(struct weft_arena *arena, enum weft_operator operator);

/* ---- rows ---- */

/* `rows_read` of layers with a window, and of those that take element by element. */
void rows_of_window(const struct layer *layer, int64_t first, int64_t end, int64_t *in_first,
                    int64_t *in_end);
void same_rows(const struct layer *layer, int64_t first, int64_t end, int64_t *in_first,
               int64_t *in_end);

/* ---- weights ---- */

/* Fills `to` with the weights between input channel c and the `count` output channels from `first`
 * on at (row, column) of a dense window; weight_zero, which counts as nothing, where there is none.
 */
void fill_lane(const struct layer *layer, int64_t first, int64_t count, int64_t row, int64_t column,
               int64_t c, uint8_t *to);

/* ---- parameters ---- */

/* A record of a sum: the scalings of both operands and of their sum. */
void write_sum_record(uint8_t *to, const int32_t multiplier[3], const int shift[3]);

/* REQUANT records of a group of channel blocks. */
void pack_requant(struct packing *packing, int layer, int64_t group);

#endif
