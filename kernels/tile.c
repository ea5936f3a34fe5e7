#include "kernels/element.h"
#include "kernels/move.h"
#include "kernels/walk.h"

enum weft_kernel_status weft_kernel_tile(const struct weft_tile_parameters *parameters,
                                         const void *input, void *output) {
    int32_t bytes = parameters->bytes;
    int64_t step[WEFT_KERNEL_RANK];
    int32_t at[WEFT_KERNEL_RANK] = {0};
    int64_t count = shape_elements(&parameters->output);
    const char *from = input;
    char *to = output;
    int64_t stride = bytes;
    for (int32_t axis = parameters->output.rank; axis-- > 0;) {
        step[axis] = stride;
        stride *= parameters->input[axis];
    }
    for (int64_t i = 0; i < count; i++, to += bytes) {
        copy_element(to, from, bytes);
        for (int32_t axis = parameters->output.rank; axis-- > 0;) {
            bool inside = ++at[axis] < parameters->output.dim[axis];
            at[axis] = inside ? at[axis] : 0;
            from += step[axis];
            from -=
                at[axis] % parameters->input[axis] == 0 ? step[axis] * parameters->input[axis] : 0;
            if (inside) {
                break;
            }
        }
    }
    return WEFT_KERNEL_OK;
}
