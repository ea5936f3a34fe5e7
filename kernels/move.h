/* Elements moved, as bytes. */
#ifndef WEFT_KERNELS_MOVE_H
#define WEFT_KERNELS_MOVE_H

#include "kernels/kernel.h"

/* The same bytes. */
struct weft_copy_parameters {
    int64_t bytes;
};

enum weft_kernel_status weft_kernel_copy(const struct weft_copy_parameters *parameters,
                                         const void *input, void *output);

/* The output's elements, in order, from places of the input that are `step` apart along the
 * output's axes: transposing, slicing, reversing, repeating (step 0). An element may be several
 * tensor elements that stay beside each other. */
struct weft_strided_copy_parameters {
    int64_t offset;                 /* of the first element in the input, bytes */
    int64_t step[WEFT_KERNEL_RANK]; /* bytes; may be negative */
    struct weft_shape output;
    int32_t bytes; /* of an element */
};

enum weft_kernel_status
weft_kernel_strided_copy(const struct weft_strided_copy_parameters *parameters, const void *input,
                         void *output);

/* The input repeated along each axis: input[] are its axes, of which output.dim[] are multiples. An
 * element may be several tensor elements that stay beside each other. */
struct weft_tile_parameters {
    struct weft_shape output;
    int32_t input[WEFT_KERNEL_RANK]; /* at least 1 each, unless the output is empty */
    int32_t bytes;                   /* of an element */
};

enum weft_kernel_status weft_kernel_tile(const struct weft_tile_parameters *parameters,
                                         const void *input, void *output);

/* The input inside a larger output whose other elements are one value: of the parameters (pad) or
 * of a tensor of one element (pad_value). */
struct weft_pad_parameters {
    int64_t offset;                 /* of the input's first element in the output, elements */
    int64_t step[WEFT_KERNEL_RANK]; /* in the output, for a step in the input, elements */
    struct weft_shape input;
    int32_t output_count; /* elements */
    int32_t bytes;        /* of an element: 1, 2, 4 or 8 */
    uint8_t value[8];
    int32_t reserved;
};

enum weft_kernel_status weft_kernel_pad(const struct weft_pad_parameters *parameters,
                                        const void *input, void *output);
enum weft_kernel_status weft_kernel_pad_value(const struct weft_pad_parameters *parameters,
                                              const void *input, const void *value, void *output);

/* One tensor as rows, of each of which every one of several tensors has a part. concatenate: of
 * these the whole; split: they of the whole. */
struct weft_parts_parameters {
    int32_t rows, count; /* count: parts */
    int64_t part[];      /* bytes of each in a row */
};

enum weft_kernel_status weft_kernel_concatenate(const struct weft_parts_parameters *parameters,
                                                const void *const *inputs, void *output);
enum weft_kernel_status weft_kernel_split(const struct weft_parts_parameters *parameters,
                                          const void *input, void *const *outputs);

/* concatenate of 8-bit elements that are not in the output's steps: each goes through a table, as
 * in weft_table_parameters. */
struct weft_table_part {
    int32_t bytes; /* in a row */
    uint8_t table[256];
};

struct weft_qnn_concatenate_parameters {
    int32_t rows, count; /* count: parts */
    struct weft_table_part part[];
};

enum weft_kernel_status
weft_kernel_qnn_concatenate(const struct weft_qnn_concatenate_parameters *parameters,
                            const void *const *inputs, void *output);

/* The same of int16: round(value * scale + bias), computed in float32 as the reference does. */
struct weft_scaled_part {
    int32_t elements; /* in a row */
    int32_t rescaled; /* 0: the elements are taken as they are */
    float scale, bias;
};

struct weft_qnn_concatenate_float_parameters {
    int32_t rows, count; /* count: parts */
    int32_t zero;        /* of the output */
    enum weft_dtype dtype;
    struct weft_scaled_part part[];
};

enum weft_kernel_status
weft_kernel_qnn_concatenate_float(const struct weft_qnn_concatenate_float_parameters *parameters,
                                  const void *const *inputs, void *output);

/* Elements along an axis by their indices: from [batch, outer, axis, inner] with indices [batch,
 * indices] to [batch, outer, indices, inner]. WEFT_KERNEL_INDEX when an index is outside the axis;
 * nothing is written then. */
struct weft_gather_parameters {
    int64_t bytes;         /* of the inner elements together */
    enum weft_dtype index; /* int32 or int64 */
    int32_t batch, outer, axis, indices;
    int32_t reserved;
};

enum weft_kernel_status weft_kernel_gather(const struct weft_gather_parameters *parameters,
                                           const void *input, const void *indices, void *output);

#endif
