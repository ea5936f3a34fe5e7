/* Layer normalisation of whole images, as GroupNorm of one group is, does not care for the order of
 * their elements: transposes that put channels first before it come behind. Of groups of channels
 * the means of channels are averaged. */
#include <string.h>

#include "compiler/passes/sink.h"

/* Is a constant of floats the same number everywhere? */
static bool is_uniform(const struct weft_value *value) {
    const float *first = (const float *)(const void *)weft_value_data(value); /* aligned */
    return first != NULL && weft_type_elements(&value->type) > 0 && rule_is_all(value, *first);
}

/* Do the axes that the transpose moves lie within what is normalised, rows of so many elements? */
static bool moves_within(const struct weft_node *transpose, int64_t elements) {
    const struct weft_type *type = &transpose->inputs[0]->type;
    int64_t moved = 1;
    for (uint32_t i = rule_first_moved(transpose); i < type->rank; i++) {
        moved *= type->dim[i];
    }
    return moved > 0 && elements % moved == 0;
}

/* ---- groups of channels ---- */

/* A picture [N, H, W, C] whose channels are normalised in groups of as many. */
struct groups {
    int64_t images, channels, count;
    float *epsilon; /* in the arena, for a constant */
};

static struct weft_value *apply(struct weft_rewrite *rewrite, enum weft_operator op,
                                struct weft_value *a, struct weft_value *b,
                                const struct weft_type *type) {
    struct weft_value *inputs[2] = {a, b};
    return weft_rewrite_node(rewrite, op, b == NULL ? 1 : 2, inputs, 0, NULL, type);
}

/* A row of [N, from] times a matrix of `number` where both are of one group, 0 elsewhere; groups of
 * one channel are that. */
static struct weft_value *multiply_groups(struct weft_rewrite *rewrite, struct weft_value *x,
                                          const struct groups *g, int64_t to, float number) {
    int64_t from = x->type.dim[1];
    if (from == to) {
        return x;
    }
    const int64_t dims[2] = {to, from};
    const int64_t rows[2] = {g->images, to};
    const struct weft_type weights = weft_type_make(WEFT_F32, 2, dims);
    const struct weft_type type = weft_type_make(WEFT_F32, 2, rows);
    float *numbers = WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), (size_t)(to * from), float);
    for (int64_t i = 0; i < to * from; i++) {
        numbers[i] = i / from * g->count / to == i % from * g->count / from ? number : 0;
    }
    return apply(rewrite, WEFT_OP_DENSE, x, weft_rewrite_constant(rewrite, &weights, numbers),
                 &type);
}

/* The means of the groups, [N, groups]. */
static struct weft_value *group_means(struct weft_rewrite *rewrite, struct weft_value *x,
                                      const struct groups *g) {
    static const int64_t plane[2] = {1, 2};
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    const int64_t rows[2] = {g->images, g->channels};
    const struct weft_type flat = weft_type_make(WEFT_F32, 2, rows);
    struct weft_type type = x->type;
    const struct weft_attribute attributes[] = {weft_attr_ints(arena, WEFT_ATTR_axes, 2, plane),
                                                weft_attr_int(arena, WEFT_ATTR_keep_dims, 1)};
    type.dim[1] = type.dim[2] = 1;
    x = weft_rewrite_node(rewrite, WEFT_OP_MEAN, 1, &x, 2, attributes, &type);
    return multiply_groups(rewrite, rule_reshape(rewrite, x, &flat), g, g->count,
                           (float)g->count / (float)g->channels);
}

/* A number of each group for each of its channels, [N, 1, 1, C]. */
static struct weft_value *for_channels(struct weft_rewrite *rewrite, struct weft_value *x,
                                       const struct groups *g) {
    const int64_t dims[4] = {g->images, 1, 1, g->channels};
    const struct weft_type type = weft_type_make(WEFT_F32, 4, dims);
    return rule_reshape(rewrite, multiply_groups(rewrite, x, g, g->channels, 1), &type);
}

