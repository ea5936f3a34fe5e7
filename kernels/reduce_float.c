#include <float.h>

#include "kernels/reduce.h"
#include "kernels/walk.h"

/* Brings every element into its result, which begins as `start`, or as the first element where all
 * axes are reduced. */
static enum weft_kernel_status fold(const struct weft_reduce_parameters *parameters,
                                    const weft_unaligned_float *input, float *output, float start,
                                    float (*function)(float result, float x)) {
    struct walk walk = walk_start(&parameters->input, parameters->step, NULL);
    int64_t count = shape_elements(&parameters->input);
    bool whole = parameters->whole != 0 && count > 0;
    for (int32_t i = 0; i < parameters->results; i++) {
        output[i] = whole ? input[0] : start;
    }
    for (int64_t i = 0; i < count; i++, walk_next(&walk)) {
        if (i > 0 || !whole) {
            output[walk.offset[0]] = function(output[walk.offset[0]], input[i]);
        }
    }
    return WEFT_KERNEL_OK;
}

static float add(float result, float x) {
    return result + x;
}

static float multiply(float result, float x) {
    return result * x;
}

/* What is not a number is not larger or smaller than anything. */
static float larger(float result, float x) {
    return x > result ? x : result;
}

static float smaller(float result, float x) {
    return x < result ? x : result;
}

enum weft_kernel_status weft_kernel_sum_float(const struct weft_reduce_parameters *parameters,
                                              const weft_unaligned_float *input, float *output) {
    return fold(parameters, input, output, 0.0F, add);
}

enum weft_kernel_status
weft_kernel_reduce_prod_float(const struct weft_reduce_parameters *parameters,
                              const weft_unaligned_float *input, float *output) {
    return fold(parameters, input, output, 1.0F, multiply);
}

enum weft_kernel_status
weft_kernel_reduce_max_float(const struct weft_reduce_parameters *parameters,
                             const weft_unaligned_float *input, float *output) {
    return fold(parameters, input, output, -FLT_MAX, larger);
}

enum weft_kernel_status
weft_kernel_reduce_min_float(const struct weft_reduce_parameters *parameters,
                             const weft_unaligned_float *input, float *output) {
    return fold(parameters, input, output, FLT_MAX, smaller);
}
