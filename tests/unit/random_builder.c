#include "tests/unit/random_builder.h"

#include <math.h>

#include "base/integer.h"

int64_t builder_pick(struct builder *b, int64_t low, int64_t high) {
    return random_in(&b->seed, low, high);
}

int64_t builder_pick_small(struct builder *b, int64_t low, int64_t high) {
    return random_once_in(&b->seed, 3)
               ? builder_pick(b, low, high)
               : builder_pick(b, low, weft_min(high, low + (high - low) / 3));
}

int32_t builder_random_zero(struct builder *b, enum weft_dtype dtype) {
    return (int32_t)builder_pick(b, weft_dtype_min(dtype), weft_dtype_max(dtype));
}

struct weft_quantization builder_random_quantization(struct builder *b, enum weft_dtype dtype) {
    double scale = exp2((double)builder_pick(b, -6000, 0) / 1000);
    return weft_quantization_make(b->arena, scale, builder_random_zero(b, dtype));
}

enum weft_dtype builder_random_byte(struct builder *b) {
    return random_once_in(&b->seed, 5) ? WEFT_U8 : WEFT_I8;
}

/* ---- nodes ---- */

struct weft_value *builder_add(struct builder *b, enum weft_operator op, uint32_t input_count,
                               struct weft_value *const *inputs, uint32_t attribute_count,
                               const struct weft_attribute *attributes,
                               const struct weft_type *type) {
    struct weft_error error;
    struct weft_type inferred;
    struct weft_node *node =
        weft_graph_add_node(b->graph, op, input_count, inputs, attribute_count, attributes);
    if (type == NULL) {
        ASSERT_GOOD(weft_node_infer(b->arena, node, &inferred, &error), error);
        type = &inferred;
    }
    return weft_node_add_result(b->graph, node, type, -1);
}

struct weft_value *builder_constant(struct builder *b, const struct weft_type *type) {
    size_t length = weft_type_bytes(type);
    uint8_t *data = WEFT_NEW_ARRAY(b->arena, length, uint8_t);
    random_fill(&b->seed, data, length);
    return weft_graph_add_constant(b->graph, type, data, NULL, -1);
}

void builder_clip_sometimes(struct builder *b) {
    if (random_once_in(&b->seed, 2)) {
        int64_t most = weft_dtype_max(b->value->type.dtype);
        int64_t min = builder_random_zero(b, b->value->type.dtype);
        const struct weft_attribute limits[] = {
            weft_attr_int(b->arena, WEFT_ATTR_min, min),
            weft_attr_int(b->arena, WEFT_ATTR_max, builder_pick(b, min, most))};
        b->value = builder_add(b, WEFT_OP_CLIP, 1, &b->value, 2, limits, NULL);
    }
}

void builder_reshape(struct builder *b, uint32_t rank, const int64_t *dims) {
    struct weft_type type = weft_type_make(b->value->type.dtype, rank, dims);
    type.quantization = b->value->type.quantization;
    b->value = builder_add(b, WEFT_OP_RESHAPE, 1, &b->value, 0, NULL, &type);
}

struct window builder_window(struct builder *b, bool dilates) {
    const int64_t *size = &b->value->type.dim[1];
    struct window w;
    int style = (int)builder_pick(b, 0, 2);
    for (int i = 0; i < 2; i++) {
        w.dilation[i] = dilates && random_once_in(&b->seed, 4) ? b->limits->dilation : 1;
        w.strides[i] = builder_pick_small(b, 1, b->limits->stride);
        w.kernel[i] = builder_pick(b, 1, b->limits->window);
        if (style == 1 || (!dilates && style == 2)) {
            w.kernel[i] = weft_min(w.kernel[i], size[i]);
        }
        int64_t reach = (w.kernel[i] - 1) * w.dilation[i] + 1;
        int64_t total = 0;
        if (style == 0) {
            total = weft_max(
                (weft_ceil_div(size[i], w.strides[i]) - 1) * w.strides[i] + reach - size[i], 0);
        }
        w.padding[i] = total / 2;
        w.padding[2 + i] = total - total / 2;
        if (style == 2) {
            /* Folded pads can be larger than the kernel. */
            int64_t more = dilates && random_once_in(&b->seed, 4) ? 12 : 0;
            w.padding[i] = builder_pick(b, 0, w.kernel[i] - 1 + more);
            w.padding[2 + i] = builder_pick(b, 0, w.kernel[i] - 1 + more);
        }
        /* Widen what does not fit yet. */
        int64_t missing = reach - size[i] - w.padding[i] - w.padding[2 + i];
        w.padding[2 + i] += weft_max(missing, 0);
    }
    return w;
}
