#include <math.h>

#include "kernels/activation.h"
#include "kernels/map_float.h"

/* Limits written so that what is not a number comes out as in the reference. */
static float relu(float x) {
    return x < 0.0F ? 0.0F : x;
}

MAP_KERNEL(relu, relu)

static float relu6(float x) {
    return x > 6.0F ? 6.0F : x < 0.0F ? 0.0F : x;
}

MAP_KERNEL(relu6, relu6)

static float relu_n1_to_1(float x) {
    return x > 1.0F ? 1.0F : x < -1.0F ? -1.0F : x;
}

MAP_KERNEL(relu_n1_to_1, relu_n1_to_1)

enum weft_kernel_status weft_kernel_clip_float(const struct weft_clip_float_parameters *parameters,
                                               const weft_unaligned_float *input, float *output) {
    for (int32_t i = 0; i < parameters->count; i++) {
        float x = input[i] < parameters->low ? parameters->low : input[i];
        output[i] = x > parameters->high ? parameters->high : x;
    }
    return WEFT_KERNEL_OK;
}

enum weft_kernel_status weft_kernel_leaky_relu(const struct weft_leaky_relu_parameters *parameters,
                                               const weft_unaligned_float *input, float *output) {
    for (int32_t i = 0; i < parameters->count; i++) {
        float x = input[i];
        output[i] = x > 0.0F ? x : x * parameters->alpha;
    }
    return WEFT_KERNEL_OK;
}

static float hard_swish(float x) {
    return x * fminf(6.0F, fmaxf(0.0F, x + 3.0F)) / 6.0F;
}

MAP_KERNEL(hard_swish, hard_swish)

/* Far from zero the reference takes a short cut. */
static float logistic(float x) {
    const float upper = 16.619047164916992188F;
    const float lower = -9.0F;
    return x > upper ? 1.0F : x < lower ? expf(x) : 1.0F / (1.0F + expf(-x));
}

MAP_KERNEL(logistic, logistic)

MAP_KERNEL(tanh, tanhf)
