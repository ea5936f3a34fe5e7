#include <stdbool.h>

#include "kernels/element.h"
#include "kernels/reduce.h"

/* An index is the better one when its element is larger, or smaller: ~x turns the order of
 * all integers round. */
static void find_first(const struct weft_argmax_parameters *parameters, bool smallest,
                       const void *input, void *output) {
    int64_t inner = parameters->inner;
    int64_t turn = smallest ? -1 : 0;
    for (int64_t i = 0; i < parameters->outer * inner; i++) {
        int64_t first = i / inner * parameters->axis * inner + i % inner;
        int64_t best = load_integer(parameters->input, input, first) ^ turn;
        int32_t index = 0;
        for (int32_t k = 1; k < parameters->axis; k++) {
            int64_t value = load_integer(parameters->input, input, first + k * inner) ^ turn;
            index = value > best ? k : index;
            best = value > best ? value : best;
        }
        store_integer(parameters->output, output, i, index);
    }
}

enum weft_kernel_status weft_kernel_argmax(const struct weft_argmax_parameters *parameters,
                                           const void *input, void *output) {
    find_first(parameters, false, input, output);
    return WEFT_KERNEL_OK;
}

enum weft_kernel_status weft_kernel_argmin(const struct weft_argmax_parameters *parameters,
                                           const void *input, void *output) {
    find_first(parameters, true, input, output);
    return WEFT_KERNEL_OK;
}
