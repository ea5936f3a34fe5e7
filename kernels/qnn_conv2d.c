#include "kernels/dot.h"
#include "kernels/window.h"

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
        store_sum(parameters->types.output, output, i, dot_window(window, &operands, &place));
    }
    return WEFT_KERNEL_OK;
}
