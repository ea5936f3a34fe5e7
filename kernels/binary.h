/* Functions of two elements; operands are broadcast against each other. */
#ifndef WEFT_KERNELS_BINARY_H
#define WEFT_KERNELS_BINARY_H

#include "kernels/kernel.h"

/* The output's shape, and how far the operands' elements are apart along its axes: 0 where an
 * operand is repeated. Axes that all tensors walk through as one may be joined to one. */
struct weft_broadcast {
    int64_t step[2][WEFT_KERNEL_RANK]; /* elements */
    struct weft_shape shape;
    int32_t reserved;
};

/* Sum and difference of int8 or uint8, saturated: operands with 20 more bits are scaled to one
 * scale, their sum to the output's. Shifts are not above 0. */
struct weft_qnn_add_parameters {
    struct weft_broadcast broadcast;
    enum weft_dtype dtype;        /* of all three */
    int32_t zero[3];              /* of the operands and the output */
    struct weft_factor factor[3]; /* of the operands and the sum */
};

enum weft_kernel_status weft_kernel_qnn_add(const struct weft_qnn_add_parameters *parameters,
                                            const void *a, const void *b, void *output);
enum weft_kernel_status weft_kernel_qnn_subtract(const struct weft_qnn_add_parameters *parameters,
                                                 const void *a, const void *b, void *output);

/* Product of int8 or uint8, saturated. */
struct weft_qnn_mul_parameters {
    struct weft_broadcast broadcast;
    enum weft_dtype dtype;
    int32_t zero[3];
    struct weft_factor factor;
};

enum weft_kernel_status weft_kernel_qnn_mul(const struct weft_qnn_mul_parameters *parameters,
                                            const void *a, const void *b, void *output);

/* Elements as they are: integers, which wrap, or float32 (_float), limited to finite numbers where
 * the reference does so. */
struct weft_binary_parameters {
    struct weft_broadcast broadcast;
    enum weft_dtype dtype;
    int32_t reserved;
};

enum weft_kernel_status weft_kernel_add(const struct weft_binary_parameters *parameters,
                                        const void *a, const void *b, void *output);
enum weft_kernel_status weft_kernel_subtract(const struct weft_binary_parameters *parameters,
                                             const void *a, const void *b, void *output);
enum weft_kernel_status weft_kernel_mul(const struct weft_binary_parameters *parameters,
                                        const void *a, const void *b, void *output);
enum weft_kernel_status weft_kernel_maximum(const struct weft_binary_parameters *parameters,
                                            const void *a, const void *b, void *output);
enum weft_kernel_status weft_kernel_minimum(const struct weft_binary_parameters *parameters,
                                            const void *a, const void *b, void *output);

enum weft_kernel_status weft_kernel_add_float(const struct weft_binary_parameters *parameters,
                                              const weft_unaligned_float *a,
                                              const weft_unaligned_float *b, float *output);
enum weft_kernel_status weft_kernel_subtract_float(const struct weft_binary_parameters *parameters,
                                                   const weft_unaligned_float *a,
                                                   const weft_unaligned_float *b, float *output);
enum weft_kernel_status weft_kernel_mul_float(const struct weft_binary_parameters *parameters,
                                              const weft_unaligned_float *a,
                                              const weft_unaligned_float *b, float *output);
/* The second operand where one is not a number. */
enum weft_kernel_status weft_kernel_maximum_float(const struct weft_binary_parameters *parameters,
                                                  const weft_unaligned_float *a,
                                                  const weft_unaligned_float *b, float *output);
enum weft_kernel_status weft_kernel_minimum_float(const struct weft_binary_parameters *parameters,
                                                  const weft_unaligned_float *a,
                                                  const weft_unaligned_float *b, float *output);

#endif
