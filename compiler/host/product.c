/* Convolutions and matrix products, of quantised operands and of floats, and the bias after them.
 *
 * Sums of quantised operands wrap as the reference's do. Floats are added up in the reference's
 * order: rows, columns and channels of the window. */
#include "compiler/host/dot.h"

/* ---- convolution ---- */

/* One output element: its window and its filter [KH, KW, C / groups]. */
struct place {
    int64_t image, y, x, o;
};

/* What of a window lies inside the image, tap by tap. */
struct tap {
    int64_t input, weights; /* first elements */
};

/* The tap (ky, kx) of a window; false when it lies in the padding. */
static bool find_tap(const struct kernel_call *call, const struct place *p, int64_t ky, int64_t kx,
                     struct tap *tap) {
    const struct weft_type *in = input_type(call, 0);
    const struct weft_type *w = input_type(call, 1);
    const int64_t *strides = weft_node_ints(call->node, WEFT_ATTR_strides);
    const int64_t *padding = weft_node_ints(call->node, WEFT_ATTR_padding);
    const int64_t *dilation = weft_node_ints(call->node, WEFT_ATTR_dilation);
    int64_t group = p->o / (w->dim[0] / weft_node_int(call->node, WEFT_ATTR_groups));
    int64_t row = p->y * strides[0] - padding[0] + ky * dilation[0];
    int64_t column = p->x * strides[1] - padding[1] + kx * dilation[1];
    if (row < 0 || row >= in->dim[1] || column < 0 || column >= in->dim[2]) {
        return false;
    }
    tap->input =
        ((p->image * in->dim[1] + row) * in->dim[2] + column) * in->dim[3] + group * w->dim[3];
    tap->weights = ((p->o * w->dim[1] + ky) * w->dim[2] + kx) * w->dim[3];
    return true;
}

static int64_t window_sum(const struct kernel_call *call, const struct operands *operands,
                          const struct place *p) {
    const struct weft_type *w = input_type(call, 1);
    int32_t w_zero = weft_type_zero(w, p->o);
    int64_t sum = 0;
    struct tap tap;
    for (int64_t ky = 0; ky < w->dim[1]; ky++) {
        for (int64_t kx = 0; kx < w->dim[2]; kx++) {
            if (find_tap(call, p, ky, kx, &tap)) {
                sum += dot(operands, tap.input, tap.weights, w->dim[3], w_zero);
            }
        }
    }
    return sum;
}

static float window_sum_float(const struct kernel_call *call, const struct place *p) {
    const struct weft_type *w = input_type(call, 1);
    float sum = 0.0F;
    struct tap tap;
    for (int64_t ky = 0; ky < w->dim[1]; ky++) {
        for (int64_t kx = 0; kx < w->dim[2]; kx++) {
            if (find_tap(call, p, ky, kx, &tap)) {
                sum = dot_float(sum, call->inputs[0], tap.input, call->inputs[1], tap.weights,
                                w->dim[3]);
            }
        }
    }
    return sum;
}

static struct place place_of(const struct walk *walk) {
    return (struct place){walk->at[0], walk->at[1], walk->at[2], walk->at[3]};
}

bool kernel_qnn_conv2d(const struct kernel_call *call) {
    const struct weft_type *out = result_type(call, 0);
    struct operands operands = operands_of(call);
    struct walk walk = walk_start(out);
    for (int64_t i = 0; i < weft_type_elements(out); i++, walk_next(&walk)) {
        struct place place = place_of(&walk);
        store_sum(out, call->results[0], i, window_sum(call, &operands, &place));
    }
    return true;
}

bool kernel_conv2d(const struct kernel_call *call) {
    const struct weft_type *out = result_type(call, 0);
    struct walk walk = walk_start(out);
    for (int64_t i = 0; i < weft_type_elements(out); i++, walk_next(&walk)) {
        struct place place = place_of(&walk);
        store_float(call->results[0], i, window_sum_float(call, &place));
    }
    return true;
}

/* ---- matrix product of [N, K] and [O, K] ---- */

bool kernel_qnn_dense(const struct kernel_call *call) {
    const struct weft_type *out = result_type(call, 0);
    const struct weft_type *w = input_type(call, 1);
    struct operands operands = operands_of(call);
    int64_t depth = w->dim[1];
    for (int64_t n = 0; n < out->dim[0]; n++) {
        for (int64_t o = 0; o < out->dim[1]; o++) {
            store_sum(out, call->results[0], n * out->dim[1] + o,
                      dot(&operands, n * depth, o * depth, depth, weft_type_zero(w, o)));
        }
    }
    return true;
}

bool kernel_dense(const struct kernel_call *call) {
    const struct weft_type *out = result_type(call, 0);
    int64_t depth = input_type(call, 1)->dim[1];
    for (int64_t n = 0; n < out->dim[0]; n++) {
        for (int64_t o = 0; o < out->dim[1]; o++) {
            store_float(
                call->results[0], n * out->dim[1] + o,
                dot_float(0.0F, call->inputs[0], n * depth, call->inputs[1], o * depth, depth));
        }
    }
    return true;
}

/* ---- bias ---- */

static void add_bias(enum weft_dtype dtype, const void *x, int64_t i, const void *bias, int64_t c,
                     void *result) {
    if (dtype == WEFT_F32) {
        store_float(result, i, finite(load_float(x, i) + load_float(bias, c)));
    } else if (dtype == WEFT_I64) {
        ((int64_t *)result)[i] =
            (int64_t)((uint64_t)load_wide(x, i) + (uint64_t)load_wide(bias, c));
    } else {
        ((int32_t *)result)[i] = (int32_t)((uint32_t)load_element(WEFT_I32, x, i) +
                                           (uint32_t)load_element(WEFT_I32, bias, c));
    }
}

bool kernel_bias_add(const struct kernel_call *call) {
    const struct weft_type *type = result_type(call, 0);
    int64_t channels = type->dim[type->rank - 1];
    for (int64_t i = 0; i < weft_type_elements(type); i++) {
        add_bias(type->dtype, call->inputs[0], i, call->inputs[1], i % channels, call->results[0]);
    }
    return true;
}
