/* The quantised graph that a plan says. Products are those of integers; what else has a quantised
 * form is the float operator between qnn.dequantize and qnn.quantize, as in ONNX:
 * weft_pass_fuse_quantize() makes of it what ONNX Runtime does. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "compiler/host/bind_node.h"
#include "compiler/quantize/steps.h"

/* How sums become 8 bits, as in ONNX Runtime: docs/numerics.md. */
#define PRODUCT_ROUNDING "float"

struct rewriting {
    const struct plan *plan;
    struct weft_arena *arena;
    struct weft_graph *graph;
    int32_t source; /* of the layer that is written */
    /* What stands for each value of the float graph, by its number: quantised, or as floats. */
    struct weft_value **quantized;
    struct weft_value **plain;
};

/* ---- nodes ---- */

static struct weft_value *add_node(struct rewriting *r, enum weft_operator op, uint32_t input_count,
                                   struct weft_value *const *inputs, uint32_t attribute_count,
                                   const struct weft_attribute *attributes,
                                   const struct weft_type *type) {
    struct weft_node *node =
        weft_graph_add_node(r->graph, op, input_count, inputs, attribute_count, attributes);
    node->source = r->source;
    return weft_node_add_result(r->graph, node, type, -1);
}

/* It is called what the model calls the value. */
static void name_like(const struct rewriting *r, struct weft_value *made,
                      const struct weft_value *value) {
    const char *name = plan_name_of(r->plan, value);
    made->tensor = value->tensor;
    made->name = name[0] == '\0' ? value->name : name;
}

/* ---- operands ---- */

static struct weft_value *quantize(struct rewriting *r, struct weft_value *x,
                                   const struct weft_type *type) {
    struct weft_attribute rounding = weft_attr_text(WEFT_ATTR_rounding, "even");
    return add_node(r, WEFT_OP_QNN_QUANTIZE, 1, &x, 1, &rounding, type);
}

/* A constant operand in its quantised form: exactly what the simulation computes with. */
static struct weft_value *quantized_constant(struct rewriting *r, const struct weft_value *value) {
    size_t number = value_number(r->plan->table, value);
    const struct weft_type type = plan_type_of(r->plan, value);
    const float *simulated = r->plan->constants[number];
    int64_t count = weft_type_elements(&type);
    double scale = weft_type_scale(&type, 0);
    uint8_t *elements = WEFT_NEW_ARRAY(r->arena, (size_t)count, uint8_t);
    for (int64_t i = 0; i < count; i++) {
        double steps = isnan(simulated[i]) ? 0 : nearbyint((double)simulated[i] / scale);
        elements[i] = (uint8_t)(int32_t)(steps + weft_type_zero(&type, 0));
    }
    return weft_graph_add_constant(r->graph, &type, elements, value->name, value->tensor);
}

static struct weft_value *quantized_of(struct rewriting *r, const struct weft_value *value) {
    struct weft_value **found = &r->quantized[value_number(r->plan->table, value)];
    if (*found == NULL) {
        *found = quantized_constant(r, value); /* every other tensor is there before its users */
    }
    return *found;
}

static struct weft_value *plain_of(struct rewriting *r, const struct weft_value *value) {
    size_t number = value_number(r->plan->table, value);
    struct weft_value **found = &r->plain[number];
    if (*found == NULL && weft_value_data(value) != NULL) {
        *found = weft_graph_add_constant(r->graph, &value->type, weft_value_data(value),
                                         value->name, value->tensor);
    } else if (*found == NULL) {
        *found =
            add_node(r, WEFT_OP_QNN_DEQUANTIZE, 1, &r->quantized[number], 0, NULL, &value->type);
    }
    return *found;
}

/* A tensor of floats that is there; where it has a scale, its users see its quantised form. */
static void set_plain(struct rewriting *r, const struct weft_value *value,
                      struct weft_value *made) {
    size_t number = value_number(r->plan->table, value);
    r->plain[number] = made;
    if (r->plan->scales[number].is_set) {
        const struct weft_type type = plan_type_of(r->plan, value);
        r->quantized[number] = quantize(r, made, &type);
        r->plain[number] = NULL;
    }
}

static void set_quantized(struct rewriting *r, const struct weft_value *value,
                          struct weft_value *made) {
    name_like(r, made, value);
    r->quantized[value_number(r->plan->table, value)] = made;
}

/* ---- layers ---- */

/* The clip of an activation that follows, in steps of the result, where saturation is not all that
 * it does. */
