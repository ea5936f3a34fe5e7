#include <math.h>
#include <stdbool.h>

#include "kernels/binary.h"
#include "kernels/limit_float.h"
#include "kernels/lines.h"

/* One line; an operand's step is 1, or 0 where it is repeated, nearly always. */
ALWAYS_INLINE void apply_line(const struct lines *lines, const weft_unaligned_float *a,
                              const weft_unaligned_float *b, float *output,
                              float (*function)(float a, float b)) {
    if (lines->step[0] == 1 && lines->step[1] == 1) {
        for (int64_t i = 0; i < lines->length; i++) {
            output[i] = function(a[i], b[i]);
        }
    } else if (lines->step[0] == 1 && lines->step[1] == 0) {
        const float second = *b;
        for (int64_t i = 0; i < lines->length; i++) {
            output[i] = function(a[i], second);
        }
    } else if (lines->step[0] == 0 && lines->step[1] == 1) {
        const float first = *a;
        for (int64_t i = 0; i < lines->length; i++) {
            output[i] = function(first, b[i]);
        }
    } else {
        for (int64_t i = 0; i < lines->length; i++) {
            output[i] = function(a[i * lines->step[0]], b[i * lines->step[1]]);
        }
    }
}

ALWAYS_INLINE enum weft_kernel_status apply(const struct weft_binary_parameters *parameters,
                                            const weft_unaligned_float *a,
                                            const weft_unaligned_float *b, float *output,
                                            float (*function)(float a, float b)) {
    const struct weft_broadcast *broadcast = &parameters->broadcast;
    struct lines lines = lines_of(&broadcast->shape, broadcast->step[0], broadcast->step[1]);
    for (int64_t i = 0; i < lines.count && lines.length > 0; i++, walk_next(&lines.walk)) {
        apply_line(&lines, a + lines.walk.offset[0], b + lines.walk.offset[1], output, function);
        output += lines.length;
    }
    return WEFT_KERNEL_OK;
}

/* The kernel of a function. */
#define BINARY_KERNEL(kernel, function)                                                            \
    enum weft_kernel_status weft_kernel_##kernel(const struct weft_binary_parameters *parameters,  \
                                                 const weft_unaligned_float *a,                    \
                                                 const weft_unaligned_float *b, float *output) {   \
        return apply(parameters, a, b, output, function);                                          \
    }

static float add(float a, float b) {
    return limit_to_finite(a + b);
}

BINARY_KERNEL(add_float, add)

static float subtract(float a, float b) {
    return limit_to_finite(a - b);
}

BINARY_KERNEL(subtract_float, subtract)

static float multiply(float a, float b) {
    return limit_to_finite(a * b);
}

BINARY_KERNEL(mul_float, multiply)

/* The comparisons decide what an operand that is not a number gives. */
static float larger(float a, float b) {
    return a > b ? a : b;
}

BINARY_KERNEL(maximum_float, larger)

static float smaller(float a, float b) {
    return a < b ? a : b;
}

BINARY_KERNEL(minimum_float, smaller)

static float divide(float a, float b) {
    return limit_to_finite(a / b);
}

BINARY_KERNEL(divide_float, divide)

static float squared_difference(float a, float b) {
    return (a - b) * (a - b);
}

BINARY_KERNEL(squared_difference_float, squared_difference)

static float prelu(float x, float alpha) {
    return x >= 0.0F ? x : x * alpha;
}

BINARY_KERNEL(prelu, prelu)

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

BINARY_KERNEL(power_float, power)

static float floor_modulo(float a, float b) {
    float rest = fmodf(a, b);
    return rest != 0.0F && (rest < 0.0F) != (b < 0.0F) ? rest + b : rest;
}

BINARY_KERNEL(floor_modulo_float, floor_modulo)
