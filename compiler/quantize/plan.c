/* The layers of a float graph, and which of them are quantised. */
#include "compiler/quantize/plan.h"

#include <float.h>
#include <string.h>

#include "base/fixed_point.h"

/* ---- what operators become ---- */

static bool has_padding(const struct weft_node *node) {
    const int64_t *padding = weft_node_ints(node, WEFT_ATTR_padding);
    return padding[0] != 0 || padding[1] != 0 || padding[2] != 0 || padding[3] != 0;
}

/* Is the node an average pool of one window, the whole image? */
static bool is_whole_pool(const struct weft_node *node) {
    if (node->op != WEFT_OP_AVG_POOL2D) {
        return false;
    }
    const int64_t *kernel = weft_node_ints(node, WEFT_ATTR_kernel);
    const int64_t *dims = node->inputs[0]->type.dim;
    const int64_t *result = node->results[0]->type.dim;
    return kernel[0] == dims[1] && kernel[1] == dims[2] && result[1] == 1 && result[2] == 1 &&
           !has_padding(node);
}

enum layer_kind layer_kind_of(const struct weft_node *node) {
    if (node->input_count == 0 || node->inputs[0]->type.dtype != WEFT_F32) {
        return LAYER_FLOAT;
    }
    switch (node->op) {
    case WEFT_OP_CONV2D:
    case WEFT_OP_CONV2D_TRANSPOSE:
    case WEFT_OP_DENSE:
        return weft_value_data(node->inputs[1]) != NULL ? LAYER_PRODUCT : LAYER_FLOAT;
    case WEFT_OP_ADD:
    case WEFT_OP_SUBTRACT:
    case WEFT_OP_MUL:
    case WEFT_OP_PRELU:
    case WEFT_OP_BATCH_MATMUL:
        return LAYER_BINARY;
    case WEFT_OP_RELU:
    case WEFT_OP_RELU6:
    case WEFT_OP_RELU_N1_TO_1:
    case WEFT_OP_LEAKY_RELU:
    case WEFT_OP_HARD_SWISH:
    case WEFT_OP_LOGISTIC:
    case WEFT_OP_TANH:
    case WEFT_OP_ELU:
    case WEFT_OP_GELU:
    case WEFT_OP_ABS:
    case WEFT_OP_NEGATE:
    case WEFT_OP_EXP:
    case WEFT_OP_SQRT:
    case WEFT_OP_RSQRT:
    case WEFT_OP_SQUARE:
    case WEFT_OP_ERF:
    case WEFT_OP_SOFTPLUS:
    case WEFT_OP_MEAN:
        return LAYER_FUNCTION;
    case WEFT_OP_AVG_POOL2D: /* the machine's keep their scale */
        return is_whole_pool(node) ? LAYER_FUNCTION : LAYER_MOVE;
    case WEFT_OP_CONCATENATE:
        return LAYER_JOIN;
    case WEFT_OP_MAXIMUM: /* with a number it is a limit */
    case WEFT_OP_MINIMUM:
        return weft_value_data(node->inputs[0]) == NULL &&
                       weft_value_data(node->inputs[1]) == NULL &&
                       weft_shape_equal(&node->inputs[0]->type, &node->inputs[1]->type)
                   ? LAYER_JOIN
                   : LAYER_FLOAT;
    case WEFT_OP_PAD:
        return node->input_count == 1 ? LAYER_MOVE : LAYER_FLOAT;
    case WEFT_OP_GATHER: /* not of words */
        return weft_value_data(node->inputs[0]) == NULL && weft_value_data(node->inputs[1]) != NULL
                   ? LAYER_MOVE
                   : LAYER_FLOAT;
    case WEFT_OP_MAX_POOL2D:
    case WEFT_OP_REDUCE_MAX:
    case WEFT_OP_REDUCE_MIN:
    case WEFT_OP_RESHAPE:
    case WEFT_OP_SQUEEZE:
    case WEFT_OP_EXPAND_DIMS:
    case WEFT_OP_TRANSPOSE:
    case WEFT_OP_STRIDED_SLICE:
    case WEFT_OP_SPLIT:
    case WEFT_OP_UNPACK:
    case WEFT_OP_RESIZE_NEAREST_NEIGHBOR:
    case WEFT_OP_INTERPOLATE_AXIS:
        return LAYER_MOVE;
    default:
        return LAYER_FLOAT;
    }
}

