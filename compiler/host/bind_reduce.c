/* Windows and reductions. */
#include "base/multiplier.h"
#include "compiler/host/bind.h"
#include "kernels/pool.h"
#include "kernels/reduce.h"

/* ---- pools ---- */

static bool bind_pool(const struct bind *bind, enum weft_kernel of_integers,
                      enum weft_kernel of_floats) {
    enum weft_dtype dtype = bind_input(bind, 0)->dtype;
    if (dtype != WEFT_F32 && dtype != WEFT_I8 && dtype != WEFT_U8 && dtype != WEFT_I16) {
        return bind_unsupported(bind, "only float, 8-bit and 16-bit tensors");
    }
    struct weft_pool_parameters *parameters =
        bind_kernel(bind, dtype == WEFT_F32 ? of_floats : of_integers, 0);
    if (parameters == NULL) {
        return false;
    }
    parameters->dtype = dtype;
    bind_dims(bind_input(bind, 0), 4, parameters->input);
    bind_dims(bind_result(bind, 0), 4, parameters->output);
    bind_ints(bind, WEFT_ATTR_kernel, 2, parameters->kernel);
    bind_ints(bind, WEFT_ATTR_strides, 2, parameters->stride);
    bind_ints(bind, WEFT_ATTR_padding, 2, parameters->padding);
    return true;
}

bool bind_avg_pool2d(const struct bind *bind) {
    return bind_pool(bind, WEFT_KERNEL_avg_pool2d, WEFT_KERNEL_avg_pool2d_float);
}

bool bind_max_pool2d(const struct bind *bind) {
    return bind_pool(bind, WEFT_KERNEL_max_pool2d, WEFT_KERNEL_max_pool2d_float);
}

/* ---- reductions ---- */

static void fill_reduction(const struct bind *bind, struct weft_reduce_parameters *reduce) {
    const struct weft_type *in = bind_input(bind, 0);
    const struct weft_attribute *axes = weft_node_attribute(bind->node, WEFT_ATTR_axes);
    bool reduced[WEFT_KERNEL_RANK] = {false};
    int64_t stride = 1;
    for (uint32_t i = 0; i < axes->count; i++) {
        reduced[axes->ints[i]] = true;
    }
    for (uint32_t axis = in->rank; axis-- > 0;) {
        reduce->step[axis] = reduced[axis] ? 0 : stride;
        stride *= reduced[axis] ? 1 : in->dim[axis];
    }
    reduce->input = bind_walk(in, reduce->step, NULL);
    reduce->dtype = in->dtype;
    reduce->results = bind_count(bind_result(bind, 0));
    reduce->count = reduce->results == 0 ? 1 : bind_count(in) / reduce->results;
    reduce->whole = axes->count == in->rank;
}

bool bind_qnn_mean(const struct bind *bind) {
    struct weft_qnn_mean_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_qnn_mean, 0);
    if (parameters == NULL) {
        return false;
    }
    const struct weft_type *in = bind_input(bind, 0);
    const struct weft_type *out = bind_result(bind, 0);
    int shift = 0;
    fill_reduction(bind, &parameters->reduce);
    weft_mean_multiplier(weft_type_scale(in, 0) / weft_type_scale(out, 0), parameters->reduce.count,
                         &parameters->factor.multiplier, &shift);
    parameters->factor.shift = shift;
    parameters->input_zero = weft_type_zero(in, 0);
    parameters->output_zero = weft_type_zero(out, 0);
    return true;
}

bool bind_qnn_sum(const struct bind *bind) {
    struct weft_qnn_mean_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_qnn_mean, 0);
    if (parameters == NULL) {
        return false;
    }
    const struct weft_type *in = bind_input(bind, 0);
    const struct weft_type *out = bind_result(bind, 0);
    float scale = (float)weft_type_scale(in, 0) / (float)weft_type_scale(out, 0);
    fill_reduction(bind, &parameters->reduce);
    parameters->factor = bind_factor((double)scale);
    parameters->input_zero = weft_type_zero(in, 0);
    parameters->output_zero = weft_type_zero(out, 0);
    return true;
}

