/* Transposes move towards the outputs, past what does not care for the order of axes, until they
 * meet one that turns them back: networks whose channels come first are computed with channels
 * last. */
#include <string.h>

#include "compiler/passes/sink.h"

/* Does a convolution read what the node does? */
static bool feeds_product(const struct weft_use_index *index, const struct weft_node *node) {
    const struct weft_users *users = weft_users_of(index, node->inputs[0]);
    bool feeds = false;
    for (uint32_t i = 0; !feeds && i < users->count; i++) {
        feeds = users->nodes[i]->op == WEFT_OP_QNN_CONV2D;
    }
    return feeds;
}

/* ---- element by element ---- */

/* Bytes of an input that are turned for a product anyway have another scale behind that: what
 * turned_part() made. */
static struct weft_value *sink_one(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    const struct weft_node *transpose = sink_transpose_of(node->inputs[0]);
    bool is_turned = sink_is_input(transpose->inputs[0]) && sink_changes_type(node) &&
                     (site->pre == NULL || feeds_product(site->context, site->pre->producer));
    bool has_axis =
        node->inputs[0]->type.quantization.count > 1 && node->op != WEFT_OP_QNN_DEQUANTIZE;
    if (is_turned || has_axis || site->post->type.quantization.count > 1) {
        return NULL;
    }
    struct weft_type type = sink_before(&site->post->type, sink_order_of(transpose));
    struct weft_value *y = weft_rewrite_copy(rewrite, node, transpose->inputs, &type);
    return sink_put_behind(rewrite, y, transpose, &site->post->type);
}

/* ---- reshapes, for quantising: clips are to be behind their products ---- */

static struct weft_value *reshaped_from(const struct weft_value *value) {
    const struct weft_node *node = value->producer;
    return node != NULL && node->op == WEFT_OP_RESHAPE && value->type.dtype == WEFT_F32
               ? node->inputs[0]
               : NULL;
}

/* A constant of one float, in no more axes than it needs; NULL: it is none. */
static struct weft_value *number_of(struct weft_rewrite *rewrite, const struct weft_value *value) {
    const struct weft_type type = weft_type_make(WEFT_F32, 0, NULL);
    float number;
    return rule_is_number(value, &number)
               ? weft_rewrite_constant(rewrite, &type, weft_value_data(value))
               : NULL;
}

/* A function of the elements of one reshaped tensor, of two that were reshaped alike, or of one and
 * a number. */
static struct weft_value *sink_reshape(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    const struct weft_type *to = &site->post->type;
    const struct weft_type *from = NULL;
    struct weft_value *operands[2] = {NULL, NULL};
    for (uint32_t i = 0; i < node->input_count; i++) {
        struct weft_value *number = number_of(rewrite, node->inputs[i]);
        operands[i] = number != NULL ? number : reshaped_from(node->inputs[i]);
        if (number == NULL &&
            (operands[i] == NULL || !weft_shape_equal(&node->inputs[i]->type, to) ||
             (from != NULL && !weft_shape_equal(&operands[i]->type, from)))) {
            return NULL;
        }
        from = number == NULL ? &operands[i]->type : from;
    }
    if (from == NULL || to->dtype != WEFT_F32) {
        return NULL;
    }
    const struct weft_type type = rule_shaped(to, from->rank, from->dim);
    return rule_reshape(rewrite, weft_rewrite_copy(rewrite, node, operands, &type), to);
}

/* Both operands transposed alike, or one, and the other one broadcast to it. */
static struct weft_value *sink_two(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    const struct weft_node *transpose = NULL;
    struct weft_value *operands[2];
    uint32_t rank = site->post->type.rank;
    for (uint32_t i = 0; i < 2; i++) {
        const struct weft_node *found = sink_transpose_of(node->inputs[i]);
        transpose = found != NULL && node->inputs[i]->type.rank == rank ? found : transpose;
    }
    if (transpose == NULL || site->post->type.quantization.count > 1) {
        return NULL;
    }
    for (uint32_t i = 0; i < 2; i++) {
        const struct weft_node *found = sink_transpose_of(node->inputs[i]);
        operands[i] = found != NULL && sink_same_order(found, transpose)
                          ? found->inputs[0]
                          : sink_turned(rewrite, node->inputs[i], sink_order_of(transpose), rank,
                                        site->context != NULL);
        if (operands[i] == NULL) {
            return NULL;
        }
    }
    struct weft_type type = sink_before(&site->post->type, sink_order_of(transpose));
    struct weft_value *y = weft_rewrite_copy(rewrite, node, operands, &type);
    return sink_put_behind(rewrite, y, transpose, &site->post->type);
}

