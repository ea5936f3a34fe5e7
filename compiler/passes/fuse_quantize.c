/* qnn.dequantize, a float operator, qnn.quantize: the operator of integers that ONNX Runtime puts
 * in their place, rounded as it rounds; docs/numerics.md. */
#include <math.h>
#include <string.h>

#include "compiler/passes/fuse.h"

/* Half of what an integer of 32 bits can be: the other half is for the sums. */
#define MOST_BIAS 0x1p30

/* ---- operands and results ---- */

/* The 8-bit tensor of one scale that a value of floats is made of, or NULL. */
static struct weft_value *operand(const struct weft_value *value) {
    struct weft_value *x = fuse_integers(value);
    return x != NULL && x->type.quantization.count == 1 ? x : NULL;
}

/* ---- limits between the operator and qnn.quantize ---- */

/* What a chain of limits does to the integers, and what it limits. */
struct limited {
    const struct weft_value *value;
    int64_t low, high;
    bool has_number; /* a maximum or minimum is among them */
};

/* The integer that a float becomes, ties to even. */
static int64_t quantized(const struct weft_type *type, float number) {
    double integer = rint((double)(number / (float)weft_type_scale(type, 0)));
    double least = (double)weft_dtype_min(type->dtype);
    double most = (double)weft_dtype_max(type->dtype);
    return (int64_t)fmin(fmax(integer + weft_type_zero(type, 0), least), most);
}

/* The number of a maximum or minimum, and the other operand; NULL: it is not one. */
static const struct weft_value *limit_of(const struct weft_node *node, float *number) {
    for (uint32_t i = 0; i < 2; i++) {
        const struct weft_value *other = node->inputs[1 - i];
        if (rule_is_number(node->inputs[i], number) &&
            weft_shape_equal(&other->type, &node->results[0]->type)) {
            return other;
        }
    }
    return NULL;
}

/* What a node limits, and to what; NULL: it is no limit. */
static const struct weft_value *read_limit(const struct weft_node *node, float *low, float *high) {
    *low = -INFINITY;
    *high = INFINITY;
    switch (node->op) {
    case WEFT_OP_RELU:
        *low = 0.0F;
        return node->inputs[0];
    case WEFT_OP_RELU6:
        *low = 0.0F;
        *high = 6.0F;
        return node->inputs[0];
    case WEFT_OP_RELU_N1_TO_1:
        *low = -1.0F;
        *high = 1.0F;
        return node->inputs[0];
    case WEFT_OP_FLOAT_CLIP:
        *low = (float)weft_node_float(node, WEFT_ATTR_low);
        *high = (float)weft_node_float(node, WEFT_ATTR_high);
        return node->inputs[0];
    case WEFT_OP_MAXIMUM:
        return limit_of(node, low);
    case WEFT_OP_MINIMUM:
        return limit_of(node, high);
    default:
        return NULL;
    }
}

/* Up from the operand of qnn.quantize over limits that nothing else needs. */
static struct limited find_limited(const struct weft_rewrite *rewrite,
                                   const struct weft_value *value, const struct weft_type *type) {
    struct limited limited = {value, weft_dtype_min(type->dtype), weft_dtype_max(type->dtype),
                              false};
    float low = 0;
    float high = 0;
    while (limited.value->producer != NULL && weft_rewrite_uses(rewrite, limited.value) == 1) {
        const struct weft_value *x = read_limit(limited.value->producer, &low, &high);
        if (x == NULL || isnan(low) || isnan(high)) {
            break;
        }
        /* Limits further down come later: they may move those further up. */
        int64_t least = quantized(type, low);
        int64_t most = quantized(type, high);
        int64_t upper = limited.high;
        limited.high = most > upper ? upper : most < limited.low ? limited.low : most;
        limited.low = least < limited.low    ? limited.low
                      : least > limited.high ? limited.high /* of a clip from a high to a low one */
                                             : least;
        enum weft_operator op = limited.value->producer->op;
        limited.has_number = limited.has_number || op == WEFT_OP_MAXIMUM || op == WEFT_OP_MINIMUM;
        limited.value = x;
    }
    return limited;
}

/* Is there a limit that ONNX Runtime does not take away? It takes those that the type itself has,
 * but no maximum or minimum, and computes in floats where one stays. */
static bool has_limit(const struct limited *limited, const struct weft_type *type) {
    return limited->has_number || limited->low > weft_dtype_min(type->dtype) ||
           limited->high < weft_dtype_max(type->dtype);
}

/* What is rounded before a zero point is added comes to the same with a limit behind it; what is
 * rounded after that does not: ties go to the even number, and the zero point may be odd. So does a
 * softmax, whose exponentials are integers then. */
static bool stays_in_floats(const struct limited *limited, const struct weft_type *type) {
    enum weft_operator op = limited->value->producer->op;
    return (op == WEFT_OP_MUL || op == WEFT_OP_AVG_POOL2D || op == WEFT_OP_SOFTMAX) &&
           has_limit(limited, type);
}

