#include "kernels/activation.h"

enum weft_kernel_status weft_kernel_table(const struct weft_table_parameters *parameters,
                                          const uint8_t *input, uint8_t *output) {
    for (int32_t i = 0; i < parameters->count; i++) {
        output[i] = parameters->table[input[i]];
    }
    return WEFT_KERNEL_OK;
}
