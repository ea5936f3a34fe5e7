#include "kernels/binary.h"
#include "kernels/element.h"
#include "kernels/scale.h"
#include "kernels/walk.h"

/* ---- sums ---- */

/* `sign` is 1 or -1, of the second operand. */
static void sum(const struct weft_qnn_add_parameters *p, const void *a, const void *b, void *output,
                int32_t sign) {
    struct walk walk = walk_operands(&p->broadcast);
    int64_t count = shape_elements(&p->broadcast.shape);
    for (int64_t i = 0; i < count; i++, walk_next(&walk)) {
        int32_t x = load_element(p->dtype, a, walk.offset[0]) - p->zero[0];
        int32_t y = load_element(p->dtype, b, walk.offset[1]) - p->zero[1];
        int32_t left = scale_by(x * (1 << p->bits), p->factor[0]);
        int32_t right = scale_by(y * (1 << p->bits), p->factor[1]);
        store_element(p->dtype, output, i,
                      saturate(p->dtype, p->zero[2], scale_by(left + sign * right, p->factor[2])));
    }
}

enum weft_kernel_status weft_kernel_qnn_add(const struct weft_qnn_add_parameters *parameters,
                                            const void *a, const void *b, void *output) {
    sum(parameters, a, b, output, 1);
    return WEFT_KERNEL_OK;
}

enum weft_kernel_status weft_kernel_qnn_subtract(const struct weft_qnn_add_parameters *parameters,
                                                 const void *a, const void *b, void *output) {
    sum(parameters, a, b, output, -1);
    return WEFT_KERNEL_OK;
}

enum weft_kernel_status
weft_kernel_qnn_add_shifted(const struct weft_qnn_add_shifted_parameters *parameters, const void *a,
                            const void *b, int16_t *output) {
    const struct weft_qnn_add_shifted_parameters *p = parameters;
    struct walk walk = walk_operands(&p->broadcast);
    int64_t count = shape_elements(&p->broadcast.shape);
    for (int64_t i = 0; i < count; i++, walk_next(&walk)) {
        int32_t x = load_element(WEFT_I16, a, walk.offset[0]);
        int32_t y = load_element(WEFT_I16, b, walk.offset[1]);
        int32_t left = weft_rounding_shift16(x, p->shift[0]);
        int32_t right = weft_rounding_shift16(y, p->shift[1]);
        output[i] = (int16_t)saturate(WEFT_I16, 0, left + p->sign * right);
    }
    return WEFT_KERNEL_OK;
}

/* ---- products ---- */

enum weft_kernel_status weft_kernel_qnn_mul(const struct weft_qnn_mul_parameters *parameters,
                                            const void *a, const void *b, void *output) {
    const int32_t *zero = parameters->zero;
    enum weft_dtype dtype = parameters->dtype;
    struct walk walk = walk_operands(&parameters->broadcast);
    int64_t count = shape_elements(&parameters->broadcast.shape);
    for (int64_t i = 0; i < count; i++, walk_next(&walk)) {
        int32_t x = load_element(dtype, a, walk.offset[0]) - zero[0];
        int32_t y = load_element(dtype, b, walk.offset[1]) - zero[1];
        store_element(dtype, output, i,
                      saturate(dtype, zero[2],
                               scale_by((int32_t)((uint32_t)x * (uint32_t)y), parameters->factor)));
    }
    return WEFT_KERNEL_OK;
}

/* ---- squares of differences ---- */

enum weft_kernel_status
weft_kernel_qnn_squared_difference(const struct weft_qnn_add_parameters *parameters, const void *a,
                                   const void *b, void *output) {
    const struct weft_qnn_add_parameters *p = parameters;
    struct walk walk = walk_operands(&p->broadcast);
    int64_t count = shape_elements(&p->broadcast.shape);
    for (int64_t i = 0; i < count; i++, walk_next(&walk)) {
        int32_t x = load_element(p->dtype, a, walk.offset[0]) - p->zero[0];
        int32_t y = load_element(p->dtype, b, walk.offset[1]) - p->zero[1];
        int32_t difference =
            scale_by(x * (1 << 7), p->factor[0]) - scale_by(y * (1 << 7), p->factor[1]);
        store_element(
            p->dtype, output, i,
            saturate(p->dtype, p->zero[2], scale_by(difference * difference, p->factor[2])));
    }
    return WEFT_KERNEL_OK;
}

/* ---- rectifiers with a slope for each element ---- */

enum weft_kernel_status weft_kernel_qnn_prelu(const struct weft_qnn_prelu_parameters *parameters,
                                              const void *a, const void *b, void *output) {
    const struct weft_qnn_prelu_parameters *p = parameters;
    struct walk walk = walk_operands(&p->broadcast);
    int64_t count = shape_elements(&p->broadcast.shape);
    for (int64_t i = 0; i < count; i++, walk_next(&walk)) {
        int32_t x = load_element(p->dtype, a, walk.offset[0]) - p->zero[0];
        int32_t alpha = load_element(p->dtype, b, walk.offset[1]) - p->zero[1];
        int32_t scaled = x >= 0 ? scale_by(x, p->factor) : scale_by(x * alpha, p->negative);
        store_element(p->dtype, output, i, saturate(p->dtype, p->zero[2], scaled));
    }
    return WEFT_KERNEL_OK;
}
