#include "kernels/binary.h"
#include "kernels/element.h"
#include "kernels/exponential.h"
#include "kernels/scale.h"
#include "kernels/walk.h"

/* Bits of x that are copies of its sign, without the sign itself. */
static int sign_bits(int32_t x) {
    return __builtin_clrsb(x);
}

/* x * 2^shift, rounded and saturated. The reference's shifts to the left, and to the right by 32
 * and more, are not defined. */
static int32_t shifted(int32_t x, int shift) {
    if (shift < -31) {
        return 0;
    }
    return shift > 0 ? fixed_shift_left(x, shift) : weft_rounding_shift(x, -shift);
}

/* x / y in the steps of factor, y > 0: x with all its bits times the reciprocal of y, which lies in
 * (1/2, 1] * 2^-bits. Source: TFLite's DivElementwise() and GetReciprocal(). */
static int32_t quotient(int32_t x, int32_t y, struct weft_factor factor) {
    int zeros = __builtin_clz((uint32_t)y);
    int bits = 31 - zeros;
    int32_t fraction = (int32_t)(((uint32_t)y << zeros) - (UINT32_C(1) << 31));
    int32_t reciprocal = weft_fixed_reciprocal_of_one_plus(fraction);
    int headroom = sign_bits(x);
    int32_t unscaled = weft_high_mul((int32_t)((uint32_t)x << headroom), reciprocal);
    int shift = factor.shift - bits - headroom;
    return shifted(weft_high_mul(unscaled, factor.multiplier), shift);
}

enum weft_kernel_status weft_kernel_qnn_divide(const struct weft_qnn_mul_parameters *parameters,
                                               const void *a, const void *b, void *output) {
    const struct weft_qnn_mul_parameters *p = parameters;
    struct walk walk = walk_operands(&p->broadcast);
    int64_t count = shape_elements(&p->broadcast.shape);
    for (int64_t i = 0; i < count; i++, walk_next(&walk)) {
        int32_t x = load_element(p->dtype, a, walk.offset[0]) - p->zero[0];
        int32_t y = load_element(p->dtype, b, walk.offset[1]) - p->zero[1];
        if (y == 0) {
            return WEFT_KERNEL_UNDEFINED;
        }
        int32_t result = y < 0 ? quotient(-x, -y, p->factor) : quotient(x, y, p->factor);
        store_element(p->dtype, output, i, saturate(p->dtype, p->zero[2], result));
    }
    return WEFT_KERNEL_OK;
}
