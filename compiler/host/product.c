/* Convolution, matrix product, and the steps that follow them. */
#include <math.h>
#include <string.h>

#include "base/fixed_point.h"
#include "base/integer.h"
#include "compiler/host/kernels.h"

/* The sum over one window; x is one image [H, W, C], w one filter [KH, KW, C / groups]. Sums wrap.
 */
static uint32_t window_sum(const struct kernel_call *call, int64_t image, int64_t o, int64_t y,
                           int64_t x) {
    const struct weft_type *in = &call->node->inputs[0]->type;
    const struct weft_type *w = &call->node->inputs[1]->type;
    const int64_t *strides = weft_node_ints(call->node, WEFT_ATTR_strides);
    const int64_t *padding = weft_node_ints(call->node, WEFT_ATTR_padding);
    const int64_t *dilation = weft_node_ints(call->node, WEFT_ATTR_dilation);
    int64_t depth = w->dim[3];
    int64_t first = o / (w->dim[0] / weft_node_int(call->node, WEFT_ATTR_groups)) * depth;
    int32_t in_zero = weft_type_zero(in, 0);
    int32_t w_zero = weft_type_zero(w, o);
    uint32_t sum = 0;
    for (int64_t ky = 0; ky < w->dim[1]; ky++) {
        int64_t row = y * strides[0] - padding[0] + ky * dilation[0];
        for (int64_t kx = 0; kx < w->dim[2]; kx++) {
            int64_t column = x * strides[1] - padding[1] + kx * dilation[1];
            if (row < 0 || row >= in->dim[1] || column < 0 || column >= in->dim[2]) {
                continue;
            }
            int64_t at = ((image * in->dim[1] + row) * in->dim[2] + column) * in->dim[3] + first;
            int64_t tap = ((o * w->dim[1] + ky) * w->dim[2] + kx) * depth;
            for (int64_t c = 0; c < depth; c++) {
                int32_t a = load_element(in->dtype, call->inputs[0], at + c) - in_zero;
                int32_t b = load_element(w->dtype, call->inputs[1], tap + c) - w_zero;
                sum += (uint32_t)a * (uint32_t)b;
            }
        }
    }
    return sum;
}

bool kernel_conv2d(const struct kernel_call *call) {
    const struct weft_type *out = &call->node->results[0]->type;
    int32_t *result = call->results[0];
    for (int64_t n = 0; n < out->dim[0]; n++) {
        for (int64_t y = 0; y < out->dim[1]; y++) {
            for (int64_t x = 0; x < out->dim[2]; x++) {
                for (int64_t o = 0; o < out->dim[3]; o++) {
                    *result++ = (int32_t)window_sum(call, n, o, y, x);
                }
            }
        }
    }
    return true;
}

bool kernel_dense(const struct kernel_call *call) {
    const struct weft_type *in = &call->node->inputs[0]->type;
    const struct weft_type *w = &call->node->inputs[1]->type;
    int32_t *result = call->results[0];
    for (int64_t n = 0; n < in->dim[0]; n++) {
        for (int64_t o = 0; o < w->dim[0]; o++) {
            uint32_t sum = 0;
            for (int64_t k = 0; k < w->dim[1]; k++) {
                int32_t a = load_element(in->dtype, call->inputs[0], n * w->dim[1] + k) -
                            weft_type_zero(in, 0);
                int32_t b = load_element(w->dtype, call->inputs[1], o * w->dim[1] + k) -
                            weft_type_zero(w, o);
                sum += (uint32_t)a * (uint32_t)b;
            }
            *result++ = (int32_t)sum;
        }
    }
    return true;
}

bool kernel_bias_add(const struct kernel_call *call) {
    const struct weft_type *type = &call->node->results[0]->type;
    const int32_t *x = call->inputs[0];
    int32_t *result = call->results[0];
    int64_t channels = type->dim[type->rank - 1];
    for (int64_t i = 0; i < weft_type_elements(type); i++) {
        int32_t bias;
        memcpy(&bias, (const char *)call->inputs[1] + i % channels * 4, sizeof bias);
        result[i] = (int32_t)((uint32_t)x[i] + (uint32_t)bias);
    }
    return true;
}

/* gemmlowp: MultiplyByQuantizedMultiplier(). single: TFLite's FULLY_CONNECTED multiplies by a
 * double and rounds once. */
bool kernel_requantize(const struct kernel_call *call) {
    const struct weft_type *from = &call->node->inputs[0]->type;
    const struct weft_type *to = &call->node->results[0]->type;
    bool single = strcmp(weft_node_text(call->node, WEFT_ATTR_rounding), "single") == 0;
    const int32_t *x = call->inputs[0];
    int64_t channels = from->dim[from->rank - 1];
    for (int64_t i = 0; i < weft_type_elements(from); i++) {
        double scale = weft_type_scale(from, i % channels) / weft_type_scale(to, 0);
        int64_t scaled = 0;
        if (single) {
            double rounded = round((double)x[i] * scale);
            scaled = (int64_t)fmin(fmax(rounded, INT32_MIN), INT32_MAX);
        } else {
            int32_t multiplier = 0;
            int shift = 0;
            weft_quantize_multiplier(scale, &multiplier, &shift);
            scaled = weft_scale_gemmlowp(x[i], multiplier, shift > 31 ? 31 : shift);
        }
        store_element(to->dtype, call->results[0], i,
                      (int32_t)weft_clamp(scaled + weft_type_zero(to, 0), weft_dtype_min(to->dtype),
                                          weft_dtype_max(to->dtype)));
    }
    return true;
}
