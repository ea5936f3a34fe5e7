/* GELU and layer normalisation that were written out in sums and products become the one operator
 * each of them is. */
#include <math.h>
#include <string.h>

#include "compiler/passes/rules.h"

/* Constants are what they stand for, rounded to float32. */
static bool is_about(double number, double wanted) {
    return fabs(number - wanted) <= 1e-6 * fabs(wanted);
}

/* ---- products ---- */

enum {
    FACTORS = 4,
    DEPTH = 6 /* of products in products */
};

/* A product of numbers and of values that are not products themselves. */
struct product {
    double number;
    uint32_t count;
    struct weft_value *factors[FACTORS];
};

static bool add_factor(struct product *product, struct weft_value *value) {
    if (product->count == FACTORS) {
        return false;
    }
    product->factors[product->count++] = value;
    return true;
}

/* The exponent of power(x, 2), power(x, 3) and square(x); 0: the node is none of them. */
static uint32_t exponent_of(const struct weft_node *node) {
    float exponent = 0;
    if (node->op == WEFT_OP_SQUARE) {
        return 2;
    }
    if (node->op != WEFT_OP_POWER || !rule_is_number(node->inputs[1], &exponent)) {
        return 0;
    }
    return exponent == 2.0F ? 2 : exponent == 3.0F ? 3 : 0;
}

/* Takes `value` apart; `x` and what others need too (but for the root) stay whole. */
static bool take_apart(const struct weft_rewrite *rewrite, struct weft_value *value,
                       const struct weft_value *x, uint32_t depth, struct product *product) {
    const struct weft_node *node = value->producer;
    float number;
    if (rule_is_number(value, &number)) {
        product->number *= (double)number;
        return true;
    }
    bool is_whole = value == x || node == NULL || depth > DEPTH ||
                    (depth > 0 && weft_rewrite_uses(rewrite, value) != 1);
    if (!is_whole && node->op == WEFT_OP_MUL) {
        return take_apart(rewrite, node->inputs[0], x, depth + 1, product) &&
               take_apart(rewrite, node->inputs[1], x, depth + 1, product);
    }
    if (!is_whole && node->op == WEFT_OP_DIVIDE && rule_is_number(node->inputs[1], &number)) {
        product->number /= (double)number;
        return take_apart(rewrite, node->inputs[0], x, depth + 1, product);
    }
    uint32_t exponent = is_whole ? 0 : exponent_of(node);
    bool fits = exponent > 0 || add_factor(product, value);
    for (uint32_t i = 0; i < exponent; i++) {
        fits = fits && add_factor(product, node->inputs[0]);
    }
    return fits;
}

static bool product_of(const struct weft_rewrite *rewrite, struct weft_value *value,
                       const struct weft_value *x, struct product *product) {
    *product = (struct product){.number = 1};
    return take_apart(rewrite, value, x, 0, product);
}

/* Is it number * x ^ exponent? */
static bool is_power(const struct product *product, const struct weft_value *x, uint32_t exponent) {
    bool is = product->count == exponent;
    for (uint32_t i = 0; is && i < exponent; i++) {
        is = product->factors[i] == x;
    }
    return is;
}

/* ---- GELU ---- */

/* Is the value a sum? Its operands are in terms[], first and second or the other way round. */
static bool terms_of(const struct weft_value *value, bool swapped, struct weft_value *terms[2]) {
    const struct weft_node *node = value->producer;
    if (node == NULL || node->op != WEFT_OP_ADD || value->type.dtype != WEFT_F32) {
        return false;
    }
    terms[0] = node->inputs[swapped ? 1 : 0];
    terms[1] = node->inputs[swapped ? 0 : 1];
    return true;
}

/* Is the value x + 0.044715 x^3, or 1 + 0.044715 x^2? `least` is the exponent of the first one. */
static bool is_cubic(const struct weft_rewrite *rewrite, const struct weft_value *value,
                     const struct weft_value *x, uint32_t least) {
    for (uint32_t swapped = 0; swapped < 2; swapped++) {
        struct weft_value *terms[2];
        struct product first, second;
        if (terms_of(value, swapped != 0, terms) && product_of(rewrite, terms[0], x, &first) &&
            product_of(rewrite, terms[1], x, &second) && is_power(&first, x, least) &&
            is_about(first.number, 1) && is_power(&second, x, least + 2) &&
            is_about(second.number, 0.044715)) {
            return true;
        }
    }
    return false;
}

