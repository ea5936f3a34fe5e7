/* Inverse square roots in fixed point; for kernels/, and where tables are filled. */
#ifndef WEFT_KERNELS_INVERSE_ROOT_H
#define WEFT_KERNELS_INVERSE_ROOT_H

#include "kernels/kernel.h"

/* 1 / sqrt(x) in Q0 as a factor, of a shift not above 0; 1 (nearly) for x <= 1. */
struct weft_factor weft_inverse_root(int32_t x);

#endif