/* ---- along axes ---- */

static struct weft_value *sink_interpolation(struct weft_rewrite *rewrite,
                                             const struct weft_site *site) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    const struct weft_node *node = site->post->producer;
    const struct weft_node *transpose = sink_transpose_of(node->inputs[0]);
    const int64_t *order = sink_order_of(transpose);
    struct weft_type type = sink_before(&site->post->type, order);
    const struct weft_attribute attributes[] = {
        weft_attr_int(arena, WEFT_ATTR_axis, order[weft_node_int(node, WEFT_ATTR_axis)]),
        *weft_node_attribute(node, WEFT_ATTR_elements),
        *weft_node_attribute(node, WEFT_ATTR_fractions)};
    struct weft_value *y =
        weft_rewrite_node(rewrite, node->op, 1, transpose->inputs, 3, attributes, &type);
    return sink_put_behind(rewrite, y, transpose, &site->post->type);
}

/* Elements along one axis, one after another, of what is not known: a transposed table of words is
 * folded. */
static struct weft_value *sink_gather(struct weft_rewrite *rewrite, const struct weft_site *site) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    const struct weft_node *node = site->post->producer;
    const struct weft_node *transpose = sink_transpose_of(node->inputs[0]);
    const int64_t *order = sink_order_of(transpose);
    if (weft_value_data(transpose->inputs[0]) != NULL || node->inputs[1]->type.rank != 1 ||
        weft_node_int(node, WEFT_ATTR_batch_dims) != 0 || site->post->type.quantization.count > 1) {
        return NULL;
    }
    struct weft_value *inputs[2] = {transpose->inputs[0], node->inputs[1]};
    const struct weft_attribute attributes[] = {
        weft_attr_int(arena, WEFT_ATTR_axis, order[weft_node_int(node, WEFT_ATTR_axis)]),
        weft_attr_int(arena, WEFT_ATTR_batch_dims, 0)};
    struct weft_type type = sink_before(&site->post->type, order);
    struct weft_value *y =
        weft_rewrite_node(rewrite, WEFT_OP_GATHER, 2, inputs, 2, attributes, &type);
    return sink_put_behind(rewrite, y, transpose, &site->post->type);
}

/* ---- channels in another order ---- */

/* Axes of a transpose that are moved, from the first to behind the last. */
struct moved {
    uint32_t begin, end;
};

static struct moved moved_by(const struct weft_node *transpose) {
    const int64_t *order = sink_order_of(transpose);
    struct moved moved = {rule_first_moved(transpose), transpose->inputs[0]->type.rank};
    while (moved.end > moved.begin && order[moved.end - 1] == moved.end - 1) {
        moved.end--;
    }
    return moved;
}

static int64_t product(const int64_t *dims, uint32_t begin, uint32_t end) {
    int64_t elements = 1;
    for (uint32_t i = begin; i < end; i++) {
        elements *= dims[i];
    }
    return elements;
}

/* The axis of `type` that the moved axes of `parts` are, together; the rank: they are none. */
static uint32_t axis_of(const struct weft_type *type, const struct weft_type *parts,
                        struct moved moved) {
    int64_t before_it = product(parts->dim, 0, moved.begin);
    int64_t own = product(parts->dim, moved.begin, moved.end);
    uint32_t axis = 0;
    while (axis < type->rank &&
           (type->dim[axis] != own || product(type->dim, 0, axis) != before_it)) {
        axis++;
    }
    return axis;
}

/* reshape(transpose(reshape(transpose(x)))), of which the second one puts the elements of one axis
 * into another order, as ShuffleNet does with channels: that axis of x by itself. */