/* Is it the argument of GELU's tanh: sqrt(2 / pi) (x + 0.044715 x^3)? */
static bool is_inner(const struct weft_rewrite *rewrite, struct weft_value *value,
                     const struct weft_value *x) {
    struct product product;
    if (!product_of(rewrite, value, x, &product) ||
        !is_about(product.number, 0.79788456080286535588)) {
        return false;
    }
    if (product.count == 1) {
        return is_cubic(rewrite, product.factors[0], x, 1);
    }
    return product.count == 2 &&
           ((product.factors[0] == x && is_cubic(rewrite, product.factors[1], x, 0)) ||
            (product.factors[1] == x && is_cubic(rewrite, product.factors[0], x, 0)));
}

/* Is the value 1 + erf(x / sqrt(2)), or 1 + tanh(...)? */
static bool is_gate(const struct weft_rewrite *rewrite, const struct weft_value *value,
                    const struct weft_value *x, bool *approximate) {
    for (uint32_t swapped = 0; swapped < 2; swapped++) {
        struct weft_value *terms[2];
        float one;
        if (!terms_of(value, swapped != 0, terms) || !rule_is_number(terms[0], &one) ||
            one != 1.0F || terms[1]->producer == NULL) {
            continue;
        }
        const struct weft_node *function = terms[1]->producer;
        struct product product;
        *approximate = function->op == WEFT_OP_TANH;
        if (*approximate) {
            return is_inner(rewrite, function->inputs[0], x);
        }
        return function->op == WEFT_OP_ERF &&
               product_of(rewrite, function->inputs[0], x, &product) && is_power(&product, x, 1) &&
               is_about(product.number, 0.70710678118654752440);
    }
    return false;
}

static struct weft_value *make_gelu(struct weft_rewrite *rewrite, const struct weft_site *site) {
    struct product product;
    if (site->post->type.dtype != WEFT_F32 || !product_of(rewrite, site->post, NULL, &product) ||
        product.count != 2 || !is_about(product.number, 0.5)) {
        return NULL;
    }
    for (uint32_t i = 0; i < 2; i++) {
        struct weft_value *x = product.factors[i];
        bool approximate = false;
        if (weft_shape_equal(&x->type, &site->post->type) &&
            is_gate(rewrite, product.factors[1 - i], x, &approximate)) {
            const struct weft_attribute attribute = weft_attr_int(
                weft_rewrite_arena(rewrite), WEFT_ATTR_approximate, approximate ? 1 : 0);
            return weft_rewrite_node(rewrite, WEFT_OP_GELU, 1, &x, 1, &attribute,
                                     &site->post->type);
        }
    }
    return NULL;
}

/* ---- layer normalisation ---- */

/* What layer_norm takes. */
static bool is_epsilon(float epsilon) {
    return epsilon >= 0 && (double)epsilon <= 1e30;
}

/* What `value` is the mean of along the last axis, which it keeps; NULL: it is none. */
static struct weft_value *mean_of(const struct weft_value *value) {
    const struct weft_node *node = value->producer;
    if (node == NULL || node->op != WEFT_OP_MEAN || value->type.dtype != WEFT_F32) {
        return NULL;
    }
    uint32_t rank = node->inputs[0]->type.rank;
    const struct weft_attribute *axes = weft_node_attribute(node, WEFT_ATTR_axes);
    bool is_last = rank > 0 && axes->count == 1 && axes->ints[0] == (int64_t)rank - 1 &&
                   weft_node_int(node, WEFT_ATTR_keep_dims) != 0;
    return is_last ? node->inputs[0] : NULL;
}

/* x, when `value` is x less its mean; NULL otherwise. */
static struct weft_value *centred(const struct weft_value *value) {
    const struct weft_node *node = value->producer;
    if (node == NULL || node->op != WEFT_OP_SUBTRACT) {
        return NULL;
    }
    return mean_of(node->inputs[1]) == node->inputs[0] ? node->inputs[0] : NULL;
}

/* Is `value` the mean of the squares of `difference`, plus a number? */
static bool is_variance(const struct weft_rewrite *rewrite, const struct weft_value *value,
                        const struct weft_value *difference, float *epsilon) {
    for (uint32_t swapped = 0; swapped < 2; swapped++) {
        struct weft_value *terms[2];
        if (!terms_of(value, swapped != 0, terms) || !rule_is_number(terms[1], epsilon)) {
            continue;
        }
        struct weft_value *squares = mean_of(terms[0]);
        struct product product;
        return squares != NULL && product_of(rewrite, squares, difference, &product) &&
               is_power(&product, difference, 2) && product.number == 1;
    }
    return false;
}

