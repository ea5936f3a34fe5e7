/* Operators along axes, and those that move elements, as ONNX's: the axes are in the graph's order,
 * but where a picture is resized. */
#include <string.h>

#include "compiler/quantize/onnx_writer.h"

/* The only result. */
static bool finish(struct onnx_writer *w, const struct weft_node *node, const char *name,
                   bool moved) {
    onnx_set_result(w, node->results[0], name, moved);
    return true;
}

/* ---- shapes ---- */

bool onnx_write_reshape(struct onnx_writer *w, const struct weft_node *node) {
    const struct weft_value *x = node->inputs[0];
    const struct weft_type *type = &node->results[0]->type;
    /* One row and one column: moving the axes moves no element. */
    bool single =
        x->type.rank == 4 && x->type.dim[1] == 1 && x->type.dim[2] == 1 && onnx_is_moved(w, x);
    const char *name = single ? onnx_known_of(w, x)->name : onnx_operand(w, x, false);
    const char *inputs[2] = {name, onnx_add_list(w, "shape", type->rank, type->dim)};
    const char *result = onnx_new_name(w, "reshape");
    Onnx__NodeProto *made = onnx_add_node(&w->message, "Reshape", 2, inputs, result);
    onnx_add_int(&w->message, made, "allowzero", 1); /* else 0 is the operand's axis */
    return finish(w, node, result, false);
}

bool onnx_write_transpose(struct onnx_writer *w, const struct weft_node *node) {
    const struct weft_attribute *order = weft_node_attribute(node, WEFT_ATTR_permutation);
    const struct weft_value *x = node->inputs[0];
    bool first = order->count == 4 &&
                 memcmp(order->ints, onnx_to_first_axes, sizeof onnx_to_first_axes) == 0;
    bool last =
        order->count == 4 && memcmp(order->ints, onnx_to_last_axes, sizeof onnx_to_last_axes) == 0;
    if ((first && onnx_is_moved(w, x)) || (last && !onnx_is_moved(w, x))) {
        /* The same tensor, seen otherwise. */
        struct onnx_known known = {onnx_operand(w, x, first), last};
        bool new_scale = w->plan->scales[value_number(w->plan->table, node->results[0])].is_set &&
                         !w->plan->scales[value_number(w->plan->table, x)].is_set;
        if (new_scale) {
            return finish(w, node, known.name, known.is_moved);
        }
        *onnx_known_of(w, node->results[0]) = known;
        return true;
    }
    const char *input = onnx_operand(w, x, false);
    const char *result = onnx_new_name(w, "transpose");
    Onnx__NodeProto *made = onnx_add_node(&w->message, "Transpose", 1, &input, result);
    onnx_add_ints(&w->message, made, "perm", order->count, order->ints);
    return finish(w, node, result, false);
}

bool onnx_write_pad(struct onnx_writer *w, const struct weft_node *node) {
    const struct weft_attribute *pads = weft_node_attribute(node, WEFT_ATTR_pads);
    uint32_t rank = node->inputs[0]->type.rank;
    bool moved = onnx_is_moved(w, node->inputs[0]);
    int64_t list[2 * WEFT_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++) {
        int64_t from = moved ? onnx_to_first_axes[i] : i;
        list[i] = pads->ints[2 * from];
        list[rank + i] = pads->ints[2 * from + 1];
    }
    const char *x = onnx_operand(w, node->inputs[0], moved);
    const char *inputs[3] = {x, onnx_add_list(w, "pads", 2 * rank, list)};
    if (node->input_count == 2) {
        inputs[2] = onnx_operand(w, node->inputs[1], false);
        const char *pair[2] = {inputs[2], onnx_add_list(w, "shape", 0, NULL)};
        inputs[2] = onnx_add_plain(w, "Reshape", 2, pair); /* ONNX wants no axes */
    }
    return finish(w, node, onnx_add_plain(w, "Pad", node->input_count + 1, inputs), moved);
}

