#include "kernels/binary.h"
#include "kernels/element.h"
#include "kernels/walk.h"

enum weft_kernel_status weft_kernel_select(const struct weft_select_parameters *parameters,
                                           const uint8_t *condition, const void *a, const void *b,
                                           void *output) {
    const struct weft_select_parameters *p = parameters;
    struct walk chosen = walk_start(&p->shape, p->step[0], NULL);
    struct walk walk = walk_start(&p->shape, p->step[1], p->step[2]);
    int64_t count = shape_elements(&p->shape);
    for (int64_t i = 0; i < count; i++, walk_next(&walk), walk_next(&chosen)) {
        bool first = condition[chosen.offset[0]] != 0;
        const uint8_t *from = first ? a : b;
        copy_element((uint8_t *)output + i * p->size, from + walk.offset[first ? 0 : 1] * p->size,
                     p->size);
    }
    return WEFT_KERNEL_OK;
}