static struct weft_value *clip(struct rewriting *r, const struct layer *layer,
                               struct weft_value *x) {
    if (layer->activation == NULL) {
        return x;
    }
    struct layer_limits real = layer_limits_of(layer->activation);
    int64_t least =
        real.low <= -FLT_MAX ? weft_dtype_min(x->type.dtype) : weft_type_limit(&x->type, real.low);
    int64_t most =
        real.high >= FLT_MAX ? weft_dtype_max(x->type.dtype) : weft_type_limit(&x->type, real.high);
    least = weft_min(least, most);
    if (least <= weft_dtype_min(x->type.dtype) && most >= weft_dtype_max(x->type.dtype)) {
        return x;
    }
    const struct weft_attribute limits[] = {weft_attr_int(r->arena, WEFT_ATTR_min, least),
                                            weft_attr_int(r->arena, WEFT_ATTR_max, most)};
    return add_node(r, WEFT_OP_CLIP, 1, &x, 2, limits, &x->type);
}

static enum weft_operator product_operator(enum weft_operator op) {
    return op == WEFT_OP_CONV2D             ? WEFT_OP_QNN_CONV2D
           : op == WEFT_OP_CONV2D_TRANSPOSE ? WEFT_OP_QNN_CONV2D_TRANSPOSE
                                            : WEFT_OP_QNN_DENSE;
}

/* int32 at the scale of operand times weights, as the operator defines it. */
static struct weft_type sum_type(const struct rewriting *r, const struct weft_node *root,
                                 struct weft_value **inputs) {
    struct weft_error error;
    struct weft_type type = {.rank = 0};
    struct weft_graph *aside = weft_graph_new(r->arena, "aside");
    const struct weft_node *node = weft_graph_add_node(aside, product_operator(root->op), 2, inputs,
                                                       root->attribute_count, root->attributes);
    (void)weft_node_infer(r->arena, node, &type, &error); /* else verifying the graph fails */
    return type;
}

static void write_product(struct rewriting *r, const struct layer *layer) {
    const struct weft_node *root = layer->root;
    const struct weft_value *weights = layer_weights_value(layer);
    struct weft_type type = weft_type_make(WEFT_I8, weights->type.rank, weights->type.dim);
    type.quantization = layer->weights.quantization;
    struct weft_value *x = quantized_of(r, root->inputs[0]);
    struct weft_value *inputs[2] = {x, weft_graph_add_constant(r->graph, &type,
                                                               layer->weights.elements,
                                                               weights->name, weights->tensor)};
    type = sum_type(r, root, inputs);
    inputs[0] = add_node(r, product_operator(root->op), 2, inputs, root->attribute_count,
                         root->attributes, &type);
    struct weft_type bias = weft_type_make(WEFT_I32, 1, &layer->channels);
    bias.quantization = type.quantization;
    bias.quantization.axis = 0;
    inputs[1] = weft_graph_add_constant(r->graph, &bias, layer->bias_elements, NULL, -1);
    struct weft_value *sum = add_node(r, WEFT_OP_BIAS_ADD, 2, inputs, 0, NULL, &type);
    struct weft_attribute rounding = weft_attr_text(WEFT_ATTR_rounding, PRODUCT_ROUNDING);
    type = plan_type_of(r->plan, layer->result);
    sum = add_node(r, WEFT_OP_QNN_REQUANTIZE, 1, &sum, 1, &rounding, &type);
    set_quantized(r, layer->result, clip(r, layer, sum));
}

/* The quantised form of a value as floats: what the float operator of a quantised layer works on.
 */
static struct weft_value *dequantized_of(struct rewriting *r, const struct weft_value *value) {
    struct weft_value *x = quantized_of(r, value);
    return add_node(r, WEFT_OP_QNN_DEQUANTIZE, 1, &x, 0, NULL, &value->type);
}

/* The mean over all rows and columns: what a pool of one window is. */
static struct weft_value *write_whole_pool(struct rewriting *r, struct weft_value *x,
                                           const struct weft_type *type) {
    static const int64_t plane[2] = {1, 2};
    const struct weft_attribute attributes[] = {weft_attr_ints(r->arena, WEFT_ATTR_axes, 2, plane),
                                                weft_attr_int(r->arena, WEFT_ATTR_keep_dims, 1)};
    return add_node(r, WEFT_OP_MEAN, 1, &x, 2, attributes, type);
}

/* The operator of integers that the machine has for a layer which ONNX Runtime rounds otherwise, or
 * computes in floats; WEFT_OP_CONSTANT: it is left to weft_pass_fuse_quantize() and
 * weft_pass_make_tables(), to which float operators between qnn.dequantize and qnn.quantize mean
 * what they mean to ONNX Runtime. */
