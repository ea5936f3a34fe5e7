/* Functions of two integers. */
#include <stdbool.h>

#include "base/integer.h"
#include "kernels/binary.h"
#include "kernels/element.h"
#include "kernels/walk.h"

/* Applies a function to all pairs of elements; the result is cut to the type. `is_defined` tells by
 * the second operand. */
static enum weft_kernel_status apply_where(const struct weft_binary_parameters *parameters,
                                           const void *a, const void *b, void *output,
                                           bool (*is_defined)(int64_t b),
                                           int64_t (*function)(int64_t a, int64_t b)) {
    struct walk walk = walk_operands(&parameters->broadcast);
    int64_t count = shape_elements(&parameters->broadcast.shape);
    for (int64_t i = 0; i < count; i++, walk_next(&walk)) {
        int64_t x = load_integer(parameters->dtype, a, walk.offset[0]);
        int64_t y = load_integer(parameters->dtype, b, walk.offset[1]);
        if (!is_defined(y)) {
            return WEFT_KERNEL_UNDEFINED;
        }
        store_integer(parameters->dtype, output, i, function(x, y));
    }
    return WEFT_KERNEL_OK;
}

/* ---- functions of all pairs ---- */

static bool is_any(int64_t b) {
    (void)b;
    return true;
}

static enum weft_kernel_status apply(const struct weft_binary_parameters *parameters, const void *a,
                                     const void *b, void *output,
                                     int64_t (*function)(int64_t a, int64_t b)) {
    return apply_where(parameters, a, b, output, is_any, function);
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

/* ---- functions that not all pairs have ---- */

static bool is_divisor(int64_t b) {
    return b != 0;
}

/* A divisor of -1 is the one whose quotient may not fit: it wraps. */
static int64_t divide(int64_t a, int64_t b) {
    return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

enum weft_kernel_status weft_kernel_divide(const struct weft_binary_parameters *parameters,
                                           const void *a, const void *b, void *output) {
    return apply_where(parameters, a, b, output, is_divisor, divide);
}

static int64_t floor_modulo(int64_t a, int64_t b) {
    int64_t rest = b == -1 ? 0 : a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

enum weft_kernel_status weft_kernel_floor_modulo(const struct weft_binary_parameters *parameters,
                                                 const void *a, const void *b, void *output) {
    return apply_where(parameters, a, b, output, is_divisor, floor_modulo);
}

static int64_t floor_divide(int64_t a, int64_t b) {
    bool above = b != -1 && a % b != 0 && (a < 0) != (b < 0);
    return divide(a, b) - (above ? 1 : 0);
}

enum weft_kernel_status weft_kernel_floor_divide(const struct weft_binary_parameters *parameters,
                                                 const void *a, const void *b, void *output) {
    return apply_where(parameters, a, b, output, is_divisor, floor_divide);
}

static bool is_exponent(int64_t b) {
    return b >= 0;
}

static int64_t power(int64_t a, int64_t b) {
    uint64_t result = 1;
    uint64_t square = (uint64_t)a;
    for (; b != 0; b >>= 1, square *= square) {
        result *= (b & 1) != 0 ? square : 1;
    }
    return (int64_t)result;
}

enum weft_kernel_status weft_kernel_power(const struct weft_binary_parameters *parameters,
                                          const void *a, const void *b, void *output) {
    return apply_where(parameters, a, b, output, is_exponent, power);
}
