#include <float.h>

#include "kernels/lines.h"
#include "kernels/reduce.h"

/* One line, to one result or to one for each element, from element `first` on. */
ALWAYS_INLINE void fold_line(const struct lines *lines, const weft_unaligned_float *input,
                             float *output, int64_t first,
                             float (*function)(float result, float x)) {
    if (lines->step[0] == 0) {
        float result = *output;
        for (int64_t i = first; i < lines->length; i++) {
            result = function(result, input[i]);
        }
        *output = result;
    } else if (lines->step[0] == 1) {
        for (int64_t i = first; i < lines->length; i++) {
            output[i] = function(output[i], input[i]);
        }
    } else {
        for (int64_t i = first; i < lines->length; i++) {
            output[i * lines->step[0]] = function(output[i * lines->step[0]], input[i]);
        }
    }
}

/* Brings every element into its result, which begins as `start`, or as the first element where all
 * axes are reduced. */
ALWAYS_INLINE enum weft_kernel_status fold(const struct weft_reduce_parameters *parameters,
                                           const weft_unaligned_float *input, float *output,
                                           float start, float (*function)(float result, float x)) {
    struct lines lines = lines_of(&parameters->input, parameters->step, NULL);
    bool whole = parameters->whole != 0 && lines.count > 0 && lines.length > 0;
    for (int32_t i = 0; i < parameters->results; i++) {
        output[i] = whole ? input[0] : start;
    }
    for (int64_t n = 0; n < lines.count && lines.length > 0; n++, walk_next(&lines.walk)) {
        fold_line(&lines, input, output + lines.walk.offset[0], whole && n == 0 ? 1 : 0, function);
        input += lines.length;
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

enum weft_kernel_status weft_kernel_mean_float(const struct weft_reduce_parameters *parameters,
                                               const weft_unaligned_float *input, float *output) {
    struct weft_reduce_parameters sums = *parameters;
    sums.whole = 0; /* sums of means begin with 0 */
    (void)fold(&sums, input, output, 0.0F, add);
    for (int32_t i = 0; i < parameters->results; i++) {
        output[i] /= (float)parameters->count;
    }
    return WEFT_KERNEL_OK;
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
