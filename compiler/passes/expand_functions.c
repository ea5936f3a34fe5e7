/* Operators that have no quantised form, as others that have: layer normalisation is a mean, a
 * difference, squares, their mean, a table and a product; quotients by numbers and by roots are
 * products; squares are a function; scores that a condition masks are a sum; PReLU is the larger
 * one of x and a product. Gain and offset of a normalisation go into the dense products behind it,
 * where nothing else reads them, else into a depthwise convolution of one pixel. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "compiler/passes/rules.h"

enum {
    MOST_BETWEEN = 4 /* reshapes between a normalisation and a dense product */
};

/* What rules look up. */
struct expansion {
    struct weft_use_index *users; /* of the graph from before */
    struct weft_map *folded;      /* normalised value of it -> the layer_norm whose gain and offset
                                     go into what reads it */
};

static const float *floats_of(const struct weft_value *constant) {
    return (const float *)(const void *)weft_value_data(constant); /* aligned for their elements */
}

static struct weft_value *unary(struct weft_rewrite *rewrite, enum weft_operator op,
                                struct weft_value *x) {
    return weft_rewrite_node(rewrite, op, 1, &x, 0, NULL, &x->type);
}

static struct weft_value *binary(struct weft_rewrite *rewrite, enum weft_operator op,
                                 struct weft_value *a, struct weft_value *b) {
    struct weft_value *inputs[2] = {a, b};
    return weft_rewrite_node(rewrite, op, 2, inputs, 0, NULL, &a->type);
}

static struct weft_value *number(struct weft_rewrite *rewrite, float value) {
    const struct weft_type type = weft_type_make(WEFT_F32, 0, NULL);
    float *data = WEFT_NEW(weft_rewrite_arena(rewrite), float);
    *data = value;
    return weft_rewrite_constant(rewrite, &type, data);
}

/* ---- layer normalisation ---- */

/* The mean along the last axis, which stays with one element. */
static struct weft_value *row_mean(struct weft_rewrite *rewrite, struct weft_value *x) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    int64_t last = (int64_t)x->type.rank - 1;
    struct weft_type type = x->type;
    type.dim[last] = 1;
    const struct weft_attribute attributes[] = {weft_attr_ints(arena, WEFT_ATTR_axes, 1, &last),
                                                weft_attr_int(arena, WEFT_ATTR_keep_dims, 1)};
    return weft_rewrite_node(rewrite, WEFT_OP_MEAN, 1, &x, 2, attributes, &type);
}

static struct weft_value *normalize(struct weft_rewrite *rewrite, struct weft_value *x,
                                    float epsilon) {
    struct weft_value *difference = binary(rewrite, WEFT_OP_SUBTRACT, x, row_mean(rewrite, x));
    struct weft_value *variance = row_mean(rewrite, unary(rewrite, WEFT_OP_SQUARE, difference));
    variance = binary(rewrite, WEFT_OP_ADD, variance, number(rewrite, epsilon));
    return binary(rewrite, WEFT_OP_MUL, difference, unary(rewrite, WEFT_OP_RSQRT, variance));
}

/* Channels times their gain, plus their offset: a depthwise convolution of one pixel. */
static struct weft_value *scale_channels(struct weft_rewrite *rewrite, struct weft_value *x,
                                         const struct weft_value *gain, struct weft_value *offset) {
    static const int64_t one[2] = {1, 1};
    int64_t depth = gain->type.dim[0];
    const int64_t dims[4] = {1, 1, weft_type_elements(&x->type) / depth, depth};
    const struct weft_type flat = weft_type_make(WEFT_F32, 4, dims);
    /* Constants are aligned for their elements. */
    const float *weights = (const float *)(const void *)weft_value_data(gain);
    struct weft_value *y =
        rule_depthwise(rewrite, rule_reshape(rewrite, x, &flat), one, one, weights, &flat);
    if (!rule_is_all(offset, 0)) {
        y = binary(rewrite, WEFT_OP_BIAS_ADD, y, offset);
    }
    return rule_reshape(rewrite, y, &x->type);
}

