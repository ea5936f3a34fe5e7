#include <math.h>

#include "kernels/normalize.h"

static float maximum(const weft_unaligned_float *row, int32_t depth) {
    float best = -INFINITY;
    for (int32_t i = 0; i < depth; i++) {
        best = fmaxf(best, row[i]);
    }
    return best;
}

enum weft_kernel_status weft_kernel_softmax(const struct weft_softmax_parameters *parameters,
                                            const weft_unaligned_float *input, float *output) {
    int32_t depth = parameters->shape.depth;
    for (int32_t row = 0; row < parameters->shape.rows; row++, input += depth, output += depth) {
        float best = maximum(input, depth);
        float sum = 0.0F;
        for (int32_t i = 0; i < depth; i++) {
            output[i] = expf((input[i] - best) * parameters->beta);
            sum += output[i];
        }
        for (int32_t i = 0; i < depth; i++) {
            output[i] /= sum;
        }
    }
    return WEFT_KERNEL_OK;
}

enum weft_kernel_status weft_kernel_log_softmax(const struct weft_rows_parameters *parameters,
                                                const weft_unaligned_float *input, float *output) {
    int32_t depth = parameters->depth;
    for (int32_t row = 0; row < parameters->rows; row++, input += depth, output += depth) {
        float best = maximum(input, depth);
        float sum = 0.0F;
        for (int32_t i = 0; i < depth; i++) {
            sum += expf(input[i] - best);
        }
        float log_sum = logf(sum);
        for (int32_t i = 0; i < depth; i++) {
            output[i] = input[i] - best - log_sum;
        }
    }
    return WEFT_KERNEL_OK;
}

enum weft_kernel_status weft_kernel_l2_normalize(const struct weft_rows_parameters *parameters,
                                                 const weft_unaligned_float *input, float *output) {
    int32_t depth = parameters->depth;
    for (int32_t row = 0; row < parameters->rows; row++, input += depth, output += depth) {
        float squares = 0.0F;
        for (int32_t i = 0; i < depth; i++) {
            squares += input[i] * input[i];
        }
        float length = fmaxf(sqrtf(squares), 1e-6F);
        for (int32_t i = 0; i < depth; i++) {
            output[i] = input[i] / length;
        }
    }
    return WEFT_KERNEL_OK;
}
