#include "kernels/element.h"
#include "kernels/relation.h"
#include "kernels/scale.h"
#include "kernels/walk.h"

static bool holds(enum weft_relation relation, int64_t x, int64_t y) {
    return relation_holds(relation, x<y, x == y, x> y);
}

enum weft_kernel_status weft_kernel_compare(const struct weft_compare_parameters *parameters,
                                            const void *a, const void *b, uint8_t *output) {
    struct walk walk = walk_operands(&parameters->broadcast);
    int64_t count = shape_elements(&parameters->broadcast.shape);
    for (int64_t i = 0; i < count; i++, walk_next(&walk)) {
        output[i] = holds(parameters->relation, load_integer(parameters->dtype, a, walk.offset[0]),
                          load_integer(parameters->dtype, b, walk.offset[1]));
    }
    return WEFT_KERNEL_OK;
}

enum weft_kernel_status
weft_kernel_qnn_compare(const struct weft_qnn_compare_parameters *parameters, const void *a,
                        const void *b, uint8_t *output) {
    const struct weft_qnn_compare_parameters *p = parameters;
    struct walk walk = walk_operands(&p->broadcast);
    int64_t count = shape_elements(&p->broadcast.shape);
    for (int64_t i = 0; i < count; i++, walk_next(&walk)) {
        int32_t x = load_element(p->dtype, a, walk.offset[0]) - p->zero[0];
        int32_t y = load_element(p->dtype, b, walk.offset[1]) - p->zero[1];
        output[i] = holds(p->relation, scale_by(x * (1 << 8), p->factor[0]),
                          scale_by(y * (1 << 8), p->factor[1]));
    }
    return WEFT_KERNEL_OK;
}
