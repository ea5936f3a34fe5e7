#include "kernels/element.h"
#include "kernels/reduce.h"

enum weft_kernel_status weft_kernel_argmax(const struct weft_argmax_parameters *parameters,
                                           const void *input, void *output) {
    int64_t inner = parameters->inner;
    for (int64_t i = 0; i < parameters->outer * inner; i++) {
        int64_t first = i / inner * parameters->axis * inner + i % inner;
        int64_t best = load_integer(parameters->input, input, first);
        int32_t index = 0;
        for (int32_t k = 1; k < parameters->axis; k++) {
            int64_t value = load_integer(parameters->input, input, first + k * inner);
            index = value > best ? k : index;
            best = value > best ? value : best;
        }
        store_integer(parameters->output, output, i, index);
    }
    return WEFT_KERNEL_OK;
}
