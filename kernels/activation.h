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
    struct weft_factor factor;   /* input scale over output scale */
    struct weft_factor negative; /* the same times alpha */
};

enum weft_kernel_status
weft_kernel_qnn_leaky_relu(const struct weft_qnn_leaky_relu_parameters *parameters,
                           const void *input, void *output);

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

/* x * relu6(x + 3) / 6. */
enum weft_kernel_status weft_kernel_hard_swish(const struct weft_count_parameters *parameters,
                                               const weft_unaligned_float *input, float *output);
/* 1 / (1 + exp(-x)); hyperbolic tangent. */
enum weft_kernel_status weft_kernel_logistic(const struct weft_count_parameters *parameters,
                                             const weft_unaligned_float *input, float *output);
enum weft_kernel_status weft_kernel_tanh(const struct weft_count_parameters *parameters,
                                         const weft_unaligned_float *input, float *output);

#endif
