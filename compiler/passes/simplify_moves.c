/* Moving elements in fewer and simpler steps. */
#include <string.h>

#include "compiler/passes/rules.h"

/* ---- what moves nothing ---- */

/* Of operators that move nothing when the type stays: what it returns is not taken otherwise. */
static struct weft_value *drop(struct weft_rewrite *rewrite, const struct weft_site *site) {
    (void)rewrite;
    const struct weft_node *node = site->post->producer;
    return node->input_count == 1 || node->op == WEFT_OP_PAD ? node->inputs[0] : NULL;
}

/* A slice of everything from the first element on. */
static struct weft_value *drop_slice(struct weft_rewrite *rewrite, const struct weft_site *site) {
    (void)rewrite;
    const struct weft_node *node = site->post->producer;
    const struct weft_attribute *begin = weft_node_attribute(node, WEFT_ATTR_begin);
    bool whole = true;
    for (uint32_t i = 0; i < begin->count; i++) {
        whole = whole && begin->ints[i] == 0;
    }
    return whole ? node->inputs[0] : NULL;
}

/* ---- reshapes ---- */

/* squeeze, expand_dims and a reshape after another one. */
static struct weft_value *reshape_operand(struct weft_rewrite *rewrite,
                                          const struct weft_site *site) {
    struct weft_value *x = site->post->producer->inputs[0];
    if (x->type.quantization.count > 1) {
        return NULL; /* the axis may have another number */
    }
    return rule_reshape(rewrite, x, &site->post->type);
}

static struct weft_value *merge_reshapes(struct weft_rewrite *rewrite,
                                         const struct weft_site *site) {
    const struct weft_node *inner = site->post->producer->inputs[0]->producer;
    return rule_reshape(rewrite, inner->inputs[0], &site->post->type);
}

/* ---- transposes ---- */

/* A transpose that leaves the order of axes with more than one element. */
static struct weft_value *transpose_to_reshape(struct weft_rewrite *rewrite,
                                               const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    struct weft_value *x = node->inputs[0];
    const int64_t *order = weft_node_ints(node, WEFT_ATTR_permutation);
    int64_t last = -1;
    for (uint32_t i = 0; i < x->type.rank; i++) {
        if (x->type.dim[order[i]] == 1) {
            continue;
        }
        if (order[i] < last) {
            return NULL;
        }
        last = order[i];
    }
    return x->type.quantization.count > 1 && !weft_type_equal(&x->type, &site->post->type)
               ? NULL
               : rule_reshape(rewrite, x, &site->post->type);
}

static struct weft_value *merge_transposes(struct weft_rewrite *rewrite,
                                           const struct weft_site *site) {
    const struct weft_node *outer = site->post->producer;
    const struct weft_node *inner = outer->inputs[0]->producer;
    const int64_t *second = weft_node_ints(outer, WEFT_ATTR_permutation);
    const int64_t *first = weft_node_ints(inner, WEFT_ATTR_permutation);
    uint32_t rank = site->post->type.rank;
    int64_t order[WEFT_MAX_RANK] = {0};
    for (uint32_t i = 0; i < rank; i++) {
        order[i] = first[second[i]];
    }
    struct weft_attribute permutation =
        weft_attr_ints(weft_rewrite_arena(rewrite), WEFT_ATTR_permutation, rank, order);
    return weft_rewrite_node(rewrite, WEFT_OP_TRANSPOSE, 1, inner->inputs, 1, &permutation,
                             &site->post->type);
}

/* A product of matrices whose second ones were transposed transposes them itself, where what is
 * left to move keeps the last axis, or nothing is. */
