/* Functions of one float; used in kernels/ alone. */
#ifndef WEFT_KERNELS_MAP_FLOAT_H
#define WEFT_KERNELS_MAP_FLOAT_H

#include "kernels/lines.h"

ALWAYS_INLINE enum weft_kernel_status map(int32_t count, const weft_unaligned_float *input,
                                          float *output, float (*function)(float x)) {
    for (int32_t i = 0; i < count; i++) {
        output[i] = function(input[i]);
    }
    return WEFT_KERNEL_OK;
}

/* The kernel of a function. */
#define MAP_KERNEL(kernel, function)                                                               \
    enum weft_kernel_status weft_kernel_##kernel(const struct weft_count_parameters *parameters,   \
                                                 const weft_unaligned_float *input,                \
                                                 float *output) {                                  \
        return map(parameters->count, input, output, function);                                    \
    }

#endif
