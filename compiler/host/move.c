/* Kernels that only move elements. */
#include "compiler/host/kernels.h"

#include <math.h>

#include "base/integer.h"

static size_t element_size(const struct kernel_call *call) {
    return weft_dtype_bytes(result_type(call, 0)->dtype);
}

bool kernel_reshape(const struct kernel_call *call) {
    memcpy(call->results[0], call->inputs[0], weft_type_bytes(result_type(call, 0)));
    return true;
}

/* ---- pad ---- */

/* The operand's value, else the zero point, else 0. */
static void fill(const struct kernel_call *call) {
    const struct weft_type *out = result_type(call, 0);
    int64_t zero = out->quantization.count > 0 ? weft_type_zero(out, 0) : 0;
    int64_t element = 0;
    store_integer(out->dtype == WEFT_F32 ? WEFT_I32 : out->dtype, &element, 0, zero);
    const void *value = call->node->input_count > 1 ? call->inputs[1] : &element;
    for (int64_t i = 0; i < weft_type_elements(out); i++) {
        copy_element(element_size(call), call->results[0], i, value, 0);
    }
}

/* Walks the operand; each element lands `before` further along every axis. */
bool kernel_pad(const struct kernel_call *call) {
    const struct weft_type *in = input_type(call, 0);
    const int64_t *pads = weft_node_ints(call->node, WEFT_ATTR_pads);
    struct walk walk = walk_start(in);
    walk_strides(result_type(call, 0), walk.step[0]);
    for (uint32_t axis = 0; axis < in->rank; axis++) {
        walk.offset[0] += pads[2 * axis] * walk.step[0][axis];
    }
    fill(call);
    for (int64_t i = 0; i < weft_type_elements(in); i++, walk_next(&walk)) {
        copy_element(element_size(call), call->results[0], walk.offset[0], call->inputs[0], i);
    }
    return true;
}

/* ---- other orders ---- */

/* Every element of the result comes from where the walk is in the operand. */
static bool collect(const struct kernel_call *call, struct walk *walk) {
    for (int64_t i = 0; i < weft_type_elements(result_type(call, 0)); i++, walk_next(walk)) {
        copy_element(element_size(call), call->results[0], i, call->inputs[0], walk->offset[0]);
    }
    return true;
}

bool kernel_transpose(const struct kernel_call *call) {
    const struct weft_type *in = input_type(call, 0);
    const int64_t *order = weft_node_ints(call->node, WEFT_ATTR_permutation);
    int64_t strides[WEFT_MAX_RANK];
    struct walk walk = walk_start(result_type(call, 0));
    walk_strides(in, strides);
    for (uint32_t axis = 0; axis < in->rank; axis++) {
        walk.step[0][axis] = strides[order[axis]];
    }
    return collect(call, &walk);
}

bool kernel_strided_slice(const struct kernel_call *call) {
    const struct weft_type *in = input_type(call, 0);
    const int64_t *begin = weft_node_ints(call->node, WEFT_ATTR_begin);
    const int64_t *steps = weft_node_ints(call->node, WEFT_ATTR_steps);
    int64_t strides[WEFT_MAX_RANK];
    struct walk walk = walk_start(result_type(call, 0));
    walk_strides(in, strides);
    for (uint32_t axis = 0; axis < in->rank; axis++) {
        walk.step[0][axis] = strides[axis] * steps[axis];
        walk.offset[0] += strides[axis] * begin[axis];
    }
    return collect(call, &walk);
}

/* ---- joining and splitting ---- */

/* A tensor as rows of parts, one part for each operand of concatenate or result of split. */
struct rows {
    int64_t count;  /* elements before the axis */
    size_t stride;  /* bytes of a row of the whole */
    int64_t before; /* axes before the axis */
};

static struct rows rows_of(const struct kernel_call *call, const struct weft_type *whole) {
    struct rows rows = {1, 0, weft_node_int(call->node, WEFT_ATTR_axis)};
    for (int64_t i = 0; i < rows.before; i++) {
        rows.count *= whole->dim[i];
    }
    rows.stride = rows.count == 0 ? 0 : weft_type_bytes(whole) / (size_t)rows.count;
    return rows;
}

static size_t part_bytes(const struct rows *rows, const struct weft_type *part) {
    return rows->count == 0 ? 0 : weft_type_bytes(part) / (size_t)rows->count;
}