/* The variance whose root `value` is; `inverse`: 1 over its root. NULL: it is none. */
static const struct weft_value *square_of_root(const struct weft_value *value, bool inverse) {
    const struct weft_node *node = value->producer;
    float one;
    if (node != NULL && inverse && node->op == WEFT_OP_DIVIDE &&
        rule_is_number(node->inputs[0], &one) && one == 1.0F) {
        return square_of_root(node->inputs[1], false);
    }
    return node != NULL && node->op == (inverse ? WEFT_OP_RSQRT : WEFT_OP_SQRT) ? node->inputs[0]
                                                                                : NULL;
}

static struct weft_value *layer_norm(struct weft_rewrite *rewrite, struct weft_value *x,
                                     const float *gain, const float *offset, double epsilon) {
    int64_t depth = x->type.dim[x->type.rank - 1];
    struct weft_value *gains = rule_vector(rewrite, depth, gain);
    struct weft_value *inputs[3] = {x, gains, rule_vector(rewrite, depth, offset)};
    const struct weft_attribute attribute = weft_attr_float(WEFT_ATTR_epsilon, epsilon);
    return weft_rewrite_node(rewrite, WEFT_OP_LAYER_NORM, 3, inputs, 1, &attribute, &x->type);
}

/* Division by the root, or multiplication by 1 over it. */
static struct weft_value *make_layer_norm(struct weft_rewrite *rewrite,
                                          const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    bool is_product = node->op == WEFT_OP_MUL;
    for (uint32_t i = 0; i < (is_product ? 2U : 1U); i++) {
        const struct weft_value *difference = node->inputs[i];
        struct weft_value *x = centred(difference);
        const struct weft_value *variance = square_of_root(node->inputs[1 - i], is_product);
        float epsilon;
        if (x == NULL || variance == NULL ||
            !is_variance(rewrite, variance, difference, &epsilon) || !is_epsilon(epsilon)) {
            continue;
        }
        int64_t depth = x->type.dim[x->type.rank - 1];
        float *numbers = WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), (size_t)depth * 2, float);
        for (int64_t k = 0; k < depth; k++) {
            numbers[k] = 1;
        }
        return layer_norm(rewrite, x, numbers, numbers + depth, (double)epsilon);
    }
    return NULL;
}

/* ---- layer normalisation as a factor and an offset ---- */

/* The other operand of a product; NULL: the value is no product of `factor`. */
static struct weft_value *other_factor(const struct weft_value *value,
                                       const struct weft_value *factor) {
    const struct weft_node *node = value->producer;
    bool is_product = node != NULL && node->op == WEFT_OP_MUL;
    return !is_product                 ? NULL
           : node->inputs[0] == factor ? node->inputs[1]
           : node->inputs[1] == factor ? node->inputs[0]
                                       : NULL;
}

/* Is `value` the mean of the squares of x less its mean, plus a number? */
static bool is_variance_of(const struct weft_value *value, const struct weft_value *x,
                           const struct weft_value *mean, float *epsilon) {
    for (uint32_t swapped = 0; swapped < 2; swapped++) {
        struct weft_value *terms[2];
        if (!terms_of(value, swapped != 0, terms) || !rule_is_number(terms[1], epsilon)) {
            continue;
        }
        const struct weft_value *squares = mean_of(terms[0]);
        const struct weft_node *node = squares == NULL ? NULL : squares->producer;
        return node != NULL && node->op == WEFT_OP_SQUARED_DIFFERENCE &&
               ((node->inputs[0] == x && node->inputs[1] == mean) ||
                (node->inputs[0] == mean && node->inputs[1] == x));
    }
    return false;
}

/* The layer normalisation of x whose factor and mean are these and that has the offset; NULL: it is
 * none. The factor is 1 over the root of the variance, perhaps times a gain. */
