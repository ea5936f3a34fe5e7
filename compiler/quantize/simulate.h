/* Quantised layers computed in float: weights, biases and tensors take the values that their
 * quantised forms stand for; used in compiler/quantize alone. */
#ifndef WEFT_COMPILER_QUANTIZE_SIMULATE_H
#define WEFT_COMPILER_QUANTIZE_SIMULATE_H

#include "compiler/quantize/plan.h"

/* The values that the quantised forms of `count` values stand for. */
void simulate_tensor(const struct tensor_scale *scale, const float *values, size_t count,
                     float *simulated);

/* A layer as the plan says, quantised or not: operands out of `from`, everything that it makes into
 * `to`, which may be the same. */
bool simulate_layer(const struct plan *plan, const struct layer *layer, const struct tensors *from,
                    const struct tensors *to, struct weft_error *error);

/* The product of a quantised layer and its bias, before the clip; the layer must be one. */
bool simulate_product(const struct plan *plan, const struct layer *layer,
                      const struct tensors *from, const struct tensors *to,
                      struct weft_error *error);

/* The value that holds what simulate_product() made. */
const struct weft_value *simulated_product(const struct layer *layer);

/* A run of the whole float graph on a sample. */
bool simulate_float(const struct plan *plan, const struct tensors *tensors, size_t sample,
                    struct weft_error *error);

#endif
