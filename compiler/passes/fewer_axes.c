/* Transposes and slices of as few axes as they need, and of four what pads, joins or reduces more:
 * axes of one element go, and axes that stay side by side become one, so that tensors of heads and
 * parts, of five and six axes, and of volumes are moved as those of four are. */
#include <string.h>

#include "compiler/passes/rules.h"

enum {
    PLAIN_RANK = 4 /* of what moves without this */
};

/* ---- transposes ---- */

/* Axes of a transposed tensor that lie side by side in its operand, too, by the numbers of the
 * operand's axes of more than one element. */
struct group {
    int64_t first, last;
    int64_t elements;
};

/* The number of an axis among those with more than one element. */
static int64_t wide_number(const struct weft_type *type, int64_t axis) {
    int64_t number = 0;
    for (int64_t i = 0; i < axis; i++) {
        number += type->dim[i] != 1;
    }
    return number;
}

/* The transpose of a reshaped operand that gives the groups in their order; groups of one element
 * have first < 0. */
static struct weft_value *transpose_groups(struct weft_rewrite *rewrite, struct weft_value *x,
                                           uint32_t count, const struct group *groups,
                                           const struct weft_type *result) {
    int64_t order[WEFT_MAX_RANK];
    int64_t from_dims[WEFT_MAX_RANK];
    int64_t to_dims[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < count; i++) {
        int64_t place = 0;
        for (uint32_t k = 0; k < count; k++) {
            place +=
                groups[k].first < groups[i].first || (groups[k].first == groups[i].first && k < i);
        }
        order[i] = place;
        from_dims[place] = groups[i].elements;
        to_dims[i] = groups[i].elements;
    }
    const struct weft_type from = rule_shaped(&x->type, count, from_dims);
    const struct weft_type to = rule_shaped(result, count, to_dims);
    const struct weft_attribute permutation =
        weft_attr_ints(weft_rewrite_arena(rewrite), WEFT_ATTR_permutation, count, order);
    x = rule_reshape(rewrite, x, &from);
    return weft_rewrite_node(rewrite, WEFT_OP_TRANSPOSE, 1, &x, 1, &permutation, &to);
}

static struct weft_value *merge_transposed(struct weft_rewrite *rewrite,
                                           const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    const int64_t *order = weft_node_ints(node, WEFT_ATTR_permutation);
    struct weft_value *x = node->inputs[0];
    uint32_t rank = x->type.rank;
    uint32_t count = 0;
    struct group groups[WEFT_MAX_RANK];
    if (rank <= PLAIN_RANK || x->type.quantization.count > 1 || weft_type_elements(&x->type) == 0) {
        return NULL;
    }
    for (uint32_t i = 0; i < rank; i++) {
        int64_t elements = x->type.dim[order[i]];
        int64_t number = wide_number(&x->type, order[i]);
        if (elements == 1) {
            continue;
        }
        if (count > 0 && groups[count - 1].last + 1 == number) {
            groups[count - 1].last = number;
            groups[count - 1].elements *= elements;
        } else {
            groups[count++] = (struct group){number, number, elements};
        }
    }
    if (count == 0 || count == rank) {
        return NULL;
    }
    for (; count < PLAIN_RANK; count++) { /* images of heads are moved by address as they are */
        memmove(groups + 1, groups, count * sizeof groups[0]);
        groups[0] = (struct group){-1, -1, 1};
    }
    return rule_reshape(rewrite, transpose_groups(rewrite, x, count, groups, &site->post->type),
                        &site->post->type);
}

/* The group of axes of a transposed tensor, from `*axis` on, that one axis of a reshape has all
 * elements of; false: there is none, or they do not lie side by side in the operand. */