static struct weft_value *sink_shuffle(struct weft_rewrite *rewrite, const struct weft_site *site) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    const struct weft_node *shuffle = site->post->producer->inputs[0]->producer;
    const struct weft_value *turned = shuffle->inputs[0]->producer->inputs[0];
    const struct weft_node *transpose = sink_transpose_of(turned);
    struct weft_value *x = transpose->inputs[0];
    const struct weft_type *parts = &shuffle->inputs[0]->type;
    struct moved moved = moved_by(shuffle);
    uint32_t axis = axis_of(&turned->type, parts, moved);
    uint32_t count = moved.end - moved.begin;
    if (!weft_shape_equal(&turned->type, &site->post->type) || axis == turned->type.rank ||
        count + 2 > WEFT_MAX_RANK || site->post->type.quantization.count > 1 ||
        weft_rewrite_uses(rewrite, shuffle->inputs[0]) != 1 ||
        weft_rewrite_uses(rewrite, shuffle->results[0]) != 1) {
        return NULL;
    }
    uint32_t own = (uint32_t)sink_order_of(transpose)[axis];
    int64_t dims[WEFT_MAX_RANK] = {product(x->type.dim, 0, own)};
    int64_t to_dims[WEFT_MAX_RANK] = {dims[0]};
    int64_t order[WEFT_MAX_RANK] = {0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = (uint32_t)sink_order_of(shuffle)[moved.begin + i];
        dims[i + 1] = parts->dim[moved.begin + i];
        to_dims[i + 1] = parts->dim[from];
        order[i + 1] = from - moved.begin + 1;
    }
    dims[count + 1] = to_dims[count + 1] = product(x->type.dim, own + 1, x->type.rank);
    order[count + 1] = count + 1;
    uint32_t rank = count + (own + 1 < x->type.rank ? 2 : 1);
    const struct weft_type apart = rule_shaped(&x->type, rank, dims);
    const struct weft_type shuffled = rule_shaped(&x->type, rank, to_dims);
    const struct weft_attribute permutation =
        weft_attr_ints(arena, WEFT_ATTR_permutation, rank, order);
    const struct weft_type type = x->type;
    x = rule_reshape(rewrite, x, &apart);
    x = weft_rewrite_node(rewrite, WEFT_OP_TRANSPOSE, 1, &x, 1, &permutation, &shuffled);
    return sink_put_behind(rewrite, rule_reshape(rewrite, x, &type), transpose, &site->post->type);
}

/* ---- axes that are divided ---- */

/* Which axis of the result of a transpose axis `axis` of its operand becomes. */
static uint32_t axis_from(const struct weft_node *transpose, uint32_t axis) {
    uint32_t i = 0;
    while (sink_order_of(transpose)[i] != axis) {
        i++;
    }
    return i;
}

/* The axes [first, end) of `parts` that each axis of `type` becomes; one of one element may become
 * none, if `drops` says so. False: an axis does not become axes of its own. */
static bool find_parts(const struct weft_type *type, const struct weft_type *parts, bool drops,
                       uint32_t first[WEFT_MAX_RANK], uint32_t end[WEFT_MAX_RANK]) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < type->rank; i++) {
        int64_t left = type->dim[i];
        first[i] = at;
        while (at < parts->rank && left > 1 && parts->dim[at] > 0 && left % parts->dim[at] == 0) {
            left /= parts->dim[at++];
        }
        at +=
            first[i] == at && at < parts->rank && parts->dim[at] == 1; /* itself, of one element */
        end[i] = at;
        if (left != 1 || (end[i] == first[i] && !drops)) {
            return false;
        }
    }
    return at == parts->rank;
}

static bool is_read_by_transposes(const struct weft_use_index *index,
                                  const struct weft_value *value) {
    const struct weft_users *users = weft_users_of(index, value);
    bool all = users->count > 0 && !users->is_output;
    for (uint32_t i = 0; all && i < users->count; i++) {
        all = users->nodes[i]->op == WEFT_OP_TRANSPOSE;
    }
    return all;
}

/* reshape(transpose(reshape(transpose(x)))), of which the second one takes parts of axes to other
 * axes, as channels to the pixels of a block: parts of x, to the axes that are these before the
 * first one. */
