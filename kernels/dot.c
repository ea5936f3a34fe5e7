#include "kernels/dot.h"

#include "base/integer.h"
#include "kernels/element.h"

/* Of 8-bit operands as many products as an int32 surely holds. */
static int32_t dot_bytes(const int8_t *a, const int8_t *b, int64_t count, int32_t a_zero,
                         int32_t b_zero) {
    int32_t sum = 0;
    for (int64_t i = 0; i < count; i++) {
        sum += (a[i] - a_zero) * (b[i] - b_zero);
    }
    return sum;
}

static int64_t dot_int8(const int8_t *a, const int8_t *b, int64_t count, int32_t a_zero,
                        int32_t b_zero) {
    enum {
        CHUNK = INT32_MAX / (255 * 255)
    };
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i += CHUNK) {
        sum += dot_bytes(a + i, b + i, weft_min(count - i, CHUNK), a_zero, b_zero);
    }
    return sum;
}

int64_t weft_dot(const struct weft_dot_operands *operands, int64_t input, int64_t weights,
                 int64_t count) {
    const struct weft_product_types *types = operands->types;
    if (types->input == WEFT_I8 && types->weights == WEFT_I8) {
        return dot_int8((const int8_t *)operands->input + input,
                        (const int8_t *)operands->weights + weights, count, types->input_zero,
                        operands->weights_zero);
    }
    uint64_t sum = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t a = (int64_t)load_element(types->input, operands->input, input + i);
        int64_t b = (int64_t)load_element(types->weights, operands->weights, weights + i);
        sum += (uint64_t)(a - types->input_zero) * (uint64_t)(b - operands->weights_zero);
    }
    return (int64_t)sum;
}
