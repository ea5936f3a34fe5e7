/* Types of operators that choose elements, or place them: by position or by index. */
#include <string.h>

#include "base/checked.h"
#include "compiler/ir/inference.h"

/* Are `size` elements from `begin` in steps of `step` all inside an axis of `dim`? */
static bool slice_fits(int64_t begin, int64_t step, int64_t size, int64_t dim) {
    int64_t last = 0;
    return step != 0 && size >= 0 &&
           (size == 0 || (begin >= 0 && begin < dim && weft_mul_i64(size - 1, step, &last) &&
                          weft_add_i64(begin, last, &last) && last >= 0 && last < dim));
}

bool infer_strided_slice(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    const struct weft_attribute *begin = weft_node_attribute(inference->node, WEFT_ATTR_begin);
    const struct weft_attribute *steps = weft_node_attribute(inference->node, WEFT_ATTR_steps);
    const struct weft_attribute *sizes = weft_node_attribute(inference->node, WEFT_ATTR_sizes);
    if (begin->count != x->rank || steps->count != x->rank || sizes->count != x->rank) {
        return inference_wrong(inference,
                               "begin, steps and sizes must have a number for each axis");
    }
    inference->results[0] = *x;
    for (uint32_t i = 0; i < x->rank; i++) {
        bool whole = begin->ints[i] == 0 && steps->ints[i] == 1 && sizes->ints[i] == x->dim[i];
        if (!slice_fits(begin->ints[i], steps->ints[i], sizes->ints[i], x->dim[i]) ||
            (!whole && !inference_axis_is_free(x, i))) {
            return inference_wrong(inference, "the slice leaves the operand, has steps of 0 or "
                                              "cuts an axis with many scales");
        }
        inference->results[0].dim[i] = sizes->ints[i];
    }
    return true;
}

/* [x before axis, indices after the batch, x after axis] */
static bool gathered_shape(const struct inference *inference, uint32_t axis, uint32_t batch) {
    const struct weft_type *x = inference_input(inference, 0);
    const struct weft_type *indices = inference_input(inference, 1);
    struct weft_type type = *x;
    type.rank = x->rank - 1 + indices->rank - batch;
    if (type.rank > WEFT_MAX_RANK) {
        return inference_wrong(inference, "a tensor can not have more than 8 dimensions");
    }
    for (uint32_t i = batch; i < indices->rank; i++) {
        type.dim[axis + i - batch] = indices->dim[i];
    }
    for (uint32_t i = axis + 1; i < x->rank; i++) {
        type.dim[i - 1 + indices->rank - batch] = x->dim[i];
    }
    if (type.quantization.count > 1 && type.quantization.axis > axis) {
        type.quantization.axis += indices->rank - batch - 1;
    }
    inference->results[0] = type;
    return true;
}

bool infer_gather(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    const struct weft_type *indices = inference_input(inference, 1);
    int64_t batch = weft_node_int(inference->node, WEFT_ATTR_batch_dims);
    uint32_t axis = 0;
    if (!inference_axis(inference, x->rank, &axis)) {
        return false;
    }
    bool fits = batch >= 0 && batch <= axis && batch <= indices->rank;
    for (uint32_t i = 0; fits && i < batch; i++) {
        fits = x->dim[i] == indices->dim[i];
    }
    if (!fits || (indices->dtype != WEFT_I32 && indices->dtype != WEFT_I64)) {
        return inference_wrong_type(inference,
                                    "indices must be int32 or int64 and share batch_dims "
                                    "axes, before the axis, with the operand");
    }
    if (!inference_axis_is_free(x, axis)) {
        return inference_wrong_type(inference, "the operand must not be quantised along the axis");
    }
    return gathered_shape(inference, axis, (uint32_t)batch);
}

bool infer_resize(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    const int64_t *size = weft_node_ints(inference->node, WEFT_ATTR_size);
    int64_t corners = weft_node_int(inference->node, WEFT_ATTR_align_corners);
    int64_t centers = weft_node_int(inference->node, WEFT_ATTR_half_pixel_centers);
    if (x->rank != 4 || x->dim[1] < 1 || x->dim[2] < 1 || size[0] < 1 || size[1] < 1) {
        return inference_wrong(inference, "operand and result must have 4 dimensions, with rows "
                                          "and columns");
    }
    bool is_nearest = inference->node->op == WEFT_OP_RESIZE_NEAREST_NEIGHBOR;
    if (corners < 0 || corners > 1 || centers < 0 || centers > 1 ||
        (corners + centers > 1 && !is_nearest)) {
        return inference_wrong(inference, "align_corners and half_pixel_centers must be 0 or 1, "
                                          "and not both 1 for resize_bilinear");
    }
    inference->results[0] = *x;
    inference->results[0].dim[1] = size[0];
    inference->results[0].dim[2] = size[1];
    return true;
}

