/* Activations that only limit values become clips. */
#include <math.h>

#include "compiler/passes/rules.h"

/* The limits of an activation, in real numbers. */
struct limits {
    float low, high;
};

/* qnn.relu and its kin without a change of scale: the zero point moves, then values are limited. */
static struct weft_value *lower_relu(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct limits *limits = site->context;
    const struct weft_type *to = &site->post->type;
    struct weft_value *x = site->post->producer->inputs[0];
    float scale = (float)weft_type_scale(to, 0);
    if (scale == 0.0F || isinf(scale)) {
        return NULL; /* the kernels divide by it */
    }
    if (x->type.quantization.scale[0] != to->quantization.scale[0] ||
        (to->dtype != WEFT_I8 && to->dtype != WEFT_U8)) {
        return NULL;
    }
    if (!weft_quantization_equal(&x->type.quantization, &to->quantization)) {
        struct weft_attribute rounding = weft_attr_text(WEFT_ATTR_rounding, "gemmlowp");
        x = weft_rewrite_node(rewrite, WEFT_OP_QNN_REQUANTIZE, 1, &x, 1, &rounding, to);
    }
    int64_t low = weft_type_limit(to, limits->low);
    int64_t high = weft_type_limit(to, limits->high);
    return low > high ? NULL : rule_clip(rewrite, x, low, high);
}

/* The one value of all elements of a constant integer tensor. */
static bool uniform(const struct weft_value *value, int64_t *element) {
    const uint8_t *data = weft_value_data(value);
    enum weft_dtype dtype = value->type.dtype;
    int64_t elements = weft_type_elements(&value->type);
    if (data == NULL || elements < 1 || dtype == WEFT_F32) {
        return false;
    }
    *element = weft_element(dtype, data, 0);
    for (int64_t i = 1; i < elements; i++) {
        if (weft_element(dtype, data, i) != *element) {
            return false;
        }
    }
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
