#include "kernels/reduce.h"
#include "kernels/walk.h"

enum weft_kernel_status weft_kernel_mean_float(const struct weft_reduce_parameters *parameters,
                                               const weft_unaligned_float *input, float *output) {
    struct walk walk = walk_start(&parameters->input, parameters->step, NULL);
    int64_t count = shape_elements(&parameters->input);
    for (int32_t i = 0; i < parameters->results; i++) {
        output[i] = 0.0F;
    }
    for (int64_t i = 0; i < count; i++, walk_next(&walk)) {
        output[walk.offset[0]] += input[i];
    }
    for (int32_t i = 0; i < parameters->results; i++) {
        output[i] /= (float)parameters->count;
    }
    return WEFT_KERNEL_OK;
}
