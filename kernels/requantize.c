#include "kernels/convert.h"
#include "kernels/element.h"
#include "kernels/scale.h"

static enum weft_kernel_status
requantize(const struct weft_requantize_parameters *parameters, const void *input, void *output,
           int32_t (*scale)(int64_t value, struct weft_factor factor)) {
    int64_t i = 0;
    for (int32_t row = 0; row < parameters->rows; row++) {
        for (int32_t c = 0; c < parameters->channels; c++, i++) {
            const struct weft_factor_and_zero *channel = &parameters->channel[c];
            int64_t value = load_integer(parameters->input, input, i) - channel->zero;
            store_element(parameters->output, output, i,
                          saturate(parameters->output, parameters->output_zero,
                                   scale(value, channel->factor)));
        }
    }
    return WEFT_KERNEL_OK;
}

/* Gemmlowp's two roundings, of what has 32 bits. */
static int32_t scale_gemmlowp(int64_t value, struct weft_factor factor) {
    return scale_by((int32_t)value, factor);
}

enum weft_kernel_status weft_kernel_requantize(const struct weft_requantize_parameters *parameters,
                                               const void *input, void *output) {
    return requantize(parameters, input, output, scale_gemmlowp);
}

/* As float32 rounds, what has 32 bits. */
static int32_t scale_as_float(int64_t value, struct weft_factor factor) {
    return weft_scale_float((int32_t)value, factor.multiplier, factor.shift);
}

enum weft_kernel_status
weft_kernel_requantize_as_float(const struct weft_requantize_parameters *parameters,
                                const void *input, void *output) {
    return requantize(parameters, input, output, scale_as_float);
}

/* The multiplier loses 16 bits, then one rounding, ties up; the result is cut to 32 bits. */
static int32_t scale_reduced(int64_t value, struct weft_factor factor) {
    int64_t reduced =
        factor.multiplier < 0x7FFF0000 ? (factor.multiplier + (1 << 15)) >> 16 : 0x7FFF;
    int shift = (int)weft_clamp(15 - factor.shift, 1, 62);
    uint64_t product = (uint64_t)value * (uint64_t)reduced + (UINT64_C(1) << (shift - 1));
    return (int32_t)(uint32_t)(uint64_t)((int64_t)product >> shift);
}

enum weft_kernel_status
weft_kernel_requantize_reduced(const struct weft_requantize_parameters *parameters,
                               const void *input, void *output) {
    return requantize(parameters, input, output, scale_reduced);
}
