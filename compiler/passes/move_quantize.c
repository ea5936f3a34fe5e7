/* In networks of ONNX qnn.dequantize moves towards the outputs and qnn.quantize towards the inputs,
 * past what only moves or picks elements, so that both stand next to the operators between them. */
#include <math.h>
#include <string.h>

#include "compiler/passes/rules.h"

enum {
    MOST_ROUNDS = 16, /* moves in a row that qnn.quantize passes */
};

/* ---- what moves ---- */

/* Operators whose results are elements of the first operand as they are. What pools and reductions
 * pick is the largest, or the smallest, of the integers as of the floats. */
static const enum weft_operator moves[] = {WEFT_OP_TRANSPOSE,   WEFT_OP_RESHAPE,
                                           WEFT_OP_SQUEEZE,     WEFT_OP_EXPAND_DIMS,
                                           WEFT_OP_TILE,        WEFT_OP_MAX_POOL2D,
                                           WEFT_OP_REDUCE_MAX,  WEFT_OP_REDUCE_MIN,
                                           WEFT_OP_GATHER,      WEFT_OP_GATHER_ND,
                                           WEFT_OP_PAD,         WEFT_OP_STRIDED_SLICE,
                                           WEFT_OP_CONCATENATE, WEFT_OP_RESIZE_NEAREST_NEIGHBOR};

/* Functions of one element that keep the order of numbers: they may as well come before. */
static const enum weft_operator limits[] = {WEFT_OP_RELU, WEFT_OP_RELU6, WEFT_OP_RELU_N1_TO_1,
                                            WEFT_OP_FLOAT_CLIP};

/* The type of a value in another shape. */
static struct weft_type shaped(struct weft_type type, const struct weft_type *shape) {
    type.rank = shape->rank;
    memcpy(type.dim, shape->dim, sizeof type.dim);
    return type;
}

/* Where axis `axis` of `from` lies after a reshape that leaves it as it is; -1: it does not. */
static int64_t reshaped_axis(const struct weft_type *from, uint32_t axis,
                             const struct weft_type *to) {
    int64_t wanted = 1;
    int64_t before = 1;
    for (uint32_t i = 0; i < axis; i++) {
        wanted *= from->dim[i];
    }
    for (uint32_t i = 0; i < to->rank; i++) {
        if (before == wanted && to->dim[i] == from->dim[axis]) {
            return i;
        }
        before *= to->dim[i];
    }
    return -1;
}

/* The type of the integers that become `shape` by the node; false: an axis of scales is lost. */
static bool moved_type(const struct weft_node *node, const struct weft_type *from,
                       const struct weft_type *shape, struct weft_type *moved) {
    *moved = shaped(*from, shape);
    if (from->quantization.count <= 1) {
        return true;
    }
    int64_t axis = -1;
    if (node->op == WEFT_OP_RESHAPE || node->op == WEFT_OP_EXPAND_DIMS ||
        node->op == WEFT_OP_SQUEEZE) {
        axis = reshaped_axis(from, from->quantization.axis, shape);
    }
    for (uint32_t i = 0; node->op == WEFT_OP_TRANSPOSE && i < shape->rank; i++) {
        bool found = weft_node_ints(node, WEFT_ATTR_permutation)[i] == from->quantization.axis;
        axis = found ? i : axis;
    }
    moved->quantization.axis = (uint32_t)(axis < 0 ? 0 : axis);
    return axis >= 0;
}

/* ---- qnn.dequantize ---- */

static const struct weft_node *dequantize_of(const struct weft_value *value) {
    const struct weft_node *node = value->producer;
    return node != NULL && node->op == WEFT_OP_QNN_DEQUANTIZE ? node : NULL;
}

/* Has the host a kernel for it of such integers? Those that only move elements take any. */
static bool takes(const struct weft_node *node, enum weft_dtype dtype) {
    switch (node->op) {
    case WEFT_OP_MAX_POOL2D:
    case WEFT_OP_REDUCE_MAX:
    case WEFT_OP_REDUCE_MIN:
    case WEFT_OP_RESIZE_NEAREST_NEIGHBOR:
        return dtype == WEFT_I8 || dtype == WEFT_U8;
    default:
        return true;
    }
}

/* How many operands of the node are moved; 0: what it does cannot be done to such integers. */
static uint32_t moved_operands(const struct weft_node *node, enum weft_dtype dtype) {
    bool is_pad = node->op == WEFT_OP_PAD && node->input_count == 2;
    float number = 1;
    bool fits =
        takes(node, dtype) &&
        (!is_pad || (rule_is_number(node->inputs[1], &number) && fpclassify(number) == FP_ZERO));
    return !fits ? 0 : node->op == WEFT_OP_CONCATENATE ? node->input_count : 1;
}