static struct weft_value *sink_parts(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *move = site->post->producer->inputs[0]->producer;
    const struct weft_value *turned = move->inputs[0]->producer->inputs[0];
    const struct weft_node *transpose = sink_transpose_of(turned);
    const struct weft_type *parts = &move->inputs[0]->type;
    const struct weft_type *to = &site->post->type;
    uint32_t rank = turned->type.rank;
    uint32_t first[2][WEFT_MAX_RANK];
    uint32_t end[2][WEFT_MAX_RANK];
    if (to->rank != rank || to->quantization.count > 1 ||
        weft_rewrite_uses(rewrite, move->inputs[0]) != 1 ||
        weft_rewrite_uses(rewrite, move->results[0]) != 1 ||
        !find_parts(&turned->type, parts, true, first[0], end[0]) ||
        !find_parts(to, &move->results[0]->type, true, first[1], end[1])) {
        return NULL;
    }
    uint32_t place[WEFT_MAX_RANK]; /* by part: among those of x */
    uint32_t count = 0;
    int64_t dims[2][WEFT_MAX_RANK];
    int64_t order[WEFT_MAX_RANK];
    for (uint32_t axis = 0; axis < rank; axis++) {
        uint32_t i = axis_from(transpose, axis);
        for (uint32_t k = first[0][i]; k < end[0][i]; k++) {
            dims[0][count] = parts->dim[k];
            place[k] = count++;
        }
    }
    count = 0;
    for (uint32_t axis = 0; axis < rank; axis++) {
        uint32_t i = axis_from(transpose, axis);
        for (uint32_t k = first[1][i]; k < end[1][i]; k++) {
            order[count] = place[sink_order_of(move)[k]];
            dims[1][count] = dims[0][order[count]];
            count++;
        }
    }
    struct weft_value *x = transpose->inputs[0];
    const struct weft_type apart = rule_shaped(&x->type, count, dims[0]);
    const struct weft_type moved = rule_shaped(&x->type, count, dims[1]);
    const struct weft_type type = sink_before(to, sink_order_of(transpose));
    const struct weft_attribute permutation =
        weft_attr_ints(weft_rewrite_arena(rewrite), WEFT_ATTR_permutation, count, order);
    x = rule_reshape(rewrite, x, &apart);
    x = weft_rewrite_node(rewrite, WEFT_OP_TRANSPOSE, 1, &x, 1, &permutation, &moved);
    return sink_put_behind(rewrite, rule_reshape(rewrite, x, &type), transpose, to);
}

/* reshape(transpose(x)) that divides axes: those of x. So tokens with their channels last, that
 * become rows and columns behind their channels, are rows and columns before. What transposes alone
 * read is a part of a chain: weft_pass_merge_moves(), or a shuffle. */
static struct weft_value *sink_division(struct weft_rewrite *rewrite,
                                        const struct weft_site *site) {
    const struct weft_value *turned = site->post->producer->inputs[0];
    const struct weft_node *transpose = sink_transpose_of(turned);
    const struct weft_type *parts = &site->post->type;
    uint32_t first[WEFT_MAX_RANK];
    uint32_t end[WEFT_MAX_RANK];
    if (parts->rank <= turned->type.rank || parts->quantization.count > 1 ||
        (site->pre != NULL && is_read_by_transposes(site->context, site->pre)) ||
        !find_parts(&turned->type, parts, false, first, end)) {
        return NULL;
    }
    struct weft_value *x = transpose->inputs[0];
    int64_t dims[WEFT_MAX_RANK];
    int64_t order[WEFT_MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t axis = 0; axis < x->type.rank; axis++) {
        uint32_t i = axis_from(transpose, axis);
        for (uint32_t k = first[i]; k < end[i]; k++) {
            order[k] = rank;
            dims[rank++] = parts->dim[k];
        }
    }
    const struct weft_type divided = rule_shaped(&x->type, rank, dims);
    const struct weft_attribute permutation =
        weft_attr_ints(weft_rewrite_arena(rewrite), WEFT_ATTR_permutation, rank, order);
    x = rule_reshape(rewrite, x, &divided);
    return weft_rewrite_node(rewrite, WEFT_OP_TRANSPOSE, 1, &x, 1, &permutation, parts);
}

/* ---- pads, slices and reductions ---- */

