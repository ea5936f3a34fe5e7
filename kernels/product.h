/* Convolutions and matrix products, and the bias after them.
 *
 * qnn_: integers less their zero points; sums wrap in the output's type, int32 or int64 (for inputs
 * of int16), and are not rescaled: that is requantize. The others: float32, added up in the order
 * rows, columns and channels of the window, as the reference does. */
#ifndef WEFT_KERNELS_PRODUCT_H
#define WEFT_KERNELS_PRODUCT_H

#include "kernels/kernel.h"

/* A window over the rows and columns of a tensor. Of a transposed convolution dilation and groups
 * are not looked at, and padding is cut off the output. */
struct weft_conv2d_parameters {
    int32_t input[4];    /* [N, H, W, C] */
    int32_t weights[4];  /* [O, KH, KW, C / groups] */
    int32_t output[4];   /* [N, H, W, O] */
    int32_t stride[2];   /* rows, columns */
    int32_t padding[2];  /* above, to the left */
    int32_t dilation[2]; /* rows, columns */
    int32_t groups;      /* of channels; as many as input channels: depthwise */
};

/* Types and zero points of the two operands of a product. */
struct weft_product_types {
    enum weft_dtype input, weights; /* int8, uint8, int16 or int32 */
    enum weft_dtype output;         /* int32 or int64 */
    int32_t input_zero;
};

struct weft_qnn_conv2d_parameters {
    struct weft_conv2d_parameters window;
    struct weft_product_types types;
    int32_t weights_zero_count; /* 1, or one for each output channel */
    int32_t weights_zero[];
};

enum weft_kernel_status weft_kernel_qnn_conv2d(const struct weft_qnn_conv2d_parameters *parameters,
                                               const void *input, const void *weights,
                                               void *output);
enum weft_kernel_status
weft_kernel_qnn_conv2d_transpose(const struct weft_qnn_conv2d_parameters *parameters,
                                 const void *input, const void *weights, void *output);
enum weft_kernel_status weft_kernel_conv2d(const struct weft_conv2d_parameters *parameters,
                                           const weft_unaligned_float *input,
                                           const weft_unaligned_float *weights, float *output);
enum weft_kernel_status
weft_kernel_conv2d_transpose(const struct weft_conv2d_parameters *parameters,
                             const weft_unaligned_float *input, const weft_unaligned_float *weights,
                             float *output);

/* [rows, outputs] = [rows, depth] * transposed [outputs, depth]. */
struct weft_dense_parameters {
    int32_t rows, depth, outputs;
};

struct weft_qnn_dense_parameters {
    struct weft_dense_parameters shape;
    struct weft_product_types types;
    int32_t weights_zero_count; /* 1, or one for each output */
    int32_t weights_zero[];
};

enum weft_kernel_status weft_kernel_qnn_dense(const struct weft_qnn_dense_parameters *parameters,
                                              const void *input, const void *weights, void *output);
enum weft_kernel_status weft_kernel_dense(const struct weft_dense_parameters *parameters,
                                          const weft_unaligned_float *input,
                                          const weft_unaligned_float *weights, float *output);

/* [..., rows, columns] = [..., rows, depth] * [..., depth, columns]. */
struct weft_batch_matmul_parameters {
    int64_t batch_step[2][WEFT_KERNEL_RANK]; /* elements of each operand, 0 where it is repeated */
    struct weft_shape batch;                 /* the leading axes of the output */
    int32_t rows, depth, columns;
    int32_t transposed[2]; /* 1: the last two axes of the operand are swapped */
    int32_t reserved;
};

struct weft_qnn_batch_matmul_parameters {
    struct weft_batch_matmul_parameters shape;
    struct weft_product_types types;
    int32_t weights_zero; /* of the second operand */
    int32_t reserved;
};

enum weft_kernel_status
weft_kernel_qnn_batch_matmul(const struct weft_qnn_batch_matmul_parameters *parameters,
                             const void *a, const void *b, void *output);
enum weft_kernel_status
weft_kernel_batch_matmul(const struct weft_batch_matmul_parameters *parameters,
                         const weft_unaligned_float *a, const weft_unaligned_float *b,
                         float *output);

/* ---- floats with int8 weights, whose zero points are 0 ----
 *
 * The floats of an image, or of a row of a matrix, are quantised to int8 while the kernel runs, by
 * what they are: symmetrically, or with a zero point. Sums of products wrap in int32, and are
 * multiplied by the scales of weights and of what was quantised; the bias is added. */

struct weft_hybrid_conv2d_parameters {
    struct weft_conv2d_parameters window;
    int32_t asymmetric; /* 1: with a zero point */
    int32_t sum_first; /* 1: times the scale of weights, then that of the input; 0: their product */
    int32_t scales;    /* 1, or one for each output channel */
    float scale[];
};

size_t weft_kernel_hybrid_conv2d_scratch(const struct weft_hybrid_conv2d_parameters *parameters);
enum weft_kernel_status
weft_kernel_hybrid_conv2d(const struct weft_hybrid_conv2d_parameters *parameters,
                          const weft_unaligned_float *input, const int8_t *weights,
                          const weft_unaligned_float *bias, float *output, void *scratch);

struct weft_hybrid_dense_parameters {
    struct weft_dense_parameters shape;
    int32_t asymmetric; /* 1: with a zero point */
    int32_t scales;     /* 1, or one for each output */
    float scale[];
};

size_t weft_kernel_hybrid_dense_scratch(const struct weft_hybrid_dense_parameters *parameters);
enum weft_kernel_status
weft_kernel_hybrid_dense(const struct weft_hybrid_dense_parameters *parameters,
                         const weft_unaligned_float *input, const int8_t *weights,
                         const weft_unaligned_float *bias, float *output, void *scratch);

/* A vector [channels] added along the last axis. */
struct weft_bias_add_parameters {
    enum weft_dtype dtype; /* of all tensors: int32 or int64, which wrap; float32 for _float */
    int32_t rows, channels;
};

enum weft_kernel_status weft_kernel_bias_add(const struct weft_bias_add_parameters *parameters,
                                             const void *input, const void *bias, void *output);
enum weft_kernel_status
weft_kernel_bias_add_float(const struct weft_bias_add_parameters *parameters,
                           const weft_unaligned_float *input, const weft_unaligned_float *bias,
                           float *output);

#endif
