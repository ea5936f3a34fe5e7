/* The first axis of all that depends on inputs grows. Whether an operator keeps what lies along
 * that axis apart is known for the operators below; others are refused. */
#include "compiler/import/frames.h"

#include <inttypes.h>

struct repetition {
    const struct weft_graph *from;
    struct weft_copy copy;
    struct weft_map *grown; /* values of `from` that depend on an input */
    int64_t frames;
    struct weft_error *error;
};

static bool grows(const struct repetition *r, const struct weft_value *value) {
    return weft_map_get(r->grown, value) != NULL;
}

static bool depends_on_input(const struct repetition *r, const struct weft_node *node) {
    bool depends = false;
    for (uint32_t i = 0; i < node->input_count; i++) {
        depends = depends || grows(r, node->inputs[i]);
    }
    return depends;
}

/* ---- what keeps frames apart ---- */

/* Of operands that are broadcast: the axis that grows is the first one of each, and what does not
 * grow is the same for all frames. */
static bool broadcasts_frames(const struct repetition *r, const struct weft_node *node) {
    uint32_t rank = node->results[0]->type.rank;
    int64_t first = node->results[0]->type.dim[0];
    bool good = true;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct weft_type *type = &node->inputs[i]->type;
        good = good && (grows(r, node->inputs[i]) ? type->rank == rank && type->dim[0] == first
                                                  : type->rank < rank || type->dim[0] == 1);
    }
    return good;
}

/* Operands behind the first are the same for all frames. */
static bool first_grows_alone(const struct repetition *r, const struct weft_node *node) {
    bool good = true;
    for (uint32_t i = 1; i < node->input_count; i++) {
        good = good && !grows(r, node->inputs[i]);
    }
    return good;
}

/* Not the only axis: along the last one the operator does as it likes. */
static bool has_rows(const struct weft_node *node) {
    return node->inputs[0]->type.rank > 1;
}

static bool reduces_others(const struct weft_node *node) {
    const struct weft_attribute *axes = weft_node_attribute(node, WEFT_ATTR_axes);
    bool good = true;
    for (uint32_t i = 0; i < axes->count; i++) {
        good = good && axes->ints[i] != 0;
    }
    return good;
}

static bool multiplies_apart(const struct repetition *r, const struct weft_node *node) {
    bool both = grows(r, node->inputs[0]) && grows(r, node->inputs[1]);
    return broadcasts_frames(r, node) && (!both || node->results[0]->type.rank > 2);
}

static bool takes_all(const struct weft_node *node) {
    return weft_node_ints(node, WEFT_ATTR_begin)[0] == 0 &&
           weft_node_ints(node, WEFT_ATTR_steps)[0] == 1 &&
           weft_node_ints(node, WEFT_ATTR_sizes)[0] == node->inputs[0]->type.dim[0];
}

/* From what all frames share, by their own indices; or from their own along another axis. */
static bool gathers_apart(const struct repetition *r, const struct weft_node *node) {
    int64_t axis = weft_node_int(node, WEFT_ATTR_axis);
    bool own = grows(r, node->inputs[0]);
    bool by_own = grows(r, node->inputs[1]);
    return own && by_own ? weft_node_int(node, WEFT_ATTR_batch_dims) > 0
           : own         ? axis > 0 && weft_node_int(node, WEFT_ATTR_batch_dims) == 0
                         : axis == 0;
}

/* What has to hold for an operator to keep frames apart. */
enum rule {
    BY_ELEMENT, /* it is one by element, and its operands are broadcast */
    ANY,        /* nothing */
    BROADCAST,  /* operands are broadcast */
    FIRST,      /* only the first operand grows, along rows */
    ROWS,       /* its operand has rows */
    PRODUCT,    /* matrices of a batch */
    REDUCTION,  /* its axes are others */
    ALONG_AXIS, /* its axis is another one */
    PERMUTED,   /* the first axis stays */
    PADDED,     /* nothing is added to the first axis */
    SLICED,     /* all of the first axis is taken */
    TILED,      /* the first axis is not repeated */
    GATHERED,   /* as gathers_apart() says */
};

