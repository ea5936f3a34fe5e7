/* Taps of the windows of convolutions; used in kernels/ alone. */
#ifndef WEFT_KERNELS_WINDOW_H
#define WEFT_KERNELS_WINDOW_H

#include <stdbool.h>

#include "kernels/dot.h"

/* One output element. */
struct place {
    int32_t image, y, x, o;
};

/* On to the next pixel of a tensor. */
static inline void pixel_next(const int32_t dim[4], struct place *pixel) {
    if (++pixel->x < dim[2]) {
        return;
    }
    pixel->x = 0;
    if (++pixel->y < dim[1]) {
        return;
    }
    pixel->y = 0;
    pixel->image++;
}

/* At the first output element, and on to the next. */
static inline void place_next(const struct weft_conv2d_parameters *window, struct place *place) {
    if (++place->o < window->output[3]) {
        return;
    }
    place->o = 0;
    pixel_next(window->output, place);
}

static inline int64_t output_elements(const struct weft_conv2d_parameters *window) {
    const int32_t *dim = window->output;
    return (int64_t)dim[0] * dim[1] * dim[2] * dim[3];
}

/* The first elements of what a tap multiplies: one element of a filter [KH, KW, C / groups], for
 * all its channels. */
struct tap {
    int64_t input, weights;
};

/* The tap (ky, kx) of a window; false when it lies in the padding. */
static inline bool find_tap(const struct weft_conv2d_parameters *window, const struct place *place,
                            int32_t ky, int32_t kx, struct tap *tap) {
    const int32_t *in = window->input;
    const int32_t *w = window->weights;
    int64_t row = (int64_t)place->y * window->stride[0] - window->padding[0] +
                  (int64_t)ky * window->dilation[0];
    int64_t column = (int64_t)place->x * window->stride[1] - window->padding[1] +
                     (int64_t)kx * window->dilation[1];
    if (row < 0 || row >= in[1] || column < 0 || column >= in[2]) {
        return false;
    }
    int32_t group = place->o / (w[0] / window->groups);
    tap->input =
        ((place->image * (int64_t)in[1] + row) * in[2] + column) * in[3] + (int64_t)group * w[3];
    tap->weights = (((int64_t)place->o * w[1] + ky) * w[2] + kx) * w[3];
    return true;
}

/* The sum of a window's products, which wraps. */
static inline int64_t dot_window(const struct weft_conv2d_parameters *window,
                                 const struct weft_dot_operands *operands,
                                 const struct place *place) {
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

/* Where a tap of an input pixel lands in a transposed convolution: first elements, of weights and
 * output those of channel 0. */
struct landing {
    int64_t input, weights, output;
};

/* The tap (ky, kx) of an input pixel; false when it lies outside the output. */
static inline bool find_landing(const struct weft_conv2d_parameters *window,
                                const struct place *pixel, int32_t ky, int32_t kx,
                                struct landing *landing) {
    const int32_t *in = window->input;
    const int32_t *w = window->weights;
    const int32_t *out = window->output;
    int64_t row = (int64_t)pixel->y * window->stride[0] - window->padding[0] + ky;
    int64_t column = (int64_t)pixel->x * window->stride[1] - window->padding[1] + kx;
    if (row < 0 || row >= out[1] || column < 0 || column >= out[2]) {
        return false;
    }
    landing->input = ((pixel->image * (int64_t)in[1] + pixel->y) * in[2] + pixel->x) * in[3];
    landing->weights = ((int64_t)ky * w[2] + kx) * w[3];
    landing->output = ((pixel->image * (int64_t)out[1] + row) * out[2] + column) * out[3];
    return true;
}

static inline int64_t input_pixels(const struct weft_conv2d_parameters *window) {
    return (int64_t)window->input[0] * window->input[1] * window->input[2];
}

#endif
