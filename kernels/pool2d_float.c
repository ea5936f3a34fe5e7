#include "kernels/limit_float.h"
#include "kernels/pool_window.h"

enum weft_kernel_status weft_kernel_avg_pool2d_float(const struct weft_pool_parameters *parameters,
                                                     const weft_unaligned_float *input,
                                                     float *output) {
    int64_t elements = pool_elements(parameters);
    for (int64_t i = 0; i < elements; i++) {
        struct pool_window w = pool_window_at(parameters, i);
        float sum = 0.0F;
        for (int64_t row = w.first_row; row < w.end_row; row++) {
            for (int64_t column = w.first_column; column < w.end_column; column++) {
                sum += input[pool_index(parameters, &w, row, column)];
            }
        }
        output[i] = limit_to_finite(sum / (float)pool_count(&w));
    }
    return WEFT_KERNEL_OK;
}

enum weft_kernel_status weft_kernel_max_pool2d_float(const struct weft_pool_parameters *parameters,
                                                     const weft_unaligned_float *input,
                                                     float *output) {
    int64_t elements = pool_elements(parameters);
    for (int64_t i = 0; i < elements; i++) {
        struct pool_window w = pool_window_at(parameters, i);
        float best = -FLT_MAX; /* where the reference starts */
        for (int64_t row = w.first_row; row < w.end_row; row++) {
            for (int64_t column = w.first_column; column < w.end_column; column++) {
                float value = input[pool_index(parameters, &w, row, column)];
                best = best < value ? value : best;
            }
        }
        output[i] = limit_to_finite(best);
    }
    return WEFT_KERNEL_OK;
}