/* ---- layers ---- */

/* The node that alone uses the value; NULL: there are others, or it leaves the graph. */
static const struct weft_node *only_user(const struct plan *plan, const struct weft_value *value) {
    const struct weft_users *users = weft_users_of(plan->users, value);
    return users->count == 1 && !users->is_output ? users->nodes[0] : NULL;
}

bool layer_is_clip(enum weft_operator op) {
    return op == WEFT_OP_RELU || op == WEFT_OP_RELU6 || op == WEFT_OP_RELU_N1_TO_1 ||
           op == WEFT_OP_FLOAT_CLIP;
}

struct layer_limits layer_limits_of(const struct weft_node *activation) {
    switch (activation->op) {
    case WEFT_OP_RELU:
        return (struct layer_limits){0, FLT_MAX};
    case WEFT_OP_RELU6:
        return (struct layer_limits){0, 6};
    case WEFT_OP_RELU_N1_TO_1:
        return (struct layer_limits){-1, 1};
    default:
        return (struct layer_limits){(float)weft_node_float(activation, WEFT_ATTR_low),
                                     (float)weft_node_float(activation, WEFT_ATTR_high)};
    }
}

/* Takes what follows a product or a sum into its layer. */
static void extend(const struct plan *plan, struct layer *layer) {
    const struct weft_node *next = only_user(plan, layer->result);
    if (layer->kind == LAYER_PRODUCT && next != NULL && next->op == WEFT_OP_BIAS_ADD &&
        next->inputs[0] == layer->result && weft_value_data(next->inputs[1]) != NULL) {
        layer->bias = next;
        layer->result = next->results[0];
        next = only_user(plan, layer->result);
    }
    if (next != NULL && layer_is_clip(next->op)) {
        layer->activation = next;
        layer->result = next->results[0];
    }
}

/* Is the value a divisor? A byte of it may be 0. */
static bool divides(const struct plan *plan, const struct weft_value *value) {
    const struct weft_users *users = weft_users_of(plan->users, value);
    bool divides = false;
    for (uint32_t i = 0; i < users->count; i++) {
        divides = divides ||
                  (users->nodes[i]->op == WEFT_OP_DIVIDE && users->nodes[i]->inputs[1] == value);
    }
    return divides;
}

static struct layer make_layer(const struct plan *plan, const struct weft_node *node) {
    struct layer layer = {.kind = layer_kind_of(node), .root = node, .result = node->results[0]};
    const struct weft_type *of_result = &layer.result->type;
    if (node->op == WEFT_OP_SOFTMAX && of_result->dim[of_result->rank - 1] <= WEFT_SOFTMAX_MOST &&
        weft_feeds_alone(plan->users, layer.result, WEFT_OP_BATCH_MATMUL)) {
        layer.kind = LAYER_FUNCTION; /* attention's; of a classifier small ones would be lost */
    }
    if (divides(plan, layer.result)) {
        layer.kind = LAYER_FLOAT;
    }
    if (layer.kind == LAYER_PRODUCT ||
        (layer.kind == LAYER_BINARY && node->op != WEFT_OP_BATCH_MATMUL)) {
        extend(plan, &layer);
    }
    if (layer.kind == LAYER_PRODUCT) {
        const struct weft_type *type = &node->results[0]->type;
        layer.channels = type->dim[type->rank - 1];
        layer.float_bias = WEFT_NEW_ARRAY(plan->arena, (size_t)layer.channels, double);
        const float *bias = layer_bias_data(&layer);
        for (int64_t i = 0; bias != NULL && i < layer.channels; i++) {
            layer.float_bias[i] = (double)bias[i];
        }
    }
    return layer;
}

static void mark_value(const struct plan *plan, const struct weft_value *value) {
    plan->between[value_number(plan->table, value)] =
        value->type.dtype == WEFT_F32 && weft_value_data(value) == NULL;
}

