/* Source: ONNX Runtime's GridSample, in its order of sums. */
#include <math.h>

#include "base/float_element.h"
#include "base/integer.h"
#include "kernels/resize.h"

/* One axis of the picture: its elements, and the least and most place that is inside. */
struct axis {
    int64_t length;
    float least, most;
};

struct picture {
    const struct weft_grid_sample_float_parameters *p;
    const weft_unaligned_float *pixels; /* [H, W, C] */
    struct axis rows, columns;
};

static struct axis axis_of(const struct weft_grid_sample_float_parameters *p, int32_t length) {
    const float edge = p->align_corners != 0 ? 0.0F : -0.5F;
    return (struct axis){length, edge, (float)length - 1.0F - edge};
}

/* From -1 and 1 at the ends to elements. What is not a number, or far away, is nowhere near. */
static float place_of(const struct weft_grid_sample_float_parameters *p, float at, int32_t length) {
    float place = p->align_corners != 0 ? (at + 1.0F) / 2.0F * (float)(length - 1)
                                        : ((at + 1.0F) * (float)length - 1.0F) / 2.0F;
    return place > -1e9F ? fminf(place, 1e9F) : -1e9F;
}

static float reflect(float place, const struct axis *axis) {
    float range = axis->most - axis->least;
    float beyond = place < axis->least  ? axis->least - place
                   : place > axis->most ? place - axis->most
                                        : 0.0F;
    if (!(beyond > 0) || !(range > 0)) {
        return beyond > 0 ? axis->least : place;
    }
    int64_t times = (int64_t)(beyond / range);
    float rest = beyond - (float)times * range;
    bool from_least = (place < axis->least) == (times % 2 == 0);
    return from_least ? axis->least + rest : axis->most - rest;
}

/* The place as the sampling begins with it: cubic takes it as it is. */
static float settle(const struct picture *picture, float place, const struct axis *axis) {
    if (picture->p->mode == WEFT_SAMPLE_CUBIC || (place >= axis->least && place <= axis->most)) {
        return place;
    }
    switch (picture->p->outside) {
    case WEFT_OUTSIDE_BORDER:
        return fminf(fmaxf(place, 0.0F), (float)(axis->length - 1));
    case WEFT_OUTSIDE_REFLECTION:
        return reflect(place, axis);
    default:
        return place;
    }
}

/* The element that one outside stands for; -1: zero. */
static int64_t inside(const struct picture *picture, int64_t at, const struct axis *axis) {
    if (at >= 0 && at < axis->length) {
        return at;
    }
    switch (picture->p->outside) {
    case WEFT_OUTSIDE_BORDER:
        return weft_clamp(at, 0, axis->length - 1);
    case WEFT_OUTSIDE_REFLECTION:
        return weft_clamp((int64_t)reflect((float)at, axis), 0, axis->length - 1);
    default:
        return -1;
    }
}

static float pixel(const struct picture *picture, int64_t row, int64_t column, int32_t c) {
    int64_t y = inside(picture, row, &picture->rows);
    int64_t x = inside(picture, column, &picture->columns);
    return y < 0 || x < 0
               ? 0.0F
               : picture->pixels[(y * picture->columns.length + x) * picture->p->channels + c];
}

static float linear(const struct picture *picture, float y, float x, int32_t c) {
    int64_t row = (int64_t)floorf(y);
    int64_t column = (int64_t)floorf(x);
    float dy = y - (float)row;
    float dx = x - (float)column;
    float uy = (float)(row + 1) - y;
    float ux = (float)(column + 1) - x;
    return uy * (ux * pixel(picture, row, column, c) + dx * pixel(picture, row, column + 1, c)) +
           dy * (ux * pixel(picture, row + 1, column, c) +
                 dx * pixel(picture, row + 1, column + 1, c));
}

/* Weights of four neighbours, the second of which is `d` before the place. */
static void weigh(float d, float weights[4]) {
    const float a = -0.75F;
    weights[0] = ((a * (d + 1.0F) - 5.0F * a) * (d + 1.0F) + 8.0F * a) * (d + 1.0F) - 4.0F * a;
    weights[1] = ((a + 2.0F) * d - (a + 3.0F)) * d * d + 1.0F;
    weights[2] = ((a + 2.0F) * (1.0F - d) - (a + 3.0F)) * (1.0F - d) * (1.0F - d) + 1.0F;
    weights[3] = ((a * (2.0F - d) - 5.0F * a) * (2.0F - d) + 8.0F * a) * (2.0F - d) - 4.0F * a;
}

static float cubic(const struct picture *picture, float y, float x, int32_t c) {
    int64_t row = (int64_t)floorf(y) - 1;
    int64_t column = (int64_t)floorf(x) - 1;
    float rows[4];
    float columns[4];
    float sum = 0;
    weigh(y - (float)row - 1.0F, rows);
    weigh(x - (float)column - 1.0F, columns);
    for (int i = 0; i < 4; i++) {
        float line = 0;
        for (int k = 0; k < 4; k++) {
            line += columns[k] * pixel(picture, row + i, column + k, c);
        }
        sum += rows[i] * line;
    }
    return sum;
}

static void sample(const struct picture *picture, const weft_unaligned_float *at, float *output) {
    const struct weft_grid_sample_float_parameters *p = picture->p;
    bool nearest = p->mode == WEFT_SAMPLE_NEAREST;
    float x = place_of(p, at[0], p->input[1]);
    float y = place_of(p, at[1], p->input[0]);
    x = settle(picture, nearest ? weft_round_to_even(x) : x, &picture->columns);
    y = settle(picture, nearest ? weft_round_to_even(y) : y, &picture->rows);
    for (int32_t c = 0; c < p->channels; c++) {
        output[c] = nearest                        ? pixel(picture, (int64_t)y, (int64_t)x, c)
                    : p->mode == WEFT_SAMPLE_CUBIC ? cubic(picture, y, x, c)
                                                   : linear(picture, y, x, c);
    }
}

enum weft_kernel_status
weft_kernel_grid_sample_float(const struct weft_grid_sample_float_parameters *parameters,
                              const weft_unaligned_float *input, const weft_unaligned_float *grid,
                              float *output) {
    const struct weft_grid_sample_float_parameters *p = parameters;
    int64_t size = (int64_t)p->input[0] * p->input[1] * p->channels;
    struct picture picture = {p, input, axis_of(p, p->input[0]), axis_of(p, p->input[1])};
    for (int32_t n = 0; n < p->images; n++, picture.pixels += size) {
        for (int32_t i = 0; i < p->points; i++, grid += 2, output += p->channels) {
            sample(&picture, grid, output);
        }
    }
    return WEFT_KERNEL_OK;
}
