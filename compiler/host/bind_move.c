/* Operators that only move elements. */
#include <string.h>

#include "compiler/host/bind.h"
#include "kernels/rescale_float.h"

static int32_t element_bytes(const struct bind *bind) {
    return (int32_t)weft_dtype_bytes(bind_result(bind, 0)->dtype);
}

bool bind_reshape(const struct bind *bind) {
    struct weft_copy_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_copy, 0);
    if (parameters == NULL) {
        return false;
    }
    parameters->bytes = (int64_t)weft_type_bytes(bind_result(bind, 0));
    return true;
}

/* ---- pad ---- */

bool bind_pad(const struct bind *bind) {
    const struct weft_type *in = bind_input(bind, 0);
    const struct weft_type *out = bind_result(bind, 0);
    const int64_t *pads = weft_node_ints(bind->node, WEFT_ATTR_pads);
    bool has_value = bind->node->input_count > 1;
    struct weft_pad_parameters *parameters =
        bind_kernel(bind, has_value ? WEFT_KERNEL_pad_value : WEFT_KERNEL_pad, 0);
    if (parameters == NULL) {
        return false;
    }
    /* Little-endian, so the low bytes are those of a shorter type. Floats are not quantised. */
    int64_t zero = bind_zero(out);
    memcpy(parameters->value, &zero, sizeof parameters->value);
    bind_strides(out, parameters->step);
    for (uint32_t axis = 0; axis < in->rank; axis++) {
        parameters->offset += pads[2 * axis] * parameters->step[axis];
    }
    parameters->input = bind_walk(in, parameters->step, NULL);
    parameters->output_count = bind_count(out);
    parameters->bytes = element_bytes(bind);
    return true;
}

/* ---- other orders ---- */

/* Elements that stay beside each other become one. */
static void join_elements(struct weft_strided_copy_parameters *parameters) {
    int32_t last = parameters->output.rank - 1;
    int64_t bytes = last < 0 ? 0 : (int64_t)parameters->bytes * parameters->output.dim[last];
    if (last >= 0 && parameters->step[last] == parameters->bytes && bytes <= INT32_MAX) {
        parameters->bytes = (int32_t)bytes;
        parameters->output.rank = last;
    }
}

/* `first` is the element of the operand that comes first, `steps` leads from one to the next along
 * the axes of the result. */
static bool bind_strided(const struct bind *bind, int64_t first,
                         const int64_t steps[WEFT_KERNEL_RANK]) {
    const struct weft_type *out = bind_result(bind, 0);
    struct weft_strided_copy_parameters *parameters =
        bind_kernel(bind, WEFT_KERNEL_strided_copy, 0);
    if (parameters == NULL) {
        return false;
    }
    parameters->bytes = element_bytes(bind);
    parameters->offset = first * parameters->bytes;
    for (uint32_t axis = 0; axis < out->rank; axis++) {
        parameters->step[axis] = steps[axis] * parameters->bytes;
    }
    parameters->output = bind_walk(out, parameters->step, NULL);
    join_elements(parameters);
    return true;
}

bool bind_transpose(const struct bind *bind) {
    const struct weft_type *in = bind_input(bind, 0);
    const int64_t *order = weft_node_ints(bind->node, WEFT_ATTR_permutation);
    int64_t strides[WEFT_KERNEL_RANK];
    int64_t steps[WEFT_KERNEL_RANK];
    bind_strides(in, strides);
    for (uint32_t axis = 0; axis < in->rank; axis++) {
        steps[axis] = strides[order[axis]];
    }
    return bind_strided(bind, 0, steps);
}

bool bind_strided_slice(const struct bind *bind) {
    const struct weft_type *in = bind_input(bind, 0);
    const struct weft_type *out = bind_result(bind, 0);
    const int64_t *begin = weft_node_ints(bind->node, WEFT_ATTR_begin);
    const int64_t *steps = weft_node_ints(bind->node, WEFT_ATTR_steps);
    int64_t strides[WEFT_KERNEL_RANK];
    int64_t first = 0;
    bind_strides(in, strides);
    for (uint32_t axis = 0; axis < in->rank; axis++) {
        first += out->dim[axis] == 0 ? 0 : strides[axis] * begin[axis];
        strides[axis] *= out->dim[axis] <= 1 ? 0 : steps[axis]; /* which is within the axis */
    }
    return bind_strided(bind, first, strides);
}

/* Axes at the end that are not repeated stay beside each other: they become one element. */
bool bind_tile(const struct bind *bind) {
    const struct weft_type *in = bind_input(bind, 0);
    const struct weft_type *out = bind_result(bind, 0);
    struct weft_tile_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_tile, 0);
    if (parameters == NULL) {
        return false;
    }
    int64_t bytes = element_bytes(bind);
    int32_t rank = (int32_t)out->rank;
    while (rank > 0 && in->dim[rank - 1] == out->dim[rank - 1] &&
           bytes * out->dim[rank - 1] <= INT32_MAX && out->dim[rank - 1] > 0) {
        bytes *= out->dim[--rank];
    }
    parameters->bytes = (int32_t)bytes;
    parameters->output.rank = rank;
    bind_dims(out, rank, parameters->output.dim);
    bind_dims(in, rank, parameters->input);
    return true;
}

/* ---- joining and splitting ---- */