/* move(qnn.dequantize(x)): qnn.dequantize(move(x)). */
static struct weft_value *sink_dequantize(struct weft_rewrite *rewrite,
                                          const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    const struct weft_node *first = dequantize_of(node->inputs[0]);
    uint32_t count = first == NULL ? 0 : moved_operands(node, first->inputs[0]->type.dtype);
    uint32_t operands = node->op == WEFT_OP_PAD ? 1 : node->input_count; /* zero is the default */
    struct weft_value **inputs =
        WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), operands, struct weft_value *);
    struct weft_type type;
    for (uint32_t i = 0; i < operands; i++) {
        const struct weft_node *dequantize = dequantize_of(node->inputs[i]);
        inputs[i] = i < count && dequantize != NULL ? dequantize->inputs[0] : node->inputs[i];
        if (i < count && (dequantize == NULL || inputs[i]->type.dtype != inputs[0]->type.dtype ||
                          !weft_quantization_equal(&inputs[i]->type.quantization,
                                                   &inputs[0]->type.quantization))) {
            return NULL;
        }
    }
    if (count == 0 || !moved_type(node, &inputs[0]->type, &site->post->type, &type)) {
        return NULL;
    }
    struct weft_value *moved = weft_rewrite_node(rewrite, node->op, operands, inputs,
                                                 node->attribute_count, node->attributes, &type);
    return weft_rewrite_node(rewrite, WEFT_OP_QNN_DEQUANTIZE, 1, &moved, 0, NULL,
                             &site->post->type);
}

/* ---- qnn.quantize ---- */

/* qnn.quantize(move(x)): move(qnn.quantize(x)), of a move that nothing else needs. Of several moves
 * one is passed: the next one has its old user still. The context is told that there was one. */
static struct weft_value *raise_quantize(struct weft_rewrite *rewrite,
                                         const struct weft_site *site) {
    const struct weft_node *quantize = site->post->producer;
    const struct weft_node *node = quantize->inputs[0]->producer;
    const struct weft_type *to = &site->post->type;
    uint32_t count = moved_operands(node, to->dtype);
    uint32_t operands = node->op == WEFT_OP_PAD ? 1 : node->input_count;
    if (count == 0 || to->quantization.count != 1 ||
        weft_node_attribute(quantize, WEFT_ATTR_rounding) == NULL ||
        weft_rewrite_uses(rewrite, quantize->inputs[0]) != 1) {
        return NULL;
    }
    struct weft_value **inputs =
        WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), operands, struct weft_value *);
    *(bool *)site->context = true;
    for (uint32_t i = 0; i < operands; i++) {
        struct weft_type type = shaped(*to, &node->inputs[i]->type);
        inputs[i] = i < count ? weft_rewrite_copy(rewrite, quantize, &node->inputs[i], &type)
                              : node->inputs[i];
    }
    return weft_rewrite_node(rewrite, node->op, operands, inputs, node->attribute_count,
                             node->attributes, to);
}

/* Is operand `i` of a limit a transpose or reshape of floats that nothing else needs, and the other
 * operand, if there is one, a number? */
static bool limits_move(const struct weft_rewrite *rewrite, const struct weft_node *limit,
                        uint32_t i) {
    const struct weft_value *moved = limit->inputs[i];
    const struct weft_node *move = moved->producer;
    bool with_number =
        limit->input_count == 1 || weft_type_elements(&limit->inputs[1 - i]->type) == 1;
    return move != NULL && (move->op == WEFT_OP_TRANSPOSE || move->op == WEFT_OP_RESHAPE) &&
           move->inputs[0]->type.dtype == WEFT_F32 && with_number &&
           weft_shape_equal(&moved->type, &limit->results[0]->type) &&
           weft_rewrite_uses(rewrite, moved) == 1;
}

/* limit(move(x)): move(limit(x)), so that the limit stays where what it belongs to is. */
static struct weft_value *raise_limit(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    uint32_t i = 0;
    while (i < node->input_count && !limits_move(rewrite, node, i)) {
        i++;
    }
    if (i == node->input_count) {
        return NULL;
    }
    const struct weft_node *move = node->inputs[i]->producer;
    struct weft_value *inputs[2] = {node->inputs[0], node->inputs[node->input_count - 1]};
    inputs[i] = move->inputs[0];
    *(bool *)site->context = true;
    struct weft_type type = shaped(site->post->type, &move->inputs[0]->type);
    struct weft_value *y = weft_rewrite_copy(rewrite, node, inputs, &type);
    return weft_rewrite_copy(rewrite, move, &y, &site->post->type);
}

/* qnn.quantize(maximum(a, b)) of dequantised bytes: maximum(qnn.quantize(a), qnn.quantize(b)),
 * since what is larger does not become smaller. Of operands at the result's scale they are the
 * bytes. */
