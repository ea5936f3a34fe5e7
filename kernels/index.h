/* Elements by their indices. An index is int32 or int64, counts from 0, and must lie inside its
 * axis: else WEFT_KERNEL_INDEX, and nothing is written. */
#ifndef WEFT_KERNELS_INDEX_H
#define WEFT_KERNELS_INDEX_H

#include "kernels/kernel.h"

/* Parts of a whole, each at a place that `depth` indices beside each other say: for its first axes,
 * which have dim[] elements. A part is all that lies behind them. */
struct weft_parts_at_parameters {
    int64_t bytes;                  /* of a part */
    int64_t step[WEFT_KERNEL_RANK]; /* in the whole, for a step of each index, bytes */
    int32_t dim[WEFT_KERNEL_RANK];
    enum weft_dtype index; /* int32 or int64 */
    enum weft_dtype dtype; /* of the elements */
    int32_t depth, count;  /* count: parts */
    int64_t whole;         /* bytes */
};

/* The parts one after another. */
enum weft_kernel_status weft_kernel_gather_nd(const struct weft_parts_at_parameters *parameters,
                                              const void *input, const void *indices, void *output);

/* Zeros, to which the parts are added one after another; integers wrap, of bool one is enough. */
enum weft_kernel_status weft_kernel_scatter_nd(const struct weft_parts_at_parameters *parameters,
                                               const void *indices, const void *parts,
                                               void *output);
enum weft_kernel_status
weft_kernel_scatter_nd_float(const struct weft_parts_at_parameters *parameters, const void *indices,
                             const weft_unaligned_float *parts, float *output);

enum weft_reduction {
    WEFT_SCATTER_NONE, /* the new element replaces the old one */
    WEFT_SCATTER_ADD,
    WEFT_SCATTER_MUL,
    WEFT_SCATTER_MIN,
    WEFT_SCATTER_MAX,
};

/* A copy of `size` elements, of which `count`, one after another, are replaced at their places, or
 * combined with what is there; integers wrap. scatter_float: of float32. */
struct weft_scatter_parameters {
    int32_t size, count;
    enum weft_dtype dtype;
    enum weft_dtype index; /* int32 or int64 */
    enum weft_reduction reduction;
};

enum weft_kernel_status weft_kernel_scatter(const struct weft_scatter_parameters *parameters,
                                            const void *input, const void *places,
                                            const void *elements, void *output);
enum weft_kernel_status weft_kernel_scatter_float(const struct weft_scatter_parameters *parameters,
                                                  const weft_unaligned_float *input,
                                                  const void *places,
                                                  const weft_unaligned_float *elements,
                                                  float *output);

/* From indices [outer, inner] to [outer, depth, inner]: `on` where the place along the depth is the
 * index, whose lowest 32 bits count, else `off`. No index is outside. */
struct weft_one_hot_parameters {
    int32_t outer, depth, inner;
    int32_t bytes;         /* of an element: 1, 2, 4 or 8 */
    enum weft_dtype index; /* int32 or int64 */
};

enum weft_kernel_status weft_kernel_one_hot(const struct weft_one_hot_parameters *parameters,
                                            const void *indices, const void *on, const void *off,
                                            void *output);

/* The `depth` largest elements of each row, falling, and where in the row they were; of equal ones
 * the first comes first. Floats are compared by their bits, so what is not a number has a place,
 * too; 0 and -0 are equal. */
struct weft_topk_parameters {
    int32_t rows, length, depth; /* depth: at most the length */
    enum weft_dtype dtype;
    enum weft_dtype index; /* int32 or int64 */
};

enum weft_kernel_status weft_kernel_topk(const struct weft_topk_parameters *parameters,
                                         const void *input, void *elements, void *indices);

#endif