/* ---- products ---- */

static bool integer_product(enum weft_operator op, enum weft_operator *integer) {
    static const enum weft_operator of[][2] = {
        {WEFT_OP_CONV2D, WEFT_OP_QNN_CONV2D},
        {WEFT_OP_CONV2D_TRANSPOSE, WEFT_OP_QNN_CONV2D_TRANSPOSE},
        {WEFT_OP_DENSE, WEFT_OP_QNN_DENSE},
        {WEFT_OP_BATCH_MATMUL, WEFT_OP_QNN_BATCH_MATMUL},
    };
    bool found = false;
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        *integer = op == of[i][0] ? of[i][1] : *integer;
        found = found || op == of[i][0];
    }
    return found;
}

/* The product of two operands of qnn.dequantize as one of integers; NULL: it cannot be. */
static struct weft_value *make_product(struct weft_rewrite *rewrite, const struct weft_node *node) {
    enum weft_operator op = node->op;
    if (!integer_product(node->op, &op)) {
        return NULL;
    }
    struct weft_value *inputs[2] = {operand(node->inputs[0]), fuse_integers(node->inputs[1])};
    return inputs[0] != NULL && inputs[1] != NULL
               ? fuse_sums(rewrite, op, inputs, node->attribute_count, node->attributes)
               : NULL;
}

/* The scale of sums in float32, as ONNX Runtime multiplies it. */
static float sum_scale(const struct weft_type *sums, int64_t channel) {
    return (float)weft_type_scale(sums, channel);
}

/* Is the bias of integers in units of the sums? Scales of a bias are products that others rounded.
 */
static bool has_scale_of(const struct weft_type *bias, const struct weft_type *sums) {
    int64_t channels = sums->dim[sums->rank - 1];
    bool has = bias->dtype == WEFT_I32 &&
               (bias->quantization.count == 1 || bias->quantization.count == channels);
    for (int64_t i = 0; has && i < channels; i++) {
        double wanted = (double)sum_scale(sums, i);
        has = weft_type_zero(bias, i) == 0 &&
              fabs(weft_type_scale(bias, i) - wanted) <= 1e-3 * wanted;
    }
    return has;
}

/* A float bias in units of the sums; NULL: it has no elements that are known, or, where it must
 * `fit`, one that leaves no room for the sums. */
static const void *quantized_bias(struct weft_arena *arena, const struct weft_value *bias,
                                  const struct weft_type *sums, bool fit) {
    const uint8_t *data = weft_value_data(bias);
    int64_t channels = bias->type.dim[0];
    int32_t *integers = data == NULL ? NULL : WEFT_NEW_ARRAY(arena, (size_t)channels, int32_t);
    for (int64_t i = 0; integers != NULL && i < channels; i++) {
        float number;
        memcpy(&number, data + (size_t)i * sizeof number, sizeof number);
        double integer = rint((double)(number / sum_scale(sums, i)));
        if (isnan(integer) || (fit && fabs(integer) > MOST_BIAS)) {
            return NULL;
        }
        integers[i] = (int32_t)fmin(fmax(integer, (double)INT32_MIN), (double)INT32_MAX);
    }
    return integers;
}

/* The bias of bias_add for sums of integers, without a scale; NULL: it cannot be one. */
static struct weft_value *make_bias(struct weft_rewrite *rewrite, const struct weft_value *bias,
                                    const struct weft_type *sums, bool fit) {
    struct weft_type plain = weft_type_make(WEFT_I32, 1, bias->type.dim);
    const struct weft_node *node = bias->producer;
    const void *data = NULL;
    if (node != NULL && node->op == WEFT_OP_QNN_DEQUANTIZE) {
        struct weft_value *x = node->inputs[0];
        if (!has_scale_of(&x->type, sums)) {
            return NULL;
        }
        data = weft_value_data(x);
        if (data == NULL) {
            return weft_rewrite_node(rewrite, WEFT_OP_CAST, 1, &x, 0, NULL, &plain);
        }
    } else {
        data = quantized_bias(weft_rewrite_arena(rewrite), bias, sums, fit);
    }
    return data == NULL ? NULL : weft_rewrite_constant(rewrite, &plain, data);
}

/* The product to which a node adds a constant for each column: MatMul and Add, of which ONNX
 * Runtime makes Gemm; NULL: it does not. */
static const struct weft_value *product_of_sum(const struct weft_node *node,
                                               const struct weft_value **bias) {
    const struct weft_type *type = &node->results[0]->type;
    for (uint32_t i = 0; i < 2 && type->rank >= 2; i++) {
        const struct weft_value *product = node->inputs[i];
        const struct weft_node *made = product->producer;
        *bias = node->inputs[1 - i];
        bool is_product =
            made != NULL && (made->op == WEFT_OP_DENSE ||
                             (made->op == WEFT_OP_BATCH_MATMUL && made->inputs[1]->type.rank == 2));
        if (is_product && weft_shape_equal(&product->type, type) &&
            weft_value_data(*bias) != NULL && (*bias)->type.rank == 1 &&
            (*bias)->type.dim[0] == type->dim[type->rank - 1]) {
            return product;
        }
    }
    return NULL;
}

