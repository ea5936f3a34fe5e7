/* Functions of one element. */
#ifndef WEFT_KERNELS_ACTIVATION_H
#define WEFT_KERNELS_ACTIVATION_H

#include "kernels/kernel.h"

/* Any function of 8-bit elements: table[b] is what an element whose bits are b becomes. */
struct weft_table_parameters {
    int32_t count;
    uint8_t table[256];
};

enum weft_kernel_status weft_kernel_table(const struct weft_table_parameters *parameters,
                                          const uint8_t *input, uint8_t *output);

/* A rectifier of integers with rescaling: low and high in the output's steps, inside its type. */
struct weft_qnn_relu_parameters {
    enum weft_dtype dtype; /* of both: int8, uint8 or int16 */
    int32_t count;
    int32_t input_zero, output_zero;
    int32_t low, high;
    struct weft_factor factor; /* input scale over output scale */
};

enum weft_kernel_status weft_kernel_qnn_relu(const struct weft_qnn_relu_parameters *parameters,
                                             const void *input, void *output);

/* x, or alpha * x where x < 0, rescaled. */
struct weft_qnn_leaky_relu_parameters {
    enum weft_dtype dtype; /* of both: int8, uint8 or int16 */
    int32_t count;
    int32_t input_zero, output_zero;
    int32_t negates;             /* 1: what is below 0 becomes its opposite before it is scaled */
    struct weft_factor factor;   /* input scale over output scale */
    struct weft_factor negative; /* the same times alpha */
};

enum weft_kernel_status
weft_kernel_qnn_leaky_relu(const struct weft_qnn_leaky_relu_parameters *parameters,
                           const void *input, void *output);

/* Integers of any type as they are; they wrap. */
struct weft_elements_parameters {
    enum weft_dtype dtype;
    int32_t count;
};

enum weft_kernel_status weft_kernel_abs(const struct weft_elements_parameters *parameters,
                                        const void *input, void *output);
enum weft_kernel_status weft_kernel_negate(const struct weft_elements_parameters *parameters,
                                           const void *input, void *output);
enum weft_kernel_status weft_kernel_sign(const struct weft_elements_parameters *parameters,
                                         const void *input, void *output);

/* Any function of int16 elements, interpolated: entry[i] is what -32768 + 128 * i becomes. */
struct weft_interpolate_parameters {
    int32_t count;
    int16_t entry[513];
    int16_t reserved;
};

enum weft_kernel_status
weft_kernel_interpolate(const struct weft_interpolate_parameters *parameters, const void *input,
                        int16_t *output);

/* Square root, computed in float32 and cut towards zero. An element below the zero point counts as
 * the zero point; the status is WEFT_KERNEL_UNDEFINED then. */
struct weft_qnn_sqrt_parameters {
    enum weft_dtype dtype; /* of both: int8, uint8 or int16 */
    int32_t count;
    int32_t input_zero, output_zero;
    float input_scale, output_scale;
};

enum weft_kernel_status weft_kernel_qnn_sqrt(const struct weft_qnn_sqrt_parameters *parameters,
                                             const void *input, void *output);

/* Logistic function and hyperbolic tangent of int16, to the scale 1/32768, interpolated in a table.
 * An element times `multiplier`, shifted right and rounded half up, is in steps of 1 / 12288. */
struct weft_qnn_logistic_parameters {
    int32_t count;
    int32_t multiplier;
    int32_t shift; /* 0 to 31 */
};

enum weft_kernel_status
weft_kernel_qnn_logistic(const struct weft_qnn_logistic_parameters *parameters, const void *input,
                         int16_t *output);
enum weft_kernel_status weft_kernel_qnn_tanh(const struct weft_qnn_logistic_parameters *parameters,
                                             const void *input, int16_t *output);

/* ---- float32 ---- */

/* max(x, 0); x limited to [0, 6] and to [-1, 1]; what is not a number stays so. */
enum weft_kernel_status weft_kernel_relu(const struct weft_count_parameters *parameters,
                                         const weft_unaligned_float *input, float *output);
enum weft_kernel_status weft_kernel_relu6(const struct weft_count_parameters *parameters,
                                          const weft_unaligned_float *input, float *output);
