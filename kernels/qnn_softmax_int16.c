/* Source: TFLite reference_ops::SoftmaxInt16. */
#include <stdbool.h>

#include "base/integer.h"
#include "kernels/element.h"
#include "kernels/look_up.h"
#include "kernels/normalize.h"
#include "kernels/scale.h"

/* The exponential of an element less the largest one, in Q15. */
static int32_t exponential(const struct weft_qnn_softmax_int16_parameters *p, const void *input,
                           int64_t index, int32_t largest) {
    int32_t difference = load_element(WEFT_I16, input, index) - largest;
    int64_t scaled = (int64_t)scale_by(difference, p->factor) + INT16_MAX;
    return look_up(p->exponential, (int32_t)weft_clamp(scaled, INT16_MIN, INT16_MAX));
}

/* 1 over a sum in Q15, which has so many leading zeros: in Q15 of the sum in [1, 2). */
static int32_t reciprocal(const struct weft_qnn_softmax_int16_parameters *p, int32_t sum,
                          int zeros) {
    int64_t normalised = (((int64_t)sum << (zeros - 1)) + (1 << 13)) >> 14;
    int64_t centred = normalised - (1 << 15) - (1 << 16);
    return look_up(p->reciprocal_of_one_plus, (int32_t)weft_clamp(centred, INT16_MIN, INT16_MAX));
}

static bool softmax_row(const struct weft_qnn_softmax_int16_parameters *p, const void *input,
                        int64_t first, int16_t *output) {
    int32_t depth = p->shape.depth;
    int32_t largest = largest_element(WEFT_I16, input, first, depth);
    int64_t sum = 0;
    for (int32_t i = 0; i < depth; i++) {
        output[first + i] = (int16_t)exponential(p, input, first + i, largest);
        sum += output[first + i];
    }
    if (sum <= 0 || sum > INT32_MAX) {
        return false;
    }
    int zeros = __builtin_clz((uint32_t)sum);
    int shift = 31 - zeros;
    int64_t scale = reciprocal(p, (int32_t)sum, zeros);
    for (int32_t i = 0; i < depth; i++) {
        int64_t rounded = (output[first + i] * scale + ((INT64_C(1) << shift) >> 1)) >> shift;
        output[first + i] = (int16_t)weft_clamp(rounded, 0, INT16_MAX);
    }
    return true;
}

enum weft_kernel_status
weft_kernel_qnn_softmax_int16(const struct weft_qnn_softmax_int16_parameters *parameters,
                              const void *input, int16_t *output) {
    for (int32_t row = 0; row < parameters->shape.rows; row++) {
        if (!softmax_row(parameters, input, (int64_t)row * parameters->shape.depth, output)) {
            return WEFT_KERNEL_UNDEFINED;
        }
    }
    return WEFT_KERNEL_OK;
}
