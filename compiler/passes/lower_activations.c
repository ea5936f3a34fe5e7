/* Activations that only limit values become clips. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/integer.h"
#include "compiler/passes/rules.h"

/* The quantised value of a limit as TFLite computes it, in float32, inside the type's range. */
static int64_t quantized_limit(const struct weft_type *type, float limit) {
    float steps = roundf(limit / (float)type->quantization.scale[0]);
    int64_t least = weft_dtype_min(type->dtype);
    int64_t most = weft_dtype_max(type->dtype);
    if (!(fabsf(steps) < 65536.0F)) {
        return steps < 0.0F ? least : most;
    }
    return weft_clamp(type->quantization.zero[0] + (int64_t)steps, least, most);
}

/* The limits of an activation, in real numbers. */
struct limits {
    float low, high;
};

/* qnn.relu and its kin without a change of scale: the zero point moves, then values are limited. */
static struct weft_value *lower_relu(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct limits *limits = site->context;
    const struct weft_type *to = &site->post->type;
    struct weft_value *x = site->post->producer->inputs[0];
    if (x->type.quantization.scale[0] != to->quantization.scale[0] ||
        (to->dtype != WEFT_I8 && to->dtype != WEFT_U8)) {
        return NULL;
    }
    if (!weft_quantization_equal(&x->type.quantization, &to->quantization)) {
        struct weft_attribute rounding = weft_attr_text(WEFT_ATTR_rounding, "gemmlowp");
        x = weft_rewrite_node(rewrite, WEFT_OP_QNN_REQUANTIZE, 1, &x, 1, &rounding, to);
    }
    int64_t low = quantized_limit(to, limits->low);
    int64_t high =
        isinf(limits->high) ? weft_dtype_max(to->dtype) : quantized_limit(to, limits->high);
    return low > high ? NULL : rule_clip(rewrite, x, low, high);
}

/* The one value of all elements of a constant integer tensor of at most 32 bits. */
static bool uniform(const struct weft_value *value, int64_t *element) {
    const uint8_t *data = weft_value_data(value);
    int64_t elements = weft_type_elements(&value->type);
    size_t bytes = weft_dtype_bytes(value->type.dtype);
    if (data == NULL || elements < 1 || bytes > 4 || value->type.dtype == WEFT_F32) {
        return false;
    }
    for (size_t i = bytes; i < (size_t)elements * bytes; i++) {
        if (data[i] != data[i - bytes]) {
            return false;
        }
    }
    uint32_t bits = 0;
    for (size_t i = 0; i < bytes; i++) {
        bits |= (uint32_t)data[i] << (8 * i);
    }
    int64_t range = INT64_C(1) << (8 * bytes);
    *element = bits;
    *element -= *element > weft_dtype_max(value->type.dtype) ? range : 0;
    return true;
}

/* maximum or minimum of a tensor and a number. */
static struct weft_value *lower_compare(struct weft_rewrite *rewrite,
                                        const struct weft_site *site) {
    struct weft_value *x = weft_match_get(site->match, "x");
    enum weft_dtype dtype = site->post->type.dtype;
    int64_t limit = 0;
    /* Broadcasting must not change the shape, nor the scale the meaning. */
    if (!weft_type_equal(&x->type, &site->post->type) ||
        !uniform(weft_match_get(site->match, "limit"), &limit)) {
        return NULL;
    }
    bool is_least = site->post->producer->op == WEFT_OP_MAXIMUM;
    return rule_clip(rewrite, x, is_least ? limit : weft_dtype_min(dtype),
                     is_least ? weft_dtype_max(dtype) : limit);
}

struct weft_graph *weft_pass_lower_activations(const struct weft_graph *graph) {
    static struct limits relu = {0.0F, INFINITY};
    static struct limits relu6 = {0.0F, 6.0F};
    static struct limits relu_n1_to_1 = {-1.0F, 1.0F};
    struct weft_arena *arena = graph->arena;
    struct weft_pattern *any = weft_pattern_wildcard(arena);
    struct weft_pattern *x = rule_any(arena, "x");
    struct weft_pattern *limit = weft_pattern_bind(arena, weft_pattern_constant(arena), "limit");
    const struct weft_rule rules[] = {
        {rule_unary(arena, WEFT_OP_QNN_RELU, any), lower_relu, &relu},
        {rule_unary(arena, WEFT_OP_QNN_RELU6, any), lower_relu, &relu6},
        {rule_unary(arena, WEFT_OP_QNN_RELU_N1_TO_1, any), lower_relu, &relu_n1_to_1},
        {weft_pattern_commutative(arena, WEFT_OP_MAXIMUM, x, limit), lower_compare, NULL},
        {weft_pattern_commutative(arena, WEFT_OP_MINIMUM, x, limit), lower_compare, NULL},
    };
    return weft_rewrite(graph, sizeof rules / sizeof rules[0], rules);
}