static void mark_between(const struct plan *plan) {
    for (size_t i = 0; i < plan->graph->input_count; i++) {
        mark_value(plan, plan->graph->inputs[i]);
    }
    for (size_t i = 0; i < plan->layer_count; i++) {
        const struct layer *layer = &plan->layers[i];
        mark_value(plan, layer->result);
        for (uint32_t k = 1; k < layer->root->result_count; k++) {
            mark_value(plan, layer->root->results[k]);
        }
    }
}

struct plan *plan_new(struct weft_arena *arena, const struct weft_graph *graph,
                      const struct weft_model_names *names,
                      const struct weft_quantize_options *options) {
    struct plan *plan = WEFT_NEW(arena, struct plan);
    struct weft_map *taken = weft_map_new(arena);
    *plan = (struct plan){.arena = arena, .graph = graph, .names = names, .options = options};
    if (names != NULL) { /* the plan may be asked for names when its caller's are gone */
        struct weft_model_names *copy = WEFT_NEW(arena, struct weft_model_names);
        *copy = *names;
        plan->names = copy;
    }
    plan->table = value_table_new(arena, graph);
    plan->users = weft_use_index_new(graph);
    plan->layers = WEFT_NEW_ARRAY(arena, graph->node_count, struct layer);
    plan->scales = WEFT_NEW_ARRAY(arena, plan->table->count, struct tensor_scale);
    plan->constants = WEFT_NEW_ARRAY(arena, plan->table->count, const float *);
    plan->tables = WEFT_NEW_ARRAY(arena, plan->table->count, const struct weft_value *);
    plan->limits = WEFT_NEW_ARRAY(arena, plan->table->count, struct weft_limits);
    plan->between = WEFT_NEW_ARRAY(arena, plan->table->count, bool);
    plan->ranges = WEFT_NEW_ARRAY(arena, plan->table->count, struct weft_range);
    plan->masked = WEFT_NEW_ARRAY(arena, plan->table->count, const struct weft_range *);
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        if (node->op == WEFT_OP_CONSTANT || weft_map_get(taken, node) != NULL) {
            continue;
        }
        struct layer *layer = &plan->layers[plan->layer_count++];
        *layer = make_layer(plan, node);
        if (layer->bias != NULL) {
            weft_map_set(taken, layer->bias, layer);
        }
        if (layer->activation != NULL) {
            weft_map_set(taken, layer->activation, layer);
        }
    }
    mark_between(plan);
    return plan;
}

bool plan_is_between(const struct plan *plan, size_t number) {
    return plan->between[number];
}

bool layer_is_whole_pool(const struct layer *layer) {
    return is_whole_pool(layer->root);
}

bool layer_is_global_average(const struct layer *layer) {
    const struct weft_node *node = layer->root;
    const struct weft_attribute *axes = weft_node_attribute(node, WEFT_ATTR_axes);
    return layer_is_whole_pool(layer) ||
           (node->op == WEFT_OP_MEAN && node->inputs[0]->type.rank == 4 && axes->count == 2 &&
            axes->ints[0] + axes->ints[1] == 3 && axes->ints[0] != 0 && axes->ints[1] != 0);
}

const struct weft_value *layer_weights_value(const struct layer *layer) {
    return layer->root->inputs[1];
}

const float *layer_bias_data(const struct layer *layer) {
    /* Constants are aligned for their elements. */
    return layer->bias == NULL
               ? NULL
               : (const float *)(const void *)weft_value_data(layer->bias->inputs[1]);
}

const char *plan_name_of(const struct plan *plan, const struct weft_value *value) {
    while (value->tensor < 0 && value->producer != NULL &&
           value->producer->op == WEFT_OP_TRANSPOSE) {
        value = value->producer->inputs[0]; /* it was made on the way: the same tensor */
    }
    int32_t source = value->producer == NULL ? -1 : value->producer->source;
    const char *name =
        plan->names == NULL ? NULL : weft_model_name_of(plan->names, value->tensor, source);
    return name != NULL ? name : value->name != NULL ? value->name : "";
}

