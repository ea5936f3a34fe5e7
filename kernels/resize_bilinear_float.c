/* Source: TFLite's ResizeBilinear(). */
#include <math.h>

#include "base/integer.h"
#include "kernels/element.h"
#include "kernels/pixels.h"
#include "kernels/resize.h"

/* The two elements along an axis that a position lies between, and how far it is from the first. */
struct between {
    int64_t at[2];
    float fraction;
};

static struct between between(const struct weft_resize_bilinear_float_parameters *p, int axis,
                              int32_t position) {
    float place = p->half_pixel_centers != 0 ? ((float)position + 0.5F) * p->scale[axis] - 0.5F
                                             : (float)position * p->scale[axis];
    int64_t low = weft_max((int64_t)floorf(place), 0);
    int64_t high = weft_min((int64_t)ceilf(place), p->input[1 + axis] - 1);
    return (struct between){{low, high}, place - (float)low};
}

static float load(enum weft_dtype dtype, const void *input, int64_t index) {
    const weft_unaligned_float *floats = input;
    return dtype == WEFT_F32 ? floats[index] : (float)load_element(dtype, input, index);
}

/* Products and sums in the reference's order. At the end it adds what rounds integers half up: of
 * floats that is 0, which makes -0 to 0. */
static float mix(enum weft_dtype dtype, const void *x, const struct corners *at, int64_t c,
                 float dy, float dx) {
    float sum = load(dtype, x, at->top_left + c) * (1.0F - dy) * (1.0F - dx) +
                load(dtype, x, at->bottom_left + c) * dy * (1.0F - dx) +
                load(dtype, x, at->top_right + c) * (1.0F - dy) * dx +
                load(dtype, x, at->bottom_right + c) * dy * dx;
    return sum + (dtype == WEFT_F32 ? 0.0F : 0.5F);
}

static void mix_row(const struct weft_resize_bilinear_float_parameters *p, const void *input,
                    int32_t image, int32_t row, void *output) {
    const int32_t *out = p->output;
    int64_t result = ((int64_t)image * out[1] + row) * out[2] * out[3];
    struct between y = between(p, 0, row);
    for (int32_t column = 0; column < out[2]; column++) {
        struct between x = between(p, 1, column);
        struct corners at = corners_of(p->input, image, y.at, x.at);
        for (int32_t c = 0; c < out[3]; c++, result++) {
            float value = mix(p->dtype, input, &at, c, y.fraction, x.fraction);
            if (p->dtype == WEFT_F32) {
                ((float *)output)[result] = value;
            } else {
                store_element(p->dtype, output, result, (int32_t)value);
            }
        }
    }
}

enum weft_kernel_status
weft_kernel_resize_bilinear_float(const struct weft_resize_bilinear_float_parameters *parameters,
                                  const void *input, void *output) {
    for (int32_t image = 0; image < parameters->output[0]; image++) {
        for (int32_t row = 0; row < parameters->output[1]; row++) {
            mix_row(parameters, input, image, row, output);
        }
    }
    return WEFT_KERNEL_OK;
}