static enum weft_operator integer_operator(const struct layer *layer) {
    switch (layer->root->op) {
    case WEFT_OP_SUBTRACT:
        return WEFT_OP_QNN_SUBTRACT;
    case WEFT_OP_MUL:
        return WEFT_OP_QNN_MUL;
    case WEFT_OP_SOFTMAX:
        return WEFT_OP_QNN_SOFTMAX;
    case WEFT_OP_MEAN:
        return layer_is_global_average(layer) ? WEFT_OP_CONSTANT : WEFT_OP_QNN_MEAN;
    default:
        return WEFT_OP_CONSTANT;
    }
}

/* Can the layer be an operator of integers? Not where an operand is inside of what becomes a table,
 * or one number: that is a table, too. */
static bool takes_integers(const struct rewriting *r, const struct layer *layer) {
    bool fits = integer_operator(layer) != WEFT_OP_CONSTANT;
    for (uint32_t i = 0; fits && i < layer->root->input_count; i++) {
        const struct weft_value *x = layer->root->inputs[i];
        fits = weft_value_data(x) != NULL ? weft_type_elements(&x->type) != 1
                                          : plan_is_quantized(r->plan, x);
    }
    return fits;
}

/* Are the scales such that the operator of integers computes with them? */
static bool computes(const struct rewriting *r, const struct layer *layer, enum weft_operator op,
                     struct weft_value *const *inputs, const struct weft_type *type) {
    const struct weft_node *root = layer->root;
    struct weft_graph *aside = weft_graph_new(r->arena, "aside");
    struct weft_node *node = weft_graph_add_node(aside, op, root->input_count, inputs,
                                                 root->attribute_count, root->attributes);
    (void)weft_node_add_result(aside, node, type, -1);
    struct weft_host_binding binding;
    struct weft_error error;
    bool bound = weft_host_bind(node, &binding, &error);
    if (bound) {
        weft_host_binding_free(&binding);
    }
    return bound || error.code == WEFT_OUT_OF_MEMORY; /* which says nothing of the scales */
}

/* The operator of integers; false: there is none for the layer, or its scales. */
static bool write_integers(struct rewriting *r, const struct layer *layer) {
    const struct weft_node *root = layer->root;
    const struct weft_type type = plan_type_of(r->plan, layer->result);
    enum weft_operator op = integer_operator(layer);
    struct weft_value *inputs[2] = {NULL};
    if (!takes_integers(r, layer)) {
        return false;
    }
    for (uint32_t i = 0; i < root->input_count; i++) {
        inputs[i] = quantized_of(r, root->inputs[i]);
    }
    if (!computes(r, layer, op, inputs, &type)) {
        return false;
    }
    struct weft_value *made =
        add_node(r, op, root->input_count, inputs, root->attribute_count, root->attributes, &type);
    set_quantized(r, layer->result, clip(r, layer, made));
    return true;
}

/* The float operator between qnn.dequantize and qnn.quantize. */
static void write_function(struct rewriting *r, const struct layer *layer) {
    const struct weft_node *root = layer->root;
    struct weft_value **inputs = WEFT_NEW_ARRAY(r->arena, root->input_count, struct weft_value *);
    for (uint32_t i = 0; i < root->input_count; i++) {
        const struct weft_value *x = root->inputs[i];
        bool inside = weft_value_data(x) == NULL && !plan_is_quantized(r->plan, x); /* of a table */
        inputs[i] = inside ? plain_of(r, x) : dequantized_of(r, x);
    }
    struct weft_value *made =
        layer_is_whole_pool(layer)
            ? write_whole_pool(r, inputs[0], &root->results[0]->type)
            : add_node(r, root->op, root->input_count, inputs, root->attribute_count,
                       root->attributes, &root->results[0]->type);
    const struct weft_type type = plan_type_of(r->plan, layer->result);
    set_quantized(r, layer->result, clip(r, layer, quantize(r, made, &type)));
}

