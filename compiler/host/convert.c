/* From one type or quantisation to another. */
#include <math.h>
#include <stdlib.h>

#include "base/fixed_point.h"
#include "base/integer.h"
#include "base/memory.h"
#include "compiler/host/kernels.h"

/* ---- qnn.requantize ---- */

/* TFLite's MultiplyByQuantizedMultiplier() of int64: the multiplier loses 16 bits, then one
 * rounding, ties up; the result is cut to 32 bits. */
static int32_t scale_reduced(int64_t value, struct factor factor) {
    int64_t reduced =
        factor.multiplier < 0x7FFF0000 ? (factor.multiplier + (1 << 15)) >> 16 : 0x7FFF;
    int shift = (int)weft_clamp(15 - factor.shift, 1, 62);
    uint64_t product = (uint64_t)value * (uint64_t)reduced + (UINT64_C(1) << (shift - 1));
    return (int32_t)(uint32_t)(uint64_t)((int64_t)product >> shift);
}

/* TFLite's FULLY_CONNECTED multiplies by a double and rounds once. */
static int64_t scale_single(int64_t value, double scale) {
    double rounded = round((double)value * scale);
    return (int64_t)fmin(fmax(rounded, INT32_MIN), INT32_MAX);
}

static int64_t rescale(enum weft_dtype dtype, bool single, int64_t value, double scale,
                       struct factor factor) {
    if (single) {
        return scale_single(value, scale);
    }
    return dtype == WEFT_I64 ? scale_reduced(value, factor) : scale_by((int32_t)value, factor);
}

/* gemmlowp: MultiplyByQuantizedMultiplier(). */
bool kernel_requantize(const struct kernel_call *call) {
    const struct weft_type *from = input_type(call, 0);
    const struct weft_type *to = result_type(call, 0);
    bool single = strcmp(weft_node_text(call->node, WEFT_ATTR_rounding), "single") == 0;
    uint32_t channels = from->quantization.count;
    struct factor *factors = weft_allocate(channels, sizeof *factors, "multipliers", call->error);
    if (factors == NULL) {
        return false;
    }
    for (uint32_t c = 0; c < channels; c++) {
        factors[c] = factor_of(weft_type_scale(from, c) / weft_type_scale(to, 0));
    }
    for (int64_t i = 0; i < weft_type_elements(from); i++) {
        int64_t c = i % channels;
        int64_t value = load_integer(from->dtype, call->inputs[0], i) - weft_type_zero(from, c);
        double scale = weft_type_scale(from, c) / weft_type_scale(to, 0);
        store_element(to->dtype, call->results[0], i,
                      saturate(to, rescale(from->dtype, single, value, scale, factors[c])));
    }
    free(factors);
    return true;
}

/* ---- float ---- */

/* How many elements of a tensor follow each other with one scale, and how many scales there are. */
struct channels {
    int64_t inner, count;
};

static struct channels channels_of(const struct weft_type *type) {
    struct channels channels = {1, type->quantization.count};
    for (uint32_t i = type->quantization.axis + 1; channels.count > 1 && i < type->rank; i++) {
        channels.inner *= type->dim[i];
    }
    return channels;
}

static int64_t channel_of(const struct channels *channels, int64_t index) {
    return index / channels->inner % channels->count;
}

/* Source: TFLite's AffineQuantize(): divided in float32, rounded half away from zero. */
bool kernel_quantize(const struct kernel_call *call) {
    const struct weft_type *to = result_type(call, 0);
    struct channels channels = channels_of(to);
    for (int64_t i = 0; i < weft_type_elements(to); i++) {
        int64_t c = channel_of(&channels, i);
        float steps = roundf(load_float(call->inputs[0], i) / (float)weft_type_scale(to, c));
        /* Beyond int32 the reference's conversion is not defined; here it saturates. */
        double limited = isnan(steps) ? 0.0 : fmin(fmax((double)steps, INT32_MIN), INT32_MAX);
        store_element(to->dtype, call->results[0], i,
                      (int32_t)weft_clamp((int64_t)limited + weft_type_zero(to, c),
                                          weft_dtype_min(to->dtype), weft_dtype_max(to->dtype)));
    }
    return true;
}

bool kernel_dequantize(const struct kernel_call *call) {
    const struct weft_type *from = input_type(call, 0);
    struct channels channels = channels_of(from);
    for (int64_t i = 0; i < weft_type_elements(from); i++) {
        int64_t c = channel_of(&channels, i);
        int64_t steps =
            (int64_t)load_element(from->dtype, call->inputs[0], i) - weft_type_zero(from, c);
        store_float(call->results[0], i, (float)(weft_type_scale(from, c) * (double)steps));
    }
    return true;
}

/* ---- cast ---- */

/* Float to integer: towards zero, saturated; not a number gives the largest. */
static int64_t truncated(enum weft_dtype dtype, float value) {
    int64_t low = weft_dtype_min(dtype);
    int64_t high = weft_dtype_max(dtype);
    if (dtype == WEFT_BOOL) {
        return value != 0.0F;
    }
    return isnan(value) || (double)value >= (double)high ? high
           : (double)value <= (double)low                ? low
                                                         : (int64_t)value;
}

static void cast_float(enum weft_dtype dtype, float value, void *result, int64_t index) {
    if (dtype == WEFT_F32) {
        store_float(result, index, value);
    } else {
        store_integer(dtype, result, index, truncated(dtype, value));
    }
}

/* Integers wrap. */
static void cast_integer(enum weft_dtype dtype, int64_t value, void *result, int64_t index) {
    if (dtype == WEFT_F32) {
        store_float(result, index, (float)value);
    } else if (dtype == WEFT_BOOL) {
        store_element(dtype, result, index, value != 0);
    } else {
        store_integer(dtype, result, index, (int64_t)(uint64_t)value);
    }
}

bool kernel_cast(const struct kernel_call *call) {
    const struct weft_type *from = input_type(call, 0);
    const struct weft_type *to = result_type(call, 0);
    for (int64_t i = 0; i < weft_type_elements(from); i++) {
        if (from->dtype == WEFT_F32) {
            cast_float(to->dtype, load_float(call->inputs[0], i), call->results[0], i);
        } else {
            cast_integer(to->dtype, load_integer(from->dtype, call->inputs[0], i), call->results[0],
                         i);
        }
    }
    return true;
}

/* ---- clip ---- */

bool kernel_clip(const struct kernel_call *call) {
    const struct weft_type *type = result_type(call, 0);
    int64_t min = weft_node_int(call->node, WEFT_ATTR_min);
    int64_t max = weft_node_int(call->node, WEFT_ATTR_max);
    for (int64_t i = 0; i < weft_type_elements(type); i++) {
        int64_t value = load_integer(type->dtype, call->inputs[0], i);
        store_integer(type->dtype, call->results[0], i, weft_clamp(value, min, max));
    }
    return true;
}
