#include "kernels/parts_at.h"

enum weft_kernel_status
weft_kernel_scatter_nd_float(const struct weft_parts_at_parameters *parameters, const void *indices,
                             const weft_unaligned_float *parts, float *output) {
    int64_t length = parameters->bytes / (int64_t)sizeof(float);
    if (check_places(parameters, indices) != WEFT_KERNEL_OK) {
        return WEFT_KERNEL_INDEX;
    }
    memset(output, 0, (size_t)parameters->whole);
    for (int64_t i = 0; i < parameters->count; i++) {
        int64_t place = place_of(parameters, indices, i) / (int64_t)sizeof(float);
        for (int64_t k = 0; k < length; k++) {
            output[place + k] += parts[i * length + k];
        }
    }
    return WEFT_KERNEL_OK;
}
