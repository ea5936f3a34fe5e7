/* Every input pixel is spread over a window of the output, in the reference's order: input pixels,
 * then rows and columns of the window. */
#include "kernels/dot.h"
#include "kernels/element.h"
#include "kernels/window.h"

static void spread(const struct weft_qnn_conv2d_parameters *parameters,
                   struct weft_dot_operands *operands, const struct landing *landing,
                   void *output) {
    const int32_t *w = parameters->window.weights;
    const int32_t *zero = parameters->weights_zero;
    enum weft_dtype dtype = parameters->types.output;
    int64_t filter = (int64_t)w[1] * w[2] * w[3];
    for (int32_t o = 0; o < w[0]; o++) {
        operands->weights_zero = zero[parameters->weights_zero_count == 1 ? 0 : o];
        int64_t sum = weft_dot(operands, landing->input, landing->weights + o * filter, w[3]);
        int64_t before = load_integer(dtype, output, landing->output + o);
        store_sum(dtype, output, landing->output + o, (int64_t)((uint64_t)before + (uint64_t)sum));
    }
}

enum weft_kernel_status
weft_kernel_qnn_conv2d_transpose(const struct weft_qnn_conv2d_parameters *parameters,
                                 const void *input, const void *weights, void *output) {
    const struct weft_conv2d_parameters *window = &parameters->window;
    struct weft_dot_operands operands = {&parameters->types, input, weights, 0};
    struct place pixel = {0};
    struct landing landing;
    int64_t pixels = input_pixels(window);
    memset(output, 0, (size_t)output_elements(window) * weft_dtype_bytes(parameters->types.output));
    for (int64_t i = 0; i < pixels; i++, pixel_next(window->input, &pixel)) {
        for (int32_t ky = 0; ky < window->weights[1]; ky++) {
            for (int32_t kx = 0; kx < window->weights[2]; kx++) {
                if (find_landing(window, &pixel, ky, kx, &landing)) {
                    spread(parameters, &operands, &landing, output);
                }
            }
        }
    }
    return WEFT_KERNEL_OK;
}