bool onnx_write_tile(struct onnx_writer *w, const struct weft_node *node) {
    const struct weft_attribute *multiples = weft_node_attribute(node, WEFT_ATTR_multiples);
    const char *x = onnx_operand(w, node->inputs[0], false);
    const char *inputs[2] = {x, onnx_add_list(w, "repeats", multiples->count, multiples->ints)};
    return finish(w, node, onnx_add_plain(w, "Tile", 2, inputs), false);
}

bool onnx_write_slice(struct onnx_writer *w, const struct weft_node *node) {
    const int64_t *begin = weft_node_ints(node, WEFT_ATTR_begin);
    const int64_t *steps = weft_node_ints(node, WEFT_ATTR_steps);
    const int64_t *sizes = weft_node_ints(node, WEFT_ATTR_sizes);
    uint32_t rank = node->inputs[0]->type.rank;
    int64_t ends[WEFT_MAX_RANK];
    int64_t axes[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++) {
        axes[i] = i;
        ends[i] = begin[i] + sizes[i] * steps[i];
        /* Below 0 ONNX counts from the end: INT64_MIN is before the first element. */
        ends[i] = ends[i] < 0 ? INT64_MIN : ends[i];
    }
    const char *inputs[5];
    inputs[0] = onnx_operand(w, node->inputs[0], false);
    inputs[1] = onnx_add_list(w, "starts", rank, begin);
    inputs[2] = onnx_add_list(w, "ends", rank, ends);
    inputs[3] = onnx_add_list(w, "axes", rank, axes);
    inputs[4] = onnx_add_list(w, "steps", rank, steps);
    return finish(w, node, onnx_add_plain(w, "Slice", 5, inputs), false);
}

/* ---- several results, several operands ---- */

/* Squeeze and Unsqueeze of one axis. */
static const char *change_axis(struct onnx_writer *w, const char *op, const char *name,
                               int64_t axis) {
    const char *inputs[2] = {name, onnx_add_list(w, "axes", 1, &axis)};
    return onnx_add_plain(w, op, 2, inputs);
}

bool onnx_write_split(struct onnx_writer *w, const struct weft_node *node) {
    int64_t axis = weft_node_int(node, WEFT_ATTR_axis);
    int64_t *sizes = WEFT_NEW_ARRAY(w->plan->arena, node->result_count, int64_t);
    const char **names = WEFT_NEW_ARRAY(w->plan->arena, node->result_count, const char *);
    for (uint32_t i = 0; i < node->result_count; i++) {
        bool parts = node->op == WEFT_OP_SPLIT;
        sizes[i] = parts ? node->results[i]->type.dim[axis] : 1;
        names[i] = onnx_new_name(w, "part");
    }
    const char *x = onnx_operand(w, node->inputs[0], false);
    const char *inputs[2] = {x, onnx_add_list(w, "split", node->result_count, sizes)};
    Onnx__NodeProto *made = onnx_add_node(&w->message, "Split", 2, inputs, names[0]);
    onnx_add_results(&w->message, made, node->result_count, names);
    onnx_add_int(&w->message, made, "axis", axis);
    for (uint32_t i = 0; i < node->result_count; i++) {
        const char *name =
            node->op == WEFT_OP_SPLIT ? names[i] : change_axis(w, "Squeeze", names[i], axis);
        onnx_set_result(w, node->results[i], name, false);
    }
    return true;
}

bool onnx_write_pack(struct onnx_writer *w, const struct weft_node *node) {
    int64_t axis = weft_node_int(node, WEFT_ATTR_axis);
    const char **inputs = WEFT_NEW_ARRAY(w->plan->arena, node->input_count, const char *);
    for (uint32_t i = 0; i < node->input_count; i++) {
        inputs[i] = change_axis(w, "Unsqueeze", onnx_operand(w, node->inputs[i], false), axis);
    }
    const char *result = onnx_new_name(w, "pack");
    Onnx__NodeProto *made = onnx_add_node(&w->message, "Concat", node->input_count, inputs, result);
    onnx_add_int(&w->message, made, "axis", axis);
    return finish(w, node, result, false);
}

