#include <math.h>

#include "kernels/normalize.h"

enum weft_kernel_status weft_kernel_layer_norm(const struct weft_layer_norm_parameters *parameters,
                                               const weft_unaligned_float *input,
                                               const weft_unaligned_float *gain,
                                               const weft_unaligned_float *offset, float *output) {
    int32_t depth = parameters->shape.depth;
    for (int32_t row = 0; row < parameters->shape.rows; row++, input += depth, output += depth) {
        double sum = 0;
        for (int32_t i = 0; i < depth; i++) {
            sum += (double)input[i];
        }
        float mean = (float)(sum / depth);
        double squares = 0;
        for (int32_t i = 0; i < depth; i++) {
            float difference = input[i] - mean;
            squares += (double)difference * (double)difference;
        }
        float inverse = 1.0F / sqrtf((float)(squares / depth) + parameters->epsilon);
        for (int32_t i = 0; i < depth; i++) {
            output[i] = (input[i] - mean) * inverse * gain[i] + offset[i];
        }
    }
    return WEFT_KERNEL_OK;
}
