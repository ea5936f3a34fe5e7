#include "kernels/reduce.h"

#include "base/integer.h"
#include "kernels/element.h"
#include "kernels/walk.h"

/* Brings every element into its result, which begins as `start` and is cut to the type. */
static enum weft_kernel_status fold(const struct weft_reduce_parameters *parameters,
                                    const void *input, void *output, int64_t start,
                                    int64_t (*function)(int64_t result, int64_t x)) {
    enum weft_dtype dtype = parameters->dtype;
    struct walk walk = walk_start(&parameters->input, parameters->step, NULL);
    int64_t count = shape_elements(&parameters->input);
    for (int32_t i = 0; i < parameters->results; i++) {
        store_integer(dtype, output, i, start);
    }
    for (int64_t i = 0; i < count; i++, walk_next(&walk)) {
        int64_t result = load_integer(dtype, output, walk.offset[0]);
        store_integer(dtype, output, walk.offset[0],
                      function(result, load_integer(dtype, input, i)));
    }
    return WEFT_KERNEL_OK;
}

static int64_t add(int64_t result, int64_t x) {
    return (int64_t)((uint64_t)result + (uint64_t)x);
}

static int64_t multiply(int64_t result, int64_t x) {
    return (int64_t)((uint64_t)result * (uint64_t)x);
}

enum weft_kernel_status weft_kernel_sum(const struct weft_reduce_parameters *parameters,
                                        const void *input, void *output) {
    return fold(parameters, input, output, 0, add);
}

enum weft_kernel_status weft_kernel_reduce_prod(const struct weft_reduce_parameters *parameters,
                                                const void *input, void *output) {
    return fold(parameters, input, output, 1, multiply);
}

enum weft_kernel_status weft_kernel_reduce_max(const struct weft_reduce_parameters *parameters,
                                               const void *input, void *output) {
    return fold(parameters, input, output, weft_dtype_min(parameters->dtype), weft_max);
}

enum weft_kernel_status weft_kernel_reduce_min(const struct weft_reduce_parameters *parameters,
                                               const void *input, void *output) {
    return fold(parameters, input, output, weft_dtype_max(parameters->dtype), weft_min);
}
