#include "kernels/matrix.h"

static float element_of(const weft_unaligned_float *a, int64_t a_step,
                        const weft_unaligned_float *b, int64_t b_step, int32_t depth) {
    float sum = 0.0F;
    for (int32_t i = 0; i < depth; i++) {
        sum += a[i * a_step] * b[i * b_step];
    }
    return sum;
}

enum weft_kernel_status
weft_kernel_batch_matmul(const struct weft_batch_matmul_parameters *parameters,
                         const weft_unaligned_float *a, const weft_unaligned_float *b,
                         float *output) {
    struct walk walk = walk_batch(parameters);
    int64_t batch = shape_elements(&parameters->batch);
    for (int64_t n = 0; n < batch; n++, walk_next(&walk)) {
        struct matrix left = matrix_at(parameters, &walk, 0);
        struct matrix right = matrix_at(parameters, &walk, 1);
        for (int32_t i = 0; i < parameters->rows; i++) {
            for (int32_t k = 0; k < parameters->columns; k++) {
                *output++ =
                    element_of(a + left.first + i * left.row, left.column,
                               b + right.first + k * right.column, right.row, parameters->depth);
            }
        }
    }
    return WEFT_KERNEL_OK;
}