/* ---- indices ---- */

/* An integer tensor as ONNX's INT64, or as what it is to be. */
static const char *cast(struct onnx_writer *w, const char *name, enum weft_dtype from,
                        enum weft_dtype to) {
    if (from == to) {
        return name;
    }
    const char *result = onnx_new_name(w, "cast");
    onnx_add_int(&w->message, onnx_add_node(&w->message, "Cast", 1, &name, result), "to",
                 onnx_type_code(to));
    return result;
}

bool onnx_write_gather(struct onnx_writer *w, const struct weft_node *node) {
    bool nd = node->op == WEFT_OP_GATHER_ND;
    if (!nd && weft_node_int(node, WEFT_ATTR_batch_dims) != 0) {
        return onnx_unsupported(w, node);
    }
    const char *x = onnx_operand(w, node->inputs[0], false);
    const char *inputs[2] = {
        x, cast(w, onnx_operand(w, node->inputs[1], false), node->inputs[1]->type.dtype, WEFT_I64)};
    const char *result = onnx_new_name(w, "gather");
    Onnx__NodeProto *made =
        onnx_add_node(&w->message, nd ? "GatherND" : "Gather", 2, inputs, result);
    if (!nd) {
        onnx_add_int(&w->message, made, "axis", weft_node_int(node, WEFT_ATTR_axis));
    }
    return finish(w, node, result, false);
}

bool onnx_write_arg(struct onnx_writer *w, const struct weft_node *node) {
    const char *input = onnx_operand(w, node->inputs[0], false);
    const char *result = onnx_new_name(w, "index");
    Onnx__NodeProto *made = onnx_add_node(
        &w->message, node->op == WEFT_OP_ARGMAX ? "ArgMax" : "ArgMin", 1, &input, result);
    onnx_add_int(&w->message, made, "axis", weft_node_int(node, WEFT_ATTR_axis));
    onnx_add_int(&w->message, made, "keepdims", 0);
    return finish(w, node, cast(w, result, WEFT_I64, node->results[0]->type.dtype), false);
}

bool onnx_write_topk(struct onnx_writer *w, const struct weft_node *node) {
    int64_t depth = weft_node_int(node, WEFT_ATTR_depth);
    const char *x = onnx_operand(w, node->inputs[0], false);
    const char *inputs[2] = {x, onnx_add_list(w, "depth", 1, &depth)};
    const char *largest = onnx_new_name(w, "largest");
    const char *names[2] = {largest, onnx_new_name(w, "index")};
    Onnx__NodeProto *made = onnx_add_node(&w->message, "TopK", 2, inputs, names[0]);
    onnx_add_results(&w->message, made, 2, names);
    onnx_set_result(w, node->results[0], names[0], false);
    if (node->result_count == 2) {
        onnx_set_result(w, node->results[1],
                        cast(w, names[1], WEFT_I64, node->results[1]->type.dtype), false);
    }
    return true;
}

bool onnx_write_cumsum(struct onnx_writer *w, const struct weft_node *node) {
    int64_t axis = weft_node_int(node, WEFT_ATTR_axis);
    const char *list = onnx_add_list(w, "axis", 1, &axis);
    const char *pair[2] = {list, onnx_add_list(w, "shape", 0, NULL)};
    const char *x = onnx_operand(w, node->inputs[0], false);
    const char *inputs[2] = {x, onnx_add_plain(w, "Reshape", 2, pair)};
    const char *result = onnx_new_name(w, "sums");
    Onnx__NodeProto *made = onnx_add_node(&w->message, "CumSum", 2, inputs, result);
    onnx_add_int(&w->message, made, "exclusive", weft_node_int(node, WEFT_ATTR_exclusive));
    onnx_add_int(&w->message, made, "reverse", weft_node_int(node, WEFT_ATTR_reverse));
    return finish(w, node, result, false);
}