/* Is the text one of those? */
static bool is_one_of(const char *text, const char *const words[3]) {
    return strcmp(text, words[0]) == 0 || strcmp(text, words[1]) == 0 ||
           strcmp(text, words[2]) == 0;
}

bool infer_grid_sample(const struct inference *inference) {
    static const char *const modes[3] = {"linear", "nearest", "cubic"};
    static const char *const outsides[3] = {"zeros", "border", "reflection"};
    const struct weft_type *x = inference_input(inference, 0);
    const struct weft_type *grid = inference_input(inference, 1);
    int64_t corners = weft_node_int(inference->node, WEFT_ATTR_align_corners);
    if (x->dtype != WEFT_F32 || grid->dtype != WEFT_F32 || x->rank != 4 || grid->rank != 4 ||
        x->dim[0] != grid->dim[0] || x->dim[1] < 1 || x->dim[2] < 1 || grid->dim[3] != 2) {
        return inference_wrong_type(inference, "pictures must be float32 of 4 dimensions, with "
                                               "rows and columns, places two floats, for as many "
                                               "pictures");
    }
    if (!is_one_of(weft_node_text(inference->node, WEFT_ATTR_mode), modes) ||
        !is_one_of(weft_node_text(inference->node, WEFT_ATTR_outside), outsides) || corners < 0 ||
        corners > 1) {
        return inference_wrong(inference, "mode must be linear, nearest or cubic, outside zeros, "
                                          "border or reflection, align_corners 0 or 1");
    }
    inference->results[0] = *x;
    inference->results[0].dim[1] = grid->dim[1];
    inference->results[0].dim[2] = grid->dim[2];
    return true;
}

bool infer_interpolate_axis(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    const struct weft_attribute *elements =
        weft_node_attribute(inference->node, WEFT_ATTR_elements);
    const struct weft_attribute *fractions =
        weft_node_attribute(inference->node, WEFT_ATTR_fractions);
    uint32_t axis = 0;
    if (!inference_axis(inference, x->rank, &axis)) {
        return false;
    }
    if ((x->dtype != WEFT_F32 && x->dtype != WEFT_I8 && x->dtype != WEFT_U8) ||
        x->quantization.count > 1) {
        return inference_wrong_type(inference, "the operand must be float32, int8 or uint8, with "
                                               "at most one scale");
    }
    bool fits = elements->count == fractions->count && elements->count > 0;
    for (uint32_t i = 0; fits && i < elements->count; i++) {
        int64_t last = elements->ints[i] + (fractions->ints[i] > 0 ? 1 : 0);
        fits = elements->ints[i] >= 0 && last < x->dim[axis] && fractions->ints[i] >= 0 &&
               fractions->ints[i] < WEFT_WHOLE_FRACTION;
    }
    if (!fits) {
        return inference_wrong(inference, "elements and fractions must say as many places, all of "
                                          "them inside the axis");
    }
    inference->results[0] = *x;
    inference->results[0].dim[axis] = elements->count;
    return true;
}

/* ---- several indices for each part ---- */

static bool are_indices(const struct weft_type *type) {
    return type->rank >= 1 && (type->dtype == WEFT_I32 || type->dtype == WEFT_I64);
}

/* The shape [indices before their last axis, whole after as many axes as that axis has elements];
 * false when there are not as many. */
static bool parts_shape(const struct weft_type *whole, const struct weft_type *indices,
                        struct weft_type *parts) {
    int64_t depth = indices->dim[indices->rank - 1];
    if (depth < 0 || depth > whole->rank ||
        indices->rank - 1 + whole->rank - depth > WEFT_MAX_RANK) {
        return false;
    }
    parts->rank = 0;
    for (uint32_t i = 0; i + 1 < indices->rank; i++) {
        parts->dim[parts->rank++] = indices->dim[i];
    }
    for (uint32_t i = (uint32_t)depth; i < whole->rank; i++) {
        parts->dim[parts->rank++] = whole->dim[i];
    }
    return true;
}

