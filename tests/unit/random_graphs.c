#include "tests/unit/random_graphs.h"

#include <math.h>
#include <string.h>

#include "base/integer.h"

struct builder {
    struct weft_arena *arena;
    struct weft_graph *graph;
    const struct random_limits *limits;
    uint64_t seed;
    struct weft_value *value; /* the last result */
};

static int64_t pick(struct builder *b, int64_t low, int64_t high) {
    return random_in(&b->seed, low, high);
}

/* Small numbers more often than large ones. */
static int64_t pick_small(struct builder *b, int64_t low, int64_t high) {
    return random_once_in(&b->seed, 3) ? pick(b, low, high)
                                       : pick(b, low, weft_min(high, low + (high - low) / 3));
}

static int32_t random_zero(struct builder *b, enum weft_dtype dtype) {
    return (int32_t)pick(b, weft_dtype_min(dtype), weft_dtype_max(dtype));
}

static struct weft_quantization random_quantization(struct builder *b, enum weft_dtype dtype) {
    double scale = exp2((double)pick(b, -6000, 0) / 1000);
    return weft_quantization_make(b->arena, scale, random_zero(b, dtype));
}

/* int8, or less often uint8. */
static enum weft_dtype random_byte(struct builder *b) {
    return random_once_in(&b->seed, 5) ? WEFT_U8 : WEFT_I8;
}

/* ---- nodes ---- */

