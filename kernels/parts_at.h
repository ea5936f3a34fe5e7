/* Places of parts by several indices; used in kernels/ alone. */
#ifndef WEFT_KERNELS_PARTS_AT_H
#define WEFT_KERNELS_PARTS_AT_H

#include "kernels/element.h"
#include "kernels/index.h"

static inline enum weft_kernel_status check_places(const struct weft_parts_at_parameters *p,
                                                   const void *indices) {
    for (int64_t i = 0; i < (int64_t)p->count * p->depth; i++) {
        int64_t index = load_integer(p->index, indices, i);
        if (index < 0 || index >= p->dim[i % p->depth]) {
            return WEFT_KERNEL_INDEX;
        }
    }
    return WEFT_KERNEL_OK;
}

/* Where part `number` begins in the whole, bytes. */
static inline int64_t place_of(const struct weft_parts_at_parameters *p, const void *indices,
                               int64_t number) {
    int64_t place = 0;
    for (int32_t i = 0; i < p->depth; i++) {
        place += p->step[i] * load_integer(p->index, indices, number * p->depth + i);
    }
    return place;
}

#endif
