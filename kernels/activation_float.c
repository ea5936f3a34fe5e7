#include <math.h>

#include "kernels/activation.h"
#include "kernels/map_float.h"

/* Limits written so that what is not a number comes out as in the reference. */
static float relu(float x) {
    return x < 0.0F ? 0.0F : x;
}

enum weft_kernel_status weft_kernel_relu(const struct weft_count_parameters *parameters,
                                         const weft_unaligned_float *input, float *output) {
    return map(parameters->count, input, output, relu);
}

static float relu6(float x) {
    return x > 6.0F ? 6.0F : x < 0.0F ? 0.0F : x;
}

enum weft_kernel_status weft_kernel_relu6(const struct weft_count_parameters *parameters,
                                          const weft_unaligned_float *input, float *output) {
    return map(parameters->count, input, output, relu6);
}

static float relu_n1_to_1(float x) {
    return x > 1.0F ? 1.0F : x < -1.0F ? -1.0F : x;
}

enum weft_kernel_status weft_kernel_relu_n1_to_1(const struct weft_count_parameters *parameters,
                                                 const weft_unaligned_float *input, float *output) {
    return map(parameters->count, input, output, relu_n1_to_1);
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

enum weft_kernel_status weft_kernel_hard_swish(const struct weft_count_parameters *parameters,
                                               const weft_unaligned_float *input, float *output) {
    return map(parameters->count, input, output, hard_swish);
}

/* Far from zero the reference takes a short cut. */
static float logistic(float x) {
    const float upper = 16.619047164916992188F;
    const float lower = -9.0F;
    return x > upper ? 1.0F : x < lower ? expf(x) : 1.0F / (1.0F + expf(-x));
}

enum weft_kernel_status weft_kernel_logistic(const struct weft_count_parameters *parameters,
                                             const weft_unaligned_float *input, float *output) {
    return map(parameters->count, input, output, logistic);
}

enum weft_kernel_status weft_kernel_tanh(const struct weft_count_parameters *parameters,
                                         const weft_unaligned_float *input, float *output) {
    return map(parameters->count, input, output, tanhf);
}
