/* What every kernel shares; README.md says what all of them keep to. */
#ifndef WEFT_KERNELS_KERNEL_H
#define WEFT_KERNELS_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"

enum weft_kernel_status {
    WEFT_KERNEL_OK,
    WEFT_KERNEL_INDEX,     /* an element that is an index lies outside its axis */
    WEFT_KERNEL_UNDEFINED, /* the reference kernel gives no answer to these elements */
};

enum {
    WEFT_KERNEL_RANK = 8 /* axes of a tensor at most */
};

/* A shape: dim[0] to dim[rank - 1], the last one the fastest. Tensors have at most INT32_MAX
 * elements. */
struct weft_shape {
    int32_t rank;
    int32_t dim[WEFT_KERNEL_RANK];
};

/* The output's shape, and how far the operands' elements are apart along its axes: 0 where an
 * operand is repeated. Axes that all tensors walk through as one may be joined to one. */
struct weft_broadcast {
    int64_t step[2][WEFT_KERNEL_RANK]; /* elements */
    struct weft_shape shape;
    int32_t reserved;
};

/* A real factor, multiplier * 2^(shift - 31), as base/fixed_point.h takes it; shift -31 to 31. */
struct weft_factor {
    int32_t multiplier;
    int32_t shift;
};

/* A float32 at any address: constants of a model file need not be aligned. */
typedef float weft_unaligned_float __attribute__((aligned(1)));

/* Parameters of kernels that need to know nothing but how many elements there are. */
struct weft_count_parameters {
    int32_t count;
};

#endif