/* Numbers for each axis, `each` of them, in the order before the transpose. */
static struct weft_attribute reordered(struct weft_arena *arena, const struct weft_node *node,
                                       enum weft_attribute_key key, uint32_t each,
                                       const int64_t *order) {
    const struct weft_attribute *old = weft_node_attribute(node, key);
    int64_t numbers[2 * WEFT_MAX_RANK] = {0};
    for (uint32_t i = 0; i < old->count; i++) {
        numbers[each * order[i / each] + i % each] = old->ints[i];
    }
    return weft_attr_ints(arena, key, old->count, numbers);
}

static struct weft_value *sink_pad(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    const struct weft_node *transpose = sink_transpose_of(node->inputs[0]);
    if (transpose == NULL || site->post->type.quantization.count > 1) {
        return NULL;
    }
    const int64_t *order = sink_order_of(transpose);
    struct weft_value *inputs[2] = {transpose->inputs[0],
                                    node->input_count > 1 ? node->inputs[1] : NULL};
    struct weft_attribute pads =
        reordered(weft_rewrite_arena(rewrite), node, WEFT_ATTR_pads, 2, order);
    struct weft_type type = sink_before(&site->post->type, order);
    struct weft_value *y =
        weft_rewrite_node(rewrite, WEFT_OP_PAD, node->input_count, inputs, 1, &pads, &type);
    return sink_put_behind(rewrite, y, transpose, &site->post->type);
}

static struct weft_value *sink_slice(struct weft_rewrite *rewrite, const struct weft_site *site) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    const struct weft_node *node = site->post->producer;
    const struct weft_node *transpose = sink_transpose_of(node->inputs[0]);
    const int64_t *order = sink_order_of(transpose);
    if (site->post->type.quantization.count > 1) {
        return NULL;
    }
    const struct weft_attribute attributes[] = {
        reordered(arena, node, WEFT_ATTR_begin, 1, order),
        reordered(arena, node, WEFT_ATTR_steps, 1, order),
        reordered(arena, node, WEFT_ATTR_sizes, 1, order),
    };
    struct weft_type type = sink_before(&site->post->type, order);
    struct weft_value *y = weft_rewrite_node(rewrite, WEFT_OP_STRIDED_SLICE, 1, transpose->inputs,
                                             3, attributes, &type);
    return sink_put_behind(rewrite, y, transpose, &site->post->type);
}

/* Where axis `axis` of the operand is among those that are not reduced. */
static int64_t place_of(int64_t axis, uint32_t reduced) {
    uint32_t before_it = ~reduced & ((UINT32_C(1) << axis) - 1);
    return __builtin_popcount(before_it);
}

/* Are elements added up in the same order: do the reduced axes keep theirs? */
static bool keeps_order(const struct weft_attribute *axes, const int64_t *order) {
    bool keeps = true;
    for (uint32_t i = 0; i < axes->count; i++) {
        for (uint32_t k = 0; k < axes->count; k++) {
            keeps = keeps && (axes->ints[i] < axes->ints[k]) ==
                                 (order[axes->ints[i]] < order[axes->ints[k]]);
        }
    }
    return keeps;
}

/* Axes that stay, with one element or because they are not reduced, are put into order behind. */
static struct weft_value *sink_reduction(struct weft_rewrite *rewrite,
                                         const struct weft_site *site) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    const struct weft_node *node = site->post->producer;
    const struct weft_node *transpose = sink_transpose_of(node->inputs[0]);
    const struct weft_attribute *axes = weft_node_attribute(node, WEFT_ATTR_axes);
    const int64_t *order = sink_order_of(transpose);
    bool keep = weft_node_int(node, WEFT_ATTR_keep_dims) == 1;
    int64_t moved[WEFT_MAX_RANK];
    int64_t behind[WEFT_MAX_RANK] = {0};
    uint32_t reduced = 0; /* axes of the operand */
    uint32_t rank = 0;
    if (!keeps_order(axes, order)) {
        return NULL;
    }
    for (uint32_t i = 0; i < axes->count; i++) {
        moved[i] = order[axes->ints[i]];
        reduced |= UINT32_C(1) << moved[i];
    }
    struct weft_type type = site->post->type;
    for (uint32_t i = 0; i < node->inputs[0]->type.rank; i++) {
        if (keep || (reduced >> order[i] & 1) == 0) {
            behind[rank] = keep ? order[i] : place_of(order[i], reduced);
            type.dim[behind[rank]] = site->post->type.dim[rank];
            rank++;
        }
    }
    const struct weft_attribute attributes[] = {
        weft_attr_ints(arena, WEFT_ATTR_axes, axes->count, moved),
        weft_attr_int(arena, WEFT_ATTR_keep_dims, keep)};
    struct weft_attribute permutation = weft_attr_ints(arena, WEFT_ATTR_permutation, rank, behind);
    struct weft_value *y =
        weft_rewrite_node(rewrite, node->op, 1, transpose->inputs, 2, attributes, &type);
    return weft_rewrite_node(rewrite, WEFT_OP_TRANSPOSE, 1, &y, 1, &permutation, &site->post->type);
}

