/* Kernels that keep the shape, and those that only move elements. */
#include <string.h>

#include "base/fixed_point.h"
#include "base/integer.h"
#include "compiler/host/kernels.h"

bool kernel_clip(const struct kernel_call *call) {
    const struct weft_type *type = &call->node->results[0]->type;
    if (type->dtype == WEFT_I64) {
        return kernel_unsupported(call, "64-bit integers");
    }
    int64_t min = weft_node_int(call->node, WEFT_ATTR_min);
    int64_t max = weft_node_int(call->node, WEFT_ATTR_max);
    for (int64_t i = 0; i < weft_type_elements(type); i++) {
        int32_t value = load_element(type->dtype, call->inputs[0], i);
        store_element(type->dtype, call->results[0], i, (int32_t)weft_clamp(value, min, max));
    }
    return true;
}

/* TFLite's ADD of 8-bit tensors: both operands with 20 more bits, scaled to twice the larger scale;
 * the sum scaled to the result. */
bool kernel_add(const struct kernel_call *call) {
    enum {
        LEFT_SHIFT = 20
    };
    const struct weft_type *a = &call->node->inputs[0]->type;
    const struct weft_type *b = &call->node->inputs[1]->type;
    const struct weft_type *out = &call->node->results[0]->type;
    if (out->dtype != WEFT_I8 && out->dtype != WEFT_U8) {
        return kernel_unsupported(call, "only 8-bit tensors");
    }
    double a_scale = weft_type_scale(a, 0);
    double b_scale = weft_type_scale(b, 0);
    double twice_max = 2.0 * (a_scale > b_scale ? a_scale : b_scale);
    const double scales[3] = {a_scale / twice_max, b_scale / twice_max,
                              twice_max / ((1 << LEFT_SHIFT) * weft_type_scale(out, 0))};
    int32_t multiplier[3];
    int shift[3];
    for (int i = 0; i < 3; i++) {
        weft_quantize_multiplier(scales[i], &multiplier[i], &shift[i]);
        if (shift[i] > 0) {
            return kernel_unsupported(call, "the result's scale is too small");
        }
    }
    for (int64_t i = 0; i < weft_type_elements(out); i++) {
        int32_t x = load_element(a->dtype, call->inputs[0], i) - weft_type_zero(a, 0);
        int32_t y = load_element(b->dtype, call->inputs[1], i) - weft_type_zero(b, 0);
        int32_t sum = weft_scale_gemmlowp(x * (1 << LEFT_SHIFT), multiplier[0], shift[0]) +
                      weft_scale_gemmlowp(y * (1 << LEFT_SHIFT), multiplier[1], shift[1]);
        int64_t value =
            (int64_t)weft_scale_gemmlowp(sum, multiplier[2], shift[2]) + weft_type_zero(out, 0);
        store_element(
            out->dtype, call->results[0], i,
            (int32_t)weft_clamp(value, weft_dtype_min(out->dtype), weft_dtype_max(out->dtype)));
    }
    return true;
}

/* Steps through the elements of the input in order; each lands `before` further along every axis.
 */
bool kernel_pad(const struct kernel_call *call) {
    const struct weft_type *in = &call->node->inputs[0]->type;
    const struct weft_type *out = &call->node->results[0]->type;
    const int64_t *pads = weft_node_ints(call->node, WEFT_ATTR_pads);
    if (out->dtype == WEFT_I64 || out->dtype == WEFT_F32) {
        return kernel_unsupported(call, "only integers of up to 32 bits");
    }
    int32_t fill = out->quantization.count > 0 ? weft_type_zero(out, 0) : 0;
    for (int64_t i = 0; i < weft_type_elements(out); i++) {
        store_element(out->dtype, call->results[0], i, fill);
    }
    for (int64_t i = 0; i < weft_type_elements(in); i++) {
        int64_t rest = i;
        int64_t to = 0;
        int64_t stride = 1;
        for (uint32_t axis = in->rank; axis-- > 0;) {
            to += (rest % in->dim[axis] + pads[2 * axis]) * stride;
            rest /= in->dim[axis];
            stride *= out->dim[axis];
        }
        store_element(out->dtype, call->results[0], to,
                      load_element(in->dtype, call->inputs[0], i));
    }
    return true;
}

bool kernel_reshape(const struct kernel_call *call) {
    memcpy(call->results[0], call->inputs[0], weft_type_bytes(&call->node->results[0]->type));
    return true;
}