static const enum rule rules[WEFT_OPERATORS] = {
    [WEFT_OP_QNN_QUANTIZE] = ANY,
    [WEFT_OP_QNN_DEQUANTIZE] = ANY,
    [WEFT_OP_QNN_REQUANTIZE] = ANY,
    [WEFT_OP_CAST] = ANY,
    [WEFT_OP_CLIP] = ANY,
    [WEFT_OP_QNN_RELU] = ANY,
    [WEFT_OP_QNN_RELU6] = ANY,
    [WEFT_OP_QNN_RELU_N1_TO_1] = ANY,
    [WEFT_OP_QNN_LEAKY_RELU] = ANY,
    [WEFT_OP_QNN_HARD_SWISH] = ANY,
    [WEFT_OP_QNN_LOGISTIC] = ANY,
    [WEFT_OP_QNN_TANH] = ANY,
    [WEFT_OP_QNN_ABS] = ANY,
    [WEFT_OP_QNN_EXP] = ANY,
    [WEFT_OP_QNN_LOG] = ANY,
    [WEFT_OP_QNN_SQRT] = ANY,
    [WEFT_OP_QNN_RSQRT] = ANY,
    [WEFT_OP_QNN_ELU] = ANY,
    [WEFT_OP_QNN_GELU] = ANY,
    [WEFT_OP_QNN_TABLE] = ANY,
    [WEFT_OP_AVG_POOL2D] = ANY,
    [WEFT_OP_MAX_POOL2D] = ANY,
    [WEFT_OP_RESIZE_NEAREST_NEIGHBOR] = ANY,
    [WEFT_OP_RESIZE_BILINEAR] = ANY,
    [WEFT_OP_RESHAPE] = ANY,
    [WEFT_OP_SQUEEZE] = ANY,
    [WEFT_OP_EXPAND_DIMS] = ANY,
    [WEFT_OP_QNN_ADD] = BROADCAST,
    [WEFT_OP_QNN_SUBTRACT] = BROADCAST,
    [WEFT_OP_QNN_MUL] = BROADCAST,
    [WEFT_OP_QNN_DIVIDE] = BROADCAST,
    [WEFT_OP_QNN_SQUARED_DIFFERENCE] = BROADCAST,
    [WEFT_OP_QNN_PRELU] = BROADCAST,
    [WEFT_OP_QNN_COMPARE] = BROADCAST,
    [WEFT_OP_QNN_CONV2D] = FIRST,
    [WEFT_OP_QNN_CONV2D_TRANSPOSE] = FIRST,
    [WEFT_OP_QNN_DENSE] = FIRST,
    [WEFT_OP_CONV2D] = FIRST,
    [WEFT_OP_CONV2D_TRANSPOSE] = FIRST,
    [WEFT_OP_DENSE] = FIRST,
    [WEFT_OP_HYBRID_CONV2D] = FIRST,
    [WEFT_OP_HYBRID_DENSE] = FIRST,
    [WEFT_OP_BIAS_ADD] = FIRST,
    [WEFT_OP_LAYER_NORM] = FIRST,
    [WEFT_OP_QNN_SOFTMAX] = ROWS,
    [WEFT_OP_QNN_LOG_SOFTMAX] = ROWS,
    [WEFT_OP_QNN_L2_NORMALIZE] = ROWS,
    [WEFT_OP_SOFTMAX] = ROWS,
    [WEFT_OP_LOG_SOFTMAX] = ROWS,
    [WEFT_OP_L2_NORMALIZE] = ROWS,
    [WEFT_OP_TOPK] = ROWS,
    [WEFT_OP_QNN_BATCH_MATMUL] = PRODUCT,
    [WEFT_OP_BATCH_MATMUL] = PRODUCT,
    [WEFT_OP_QNN_MEAN] = REDUCTION,
    [WEFT_OP_MEAN] = REDUCTION,
    [WEFT_OP_QNN_SUM] = REDUCTION,
    [WEFT_OP_SUM] = REDUCTION,
    [WEFT_OP_REDUCE_PROD] = REDUCTION,
    [WEFT_OP_REDUCE_MAX] = REDUCTION,
    [WEFT_OP_REDUCE_MIN] = REDUCTION,
    [WEFT_OP_INTERPOLATE_AXIS] = ALONG_AXIS,
    [WEFT_OP_CUMSUM] = ALONG_AXIS,
    [WEFT_OP_ARGMAX] = ALONG_AXIS,
    [WEFT_OP_ARGMIN] = ALONG_AXIS,
    [WEFT_OP_CONCATENATE] = ALONG_AXIS,
    [WEFT_OP_QNN_CONCATENATE] = ALONG_AXIS,
    [WEFT_OP_SPLIT] = ALONG_AXIS,
    [WEFT_OP_PACK] = ALONG_AXIS,
    [WEFT_OP_UNPACK] = ALONG_AXIS,
    [WEFT_OP_TRANSPOSE] = PERMUTED,
    [WEFT_OP_PAD] = PADDED,
    [WEFT_OP_STRIDED_SLICE] = SLICED,
    [WEFT_OP_TILE] = TILED,
    [WEFT_OP_GATHER] = GATHERED,
};

static bool keeps_frames(const struct repetition *r, const struct weft_node *node) {
    switch (rules[node->op]) {
    case ANY:
        return true;
    case BROADCAST:
        return broadcasts_frames(r, node);
    case FIRST:
        return first_grows_alone(r, node) && has_rows(node);
    case ROWS:
        return has_rows(node);
    case PRODUCT:
        return multiplies_apart(r, node);
    case REDUCTION:
        return reduces_others(node);
    case ALONG_AXIS:
        return weft_node_int(node, WEFT_ATTR_axis) > 0;
    case PERMUTED:
        return weft_node_ints(node, WEFT_ATTR_permutation)[0] == 0;
    case PADDED:
        return first_grows_alone(r, node) && weft_node_ints(node, WEFT_ATTR_pads)[0] == 0 &&
               weft_node_ints(node, WEFT_ATTR_pads)[1] == 0;
    case SLICED:
        return takes_all(node);
    case TILED:
        return weft_node_ints(node, WEFT_ATTR_multiples)[0] == 1;
    case GATHERED:
        return gathers_apart(r, node);
    default:
        return weft_operator_fusion(node->op) == WEFT_FUSION_BY_ELEMENT &&
               broadcasts_frames(r, node);
    }
}

