/* Operators by element and reductions as ONNX's: operands of four axes keep the order that they
 * have. */
#include <string.h>

#include "compiler/quantize/onnx_writer.h"

/* ---- names ---- */

/* Operators that are one operator of ONNX with the same operands. */
static const char *single_name(enum weft_operator op) {
    static const struct {
        enum weft_operator op;
        const char *name;
    } names[] = {
        {WEFT_OP_ADD, "Add"},
        {WEFT_OP_BIAS_ADD, "Add"},
        {WEFT_OP_SUBTRACT, "Sub"},
        {WEFT_OP_MUL, "Mul"},
        {WEFT_OP_DIVIDE, "Div"},
        {WEFT_OP_MAXIMUM, "Max"},
        {WEFT_OP_MINIMUM, "Min"},
        {WEFT_OP_POWER, "Pow"},
        {WEFT_OP_PRELU, "PRelu"},
        {WEFT_OP_RELU, "Relu"},
        {WEFT_OP_RELU6, "Clip"},
        {WEFT_OP_RELU_N1_TO_1, "Clip"},
        {WEFT_OP_FLOAT_CLIP, "Clip"},
        {WEFT_OP_LEAKY_RELU, "LeakyRelu"},
        {WEFT_OP_HARD_SWISH, "HardSwish"},
        {WEFT_OP_LOGISTIC, "Sigmoid"},
        {WEFT_OP_TANH, "Tanh"},
        {WEFT_OP_ELU, "Elu"},
        {WEFT_OP_GELU, "Gelu"},
        {WEFT_OP_ABS, "Abs"},
        {WEFT_OP_NEGATE, "Neg"},
        {WEFT_OP_SIGN, "Sign"},
        {WEFT_OP_EXP, "Exp"},
        {WEFT_OP_LOG, "Log"},
        {WEFT_OP_SQRT, "Sqrt"},
        {WEFT_OP_SIN, "Sin"},
        {WEFT_OP_COS, "Cos"},
        {WEFT_OP_CEIL, "Ceil"},
        {WEFT_OP_FLOOR, "Floor"},
        {WEFT_OP_ROUND, "Round"},
        {WEFT_OP_ERF, "Erf"},
        {WEFT_OP_SOFTPLUS, "Softplus"},
        {WEFT_OP_SELECT, "Where"},
        {WEFT_OP_CAST, "Cast"},
        {WEFT_OP_CONCATENATE, "Concat"},
        {WEFT_OP_MEAN, "ReduceMean"},
        {WEFT_OP_SUM, "ReduceSum"},
        {WEFT_OP_REDUCE_PROD, "ReduceProd"},
        {WEFT_OP_REDUCE_MAX, "ReduceMax"},
        {WEFT_OP_REDUCE_MIN, "ReduceMin"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].op == op) {
            return names[i].name;
        }
    }
    return NULL;
}