static bool take_group(const struct weft_node *transpose, int64_t elements, uint32_t *axis,
                       struct group *group) {
    const struct weft_type *from = &transpose->inputs[0]->type;
    const int64_t *order = weft_node_ints(transpose, WEFT_ATTR_permutation);
    *group = (struct group){-1, -1, 1};
    while (group->elements < elements && *axis < from->rank) {
        int64_t dim = from->dim[order[*axis]];
        int64_t number = wide_number(from, order[*axis]);
        (*axis)++;
        if (dim == 1) {
            continue;
        }
        if (group->first >= 0 && group->last + 1 != number) {
            return false;
        }
        group->first = group->first < 0 ? number : group->first;
        group->last = number;
        group->elements *= dim;
    }
    return group->elements == elements;
}

/* reshape(transpose(x)) that joins axes which lie side by side in x: transpose(reshape(x)), which
 * may meet a transpose back. */
static struct weft_value *reshape_first(struct weft_rewrite *rewrite,
                                        const struct weft_site *site) {
    const struct weft_value *transposed = site->post->producer->inputs[0];
    const struct weft_node *transpose = transposed->producer;
    const struct weft_type *to = &site->post->type;
    struct group groups[WEFT_MAX_RANK];
    uint32_t axis = 0;
    if (to->rank >= transposed->type.rank || to->rank < 2 || to->quantization.count > 1 ||
        transposed->type.quantization.count > 1 || weft_type_elements(to) == 0 ||
        weft_rewrite_uses(rewrite, transposed) != 1) {
        return NULL;
    }
    for (uint32_t i = 0; i < to->rank; i++) {
        if (!take_group(transpose, to->dim[i], &axis, &groups[i])) {
            return NULL;
        }
    }
    return transpose_groups(rewrite, transpose->inputs[0], to->rank, groups, to);
}

/* What became reshape(reshape(transpose(reshape(reshape(x))))), in the shape of x again: one
 * reshape on either side, as ShuffleNet's channels are moved, so that it is seen what is moved. */
static struct weft_value *merge_shuffled(struct weft_rewrite *rewrite,
                                         const struct weft_site *site) {
    const struct weft_node *transpose =
        site->post->producer->inputs[0]->producer->inputs[0]->producer;
    const struct weft_value *parts = transpose->inputs[0];
    struct weft_value *x = parts->producer->inputs[0]->producer->inputs[0];
    if (!weft_shape_equal(&x->type, &site->post->type)) {
        return NULL;
    }
    x = rule_reshape(rewrite, x, &parts->type);
    x = weft_rewrite_copy(rewrite, transpose, &x, &transpose->results[0]->type);
    return rule_reshape(rewrite, x, &site->post->type);
}

/* ---- slices ---- */

static struct weft_value *merge_sliced(struct weft_rewrite *rewrite, const struct weft_site *site) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    const struct weft_node *node = site->post->producer;
    struct weft_value *x = node->inputs[0];
    const int64_t *begins = weft_node_ints(node, WEFT_ATTR_begin);
    const int64_t *steps = weft_node_ints(node, WEFT_ATTR_steps);
    int64_t from_dims[WEFT_MAX_RANK], to_dims[WEFT_MAX_RANK];
    int64_t begin[WEFT_MAX_RANK], step[WEFT_MAX_RANK];
    uint32_t count = 0;
    if (x->type.rank <= PLAIN_RANK || x->type.quantization.count > 1 ||
        weft_type_elements(&site->post->type) == 0) {
        return NULL;
    }
    for (uint32_t i = 0; i < x->type.rank; i++) {
        int64_t dim = x->type.dim[i];
        int64_t size = site->post->type.dim[i];
        bool whole = size == dim && steps[i] == 1;
        if (dim == 1 && whole) {
            continue;
        }
        if (count > 0 && whole && step[count - 1] == 1) {
            from_dims[count - 1] *= dim;
            to_dims[count - 1] *= dim;
            begin[count - 1] *= dim;
        } else {
            from_dims[count] = dim;
            to_dims[count] = size;
            begin[count] = begins[i];
            step[count++] = steps[i];
        }
    }
    if (count == 0 || count == x->type.rank) {
        return NULL;
    }
    const struct weft_type from = rule_shaped(&x->type, count, from_dims);
    const struct weft_type to = rule_shaped(&site->post->type, count, to_dims);
    const struct weft_attribute attributes[] = {
        weft_attr_ints(arena, WEFT_ATTR_begin, count, begin),
        weft_attr_ints(arena, WEFT_ATTR_steps, count, step),
        weft_attr_ints(arena, WEFT_ATTR_sizes, count, to_dims),
    };
    x = rule_reshape(rewrite, x, &from);
    return rule_reshape(
        rewrite, weft_rewrite_node(rewrite, WEFT_OP_STRIDED_SLICE, 1, &x, 3, attributes, &to),
        &site->post->type);
}

