/* Source: TFLite's EvalIntegerSVDF(). */
#include <string.h>

#include "kernels/element.h"
#include "kernels/scale.h"
#include "kernels/sequence.h"

/* Nothing: sums are made one by one. */
size_t weft_kernel_qnn_svdf_scratch(const struct weft_qnn_svdf_parameters *parameters) {
    (void)parameters;
    return 0;
}

size_t weft_kernel_qnn_svdf_state(const struct weft_qnn_svdf_parameters *parameters) {
    const struct weft_svdf_shape *shape = &parameters->shape;
    return (size_t)shape->batch * (size_t)shape->filters * (size_t)shape->memory * sizeof(int16_t);
}

void weft_kernel_qnn_svdf_reset(const struct weft_qnn_svdf_parameters *parameters, void *state) {
    memset(state, 0, weft_kernel_qnn_svdf_state(parameters));
}

/* A filter forgets its oldest feature, and remembers that of a row. */
static void remember(const struct weft_qnn_svdf_parameters *p, const int8_t *row,
                     const int8_t *weights, int16_t *features) {
    uint32_t sum = 0;
    for (int32_t i = 0; i < p->shape.inputs; i++) {
        sum += (uint32_t)(weights[i] * (row[i] - p->input_zero));
    }
    memmove(features, features + 1, (size_t)(p->shape.memory - 1) * sizeof *features);
    features[p->shape.memory - 1] =
        (int16_t)saturate(WEFT_I16, 0, scale_by((int32_t)sum, p->feature));
}

static uint32_t over_time(const struct weft_svdf_shape *shape, const void *weights, int64_t filter,
                          const int16_t *features) {
    uint32_t sum = 0;
    for (int32_t i = 0; i < shape->memory; i++) {
        sum +=
            (uint32_t)(load_element(WEFT_I16, weights, filter * shape->memory + i) * features[i]);
    }
    return sum;
}

enum weft_kernel_status weft_kernel_qnn_svdf(const struct weft_qnn_svdf_parameters *parameters,
                                             const void *const *inputs, void *output, void *state,
                                             void *scratch) {
    const struct weft_svdf_shape *shape = &parameters->shape;
    const int8_t *row = inputs[0];
    int16_t *features = state;
    int8_t *result = output;
    (void)scratch;
    for (int32_t batch = 0; batch < shape->batch; batch++, row += shape->inputs) {
        uint32_t sum = 0;
        for (int32_t filter = 0; filter < shape->filters; filter++, features += shape->memory) {
            remember(parameters, row, (const int8_t *)inputs[1] + (int64_t)filter * shape->inputs,
                     features);
            sum += over_time(shape, inputs[2], filter, features);
            if (filter % shape->rank != shape->rank - 1) {
                continue;
            }
            if (shape->has_bias != 0) {
                sum += (uint32_t)load_element(WEFT_I32, inputs[3], filter / shape->rank);
            }
            *result++ = (int8_t)saturate(WEFT_I8, parameters->output_zero,
                                         scale_by((int32_t)sum, parameters->output));
            sum = 0;
        }
    }
    return WEFT_KERNEL_OK;
}
