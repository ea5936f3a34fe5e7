/* Random products: convolutions and dense layers. */
#include <math.h>

#include "base/integer.h"
#include "tests/unit/random_builder.h"

struct weft_value *builder_weights(struct builder *b, uint32_t rank, const int64_t *dims) {
    struct weft_type type = weft_type_make(builder_random_byte(b), rank, dims);
    int32_t zero = random_once_in(&b->seed, 4) ? builder_random_zero(b, type.dtype) : 0;
    uint32_t count = random_once_in(&b->seed, 2) ? (uint32_t)dims[0] : 1;
    double *scale = WEFT_NEW_ARRAY(b->arena, count, double);
    int32_t *zeros = WEFT_NEW_ARRAY(b->arena, count, int32_t);
    for (uint32_t i = 0; i < count; i++) {
        scale[i] = exp2((double)builder_pick(b, -8000, -6000) / 1000);
        zeros[i] = zero;
    }
    type.quantization =
        (struct weft_quantization){.count = count, .axis = 0, .scale = scale, .zero = zeros};
    return builder_constant(b, &type);
}

static struct weft_value *bias(struct builder *b, int64_t outputs, int64_t taps) {
    struct weft_type type = weft_type_make(WEFT_I32, 1, &outputs);
    int32_t *data = WEFT_NEW_ARRAY(b->arena, (size_t)outputs, int32_t);
    for (int64_t i = 0; i < outputs; i++) {
        data[i] = (int32_t)builder_pick(b, -2000 * taps, 2000 * taps);
    }
    return weft_graph_add_constant(b->graph, &type, data, NULL, -1);
}

void builder_finish_product(struct builder *b, struct weft_value *product, int64_t taps,
                            const char *rounding) {
    int64_t outputs = product->type.dim[product->type.rank - 1];
    if (!random_once_in(&b->seed, 4)) {
        struct weft_value *inputs[2] = {product, bias(b, outputs, taps)};
        product = builder_add(b, WEFT_OP_BIAS_ADD, 2, inputs, 0, NULL, NULL);
    }
    /* Sums of random products spread like the root of their number. */
    double spread =
        sqrt((double)taps) * 74 * 74 / 64 * exp2((double)builder_pick(b, -2000, 2000) / 1000);
    struct weft_type type = product->type;
    type.dtype = builder_random_byte(b);
    type.quantization = weft_quantization_make(
        b->arena, weft_type_scale(&product->type, 0) * spread, builder_random_zero(b, type.dtype));
    bool as_float = (taps + outputs) % 4 == 0;
    const struct weft_attribute attribute =
        weft_attr_text(WEFT_ATTR_rounding, as_float ? "float" : rounding);
    b->value = builder_add(b, WEFT_OP_QNN_REQUANTIZE, 1, &product, 1, &attribute, &type);
    builder_clip_sometimes(b);
}

static void choose_channels(struct builder *b, int64_t channels, int64_t *groups,
                            int64_t *outputs) {
    int64_t most = b->limits->channels;
    *groups = 1;
    *outputs = builder_pick_small(b, 1, most);
    switch (builder_pick(b, 0, 7)) {
    case 0:
    case 1:
        *groups = *outputs = channels;
        break;
    case 2:
        *groups = channels;
        *outputs = channels * builder_pick(b, 1, weft_max(most / channels, 1));
        break;
    case 3:
        while (channels % *groups != 0 || *groups == 1) {
            (*groups)++;
            if (*groups > channels) {
                *groups = 1;
                return;
            }
        }
        *outputs = *groups * builder_pick(b, 1, weft_max(most / *groups, 1));
        break;
    default:
        break;
    }
}

void builder_convolution(struct builder *b) {
    struct weft_type x = b->value->type;
    struct window w = builder_window(b, true);
    int64_t groups = 1;
    int64_t outputs = 1;
    choose_channels(b, x.dim[3], &groups, &outputs);
    int64_t pixels = x.dim[0];
    int64_t taps = w.kernel[0] * w.kernel[1] * (x.dim[3] / groups);
    for (int i = 0; i < 2; i++) {
        int64_t padded = x.dim[1 + i] + w.padding[i] + w.padding[2 + i];
        pixels *= (padded - (w.kernel[i] - 1) * w.dilation[i] - 1) / w.strides[i] + 1;
    }
    if (groups == 1) {
        outputs = weft_clamp(b->limits->macs / (pixels * taps), 1, outputs);
    }
    int64_t dims[4] = {outputs, w.kernel[0], w.kernel[1], x.dim[3] / groups};
    struct weft_value *inputs[2] = {b->value, builder_weights(b, 4, dims)};
    const struct weft_attribute attributes[] = {
        weft_attr_ints(b->arena, WEFT_ATTR_strides, 2, w.strides),
        weft_attr_ints(b->arena, WEFT_ATTR_padding, 4, w.padding),
        weft_attr_ints(b->arena, WEFT_ATTR_dilation, 2, w.dilation),
        weft_attr_int(b->arena, WEFT_ATTR_groups, groups),
    };
    builder_finish_product(b, builder_add(b, WEFT_OP_QNN_CONV2D, 2, inputs, 4, attributes, NULL),
                           taps, "gemmlowp");
}

void builder_dense(struct builder *b) {
    const struct weft_type *x = &b->value->type;
    if (x->rank != 2 || random_once_in(&b->seed, 3)) {
        int64_t rows = random_once_in(&b->seed, 2) && x->rank > 1 ? x->dim[0] : 1;
        builder_reshape(b, 2, (const int64_t[]){rows, weft_type_elements(x) / rows});
        x = &b->value->type;
    }
    int64_t taps = x->dim[1];
    int64_t most = weft_max(b->limits->macs / (taps * x->dim[0]), 1);
    int64_t dims[2] = {builder_pick(b, 1, weft_min(b->limits->channels, most)), taps};
    struct weft_value *inputs[2] = {b->value, builder_weights(b, 2, dims)};
    builder_finish_product(b, builder_add(b, WEFT_OP_QNN_DENSE, 2, inputs, 0, NULL, NULL), taps,
                           random_once_in(&b->seed, 4) ? "gemmlowp" : "single");
}