enum weft_kernel_status weft_kernel_relu_n1_to_1(const struct weft_count_parameters *parameters,
                                                 const weft_unaligned_float *input, float *output);

/* x, or alpha * x where x is not above 0. */
struct weft_leaky_relu_parameters {
    int32_t count;
    float alpha;
};

enum weft_kernel_status weft_kernel_leaky_relu(const struct weft_leaky_relu_parameters *parameters,
                                               const weft_unaligned_float *input, float *output);

/* x limited to [low, high], high where low is above it; what is not a number stays. */
struct weft_clip_float_parameters {
    int32_t count;
    float low, high;
};

enum weft_kernel_status weft_kernel_clip_float(const struct weft_clip_float_parameters *parameters,
                                               const weft_unaligned_float *input, float *output);

/* x * relu6(x + 3) / 6. */
enum weft_kernel_status weft_kernel_hard_swish(const struct weft_count_parameters *parameters,
                                               const weft_unaligned_float *input, float *output);
/* 1 / (1 + exp(-x)); hyperbolic tangent. */
enum weft_kernel_status weft_kernel_logistic(const struct weft_count_parameters *parameters,
                                             const weft_unaligned_float *input, float *output);
enum weft_kernel_status weft_kernel_tanh(const struct weft_count_parameters *parameters,
                                         const weft_unaligned_float *input, float *output);

/* Absolute value; -x. */
enum weft_kernel_status weft_kernel_abs_float(const struct weft_count_parameters *parameters,
                                              const weft_unaligned_float *input, float *output);
enum weft_kernel_status weft_kernel_negate_float(const struct weft_count_parameters *parameters,
                                                 const weft_unaligned_float *input, float *output);
enum weft_kernel_status weft_kernel_sign_float(const struct weft_count_parameters *parameters,
                                               const weft_unaligned_float *input, float *output);
/* Functions of libm; 1 / sqrtf(x); x * x. */
enum weft_kernel_status weft_kernel_exp(const struct weft_count_parameters *parameters,
                                        const weft_unaligned_float *input, float *output);
enum weft_kernel_status weft_kernel_log(const struct weft_count_parameters *parameters,
                                        const weft_unaligned_float *input, float *output);
enum weft_kernel_status weft_kernel_sqrt(const struct weft_count_parameters *parameters,
                                         const weft_unaligned_float *input, float *output);
enum weft_kernel_status weft_kernel_rsqrt(const struct weft_count_parameters *parameters,
                                          const weft_unaligned_float *input, float *output);
enum weft_kernel_status weft_kernel_square(const struct weft_count_parameters *parameters,
                                           const weft_unaligned_float *input, float *output);
enum weft_kernel_status weft_kernel_sin(const struct weft_count_parameters *parameters,
                                        const weft_unaligned_float *input, float *output);
enum weft_kernel_status weft_kernel_cos(const struct weft_count_parameters *parameters,
                                        const weft_unaligned_float *input, float *output);
/* Rounded up, down, and to nearest, ties to even. */
enum weft_kernel_status weft_kernel_ceil(const struct weft_count_parameters *parameters,
                                         const weft_unaligned_float *input, float *output);
enum weft_kernel_status weft_kernel_floor(const struct weft_count_parameters *parameters,
                                          const weft_unaligned_float *input, float *output);
enum weft_kernel_status weft_kernel_round(const struct weft_count_parameters *parameters,
                                          const weft_unaligned_float *input, float *output);
/* x, or exp(x) - 1 where x < 0. */
enum weft_kernel_status weft_kernel_erf(const struct weft_count_parameters *parameters,
                                        const weft_unaligned_float *input, float *output);
enum weft_kernel_status weft_kernel_softplus(const struct weft_count_parameters *parameters,
                                             const weft_unaligned_float *input, float *output);
enum weft_kernel_status weft_kernel_elu(const struct weft_count_parameters *parameters,
                                        const weft_unaligned_float *input, float *output);

/* x times the normal distribution up to x, as Eigen computes it for LiteRT. */
struct weft_gelu_parameters {
    int32_t count;
    int32_t approximate; /* 1: with tanh */
};

enum weft_kernel_status weft_kernel_gelu(const struct weft_gelu_parameters *parameters,
                                         const weft_unaligned_float *input, float *output);

#endif