/* ---- which are quantised ---- */

/* The layers that make quantised tensors, and those that use them, by number of the tensor. */
struct marks {
    bool *made;
    bool *used;
};

static bool *mark_of(const struct plan *plan, bool *marks, const struct weft_value *value) {
    return &marks[value_number(plan->table, value)];
}

/* Is it one of the graph's inputs? */
static bool is_input(const struct weft_value *value) {
    return value->producer == NULL;
}

/* The quantised tensor that an operand of a layer is, or follows from. */
static const struct weft_value *source_of(const struct plan *plan, const struct weft_value *value) {
    const struct weft_value *from = plan->tables[value_number(plan->table, value)];
    return from != NULL ? from : value;
}

/* Operators other than products are worth it where a quantised tensor comes in, or one of the
 * model's inputs. */
static bool is_fed(const struct plan *plan, const struct marks *marks, const struct layer *layer) {
    bool fed = layer->kind == LAYER_PRODUCT || layer->root->op == WEFT_OP_BATCH_MATMUL;
    for (uint32_t i = 0; !fed && i < layer->root->input_count; i++) {
        const struct weft_value *operand = source_of(plan, layer->root->inputs[i]);
        bool whole = layer->kind != LAYER_MOVE && is_input(operand);
        fed = whole || *mark_of(plan, marks->made, operand);
    }
    return fed;
}

static void mark_layer(const struct plan *plan, const struct marks *marks, struct layer *layer) {
    layer->is_quantized = true;
    layer->reason = NULL;
    for (uint32_t i = 0; i < layer->root->input_count; i++) {
        *mark_of(plan, marks->used, source_of(plan, layer->root->inputs[i])) = true;
    }
    *mark_of(plan, marks->made, layer->result) = true;
    for (uint32_t i = 0; layer->kind == LAYER_MOVE && i < layer->root->result_count; i++) {
        *mark_of(plan, marks->made, layer->root->results[i]) = true;
    }
}

/* Is a result of the layer an operand of a quantised one? */
static bool feeds(const struct plan *plan, const struct marks *marks, const struct layer *layer) {
    bool found = false;
    for (uint32_t i = 0; i < layer->root->result_count; i++) {
        found = found || *mark_of(plan, marks->used, layer->root->results[i]);
    }
    return found;
}

void plan_choose_layers(struct plan *plan, const bool *keep_float) {
    struct marks marks = {WEFT_NEW_ARRAY(plan->arena, plan->table->count, bool),
                          WEFT_NEW_ARRAY(plan->arena, plan->table->count, bool)};
    for (size_t i = 0; i < plan->layer_count; i++) {
        struct layer *layer = &plan->layers[i];
        layer->is_quantized = false;
        if (plan->tables[value_number(plan->table, layer->result)] != NULL) {
            layer->reason = "it becomes a part of one table";
        } else if (layer->kind == LAYER_FLOAT) {
            layer->reason = "it has no quantised form";
        } else if (keep_float != NULL && keep_float[i]) {
            layer->reason = layer->held != NULL ? layer->held : "it is kept in float";
        } else if (!is_fed(plan, &marks, layer)) {
            layer->reason = "nothing before it is quantised";
        } else {
            mark_layer(plan, &marks, layer);
        }
    }
    /* What moves elements of float tensors, and of inputs, to quantised layers alone. */
    for (size_t i = plan->layer_count; i-- > 0;) {
        struct layer *layer = &plan->layers[i];
        bool held = keep_float != NULL && keep_float[i];
        if (!layer->is_quantized && layer->kind == LAYER_MOVE && !held &&
            feeds(plan, &marks, layer)) {
            mark_layer(plan, &marks, layer);
        }
    }
    for (size_t i = 0; i < plan->table->count; i++) {
        plan->constants[i] = NULL;
        plan->scales[i] =
            (struct tensor_scale){.is_set = plan->between[i] && (marks.made[i] || marks.used[i])};
    }
}

bool plan_is_quantized(const struct plan *plan, const struct weft_value *value) {
    return plan->scales[value_number(plan->table, value)].is_set;
}
