#include "compiler/host/bind.h"

#include <string.h>

#include "base/memory.h"
#include "base/multiplier.h"

_Static_assert((int)WEFT_KERNEL_RANK == (int)WEFT_MAX_RANK, "kernels take what the graph has");

void *bind_kernel(const struct bind *bind, enum weft_kernel kernel, size_t tail) {
    size_t size = weft_kernels[kernel].parameter_size + tail;
    void *parameters = weft_allocate(size, 1, "parameters of a kernel", bind->error);
    if (parameters != NULL) {
        *bind->binding = (struct weft_host_binding){kernel, size, parameters};
    }
    return parameters;
}

bool bind_unsupported(const struct bind *bind, const char *what) {
    (void)weft_fail(bind->error, WEFT_OPERATOR, 0, "on the host: %s", what);
    weft_node_error_prefix(bind->node, bind->error);
    return false;
}

void bind_ints(const struct bind *bind, enum weft_attribute_key key, int count, int32_t *ints) {
    const int64_t *values = weft_node_ints(bind->node, key);
    for (int i = 0; i < count; i++) {
        ints[i] = (int32_t)values[i];
    }
}

void bind_dims(const struct weft_type *type, int count, int32_t *dims) {
    for (int i = 0; i < count; i++) {
        dims[i] = (int32_t)type->dim[i];
    }
}

void bind_zeros(const struct weft_type *type, int32_t *zeros) {
    memcpy(zeros, type->quantization.zero, type->quantization.count * sizeof *zeros);
}

struct weft_factor bind_factor(double scale) {
    int32_t multiplier = 0;
    int shift = 0;
    weft_quantize_multiplier(scale, &multiplier, &shift);
    return (struct weft_factor){multiplier, shift > 31 ? 31 : shift};
}

/* ---- walks ---- */

void bind_strides(const struct weft_type *type, int64_t strides[WEFT_KERNEL_RANK]) {
    int64_t stride = 1;
    for (uint32_t axis = type->rank; axis-- > 0;) {
        strides[axis] = stride;
        stride *= type->dim[axis];
    }
}

void bind_broadcast_steps(const struct weft_type *operand, uint32_t rank,
                          int64_t steps[WEFT_KERNEL_RANK]) {
    int64_t strides[WEFT_KERNEL_RANK];
    bind_strides(operand, strides);
    for (uint32_t axis = 0; axis < operand->rank; axis++) {
        steps[rank - operand->rank + axis] = operand->dim[axis] == 1 ? 0 : strides[axis];
    }
}

struct weft_shape bind_walk(const struct weft_type *type, int64_t first[WEFT_KERNEL_RANK],
                            int64_t second[WEFT_KERNEL_RANK]) {
    struct weft_shape shape = {0};
    if (weft_type_elements(type) == 0) {
        return (struct weft_shape){.rank = 1};
    }
    for (uint32_t axis = 0; axis < type->rank; axis++) {
        int32_t dim = (int32_t)type->dim[axis];
        int32_t last = shape.rank - 1;
        if (dim == 1) {
            continue;
        }
        bool joined = last >= 0 && first[last] == first[axis] * dim &&
                      (second == NULL || second[last] == second[axis] * dim);
        int32_t to = joined ? last : shape.rank++;
        shape.dim[to] = joined ? shape.dim[to] * dim : dim;
        first[to] = first[axis];
        if (second != NULL) {
            second[to] = second[axis];
        }
    }
    return shape;
}