/* Is all that reads a value with so many channels, perhaps over reshapes, dense products of known
 * weights? */
static bool feeds_dense_alone(const struct expansion *e, const struct weft_value *value,
                              int64_t channels, uint32_t between) {
    const struct weft_users *users = weft_users_of(e->users, value);
    bool alone = users->count > 0 && !users->is_output;
    for (uint32_t i = 0; alone && i < users->count; i++) {
        const struct weft_node *user = users->nodes[i];
        bool is_dense = user->op == WEFT_OP_DENSE && user->inputs[0] == value &&
                        weft_value_data(user->inputs[1]) != NULL &&
                        user->inputs[1]->type.dim[1] % channels == 0;
        alone = is_dense || (user->op == WEFT_OP_RESHAPE && between < MOST_BETWEEN &&
                             feeds_dense_alone(e, user->results[0], channels, between + 1));
    }
    return alone;
}

static struct weft_value *expand_norm(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct expansion *e = site->context;
    const struct weft_node *node = site->post->producer;
    struct weft_value *gain = node->inputs[1];
    struct weft_value *offset = node->inputs[2];
    if (weft_value_data(gain) == NULL || weft_value_data(offset) == NULL ||
        weft_type_elements(&site->post->type) == 0) {
        return NULL;
    }
    struct weft_value *y =
        normalize(rewrite, node->inputs[0], (float)weft_node_float(node, WEFT_ATTR_epsilon));
    if (rule_is_all(gain, 1) && rule_is_all(offset, 0)) {
        return y;
    }
    if (site->pre != NULL && feeds_dense_alone(e, site->pre, gain->type.dim[0], 0)) {
        weft_map_set(e->folded, site->pre, (void *)(uintptr_t)node);
        return y;
    }
    return scale_channels(rewrite, y, gain, offset);
}

/* ---- gains and offsets in dense products ---- */

/* The layer_norm whose gain and offset go into the dense product; NULL: none do. */
static const struct weft_node *folded_before(const struct expansion *e,
                                             const struct weft_value *pre) {
    const struct weft_value *x = pre == NULL ? NULL : pre->producer->inputs[0];
    for (uint32_t i = 0; x != NULL && i < MOST_BETWEEN && weft_map_get(e->folded, x) == NULL; i++) {
        bool moves = x->producer != NULL && x->producer->op == WEFT_OP_RESHAPE;
        x = moves ? x->producer->inputs[0] : NULL;
    }
    return x == NULL ? NULL : weft_map_get(e->folded, x);
}

static struct weft_value *fold_norm(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *dense = site->post->producer;
    const struct weft_node *norm = folded_before(site->context, site->pre);
    if (norm == NULL) {
        return NULL;
    }
    const struct weft_type *type = &dense->inputs[1]->type; /* [O, K] */
    const float *weights = floats_of(dense->inputs[1]);
    const float *gain = floats_of(norm->inputs[1]);
    const float *offset = floats_of(norm->inputs[2]);
    int64_t channels = norm->inputs[1]->type.dim[0];
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    float *scaled = WEFT_NEW_ARRAY(arena, (size_t)weft_type_elements(type), float);
    float *bias = WEFT_NEW_ARRAY(arena, (size_t)type->dim[0], float);
    for (int64_t o = 0; o < type->dim[0]; o++) {
        double sum = 0;
        for (int64_t k = 0; k < type->dim[1]; k++) {
            int64_t i = o * type->dim[1] + k;
            scaled[i] = weights[i] * gain[k % channels];
            sum += (double)weights[i] * (double)offset[k % channels];
        }
        bias[o] = (float)sum;
    }
    struct weft_value *inputs[2] = {dense->inputs[0], weft_rewrite_constant(rewrite, type, scaled)};
    struct weft_value *y =
        weft_rewrite_node(rewrite, WEFT_OP_DENSE, 2, inputs, 0, NULL, &site->post->type);
    return binary(rewrite, WEFT_OP_BIAS_ADD, y, rule_vector(rewrite, type->dim[0], bias));
}