/* ---- pads, concatenations, means ---- */

/* Axes of a tensor, of which some become one with the axis before. */
struct joining {
    uint32_t count;             /* of axes then */
    uint32_t of[WEFT_MAX_RANK]; /* by axis: which one it becomes */
};

/* Joins axes, the first ones first, until four are left; `joins`: axis i may become one with axis
 * i - 1. False: there are four or fewer, or more are left. */
static bool join(const struct weft_type *type, const bool *joins, struct joining *joining) {
    uint32_t left = type->rank;
    joining->count = 0;
    for (uint32_t i = 0; i < type->rank; i++) {
        bool one = i > 0 && joins[i] && left > PLAIN_RANK;
        left -= one;
        joining->count += !one;
        joining->of[i] = joining->count - 1;
    }
    return type->rank > PLAIN_RANK && left == PLAIN_RANK && type->quantization.count <= 1 &&
           weft_type_elements(type) > 0;
}

static struct weft_type joined(const struct weft_type *type, const struct joining *joining) {
    int64_t dims[WEFT_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
    for (uint32_t i = 0; i < type->rank; i++) {
        dims[joining->of[i]] *= type->dim[i];
    }
    return rule_shaped(type, joining->count, dims);
}

/* The node on operands of the joined axes, with one attribute in the place of its own of that key,
 * or beside them. */
static struct weft_value *apply_joined(struct weft_rewrite *rewrite, const struct weft_node *node,
                                       const struct joining *joining, uint32_t count,
                                       const struct weft_attribute *attributes,
                                       const struct weft_type *type) {
    struct weft_value **inputs =
        WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), node->input_count, struct weft_value *);
    uint32_t whole = node->op == WEFT_OP_PAD ? 1 : node->input_count; /* not the number that pads */
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct weft_type shape =
            i < whole ? joined(&node->inputs[i]->type, joining) : node->inputs[i]->type;
        inputs[i] = rule_reshape(rewrite, node->inputs[i], &shape);
    }
    return rule_reshape(
        rewrite,
        weft_rewrite_node(rewrite, node->op, node->input_count, inputs, count, attributes, type),
        &node->results[0]->type);
}

static struct weft_value *merge_padded(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    const int64_t *pads = weft_node_ints(node, WEFT_ATTR_pads);
    uint32_t rank = site->post->type.rank;
    bool joins[WEFT_MAX_RANK] = {false};
    int64_t kept[2 * WEFT_MAX_RANK] = {0};
    struct joining joining = {0};
    for (uint32_t i = 1; i < rank; i++) {
        joins[i] = pads[2 * i] == 0 && pads[2 * i + 1] == 0 && pads[2 * i - 2] == 0 &&
                   pads[2 * i - 1] == 0;
    }
    if (!join(&node->inputs[0]->type, joins, &joining)) {
        return NULL;
    }
    for (uint32_t i = 0; i < rank; i++) {
        kept[2 * joining.of[i]] += pads[2 * i];
        kept[2 * joining.of[i] + 1] += pads[2 * i + 1];
    }
    const struct weft_attribute attribute =
        weft_attr_ints(weft_rewrite_arena(rewrite), WEFT_ATTR_pads, 2 * joining.count, kept);
    const struct weft_type type = joined(&site->post->type, &joining);
    return apply_joined(rewrite, node, &joining, 1, &attribute, &type);
}

