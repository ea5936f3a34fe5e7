#include <math.h>

#include "kernels/convert.h"
#include "kernels/element.h"

/* Towards zero, saturated. The limits as floats are the powers of two that they are next to or
 * are, which no float lies between. */
static int64_t truncated(enum weft_dtype dtype, float value) {
    int64_t low = weft_dtype_min(dtype);
    int64_t high = weft_dtype_max(dtype);
    if (dtype == WEFT_BOOL) {
        return value != 0.0F;
    }
    return isnan(value) || value >= (float)high ? high : value <= (float)low ? low : (int64_t)value;
}

enum weft_kernel_status weft_kernel_cast_float(const struct weft_cast_parameters *parameters,
                                               const void *input, void *output) {
    const weft_unaligned_float *floats = input;
    float *results = output;
    for (int32_t i = 0; i < parameters->count; i++) {
        if (parameters->output != WEFT_F32) {
            store_integer(parameters->output, output, i, truncated(parameters->output, floats[i]));
        } else {
            results[i] = parameters->input == WEFT_F32
                             ? floats[i]
                             : (float)load_integer(parameters->input, input, i);
        }
    }
    return WEFT_KERNEL_OK;
}
