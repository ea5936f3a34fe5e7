#include <float.h>

#include "kernels/element.h"
#include "kernels/reduce.h"
#include "kernels/walk.h"

/* What is not a number is not larger than anything. */
enum weft_kernel_status
weft_kernel_reduce_max_float(const struct weft_reduce_parameters *parameters,
                             const weft_unaligned_float *input, float *output) {
    struct walk walk = walk_start(&parameters->input, parameters->step, NULL);
    int64_t count = shape_elements(&parameters->input);
    for (int32_t i = 0; i < parameters->results; i++) {
        output[i] = -FLT_MAX; /* where the reference starts */
    }
    for (int64_t i = 0; i < count; i++, walk_next(&walk)) {
        if (input[i] > output[walk.offset[0]]) {
            output[walk.offset[0]] = input[i];
        }
    }
    return WEFT_KERNEL_OK;
}

/* An index is the better one when its element times `sign` is larger. */
static void find_first(const struct weft_argmax_parameters *parameters, float sign,
                       const weft_unaligned_float *input, void *output) {
    int64_t inner = parameters->inner;
    for (int64_t i = 0; i < parameters->outer * inner; i++) {
        int64_t first = i / inner * parameters->axis * inner + i % inner;
        int32_t index = 0;
        for (int32_t k = 1; k < parameters->axis; k++) {
            if (sign * input[first + k * inner] > sign * input[first + index * inner]) {
                index = k;
            }
        }
        store_integer(parameters->output, output, i, index);
    }
}

enum weft_kernel_status weft_kernel_argmax_float(const struct weft_argmax_parameters *parameters,
                                                 const weft_unaligned_float *input, void *output) {
    find_first(parameters, 1.0F, input, output);
    return WEFT_KERNEL_OK;
}

enum weft_kernel_status weft_kernel_argmin_float(const struct weft_argmax_parameters *parameters,
                                                 const weft_unaligned_float *input, void *output) {
    find_first(parameters, -1.0F, input, output);
    return WEFT_KERNEL_OK;
}
