#include "kernels/index.h"

#include "kernels/element.h"
#include "kernels/parts_at.h"

enum weft_kernel_status weft_kernel_gather_nd(const struct weft_parts_at_parameters *parameters,
                                              const void *input, const void *indices,
                                              void *output) {
    size_t bytes = (size_t)parameters->bytes;
    char *to = output;
    if (check_places(parameters, indices) != WEFT_KERNEL_OK) {
        return WEFT_KERNEL_INDEX;
    }
    for (int64_t i = 0; i < parameters->count; i++, to += bytes) {
        memcpy(to, (const char *)input + place_of(parameters, indices, i), bytes);
    }
    return WEFT_KERNEL_OK;
}

static int64_t sum_of(enum weft_dtype dtype, int64_t a, int64_t b) {
    return dtype == WEFT_BOOL ? a | b : (int64_t)((uint64_t)a + (uint64_t)b);
}

enum weft_kernel_status weft_kernel_scatter_nd(const struct weft_parts_at_parameters *parameters,
                                               const void *indices, const void *parts,
                                               void *output) {
    enum weft_dtype dtype = parameters->dtype;
    int64_t size = (int64_t)weft_dtype_bytes(dtype);
    int64_t length = parameters->bytes / size;
    if (check_places(parameters, indices) != WEFT_KERNEL_OK) {
        return WEFT_KERNEL_INDEX;
    }
    memset(output, 0, (size_t)parameters->whole);
    for (int64_t i = 0; i < parameters->count; i++) {
        int64_t place = place_of(parameters, indices, i) / size;
        for (int64_t k = 0; k < length; k++) {
            int64_t sum = sum_of(dtype, load_integer(dtype, output, place + k),
                                 load_integer(dtype, parts, i * length + k));
            store_integer(dtype, output, place + k, sum);
        }
    }
    return WEFT_KERNEL_OK;
}

enum weft_kernel_status weft_kernel_one_hot(const struct weft_one_hot_parameters *parameters,
                                            const void *indices, const void *on, const void *off,
                                            void *output) {
    int32_t bytes = parameters->bytes;
    int64_t inner = parameters->inner;
    char *to = output;
    for (int64_t outer = 0; outer < parameters->outer; outer++) {
        for (int32_t place = 0; place < parameters->depth; place++) {
            for (int64_t k = 0; k < inner; k++, to += bytes) {
                int64_t index = load_integer(parameters->index, indices, outer * inner + k);
                copy_element(to, (int32_t)index == place ? on : off, bytes);
            }
        }
    }
    return WEFT_KERNEL_OK;
}
