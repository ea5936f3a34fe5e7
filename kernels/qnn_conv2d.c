#include "kernels/dot.h"
#include "kernels/window.h"

static int64_t window_sum(const struct weft_conv2d_parameters *window,
                          const struct weft_dot_operands *operands, const struct place *place) {
    uint64_t sum = 0;
    struct tap tap;
    for (int32_t ky = 0; ky < window->weights[1]; ky++) {
        for (int32_t kx = 0; kx < window->weights[2]; kx++) {
            if (find_tap(window, place, ky, kx, &tap)) {
                sum += (uint64_t)weft_dot(operands, tap.input, tap.weights, window->weights[3]);
            }
        }
    }
    return (int64_t)sum;
}

enum weft_kernel_status weft_kernel_qnn_conv2d(const struct weft_qnn_conv2d_parameters *parameters,
                                               const void *input, const void *weights,
                                               void *output) {
    const struct weft_conv2d_parameters *window = &parameters->window;
    const int32_t *zero = parameters->weights_zero;
    struct weft_dot_operands operands = {&parameters->types, input, weights, zero[0]};
    struct place place = {0};
    int64_t count = output_elements(window);
    for (int64_t i = 0; i < count; i++, place_next(window, &place)) {
        operands.weights_zero = zero[parameters->weights_zero_count == 1 ? 0 : place.o];
        store_sum(parameters->types.output, output, i, window_sum(window, &operands, &place));
    }
    return WEFT_KERNEL_OK;
}