/* ---- products ---- */

/* Does it swap the last two axes and no others? */
static bool swaps_last(const struct weft_node *transpose) {
    const int64_t *order = sink_order_of(transpose);
    uint32_t rank = transpose->inputs[0]->type.rank;
    bool swaps = rank >= 2 && order[rank - 1] == rank - 2 && order[rank - 2] == rank - 1;
    for (uint32_t i = 0; swaps && i + 2 < rank; i++) {
        swaps = order[i] == i;
    }
    return swaps;
}

/* a^T b^T, as attention with channels first mixes its values, is (b a)^T. */
static struct weft_value *sink_product(struct weft_rewrite *rewrite, const struct weft_site *site) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    const struct weft_node *product = site->post->producer;
    const struct weft_node *transpose = sink_transpose_of(product->inputs[0]);
    if (!swaps_last(transpose) || weft_node_int(product, WEFT_ATTR_transpose_b) == 0 ||
        product->inputs[0]->type.rank != product->inputs[1]->type.rank) {
        return NULL;
    }
    const struct weft_attribute attributes[] = {
        weft_attr_int(arena, WEFT_ATTR_transpose_a, 0),
        weft_attr_int(arena, WEFT_ATTR_transpose_b, weft_node_int(product, WEFT_ATTR_transpose_a))};
    struct weft_value *inputs[2] = {product->inputs[1], transpose->inputs[0]};
    struct weft_type type = sink_before(&site->post->type, sink_order_of(transpose));
    struct weft_value *y =
        weft_rewrite_node(rewrite, WEFT_OP_BATCH_MATMUL, 2, inputs, 2, attributes, &type);
    return sink_put_behind(rewrite, y, transpose, &site->post->type);
}

/* ---- products of flattened tensors ---- */

/* Is it a constant, perhaps moved by what weft_pass_fold_constants() computes? */
static bool is_known(const struct weft_value *value) {
    while (value->producer != NULL &&
           (value->producer->op == WEFT_OP_TRANSPOSE || value->producer->op == WEFT_OP_RESHAPE)) {
        value = value->producer->inputs[0];
    }
    return weft_value_data(value) != NULL;
}

/* Weights [O, K] whose rows have the elements in the order before the transpose. */
static struct weft_value *turn_back(struct weft_rewrite *rewrite, struct weft_value *weights,
                                    const struct weft_node *transpose) {
    const struct weft_type *x = &transpose->inputs[0]->type;
    const int64_t *order = sink_order_of(transpose);
    struct weft_type apart = weights->type;
    int64_t back[WEFT_MAX_RANK] = {0};
    apart.rank = x->rank;
    for (uint32_t i = 1; i < x->rank; i++) {
        apart.dim[i] = transpose->results[0]->type.dim[i];
        back[order[i]] = i;
    }
    struct weft_type turned = apart;
    for (uint32_t i = 1; i < x->rank; i++) {
        turned.dim[i] = x->dim[i];
    }
    struct weft_attribute permutation =
        weft_attr_ints(weft_rewrite_arena(rewrite), WEFT_ATTR_permutation, x->rank, back);
    struct weft_value *y = rule_reshape(rewrite, weights, &apart);
    y = weft_rewrite_node(rewrite, WEFT_OP_TRANSPOSE, 1, &y, 1, &permutation, &turned);
    return rule_reshape(rewrite, y, &weights->type);
}