static struct weft_value *transpose_in_product(struct weft_rewrite *rewrite,
                                               const struct weft_site *site) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    const struct weft_node *product = site->post->producer;
    const struct weft_node *transpose = product->inputs[1]->producer;
    struct weft_value *x = transpose->inputs[0];
    uint32_t rank = x->type.rank;
    const int64_t *order = weft_node_ints(transpose, WEFT_ATTR_permutation);
    if (rank < 2 || order[rank - 2] != (int64_t)rank - 1 || x->type.quantization.count > 1) {
        return NULL;
    }
    int64_t kept[WEFT_MAX_RANK];
    struct weft_type type = product->inputs[1]->type;
    for (uint32_t i = 0; i < rank; i++) {
        kept[i] = order[i + 2 < rank ? i : 2 * rank - 3 - i];
        type.dim[i] = x->type.dim[kept[i]];
    }
    const struct weft_attribute permutation =
        weft_attr_ints(arena, WEFT_ATTR_permutation, rank, kept);
    struct weft_value *inputs[2] = {
        product->inputs[0],
        weft_rewrite_node(rewrite, WEFT_OP_TRANSPOSE, 1, &x, 1, &permutation, &type)};
    const struct weft_attribute attributes[] = {
        weft_attr_int(arena, WEFT_ATTR_transpose_a, weft_node_int(product, WEFT_ATTR_transpose_a)),
        weft_attr_int(arena, WEFT_ATTR_transpose_b,
                      weft_node_int(product, WEFT_ATTR_transpose_b) == 0)};
    return weft_rewrite_node(rewrite, product->op, 2, inputs, 2, attributes, &site->post->type);
}

/* ---- pads ---- */

/* A pad with a constant that equals the zero point needs none. */
static struct weft_value *drop_pad_value(struct weft_rewrite *rewrite,
                                         const struct weft_site *site) {
    const struct weft_node *pad = site->post->producer;
    struct weft_attribute pads = *weft_node_attribute(pad, WEFT_ATTR_pads);
    return rule_pads_zero(pad) ? weft_rewrite_node(rewrite, WEFT_OP_PAD, 1, pad->inputs, 1, &pads,
                                                   &site->post->type)
                               : NULL;
}

static struct weft_value *merge_pads(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *outer = site->post->producer;
    const struct weft_node *inner = outer->inputs[0]->producer;
    const struct weft_attribute *pads = weft_node_attribute(outer, WEFT_ATTR_pads);
    const int64_t *more = weft_node_ints(inner, WEFT_ATTR_pads);
    int64_t sum[2 * WEFT_MAX_RANK] = {0};
    for (uint32_t i = 0; i < pads->count; i++) {
        sum[i] = pads->ints[i] + more[i];
    }
    struct weft_attribute both =
        weft_attr_ints(weft_rewrite_arena(rewrite), WEFT_ATTR_pads, pads->count, sum);
    return weft_rewrite_node(rewrite, WEFT_OP_PAD, 1, inner->inputs, 1, &both, &site->post->type);
}

/* ---- joining and splitting ---- */

/* qnn.concatenate of operands that have the result's scale and zero point already. */
static struct weft_value *plain_concatenate(struct weft_rewrite *rewrite,
                                            const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (!weft_quantization_equal(&node->inputs[i]->type.quantization,
                                     &site->post->type.quantization)) {
            return NULL;
        }
    }
    struct weft_attribute axis = *weft_node_attribute(node, WEFT_ATTR_axis);
    return weft_rewrite_node(rewrite, WEFT_OP_CONCATENATE, node->input_count, node->inputs, 1,
                             &axis, &site->post->type);
}

/* pack: each operand with the new axis, one after another. */
static struct weft_value *unfold_pack(struct weft_rewrite *rewrite, const struct weft_site *site) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    const struct weft_node *node = site->post->producer;
    struct weft_attribute axis = *weft_node_attribute(node, WEFT_ATTR_axis);
    struct weft_type part = site->post->type;
    struct weft_value **parts = WEFT_NEW_ARRAY(arena, node->input_count, struct weft_value *);
    if (part.quantization.count > 1) {
        return NULL;
    }
    part.dim[axis.ints[0]] = 1;
    for (uint32_t i = 0; i < node->input_count; i++) {
        parts[i] = rule_reshape(rewrite, node->inputs[i], &part);
    }
    return weft_rewrite_node(rewrite, WEFT_OP_CONCATENATE, node->input_count, parts, 1, &axis,
                             &site->post->type);
}