/* A product, perhaps with a bias; NULL: it is none. With a limit behind it, ONNX Runtime computes
 * in floats: a bias that is too large for integers is none then, where it saturates without one. */
static struct weft_value *fuse_product(struct weft_rewrite *rewrite, const struct weft_value *value,
                                       const struct weft_type *to, bool is_limited) {
    const struct weft_node *node = value->producer;
    const struct weft_value *bias = NULL;
    if (node->op == WEFT_OP_BIAS_ADD || node->op == WEFT_OP_ADD) {
        const struct weft_value *product = node->inputs[0];
        bias = node->inputs[1];
        if (node->op == WEFT_OP_ADD) {
            product = product_of_sum(node, &bias);
        }
        node = product == NULL ? NULL : product->producer;
        if (node == NULL || weft_rewrite_uses(rewrite, node->results[0]) != 1) {
            return NULL;
        }
    }
    struct weft_value *sums = make_product(rewrite, node);
    if (sums != NULL && bias != NULL) {
        struct weft_value *integers = make_bias(rewrite, bias, &sums->type, is_limited);
        sums = integers == NULL
                   ? NULL
                   : fuse_binary(rewrite, WEFT_OP_BIAS_ADD, sums, integers, &sums->type);
    }
    return sums == NULL ? NULL : fuse_rescale(rewrite, sums, NULL, to);
}

/* ---- all ---- */

static struct weft_value *fuse(struct weft_rewrite *rewrite, const struct weft_value *value,
                               const struct weft_type *to, bool is_limited) {
    struct weft_value *product = NULL;
    switch (value->producer->op) {
    case WEFT_OP_CONV2D:
    case WEFT_OP_CONV2D_TRANSPOSE:
    case WEFT_OP_DENSE:
    case WEFT_OP_BATCH_MATMUL:
    case WEFT_OP_BIAS_ADD:
        return fuse_product(rewrite, value, to, is_limited);
    case WEFT_OP_ADD:
        product = fuse_product(rewrite, value, to, is_limited);
        return product != NULL ? product
                               : fuse_by_element(rewrite, WEFT_OP_QNN_ADD, value->producer, to);
    case WEFT_OP_SUBTRACT:
        return fuse_by_element(rewrite, WEFT_OP_QNN_SUBTRACT, value->producer, to);
    case WEFT_OP_MUL:
        return fuse_by_element(rewrite, WEFT_OP_QNN_MUL, value->producer, to);
    case WEFT_OP_MEAN:
        return fuse_mean(rewrite, value->producer, to);
    case WEFT_OP_AVG_POOL2D:
        return fuse_average_pool(rewrite, value->producer, to);
    case WEFT_OP_SOFTMAX:
        return fuse_softmax(rewrite, value->producer, to);
    default:
        return NULL;
    }
}

/* The value, so that it can be known by another name if it has none: made once more. */
static struct weft_value *named(struct weft_rewrite *rewrite, struct weft_value *value) {
    const struct weft_node *node = value->producer;
    return value->tensor >= 0 || node == NULL || node->result_count != 1 ||
                   node->op == WEFT_OP_CONSTANT
               ? value
               : weft_rewrite_copy(rewrite, node, node->inputs, &value->type);
}

static struct weft_value *fuse_quantize(struct weft_rewrite *rewrite,
                                        const struct weft_site *site) {
    const struct weft_node *quantize = site->post->producer;
    const struct weft_type *to = &site->post->type;
    bool is_onnx = weft_node_attribute(quantize, WEFT_ATTR_rounding) != NULL;
    if (!is_onnx || to->quantization.count != 1 || (to->dtype != WEFT_I8 && to->dtype != WEFT_U8)) {
        return NULL;
    }
    struct weft_value *same = fuse_integers(quantize->inputs[0]);
    if (same != NULL && weft_type_equal(&same->type, to)) {
        return named(rewrite, same);
    }
    struct limited limited = find_limited(rewrite, quantize->inputs[0], to);
    const struct weft_node *node = limited.value->producer;
    if (node == NULL || weft_rewrite_uses(rewrite, limited.value) != 1 ||
        stays_in_floats(&limited, to)) {
        return NULL;
    }
    struct weft_value *made = fuse(rewrite, limited.value, to, has_limit(&limited, to));
    return made == NULL ? NULL : rule_clip(rewrite, made, limited.low, limited.high);
}

struct weft_graph *weft_pass_fuse_quantize(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    const struct weft_rule rule = {
        rule_unary(arena, WEFT_OP_QNN_QUANTIZE, weft_pattern_wildcard(arena)), fuse_quantize, NULL};
    return weft_rewrite(graph, 1, &rule);
}