/* Rows of a tensor that is put together of parts along an axis. */
static int32_t rows_of(const struct bind *bind, const struct weft_type *whole) {
    int64_t rows = 1;
    for (int64_t i = 0; i < weft_node_int(bind->node, WEFT_ATTR_axis); i++) {
        rows *= whole->dim[i];
    }
    return weft_type_elements(whole) == 0 ? 0 : (int32_t)rows;
}

static bool bind_parts(const struct bind *bind, enum weft_kernel kernel,
                       const struct weft_type *whole, uint32_t count,
                       struct weft_value *const *values) {
    struct weft_parts_parameters *parameters =
        bind_kernel(bind, kernel, count * sizeof parameters->part[0]);
    if (parameters == NULL) {
        return false;
    }
    parameters->rows = rows_of(bind, whole);
    parameters->count = (int32_t)count;
    for (uint32_t i = 0; i < count && parameters->rows > 0; i++) {
        parameters->part[i] = (int64_t)weft_type_bytes(&values[i]->type) / parameters->rows;
    }
    return true;
}

bool bind_concatenate(const struct bind *bind) {
    return bind_parts(bind, WEFT_KERNEL_concatenate, bind_result(bind, 0), bind->node->input_count,
                      bind->node->inputs);
}

bool bind_split(const struct bind *bind) {
    return bind_parts(bind, WEFT_KERNEL_split, bind_input(bind, 0), bind->node->result_count,
                      bind->node->results);
}

/* How elements of an operand get into the result's steps. Source: TFLite's
 * ConcatenationWithScaling(). */
static struct weft_scaled_part part_of(const struct weft_type *in, const struct weft_type *out,
                                       int32_t rows) {
    struct weft_scaled_part part = {.elements = rows == 0 ? 0 : bind_count(in) / rows};
    if (!weft_quantization_equal(&in->quantization, &out->quantization)) {
        part.rescaled = 1;
        part.scale = (float)weft_type_scale(in, 0) * (1.0F / (float)weft_type_scale(out, 0));
        part.bias = (float)-weft_type_zero(in, 0) * part.scale;
    }
    return part;
}

/* What the 256 bytes become. */
static void fill_table(const struct weft_type *out, const struct weft_scaled_part *part,
                       uint8_t table[256]) {
    for (int i = 0; i < 256; i++) {
        int32_t value = out->dtype == WEFT_I8 ? (int8_t)i : i;
        table[i] = (uint8_t)rescale_element(part, out->dtype, weft_type_zero(out, 0), value);
    }
}

static bool bind_rescaled_bytes(const struct bind *bind, int32_t rows) {
    const struct weft_type *out = bind_result(bind, 0);
    uint32_t count = bind->node->input_count;
    struct weft_qnn_concatenate_parameters *parameters =
        bind_kernel(bind, WEFT_KERNEL_qnn_concatenate, count * sizeof parameters->part[0]);
    if (parameters == NULL) {
        return false;
    }
    parameters->rows = rows;
    parameters->count = (int32_t)count;
    for (uint32_t i = 0; i < count; i++) {
        struct weft_scaled_part part = part_of(bind_input(bind, i), out, rows);
        parameters->part[i].bytes = part.elements;
        fill_table(out, &part, parameters->part[i].table);
    }
    return true;
}

bool bind_qnn_concatenate(const struct bind *bind) {
    const struct weft_type *out = bind_result(bind, 0);
    uint32_t count = bind->node->input_count;
    int32_t rows = rows_of(bind, out);
    if (weft_dtype_bytes(out->dtype) == 1) {
        return bind_rescaled_bytes(bind, rows);
    }
    struct weft_qnn_concatenate_float_parameters *parameters =
        bind_kernel(bind, WEFT_KERNEL_qnn_concatenate_float, count * sizeof parameters->part[0]);
    if (parameters == NULL) {
        return false;
    }
    parameters->rows = rows;
    parameters->count = (int32_t)count;
    parameters->zero = weft_type_zero(out, 0);
    parameters->dtype = out->dtype;
    for (uint32_t i = 0; i < count; i++) {
        parameters->part[i] = part_of(bind_input(bind, i), out, rows);
    }
    return true;
}

/* ---- gather ---- */

bool bind_gather(const struct bind *bind) {
    const struct weft_type *x = bind_input(bind, 0);
    const struct weft_type *indices = bind_input(bind, 1);
    int32_t axis = bind_int(bind, WEFT_ATTR_axis);
    int32_t batch_dims = bind_int(bind, WEFT_ATTR_batch_dims);
    struct weft_gather_parameters *p = bind_kernel(bind, WEFT_KERNEL_gather, 0);
    if (p == NULL) {
        return false;
    }
    *p = (struct weft_gather_parameters){.bytes = element_bytes(bind),
                                         .index = indices->dtype,
                                         .batch = 1,
                                         .outer = 1,
                                         .axis = (int32_t)x->dim[axis],
                                         .indices = 1};
    for (int32_t i = 0; i < (int32_t)x->rank; i++) {
        p->batch *= i < batch_dims ? (int32_t)x->dim[i] : 1;
        p->outer *= i >= batch_dims && i < axis ? (int32_t)x->dim[i] : 1;
        p->bytes *= i > axis ? x->dim[i] : 1;
    }
    for (uint32_t i = (uint32_t)batch_dims; i < indices->rank; i++) {
        p->indices *= (int32_t)indices->dim[i];
    }
    return true;
}
