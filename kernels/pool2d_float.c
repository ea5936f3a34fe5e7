/* Pixel by pixel, all channels of each: every channel is added up in the order of rows and columns.
 */
#include "kernels/limit_float.h"
#include "kernels/lines.h"
#include "kernels/pool_window.h"

/* Starts every channel with `start`, and brings the window's pixels into it. */
ALWAYS_INLINE void fold_window(const struct weft_pool_parameters *parameters,
                               const struct pool_window *window, const weft_unaligned_float *input,
                               float *output, float start,
                               float (*function)(float result, float x)) {
    const int32_t channels = parameters->input[3];
    for (int32_t c = 0; c < channels; c++) {
        output[c] = start;
    }
    for (int64_t row = window->first_row; row < window->end_row; row++) {
        for (int64_t column = window->first_column; column < window->end_column; column++) {
            const weft_unaligned_float *pixel = input + pool_index(parameters, window, row, column);
            for (int32_t c = 0; c < channels; c++) {
                output[c] = function(output[c], pixel[c]);
            }
        }
    }
}

static float add(float sum, float x) {
    return sum + x;
}

static float larger(float best, float x) {
    return best < x ? x : best;
}

enum weft_kernel_status weft_kernel_avg_pool2d_float(const struct weft_pool_parameters *parameters,
                                                     const weft_unaligned_float *input,
                                                     float *output) {
    int64_t elements = pool_elements(parameters);
    const int32_t channels = parameters->output[3];
    for (int64_t i = 0; i < elements; i += channels, output += channels) {
        struct pool_window window = pool_window_at(parameters, i);
        fold_window(parameters, &window, input, output, 0.0F, add);
        float count = (float)pool_count(&window);
        for (int32_t c = 0; c < channels; c++) {
            output[c] = limit_to_finite(output[c] / count);
        }
    }
    return WEFT_KERNEL_OK;
}

enum weft_kernel_status weft_kernel_max_pool2d_float(const struct weft_pool_parameters *parameters,
                                                     const weft_unaligned_float *input,
                                                     float *output) {
    int64_t elements = pool_elements(parameters);
    const int32_t channels = parameters->output[3];
    for (int64_t i = 0; i < elements; i += channels, output += channels) {
        struct pool_window window = pool_window_at(parameters, i);
        /* -FLT_MAX is where the reference starts. */
        fold_window(parameters, &window, input, output, -FLT_MAX, larger);
        for (int32_t c = 0; c < channels; c++) {
            output[c] = limit_to_finite(output[c]);
        }
    }
    return WEFT_KERNEL_OK;
}
