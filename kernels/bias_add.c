#include "kernels/element.h"
#include "kernels/product.h"

enum weft_kernel_status weft_kernel_bias_add(const struct weft_bias_add_parameters *parameters,
                                             const void *input, const void *bias, void *output) {
    enum weft_dtype dtype = parameters->dtype;
    int64_t i = 0;
    for (int32_t row = 0; row < parameters->rows; row++) {
        for (int32_t c = 0; c < parameters->channels; c++, i++) {
            uint64_t sum =
                (uint64_t)load_integer(dtype, input, i) + (uint64_t)load_integer(dtype, bias, c);
            store_integer(dtype, output, i, (int64_t)sum);
        }
    }
    return WEFT_KERNEL_OK;
}
