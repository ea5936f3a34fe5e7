/* Rows and columns of [N, H, W, C] resized, one axis of any tensor, and pictures at any places. */
#ifndef WEFT_KERNELS_RESIZE_H
#define WEFT_KERNELS_RESIZE_H

#include "kernels/kernel.h"

/* Rows and columns taken as they are. */
struct weft_resize_nearest_parameters {
    int32_t images;
    int32_t input[2];  /* rows, columns */
    int32_t output[2]; /* rows, columns */
    int32_t bytes;     /* of a pixel */
    int32_t source[];  /* for each row of the output one of the input, then for each column */
};

enum weft_kernel_status
weft_kernel_resize_nearest_neighbor(const struct weft_resize_nearest_parameters *parameters,
                                    const void *input, void *output);

/* Interpolated, int8 and int16: in fixed point. Position i of the output is at
 * (i * scale + offset) / 1024 in the input. */
struct weft_resize_bilinear_parameters {
    int64_t scale[2], offset[2]; /* rows, columns; 1/1024 of an element */
    enum weft_dtype dtype;       /* of both */
    int32_t input[4], output[4]; /* [N, H, W, C] */
    int32_t reserved;
};

enum weft_kernel_status
weft_kernel_resize_bilinear(const struct weft_resize_bilinear_parameters *parameters,
                            const void *input, void *output);

/* Interpolated, float32 and uint8: in float32, as the reference. */
struct weft_resize_bilinear_float_parameters {
    enum weft_dtype dtype; /* of both */
    int32_t input[4], output[4];
    float scale[2];             /* elements of the input for one of the output: rows, columns */
    int32_t half_pixel_centers; /* 1: positions are those of the elements' centres */
};

enum weft_kernel_status
weft_kernel_resize_bilinear_float(const struct weft_resize_bilinear_float_parameters *parameters,
                                  const void *input, void *output);

/* An element of the result along the axis: what of it comes from which elements of the operand. */
struct weft_between {
    int32_t low, high;
    struct weft_factor factor[3]; /* of both, and of their sum */
};

/* Interpolated along one axis of [outer, axis, inner], int8 and uint8: the sum of two elements, as
 * weft_kernel_qnn_add() has it, each with its share as its scale. */
struct weft_interpolate_axis_parameters {
    int32_t outer, axis, inner;
    int32_t count; /* of the result along the axis */
    enum weft_dtype dtype;
    int32_t bits; /* that elements get: 20 */
    int32_t zero; /* zero point of both */
    int32_t reserved;
    struct weft_between between[]; /* [count] */
};

enum weft_kernel_status
weft_kernel_interpolate_axis(const struct weft_interpolate_axis_parameters *parameters,
                             const void *input, void *output);

struct weft_between_float {
    int32_t low, high;
    float share[2];
};

/* The same of float32. */
struct weft_interpolate_axis_float_parameters {
    int32_t outer, axis, inner;
    int32_t count;
    struct weft_between_float between[]; /* [count] */
};

enum weft_kernel_status
weft_kernel_interpolate_axis_float(const struct weft_interpolate_axis_float_parameters *parameters,
                                   const weft_unaligned_float *input, float *output);

enum weft_sample_mode {
    WEFT_SAMPLE_LINEAR,
    WEFT_SAMPLE_NEAREST,
    WEFT_SAMPLE_CUBIC,
};

/* What is outside of a picture. */
enum weft_sample_outside {
    WEFT_OUTSIDE_ZEROS,
    WEFT_OUTSIDE_BORDER,     /* its edge goes on */
    WEFT_OUTSIDE_REFLECTION, /* the picture, turned at its edges */
};

/* Pictures [images, rows, columns, channels] at `points` places each: columns, then rows, -1 and 1
 * at the ends of the picture. Results [images, points, channels]. */
struct weft_grid_sample_float_parameters {
    enum weft_sample_mode mode;
    enum weft_sample_outside outside;
    int32_t align_corners; /* 1: -1 and 1 are centres of elements, 0: their outer edges */
    int32_t images, points, channels;
    int32_t input[2]; /* rows, columns; at least 1 */
};

enum weft_kernel_status
weft_kernel_grid_sample_float(const struct weft_grid_sample_float_parameters *parameters,
                              const weft_unaligned_float *input, const weft_unaligned_float *grid,
                              float *output);

#endif