static struct weft_value *norm_of(struct weft_rewrite *rewrite, struct weft_value *x,
                                  const struct weft_value *mean, const struct weft_value *factor,
                                  const struct weft_value *offset) {
    const struct weft_node *node = factor->producer;
    int64_t depth = x->type.dim[x->type.rank - 1];
    const float *offsets = rule_channels(rewrite, offset, &x->type);
    for (uint32_t i = 0; node != NULL && offsets != NULL && i < 2; i++) {
        bool has_gain = node->op == WEFT_OP_MUL;
        const struct weft_value *variance =
            square_of_root(has_gain ? node->inputs[i] : factor, true);
        float *gains = has_gain ? rule_channels(rewrite, node->inputs[1 - i], &x->type)
                                : WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), (size_t)depth, float);
        for (int64_t k = 0; !has_gain && k < depth; k++) {
            gains[k] = 1;
        }
        float epsilon;
        if (gains != NULL && variance != NULL && is_variance_of(variance, x, mean, &epsilon) &&
            is_epsilon(epsilon)) {
            return layer_norm(rewrite, x, gains, offsets, (double)epsilon);
        }
    }
    return NULL;
}

/* x * factor + (offset - mean * factor), as Keras writes it. */
static struct weft_value *make_scaled_norm(struct weft_rewrite *rewrite,
                                           const struct weft_site *site) {
    for (uint32_t swapped = 0; swapped < 2; swapped++) {
        struct weft_value *terms[2];
        if (!terms_of(site->post, swapped != 0, terms) || terms[0]->producer == NULL ||
            terms[0]->producer->op != WEFT_OP_MUL || terms[1]->producer == NULL ||
            terms[1]->producer->op != WEFT_OP_SUBTRACT) {
            continue;
        }
        const struct weft_node *difference = terms[1]->producer;
        for (uint32_t i = 0; i < 2; i++) {
            struct weft_value *x = terms[0]->producer->inputs[i];
            const struct weft_value *factor = terms[0]->producer->inputs[1 - i];
            const struct weft_value *mean = other_factor(difference->inputs[1], factor);
            struct weft_value *made =
                mean != NULL && mean_of(mean) == x && weft_shape_equal(&x->type, &site->post->type)
                    ? norm_of(rewrite, x, mean, factor, difference->inputs[0])
                    : NULL;
            if (made != NULL) {
                return made;
            }
        }
    }
    return NULL;
}

/* Factors of channels behind a layer normalisation are its gain, offsets its offset. */
static struct weft_value *scale_layer_norm(struct weft_rewrite *rewrite,
                                           const struct weft_site *site) {
    float *numbers = NULL;
    const struct weft_node *root = site->post->producer;
    const struct weft_value *y = rule_by_channel(rewrite, root, true, &numbers);
    const struct weft_node *node = y == NULL ? NULL : y->producer;
    if (node == NULL || node->op != WEFT_OP_LAYER_NORM || weft_rewrite_uses(rewrite, y) != 1 ||
        weft_value_data(node->inputs[1]) == NULL || weft_value_data(node->inputs[2]) == NULL) {
        return NULL;
    }
    size_t depth = (size_t)y->type.dim[y->type.rank - 1];
    float *gain = WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), depth * 2, float);
    float *offset = gain + depth;
    memcpy(gain, weft_value_data(node->inputs[1]), depth * sizeof *gain);
    memcpy(offset, weft_value_data(node->inputs[2]), depth * sizeof *offset);
    for (size_t i = 0; i < depth; i++) {
        gain[i] *= root->op == WEFT_OP_MUL ? numbers[i] : 1;
        offset[i] = root->op == WEFT_OP_MUL ? offset[i] * numbers[i] : offset[i] + numbers[i];
    }
    return layer_norm(rewrite, node->inputs[0], gain, offset,
                      weft_node_float(node, WEFT_ATTR_epsilon));
}

struct weft_graph *weft_pass_recognise_functions(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    struct weft_pattern *both[2] = {weft_pattern_wildcard(arena), weft_pattern_wildcard(arena)};
    struct weft_pattern *product = weft_pattern_op(arena, WEFT_OP_MUL, 2, both);
    struct weft_pattern *quotient = weft_pattern_op(arena, WEFT_OP_DIVIDE, 2, both);
    struct weft_pattern *sum = weft_pattern_op(arena, WEFT_OP_ADD, 2, both);
    const struct weft_rule rules[] = {
        {product, make_gelu, NULL},        {quotient, make_gelu, NULL},
        {product, make_layer_norm, NULL},  {quotient, make_layer_norm, NULL},
        {product, scale_layer_norm, NULL}, {sum, scale_layer_norm, NULL},
        {sum, make_scaled_norm, NULL},
    };
    return weft_rewrite(graph, sizeof rules / sizeof rules[0], rules);
}
