#include "tests/unit/random_graphs.h"

#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "tests/unit/random_builder.h"

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

/* ---- products ---- */

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
    const struct weft_attribute attribute = weft_attr_text(WEFT_ATTR_rounding, rounding);
    b->value = builder_add(b, WEFT_OP_QNN_REQUANTIZE, 1, &product, 1, &attribute, &type);
    builder_clip_sometimes(b);
}

struct window {
    int64_t kernel[2], strides[2], dilation[2], padding[4];
};

/* SAME, VALID or any padding; the window fits the padded input. */
static struct window random_window(struct builder *b, bool dilates) {
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

static void add_conv(struct builder *b) {
    struct weft_type x = b->value->type;
    struct window w = random_window(b, true);
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

void builder_reshape(struct builder *b, uint32_t rank, const int64_t *dims) {
    struct weft_type type = weft_type_make(b->value->type.dtype, rank, dims);
    type.quantization = b->value->type.quantization;
    b->value = builder_add(b, WEFT_OP_RESHAPE, 1, &b->value, 0, NULL, &type);
}

/* Flattens first, all of it or each image, unless the tensor has two dimensions already. */
static void add_dense(struct builder *b) {
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

/* ---- the rest ---- */

static void add_pool(struct builder *b) {
    struct window w = random_window(b, false);
    for (int i = 0; i < 4; i++) {
        if (w.padding[i] >= w.kernel[i % 2]) {
            return; /* a window could lie in the padding */
        }
    }
    const struct weft_attribute attributes[] = {
        weft_attr_ints(b->arena, WEFT_ATTR_kernel, 2, w.kernel),
        weft_attr_ints(b->arena, WEFT_ATTR_strides, 2, w.strides),
        weft_attr_ints(b->arena, WEFT_ATTR_padding, 4, w.padding),
    };
    enum weft_operator op = random_once_in(&b->seed, 2) ? WEFT_OP_AVG_POOL2D : WEFT_OP_MAX_POOL2D;
    b->value = builder_add(b, op, 1, &b->value, 3, attributes, NULL);
    builder_clip_sometimes(b);
}

/* Another operand: the value itself, another one of its shape, or a new input or constant, with
 * some axes of one element. */
static struct weft_value *second_operand(struct builder *b) {
    struct weft_type type = b->value->type;
    struct weft_value *operand = b->value;
    for (size_t i = 0; i < b->graph->node_count; i++) {
        struct weft_value *other = b->graph->nodes[i]->results[0];
        if (weft_shape_equal(&other->type, &type) && other->type.dtype == type.dtype &&
            other->producer->op != WEFT_OP_CONSTANT && random_once_in(&b->seed, 2)) {
            operand = other;
        }
    }
    if (random_once_in(&b->seed, 3)) {
        return operand;
    }
    type.quantization = builder_random_quantization(b, type.dtype);
    bool fixed = random_once_in(&b->seed, 2);
    for (uint32_t i = 0; i < type.rank && random_once_in(&b->seed, 2); i++) {
        bool lanes = i + 1 == type.rank;
        type.dim[i] = random_once_in(&b->seed, 2) && (!lanes || fixed) ? 1 : type.dim[i];
    }
    while (type.rank > 1 && type.dim[0] == 1 && random_once_in(&b->seed, 2)) {
        type.rank--;
        memmove(type.dim, type.dim + 1, type.rank * sizeof *type.dim);
    }
    return fixed ? builder_constant(b, &type) : weft_graph_add_input(b->graph, &type, NULL, -1);
}

static void add_binary(struct builder *b) {
    static const enum weft_operator ops[] = {WEFT_OP_QNN_ADD, WEFT_OP_QNN_ADD, WEFT_OP_QNN_SUBTRACT,
                                             WEFT_OP_QNN_MUL, WEFT_OP_MAXIMUM, WEFT_OP_MINIMUM};
    enum weft_operator op = ops[builder_pick(b, 0, sizeof ops / sizeof ops[0] - 1)];
    struct weft_type type = b->value->type;
    struct weft_value *inputs[2] = {b->value, second_operand(b)};
    if (random_once_in(&b->seed, 2)) {
        struct weft_value *first = inputs[0];
        inputs[0] = inputs[1];
        inputs[1] = first;
    }
    double scale_a = weft_type_scale(&inputs[0]->type, 0);
    double scale_b = weft_type_scale(&inputs[1]->type, 0);
    /* Much smaller scales are refused, by TFLite too. */
    double scale = op == WEFT_OP_QNN_MUL ? scale_a * scale_b * 64 : fmax(scale_a, scale_b);
    scale *= exp2((double)builder_pick(b, -2000, 2000) / 1000);
    type.quantization = weft_quantization_make(b->arena, scale, builder_random_zero(b, type.dtype));
    b->value = builder_add(b, op, 2, inputs, 0, NULL, &type);
    builder_clip_sometimes(b);
}

/* A function of one byte. */
static void add_function(struct builder *b) {
    static const enum weft_operator ops[] = {
        WEFT_OP_QNN_REQUANTIZE,   WEFT_OP_QNN_RELU,       WEFT_OP_QNN_RELU6,
        WEFT_OP_QNN_RELU_N1_TO_1, WEFT_OP_QNN_LEAKY_RELU, WEFT_OP_QNN_HARD_SWISH,
        WEFT_OP_QNN_LOGISTIC,     WEFT_OP_QNN_TANH,
    };
    struct weft_type type = b->value->type;
    enum weft_operator op = ops[builder_pick(b, 0, sizeof ops / sizeof ops[0] - 1)];
    const struct weft_attribute attribute = op == WEFT_OP_QNN_REQUANTIZE
                                                ? weft_attr_text(WEFT_ATTR_rounding, "gemmlowp")
                                                : weft_attr_float(WEFT_ATTR_alpha, 0.25);
    uint32_t attributes = op == WEFT_OP_QNN_REQUANTIZE || op == WEFT_OP_QNN_LEAKY_RELU ? 1 : 0;
    double scale = weft_type_scale(&type, 0) * exp2((double)builder_pick(b, -2000, 2000) / 1000);
    type.dtype = op == WEFT_OP_QNN_REQUANTIZE ? builder_random_byte(b) : type.dtype;
    type.quantization = weft_quantization_make(b->arena, scale, builder_random_zero(b, type.dtype));
    if (op == WEFT_OP_QNN_REQUANTIZE && random_once_in(&b->seed, 2)) {
        /* The other type, the same values. */
        const struct weft_type *x = &b->value->type;
        int32_t flip = x->dtype == WEFT_I8 ? 128 : -128;
        type.dtype = x->dtype == WEFT_I8 ? WEFT_U8 : WEFT_I8;
        type.quantization =
            weft_quantization_make(b->arena, weft_type_scale(x, 0), weft_type_zero(x, 0) + flip);
    }
    b->value = builder_add(b, op, 1, &b->value, attributes, &attribute, &type);
    builder_clip_sometimes(b);
}

/* Over rows, columns or both. */
static void add_mean(struct builder *b) {
    static const int64_t axes[2] = {1, 2};
    int64_t first = builder_pick(b, 0, 1);
    uint32_t count = first == 0 ? (uint32_t)builder_pick(b, 1, 2) : 1;
    bool keep = random_once_in(&b->seed, 2);
    struct weft_type type = b->value->type;
    const struct weft_attribute attributes[] = {
        weft_attr_ints(b->arena, WEFT_ATTR_axes, count, axes + first),
        weft_attr_int(b->arena, WEFT_ATTR_keep_dims, keep),
    };
    for (uint32_t i = 0; i < count; i++) {
        type.dim[1 + first + i] = 1;
    }
    if (!keep) {
        type.rank -= count;
        for (int64_t i = 1 + first; i < type.rank; i++) {
            type.dim[i] = b->value->type.dim[i + count];
        }
    }
    double scale = weft_type_scale(&type, 0) * exp2((double)builder_pick(b, -3000, 1000) / 1000);
    type.quantization = weft_quantization_make(b->arena, scale, builder_random_zero(b, type.dtype));
    b->value = builder_add(b, WEFT_OP_QNN_MEAN, 1, &b->value, 2, attributes, &type);
    builder_clip_sometimes(b);
}

static void add_softmax(struct builder *b) {
    struct weft_type type = b->value->type;
    type.quantization =
        weft_quantization_make(b->arena, 1.0 / 256, (int32_t)weft_dtype_min(type.dtype));
    const struct weft_attribute beta = weft_attr_float(WEFT_ATTR_beta, 1.0);
    b->value = builder_add(b, WEFT_OP_QNN_SOFTMAX, 1, &b->value, 1, &beta, &type);
}

static void add_layer(struct builder *b) {
    bool picture = b->value->type.rank == 4;
    int64_t choice = builder_pick(b, 0, 28);
    if (choice < 10 && picture) {
        add_conv(b);
    } else if (choice < 12 && picture) {
        add_pool(b);
    } else if (choice < 13 && picture) {
        add_mean(b);
    } else if (choice < 14 && picture) {
        builder_transposed(b);
    } else if (choice < 17) {
        add_binary(b);
    } else if (choice < 23) {
        builder_move(b);
    } else if (choice < 24 && b->value->type.dim[b->value->type.rank - 1] < 500) {
        add_softmax(b);
    } else if (choice < 26) {
        add_dense(b);
    } else {
        add_function(b);
    }
}

struct weft_graph *random_layers(struct weft_arena *arena, const struct random_limits *limits,
                                 uint64_t seed) {
    struct builder b = {.arena = arena, .graph = weft_graph_new(arena, "random"), .limits = limits};
    b.seed = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    struct weft_type type = {.dtype = builder_random_byte(&b), .rank = 4};
    type.dim[0] = random_once_in(&b.seed, 3) ? builder_pick(&b, 1, limits->batch) : 1;
    type.dim[1] = builder_pick_small(&b, 1, limits->side);
    type.dim[2] = random_once_in(&b.seed, 6) ? 1 : builder_pick_small(&b, 1, limits->side);
    type.dim[3] = builder_pick_small(&b, 1, limits->channels);
    type.quantization = builder_random_quantization(&b, type.dtype);
    b.value = weft_graph_add_input(b.graph, &type, NULL, -1);
    for (int64_t layers = builder_pick(&b, 1, limits->layers); layers > 0; layers--) {
        add_layer(&b);
        if (layers > 1 && b.value->producer != NULL && random_once_in(&b.seed, 5)) {
            weft_graph_add_output(b.graph, b.value);
        }
    }
    weft_graph_add_output(b.graph, b.value);
    weft_graph_name(b.graph);
    return b.graph;
}
