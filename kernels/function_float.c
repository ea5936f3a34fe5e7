#include <math.h>
#include <stdbool.h>

#include "kernels/activation.h"
#include "kernels/map_float.h"

static float absolute(float x) {
    return __builtin_fabsf(x);
}

enum weft_kernel_status weft_kernel_abs_float(const struct weft_count_parameters *parameters,
                                              const weft_unaligned_float *input, float *output) {
    return map(parameters->count, input, output, absolute);
}

static float negate(float x) {
    return -x;
}

enum weft_kernel_status weft_kernel_negate_float(const struct weft_count_parameters *parameters,
                                                 const weft_unaligned_float *input, float *output) {
    return map(parameters->count, input, output, negate);
}

static float sign(float x) {
    return x > 0.0F ? 1.0F : x < 0.0F ? -1.0F : x == 0.0F ? 0.0F : x;
}

enum weft_kernel_status weft_kernel_sign_float(const struct weft_count_parameters *parameters,
                                               const weft_unaligned_float *input, float *output) {
    return map(parameters->count, input, output, sign);
}

enum weft_kernel_status weft_kernel_exp(const struct weft_count_parameters *parameters,
                                        const weft_unaligned_float *input, float *output) {
    return map(parameters->count, input, output, expf);
}

enum weft_kernel_status weft_kernel_log(const struct weft_count_parameters *parameters,
                                        const weft_unaligned_float *input, float *output) {
    return map(parameters->count, input, output, logf);
}

enum weft_kernel_status weft_kernel_sqrt(const struct weft_count_parameters *parameters,
                                         const weft_unaligned_float *input, float *output) {
    return map(parameters->count, input, output, sqrtf);
}

static float rsqrt(float x) {
    return 1.0F / sqrtf(x);
}

enum weft_kernel_status weft_kernel_rsqrt(const struct weft_count_parameters *parameters,
                                          const weft_unaligned_float *input, float *output) {
    return map(parameters->count, input, output, rsqrt);
}

static float square(float x) {
    return x * x;
}

enum weft_kernel_status weft_kernel_square(const struct weft_count_parameters *parameters,
                                           const weft_unaligned_float *input, float *output) {
    return map(parameters->count, input, output, square);
}

enum weft_kernel_status weft_kernel_sin(const struct weft_count_parameters *parameters,
                                        const weft_unaligned_float *input, float *output) {
    return map(parameters->count, input, output, sinf);
}

enum weft_kernel_status weft_kernel_cos(const struct weft_count_parameters *parameters,
                                        const weft_unaligned_float *input, float *output) {
    return map(parameters->count, input, output, cosf);
}

enum weft_kernel_status weft_kernel_ceil(const struct weft_count_parameters *parameters,
                                         const weft_unaligned_float *input, float *output) {
    return map(parameters->count, input, output, ceilf);
}

enum weft_kernel_status weft_kernel_floor(const struct weft_count_parameters *parameters,
                                          const weft_unaligned_float *input, float *output) {
    return map(parameters->count, input, output, floorf);
}

/* Ties by halves of the number rounded down. Source: TFLite's RoundToNearest(). */
static float round_to_even(float x) {
    float below = floorf(x);
    float rest = x - below;
    bool even = floorf(below / 2.0F) * 2.0F == below;
    return rest < 0.5F || (rest == 0.5F && even) ? below : below + 1.0F;
}

enum weft_kernel_status weft_kernel_round(const struct weft_count_parameters *parameters,
                                          const weft_unaligned_float *input, float *output) {
    return map(parameters->count, input, output, round_to_even);
}

static float elu(float x) {
    return x < 0.0F ? expm1f(x) : x;
}

enum weft_kernel_status weft_kernel_elu(const struct weft_count_parameters *parameters,
                                        const weft_unaligned_float *input, float *output) {
    return map(parameters->count, input, output, elu);
}
