#include "kernels/binary.h"

#include "base/integer.h"
#include "kernels/element.h"
#include "kernels/walk.h"

/* Applies a function to all pairs of elements; the result is cut to the type. */
static enum weft_kernel_status apply(const struct weft_binary_parameters *parameters, const void *a,
                                     const void *b, void *output,
                                     int64_t (*function)(int64_t a, int64_t b)) {
    const struct weft_broadcast *broadcast = &parameters->broadcast;
    struct walk walk = walk_start(&broadcast->shape, broadcast->step[0], broadcast->step[1]);
    int64_t count = shape_elements(&broadcast->shape);
    for (int64_t i = 0; i < count; i++, walk_next(&walk)) {
        int64_t x = load_integer(parameters->dtype, a, walk.offset[0]);
        int64_t y = load_integer(parameters->dtype, b, walk.offset[1]);
        store_integer(parameters->dtype, output, i, function(x, y));
    }
    return WEFT_KERNEL_OK;
}

static int64_t add(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

enum weft_kernel_status weft_kernel_add(const struct weft_binary_parameters *parameters,
                                        const void *a, const void *b, void *output) {
    return apply(parameters, a, b, output, add);
}

static int64_t subtract(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

enum weft_kernel_status weft_kernel_subtract(const struct weft_binary_parameters *parameters,
                                             const void *a, const void *b, void *output) {
    return apply(parameters, a, b, output, subtract);
}

static int64_t multiply(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

enum weft_kernel_status weft_kernel_mul(const struct weft_binary_parameters *parameters,
                                        const void *a, const void *b, void *output) {
    return apply(parameters, a, b, output, multiply);
}

enum weft_kernel_status weft_kernel_maximum(const struct weft_binary_parameters *parameters,
                                            const void *a, const void *b, void *output) {
    return apply(parameters, a, b, output, weft_max);
}

enum weft_kernel_status weft_kernel_minimum(const struct weft_binary_parameters *parameters,
                                            const void *a, const void *b, void *output) {
    return apply(parameters, a, b, output, weft_min);
}

static int64_t squared_difference(int64_t a, int64_t b) {
    return multiply(subtract(a, b), subtract(a, b));
}

enum weft_kernel_status
weft_kernel_squared_difference(const struct weft_binary_parameters *parameters, const void *a,
                               const void *b, void *output) {
    return apply(parameters, a, b, output, squared_difference);
}
