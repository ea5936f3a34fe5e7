/* Floats that become int8 while a kernel runs. Source: TFLite's PortableSymmetricQuantizeFloats()
 * and PortableAsymmetricQuantizeFloats(). */
#include <math.h>
#include <stdbool.h>

#include "kernels/hybrid.h"

struct range {
    float low, high;
};

static struct range range_of(const weft_unaligned_float *input, int64_t count) {
    struct range range = {0.0F, 0.0F};
    for (int64_t i = 0; i < count; i++) {
        range.low = fminf(range.low, input[i]);
        range.high = fmaxf(range.high, input[i]);
    }
    return range;
}

/* Elements in steps of 1 / `inverse`, rounded, from `zero` on; limited to [low, 127]. */
static void fill_row(const weft_unaligned_float *input, int64_t count, int32_t zero, float inverse,
                     float low, int8_t *output) {
    for (int64_t i = 0; i < count; i++) {
        float value = roundf(input[i] * inverse) + (float)zero;
        output[i] = (int8_t)fminf(fmaxf(value, low), 127.0F);
    }
}

static void quantize_symmetric(const weft_unaligned_float *input, int64_t count, int8_t *output,
                               struct weft_row_scale *scale) {
    struct range range = range_of(input, count);
    float most = fmaxf(-range.low, range.high);
    bool flat = most == 0.0F;
    *scale = (struct weft_row_scale){flat ? 1.0F : most / 127.0F, 0};
    fill_row(input, count, 0, flat ? 0.0F : 127.0F / most, -127.0F, output);
}

/* The zero point that the end of the range with the smaller error asks for, rounded: in double, so
 * that ties are found. `steps` is the difference of the range's ends, in float. */
static int32_t zero_of(struct range range, float steps) {
    double scale = (double)steps / 255.0;
    double low = (double)range.low / scale;
    double high = (double)range.high / scale;
    double zero = 128.0 - low < 127.0 + high ? -128.0 - low : 127.0 - high;
    return (int32_t)round(fmin(fmax(zero, -128.0), 127.0));
}

static void quantize_asymmetric(const weft_unaligned_float *input, int64_t count, int8_t *output,
                                struct weft_row_scale *scale) {
    struct range range = range_of(input, count);
    if (range.low == range.high) {
        *scale = (struct weft_row_scale){1.0F, 0};
        fill_row(input, count, 0, 0.0F, -128.0F, output);
        return;
    }
    float steps = range.high - range.low;
    *scale = (struct weft_row_scale){steps / 255.0F, zero_of(range, steps)};
    fill_row(input, count, scale->zero, 1.0F / scale->scale, -128.0F, output);
}

struct weft_quantized_rows weft_quantize_rows(const weft_unaligned_float *input, int64_t rows,
                                              int64_t depth, int32_t asymmetric, void *scratch) {
    struct weft_quantized_rows result = {.scale = scratch};
    result.element = (int8_t *)(result.scale + rows);
    for (int64_t row = 0; row < rows; row++) {
        const weft_unaligned_float *from = input + row * depth;
        int8_t *to = result.element + row * depth;
        if (asymmetric != 0) {
            quantize_asymmetric(from, depth, to, &result.scale[row]);
        } else {
            quantize_symmetric(from, depth, to, &result.scale[row]);
        }
    }
    return result;
}
