/* From one type or quantisation to another, element by element. */
#ifndef WEFT_KERNELS_CONVERT_H
#define WEFT_KERNELS_CONVERT_H

#include "kernels/kernel.h"

struct weft_scale_and_zero {
    float scale;
    int32_t zero;
};

/* Float32 to integers of up to 32 bits: divided in float32, rounded half away from zero or to even,
 * saturated; what is not a number becomes the zero point. Element i has the scale
 * i / inner % channels. */
struct weft_quantize_parameters {
    enum weft_dtype output;
    int32_t count, inner, channels;
    int32_t ties_to_even; /* 1 or 0 */
    struct weft_scale_and_zero channel[];
};

enum weft_kernel_status weft_kernel_quantize(const struct weft_quantize_parameters *parameters,
                                             const weft_unaligned_float *input, void *output);

/* As the reference has them: a scale of double. */
struct weft_double_and_zero {
    double scale;
    int32_t zero, reserved;
};

/* Integers of up to 32 bits to float32: multiplied in double, as the reference does. Element i has
 * the scale i / inner % channels. */
struct weft_dequantize_parameters {
    enum weft_dtype input;
    int32_t count, inner, channels;
    struct weft_double_and_zero channel[];
};

enum weft_kernel_status weft_kernel_dequantize(const struct weft_dequantize_parameters *parameters,
                                               const void *input, float *output);

struct weft_factor_and_zero {
    struct weft_factor factor; /* input scale over output scale */
    int32_t zero;              /* of the input */
};

/* Integers to integers of up to 32 bits, saturated, the input quantised along its last axis:
 * requantize from int8 to int32 with gemmlowp's two roundings, requantize_as_float from int32 with
 * those of float32 (weft_scale_float()), requantize_reduced from int64 with a 16-bit multiplier and
 * one rounding (TFLite's MultiplyByQuantizedMultiplier() of int64). */
struct weft_requantize_parameters {
    enum weft_dtype input, output;
    int32_t output_zero;
    int32_t rows, channels;
    struct weft_factor_and_zero channel[];
};

enum weft_kernel_status weft_kernel_requantize(const struct weft_requantize_parameters *parameters,
                                               const void *input, void *output);
enum weft_kernel_status
weft_kernel_requantize_as_float(const struct weft_requantize_parameters *parameters,
                                const void *input, void *output);
enum weft_kernel_status
weft_kernel_requantize_reduced(const struct weft_requantize_parameters *parameters,
                               const void *input, void *output);

/* The same from int32 and int64, multiplied by a double and rounded once: TFLite's FULLY_CONNECTED
 * with one scale for each output does so while it runs. */
struct weft_requantize_single_parameters {
    enum weft_dtype input, output;
    int32_t output_zero;
    int32_t rows, channels, reserved;
    struct weft_double_and_zero channel[];
};

enum weft_kernel_status
weft_kernel_requantize_single(const struct weft_requantize_single_parameters *parameters,
                              const void *input, void *output);

/* As C converts; integers wrap. Floats go to integers towards zero, saturated; not a number gives
 * the largest. cast: between integers and bool; cast_float: one of the two is float32 or float16,
 * neither float64; cast_double: one of the two is float64. To float16 and float32 they are rounded
 * to nearest, ties to even. */
struct weft_cast_parameters {
    enum weft_dtype input, output;
    int32_t count;
};

enum weft_kernel_status weft_kernel_cast(const struct weft_cast_parameters *parameters,
                                         const void *input, void *output);
enum weft_kernel_status weft_kernel_cast_float(const struct weft_cast_parameters *parameters,
                                               const void *input, void *output);
enum weft_kernel_status weft_kernel_cast_double(const struct weft_cast_parameters *parameters,
                                                const void *input, void *output);

/* Integers limited to [low, high]. */
struct weft_clip_parameters {
    int64_t low, high;
    enum weft_dtype dtype;
    int32_t count;
};

enum weft_kernel_status weft_kernel_clip(const struct weft_clip_parameters *parameters,
                                         const void *input, void *output);

#endif
