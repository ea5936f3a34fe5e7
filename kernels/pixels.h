/* The pixels that interpolation lies between; used in kernels/ alone. */
#ifndef WEFT_KERNELS_PIXELS_H
#define WEFT_KERNELS_PIXELS_H

#include <stdint.h>

/* The first elements of four pixels of an input [N, H, W, C]. */
struct corners {
    int64_t top_left, bottom_left, top_right, bottom_right;
};

/* Rows and columns: low and high. */
static inline struct corners corners_of(const int32_t input[4], int32_t image, const int64_t y[2],
                                        const int64_t x[2]) {
    int64_t top = ((int64_t)image * input[1] + y[0]) * input[2];
    int64_t bottom = ((int64_t)image * input[1] + y[1]) * input[2];
    return (struct corners){(top + x[0]) * input[3], (bottom + x[0]) * input[3],
                            (top + x[1]) * input[3], (bottom + x[1]) * input[3]};
}

#endif