/* Operands of other scales are brought to that of the result first. */
static void write_join(struct rewriting *r, const struct layer *layer) {
    const struct weft_node *root = layer->root;
    const struct weft_type type = plan_type_of(r->plan, layer->result);
    struct weft_value **inputs = WEFT_NEW_ARRAY(r->arena, root->input_count, struct weft_value *);
    for (uint32_t i = 0; i < root->input_count; i++) {
        struct weft_type shaped = type;
        shaped.rank = root->inputs[i]->type.rank;
        memcpy(shaped.dim, root->inputs[i]->type.dim, sizeof shaped.dim);
        inputs[i] = quantized_of(r, root->inputs[i]);
        if (!weft_type_equal(&inputs[i]->type, &shaped)) {
            inputs[i] = quantize(r, dequantized_of(r, root->inputs[i]), &shaped);
        }
    }
    set_quantized(r, layer->result,
                  add_node(r, root->op, root->input_count, inputs, root->attribute_count,
                           root->attributes, &type));
}

/* Elements as they are. */
static void write_move(struct rewriting *r, const struct layer *layer) {
    const struct weft_node *root = layer->root;
    struct weft_value **inputs = WEFT_NEW_ARRAY(r->arena, root->input_count, struct weft_value *);
    for (uint32_t i = 0; i < root->input_count; i++) {
        inputs[i] = i == 0 ? quantized_of(r, root->inputs[0]) : plain_of(r, root->inputs[i]);
    }
    struct weft_node *node = weft_graph_add_node(r->graph, root->op, root->input_count, inputs,
                                                 root->attribute_count, root->attributes);
    node->source = r->source;
    for (uint32_t i = 0; i < root->result_count; i++) {
        const struct weft_type type = plan_type_of(r->plan, root->results[i]);
        set_quantized(r, root->results[i], weft_node_add_result(r->graph, node, &type, -1));
    }
}

static void write_quantized(struct rewriting *r, const struct layer *layer) {
    if (layer->kind == LAYER_PRODUCT) {
        write_product(r, layer);
    } else if (layer->kind == LAYER_JOIN) {
        write_join(r, layer);
    } else if (layer->kind == LAYER_MOVE) {
        write_move(r, layer);
    } else if (!write_integers(r, layer)) {
        write_function(r, layer);
    }
}

/* A node as it is. */
static void write_plain(struct rewriting *r, const struct weft_node *node) {
    struct weft_value **inputs = WEFT_NEW_ARRAY(r->arena, node->input_count, struct weft_value *);
    for (uint32_t i = 0; i < node->input_count; i++) {
        inputs[i] = plain_of(r, node->inputs[i]);
    }
    struct weft_node *copy = weft_graph_copy_node(r->graph, node, inputs);
    for (uint32_t i = 0; i < node->result_count; i++) {
        set_plain(r, node->results[i], copy->results[i]);
    }
}

static void write_layer(struct rewriting *r, const struct layer *layer) {
    r->source = layer->root->source;
    if (layer->is_quantized) {
        write_quantized(r, layer);
    } else {
        write_plain(r, layer->root);
        if (layer->bias != NULL) {
            write_plain(r, layer->bias);
        }
        if (layer->activation != NULL) {
            write_plain(r, layer->activation);
        }
    }
}

/* ---- all ---- */

static void write_inputs(struct rewriting *r) {
    const struct plan *plan = r->plan;
    for (size_t i = 0; i < plan->graph->input_count; i++) {
        const struct weft_value *input = plan->graph->inputs[i];
        bool integer = plan->options->integer_ends && plan->scales[i].is_set;
        const struct weft_type type = integer ? plan_type_of(r->plan, input) : input->type;
        struct weft_value *made = weft_graph_add_input(r->graph, &type, input->name, input->tensor);
        r->source = -1;
        if (integer) {
            r->quantized[i] = made;
        } else {
            set_plain(r, input, made);
        }
    }
}

static void write_outputs(struct rewriting *r) {
    const struct plan *plan = r->plan;
    for (size_t i = 0; i < plan->graph->output_count; i++) {
        const struct weft_value *output = plan->graph->outputs[i];
        bool integer = plan->options->integer_ends && plan_is_quantized(plan, output);
        r->source = output->producer == NULL ? -1 : output->producer->source;
        weft_graph_add_output(r->graph, integer ? quantized_of(r, output) : plain_of(r, output));
    }
}

struct weft_graph *quantize_rewrite(const struct plan *plan) {
    struct rewriting r = {.plan = plan,
                          .arena = plan->arena,
                          .graph = weft_graph_new(plan->arena, plan->graph->name)};
    r.quantized = WEFT_NEW_ARRAY(r.arena, plan->table->count, struct weft_value *);
    r.plain = WEFT_NEW_ARRAY(r.arena, plan->table->count, struct weft_value *);
    write_inputs(&r);
    for (size_t i = 0; i < plan->layer_count; i++) {
        write_layer(&r, &plan->layers[i]);
    }
    write_outputs(&r);
    return r.graph;
}