bool infer_gather_nd(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    const struct weft_type *indices = inference_input(inference, 1);
    if (!are_indices(indices) || x->quantization.count > 1) {
        return inference_wrong_type(inference, "expected an operand of one scale, and indices that "
                                               "are int32 or int64 with a last axis");
    }
    inference->results[0] = *x;
    return parts_shape(x, indices, &inference->results[0]) ||
           inference_wrong(inference, "the last axis of the indices is longer than the operand has "
                                      "axes, or the result has more than 8 dimensions");
}

bool infer_scatter_nd(const struct inference *inference) {
    const struct weft_type *indices = inference_input(inference, 0);
    const struct weft_type *parts = inference_input(inference, 1);
    const struct weft_attribute *sizes = weft_node_attribute(inference->node, WEFT_ATTR_sizes);
    struct weft_type expected = {0};
    if (!are_indices(indices) || parts->quantization.count > 1) {
        return inference_wrong_type(inference, "expected indices that are int32 or int64 with a "
                                               "last axis, and parts of one scale");
    }
    inference->results[0] = *parts;
    if (sizes->count > WEFT_MAX_RANK) {
        return inference_wrong(inference, "a tensor can not have more than 8 dimensions");
    }
    inference->results[0].rank = sizes->count;
    for (uint32_t i = 0; i < sizes->count; i++) {
        inference->results[0].dim[i] = sizes->ints[i];
    }
    return (parts_shape(&inference->results[0], indices, &expected) &&
            weft_shape_equal(&expected, parts)) ||
           inference_wrong(inference, "the shape of the parts does not follow from indices and "
                                      "result");
}

bool infer_scatter(const struct inference *inference) {
    static const char *const reductions[] = {"none", "add", "mul", "min", "max"};
    const struct weft_type *x = inference_input(inference, 0);
    const struct weft_type *places = inference_input(inference, 1);
    const struct weft_type *elements = inference_input(inference, 2);
    const char *reduction = weft_node_text(inference->node, WEFT_ATTR_reduction);
    bool known = false;
    for (size_t i = 0; i < sizeof reductions / sizeof reductions[0]; i++) {
        known = known || strcmp(reduction, reductions[i]) == 0;
    }
    if (!known) {
        return inference_wrong(inference, "the reduction must be none, add, mul, min or max");
    }
    inference->results[0] = *x;
    return ((places->dtype == WEFT_I32 || places->dtype == WEFT_I64) &&
            x->dtype == elements->dtype && x->quantization.count <= 1 &&
            weft_shape_equal(places, elements)) ||
           inference_wrong_type(inference, "expected places that are int32 or int64, elements of "
                                           "the type of the operand, one for each place, and one "
                                           "scale");
}

bool infer_one_hot(const struct inference *inference) {
    const struct weft_type *indices = inference_input(inference, 0);
    const struct weft_type *on = inference_input(inference, 1);
    const struct weft_type *off = inference_input(inference, 2);
    int64_t depth = weft_node_int(inference->node, WEFT_ATTR_depth);
    uint32_t axis = 0;
    if ((indices->dtype != WEFT_I32 && indices->dtype != WEFT_I64) || !weft_type_equal(on, off) ||
        weft_type_elements(on) != 1 || on->quantization.count > 1) {
        return inference_wrong_type(inference, "expected int32 or int64 indices, and two elements "
                                               "of one type");
    }
    if (indices->rank + 1 > WEFT_MAX_RANK || depth < 0) {
        return inference_wrong(inference, "the depth must not be below 0, and the "
                                          "result must have at most 8 dimensions");
    }
    if (!inference_axis(inference, indices->rank + 1, &axis)) {
        return false;
    }
    inference->results[0] = inference_shaped(*on, indices);
    inference->results[0].rank = indices->rank + 1;
    for (uint32_t i = axis; i < indices->rank; i++) {
        inference->results[0].dim[i + 1] = indices->dim[i];
    }
    inference->results[0].dim[axis] = depth;
    return true;
}

bool infer_tile(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    const struct weft_attribute *multiples =
        weft_node_attribute(inference->node, WEFT_ATTR_multiples);
    inference->results[0] = *x;
    bool fits = multiples->count == x->rank && x->quantization.count <= 1;
    for (uint32_t i = 0; fits && i < x->rank; i++) {
        fits = multiples->ints[i] >= 0 &&
               weft_mul_i64(x->dim[i], multiples->ints[i], &inference->results[0].dim[i]);
    }
    return fits || inference_wrong(inference, "expected an operand of one scale, and for each axis "
                                              "how often it is repeated");
}