/* qnn.dense(reshape(transpose(x)), weights): the weights in the order of x. Sums of floats would be
 * others in another order. */
static struct weft_value *sink_into_weights(struct weft_rewrite *rewrite,
                                            const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    const struct weft_node *reshape = node->inputs[0]->producer;
    const struct weft_node *transpose = sink_transpose_of(reshape->inputs[0]);
    const struct weft_value *x = transpose->inputs[0];
    const struct weft_type *weights = &node->inputs[1]->type;
    if (!is_known(node->inputs[1]) || x->type.rank < 2 || sink_order_of(transpose)[0] != 0 ||
        reshape->results[0]->type.dim[0] != x->type.dim[0] || weft_type_elements(&x->type) == 0 ||
        (weights->quantization.count > 1 && weights->quantization.axis != 0)) {
        return NULL;
    }
    struct weft_value *rows =
        rule_reshape(rewrite, transpose->inputs[0], &reshape->results[0]->type);
    struct weft_value *inputs[2] = {rows, turn_back(rewrite, node->inputs[1], transpose)};
    return weft_rewrite_copy(rewrite, node, inputs, &site->post->type);
}

/* ---- all ---- */

/* Functions of one element, and of two. */
static const enum weft_operator of_one[] = {
#define WEFT_UNARY_FUNCTION(OPERATOR, name, kernel) WEFT_OP_##OPERATOR,
#include "compiler/ir/functions.def"
    WEFT_OP_RELU,       WEFT_OP_RELU6,    WEFT_OP_RELU_N1_TO_1, WEFT_OP_LEAKY_RELU,
    WEFT_OP_HARD_SWISH, WEFT_OP_LOGISTIC, WEFT_OP_TANH,         WEFT_OP_ABS,
    WEFT_OP_NEGATE,     WEFT_OP_SIGN,     WEFT_OP_EXP,          WEFT_OP_LOG,
    WEFT_OP_SQRT,       WEFT_OP_RSQRT,    WEFT_OP_SQUARE,       WEFT_OP_SIN,
    WEFT_OP_COS,        WEFT_OP_CEIL,     WEFT_OP_FLOOR,        WEFT_OP_ROUND,
    WEFT_OP_ERF,        WEFT_OP_SOFTPLUS, WEFT_OP_ELU,          WEFT_OP_GELU,
    WEFT_OP_FLOAT_CLIP, WEFT_OP_CAST,     WEFT_OP_QNN_QUANTIZE, WEFT_OP_QNN_DEQUANTIZE};

static const enum weft_operator of_two[] = {
#define WEFT_BINARY_FUNCTION(OPERATOR, name, kernel, FUNCTION) WEFT_OP_##OPERATOR,
#include "compiler/ir/functions.def"
    WEFT_OP_ADD,        WEFT_OP_SUBTRACT,           WEFT_OP_MUL,          WEFT_OP_DIVIDE,
    WEFT_OP_QNN_DIVIDE, WEFT_OP_SQUARED_DIFFERENCE, WEFT_OP_PRELU,        WEFT_OP_QNN_PRELU,
    WEFT_OP_POWER,      WEFT_OP_FLOOR_DIVIDE,       WEFT_OP_FLOOR_MODULO, WEFT_OP_QNN_COMPARE,
    WEFT_OP_COMPARE};

