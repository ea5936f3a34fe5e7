/* Pools: windows without the padding. */
#include "base/integer.h"
#include "compiler/host/kernels.h"

struct window {
    int64_t first_row, end_row, first_column, end_column;
    int64_t image, channel;
};

typedef void reduce(const struct kernel_call *call, const struct window *window, int64_t result);

static int64_t index_of(const struct weft_type *in, const struct window *w, int64_t row,
                        int64_t column) {
    return ((w->image * in->dim[1] + row) * in->dim[2] + column) * in->dim[3] + w->channel;
}

static int64_t count_of(const struct window *w) {
    return (w->end_row - w->first_row) * (w->end_column - w->first_column);
}

/* ---- integers ---- */

/* int8 and int16 round half away from zero, uint8 half up. */
static void average(const struct kernel_call *call, const struct window *w, int64_t result) {
    const struct weft_type *in = input_type(call, 0);
    int64_t count = count_of(w);
    int64_t sum = 0;
    for (int64_t row = w->first_row; row < w->end_row; row++) {
        for (int64_t column = w->first_column; column < w->end_column; column++) {
            sum += load_element(in->dtype, call->inputs[0], index_of(in, w, row, column));
        }
    }
    sum += sum >= 0 ? count / 2 : -(count / 2);
    store_element(in->dtype, call->results[0], result, (int32_t)(sum / count));
}

static void maximum(const struct kernel_call *call, const struct window *w, int64_t result) {
    const struct weft_type *in = input_type(call, 0);
    int64_t best = INT32_MIN;
    for (int64_t row = w->first_row; row < w->end_row; row++) {
        for (int64_t column = w->first_column; column < w->end_column; column++) {
            best = weft_max(best,
                            load_element(in->dtype, call->inputs[0], index_of(in, w, row, column)));
        }
    }
    store_element(in->dtype, call->results[0], result, (int32_t)best);
}

/* ---- floats ---- */

static void average_float(const struct kernel_call *call, const struct window *w, int64_t result) {
    const struct weft_type *in = input_type(call, 0);
    float sum = 0.0F;
    for (int64_t row = w->first_row; row < w->end_row; row++) {
        for (int64_t column = w->first_column; column < w->end_column; column++) {
            sum += load_float(call->inputs[0], index_of(in, w, row, column));
        }
    }
    store_float(call->results[0], result, finite(sum / (float)count_of(w)));
}

static void maximum_float(const struct kernel_call *call, const struct window *w, int64_t result) {
    const struct weft_type *in = input_type(call, 0);
    float best = -3.402823466e+38F; /* where the reference starts */
    for (int64_t row = w->first_row; row < w->end_row; row++) {
        for (int64_t column = w->first_column; column < w->end_column; column++) {
            float value = load_float(call->inputs[0], index_of(in, w, row, column));
            best = best < value ? value : best;
        }
    }
    store_float(call->results[0], result, finite(best));
}

/* ---- all windows ---- */

static bool pool(const struct kernel_call *call, reduce *reduce_window) {
    const struct weft_type *in = input_type(call, 0);
    const struct weft_type *out = result_type(call, 0);
    const int64_t *kernel = weft_node_ints(call->node, WEFT_ATTR_kernel);
    const int64_t *strides = weft_node_ints(call->node, WEFT_ATTR_strides);
    const int64_t *padding = weft_node_ints(call->node, WEFT_ATTR_padding);
    struct walk walk = walk_start(out);
    for (int64_t i = 0; i < weft_type_elements(out); i++, walk_next(&walk)) {
        int64_t row = walk.at[1] * strides[0] - padding[0];
        int64_t column = walk.at[2] * strides[1] - padding[1];
        struct window window = {.first_row = weft_max(row, 0),
                                .end_row = weft_min(row + kernel[0], in->dim[1]),
                                .first_column = weft_max(column, 0),
                                .end_column = weft_min(column + kernel[1], in->dim[2]),
                                .image = walk.at[0],
                                .channel = walk.at[3]};
        reduce_window(call, &window, i);
    }
    return true;
}

static bool pool_of_type(const struct kernel_call *call, reduce *of_integers, reduce *of_floats) {
    switch (input_type(call, 0)->dtype) {
    case WEFT_F32:
        return pool(call, of_floats);
    case WEFT_I8:
    case WEFT_U8:
    case WEFT_I16:
        return pool(call, of_integers);
    default:
        return kernel_unsupported(call, "only float, 8-bit and 16-bit tensors");
    }
}

bool kernel_average_pool(const struct kernel_call *call) {
    return pool_of_type(call, average, average_float);
}

bool kernel_maximum_pool(const struct kernel_call *call) {
    return pool_of_type(call, maximum, maximum_float);
}