/* ---- along the last axis ---- */

bool onnx_write_softmax(struct onnx_writer *w, const struct weft_node *node) {
    bool softmax = node->op == WEFT_OP_SOFTMAX;
    const char *inputs[2] = {onnx_operand(w, node->inputs[0], false), NULL};
    const char *result = onnx_new_name(w, "softmax");
    if (softmax && weft_node_float(node, WEFT_ATTR_beta) != 1) {
        inputs[1] = onnx_add_scalar(w, "beta", weft_node_float(node, WEFT_ATTR_beta));
        inputs[0] = onnx_add_plain(w, "Mul", 2, inputs);
    }
    Onnx__NodeProto *made =
        onnx_add_node(&w->message, softmax ? "Softmax" : "LogSoftmax", 1, inputs, result);
    onnx_add_int(&w->message, made, "axis", -1);
    return finish(w, node, result, false);
}

/* Over the length of each row, which is at least a millionth. */
bool onnx_write_l2_normalize(struct onnx_writer *w, const struct weft_node *node) {
    const double least = 1e-6;
    const int64_t last = -1;
    const char *x = onnx_operand(w, node->inputs[0], false);
    const char *inputs[2] = {x, onnx_add_list(w, "axes", 1, &last)};
    const char *length = onnx_add_plain(w, "ReduceL2", 2, inputs);
    const char *lengths[2] = {length, onnx_add_scalar(w, "least", least)};
    inputs[1] = onnx_add_plain(w, "Max", 2, lengths);
    return finish(w, node, onnx_add_plain(w, "Div", 2, inputs), false);
}

/* One whose gain or offset is not known: others were taken apart. */
bool onnx_write_layer_norm(struct onnx_writer *w, const struct weft_node *node) {
    const char *inputs[3];
    for (uint32_t i = 0; i < 3; i++) {
        inputs[i] = onnx_operand(w, node->inputs[i], false);
    }
    const char *result = onnx_new_name(w, "normalised");
    Onnx__NodeProto *made = onnx_add_node(&w->message, "LayerNormalization", 3, inputs, result);
    onnx_add_int(&w->message, made, "axis", -1);
    onnx_add_float(&w->message, made, "epsilon", weft_node_float(node, WEFT_ATTR_epsilon));
    return finish(w, node, result, false);
}

/* ---- products of two tensors ---- */

/* The last two axes swapped where the operator says so. */
static const char *matrix(struct onnx_writer *w, const struct weft_value *x, bool swapped) {
    const char *name = onnx_operand(w, x, false);
    int64_t order[WEFT_MAX_RANK];
    uint32_t rank = x->type.rank;
    if (!swapped) {
        return name;
    }
    for (uint32_t i = 0; i < rank; i++) {
        order[i] = i + 2 < rank ? i : 2 * (int64_t)rank - 3 - i;
    }
    const char *result = onnx_new_name(w, "swapped");
    onnx_add_ints(&w->message, onnx_add_node(&w->message, "Transpose", 1, &name, result), "perm",
                  rank, order);
    return result;
}

bool onnx_write_matmul(struct onnx_writer *w, const struct weft_node *node) {
    bool dense = node->op == WEFT_OP_DENSE; /* its second operand is transposed */
    bool swapped[2] = {!dense && weft_node_int(node, WEFT_ATTR_transpose_a) == 1,
                       dense || weft_node_int(node, WEFT_ATTR_transpose_b) == 1};
    const char *first = matrix(w, node->inputs[0], swapped[0]);
    const char *inputs[2] = {first, matrix(w, node->inputs[1], swapped[1])};
    const char *result = onnx_add_plain(w, "MatMul", 2, inputs);
    if (weft_value_data(node->inputs[1]) != NULL && !plan_is_quantized(w->plan, node->results[0])) {
        result = onnx_keep_float(w, result);
    }
    return finish(w, node, result, false);
}

