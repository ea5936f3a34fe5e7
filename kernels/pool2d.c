#include "kernels/element.h"
#include "kernels/pool_window.h"

enum weft_kernel_status weft_kernel_avg_pool2d(const struct weft_pool_parameters *parameters,
                                               const void *input, void *output) {
    int64_t elements = pool_elements(parameters);
    for (int64_t i = 0; i < elements; i++) {
        struct pool_window w = pool_window_at(parameters, i);
        int64_t count = pool_count(&w);
        int64_t sum = 0;
        for (int64_t row = w.first_row; row < w.end_row; row++) {
            for (int64_t column = w.first_column; column < w.end_column; column++) {
                sum +=
                    load_element(parameters->dtype, input, pool_index(parameters, &w, row, column));
            }
        }
        sum += sum >= 0 ? count / 2 : -(count / 2);
        store_element(parameters->dtype, output, i, (int32_t)(sum / count));
    }
    return WEFT_KERNEL_OK;
}

enum weft_kernel_status weft_kernel_max_pool2d(const struct weft_pool_parameters *parameters,
                                               const void *input, void *output) {
    int64_t elements = pool_elements(parameters);
    for (int64_t i = 0; i < elements; i++) {
        struct pool_window w = pool_window_at(parameters, i);
        int64_t best = INT32_MIN;
        for (int64_t row = w.first_row; row < w.end_row; row++) {
            for (int64_t column = w.first_column; column < w.end_column; column++) {
                best = weft_max(best, load_element(parameters->dtype, input,
                                                   pool_index(parameters, &w, row, column)));
            }
        }
        store_element(parameters->dtype, output, i, (int32_t)best);
    }
    return WEFT_KERNEL_OK;
}
