/* Operators that find elements by indices, and indices of elements. */
#include <string.h>

#include "compiler/host/bind.h"
#include "kernels/index.h"

/* ---- parts at several indices ---- */

static bool bind_parts_at(const struct bind *bind, enum weft_kernel kernel,
                          const struct weft_type *whole, const struct weft_type *indices) {
    int64_t strides[WEFT_KERNEL_RANK];
    int64_t size = (int64_t)weft_dtype_bytes(whole->dtype);
    int32_t depth = (int32_t)indices->dim[indices->rank - 1];
    struct weft_parts_at_parameters *parameters = bind_kernel(bind, kernel, 0);
    if (parameters == NULL) {
        return false;
    }
    bind_strides(whole, strides);
    parameters->bytes = size;
    for (int32_t i = 0; i < (int32_t)whole->rank; i++) {
        parameters->step[i] = strides[i] * size;
        parameters->dim[i] = (int32_t)whole->dim[i];
        parameters->bytes *= i < depth ? 1 : whole->dim[i];
    }
    parameters->index = indices->dtype;
    parameters->dtype = whole->dtype;
    parameters->depth = depth;
    parameters->count = 1;
    for (uint32_t i = 0; i + 1 < indices->rank; i++) {
        parameters->count *= (int32_t)indices->dim[i];
    }
    parameters->whole = (int64_t)weft_type_bytes(whole);
    return true;
}

bool bind_gather_nd(const struct bind *bind) {
    return bind_parts_at(bind, WEFT_KERNEL_gather_nd, bind_input(bind, 0), bind_input(bind, 1));
}

bool bind_scatter_nd(const struct bind *bind) {
    const struct weft_type *out = bind_result(bind, 0);
    return bind_parts_at(
        bind, out->dtype == WEFT_F32 ? WEFT_KERNEL_scatter_nd_float : WEFT_KERNEL_scatter_nd, out,
        bind_input(bind, 0));
}

/* ---- and back ---- */

bool bind_one_hot(const struct bind *bind) {
    const struct weft_type *indices = bind_input(bind, 0);
    const struct weft_type *out = bind_result(bind, 0);
    int32_t axis = bind_int(bind, WEFT_ATTR_axis);
    struct weft_one_hot_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_one_hot, 0);
    if (parameters == NULL) {
        return false;
    }
    parameters->outer = 1;
    parameters->inner = 1;
    for (int32_t i = 0; i < (int32_t)indices->rank; i++) {
        *(i < axis ? &parameters->outer : &parameters->inner) *= (int32_t)indices->dim[i];
    }
    parameters->depth = bind_int(bind, WEFT_ATTR_depth);
    parameters->bytes = (int32_t)weft_dtype_bytes(out->dtype);
    parameters->index = indices->dtype;
    return true;
}

bool bind_scatter(const struct bind *bind) {
    static const char *const names[] = {[WEFT_SCATTER_NONE] = "none",
                                        [WEFT_SCATTER_ADD] = "add",
                                        [WEFT_SCATTER_MUL] = "mul",
                                        [WEFT_SCATTER_MIN] = "min",
                                        [WEFT_SCATTER_MAX] = "max"};
    const struct weft_type *out = bind_result(bind, 0);
    const char *name = weft_node_text(bind->node, WEFT_ATTR_reduction);
    struct weft_scatter_parameters *parameters = bind_kernel(
        bind, out->dtype == WEFT_F32 ? WEFT_KERNEL_scatter_float : WEFT_KERNEL_scatter, 0);
    uint32_t reduction = 0; /* the graph has no others */
    if (parameters == NULL) {
        return false;
    }
    while (strcmp(names[reduction], name) != 0) {
        reduction++;
    }
    *parameters = (struct weft_scatter_parameters){.size = bind_count(out),
                                                   .count = bind_count(bind_input(bind, 1)),
                                                   .dtype = out->dtype,
                                                   .index = bind_input(bind, 1)->dtype,
                                                   .reduction = (enum weft_reduction)reduction};
    return true;
}

bool bind_topk(const struct bind *bind) {
    const struct weft_type *in = bind_input(bind, 0);
    struct weft_topk_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_topk, 0);
    if (parameters == NULL) {
        return false;
    }
    parameters->length = (int32_t)in->dim[in->rank - 1];
    parameters->rows = parameters->length == 0 ? 0 : bind_count(in) / parameters->length;
    parameters->depth = bind_int(bind, WEFT_ATTR_depth);
    parameters->dtype = in->dtype;
    parameters->index = bind_result(bind, 1)->dtype;
    return true;
}
