/* Along the last axis: rows of `depth` elements. */
#ifndef WEFT_KERNELS_NORMALIZE_H
#define WEFT_KERNELS_NORMALIZE_H

#include "kernels/kernel.h"

struct weft_rows_parameters {
    int32_t rows, depth;
};

/* Softmax of int8 or uint8 to scale 1/256, in gemmlowp's fixed point. WEFT_KERNEL_UNDEFINED when a
 * row has its largest element 512 times or as much beside it: the reference aborts then. */
struct weft_qnn_softmax_parameters {
    struct weft_rows_parameters shape;
    enum weft_dtype dtype;     /* of both */
    struct weft_factor factor; /* a difference of elements, to Q5; shift 0 to 31 */
    int32_t least_difference;  /* differences below count as nothing */
};

enum weft_kernel_status
weft_kernel_qnn_softmax(const struct weft_qnn_softmax_parameters *parameters, const void *input,
                        void *output);

/* The exponential, raw / 2^31, of an element that is -difference below the largest of its row: 0 to
 * -255. */
int32_t weft_softmax_exponential(const struct weft_qnn_softmax_parameters *parameters,
                                 int32_t difference);

/* Softmax of int16 to scale 1/32768, of functions in tables of 513 entries (look_up.h). */
struct weft_qnn_softmax_int16_parameters {
    struct weft_rows_parameters shape;
    struct weft_factor factor;           /* a difference of elements, to 65535 steps of [-10, 0] */
    int16_t exponential[513];            /* of [-10, 0] */
    int16_t reciprocal_of_one_plus[513]; /* 1 / (1 + x), of [0, 1] */
    int32_t reserved;
};

/* WEFT_KERNEL_UNDEFINED when the sum of a row leaves 31 bits. */
enum weft_kernel_status
weft_kernel_qnn_softmax_int16(const struct weft_qnn_softmax_int16_parameters *parameters,
                              const void *input, int16_t *output);

/* Logarithm of the softmax of int8 or uint8, to scale 1/16 with the type's largest value as 0. */
struct weft_qnn_log_softmax_parameters {
    struct weft_rows_parameters shape;
    enum weft_dtype dtype;      /* of both */
    struct weft_factor factor;  /* a difference of elements, to Q5 */
    struct weft_factor inverse; /* and back */
    int32_t least_difference;   /* differences below count as nothing in the sum */
};

enum weft_kernel_status
weft_kernel_qnn_log_softmax(const struct weft_qnn_log_softmax_parameters *parameters,
                            const void *input, void *output);

/* int8 or uint8 over the root of the sum of squares, to scale 1/128 around the type's middle. */
struct weft_qnn_l2_normalize_parameters {
    struct weft_rows_parameters shape;
    enum weft_dtype dtype; /* of both */
    int32_t input_zero, output_zero;
};

enum weft_kernel_status
weft_kernel_qnn_l2_normalize(const struct weft_qnn_l2_normalize_parameters *parameters,
                             const void *input, void *output);

/* The same of float32; elements of softmax are multiplied by beta before. */
struct weft_softmax_parameters {
    struct weft_rows_parameters shape;
    float beta;
};

enum weft_kernel_status weft_kernel_softmax(const struct weft_softmax_parameters *parameters,
                                            const weft_unaligned_float *input, float *output);
enum weft_kernel_status weft_kernel_log_softmax(const struct weft_rows_parameters *parameters,
                                                const weft_unaligned_float *input, float *output);
enum weft_kernel_status weft_kernel_l2_normalize(const struct weft_rows_parameters *parameters,
                                                 const weft_unaligned_float *input, float *output);

/* Each row less its mean, over the root of its variance (the mean of the squares of that) plus
 * `epsilon`, times gain[depth], plus offset[depth]. Sums are of double precision, in order. */
struct weft_layer_norm_parameters {
    struct weft_rows_parameters shape;
    float epsilon;
};

enum weft_kernel_status weft_kernel_layer_norm(const struct weft_layer_norm_parameters *parameters,
                                               const weft_unaligned_float *input,
                                               const weft_unaligned_float *gain,
                                               const weft_unaligned_float *offset, float *output);

#endif