static const enum weft_operator reductions[] = {
    WEFT_OP_MEAN,        WEFT_OP_QNN_MEAN,   WEFT_OP_SUM,       WEFT_OP_QNN_SUM,
    WEFT_OP_REDUCE_PROD, WEFT_OP_REDUCE_MAX, WEFT_OP_REDUCE_MIN};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct weft_graph *sink(const struct weft_graph *graph, bool rounds) {
    bool turns_inputs = true;
    struct weft_use_index *index = weft_use_index_new(graph);
    struct weft_arena *arena = graph->arena;
    struct weft_pattern *any = weft_pattern_wildcard(arena);
    struct weft_pattern *other = weft_pattern_wildcard(arena);
    struct weft_pattern *both[2] = {any, other};
    struct weft_pattern *transpose = rule_unary(arena, WEFT_OP_TRANSPOSE, any);
    struct weft_pattern *reshaped = rule_unary(arena, WEFT_OP_RESHAPE, any);
    struct weft_pattern *flat[2] = {rule_unary(arena, WEFT_OP_RESHAPE, transpose),
                                    weft_pattern_wildcard(arena)};
    struct weft_pattern *factors[2] = {transpose, other};
    struct weft_pattern *parts = rule_unary(arena, WEFT_OP_RESHAPE, transpose);
    struct weft_pattern *shuffled = rule_unary(arena, WEFT_OP_TRANSPOSE, parts);
    const struct weft_rule rest[] = {
        /* of any number of transposes, which are more than a match can hold */
        {weft_pattern_op_each(arena, WEFT_OP_CONCATENATE, any), sink_concatenate, index},
        {rule_unary(arena, WEFT_OP_PAD, transpose), sink_pad, NULL},
        {weft_pattern_op(arena, WEFT_OP_PAD, 2, both), sink_pad, NULL},
        {rule_unary(arena, WEFT_OP_STRIDED_SLICE, transpose), sink_slice, NULL},
        {rule_unary(arena, WEFT_OP_INTERPOLATE_AXIS, transpose), sink_interpolation, NULL},
        {weft_pattern_op(arena, WEFT_OP_GATHER, 2, factors), sink_gather, NULL},
        {rule_unary(arena, WEFT_OP_RESHAPE, shuffled), sink_shuffle, NULL},
        {rule_unary(arena, WEFT_OP_RESHAPE, shuffled), sink_parts, NULL},
        {parts, sink_division, index},
        {weft_pattern_op(arena, WEFT_OP_QNN_DENSE, 2, flat), sink_into_weights, NULL},
    };
    enum {
        OF_FLOATS = 2 /* of the rules at the end */
    };
    struct weft_rule
        rules[2 * COUNT(of_one) + 2 * COUNT(of_two) + COUNT(reductions) + COUNT(rest) + OF_FLOATS];
    size_t count = 0;
    for (size_t i = 0; i < COUNT(of_one); i++) {
        rules[count++] =
            (struct weft_rule){rule_unary(arena, of_one[i], transpose), sink_one, index};
    }
    for (size_t i = 0; i < COUNT(of_two); i++) {
        rules[count++] = (struct weft_rule){weft_pattern_op(arena, of_two[i], 2, both), sink_two,
                                            rounds ? &turns_inputs : NULL};
    }
    for (size_t i = 0; rounds && i < COUNT(of_one); i++) {
        rules[count++] =
            (struct weft_rule){rule_unary(arena, of_one[i], reshaped), sink_reshape, NULL};
    }
    for (size_t i = 0; rounds && i < COUNT(of_two); i++) {
        rules[count++] =
            (struct weft_rule){weft_pattern_op(arena, of_two[i], 2, both), sink_reshape, NULL};
    }
    for (size_t i = 0; i < COUNT(reductions); i++) {
        rules[count++] =
            (struct weft_rule){rule_unary(arena, reductions[i], transpose), sink_reduction, NULL};
    }
    memcpy(rules + count, rest, sizeof rest);
    count += COUNT(rest);
    struct weft_pattern *normalised[3] = {
        weft_pattern_or(arena, parts, rule_unary(arena, WEFT_OP_RESHAPE, parts)), any, other};
    if (rounds) {
        struct weft_pattern *norm = weft_pattern_op(arena, WEFT_OP_LAYER_NORM, 3, normalised);
        rules[count++] =
            (struct weft_rule){rule_unary(arena, WEFT_OP_RESHAPE, norm), sink_norm, NULL};
        rules[count++] = (struct weft_rule){
            weft_pattern_op(arena, WEFT_OP_BATCH_MATMUL, 2, factors), sink_product, NULL};
    }
    return weft_rewrite(graph, count, rules);
}

struct weft_graph *weft_pass_sink_transposes(const struct weft_graph *graph) {
    return sink(graph, false);
}

struct weft_graph *weft_pass_sink_past_norms(const struct weft_graph *graph) {
    return sink(graph, true);
}
