#include "tests/unit/random_graphs.h"

#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "tests/unit/random_builder.h"

const struct random_limits random_small = {.side = 24,
                                           .channels = 48,
                                           .batch = 2,
                                           .macs = 1 << 20,
                                           .layers = 6,
                                           .window = 5,
                                           .stride = 3,
                                           .dilation = 2};

static void add_pool(struct builder *b) {
    struct window w = builder_window(b, false);
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

/* A factor or corrections, as models of ONNX have; false: none. */
static bool add_exactness(struct builder *b, enum weft_operator op, double factor,
                          struct weft_attribute *attribute) {
    if ((op != WEFT_OP_QNN_MUL && op != WEFT_OP_QNN_ADD) || !random_once_in(&b->seed, 2)) {
        return false;
    }
    int64_t corrections[2];
    corrections[0] = builder_pick(b, -5000, 5000);
    corrections[1] = builder_pick(b, -5000, 5000);
    double bits = exp2(31 - fmax(ceil(log2(factor)), 0));
    *attribute = op == WEFT_OP_QNN_MUL
                     ? weft_attr_float(WEFT_ATTR_factor, floor(factor * bits) / bits)
                     : weft_attr_ints(b->arena, WEFT_ATTR_corrections, 2, corrections);
    return true;
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
    struct weft_attribute exact;
    uint32_t attributes = add_exactness(b, op, scale_a * scale_b / scale, &exact) ? 1 : 0;
    b->value = builder_add(b, op, 2, inputs, attributes, &exact, &type);
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

/* A window over pixels that were picked; sometimes two over the same ones. */
static void add_picked(struct builder *b) {
    builder_pick_pixels(b);
    struct weft_value *picked = b->value;
    for (int windows = random_once_in(&b->seed, 3) ? 2 : 1; windows > 0; windows--) {
        b->value = picked;
        if (random_once_in(&b->seed, 3)) {
            add_pool(b);
        } else {
            builder_convolution(b);
        }
        if (windows > 1) {
            weft_graph_add_output(b->graph, b->value);
        }
    }
}

/* The last two axes in the other order, or any two before the last one. */
static void add_transpose(struct builder *b) {
    int64_t permutation[4] = {0, 1, 2, 3};
    uint32_t rank = b->value->type.rank;
    int64_t first = builder_pick(b, 0, rank - 2);
    int64_t second = first + 1 < rank - 1 || random_once_in(&b->seed, 3) ? first + 1 : first;
    permutation[first] = second;
    permutation[second] = first;
    const struct weft_attribute attribute =
        weft_attr_ints(b->arena, WEFT_ATTR_permutation, rank, permutation);
    b->value = builder_add(b, WEFT_OP_TRANSPOSE, 1, &b->value, 1, &attribute, NULL);
}

/* Rows of the last result times a constant, an input, or themselves; the other operand may be one
 * for all matrices, and transposed. */
static void add_matmul(struct builder *b) {
    struct weft_type type = b->value->type;
    bool transposed = random_once_in(&b->seed, 2);
    int64_t depth = type.dim[type.rank - 1];
    struct weft_value *inputs[2] = {b->value, b->value};
    const struct weft_attribute attributes[] = {
        weft_attr_int(b->arena, WEFT_ATTR_transpose_a, 0),
        weft_attr_int(b->arena, WEFT_ATTR_transpose_b, transposed),
    };
    if (!transposed || type.dim[type.rank - 2] > 40 || !random_once_in(&b->seed, 3)) {
        type.dtype = builder_random_byte(b);
        type.quantization = builder_random_quantization(b, type.dtype);
        type.dim[type.rank - 1 - transposed] = builder_pick_small(b, 1, b->limits->channels);
        type.dim[type.rank - 2 + transposed] = depth;
        for (uint32_t i = 0; i + 2 < type.rank; i++) {
            type.dim[i] = random_once_in(&b->seed, 4) ? 1 : type.dim[i];
        }
        inputs[1] = random_once_in(&b->seed, 3) ? builder_constant(b, &type)
                                                : weft_graph_add_input(b->graph, &type, NULL, -1);
    }
    if (inputs[1]->type.dtype == inputs[0]->type.dtype) {
        builder_finish_product(
            b, builder_add(b, WEFT_OP_QNN_BATCH_MATMUL, 2, inputs, 2, attributes, NULL), depth,
            "gemmlowp");
    }
}

static void add_layer(struct builder *b) {
    bool picture = b->value->type.rank == 4;
    if (b->limits->picks && picture) {
        add_picked(b);
        return;
    }
    int64_t choice = builder_pick(b, 0, 32);
    if (choice < 10 && picture) {
        builder_convolution(b);
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
        builder_dense(b);
    } else if (choice < 29 || b->value->type.rank < 2) {
        add_function(b);
    } else if (choice < 31) {
        add_matmul(b);
    } else {
        add_transpose(b);
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