/* The bias that was behind the product takes in the offset's. */
static struct weft_value *merge_biases(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *outer = site->post->producer;
    const struct weft_node *inner = outer->inputs[0]->producer;
    if (inner == NULL || inner->op != WEFT_OP_BIAS_ADD || site->post->type.dtype != WEFT_F32 ||
        weft_rewrite_uses(rewrite, outer->inputs[0]) != 1 ||
        weft_value_data(outer->inputs[1]) == NULL || weft_value_data(inner->inputs[1]) == NULL) {
        return NULL;
    }
    int64_t channels = outer->inputs[1]->type.dim[0];
    float *sum = WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), (size_t)channels, float);
    for (int64_t i = 0; i < channels; i++) {
        sum[i] = floats_of(outer->inputs[1])[i] + floats_of(inner->inputs[1])[i];
    }
    return binary(rewrite, WEFT_OP_BIAS_ADD, inner->inputs[0], rule_vector(rewrite, channels, sum));
}

/* ---- squares and quotients ---- */

static struct weft_value *expand_squared_difference(struct weft_rewrite *rewrite,
                                                    const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    if (site->post->type.dtype != WEFT_F32) {
        return NULL;
    }
    struct weft_value *difference =
        weft_rewrite_node(rewrite, WEFT_OP_SUBTRACT, 2, node->inputs, 0, NULL, &site->post->type);
    return unary(rewrite, WEFT_OP_SQUARE, difference);
}

static struct weft_value *expand_power(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    float exponent = 0;
    return rule_is_number(node->inputs[1], &exponent) && exponent == 2.0F &&
                   weft_shape_equal(&node->inputs[0]->type, &site->post->type)
               ? unary(rewrite, WEFT_OP_SQUARE, node->inputs[0])
               : NULL;
}

static struct weft_value *expand_quotient(struct weft_rewrite *rewrite,
                                          const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    const struct weft_value *divisor = node->inputs[1];
    if (weft_value_data(divisor) == NULL || divisor->type.dtype != WEFT_F32 ||
        weft_value_data(node->inputs[0]) != NULL) {
        return NULL;
    }
    int64_t count = weft_type_elements(&divisor->type);
    float *inverse = WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), (size_t)count, float);
    for (int64_t i = 0; i < count; i++) {
        inverse[i] = 1.0F / floats_of(divisor)[i];
        if (!isfinite(inverse[i])) {
            return NULL;
        }
    }
    struct weft_value *inputs[2] = {node->inputs[0],
                                    weft_rewrite_constant(rewrite, &divisor->type, inverse)};
    return weft_rewrite_node(rewrite, WEFT_OP_MUL, 2, inputs, 0, NULL, &site->post->type);
}

/* The root that a value is, perhaps repeated and no less than a number, *least; NULL: it is none.
 */
static const struct weft_node *root_of(const struct weft_value *value, double *least) {
    const struct weft_node *node = value->producer;
    *least = 0;
    if (node != NULL && node->op == WEFT_OP_TILE && node->results[0]->type.rank > 0 &&
        node->inputs[0]->type.rank == node->results[0]->type.rank) {
        node = node->inputs[0]->producer; /* as broadcasting repeats it */
    }
    if (node != NULL && node->op == WEFT_OP_FLOAT_CLIP &&
        weft_node_float(node, WEFT_ATTR_high) >= (double)FLT_MAX) {
        *least = fmax(weft_node_float(node, WEFT_ATTR_low), 0);
        node = node->inputs[0]->producer;
    }
    return node != NULL && node->op == WEFT_OP_SQRT ? node : NULL;
}

/* Is each axis of `part` one of `whole`, or has one element? */
static bool is_broadcast(const struct weft_type *part, const struct weft_type *whole) {
    bool is = part->rank <= whole->rank;
    for (uint32_t i = 0; is && i < part->rank; i++) {
        is = part->dim[i] == 1 || part->dim[i] == whole->dim[i + whole->rank - part->rank];
    }
    return is;
}

