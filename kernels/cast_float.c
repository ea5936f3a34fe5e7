#include <math.h>

#include "kernels/convert.h"
#include "kernels/element.h"
#include "kernels/half.h"

/* Towards zero, saturated. The limits as floats are the powers of two that they are next to or
 * are, which no float lies between. */
static int64_t truncated(enum weft_dtype dtype, float value) {
    int64_t low = dtype == WEFT_U64 ? 0 : weft_dtype_min(dtype);
    int64_t high = weft_dtype_max(dtype);
    if (dtype == WEFT_BOOL) {
        return value != 0.0F;
    }
    if (dtype == WEFT_U64 && value >= (float)high) {
        return value < 0x1p64F ? (int64_t)(uint64_t)value : -1;
    }
    return isnan(value) || value >= (float)high ? high : value <= (float)low ? low : (int64_t)value;
}

static float float_at(enum weft_dtype dtype, const void *data, int32_t index) {
    const weft_unaligned_float *floats = data;
    int64_t integer = dtype == WEFT_F32 ? 0 : load_integer(dtype, data, index);
    return dtype == WEFT_F32   ? floats[index]
           : dtype == WEFT_F16 ? half_to_float((uint32_t)integer)
           : dtype == WEFT_U64 ? (float)(uint64_t)integer
                               : (float)integer;
}

enum weft_kernel_status weft_kernel_cast_float(const struct weft_cast_parameters *parameters,
                                               const void *input, void *output) {
    enum weft_dtype to = parameters->output;
    float *results = output;
    for (int32_t i = 0; i < parameters->count; i++) {
        float value = float_at(parameters->input, input, i);
        if (to == WEFT_F32) {
            results[i] = value;
        } else if (to == WEFT_F16) {
            store_element(to, output, i, (int32_t)half_of_float(value));
        } else {
            store_integer(to, output, i, truncated(to, value));
        }
    }
    return WEFT_KERNEL_OK;
}
