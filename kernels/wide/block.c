/* Blocks of rows of the inputs' matrix, and their products with panels of weights. */
#include <string.h>

#include "base/integer.h"
#include "kernels/matrix.h"
#include "kernels/wide/product.h"

/* ---- rows of the inputs' matrix ---- */

/* Is the matrix in memory as it is? */
static bool is_direct(const struct weft_wide_product *product) {
    const struct weft_conv2d_parameters *w = &product->window;
    if (product->kind == WEFT_WIDE_MATRICES) {
        return product->matrices.transposed[0] == 0;
    }
    return product->kind == WEFT_WIDE_DEPTHWISE ||
           (product->kind == WEFT_WIDE_WINDOW && w->weights[1] == 1 && w->weights[2] == 1 &&
            w->stride[0] == 1 && w->stride[1] == 1 && w->padding[0] == 0 && w->padding[1] == 0 &&
            w->input[1] == w->output[1] && w->input[2] == w->output[2]);
}

int64_t weft_wide_scratch(const struct weft_wide_product *product, int32_t rows) {
    return is_direct(product) ? 0 : (int64_t)rows * product->depth;
}

/* A pixel of the output. */
struct pixel {
    int64_t image, y, x;
};

static struct pixel pixel_at(const int32_t dim[4], int64_t index) {
    int64_t line = index / dim[2];
    return (struct pixel){line / dim[1], line % dim[1], index % dim[2]};
}

/* The input's row or column (axis 0 or 1) that a tap of a result at `place` takes; -1: none. */
static int64_t input_of(const struct weft_wide_product *product, int axis, int64_t place,
                        int32_t tap) {
    const struct weft_conv2d_parameters *w = &product->window;
    int64_t at = 0;
    if (product->kind == WEFT_WIDE_WINDOW) {
        at = place * w->stride[axis] - w->padding[axis] + (int64_t)tap * w->dilation[axis];
    } else {
        int64_t backwards = w->weights[1 + axis] - 1 - tap;
        int64_t spread = place + w->padding[axis] - backwards;
        at = spread < 0 || spread % w->stride[axis] != 0 ? -1 : spread / w->stride[axis];
    }
    return at < w->input[1 + axis] ? at : -1;
}

/* The row of one pixel: the taps' channels of one group, one after another. */
static void gather_pixel(const struct weft_wide_product *product, const struct pixel *pixel,
                         const weft_unaligned_float *input, float *to) {
    const struct weft_conv2d_parameters *w = &product->window;
    size_t bytes = (size_t)w->weights[3] * sizeof *to;
    for (int32_t ky = 0; ky < w->weights[1]; ky++) {
        int64_t y = input_of(product, 0, pixel->y, ky);
        const weft_unaligned_float *line =
            input + (pixel->image * w->input[1] + weft_max(y, 0)) * w->input[2] * w->input[3];
        for (int32_t kx = 0; kx < w->weights[2]; kx++, to += w->weights[3]) {
            int64_t x = y < 0 ? -1 : input_of(product, 1, pixel->x, kx);
            if (x < 0) {
                memset(to, 0, bytes);
            } else {
                memcpy(to, line + x * w->input[3], bytes);
            }
        }
    }
}

static void gather_pixels(const struct weft_wide_product *product,
                          const struct weft_wide_block *block, const weft_unaligned_float *input,
                          float *to) {
    const struct weft_conv2d_parameters *w = &product->window;
    struct pixel pixel = pixel_at(w->output, block->first_row);
    for (int32_t i = 0; i < block->rows; i++, to += product->depth) {
        gather_pixel(product, &pixel, input + (int64_t)block->batch * w->weights[3], to);
        if (++pixel.x == w->output[2]) {
            pixel.x = 0;
            pixel.image += ++pixel.y == w->output[1] ? 1 : 0;
            pixel.y = pixel.y == w->output[1] ? 0 : pixel.y;
        }
    }
}

static void gather_columns(const struct weft_wide_product *product,
                           const struct weft_wide_block *block, const weft_unaligned_float *a,
                           float *to) {
    for (int32_t k = 0; k < product->depth; k++) {
        for (int32_t i = 0; i < block->rows; i++) {
            to[(int64_t)i * product->depth + k] =
                a[(int64_t)k * product->rows + block->first_row + i];
        }
    }
}

/* ---- blocks ---- */

/* The rows of the block: where they are, or copied to the scratch. */
static const weft_unaligned_float *rows_of(const struct weft_wide_product *product,
                                           const struct weft_wide_block *block,
                                           const weft_unaligned_float *input, float *scratch,
                                           int64_t *stride) {
    *stride = product->depth;
    if (product->kind == WEFT_WIDE_MATRICES) {
        const weft_unaligned_float *a = input + matrix_first(&product->matrices, 0, block->batch);
        if (product->matrices.transposed[0] == 0) {
            return a + (int64_t)block->first_row * product->depth;
        }
        gather_columns(product, block, a, scratch);
        return scratch;
    }
    if (is_direct(product)) {
        *stride = product->window.input[3];
        return input + block->first_row * *stride +
               (int64_t)block->batch * product->window.weights[3];
    }
    gather_pixels(product, block, input, scratch);
    return scratch;
}

static void compute_depthwise(const struct weft_wide_product *product,
                              const struct weft_wide_block *block,
                              const weft_unaligned_float *input, const float *packed,
                              float *output) {
    const struct weft_depthwise_pixels pixels = {.window = &product->window,
                                                 .input = input,
                                                 .weights = packed,
                                                 .output = output,
                                                 .first = block->first_row,
                                                 .count = block->rows};
    product->loops->depthwise(&pixels);
}

void weft_wide_compute(const struct weft_wide_product *product, const struct weft_wide_block *block,
                       const weft_unaligned_float *input, const float *packed, float *output,
                       int64_t stride, float *scratch) {
    if (product->kind == WEFT_WIDE_DEPTHWISE) {
        compute_depthwise(product, block, input, packed, output);
        return;
    }
    int32_t width = product->loops->width;
    struct weft_panel_product panel = {.c_stride = stride, .rows = block->rows};
    panel.depth = product->depth;
    panel.a = rows_of(product, block, input, scratch, &panel.a_stride);
    if (product->weights_batches > 1) {
        packed += block->batch * product->packed_batch;
    }
    for (int32_t done = 0; done < block->columns; done += width) {
        int32_t first = block->first_column + done;
        panel.b = packed + (int64_t)first * product->depth;
        panel.c = output + done;
        panel.width = product->columns - first <= width / 2 ? width / 2 : width;
        panel.columns = (int32_t)weft_min(block->columns - done, panel.width);
        product->loops->multiply(&panel);
    }
}
