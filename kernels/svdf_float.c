/* Sources: TFLite's EvalFloatSVDF() and EvalHybridSVDF(). */
#include <string.h>

#include "kernels/dot.h"
#include "kernels/fused_float.h"
#include "kernels/hybrid.h"
#include "kernels/sums_float.h"

static size_t state_bytes(const struct weft_svdf_shape *shape) {
    return (size_t)shape->batch * (size_t)shape->filters * (size_t)shape->memory * sizeof(float);
}

/* One number of each filter of a row, an even number of them. */
static size_t filter_bytes(const struct weft_svdf_shape *shape) {
    return ((size_t)shape->filters + 1) / 2 * 2 * sizeof(float);
}

/* A filter forgets its oldest feature, and remembers a new one. */
static void remember(const struct weft_svdf_shape *shape, float feature, float *features) {
    memmove(features, features + 1, (size_t)(shape->memory - 1) * sizeof *features);
    features[shape->memory - 1] = feature;
}

/* The results of a row, of what its filters remember. */
static void compute_row(const struct weft_svdf_parameters *p, const void *const *inputs,
                        const float *features, float *filter, float *output) {
    const struct weft_svdf_shape *shape = &p->shape;
    const weft_unaligned_float *weights = inputs[2];
    const weft_unaligned_float *bias = inputs[shape->has_bias != 0 ? 3 : 2];
    for (int64_t i = 0; i < shape->filters; i++) {
        filter[i] = weft_dot_of_lanes(weights + i * shape->memory, features + i * shape->memory,
                                      shape->memory);
    }
    int32_t units = shape->filters / shape->rank;
    for (int64_t unit = 0; unit < units; unit++) {
        output[unit] = weft_sum_of_lanes(filter + unit * shape->rank, shape->rank);
        output[unit] += shape->has_bias != 0 ? bias[unit] : 0.0F;
    }
    fuse_activation(p->activation, output, units, output);
}

/* ---- float weights ---- */

size_t weft_kernel_svdf_scratch(const struct weft_svdf_parameters *parameters) {
    return filter_bytes(&parameters->shape);
}

size_t weft_kernel_svdf_state(const struct weft_svdf_parameters *parameters) {
    return state_bytes(&parameters->shape);
}

void weft_kernel_svdf_reset(const struct weft_svdf_parameters *parameters, void *state) {
    memset(state, 0, state_bytes(&parameters->shape));
}

enum weft_kernel_status weft_kernel_svdf(const struct weft_svdf_parameters *parameters,
                                         const void *const *inputs, float *output, void *state,
                                         void *scratch) {
    const struct weft_svdf_shape *shape = &parameters->shape;
    const weft_unaligned_float *weights = inputs[1];
    const weft_unaligned_float *row = inputs[0];
    float *features = state;
    for (int32_t batch = 0; batch < shape->batch; batch++) {
        for (int64_t i = 0; i < shape->filters; i++) {
            remember(shape,
                     0.0F + weft_dot_of_lanes(weights + i * shape->inputs, row, shape->inputs),
                     features + i * shape->memory);
        }
        compute_row(parameters, inputs, features, scratch, output);
        row += shape->inputs;
        features += (int64_t)shape->filters * shape->memory;
        output += shape->filters / shape->rank;
    }
    return WEFT_KERNEL_OK;
}

/* ---- int8 weights ---- */

size_t weft_kernel_hybrid_svdf_scratch(const struct weft_svdf_parameters *parameters) {
    const struct weft_svdf_shape *shape = &parameters->shape;
    return filter_bytes(shape) + quantized_rows_bytes(shape->batch, shape->inputs);
}

size_t weft_kernel_hybrid_svdf_state(const struct weft_svdf_parameters *parameters) {
    return state_bytes(&parameters->shape);
}

void weft_kernel_hybrid_svdf_reset(const struct weft_svdf_parameters *parameters, void *state) {
    memset(state, 0, state_bytes(&parameters->shape));
}

/* Of rows that are all 0 every feature is 0, not -0. */
enum weft_kernel_status weft_kernel_hybrid_svdf(const struct weft_svdf_parameters *parameters,
                                                const void *const *inputs, float *output,
                                                void *state, void *scratch) {
    const struct weft_svdf_shape *shape = &parameters->shape;
    float *features = state;
    struct weft_quantized_rows rows =
        weft_quantize_rows(inputs[0], shape->batch, shape->inputs, parameters->asymmetric,
                           (uint8_t *)scratch + filter_bytes(shape));
    for (int64_t batch = 0; batch < shape->batch; batch++) {
        struct weft_product_types types = hybrid_types(&rows, batch);
        struct weft_dot_operands operands = {&types, rows.element, inputs[1], 0};
        float scale = rows.scale[batch].scale * parameters->scale;
        for (int64_t i = 0; i < shape->filters; i++) {
            int64_t sum =
                weft_dot(&operands, batch * shape->inputs, i * shape->inputs, shape->inputs);
            remember(shape, 0.0F + (float)(int32_t)(uint32_t)(uint64_t)sum * scale,
                     features + i * shape->memory);
        }
        compute_row(parameters, inputs, features, scratch, output);
        features += (int64_t)shape->filters * shape->memory;
        output += shape->filters / shape->rank;
    }
    return WEFT_KERNEL_OK;
}
