/* Reductions over axes: integers, or float32 (_float). */
#ifndef WEFT_KERNELS_REDUCE_H
#define WEFT_KERNELS_REDUCE_H

#include "kernels/kernel.h"

struct weft_reduce_parameters {
    int64_t step[WEFT_KERNEL_RANK]; /* in the output, for a step in the input; reduced axes: 0 */
    struct weft_shape input;
    enum weft_dtype dtype; /* of both tensors */
    int32_t results;       /* elements of the output */
    int32_t count;         /* elements of the input for each of them, at least 1 */
    int32_t whole;         /* 1: all axes are reduced */
    int32_t reserved;
};

/* Mean or sum of int8, uint8 or int16, rescaled. factor is the input scale over the output scale,
 * of a mean over the count, too. Memory to work in: the sums. */
struct weft_qnn_mean_parameters {
    struct weft_reduce_parameters reduce;
    struct weft_factor factor;
    int32_t input_zero, output_zero;
};

size_t weft_kernel_qnn_mean_scratch(const struct weft_qnn_mean_parameters *parameters);
enum weft_kernel_status weft_kernel_qnn_mean(const struct weft_qnn_mean_parameters *parameters,
                                             const void *input, void *output, void *scratch);

/* Mean of int32 or int64: sums wrap, the division goes towards zero. Memory to work in: the sums.
 */
size_t weft_kernel_mean_scratch(const struct weft_reduce_parameters *parameters);
enum weft_kernel_status weft_kernel_mean(const struct weft_reduce_parameters *parameters,
                                         const void *input, void *output, void *scratch);
enum weft_kernel_status weft_kernel_mean_float(const struct weft_reduce_parameters *parameters,
                                               const weft_unaligned_float *input, float *output);

/* Sums and products, which wrap; the largest and the smallest element. Of floats: the first element
 * is where a reduction of all axes starts, those of some axes start with 0, 1 or the finite number
 * that is the smallest or largest. */
enum weft_kernel_status weft_kernel_sum(const struct weft_reduce_parameters *parameters,
                                        const void *input, void *output);
enum weft_kernel_status weft_kernel_sum_float(const struct weft_reduce_parameters *parameters,
                                              const weft_unaligned_float *input, float *output);
enum weft_kernel_status weft_kernel_reduce_prod(const struct weft_reduce_parameters *parameters,
                                                const void *input, void *output);
enum weft_kernel_status
weft_kernel_reduce_prod_float(const struct weft_reduce_parameters *parameters,
                              const weft_unaligned_float *input, float *output);
enum weft_kernel_status weft_kernel_reduce_max(const struct weft_reduce_parameters *parameters,
                                               const void *input, void *output);
enum weft_kernel_status
weft_kernel_reduce_max_float(const struct weft_reduce_parameters *parameters,
                             const weft_unaligned_float *input, float *output);
enum weft_kernel_status weft_kernel_reduce_min(const struct weft_reduce_parameters *parameters,
                                               const void *input, void *output);
enum weft_kernel_status
weft_kernel_reduce_min_float(const struct weft_reduce_parameters *parameters,
                             const weft_unaligned_float *input, float *output);

/* The index of the first largest element along an axis: [outer, axis, inner] to [outer, inner]. */
struct weft_argmax_parameters {
    enum weft_dtype input;
    enum weft_dtype output; /* int32 or int64 */
    int32_t outer, axis, inner;
};

enum weft_kernel_status weft_kernel_argmax(const struct weft_argmax_parameters *parameters,
                                           const void *input, void *output);
enum weft_kernel_status weft_kernel_argmax_float(const struct weft_argmax_parameters *parameters,
                                                 const weft_unaligned_float *input, void *output);

/* Sums, which wrap, of the elements up to each one: [outer, axis, inner]. */
struct weft_cumsum_parameters {
    enum weft_dtype dtype;
    int32_t outer, axis, inner;
    int32_t exclusive; /* 1: without the element itself */
    int32_t reverse;   /* 1: from the end of the axis */
};

enum weft_kernel_status weft_kernel_cumsum(const struct weft_cumsum_parameters *parameters,
                                           const void *input, void *output);
enum weft_kernel_status weft_kernel_cumsum_float(const struct weft_cumsum_parameters *parameters,
                                                 const weft_unaligned_float *input, float *output);

/* Of the first smallest one. */
enum weft_kernel_status weft_kernel_argmin(const struct weft_argmax_parameters *parameters,
                                           const void *input, void *output);
enum weft_kernel_status weft_kernel_argmin_float(const struct weft_argmax_parameters *parameters,
                                                 const weft_unaligned_float *input, void *output);

#endif
