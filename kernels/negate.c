#include "kernels/activation.h"
#include "kernels/element.h"

static int64_t negative(int64_t x) {
    return (int64_t)(0 - (uint64_t)x);
}

enum weft_kernel_status weft_kernel_abs(const struct weft_elements_parameters *parameters,
                                        const void *input, void *output) {
    for (int32_t i = 0; i < parameters->count; i++) {
        int64_t x = load_integer(parameters->dtype, input, i);
        store_integer(parameters->dtype, output, i, x < 0 ? negative(x) : x);
    }
    return WEFT_KERNEL_OK;
}

enum weft_kernel_status weft_kernel_negate(const struct weft_elements_parameters *parameters,
                                           const void *input, void *output) {
    for (int32_t i = 0; i < parameters->count; i++) {
        int64_t x = load_integer(parameters->dtype, input, i);
        store_integer(parameters->dtype, output, i, negative(x));
    }
    return WEFT_KERNEL_OK;
}

enum weft_kernel_status weft_kernel_sign(const struct weft_elements_parameters *parameters,
                                         const void *input, void *output) {
    for (int32_t i = 0; i < parameters->count; i++) {
        int64_t x = load_integer(parameters->dtype, input, i);
        store_integer(parameters->dtype, output, i, (x > 0) - (x < 0));
    }
    return WEFT_KERNEL_OK;
}
