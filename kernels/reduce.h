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
};

/* Mean of int8, uint8 or int16, rescaled. factor is the input scale over the output scale and over
 * the count. Memory to work in: the sums. */
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

/* The largest element. */
enum weft_kernel_status weft_kernel_reduce_max(const struct weft_reduce_parameters *parameters,
                                               const void *input, void *output);
enum weft_kernel_status
weft_kernel_reduce_max_float(const struct weft_reduce_parameters *parameters,
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

/* Of the first smallest one. */
enum weft_kernel_status weft_kernel_argmin(const struct weft_argmax_parameters *parameters,
                                           const void *input, void *output);
enum weft_kernel_status weft_kernel_argmin_float(const struct weft_argmax_parameters *parameters,
                                                 const weft_unaligned_float *input, void *output);

#endif
