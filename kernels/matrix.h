/* Matrices of batches; used in kernels/ alone. */
#ifndef WEFT_KERNELS_MATRIX_H
#define WEFT_KERNELS_MATRIX_H

#include "kernels/product.h"
#include "kernels/walk.h"

/* One matrix of an operand: the first element, and the steps along its rows and columns. */
struct matrix {
    int64_t first, row, column;
};

/* The matrix of an operand where a walk over the batch is; its rows have `width` elements in memory
 * when it is not transposed, else `height`. */
static inline struct matrix matrix_at(const struct weft_batch_matmul_parameters *shape,
                                      const struct walk *walk, int operand) {
    int64_t height = operand == 0 ? shape->rows : shape->depth;
    int64_t width = operand == 0 ? shape->depth : shape->columns;
    return shape->transposed[operand] != 0 ? (struct matrix){walk->offset[operand], 1, height}
                                           : (struct matrix){walk->offset[operand], width, 1};
}

/* The first element of an operand's matrix `batch`. */
static inline int64_t matrix_first(const struct weft_batch_matmul_parameters *shape, int operand,
                                   int64_t batch) {
    int64_t first = 0;
    for (int32_t axis = shape->batch.rank; axis-- > 0;) {
        first += batch % shape->batch.dim[axis] * shape->batch_step[operand][axis];
        batch /= shape->batch.dim[axis];
    }
    return first;
}

static inline struct walk walk_batch(const struct weft_batch_matmul_parameters *shape) {
    return walk_start(&shape->batch, shape->batch_step[0], shape->batch_step[1]);
}

#endif
