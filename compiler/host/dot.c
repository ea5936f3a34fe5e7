#include "compiler/host/dot.h"

#include "base/integer.h"

struct operands operands_of(const struct kernel_call *call) {
    return (struct operands){.a_type = input_type(call, 0)->dtype,
                             .b_type = input_type(call, 1)->dtype,
                             .a = call->inputs[0],
                             .b = call->inputs[1],
                             .a_zero = weft_type_zero(input_type(call, 0), 0)};
}

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

int64_t dot(const struct operands *o, int64_t a_first, int64_t b_first, int64_t count,
            int32_t b_zero) {
    if (o->a_type == WEFT_I8 && o->b_type == WEFT_I8) {
        return dot_int8((const int8_t *)o->a + a_first, (const int8_t *)o->b + b_first, count,
                        o->a_zero, b_zero);
    }
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t a = load_element(o->a_type, o->a, a_first + i) - o->a_zero;
        int64_t b = load_element(o->b_type, o->b, b_first + i) - b_zero;
        sum += a * b;
    }
    return sum;
}

float dot_float(float sum, const void *a, int64_t a_first, const void *b, int64_t b_first,
                int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        sum += load_float(a, a_first + i) * load_float(b, b_first + i);
    }
    return sum;
}