bool kernel_concatenate(const struct kernel_call *call) {
    struct rows rows = rows_of(call, result_type(call, 0));
    char *to = call->results[0];
    for (uint32_t i = 0; i < call->node->input_count; i++) {
        size_t bytes = part_bytes(&rows, input_type(call, i));
        for (int64_t row = 0; row < rows.count; row++) {
            memcpy(to + (size_t)row * rows.stride,
                   (const char *)call->inputs[i] + (size_t)row * bytes, bytes);
        }
        to += bytes;
    }
    return true;
}

bool kernel_split(const struct kernel_call *call) {
    struct rows rows = rows_of(call, input_type(call, 0));
    const char *from = call->inputs[0];
    for (uint32_t i = 0; i < call->node->result_count; i++) {
        size_t bytes = part_bytes(&rows, result_type(call, i));
        for (int64_t row = 0; row < rows.count; row++) {
            memcpy((char *)call->results[i] + (size_t)row * bytes, from + (size_t)row * rows.stride,
                   bytes);
        }
        from += bytes;
    }
    return true;
}

/* One element of an operand in the result's steps. Source: TFLite's ConcatenationWithScaling(). */
static int32_t rescaled(const struct weft_type *in, const struct weft_type *out, int32_t value) {
    if (weft_quantization_equal(&in->quantization, &out->quantization)) {
        return value;
    }
    float scale = (float)weft_type_scale(in, 0) * (1.0F / (float)weft_type_scale(out, 0));
    float bias = (float)-weft_type_zero(in, 0) * scale;
    float rounded = roundf((float)value * scale + bias);
    return saturate(out, (int64_t)fmin(fmax((double)rounded, INT32_MIN), INT32_MAX));
}

bool kernel_qnn_concatenate(const struct kernel_call *call) {
    const struct weft_type *out = result_type(call, 0);
    struct rows rows = rows_of(call, out);
    size_t size = element_size(call);
    int64_t first = 0;
    for (uint32_t i = 0; i < call->node->input_count; i++) {
        const struct weft_type *in = input_type(call, i);
        int64_t part = (int64_t)(part_bytes(&rows, in) / size);
        for (int64_t k = 0; k < weft_type_elements(in); k++) {
            int64_t to = k / part * (int64_t)(rows.stride / size) + first + k % part;
            store_element(out->dtype, call->results[0], to,
                          rescaled(in, out, load_element(in->dtype, call->inputs[i], k)));
        }
        first += part;
    }
    return true;
}

/* ---- gather ---- */

/* A gather as loops: [batch][outer][index][inner]. */
struct gather {
    int64_t batch, outer, axis, indices, inner;
};

static struct gather gather_of(const struct kernel_call *call) {
    const struct weft_type *x = input_type(call, 0);
    const struct weft_type *indices = input_type(call, 1);
    int64_t axis = weft_node_int(call->node, WEFT_ATTR_axis);
    int64_t batch = weft_node_int(call->node, WEFT_ATTR_batch_dims);
    struct gather gather = {1, 1, x->dim[axis], 1, 1};
    for (uint32_t i = 0; i < x->rank; i++) {
        int64_t *loop = i < batch ? &gather.batch : i < axis ? &gather.outer : &gather.inner;
        *loop *= i == axis ? 1 : x->dim[i];
    }
    for (int64_t i = batch; i < indices->rank; i++) {
        gather.indices *= indices->dim[i];
    }
    return gather;
}

static bool check_indices(const struct kernel_call *call, const struct gather *gather) {
    const struct weft_type *indices = input_type(call, 1);
    for (int64_t i = 0; i < weft_type_elements(indices); i++) {
        int64_t index = load_integer(indices->dtype, call->inputs[1], i);
        if (index < 0 || index >= gather->axis) {
            return weft_fail(call->error, WEFT_TENSOR, (uint64_t)call->node->source,
                             "operator %d (gather): index %lld is outside an axis of %lld elements",
                             call->node->source, (long long)index, (long long)gather->axis);
        }
    }
    return true;
}

bool kernel_gather(const struct kernel_call *call) {
    struct gather gather = gather_of(call);
    const struct weft_type *indices = input_type(call, 1);
    size_t bytes = (size_t)gather.inner * element_size(call);
    char *to = call->results[0];
    if (!check_indices(call, &gather)) {
        return false;
    }
    for (int64_t i = 0; i < gather.batch * gather.outer; i++) {
        int64_t row = i / gather.outer * gather.indices;
        for (int64_t k = 0; k < gather.indices; k++, to += bytes) {
            int64_t index = load_integer(indices->dtype, call->inputs[1], row + k);
            memcpy(to, (const char *)call->inputs[0] + (size_t)(i * gather.axis + index) * bytes,
                   bytes);
        }
    }
    return true;
}
