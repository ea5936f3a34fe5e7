/* Source: TFLite's ResizeBilinearInteger(): scale and place have 10 fraction bits. */
#include "base/integer.h"
#include "kernels/element.h"
#include "kernels/pixels.h"
#include "kernels/resize.h"

/* The two elements along an axis that a position lies between, and how far it is from the first in
 * 1/1024. */
struct between {
    int64_t at[2];
    int64_t fraction;
};

static struct between between(const struct weft_resize_bilinear_parameters *p, int axis,
                              int32_t position) {
    int64_t place = position * p->scale[axis] + p->offset[axis];
    int64_t low = weft_max(place / 1024, 0);
    int64_t high = weft_min((place + 1023) / 1024, p->input[1 + axis] - 1);
    return (struct between){{low, high}, place - 1024 * low};
}

static int32_t mix(enum weft_dtype dtype, const void *x, const struct corners *at, int64_t c,
                   int64_t dy, int64_t dx) {
    int64_t sum = load_element(dtype, x, at->top_left + c) * (1024 - dy) * (1024 - dx) +
                  load_element(dtype, x, at->bottom_left + c) * dy * (1024 - dx) +
                  load_element(dtype, x, at->top_right + c) * (1024 - dy) * dx +
                  load_element(dtype, x, at->bottom_right + c) * dy * dx;
    return (int32_t)((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20));
}

static void mix_row(const struct weft_resize_bilinear_parameters *p, const void *input,
                    int32_t image, int32_t row, void *output) {
    const int32_t *out = p->output;
    int64_t result = ((int64_t)image * out[1] + row) * out[2] * out[3];
    struct between y = between(p, 0, row);
    for (int32_t column = 0; column < out[2]; column++) {
        struct between x = between(p, 1, column);
        struct corners at = corners_of(p->input, image, y.at, x.at);
        for (int32_t c = 0; c < out[3]; c++) {
            store_element(p->dtype, output, result++,
                          mix(p->dtype, input, &at, c, y.fraction, x.fraction));
        }
    }
}

enum weft_kernel_status
weft_kernel_resize_bilinear(const struct weft_resize_bilinear_parameters *parameters,
                            const void *input, void *output) {
    for (int32_t image = 0; image < parameters->output[0]; image++) {
        for (int32_t row = 0; row < parameters->output[1]; row++) {
            mix_row(parameters, input, image, row, output);
        }
    }
    return WEFT_KERNEL_OK;
}