static struct weft_value *merge_concatenated(struct weft_rewrite *rewrite,
                                             const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    int64_t axis = weft_node_int(node, WEFT_ATTR_axis);
    bool joins[WEFT_MAX_RANK] = {false};
    struct joining joining = {0};
    for (int64_t i = 1; i < site->post->type.rank; i++) {
        joins[i] = i != axis && i - 1 != axis;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (!join(&node->inputs[i]->type, joins, &joining)) {
            return NULL;
        }
    }
    const struct weft_attribute attribute =
        weft_attr_int(weft_rewrite_arena(rewrite), WEFT_ATTR_axis, joining.of[axis]);
    const struct weft_type type = joined(&site->post->type, &joining);
    return apply_joined(rewrite, node, &joining, 1, &attribute, &type);
}

static struct weft_value *merge_reduced(struct weft_rewrite *rewrite,
                                        const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    const struct weft_attribute *axes = weft_node_attribute(node, WEFT_ATTR_axes);
    const struct weft_type *from = &node->inputs[0]->type;
    bool reduced[WEFT_MAX_RANK] = {false};
    bool joins[WEFT_MAX_RANK] = {false};
    int64_t kept[WEFT_MAX_RANK];
    uint32_t count = 0;
    struct joining joining = {0};
    for (uint32_t i = 0; i < axes->count; i++) {
        reduced[axes->ints[i]] = true;
    }
    for (uint32_t i = 1; i < from->rank; i++) {
        joins[i] = reduced[i] == reduced[i - 1];
    }
    if (!join(from, joins, &joining)) {
        return NULL;
    }
    struct weft_type type = joined(from, &joining);
    type.dtype = site->post->type.dtype;
    type.quantization = site->post->type.quantization;
    for (uint32_t i = 0; i < from->rank; i++) {
        if (reduced[i] && (count == 0 || kept[count - 1] != joining.of[i])) {
            type.dim[joining.of[i]] = 1;
            kept[count++] = joining.of[i];
        }
    }
    const struct weft_attribute attributes[] = {
        weft_attr_ints(weft_rewrite_arena(rewrite), WEFT_ATTR_axes, count, kept),
        weft_attr_int(weft_rewrite_arena(rewrite), WEFT_ATTR_keep_dims, 1)};
    return apply_joined(rewrite, node, &joining, 2, attributes, &type);
}

struct weft_graph *weft_pass_fewer_axes(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    struct weft_pattern *any = weft_pattern_wildcard(arena);
    struct weft_pattern *transpose = rule_unary(arena, WEFT_OP_TRANSPOSE, any);
    struct weft_pattern *parts =
        rule_unary(arena, WEFT_OP_RESHAPE, rule_unary(arena, WEFT_OP_RESHAPE, any));
    struct weft_pattern *shuffled =
        rule_unary(arena, WEFT_OP_RESHAPE, rule_unary(arena, WEFT_OP_TRANSPOSE, parts));
    const struct weft_rule rules[] = {
        {transpose, merge_transposed, NULL},
        {rule_unary(arena, WEFT_OP_RESHAPE, shuffled), merge_shuffled, NULL},
        {rule_unary(arena, WEFT_OP_RESHAPE, transpose), reshape_first, NULL},
        {rule_unary(arena, WEFT_OP_STRIDED_SLICE, any), merge_sliced, NULL},
        {weft_pattern_op_each(arena, WEFT_OP_PAD, any), merge_padded, NULL},
        {weft_pattern_op_each(arena, WEFT_OP_CONCATENATE, any), merge_concatenated, NULL},
        {rule_unary(arena, WEFT_OP_MEAN, any), merge_reduced, NULL},
        {rule_unary(arena, WEFT_OP_QNN_MEAN, any), merge_reduced, NULL},
        {rule_unary(arena, WEFT_OP_REDUCE_MAX, any), merge_reduced, NULL},
        {rule_unary(arena, WEFT_OP_REDUCE_MIN, any), merge_reduced, NULL},
    };
    return weft_rewrite(graph, sizeof rules / sizeof rules[0], rules);
}
