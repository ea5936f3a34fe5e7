#include "base/integer.h"
#include "kernels/convert.h"
#include "kernels/element.h"

enum weft_kernel_status weft_kernel_clip(const struct weft_clip_parameters *parameters,
                                         const void *input, void *output) {
    enum weft_dtype dtype = parameters->dtype;
    for (int32_t i = 0; i < parameters->count; i++) {
        int64_t value = load_integer(dtype, input, i);
        store_integer(dtype, output, i, weft_clamp(value, parameters->low, parameters->high));
    }
    return WEFT_KERNEL_OK;
}
