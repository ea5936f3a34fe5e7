#include "kernels/element.h"
#include "kernels/resize.h"

enum weft_kernel_status
weft_kernel_resize_nearest_neighbor(const struct weft_resize_nearest_parameters *parameters,
                                    const void *input, void *output) {
    const int32_t *rows = parameters->source;
    const int32_t *columns = parameters->source + parameters->output[0];
    int32_t bytes = parameters->bytes;
    int64_t row_bytes = (int64_t)parameters->input[1] * bytes;
    const char *image = input;
    char *to = output;
    for (int32_t n = 0; n < parameters->images; n++, image += row_bytes * parameters->input[0]) {
        for (int32_t y = 0; y < parameters->output[0]; y++) {
            const char *row = image + rows[y] * row_bytes;
            for (int32_t x = 0; x < parameters->output[1]; x++, to += bytes) {
                copy_element(to, row + (int64_t)columns[x] * bytes, bytes);
            }
        }
    }
    return WEFT_KERNEL_OK;
}
