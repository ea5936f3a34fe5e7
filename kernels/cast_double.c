#include <math.h>

#include "kernels/convert.h"
#include "kernels/element.h"
#include "kernels/half.h"

/* Towards zero, saturated, as cast_float.c has it. */
static int64_t truncated(enum weft_dtype dtype, double value) {
    int64_t low = dtype == WEFT_U64 ? 0 : weft_dtype_min(dtype);
    int64_t high = weft_dtype_max(dtype);
    if (dtype == WEFT_BOOL) {
        return value != 0.0;
    }
    if (dtype == WEFT_U64 && value >= (double)high) {
        return value < 0x1p64 ? (int64_t)(uint64_t)value : -1;
    }
    return isnan(value) || value >= (double)high ? high
           : value <= (double)low                ? low
                                                 : (int64_t)value;
}

static double double_at(enum weft_dtype dtype, const void *data, int32_t index) {
    const weft_unaligned_float *floats = data;
    int64_t bits = dtype == WEFT_F32 ? 0 : load_integer(dtype, data, index);
    double value;
    memcpy(&value, &bits, sizeof value);
    return dtype == WEFT_F64   ? value
           : dtype == WEFT_F32 ? (double)floats[index]
           : dtype == WEFT_F16 ? (double)half_to_float((uint32_t)bits)
           : dtype == WEFT_U64 ? (double)(uint64_t)bits
                               : (double)bits;
}

static void store_double(enum weft_dtype dtype, void *data, int32_t index, double value) {
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (dtype == WEFT_F32) {
        ((float *)data)[index] = (float)value;
    } else if (dtype == WEFT_F16) {
        store_element(dtype, data, index, (int32_t)half_of_float((float)value));
    } else {
        store_integer(dtype, data, index, dtype == WEFT_F64 ? bits : truncated(dtype, value));
    }
}

enum weft_kernel_status weft_kernel_cast_double(const struct weft_cast_parameters *parameters,
                                                const void *input, void *output) {
    for (int32_t i = 0; i < parameters->count; i++) {
        store_double(parameters->output, output, i, double_at(parameters->input, input, i));
    }
    return WEFT_KERNEL_OK;
}
