/* Activations of whole vectors, as the reference takes them; used in kernels/ alone. */
#ifndef WEFT_KERNELS_FUSED_FLOAT_H
#define WEFT_KERNELS_FUSED_FLOAT_H

#include "kernels/sequence.h"
#include "kernels/vector_float.h"

/* std::max(low, std::min(x, high)) */
static inline float limit_between(float low, float x, float high) {
    float below = high < x ? high : x;
    return low < below ? below : low;
}

/* `output` may be `input`. */
static inline void fuse_activation(enum weft_fused_activation activation, const float *input,
                                   int64_t count, float *output) {
    for (int64_t i = 0; i < count; i++) {
        float x = input[i];
        switch (activation) {
        case WEFT_FUSED_RELU:
            output[i] = 0.0F < x ? x : 0.0F;
            break;
        case WEFT_FUSED_RELU_N1_TO_1:
            output[i] = limit_between(-1.0F, x, 1.0F);
            break;
        case WEFT_FUSED_RELU6:
            output[i] = limit_between(0.0F, x, 6.0F);
            break;
        case WEFT_FUSED_TANH:
            output[i] = vector_tanh(x);
            break;
        default:
            output[i] = x;
            break;
        }
    }
}

#endif