/* A result of unpack: a slice of one element, without the axis. */
static struct weft_value *unfold_unpack(struct weft_rewrite *rewrite,
                                        const struct weft_site *site) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    const struct weft_node *node = site->post->producer;
    struct weft_type part = node->inputs[0]->type;
    int64_t axis = weft_node_int(node, WEFT_ATTR_axis);
    int64_t begin[WEFT_MAX_RANK] = {0};
    int64_t steps[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < WEFT_MAX_RANK; i++) {
        steps[i] = 1;
    }
    if (part.quantization.count > 1) {
        return NULL;
    }
    begin[axis] = site->post->index;
    part.dim[axis] = 1;
    const struct weft_attribute attributes[] = {
        weft_attr_ints(arena, WEFT_ATTR_begin, part.rank, begin),
        weft_attr_ints(arena, WEFT_ATTR_steps, part.rank, steps),
        weft_attr_ints(arena, WEFT_ATTR_sizes, part.rank, part.dim),
    };
    struct weft_value *slice =
        weft_rewrite_node(rewrite, WEFT_OP_STRIDED_SLICE, 1, node->inputs, 3, attributes, &part);
    return rule_reshape(rewrite, slice, &site->post->type);
}

/* ---- all ---- */

struct weft_graph *weft_pass_simplify_moves(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    struct weft_pattern *any = weft_pattern_wildcard(arena);
    struct weft_pattern *reshape = rule_unary(arena, WEFT_OP_RESHAPE, any);
    struct weft_pattern *transpose = rule_unary(arena, WEFT_OP_TRANSPOSE, any);
    struct weft_pattern *pad = rule_unary(arena, WEFT_OP_PAD, any);
    struct weft_pattern *pad_with = weft_pattern_op(
        arena, WEFT_OP_PAD, 2, (struct weft_pattern *[]){any, weft_pattern_wildcard(arena)});
    struct weft_pattern *by_transposed[2] = {weft_pattern_wildcard(arena), transpose};
    const struct weft_rule rules[] = {
        {reshape, drop, NULL},
        {pad, drop, NULL},
        {pad_with, drop, NULL},
        {rule_unary(arena, WEFT_OP_SPLIT, any), drop, NULL},
        {rule_unary(arena, WEFT_OP_RESIZE_NEAREST_NEIGHBOR, any), drop, NULL},
        {weft_pattern_op_each(arena, WEFT_OP_CONCATENATE, any), drop, NULL},
        {weft_pattern_op_each(arena, WEFT_OP_QNN_CONCATENATE, any), plain_concatenate, NULL},
        {rule_unary(arena, WEFT_OP_STRIDED_SLICE, any), drop_slice, NULL},
        {rule_unary(arena, WEFT_OP_SQUEEZE, any), reshape_operand, NULL},
        {rule_unary(arena, WEFT_OP_EXPAND_DIMS, any), reshape_operand, NULL},
        {rule_unary(arena, WEFT_OP_RESHAPE, reshape), merge_reshapes, NULL},
        {transpose, transpose_to_reshape, NULL},
        {rule_unary(arena, WEFT_OP_TRANSPOSE, transpose), merge_transposes, NULL},
        {weft_pattern_op(arena, WEFT_OP_BATCH_MATMUL, 2, by_transposed), transpose_in_product,
         NULL},
        {weft_pattern_op(arena, WEFT_OP_QNN_BATCH_MATMUL, 2, by_transposed), transpose_in_product,
         NULL},
        {pad_with, drop_pad_value, NULL},
        {rule_unary(arena, WEFT_OP_PAD, pad), merge_pads, NULL},
        {weft_pattern_op_each(arena, WEFT_OP_PACK, any), unfold_pack, NULL},
        {rule_unary(arena, WEFT_OP_UNPACK, any), unfold_unpack, NULL},
    };
    return weft_rewrite(graph, sizeof rules / sizeof rules[0], rules);
}
