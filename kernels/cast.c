#include "kernels/convert.h"
#include "kernels/element.h"

enum weft_kernel_status weft_kernel_cast(const struct weft_cast_parameters *parameters,
                                         const void *input, void *output) {
    for (int32_t i = 0; i < parameters->count; i++) {
        int64_t value = load_integer(parameters->input, input, i);
        store_integer(parameters->output, output, i,
                      parameters->output == WEFT_BOOL ? value != 0 : value);
    }
    return WEFT_KERNEL_OK;
}