/* ---- growing ---- */

/* Makes a type that of all frames. */
static bool grow_type(const struct repetition *r, struct weft_type *type) {
    if (type->rank == 0) {
        return weft_fail(r->error, WEFT_GRAPH, 0, "a tensor without axes is of one frame");
    }
    type->dim[0] *= r->frames; /* both less than 2^31 */
    return weft_type_elements(type) >= 0 ||
           weft_fail(r->error, WEFT_GRAPH, 0,
                     "a tensor of %" PRId64 " frames has more than %d elements", r->frames,
                     WEFT_MAX_ELEMENTS);
}

/* Marks a value as one that grows, and lets its copy grow. */
static bool grow(struct repetition *r, const struct weft_value *from, struct weft_value *to) {
    weft_map_set(r->grown, from, to);
    return grow_type(r, &to->type);
}

/* The attribute of a slice that counts elements along the axes: its first entry grows, too. */
static void grow_sizes(struct weft_arena *arena, struct weft_node *node, int64_t frames) {
    const struct weft_attribute *sizes = weft_node_attribute(node, WEFT_ATTR_sizes);
    uint32_t count = sizes->count;
    int64_t *grown = WEFT_NEW_ARRAY(arena, count, int64_t);
    for (uint32_t i = 0; i < count; i++) {
        grown[i] = sizes->ints[i] * (i == 0 ? frames : 1);
    }
    weft_node_remove_attribute(node, WEFT_ATTR_sizes);
    weft_node_add_attribute(arena, node, weft_attr_ints(arena, WEFT_ATTR_sizes, count, grown));
}

static bool copy_node(struct repetition *r, const struct weft_node *node) {
    struct weft_node *twin = weft_copy_node(&r->copy, node);
    if (!depends_on_input(r, node)) {
        return true;
    }
    bool all_have_axes = true;
    for (uint32_t i = 0; i < node->result_count; i++) {
        all_have_axes = all_have_axes && node->results[i]->type.rank > 0;
    }
    if (!all_have_axes || !keeps_frames(r, node)) {
        return weft_fail(r->error, WEFT_GRAPH, 0,
                         "%s does not keep what lies along its first axis apart",
                         weft_operator_name(node->op));
    }
    if (node->op == WEFT_OP_STRIDED_SLICE) {
        grow_sizes(r->from->arena, twin, r->frames);
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        if (!grow(r, node->results[i], twin->results[i])) {
            return false;
        }
    }
    return true;
}

/* An output that depends on no input is the same for all frames, and comes once for each. */
static bool repeat_output(struct repetition *r, size_t index) {
    struct weft_graph *to = r->copy.to;
    const struct weft_value *from = r->from->outputs[index];
    struct weft_value *value = to->outputs[index];
    int64_t multiples[WEFT_MAX_RANK];
    struct weft_type type = value->type;
    if (!grow_type(r, &type)) {
        return false;
    }
    for (uint32_t i = 0; i < type.rank; i++) {
        multiples[i] = i == 0 ? r->frames : 1;
    }
    struct weft_attribute attribute =
        weft_attr_ints(to->arena, WEFT_ATTR_multiples, type.rank, multiples);
    struct weft_node *node = weft_graph_add_node(to, WEFT_OP_TILE, 1, &value, 1, &attribute);
    to->outputs[index] = weft_node_add_result(to, node, &type, from->tensor);
    to->outputs[index]->name = from->name;
    value->name = NULL;
    value->tensor = -1;
    return true;
}

bool weft_repeat_frames(const struct weft_graph *graph, int64_t frames, struct weft_graph **made,
                        struct weft_error *error) {
    struct repetition r = {.from = graph,
                           .copy = weft_copy_start(graph),
                           .grown = weft_map_new(graph->arena),
                           .frames = frames,
                           .error = error};
    bool good = true;
    size_t at = 0;
    for (size_t i = 0; good && i < graph->input_count; i++) {
        good = grow(&r, graph->inputs[i], r.copy.to->inputs[i]);
    }
    for (size_t i = 0; good && i < graph->node_count; i++) {
        at = i;
        good = copy_node(&r, graph->nodes[i]);
    }
    if (good) {
        *made = weft_copy_finish(&r.copy);
        for (size_t i = 0; good && i < graph->output_count; i++) {
            good = grows(&r, graph->outputs[i]) || repeat_output(&r, i);
        }
        good = good && weft_graph_verify(*made, error);
    } else {
        error->position = at;
    }
    return good || weft_fail_context(error, "with %" PRId64 " frames", frames);
}
