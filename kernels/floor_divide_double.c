#include <math.h>

#include "kernels/binary.h"
#include "kernels/walk.h"

enum weft_kernel_status
weft_kernel_floor_divide_float(const struct weft_binary_parameters *parameters,
                               const weft_unaligned_float *a, const weft_unaligned_float *b,
                               float *output) {
    struct walk walk = walk_operands(&parameters->broadcast);
    int64_t count = shape_elements(&parameters->broadcast.shape);
    for (int64_t i = 0; i < count; i++, walk_next(&walk)) {
        float divisor = b[walk.offset[1]];
        if (divisor == 0.0F) {
            return WEFT_KERNEL_UNDEFINED;
        }
        output[i] = (float)floor((double)a[walk.offset[0]] / (double)divisor);
    }
    return WEFT_KERNEL_OK;
}
