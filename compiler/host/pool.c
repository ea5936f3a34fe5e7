/* Pools: windows without the padding. */
#include "base/integer.h"
#include "compiler/host/kernels.h"

struct window {
    int64_t first_row, end_row, first_column, end_column;
    int64_t image, channel;
};

typedef int32_t reduce(const struct weft_type *in, const void *data, const struct window *window);

static int64_t index_of(const struct weft_type *in, const struct window *w, int64_t row,
                        int64_t column) {
    return ((w->image * in->dim[1] + row) * in->dim[2] + column) * in->dim[3] + w->channel;
}

/* int8 rounds half away from zero, uint8 half up. */
static int32_t average(const struct weft_type *in, const void *data, const struct window *w) {
    int32_t sum = 0;
    int32_t count = (int32_t)((w->end_row - w->first_row) * (w->end_column - w->first_column));
    for (int64_t row = w->first_row; row < w->end_row; row++) {
        for (int64_t column = w->first_column; column < w->end_column; column++) {
            sum += load_element(in->dtype, data, index_of(in, w, row, column));
        }
    }
    return sum >= 0 ? (sum + count / 2) / count : (sum - count / 2) / count;
}

static int32_t maximum(const struct weft_type *in, const void *data, const struct window *w) {
    int32_t best = INT32_MIN;
    for (int64_t row = w->first_row; row < w->end_row; row++) {
        for (int64_t column = w->first_column; column < w->end_column; column++) {
            best = (int32_t)weft_max(best,
                                     load_element(in->dtype, data, index_of(in, w, row, column)));
        }
    }
    return best;
}

static bool pool(const struct kernel_call *call, reduce *reduce_window) {
    const struct weft_type *in = &call->node->inputs[0]->type;
    const struct weft_type *out = &call->node->results[0]->type;
    const int64_t *kernel = weft_node_ints(call->node, WEFT_ATTR_kernel);
    const int64_t *strides = weft_node_ints(call->node, WEFT_ATTR_strides);
    const int64_t *padding = weft_node_ints(call->node, WEFT_ATTR_padding);
    int64_t index = 0;
    if (in->dtype != WEFT_I8 && in->dtype != WEFT_U8) {
        return kernel_unsupported(call, "only 8-bit tensors");
    }
    for (int64_t n = 0; n < out->dim[0]; n++) {
        for (int64_t y = 0; y < out->dim[1]; y++) {
            for (int64_t x = 0; x < out->dim[2]; x++) {
                int64_t row = y * strides[0] - padding[0];
                int64_t column = x * strides[1] - padding[1];
                struct window window = {.first_row = weft_max(row, 0),
                                        .end_row = weft_min(row + kernel[0], in->dim[1]),
                                        .first_column = weft_max(column, 0),
                                        .end_column = weft_min(column + kernel[1], in->dim[2]),
                                        .image = n};
                for (window.channel = 0; window.channel < out->dim[3]; window.channel++) {
                    store_element(out->dtype, call->results[0], index++,
                                  reduce_window(in, call->inputs[0], &window));
                }
            }
        }
    }
    return true;
}

bool kernel_average_pool(const struct kernel_call *call) {
    return pool(call, average);
}

bool kernel_maximum_pool(const struct kernel_call *call) {
    return pool(call, maximum);
}