static bool bind_reduction(const struct bind *bind, enum weft_kernel of_integers,
                           enum weft_kernel of_floats) {
    bool floats = bind_input(bind, 0)->dtype == WEFT_F32;
    struct weft_reduce_parameters *parameters =
        bind_kernel(bind, floats ? of_floats : of_integers, 0);
    if (parameters == NULL) {
        return false;
    }
    fill_reduction(bind, parameters);
    return true;
}

bool bind_mean(const struct bind *bind) {
    return bind_reduction(bind, WEFT_KERNEL_mean, WEFT_KERNEL_mean_float);
}

bool bind_reduce_max(const struct bind *bind) {
    return bind_reduction(bind, WEFT_KERNEL_reduce_max, WEFT_KERNEL_reduce_max_float);
}

bool bind_reduce_min(const struct bind *bind) {
    return bind_reduction(bind, WEFT_KERNEL_reduce_min, WEFT_KERNEL_reduce_min_float);
}

bool bind_reduce_prod(const struct bind *bind) {
    return bind_reduction(bind, WEFT_KERNEL_reduce_prod, WEFT_KERNEL_reduce_prod_float);
}

bool bind_sum(const struct bind *bind) {
    return bind_reduction(bind, WEFT_KERNEL_sum, WEFT_KERNEL_sum_float);
}

bool bind_cumsum(const struct bind *bind) {
    const struct weft_type *in = bind_input(bind, 0);
    uint32_t axis = (uint32_t)bind_int(bind, WEFT_ATTR_axis);
    bool floats = in->dtype == WEFT_F32;
    struct weft_cumsum_parameters *parameters =
        bind_kernel(bind, floats ? WEFT_KERNEL_cumsum_float : WEFT_KERNEL_cumsum, 0);
    if (parameters == NULL) {
        return false;
    }
    int64_t strides[WEFT_KERNEL_RANK];
    bind_strides(in, strides);
    parameters->dtype = in->dtype;
    parameters->axis = (int32_t)in->dim[axis];
    parameters->inner = (int32_t)strides[axis];
    parameters->outer =
        bind_count(in) == 0 ? 0 : bind_count(in) / parameters->axis / parameters->inner;
    parameters->exclusive = bind_int(bind, WEFT_ATTR_exclusive);
    parameters->reverse = bind_int(bind, WEFT_ATTR_reverse);
    return true;
}

static bool bind_first(const struct bind *bind, enum weft_kernel of_integers,
                       enum weft_kernel of_floats) {
    const struct weft_type *in = bind_input(bind, 0);
    bool floats = in->dtype == WEFT_F32;
    uint32_t axis = (uint32_t)bind_int(bind, WEFT_ATTR_axis);
    struct weft_argmax_parameters *parameters =
        bind_kernel(bind, floats ? of_floats : of_integers, 0);
    if (parameters == NULL) {
        return false;
    }
    int64_t strides[WEFT_KERNEL_RANK];
    bind_strides(in, strides);
    parameters->input = in->dtype;
    parameters->output = bind_result(bind, 0)->dtype;
    parameters->axis = (int32_t)in->dim[axis];
    parameters->inner = (int32_t)strides[axis];
    parameters->outer =
        parameters->inner == 0 ? 0 : bind_count(bind_result(bind, 0)) / parameters->inner;
    return true;
}

bool bind_argmax(const struct bind *bind) {
    return bind_first(bind, WEFT_KERNEL_argmax, WEFT_KERNEL_argmax_float);
}

bool bind_argmin(const struct bind *bind) {
    return bind_first(bind, WEFT_KERNEL_argmin, WEFT_KERNEL_argmin_float);
}