static struct weft_value *quantize_operands(struct weft_rewrite *rewrite,
                                            const struct weft_site *site) {
    const struct weft_node *quantize = site->post->producer;
    const struct weft_node *node = quantize->inputs[0]->producer;
    const struct weft_type *to = &site->post->type;
    struct weft_value *inputs[2];
    if (to->quantization.count != 1 || (to->dtype != WEFT_I8 && to->dtype != WEFT_U8) ||
        weft_node_attribute(quantize, WEFT_ATTR_rounding) == NULL ||
        weft_rewrite_uses(rewrite, quantize->inputs[0]) != 1) {
        return NULL;
    }
    for (int i = 0; i < 2; i++) {
        const struct weft_node *dequantize = dequantize_of(node->inputs[i]);
        if (dequantize == NULL || dequantize->inputs[0]->type.dtype != to->dtype ||
            !weft_shape_equal(&node->inputs[i]->type, to)) {
            return NULL;
        }
    }
    for (int i = 0; i < 2; i++) {
        struct weft_value *bytes = node->inputs[i]->producer->inputs[0];
        inputs[i] = weft_type_equal(&bytes->type, to)
                        ? bytes
                        : weft_rewrite_copy(rewrite, quantize, &node->inputs[i], to);
    }
    return weft_rewrite_node(rewrite, node->op, 2, inputs, 0, NULL, to);
}

/* ---- casts that only change what integers are called ---- */

static struct weft_value *merge_casts(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_value *middle = site->post->producer->inputs[0];
    struct weft_value *x = middle->producer->inputs[0];
    bool same = x->type.dtype == middle->type.dtype && x->type.dtype == site->post->type.dtype;
    return !same ? NULL
           : weft_type_equal(&x->type, &site->post->type)
               ? x
               : weft_rewrite_copy(rewrite, site->post->producer, &x, &site->post->type);
}

/* ---- all ---- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A result of the operator, with as many operands as it may have. */
static struct weft_pattern *result_of(struct weft_arena *arena, enum weft_operator op) {
    struct weft_pattern *any[2] = {weft_pattern_wildcard(arena), weft_pattern_wildcard(arena)};
    bool two = op == WEFT_OP_GATHER || op == WEFT_OP_GATHER_ND || op == WEFT_OP_MAXIMUM ||
               op == WEFT_OP_MINIMUM;
    struct weft_pattern *one = weft_pattern_op(arena, op, two ? 2 : 1, any);
    return op == WEFT_OP_PAD ? weft_pattern_or(arena, one, weft_pattern_op(arena, op, 2, any))
           : op == WEFT_OP_CONCATENATE ? weft_pattern_op_each(arena, op, any[0])
                                       : one;
}

struct weft_graph *weft_pass_move_quantize(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    struct weft_rule rules[2 * COUNT(moves) + COUNT(limits) + 5];
    size_t count = 0;
    bool has_moved = false;
    if (!rule_is_onnx(graph)) {
        return weft_rewrite(graph, 0, NULL);
    }
    for (size_t i = 0; i < COUNT(moves); i++) {
        struct weft_pattern *move = result_of(arena, moves[i]);
        rules[count++] = (struct weft_rule){move, sink_dequantize, NULL};
        rules[count++] = (struct weft_rule){rule_unary(arena, WEFT_OP_QNN_QUANTIZE, move),
                                            raise_quantize, &has_moved};
    }
    for (size_t i = 0; i < COUNT(limits); i++) {
        rules[count++] = (struct weft_rule){result_of(arena, limits[i]), raise_limit, &has_moved};
    }
    rules[count++] = (struct weft_rule){result_of(arena, WEFT_OP_MAXIMUM), raise_limit, &has_moved};
    rules[count++] = (struct weft_rule){result_of(arena, WEFT_OP_MINIMUM), raise_limit, &has_moved};
    for (int i = 0; i < 2; i++) {
        struct weft_pattern *larger = result_of(arena, i == 0 ? WEFT_OP_MAXIMUM : WEFT_OP_MINIMUM);
        rules[count++] = (struct weft_rule){rule_unary(arena, WEFT_OP_QNN_QUANTIZE, larger),
                                            quantize_operands, NULL};
    }
    rules[count++] = (struct weft_rule){
        rule_unary(arena, WEFT_OP_CAST,
                   rule_unary(arena, WEFT_OP_CAST, weft_pattern_wildcard(arena))),
        merge_casts, NULL};
    struct weft_graph *moved = weft_rewrite(graph, count, rules);
    for (int i = 1; has_moved && i < MOST_ROUNDS; i++) {
        has_moved = false;
        moved = weft_rewrite(moved, count, rules);
    }
    return moved;
}
