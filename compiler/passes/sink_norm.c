/* Layer normalisation of whole images does not care for the order of their elements: transposes
 * come behind it. Where they put channels first, of groups of channels or of all, the means of
 * channels are averaged. */
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

/* Does the transpose make [N, C, H, W] of [N, H, W, C], or [N, C, W] of [N, W, C]? */
static bool puts_channels_first(const struct weft_node *transpose) {
    static const int64_t of_pictures[4] = {0, 3, 1, 2};
    static const int64_t of_lines[3] = {0, 2, 1};
    const struct weft_attribute *order = weft_node_attribute(transpose, WEFT_ATTR_permutation);
    return (order->count == 4 && memcmp(order->ints, of_pictures, sizeof of_pictures) == 0) ||
           (order->count == 3 && memcmp(order->ints, of_lines, sizeof of_lines) == 0);
}

/* Are the rows that are normalised, [N, groups, elements], whole channels of what the transpose
 * makes? */
static bool find_groups(struct weft_arena *arena, const struct weft_node *norm,
                        const struct weft_node *transpose, struct groups *g) {
    const struct weft_type *flat = &norm->inputs[0]->type;
    const struct weft_type *x = &transpose->inputs[0]->type;
    if (!puts_channels_first(transpose) || weft_type_elements(x) == 0) {
        return false;
    }
    int64_t elements = flat->dim[flat->rank - 1];
    int64_t channels = x->dim[x->rank - 1];
    int64_t pixels = weft_type_elements(x) / (x->dim[0] * channels);
    if (elements % pixels != 0) {
        return false;
    }
    int64_t each = elements / pixels;
    *g = (struct groups){x->dim[0], channels, channels / each, WEFT_NEW(arena, float)};
    *g->epsilon = (float)weft_node_float(norm, WEFT_ATTR_epsilon);
    return channels % each == 0;
}

/* [N, H, W, C] of a picture or, as one of one row, of a line. */
static struct weft_value *as_picture(struct weft_rewrite *rewrite, struct weft_value *x) {
    const int64_t *dim = x->type.dim;
    const int64_t dims[4] = {dim[0], 1, dim[1], dim[2]};
    const struct weft_type type = rule_shaped(&x->type, 4, dims);
    return x->type.rank == 3 ? rule_reshape(rewrite, x, &type) : x;
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

/* The first axis from `axis` on of more than one element, or of none. */
static uint32_t next_axis(const struct weft_type *type, uint32_t axis) {
    while (axis < type->rank && type->dim[axis] == 1) {
        axis++;
    }
    return axis;
}

/* Are shapes the same but for axes of one element? */
static bool differ_in_ones(const struct weft_type *a, const struct weft_type *b) {
    uint32_t i = next_axis(a, 0);
    uint32_t k = next_axis(b, 0);
    while (i < a->rank && k < b->rank && a->dim[i] == b->dim[k]) {
        i = next_axis(a, i + 1);
        k = next_axis(b, k + 1);
    }
    return i == a->rank && k == b->rank;
}

struct weft_value *sink_norm(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_value *y = site->post->producer->inputs[0];
    const struct weft_node *norm = y->producer;
    const struct weft_value *flat = norm->inputs[0];
    const struct weft_value *turned = flat->producer->inputs[0];
    turned = turned->producer->op == WEFT_OP_RESHAPE ? turned->producer->inputs[0] : turned;
    const struct weft_node *transpose = turned->producer;
    struct weft_value *x = transpose->inputs[0];
    struct groups groups = {0};
    bool by_channels = find_groups(weft_rewrite_arena(rewrite), norm, transpose, &groups);
    if (!differ_in_ones(&turned->type, &site->post->type) || !is_uniform(norm->inputs[1]) ||
        !is_uniform(norm->inputs[2]) ||
        (!by_channels && !moves_within(transpose, flat->type.dim[flat->type.rank - 1])) ||
        weft_rewrite_uses(rewrite, y) != 1) {
        return NULL;
    }
    const struct weft_attribute permutation =
        *weft_node_attribute(transpose, WEFT_ATTR_permutation);
    const struct weft_type type = x->type;
    if (!by_channels) {
        struct weft_value *inputs[3] = {rule_reshape(rewrite, x, &flat->type), norm->inputs[1],
                                        norm->inputs[2]};
        x = rule_reshape(rewrite, weft_rewrite_copy(rewrite, norm, inputs, &y->type), &type);
    } else {
        x = normalise_groups(rewrite, norm, as_picture(rewrite, x), &groups);
        x = rule_reshape(rewrite, x, &type);
    }
    x = weft_rewrite_node(rewrite, WEFT_OP_TRANSPOSE, 1, &x, 1, &permutation, &turned->type);
    return rule_reshape(rewrite, x, &site->post->type);
}
