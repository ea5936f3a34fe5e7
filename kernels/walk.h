/* Walking a shape; used in kernels/ alone. */
#ifndef WEFT_KERNELS_WALK_H
#define WEFT_KERNELS_WALK_H

#include <stdbool.h>

#include "kernels/kernel.h"

/* All elements of a shape in row-major order, with places in up to two tensors beside them. */
struct walk {
    int32_t rank;
    const int32_t *dim;
    int32_t at[WEFT_KERNEL_RANK];
    const int64_t *step[2]; /* from one element to the next along an axis */
    int64_t offset[2];
};

/* At the first element; a tensor without steps stays where it is. */
static inline struct walk walk_start(const struct weft_shape *shape, const int64_t *first,
                                     const int64_t *second) {
    return (struct walk){.rank = shape->rank, .dim = shape->dim, .step = {first, second}};
}

/* Over the elements of a result, with those of its two operands beside them. */
static inline struct walk walk_operands(const struct weft_broadcast *broadcast) {
    return walk_start(&broadcast->shape, broadcast->step[0], broadcast->step[1]);
}

static inline void walk_next(struct walk *walk) {
    for (int32_t axis = walk->rank; axis-- > 0;) {
        bool inside = ++walk->at[axis] < walk->dim[axis];
        int64_t steps = inside ? 1 : 1 - (int64_t)walk->dim[axis];
        for (int i = 0; i < 2 && walk->step[i] != NULL; i++) {
            walk->offset[i] += walk->step[i][axis] * steps;
        }
        if (inside) {
            return;
        }
        walk->at[axis] = 0;
    }
}

static inline int64_t shape_elements(const struct weft_shape *shape) {
    int64_t elements = 1;
    for (int32_t axis = 0; axis < shape->rank; axis++) {
        elements *= shape->dim[axis];
    }
    return elements;
}

#endif
