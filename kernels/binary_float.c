#include <math.h>
#include <stdbool.h>

#include "kernels/binary.h"
#include "kernels/limit_float.h"
#include "kernels/walk.h"

static enum weft_kernel_status apply(const struct weft_binary_parameters *parameters,
                                     const weft_unaligned_float *a, const weft_unaligned_float *b,
                                     float *output, float (*function)(float a, float b)) {
    struct walk walk = walk_operands(&parameters->broadcast);
    int64_t count = shape_elements(&parameters->broadcast.shape);
    for (int64_t i = 0; i < count; i++, walk_next(&walk)) {
        output[i] = function(a[walk.offset[0]], b[walk.offset[1]]);
    }
    return WEFT_KERNEL_OK;
}

static float add(float a, float b) {
    return limit_to_finite(a + b);
}

enum weft_kernel_status weft_kernel_add_float(const struct weft_binary_parameters *parameters,
                                              const weft_unaligned_float *a,
                                              const weft_unaligned_float *b, float *output) {
    return apply(parameters, a, b, output, add);
}

static float subtract(float a, float b) {
    return limit_to_finite(a - b);
}

enum weft_kernel_status weft_kernel_subtract_float(const struct weft_binary_parameters *parameters,
                                                   const weft_unaligned_float *a,
                                                   const weft_unaligned_float *b, float *output) {
    return apply(parameters, a, b, output, subtract);
}

static float multiply(float a, float b) {
    return limit_to_finite(a * b);
}

enum weft_kernel_status weft_kernel_mul_float(const struct weft_binary_parameters *parameters,
                                              const weft_unaligned_float *a,
                                              const weft_unaligned_float *b, float *output) {
    return apply(parameters, a, b, output, multiply);
}

/* The comparisons decide what an operand that is not a number gives. */
static float larger(float a, float b) {
    return a > b ? a : b;
}

enum weft_kernel_status weft_kernel_maximum_float(const struct weft_binary_parameters *parameters,
                                                  const weft_unaligned_float *a,
                                                  const weft_unaligned_float *b, float *output) {
    return apply(parameters, a, b, output, larger);
}

static float smaller(float a, float b) {
    return a < b ? a : b;
}

enum weft_kernel_status weft_kernel_minimum_float(const struct weft_binary_parameters *parameters,
                                                  const weft_unaligned_float *a,
                                                  const weft_unaligned_float *b, float *output) {
    return apply(parameters, a, b, output, smaller);
}

static float divide(float a, float b) {
    return limit_to_finite(a / b);
}

enum weft_kernel_status weft_kernel_divide_float(const struct weft_binary_parameters *parameters,
                                                 const weft_unaligned_float *a,
                                                 const weft_unaligned_float *b, float *output) {
    return apply(parameters, a, b, output, divide);
}

static float squared_difference(float a, float b) {
    return (a - b) * (a - b);
}

enum weft_kernel_status
weft_kernel_squared_difference_float(const struct weft_binary_parameters *parameters,
                                     const weft_unaligned_float *a, const weft_unaligned_float *b,
                                     float *output) {
    return apply(parameters, a, b, output, squared_difference);
}

static float prelu(float x, float alpha) {
    return x >= 0.0F ? x : x * alpha;
}

enum weft_kernel_status weft_kernel_prelu(const struct weft_binary_parameters *parameters,
                                          const weft_unaligned_float *a,
                                          const weft_unaligned_float *b, float *output) {
    return apply(parameters, a, b, output, prelu);
}

/* Powers of 2 up to the exponent are squares of one another, each limited. */
static float whole_power(float x, int32_t exponent) {
    float result = x;
    for (int bit = 30 - __builtin_clz((uint32_t)exponent); bit >= 0; bit--) {
        result = limit_to_finite(result * result);
        if ((exponent >> bit & 1) != 0) {
            result = limit_to_finite(x * result);
        }
    }
    return result;
}

/* Source: TFLite's BroadcastPow4D(). */
enum weft_kernel_status
weft_kernel_power_of_one_float(const struct weft_count_parameters *parameters,
                               const weft_unaligned_float *a, const weft_unaligned_float *b,
                               float *output) {
    float exponent = b[0];
    float rounded = roundf(exponent);
    bool whole =
        rounded >= 1.0F && rounded < 2147483648.0F && __builtin_fabsf(exponent - rounded) < 1e-5F;
    for (int32_t i = 0; i < parameters->count; i++) {
        output[i] = whole ? whole_power(a[i], (int32_t)rounded) : powf(a[i], exponent);
    }
    return WEFT_KERNEL_OK;
}

static float power(float a, float b) {
    return powf(a, b);
}

enum weft_kernel_status weft_kernel_power_float(const struct weft_binary_parameters *parameters,
                                                const weft_unaligned_float *a,
                                                const weft_unaligned_float *b, float *output) {
    return apply(parameters, a, b, output, power);
}

static float floor_modulo(float a, float b) {
    float rest = fmodf(a, b);
    return rest != 0.0F && (rest < 0.0F) != (b < 0.0F) ? rest + b : rest;
}

enum weft_kernel_status
weft_kernel_floor_modulo_float(const struct weft_binary_parameters *parameters,
                               const weft_unaligned_float *a, const weft_unaligned_float *b,
                               float *output) {
    return apply(parameters, a, b, output, floor_modulo);
}
