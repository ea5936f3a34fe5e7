/* Transposed convolution: every input pixel is spread over a window of the result. */
#include "compiler/host/dot.h"

/* Where a tap of an input pixel lands. */
struct landing {
    int64_t input, weights, result; /* first elements; of weights and result, of output channel 0 */
};

typedef void spread(const struct kernel_call *call, const struct landing *landing);

/* Visits the taps in the reference's order: input pixels, then rows and columns of the window. */
static void visit_pixel(const struct kernel_call *call, const struct walk *walk, int64_t pixel,
                        spread *visit) {
    const struct weft_type *w = input_type(call, 1);
    const struct weft_type *out = result_type(call, 0);
    const int64_t *strides = weft_node_ints(call->node, WEFT_ATTR_strides);
    const int64_t *padding = weft_node_ints(call->node, WEFT_ATTR_padding);
    for (int64_t ky = 0; ky < w->dim[1]; ky++) {
        int64_t row = walk->at[1] * strides[0] - padding[0] + ky;
        for (int64_t kx = 0; kx < w->dim[2]; kx++) {
            int64_t column = walk->at[2] * strides[1] - padding[1] + kx;
            if (row < 0 || row >= out->dim[1] || column < 0 || column >= out->dim[2]) {
                continue;
            }
            struct landing landing = {
                .input = pixel * w->dim[3],
                .weights = (ky * w->dim[2] + kx) * w->dim[3],
                .result = ((walk->at[0] * out->dim[1] + row) * out->dim[2] + column) * out->dim[3],
            };
            visit(call, &landing);
        }
    }
}

static void visit_all(const struct kernel_call *call, spread *visit) {
    struct weft_type pixels = *input_type(call, 0);
    pixels.rank = 3;
    struct walk walk = walk_start(&pixels);
    memset(call->results[0], 0, weft_type_bytes(result_type(call, 0)));
    for (int64_t i = 0; i < weft_type_elements(&pixels); i++, walk_next(&walk)) {
        visit_pixel(call, &walk, i, visit);
    }
}

static void spread_quantized(const struct kernel_call *call, const struct landing *landing) {
    const struct weft_type *w = input_type(call, 1);
    const struct weft_type *out = result_type(call, 0);
    struct operands operands = operands_of(call);
    int64_t filter = w->dim[1] * w->dim[2] * w->dim[3];
    for (int64_t o = 0; o < out->dim[3]; o++) {
        int64_t sum = dot(&operands, landing->input, landing->weights + o * filter, w->dim[3],
                          weft_type_zero(w, o));
        int64_t before = load_integer(out->dtype, call->results[0], landing->result + o);
        store_sum(out, call->results[0], landing->result + o,
                  (int64_t)((uint64_t)before + (uint64_t)sum));
    }
}

static void spread_float(const struct kernel_call *call, const struct landing *landing) {
    const struct weft_type *w = input_type(call, 1);
    const struct weft_type *out = result_type(call, 0);
    int64_t filter = w->dim[1] * w->dim[2] * w->dim[3];
    for (int64_t o = 0; o < out->dim[3]; o++) {
        float before = load_float(call->results[0], landing->result + o);
        store_float(call->results[0], landing->result + o,
                    dot_float(before, call->inputs[0], landing->input, call->inputs[1],
                              landing->weights + o * filter, w->dim[3]));
    }
}

bool kernel_qnn_conv2d_transpose(const struct kernel_call *call) {
    visit_all(call, spread_quantized);
    return true;
}

bool kernel_conv2d_transpose(const struct kernel_call *call) {
    visit_all(call, spread_float);
    return true;
}
