/* Windows over rows and columns, padding left out: int8, uint8 and int16, or float32 (_float). */
#ifndef WEFT_KERNELS_POOL_H
#define WEFT_KERNELS_POOL_H

#include "kernels/kernel.h"

/* Every window has an element of the input in it. */
struct weft_pool_parameters {
    enum weft_dtype dtype; /* of both tensors */
    int32_t input[4];      /* [N, H, W, C] */
    int32_t output[4];     /* [N, H, W, C] */
    int32_t kernel[2];     /* rows, columns */
    int32_t stride[2];     /* rows, columns */
    int32_t padding[2];    /* above, to the left */
};

/* The mean, rounded half away from zero. */
enum weft_kernel_status weft_kernel_avg_pool2d(const struct weft_pool_parameters *parameters,
                                               const void *input, void *output);
enum weft_kernel_status weft_kernel_max_pool2d(const struct weft_pool_parameters *parameters,
                                               const void *input, void *output);

/* Results are limited to finite numbers. */
enum weft_kernel_status weft_kernel_avg_pool2d_float(const struct weft_pool_parameters *parameters,
                                                     const weft_unaligned_float *input,
                                                     float *output);
enum weft_kernel_status weft_kernel_max_pool2d_float(const struct weft_pool_parameters *parameters,
                                                     const weft_unaligned_float *input,
                                                     float *output);

#endif
