#include "kernels/dot_float.h"
#include "kernels/window.h"

static float window_sum(const struct weft_conv2d_parameters *window,
                        const weft_unaligned_float *input, const weft_unaligned_float *weights,
                        const struct place *place) {
    float sum = 0.0F;
    struct tap tap;
    for (int32_t ky = 0; ky < window->weights[1]; ky++) {
        for (int32_t kx = 0; kx < window->weights[2]; kx++) {
            if (find_tap(window, place, ky, kx, &tap)) {
                sum = dot_float(sum, input + tap.input, weights + tap.weights, window->weights[3]);
            }
        }
    }
    return sum;
}

enum weft_kernel_status weft_kernel_conv2d(const struct weft_conv2d_parameters *parameters,
                                           const weft_unaligned_float *input,
                                           const weft_unaligned_float *weights, float *output) {
    struct place place = {0};
    int64_t count = output_elements(parameters);
    for (int64_t i = 0; i < count; i++, place_next(parameters, &place)) {
        output[i] = window_sum(parameters, input, weights, &place);
    }
    return WEFT_KERNEL_OK;
}