/* ---- pictures ---- */

bool onnx_write_resize(struct onnx_writer *w, const struct weft_node *node) {
    bool nearest = node->op == WEFT_OP_RESIZE_NEAREST_NEIGHBOR;
    bool corners = weft_node_int(node, WEFT_ATTR_align_corners) == 1;
    bool centres = weft_node_int(node, WEFT_ATTR_half_pixel_centers) == 1;
    const int64_t *dims = node->results[0]->type.dim;
    const int64_t sizes[4] = {dims[0], dims[3], dims[1], dims[2]};
    const char *x = onnx_operand(w, node->inputs[0], true);
    const char *inputs[4] = {x, "", "", onnx_add_list(w, "sizes", 4, sizes)};
    const char *result = onnx_new_name(w, "resize");
    Onnx__NodeProto *made = onnx_add_node(&w->message, "Resize", 4, inputs, result);
    onnx_add_text(&w->message, made, "mode", nearest ? "nearest" : "linear");
    onnx_add_text(&w->message, made, "coordinate_transformation_mode",
                  corners   ? "align_corners"
                  : centres ? "half_pixel"
                            : "asymmetric");
    if (nearest) {
        onnx_add_text(&w->message, made, "nearest_mode",
                      corners || centres ? "round_prefer_ceil" : "floor");
    }
    return finish(w, node, result, true);
}

/* The elements of x at some places along an axis, each times its share. */
static const char *take_shares(struct onnx_writer *w, const char *x, int64_t axis, uint32_t count,
                               const int64_t *elements, const char *shares) {
    const char *inputs[2] = {x, onnx_add_list(w, "elements", count, elements)};
    const char *taken = onnx_new_name(w, "taken");
    onnx_add_int(&w->message, onnx_add_node(&w->message, "Gather", 2, inputs, taken), "axis", axis);
    const char *factors[2] = {taken, shares};
    return onnx_add_plain(w, "Mul", 2, factors);
}

/* Two neighbours with their shares: Resize has no places of its own. */
bool onnx_write_interpolation(struct onnx_writer *w, const struct weft_node *node) {
    const struct weft_attribute *elements = weft_node_attribute(node, WEFT_ATTR_elements);
    const int64_t *fractions = weft_node_ints(node, WEFT_ATTR_fractions);
    struct weft_arena *arena = w->plan->arena;
    uint32_t count = elements->count;
    uint32_t rank = node->inputs[0]->type.rank;
    bool moved = onnx_is_moved(w, node->inputs[0]);
    int64_t axis = onnx_axis_of(weft_node_int(node, WEFT_ATTR_axis), moved);
    int64_t *next = WEFT_NEW_ARRAY(arena, count, int64_t);
    float *shares[2] = {WEFT_NEW_ARRAY(arena, count, float), WEFT_NEW_ARRAY(arena, count, float)};
    const char *names[2];
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < count; i++) {
        double share = (double)fractions[i] / (double)WEFT_WHOLE_FRACTION;
        next[i] = elements->ints[i] + (fractions[i] > 0 ? 1 : 0);
        shares[0][i] = (float)(1 - share);
        shares[1][i] = (float)share;
    }
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = i == axis ? count : 1;
    }
    for (int i = 0; i < 2; i++) {
        names[i] = onnx_new_name(w, "shares");
        onnx_add_tensor(&w->message, names[i], WEFT_F32, rank, dims, shares[i]);
    }
    const char *x = onnx_operand(w, node->inputs[0], moved);
    const char *first = take_shares(w, x, axis, count, elements->ints, names[0]);
    const char *parts[2] = {first, take_shares(w, x, axis, count, next, names[1])};
    return finish(w, node, onnx_add_plain(w, "Add", 2, parts), moved);
}
