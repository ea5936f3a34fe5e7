/* One kernel for each operator; used in compiler/host alone. */
#ifndef WEFT_COMPILER_HOST_KERNELS_H
#define WEFT_COMPILER_HOST_KERNELS_H

#include "base/bytes.h"
#include "compiler/host/host.h"

struct kernel_call {
    const struct weft_node *node;
    const void *const *inputs;
    void *const *results;
    struct weft_error *error;
};

/* Element `index` of an integer tensor. Constants of a model file lie at any address. */
static inline int32_t load_element(enum weft_dtype dtype, const void *data, int64_t index) {
    const uint8_t *bytes = data;
    switch (dtype) {
    case WEFT_I8:
        return (int8_t)bytes[index];
    case WEFT_U8:
    case WEFT_BOOL:
        return bytes[index];
    case WEFT_I16:
        return (int16_t)(bytes[2 * index] | bytes[2 * index + 1] << 8);
    default:
        return weft_read_i32(bytes + 4 * index);
    }
}

static inline void store_element(enum weft_dtype dtype, void *data, int64_t index, int32_t value) {
    switch (dtype) {
    case WEFT_I8:
        ((int8_t *)data)[index] = (int8_t)value;
        break;
    case WEFT_U8:
    case WEFT_BOOL:
        ((uint8_t *)data)[index] = (uint8_t)value;
        break;
    case WEFT_I16:
        ((int16_t *)data)[index] = (int16_t)value;
        break;
    default:
        ((int32_t *)data)[index] = value;
        break;
    }
}

bool kernel_conv2d(const struct kernel_call *call);
bool kernel_dense(const struct kernel_call *call);
bool kernel_bias_add(const struct kernel_call *call);
bool kernel_requantize(const struct kernel_call *call);
bool kernel_clip(const struct kernel_call *call);
bool kernel_add(const struct kernel_call *call);
bool kernel_average_pool(const struct kernel_call *call);
bool kernel_maximum_pool(const struct kernel_call *call);
bool kernel_pad(const struct kernel_call *call);
bool kernel_reshape(const struct kernel_call *call);
bool kernel_softmax(const struct kernel_call *call);

/* Fails with WEFT_OPERATOR. */
bool kernel_unsupported(const struct kernel_call *call, const char *what);

#endif