/* Over a root: times 1 over it, which is one table; a 1 over it is no more than that. What the root
 * is at least is what it is of 0: its square is added. */
static struct weft_value *expand_root(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    double least = 0;
    const struct weft_node *root = root_of(node->inputs[1], &least);
    if (root == NULL || site->post->type.dtype != WEFT_F32) {
        return NULL;
    }
    float over = 0;
    bool is_one = rule_is_number(node->inputs[0], &over) && over >= 1 && over <= 1 &&
                  weft_shape_equal(&root->results[0]->type, &site->post->type);
    if (!is_one && !is_broadcast(&root->results[0]->type, &node->inputs[0]->type)) {
        return NULL;
    }
    struct weft_value *square = root->inputs[0];
    float added = (float)(least * least);
    if (added > 0) {
        square = binary(rewrite, WEFT_OP_ADD, square, number(rewrite, added));
    }
    if (is_one) {
        return unary(rewrite, WEFT_OP_RSQRT, square);
    }
    struct weft_value *inputs[2] = {node->inputs[0], unary(rewrite, WEFT_OP_RSQRT, square)};
    return weft_rewrite_node(rewrite, WEFT_OP_MUL, 2, inputs, 0, NULL, &site->post->type);
}

/* A sum is a mean times a number. */
static struct weft_value *expand_sum(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *sum = site->post->producer;
    int64_t of_result = weft_type_elements(&site->post->type);
    int64_t of_operand = weft_type_elements(&sum->inputs[0]->type);
    if (site->post->type.dtype != WEFT_F32 || of_result == 0 || of_operand == 0) {
        return NULL;
    }
    struct weft_value *mean =
        weft_rewrite_node(rewrite, WEFT_OP_MEAN, 1, sum->inputs, sum->attribute_count,
                          sum->attributes, &site->post->type);
    return binary(rewrite, WEFT_OP_MUL, mean,
                  number(rewrite, (float)((double)of_operand / (double)of_result)));
}

/* ---- softmax ---- */

/* Does softmax alone read the value, one that becomes integers: that feeds products alone? */
static bool feeds_attention(const struct expansion *e, const struct weft_value *value) {
    bool feeds = value != NULL && weft_feeds_alone(e->users, value, WEFT_OP_SOFTMAX);
    while (feeds && weft_users_of(e->users, value)->nodes[0]->op != WEFT_OP_SOFTMAX) {
        feeds = weft_users_of(e->users, value)->count == 1;
        value = weft_users_of(e->users, value)->nodes[0]->results[0];
    }
    for (uint32_t i = 0; feeds && i < weft_users_of(e->users, value)->count; i++) {
        feeds = weft_feeds_alone(e->users, weft_users_of(e->users, value)->nodes[i]->results[0],
                                 WEFT_OP_BATCH_MATMUL);
    }
    return feeds;
}

/* Scores where a condition says so, and a large negative number elsewhere: the scores, and a mask
 * of 0 and of a number that is added to them, of which nothing of them is left. */
static struct weft_value *expand_choice(struct weft_rewrite *rewrite,
                                        const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    float masked = 0;
    uint32_t which = rule_is_number(node->inputs[2], &masked) ? 1 : 2; /* operand: the scores */
    if (!(which == 1 || rule_is_number(node->inputs[1], &masked)) ||
        !((double)masked <= WEFT_MASKED) ||
        !weft_shape_equal(&node->inputs[which]->type, &site->post->type) ||
        !feeds_attention(site->context, site->pre)) {
        return NULL;
    }
    struct weft_value *inputs[3] = {node->inputs[0], node->inputs[1], node->inputs[2]};
    inputs[which] = number(rewrite, 0);
    inputs[3 - which] = number(rewrite, masked < RULE_NOTHING ? masked : RULE_NOTHING);
    struct weft_type type = node->inputs[0]->type;
    type.dtype = WEFT_F32;
    struct weft_value *mask = weft_rewrite_node(rewrite, WEFT_OP_SELECT, 3, inputs, 0, NULL, &type);
    return binary(rewrite, WEFT_OP_ADD, node->inputs[which], mask);
}

