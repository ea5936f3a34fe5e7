#include <math.h>

#include "kernels/binary.h"
#include "kernels/element.h"
#include "kernels/round_float.h"
#include "kernels/walk.h"

/* Element i of the result, to which a zero point is added behind; what is no number is the
 * smallest.
 */
static void store_rounded(enum weft_dtype dtype, void *output, int64_t i, float exact,
                          int32_t zero) {
    float least = (float)(weft_dtype_min(dtype) - zero);
    float most = (float)(weft_dtype_max(dtype) - zero);
    store_element(dtype, output, i,
                  zero + (int32_t)round_to_even(fminf(fmaxf(exact, least), most)));
}

enum weft_kernel_status
weft_kernel_qnn_add_float(const struct weft_qnn_add_float_parameters *parameters, const void *a,
                          const void *b, void *output) {
    const struct weft_qnn_add_float_parameters *p = parameters;
    struct walk walk = walk_operands(&p->broadcast);
    int64_t count = shape_elements(&p->broadcast.shape);
    for (int64_t i = 0; i < count; i++, walk_next(&walk)) {
        float x = (float)load_element(p->dtype, a, walk.offset[0]);
        float y = (float)load_element(p->dtype, b, walk.offset[1]);
        store_rounded(p->dtype, output, i, fmaf(x, p->ratio[0], fmaf(y, p->ratio[1], p->offset)),
                      0);
    }
    return WEFT_KERNEL_OK;
}

enum weft_kernel_status
weft_kernel_qnn_subtract_float(const struct weft_qnn_subtract_float_parameters *parameters,
                               const void *a, const void *b, void *output) {
    const struct weft_qnn_subtract_float_parameters *p = parameters;
    struct walk walk = walk_operands(&p->broadcast);
    int64_t count = shape_elements(&p->broadcast.shape);
    for (int64_t i = 0; i < count; i++, walk_next(&walk)) {
        float x = p->scale[0] * (float)(load_element(p->dtype, a, walk.offset[0]) - p->zero[0]);
        float y = p->scale[1] * (float)(load_element(p->dtype, b, walk.offset[1]) - p->zero[1]);
        store_rounded(p->dtype, output, i, (x - y) / p->scale[2], p->zero[2]);
    }
    return WEFT_KERNEL_OK;
}

enum weft_kernel_status
weft_kernel_qnn_mul_float(const struct weft_qnn_mul_float_parameters *parameters, const void *a,
                          const void *b, void *output) {
    const struct weft_qnn_mul_float_parameters *p = parameters;
    struct walk walk = walk_operands(&p->broadcast);
    int64_t count = shape_elements(&p->broadcast.shape);
    for (int64_t i = 0; i < count; i++, walk_next(&walk)) {
        int32_t x = load_element(p->dtype, a, walk.offset[0]) - p->zero[0];
        int32_t y = load_element(p->dtype, b, walk.offset[1]) - p->zero[1];
        store_rounded(p->dtype, output, i, (float)(x * y) * p->factor + (float)p->zero[2], 0);
    }
    return WEFT_KERNEL_OK;
}
