#include "kernels/dot.h"
#include "kernels/element.h"
#include "kernels/matrix.h"

/* The sum along row `i` of one matrix and column `k` of the other. */
static int64_t element_of(const struct weft_qnn_batch_matmul_parameters *parameters, const void *a,
                          int64_t a_first, int64_t a_step, const void *b, int64_t b_first,
                          int64_t b_step) {
    const struct weft_product_types *types = &parameters->types;
    uint64_t sum = 0;
    for (int32_t i = 0; i < parameters->shape.depth; i++) {
        int64_t left = (int64_t)load_element(types->input, a, a_first + i * a_step);
        int64_t right = (int64_t)load_element(types->weights, b, b_first + i * b_step);
        sum += (uint64_t)(left - types->input_zero) * (uint64_t)(right - parameters->weights_zero);
    }
    return (int64_t)sum;
}

enum weft_kernel_status
weft_kernel_qnn_batch_matmul(const struct weft_qnn_batch_matmul_parameters *parameters,
                             const void *a, const void *b, void *output) {
    const struct weft_batch_matmul_parameters *shape = &parameters->shape;
    struct walk walk = walk_batch(shape);
    int64_t batch = shape_elements(&shape->batch);
    int64_t result = 0;
    for (int64_t n = 0; n < batch; n++, walk_next(&walk)) {
        struct matrix left = matrix_at(shape, &walk, 0);
        struct matrix right = matrix_at(shape, &walk, 1);
        for (int32_t i = 0; i < shape->rows; i++) {
            for (int32_t k = 0; k < shape->columns; k++) {
                int64_t sum = element_of(parameters, a, left.first + i * left.row, left.column, b,
                                         right.first + k * right.column, right.row);
                store_sum(parameters->types.output, output, result++, sum);
            }
        }
    }
    return WEFT_KERNEL_OK;
}