/* Of one element each: ones. */
static struct weft_value *expand_softmax(struct weft_rewrite *rewrite,
                                         const struct weft_site *site) {
    const struct weft_type *type = &site->post->type;
    if (type->dim[type->rank - 1] != 1) {
        return NULL;
    }
    size_t count = (size_t)weft_type_elements(type);
    float *ones = WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), count, float);
    for (size_t i = 0; i < count; i++) {
        ones[i] = 1;
    }
    return weft_rewrite_constant(rewrite, type, ones);
}

/* ---- PReLU ---- */

/* With a slope for each channel: the larger one of x and slope * x where no slope is above 1, the
 * smaller one where none is below. One slope for all, and many that are alike, are a table. */
static struct weft_value *expand_prelu(struct weft_rewrite *rewrite, const struct weft_site *site) {
    static const int64_t one[2] = {1, 1};
    const struct weft_node *node = site->post->producer;
    struct weft_value *x = node->inputs[0];
    const struct weft_type *type = &x->type;
    const float *slopes = type->rank < 1 || weft_type_elements(type) == 0 ||
                                  weft_type_elements(&node->inputs[1]->type) == 1 ||
                                  !weft_shape_equal(type, &site->post->type)
                              ? NULL
                              : rule_channels(rewrite, node->inputs[1], type);
    bool larger = slopes != NULL;
    bool smaller = slopes != NULL;
    bool differ = false;
    int64_t channels = type->rank < 1 ? 0 : type->dim[type->rank - 1];
    for (int64_t i = 0; slopes != NULL && i < channels; i++) {
        larger = larger && slopes[i] <= 1;
        smaller = smaller && slopes[i] >= 1;
        differ = differ || slopes[i] != slopes[0];
    }
    if (!differ || (!larger && !smaller)) {
        return NULL;
    }
    const int64_t dims[4] = {1, 1, weft_type_elements(type) / channels, channels};
    const struct weft_type flat = type->rank == 4 ? *type : rule_shaped(type, 4, dims);
    struct weft_value *y =
        rule_depthwise(rewrite, rule_reshape(rewrite, x, &flat), one, one, slopes, &flat);
    return binary(rewrite, larger ? WEFT_OP_MAXIMUM : WEFT_OP_MINIMUM, x,
                  rule_reshape(rewrite, y, type));
}

struct weft_graph *weft_pass_expand_functions(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    struct expansion e = {weft_use_index_new(graph), weft_map_new(arena)};
    struct weft_pattern *three[3] = {weft_pattern_wildcard(arena), weft_pattern_wildcard(arena),
                                     weft_pattern_wildcard(arena)};
    const struct weft_rule rules[] = {
        {weft_pattern_op(arena, WEFT_OP_LAYER_NORM, 3, three), expand_norm, &e},
        {weft_pattern_op(arena, WEFT_OP_DENSE, 2, three), fold_norm, &e},
        {weft_pattern_op(arena, WEFT_OP_BIAS_ADD, 2, three), merge_biases, NULL},
        {weft_pattern_op(arena, WEFT_OP_SQUARED_DIFFERENCE, 2, three), expand_squared_difference,
         NULL},
        {weft_pattern_op(arena, WEFT_OP_POWER, 2, three), expand_power, NULL},
        {weft_pattern_op(arena, WEFT_OP_DIVIDE, 2, three), expand_quotient, NULL},
        {weft_pattern_op(arena, WEFT_OP_DIVIDE, 2, three), expand_root, NULL},
        {weft_pattern_op(arena, WEFT_OP_SELECT, 3, three), expand_choice, &e},
        {weft_pattern_op(arena, WEFT_OP_PRELU, 2, three), expand_prelu, NULL},
        {rule_unary(arena, WEFT_OP_SUM, three[0]), expand_sum, NULL},
        {rule_unary(arena, WEFT_OP_SOFTMAX, three[0]), expand_softmax, NULL},
    };
    return weft_rewrite(graph, sizeof rules / sizeof rules[0], rules);
}
