#include "kernels/dot.h"
#include "kernels/hybrid.h"
#include "kernels/limit_float.h"
#include "kernels/window.h"

static int64_t image_elements(const struct weft_conv2d_parameters *window) {
    const int32_t *dim = window->input;
    return (int64_t)dim[1] * dim[2] * dim[3];
}

size_t weft_kernel_hybrid_conv2d_scratch(const struct weft_hybrid_conv2d_parameters *parameters) {
    return quantized_rows_bytes(parameters->window.input[0], image_elements(&parameters->window));
}

enum weft_kernel_status
weft_kernel_hybrid_conv2d(const struct weft_hybrid_conv2d_parameters *parameters,
                          const weft_unaligned_float *input, const int8_t *weights,
                          const weft_unaligned_float *bias, float *output, void *scratch) {
    const struct weft_conv2d_parameters *window = &parameters->window;
    struct weft_quantized_rows rows = weft_quantize_rows(
        input, window->input[0], image_elements(window), parameters->asymmetric, scratch);
    struct place place = {0};
    int64_t count = output_elements(window);
    for (int64_t i = 0; i < count; i++, place_next(window, &place)) {
        struct weft_product_types types = hybrid_types(&rows, place.image);
        struct weft_dot_operands operands = {&types, rows.element, weights, 0};
        float sum = (float)(int32_t)dot_window(window, &operands, &place); /* wraps */
        float scale = parameters->scale[parameters->scales == 1 ? 0 : place.o];
        float of_input = rows.scale[place.image].scale;
        sum = parameters->sum_first != 0 ? sum * scale * of_input : sum * (scale * of_input);
        output[i] = limit_to_finite(sum + bias[place.o]);
    }
    return WEFT_KERNEL_OK;
}
