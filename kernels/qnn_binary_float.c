#include "base/float_element.h"
#include "kernels/binary.h"
#include "kernels/element.h"
#include "kernels/walk.h"

enum weft_kernel_status
weft_kernel_qnn_add_float(const struct weft_qnn_add_float_parameters *parameters, const void *a,
                          const void *b, void *output) {
    const struct weft_qnn_add_float_parameters *p = parameters;
    struct walk walk = walk_operands(&p->broadcast);
    int64_t count = shape_elements(&p->broadcast.shape);
    for (int64_t i = 0; i < count; i++, walk_next(&walk)) {
        int32_t x = load_element(p->dtype, a, walk.offset[0]);
        int32_t y = load_element(p->dtype, b, walk.offset[1]);
        float sum = weft_float_sum_both(x, weft_float_sum_second(y, p->ratio, p->offset), p->ratio);
        store_element(p->dtype, output, i, weft_float_to_byte(p->dtype, sum, 0));
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
        int32_t x = load_element(p->dtype, a, walk.offset[0]) - p->zero[0];
        int32_t y = load_element(p->dtype, b, walk.offset[1]) - p->zero[1];
        float difference = weft_float_difference(x, y, p->scale);
        store_element(p->dtype, output, i, weft_float_to_byte(p->dtype, difference, p->zero[2]));
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
        float product = weft_float_product(x * y, p->factor, p->zero[2]);
        store_element(p->dtype, output, i, weft_float_to_byte(p->dtype, product, 0));
    }
    return WEFT_KERNEL_OK;
}
