/* Reductions over axes. */
#include <stdlib.h>

#include "base/fixed_point.h"
#include "base/integer.h"
#include "base/memory.h"
#include "compiler/host/kernels.h"

/* Walks the operand; offset[0] is the place in the result. */
static struct walk walk_reduced(const struct kernel_call *call) {
    const struct weft_type *in = input_type(call, 0);
    const struct weft_attribute *axes = weft_node_attribute(call->node, WEFT_ATTR_axes);
    struct walk walk = walk_start(in);
    bool reduced[WEFT_MAX_RANK] = {false};
    int64_t stride = 1;
    for (uint32_t i = 0; i < axes->count; i++) {
        reduced[axes->ints[i]] = true;
    }
    for (uint32_t axis = in->rank; axis-- > 0;) {
        walk.step[0][axis] = reduced[axis] ? 0 : stride;
        stride *= reduced[axis] ? 1 : in->dim[axis];
    }
    return walk;
}

/* How many elements give one of the result. */
static int64_t reduced_count(const struct kernel_call *call) {
    int64_t results = weft_type_elements(result_type(call, 0));
    return results == 0 ? 0 : weft_type_elements(input_type(call, 0)) / results;
}

/* Sums of integers, which wrap, for each element of the result; freed by the caller. */
static uint64_t *integer_sums(const struct kernel_call *call) {
    const struct weft_type *in = input_type(call, 0);
    uint64_t *sums = weft_allocate((size_t)weft_type_elements(result_type(call, 0)), sizeof *sums,
                                   "sums", call->error);
    struct walk walk = walk_reduced(call);
    for (int64_t i = 0; sums != NULL && i < weft_type_elements(in); i++, walk_next(&walk)) {
        sums[walk.offset[0]] += (uint64_t)load_integer(in->dtype, call->inputs[0], i);
    }
    return sums;
}

/* ---- means ---- */

bool kernel_qnn_mean(const struct kernel_call *call) {
    const struct weft_type *in = input_type(call, 0);
    const struct weft_type *out = result_type(call, 0);
    int64_t n = reduced_count(call);
    uint64_t *sums = n == 0 ? NULL : integer_sums(call);
    if (sums == NULL) {
        return n == 0;
    }
    struct factor factor;
    weft_mean_multiplier(weft_type_scale(in, 0) / weft_type_scale(out, 0), n, &factor.multiplier,
                         &factor.shift);
    for (int64_t i = 0; i < weft_type_elements(out); i++) {
        uint32_t sum = (uint32_t)(sums[i] - (uint64_t)(weft_type_zero(in, 0) * n));
        store_element(out->dtype, call->results[0], i,
                      saturate(out, scale_by((int32_t)sum, factor)));
    }
    free(sums);
    return true;
}

static bool mean_of_floats(const struct kernel_call *call) {
    struct walk walk = walk_reduced(call);
    float *result = call->results[0];
    int64_t results = weft_type_elements(result_type(call, 0));
    memset(result, 0, weft_type_bytes(result_type(call, 0)));
    for (int64_t i = 0; i < weft_type_elements(input_type(call, 0)); i++, walk_next(&walk)) {
        result[walk.offset[0]] += load_float(call->inputs[0], i);
    }
    for (int64_t i = 0; i < results; i++) {
        result[i] /= (float)reduced_count(call);
    }
    return true;
}

bool kernel_mean(const struct kernel_call *call) {
    const struct weft_type *out = result_type(call, 0);
    int64_t n = reduced_count(call);
    if (out->dtype == WEFT_F32 || n == 0) {
        return n == 0 || mean_of_floats(call);
    }
    uint64_t *sums = integer_sums(call);
    for (int64_t i = 0; sums != NULL && i < weft_type_elements(out); i++) {
        store_integer(out->dtype, call->results[0], i, (int64_t)sums[i] / n);
    }
    free(sums);
    return sums != NULL;
}

/* ---- the largest ---- */

/* Is element `i` of a larger than element `k` of b? */
static bool is_larger(enum weft_dtype dtype, const void *a, int64_t i, const void *b, int64_t k) {
    return dtype == WEFT_F32 ? load_float(a, i) > load_float(b, k)
                             : load_integer(dtype, a, i) > load_integer(dtype, b, k);
}

static void store_smallest(enum weft_dtype dtype, void *result, int64_t index) {
    if (dtype == WEFT_F32) {
        store_float(result, index, -3.402823466e+38F);
    } else {
        store_integer(dtype, result, index, weft_dtype_min(dtype));
    }
}

bool kernel_reduce_max(const struct kernel_call *call) {
    const struct weft_type *in = input_type(call, 0);
    size_t size = weft_dtype_bytes(in->dtype);
    struct walk walk = walk_reduced(call);
    for (int64_t i = 0; i < weft_type_elements(result_type(call, 0)); i++) {
        store_smallest(in->dtype, call->results[0], i);
    }
    for (int64_t i = 0; i < weft_type_elements(in); i++, walk_next(&walk)) {
        if (is_larger(in->dtype, call->inputs[0], i, call->results[0], walk.offset[0])) {
            copy_element(size, call->results[0], walk.offset[0], call->inputs[0], i);
        }
    }
    return true;
}

/* The first of the largest along one axis; `first` is the element at its start. */
static int64_t largest_along(const struct kernel_call *call, int64_t first, int64_t step,
                             int64_t count) {
    const struct weft_type *in = input_type(call, 0);
    int64_t best = 0;
    for (int64_t i = 1; i < count; i++) {
        if (is_larger(in->dtype, call->inputs[0], first + i * step, call->inputs[0],
                      first + best * step)) {
            best = i;
        }
    }
    return best;
}

bool kernel_argmax(const struct kernel_call *call) {
    const struct weft_type *in = input_type(call, 0);
    const struct weft_type *out = result_type(call, 0);
    int64_t axis = weft_node_int(call->node, WEFT_ATTR_axis);
    int64_t count = in->dim[axis];
    int64_t strides[WEFT_MAX_RANK];
    walk_strides(in, strides);
    for (int64_t i = 0; i < weft_type_elements(out); i++) {
        int64_t first = i / strides[axis] * strides[axis] * count + i % strides[axis];
        store_integer(out->dtype, call->results[0], i,
                      largest_along(call, first, strides[axis], count));
    }
    return true;
}
