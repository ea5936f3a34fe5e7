/* Every input pixel is spread over a window of the output, in the reference's order: input pixels,
 * then rows and columns of the window. */
#include "kernels/dot_float.h"
#include "kernels/window.h"

enum weft_kernel_status
weft_kernel_conv2d_transpose(const struct weft_conv2d_parameters *parameters,
                             const weft_unaligned_float *input, const weft_unaligned_float *weights,
                             float *output) {
    const int32_t *w = parameters->weights;
    int64_t filter = (int64_t)w[1] * w[2] * w[3];
    int64_t count = output_elements(parameters);
    int64_t pixels = input_pixels(parameters);
    struct place pixel = {0};
    struct landing at;
    for (int64_t i = 0; i < count; i++) {
        output[i] = 0.0F;
    }
    for (int64_t i = 0; i < pixels; i++, pixel_next(parameters->input, &pixel)) {
        for (int32_t tap = 0; tap < w[1] * w[2]; tap++) {
            if (!find_landing(parameters, &pixel, tap / w[2], tap % w[2], &at)) {
                continue;
            }
            for (int32_t o = 0; o < w[0]; o++) {
                output[at.output + o] = dot_float(output[at.output + o], input + at.input,
                                                  weights + at.weights + o * filter, w[3]);
            }
        }
    }
    return WEFT_KERNEL_OK;
}
