#include "kernels/reduce.h"

#include "kernels/element.h"

/* The sums along the axis, whose elements are `inner` apart. */
static void add_line(const struct weft_cumsum_parameters *parameters, const void *input,
                     void *output, int64_t first) {
    uint64_t sum = 0;
    for (int32_t i = 0; i < parameters->axis; i++) {
        int32_t at = parameters->reverse != 0 ? parameters->axis - 1 - i : i;
        int64_t place = first + (int64_t)at * parameters->inner;
        uint64_t next = sum + (uint64_t)load_integer(parameters->dtype, input, place);
        store_integer(parameters->dtype, output, place,
                      (int64_t)(parameters->exclusive != 0 ? sum : next));
        sum = next;
    }
}

enum weft_kernel_status weft_kernel_cumsum(const struct weft_cumsum_parameters *parameters,
                                           const void *input, void *output) {
    int64_t inner = parameters->inner;
    for (int64_t line = 0; line < parameters->outer * inner; line++) {
        add_line(parameters, input, output, line / inner * parameters->axis * inner + line % inner);
    }
    return WEFT_KERNEL_OK;
}
