#include <math.h>

#include "kernels/binary.h"
#include "kernels/element.h"
#include "kernels/scale.h"
#include "kernels/walk.h"

enum weft_kernel_status
weft_kernel_qnn_divide_float(const struct weft_qnn_divide_float_parameters *parameters,
                             const void *a, const void *b, void *output) {
    const struct weft_qnn_divide_float_parameters *p = parameters;
    struct walk walk = walk_start(&p->broadcast.shape, p->broadcast.step[0], p->broadcast.step[1]);
    int64_t count = shape_elements(&p->broadcast.shape);
    for (int64_t i = 0; i < count; i++, walk_next(&walk)) {
        int32_t x = load_element(WEFT_I16, a, walk.offset[0]) - p->zero[0];
        int32_t y = load_element(WEFT_I16, b, walk.offset[1]) - p->zero[1];
        if (y == 0) {
            return WEFT_KERNEL_UNDEFINED;
        }
        float real = (float)x * p->scale[0] / ((float)y * p->scale[1]);
        float steps = fmaxf(fminf(roundf(real / p->scale[2]), 131072.0F), -131072.0F);
        store_element(WEFT_I16, output, i, saturate(WEFT_I16, p->zero[2], (int64_t)steps));
    }
    return WEFT_KERNEL_OK;
}