static const char *relation_name(const char *relation) {
    static const char *const pairs[][2] = {
        {"equal", "Equal"},     {"not_equal", "Equal"}, /* and Not */
        {"less", "Less"},       {"less_equal", "LessOrEqual"},
        {"greater", "Greater"}, {"greater_equal", "GreaterOrEqual"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (strcmp(pairs[i][0], relation) == 0) {
            return pairs[i][1];
        }
    }
    return NULL;
}

/* Of truth values the larger one is or, the smaller one and. */
static const char *name_of(const struct weft_node *node) {
    bool truth = node->results[0]->type.dtype == WEFT_BOOL;
    if (truth && (node->op == WEFT_OP_MAXIMUM || node->op == WEFT_OP_MINIMUM)) {
        return node->op == WEFT_OP_MAXIMUM ? "Or" : "And";
    }
    return node->op == WEFT_OP_COMPARE ? relation_name(weft_node_text(node, WEFT_ATTR_relation))
                                       : single_name(node->op);
}

/* ---- attributes and further operands ---- */

static void add_attributes(struct onnx_writer *w, Onnx__NodeProto *made,
                           const struct weft_node *node, bool moved) {
    if (node->op == WEFT_OP_LEAKY_RELU) {
        onnx_add_float(&w->message, made, "alpha", weft_node_float(node, WEFT_ATTR_alpha));
    } else if (node->op == WEFT_OP_CONCATENATE) {
        onnx_add_int(&w->message, made, "axis",
                     onnx_axis_of(weft_node_int(node, WEFT_ATTR_axis), moved));
    } else if (node->op == WEFT_OP_CAST) {
        onnx_add_int(&w->message, made, "to", onnx_type_code(node->results[0]->type.dtype));
    } else if (node->op == WEFT_OP_GELU && weft_node_int(node, WEFT_ATTR_approximate) == 1) {
        onnx_add_text(&w->message, made, "approximate", "tanh");
    } else if (weft_node_attribute(node, WEFT_ATTR_axes) != NULL) {
        onnx_add_int(&w->message, made, "keepdims", weft_node_int(node, WEFT_ATTR_keep_dims));
    }
}

/* Limits of a clip, axes of a reduction. */
static uint32_t add_operands(struct onnx_writer *w, const struct weft_node *node, bool moved,
                             uint32_t count, const char **inputs) {
    const struct weft_attribute *from = weft_node_attribute(node, WEFT_ATTR_axes);
    if (layer_is_clip(node->op) && node->op != WEFT_OP_RELU) {
        struct layer_limits limits = layer_limits_of(node);
        inputs[count++] = onnx_add_scalar(w, "least", limits.low);
        inputs[count++] = onnx_add_scalar(w, "most", limits.high);
    } else if (from != NULL) {
        int64_t axes[WEFT_MAX_RANK];
        for (uint32_t i = 0; i < from->count; i++) {
            axes[i] = onnx_axis_of(from->ints[i], moved);
        }
        inputs[count++] = onnx_add_list(w, "axes", from->count, axes);
    }
    return count;
}

/* ---- operands ---- */

/* Do all axes stay, so that operands may have theirs moved? */
static bool keeps_axes(const struct weft_node *node) {
    const struct weft_attribute *keep = weft_node_attribute(node, WEFT_ATTR_keep_dims);
    return node->results[0]->type.rank == 4 && (keep == NULL || keep->ints[0] == 1);
}

/* The operands in one order of their axes; true: moved. */
static bool read_operands(struct onnx_writer *w, const struct weft_node *node,
                          const char **inputs) {
    bool moved = false;
    for (uint32_t i = 0; i < node->input_count; i++) {
        moved = moved || (keeps_axes(node) && onnx_is_moved(w, node->inputs[i]));
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct weft_value *x = node->inputs[i];
        bool fits = moved && (x->type.rank == 4 ||
                              (weft_value_data(x) != NULL && weft_type_elements(&x->type) != 1));
        inputs[i] = onnx_operand(w, x, fits);
    }
    return moved;
}

/* ---- operators that ONNX has in pieces ---- */

/* Those made of others; NULL: it is none. */
static const char *add_pieces(struct onnx_writer *w, const struct weft_node *node,
                              const char *const *inputs) {
    const char *both[2] = {inputs[0], inputs[0]};
    switch (node->op) {
    case WEFT_OP_SQUARE:
        return onnx_add_plain(w, "Mul", 2, both);
    case WEFT_OP_RSQRT:
        both[0] = onnx_add_plain(w, "Sqrt", 1, inputs);
        return onnx_add_plain(w, "Reciprocal", 1, both);
    case WEFT_OP_SQUARED_DIFFERENCE:
        both[0] = both[1] = onnx_add_plain(w, "Sub", 2, inputs);
        return onnx_add_plain(w, "Mul", 2, both);
    case WEFT_OP_FLOOR_DIVIDE:
        both[0] = onnx_add_plain(w, "Div", 2, inputs);
        return node->results[0]->type.dtype == WEFT_F32 ? onnx_add_plain(w, "Floor", 1, both)
                                                        : NULL;
    default:
        return NULL;
    }
}

bool onnx_write_elements(struct onnx_writer *w, const struct layer *layer) {
    const struct weft_node *node = layer->root;
    const char *inputs[ONNX_MOST_NAMES];
    const char *op = name_of(node);
    if (node->input_count > ONNX_MOST_NAMES - 2) {
        return onnx_unsupported(w, node);
    }
    bool moved = read_operands(w, node, inputs);
    const char *result = op == NULL ? add_pieces(w, node, inputs) : onnx_new_name(w, "result");
    if (result == NULL) {
        return onnx_unsupported(w, node);
    }
    if (op != NULL) {
        uint32_t count = add_operands(w, node, moved, node->input_count, inputs);
        add_attributes(w, onnx_add_node(&w->message, op, count, inputs, result), node, moved);
    }
    if (node->op == WEFT_OP_COMPARE &&
        strcmp(weft_node_text(node, WEFT_ATTR_relation), "not_equal") == 0) {
        result = onnx_add_plain(w, "Not", 1, &result);
    }
    onnx_finish_layer(w, layer, result, moved);
    return true;
}
