#include "kernels/relation.h"
#include "kernels/walk.h"

enum weft_kernel_status weft_kernel_compare_float(const struct weft_compare_parameters *parameters,
                                                  const weft_unaligned_float *a,
                                                  const weft_unaligned_float *b, uint8_t *output) {
    struct walk walk = walk_operands(&parameters->broadcast);
    int64_t count = shape_elements(&parameters->broadcast.shape);
    for (int64_t i = 0; i < count; i++, walk_next(&walk)) {
        float x = a[walk.offset[0]];
        float y = b[walk.offset[1]];
        output[i] = relation_holds(parameters->relation, x<y, x == y, x> y);
    }
    return WEFT_KERNEL_OK;
}