/* Adds a node; `type` NULL: the type that is inferred. */
static struct weft_value *add(struct builder *b, enum weft_operator op, uint32_t input_count,
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

static struct weft_value *constant(struct builder *b, const struct weft_type *type) {
    size_t length = weft_type_bytes(type);
    uint8_t *data = WEFT_NEW_ARRAY(b->arena, length, uint8_t);
    random_fill(&b->seed, data, length);
    return weft_graph_add_constant(b->graph, type, data, NULL, -1);
}

static void clip_sometimes(struct builder *b) {
    if (random_once_in(&b->seed, 2)) {
        int64_t most = weft_dtype_max(b->value->type.dtype);
        int64_t min = random_zero(b, b->value->type.dtype);
        const struct weft_attribute limits[] = {
            weft_attr_int(b->arena, WEFT_ATTR_min, min),
            weft_attr_int(b->arena, WEFT_ATTR_max, pick(b, min, most))};
        b->value = add(b, WEFT_OP_CLIP, 1, &b->value, 2, limits, NULL);
    }
}

/* ---- products ---- */

/* int8 or uint8 weights [outputs, ...], per channel or not, sometimes with a zero point. */
static struct weft_value *weights(struct builder *b, uint32_t rank, const int64_t *dims) {
    struct weft_type type = weft_type_make(random_byte(b), rank, dims);
    int32_t zero = random_once_in(&b->seed, 4) ? random_zero(b, type.dtype) : 0;
    uint32_t count = random_once_in(&b->seed, 2) ? (uint32_t)dims[0] : 1;
    double *scale = WEFT_NEW_ARRAY(b->arena, count, double);
    int32_t *zeros = WEFT_NEW_ARRAY(b->arena, count, int32_t);
    for (uint32_t i = 0; i < count; i++) {
        scale[i] = exp2((double)pick(b, -8000, -6000) / 1000);
        zeros[i] = zero;
    }
    type.quantization =
        (struct weft_quantization){.count = count, .axis = 0, .scale = scale, .zero = zeros};
    return constant(b, &type);
}

static struct weft_value *bias(struct builder *b, int64_t outputs, int64_t taps) {
    struct weft_type type = weft_type_make(WEFT_I32, 1, &outputs);
    int32_t *data = WEFT_NEW_ARRAY(b->arena, (size_t)outputs, int32_t);
    for (int64_t i = 0; i < outputs; i++) {
        data[i] = (int32_t)pick(b, -2000 * taps, 2000 * taps);
    }
    return weft_graph_add_constant(b->graph, &type, data, NULL, -1);
}

/* bias_add or not, requantize, clip or not. */
static void finish_product(struct builder *b, struct weft_value *product, int64_t taps,
                           const char *rounding) {
    int64_t outputs = product->type.dim[product->type.rank - 1];
    if (!random_once_in(&b->seed, 4)) {
        struct weft_value *inputs[2] = {product, bias(b, outputs, taps)};
        product = add(b, WEFT_OP_BIAS_ADD, 2, inputs, 0, NULL, NULL);
    }
    /* Sums of random products spread like the root of their number. */
    double spread = sqrt((double)taps) * 74 * 74 / 64 * exp2((double)pick(b, -2000, 2000) / 1000);
    struct weft_type type = product->type;
    type.dtype = random_byte(b);
    type.quantization = weft_quantization_make(
        b->arena, weft_type_scale(&product->type, 0) * spread, random_zero(b, type.dtype));
    const struct weft_attribute attribute = weft_attr_text(WEFT_ATTR_rounding, rounding);
    b->value = add(b, WEFT_OP_QNN_REQUANTIZE, 1, &product, 1, &attribute, &type);
    clip_sometimes(b);
}

struct window {
    int64_t kernel[2], strides[2], dilation[2], padding[4];
};

/* SAME, VALID or any padding; the window fits the padded input. */
static struct window random_window(struct builder *b, bool dilates) {
    const int64_t *size = &b->value->type.dim[1];
    struct window w;
    int style = (int)pick(b, 0, 2);
    for (int i = 0; i < 2; i++) {
        w.dilation[i] = dilates && random_once_in(&b->seed, 4) ? b->limits->dilation : 1;
        w.strides[i] = pick_small(b, 1, b->limits->stride);
        w.kernel[i] = pick(b, 1, b->limits->window);
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
            w.padding[i] = pick(b, 0, w.kernel[i] - 1 + more);
            w.padding[2 + i] = pick(b, 0, w.kernel[i] - 1 + more);
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
    *outputs = pick_small(b, 1, most);
    switch (pick(b, 0, 7)) {
    case 0:
    case 1:
        *groups = *outputs = channels;
        break;
    case 2:
        *groups = channels;
        *outputs = channels * pick(b, 1, weft_max(most / channels, 1));
        break;
    case 3:
        while (channels % *groups != 0 || *groups == 1) {
            (*groups)++;
            if (*groups > channels) {
                *groups = 1;
                return;
            }
        }
        *outputs = *groups * pick(b, 1, weft_max(most / *groups, 1));
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
    struct weft_value *inputs[2] = {b->value, weights(b, 4, dims)};
    const struct weft_attribute attributes[] = {
        weft_attr_ints(b->arena, WEFT_ATTR_strides, 2, w.strides),
        weft_attr_ints(b->arena, WEFT_ATTR_padding, 4, w.padding),
        weft_attr_ints(b->arena, WEFT_ATTR_dilation, 2, w.dilation),
        weft_attr_int(b->arena, WEFT_ATTR_groups, groups),
    };
    finish_product(b, add(b, WEFT_OP_QNN_CONV2D, 2, inputs, 4, attributes, NULL), taps, "gemmlowp");
}

static void add_reshape(struct builder *b, uint32_t rank, const int64_t *dims) {
    struct weft_type type = weft_type_make(b->value->type.dtype, rank, dims);
    type.quantization = b->value->type.quantization;
    b->value = add(b, WEFT_OP_RESHAPE, 1, &b->value, 0, NULL, &type);
}

/* Flattens first, all of it or each image, unless the tensor has two dimensions already. */
static void add_dense(struct builder *b) {
    const struct weft_type *x = &b->value->type;
    if (x->rank != 2 || random_once_in(&b->seed, 3)) {
        int64_t rows = random_once_in(&b->seed, 2) && x->rank > 1 ? x->dim[0] : 1;
        add_reshape(b, 2, (const int64_t[]){rows, weft_type_elements(x) / rows});
        x = &b->value->type;
    }
    int64_t taps = x->dim[1];
    int64_t most = weft_max(b->limits->macs / (taps * x->dim[0]), 1);
    int64_t dims[2] = {pick(b, 1, weft_min(b->limits->channels, most)), taps};
    struct weft_value *inputs[2] = {b->value, weights(b, 2, dims)};
    finish_product(b, add(b, WEFT_OP_QNN_DENSE, 2, inputs, 0, NULL, NULL), taps,
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
    b->value = add(b, op, 1, &b->value, 3, attributes, NULL);
    clip_sometimes(b);
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
    type.quantization = random_quantization(b, type.dtype);
    bool fixed = random_once_in(&b->seed, 2);
    for (uint32_t i = 0; i < type.rank && random_once_in(&b->seed, 2); i++) {
        bool lanes = i + 1 == type.rank;
        type.dim[i] = random_once_in(&b->seed, 2) && (!lanes || fixed) ? 1 : type.dim[i];
    }
    while (type.rank > 1 && type.dim[0] == 1 && random_once_in(&b->seed, 2)) {
        type.rank--;
        memmove(type.dim, type.dim + 1, type.rank * sizeof *type.dim);
    }
    return fixed ? constant(b, &type) : weft_graph_add_input(b->graph, &type, NULL, -1);
}

static void add_binary(struct builder *b) {
    static const enum weft_operator ops[] = {WEFT_OP_QNN_ADD, WEFT_OP_QNN_ADD, WEFT_OP_QNN_SUBTRACT,
                                             WEFT_OP_QNN_MUL, WEFT_OP_MAXIMUM, WEFT_OP_MINIMUM};
    enum weft_operator op = ops[pick(b, 0, sizeof ops / sizeof ops[0] - 1)];
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
    scale *= exp2((double)pick(b, -2000, 2000) / 1000);
    type.quantization = weft_quantization_make(b->arena, scale, random_zero(b, type.dtype));
    b->value = add(b, op, 2, inputs, 0, NULL, &type);
    clip_sometimes(b);
}

/* A function of one byte. */
static void add_function(struct builder *b) {
    static const enum weft_operator ops[] = {
        WEFT_OP_QNN_REQUANTIZE,   WEFT_OP_QNN_RELU,       WEFT_OP_QNN_RELU6,
        WEFT_OP_QNN_RELU_N1_TO_1, WEFT_OP_QNN_LEAKY_RELU, WEFT_OP_QNN_HARD_SWISH,
        WEFT_OP_QNN_LOGISTIC,     WEFT_OP_QNN_TANH,
    };
    struct weft_type type = b->value->type;
    enum weft_operator op = ops[pick(b, 0, sizeof ops / sizeof ops[0] - 1)];
    const struct weft_attribute attribute = op == WEFT_OP_QNN_REQUANTIZE
                                                ? weft_attr_text(WEFT_ATTR_rounding, "gemmlowp")
                                                : weft_attr_float(WEFT_ATTR_alpha, 0.25);
    uint32_t attributes = op == WEFT_OP_QNN_REQUANTIZE || op == WEFT_OP_QNN_LEAKY_RELU ? 1 : 0;
    double scale = weft_type_scale(&type, 0) * exp2((double)pick(b, -2000, 2000) / 1000);
    type.dtype = op == WEFT_OP_QNN_REQUANTIZE ? random_byte(b) : type.dtype;
    type.quantization = weft_quantization_make(b->arena, scale, random_zero(b, type.dtype));
    if (op == WEFT_OP_QNN_REQUANTIZE && random_once_in(&b->seed, 2)) {
        /* The other type, the same values. */
        const struct weft_type *x = &b->value->type;
        int32_t flip = x->dtype == WEFT_I8 ? 128 : -128;
        type.dtype = x->dtype == WEFT_I8 ? WEFT_U8 : WEFT_I8;
        type.quantization =
            weft_quantization_make(b->arena, weft_type_scale(x, 0), weft_type_zero(x, 0) + flip);
    }
    b->value = add(b, op, 1, &b->value, attributes, &attribute, &type);
    clip_sometimes(b);
}

/* Over rows, columns or both. */
static void add_mean(struct builder *b) {
    static const int64_t axes[2] = {1, 2};
    int64_t first = pick(b, 0, 1);
    uint32_t count = first == 0 ? (uint32_t)pick(b, 1, 2) : 1;
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
    double scale = weft_type_scale(&type, 0) * exp2((double)pick(b, -3000, 1000) / 1000);
    type.quantization = weft_quantization_make(b->arena, scale, random_zero(b, type.dtype));
    b->value = add(b, WEFT_OP_QNN_MEAN, 1, &b->value, 2, attributes, &type);
    clip_sometimes(b);
}

static void add_pad(struct builder *b) {
    int64_t pads[2 * WEFT_MAX_RANK] = {0};
    uint32_t rank = b->value->type.rank;
    for (uint32_t i = rank == 4 ? 1 : 0; i + 1 < rank; i++) {
        pads[2 * i] = pick_small(b, 0, 12);
        pads[2 * i + 1] = pick_small(b, 0, 12);
    }
    const struct weft_attribute attribute =
        weft_attr_ints(b->arena, WEFT_ATTR_pads, 2 * rank, pads);
    b->value = add(b, WEFT_OP_PAD, 1, &b->value, 1, &attribute, NULL);
}

/* Moves factors between up to four dimensions. */
static void add_any_reshape(struct builder *b) {
    int64_t rest = weft_type_elements(&b->value->type);
    int64_t dims[4] = {1, 1, 1, 1};
    uint32_t rank = (uint32_t)pick(b, 1, 4);
    for (uint32_t i = rank - 1; i > 0; i--) {
        int64_t size = pick(b, 1, weft_min(rest, b->limits->channels));
        while (rest % size != 0) {
            size--;
        }
        dims[i] = size;
        rest /= size;
    }
    dims[0] = rest;
    add_reshape(b, rank, dims);
}

static void add_softmax(struct builder *b) {
    struct weft_type type = b->value->type;
    type.quantization =
        weft_quantization_make(b->arena, 1.0 / 256, (int32_t)weft_dtype_min(type.dtype));
    const struct weft_attribute beta = weft_attr_float(WEFT_ATTR_beta, 1.0);
    b->value = add(b, WEFT_OP_QNN_SOFTMAX, 1, &b->value, 1, &beta, &type);
}

static void add_layer(struct builder *b) {
    bool picture = b->value->type.rank == 4;
    int64_t choice = pick(b, 0, 24);
    if (choice < 10 && picture) {
        add_conv(b);
    } else if (choice < 12 && picture) {
        add_pool(b);
    } else if (choice < 13 && picture) {
        add_mean(b);
    } else if (choice < 16) {
        add_binary(b);
    } else if (choice < 18) {
        add_pad(b);
    } else if (choice < 19) {
        add_any_reshape(b);
    } else if (choice < 20 && b->value->type.dim[b->value->type.rank - 1] < 500) {
        add_softmax(b);
    } else if (choice < 22) {
        add_dense(b);
    } else {
        add_function(b);
    }
}

struct weft_graph *random_layers(struct weft_arena *arena, const struct random_limits *limits,
                                 uint64_t seed) {
    struct builder b = {.arena = arena, .graph = weft_graph_new(arena, "random"), .limits = limits};
    b.seed = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    struct weft_type type = {.dtype = random_byte(&b), .rank = 4};
    type.dim[0] = random_once_in(&b.seed, 3) ? pick(&b, 1, limits->batch) : 1;
    type.dim[1] = pick_small(&b, 1, limits->side);
    type.dim[2] = random_once_in(&b.seed, 6) ? 1 : pick_small(&b, 1, limits->side);
    type.dim[3] = pick_small(&b, 1, limits->channels);
    type.quantization = random_quantization(&b, type.dtype);
    b.value = weft_graph_add_input(b.graph, &type, NULL, -1);
    for (int64_t layers = pick(&b, 1, limits->layers); layers > 0; layers--) {
        add_layer(&b);
        if (layers > 1 && b.value->producer != NULL && random_once_in(&b.seed, 5)) {
            weft_graph_add_output(b.graph, b.value);
        }
    }
    weft_graph_add_output(b.graph, b.value);
    weft_graph_name(b.graph);
    return b.graph;
}