static struct weft_value *normalise(struct weft_rewrite *rewrite, struct weft_value *x,
                                    const struct groups *g) {
    struct weft_value *mean = for_channels(rewrite, group_means(rewrite, x, g), g);
    struct weft_value *difference = apply(rewrite, WEFT_OP_SUBTRACT, x, mean, &x->type);
    struct weft_value *square = apply(rewrite, WEFT_OP_SQUARE, difference, NULL, &x->type);
    struct weft_value *variance = group_means(rewrite, square, g);
    variance =
        apply(rewrite, WEFT_OP_ADD, variance, rule_vector(rewrite, 1, g->epsilon), &variance->type);
    struct weft_value *root = apply(rewrite, WEFT_OP_RSQRT, variance, NULL, &variance->type);
    return apply(rewrite, WEFT_OP_MUL, difference, for_channels(rewrite, root, g), &x->type);
}

/* Are the rows that are normalised, [N, groups, elements], whole channels of [N, C, H, W], which
 * the transpose makes of [N, H, W, C]? */
static bool find_groups(struct weft_arena *arena, const struct weft_node *norm,
                        const struct weft_node *transpose, struct groups *g) {
    static const int64_t to_first[4] = {0, 3, 1, 2};
    const struct weft_attribute *order = weft_node_attribute(transpose, WEFT_ATTR_permutation);
    const struct weft_type *flat = &norm->inputs[0]->type;
    const struct weft_type *x = &transpose->inputs[0]->type;
    int64_t elements = flat->dim[flat->rank - 1];
    if (order->count != 4 || memcmp(order->ints, to_first, sizeof to_first) != 0 ||
        weft_type_elements(x) == 0 || elements % (x->dim[1] * x->dim[2]) != 0) {
        return false;
    }
    int64_t each = elements / (x->dim[1] * x->dim[2]);
    *g = (struct groups){x->dim[0], x->dim[3], x->dim[3] / each, WEFT_NEW(arena, float)};
    *g->epsilon = (float)weft_node_float(norm, WEFT_ATTR_epsilon);
    return x->dim[3] % each == 0;
}

/* Gain and offset are the same for all. */
static struct weft_value *normalise_groups(struct weft_rewrite *rewrite,
                                           const struct weft_node *norm, struct weft_value *x,
                                           const struct groups *g) {
    const float *gain = (const float *)(const void *)weft_value_data(norm->inputs[1]);
    const float *offset = (const float *)(const void *)weft_value_data(norm->inputs[2]);
    struct weft_value *y = normalise(rewrite, x, g);
    if (*gain < 1 || *gain > 1) {
        y = apply(rewrite, WEFT_OP_MUL, y, rule_vector(rewrite, 1, gain), &x->type);
    }
    if (*offset < 0 || *offset > 0) {
        y = apply(rewrite, WEFT_OP_ADD, y, rule_vector(rewrite, 1, offset), &x->type);
    }
    return y;
}

/* ---- all ---- */

struct weft_value *sink_norm(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_value *y = site->post->producer->inputs[0];
    const struct weft_node *norm = y->producer;
    const struct weft_value *flat = norm->inputs[0];
    const struct weft_value *turned = flat->producer->inputs[0];
    const struct weft_node *transpose = turned->producer;
    struct weft_value *x = transpose->inputs[0];
    struct groups groups = {0};
    bool within = moves_within(transpose, flat->type.dim[flat->type.rank - 1]);
    if (!weft_shape_equal(&turned->type, &site->post->type) || !is_uniform(norm->inputs[1]) ||
        !is_uniform(norm->inputs[2]) ||
        (!within && !find_groups(weft_rewrite_arena(rewrite), norm, transpose, &groups)) ||
        weft_rewrite_uses(rewrite, y) != 1) {
        return NULL;
    }
    const struct weft_attribute permutation =
        *weft_node_attribute(transpose, WEFT_ATTR_permutation);
    const struct weft_type type = x->type;
    if (within) {
        struct weft_value *inputs[3] = {rule_reshape(rewrite, x, &flat->type), norm->inputs[1],
                                        norm->inputs[2]};
        x = rule_reshape(rewrite, weft_rewrite_copy(rewrite, norm, inputs, &y->type), &type);
    } else {
        x = normalise_groups(rewrite, norm, x, &groups);
    }
    return weft_rewrite_node(rewrite, WEFT_OP_TRANSPOSE, 1, &x, 1, &permutation, &site->post->type);
}
