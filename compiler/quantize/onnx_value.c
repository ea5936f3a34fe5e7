#include "compiler/quantize/onnx_value.h"

#include <math.h>
#include <string.h>

const int64_t onnx_to_first_axes[4] = {0, 3, 1, 2};
const int64_t onnx_to_last_axes[4] = {0, 2, 3, 1};

/* Is it the name of one of the first inputs or outputs of the model? */
static bool is_end(const struct onnx_writer *w, size_t input_count, size_t output_count,
                   const char *name) {
    const struct weft_graph *graph = w->plan->graph;
    bool found = false;
    for (size_t i = 0; !found && i < input_count; i++) {
        found = strcmp(plan_name_of(w->plan, graph->inputs[i]), name) == 0;
    }
    for (size_t i = 0; !found && i < output_count; i++) {
        found = strcmp(w->plan->outputs[i], name) == 0;
    }
    return found;
}

const char *onnx_new_name(struct onnx_writer *w, const char *stem) {
    const struct weft_graph *graph = w->plan->graph;
    const char *name = NULL;
    do {
        name = weft_arena_print(w->plan->arena, "%s/%zu", stem, w->made++);
    } while (is_end(w, graph->input_count, graph->output_count, name));
    return name;
}

const char *onnx_input_name(struct onnx_writer *w, size_t number) {
    const char *name = plan_name_of(w->plan, w->plan->graph->inputs[number]);
    return name[0] == '\0' || is_end(w, number, 0, name) ? onnx_new_name(w, "input") : name;
}

const char *onnx_output_name(struct onnx_writer *w, size_t number) {
    const char *name = w->plan->outputs[number];
    return name[0] == '\0' || is_end(w, w->plan->graph->input_count, number, name)
               ? onnx_new_name(w, "output")
               : name;
}

struct onnx_known *onnx_known_of(const struct onnx_writer *w, const struct weft_value *value) {
    return &w->known[value_number(w->plan->table, value)];
}

/* ---- nodes ---- */

bool onnx_unsupported(const struct onnx_writer *w, const struct weft_node *node) {
    (void)weft_fail(w->error, WEFT_OPERATOR, 0, "this cannot be written as ONNX");
    weft_node_error_prefix(node, w->error);
    return false;
}

const char *onnx_add_plain(struct onnx_writer *w, const char *op, uint32_t count,
                           const char *const *inputs) {
    const char *result = onnx_new_name(w, "result");
    onnx_add_node(&w->message, op, count, inputs, result);
    return result;
}

int64_t onnx_axis_of(int64_t axis, bool moved) {
    static const int64_t places[4] = {0, 2, 3, 1};
    return moved ? places[axis] : axis;
}

/* ---- tensors that are known ---- */

void *onnx_permute(const struct onnx_writer *w, const struct weft_type *type, const void *data,
                   const int64_t *order, int64_t *dims) {
    size_t size = weft_dtype_bytes(type->dtype);
    int64_t count = weft_type_elements(type);
    uint8_t *made = weft_arena_allocate(w->plan->arena, (size_t)count, size);
    int64_t strides[WEFT_MAX_RANK];
    int64_t stride = 1;
    for (uint32_t i = type->rank; i-- > 0;) {
        strides[i] = stride;
        stride *= type->dim[i];
        dims[i] = type->dim[order[i]];
    }
    for (int64_t to = 0; to < count; to++) {
        int64_t rest = to;
        int64_t from = 0;
        for (uint32_t i = type->rank; i-- > 0;) {
            from += rest % dims[i] * strides[order[i]];
            rest /= dims[i];
        }
        memcpy(made + (size_t)to * size, (const uint8_t *)data + (size_t)from * size, size);
    }
    return made;
}

const char *onnx_add_scalar(struct onnx_writer *w, const char *stem, double value) {
    const char *name = onnx_new_name(w, stem);
    float *data = WEFT_NEW(w->plan->arena, float);
    *data = (float)value;
    onnx_add_tensor(&w->message, name, WEFT_F32, 0, NULL, data);
    return name;
}

static const char *add_zero(struct onnx_writer *w, int32_t value) {
    const char *name = onnx_new_name(w, "zero");
    uint8_t *data = WEFT_NEW(w->plan->arena, uint8_t);
    *data = (uint8_t)value;
    onnx_add_tensor(&w->message, name, w->plan->options->activations, 0, NULL, data);
    return name;
}

const char *onnx_add_list(struct onnx_writer *w, const char *stem, uint32_t count,
                          const int64_t *values) {
    const char *name = onnx_new_name(w, stem);
    int64_t length = count;
    int64_t *data = WEFT_NEW_ARRAY(w->plan->arena, (size_t)count + 1, int64_t);
    if (count > 0) {
        memcpy(data, values, count * sizeof *data);
    }
    onnx_add_tensor(&w->message, name, WEFT_I64, 1, &length, data);
    return name;
}

const char *onnx_add_dequantized(struct onnx_writer *w, const char *stem,
                                 const struct weft_type *type, const void *elements,
                                 const double *scales, uint32_t count, int64_t axis) {
    struct weft_arena *arena = w->plan->arena;
    const char *stems[3] = {stem, "scale", "zero"};
    const char *inputs[3];
    for (int i = 0; i < 3; i++) {
        inputs[i] = onnx_new_name(w, stems[i]);
    }
    const char *result = onnx_new_name(w, stem);
    float *scale = WEFT_NEW_ARRAY(arena, count, float);
    int64_t length = count;
    const void *zeros = weft_arena_allocate(arena, count, sizeof(int32_t));
    for (uint32_t i = 0; i < count; i++) {
        scale[i] = (float)scales[i];
    }
    onnx_add_tensor(&w->message, inputs[0], type->dtype, type->rank, type->dim, elements);
    onnx_add_tensor(&w->message, inputs[1], WEFT_F32, axis < 0 ? 0 : 1, &length, scale);
    onnx_add_tensor(&w->message, inputs[2], type->dtype, axis < 0 ? 0 : 1, &length, zeros);
    Onnx__NodeProto *node = onnx_add_node(&w->message, "DequantizeLinear", 3, inputs, result);
    if (axis >= 0) {
        onnx_add_int(&w->message, node, "axis", axis);
    }
    return result;
}

/* ---- operands ---- */

/* A transpose between the two orders of axes. */
static const char *transpose(struct onnx_writer *w, const char *name, bool to_moved) {
    const char *result = onnx_new_name(w, name);
    Onnx__NodeProto *node = onnx_add_node(&w->message, "Transpose", 1, &name, result);
    onnx_add_ints(&w->message, node, "perm", 4, to_moved ? onnx_to_first_axes : onnx_to_last_axes);
    return result;
}

const char *onnx_add_constant(struct onnx_writer *w, const struct weft_value *value, bool moved) {
    const float *simulated = w->plan->constants[value_number(w->plan->table, value)];
    const void *data = simulated != NULL ? simulated : (const void *)weft_value_data(value);
    const char *name = onnx_new_name(w, "constant");
    struct weft_type type = value->type;
    while (moved && type.rank < 4) {
        memmove(type.dim + 1, type.dim, type.rank * sizeof *type.dim);
        type.dim[0] = 1;
        type.rank++;
    }
    int64_t dims[WEFT_MAX_RANK];
    memcpy(dims, type.dim, sizeof dims);
    data = moved ? onnx_permute(w, &type, data, onnx_to_first_axes, dims) : data;
    onnx_add_tensor(&w->message, name, type.dtype, type.rank, dims, data);
    return name;
}

const char *onnx_add_pair(struct onnx_writer *w, const struct weft_value *value, const char *name) {
    const struct tensor_scale *scale = &w->plan->scales[value_number(w->plan->table, value)];
    if (!scale->is_set) {
        return name;
    }
    const char *factor = onnx_add_scalar(w, "scale", scale->scale);
    const char *inputs[3] = {name, factor, add_zero(w, scale->zero)};
    const char *quantized = onnx_new_name(w, plan_name_of(w->plan, value));
    const char *result = onnx_new_name(w, plan_name_of(w->plan, value));
    onnx_add_node(&w->message, "QuantizeLinear", 3, inputs, quantized);
    inputs[0] = quantized;
    onnx_add_node(&w->message, "DequantizeLinear", 3, inputs, result);
    return result;
}

const char *onnx_operand(struct onnx_writer *w, const struct weft_value *value, bool moved) {
    const struct onnx_known *known = onnx_known_of(w, value);
    if (weft_value_data(value) != NULL) {
        const char *name = onnx_add_constant(w, value, moved);
        bool is_quantized = w->plan->constants[value_number(w->plan->table, value)] != NULL;
        return is_quantized ? onnx_add_pair(w, value, name) : name;
    }
    return known->is_moved == moved ? known->name : transpose(w, known->name, moved);
}

bool onnx_is_moved(const struct onnx_writer *w, const struct weft_value *value) {
    return weft_value_data(value) == NULL && onnx_known_of(w, value)->is_moved;
}

/* ---- results ---- */

void onnx_set_result(struct onnx_writer *w, const struct weft_value *value, const char *name,
                     bool moved) {
    *onnx_known_of(w, value) = (struct onnx_known){onnx_add_pair(w, value, name), moved};
}

/* ---- activations ---- */

/* Does the range of the quantised result clip as the activation does? */
static bool saturates(const struct tensor_scale *scale, enum weft_operator op) {
    bool below = scale->is_set && scale->zero == scale->least;
    const double most = 6;
    return op == WEFT_OP_RELU || op == WEFT_OP_RELU6
               ? below && (op == WEFT_OP_RELU ||
                           scale->zero + nearbyint(most / scale->scale) >= scale->most)
               : false;
}

static const char *add_clip(struct onnx_writer *w, const struct weft_node *activation,
                            const char *name) {
    const char *result = onnx_new_name(w, "clip");
    struct layer_limits limits = layer_limits_of(activation);
    if (activation->op == WEFT_OP_RELU) {
        onnx_add_node(&w->message, "Relu", 1, &name, result);
        return result;
    }
    const char *least = onnx_add_scalar(w, "least", limits.low);
    const char *inputs[3] = {name, least, onnx_add_scalar(w, "most", limits.high)};
    onnx_add_node(&w->message, "Clip", 3, inputs, result);
    return result;
}

/* ONNX Runtime quantises weights of floats between DequantizeLinear and QuantizeLinear by itself,
 * those of MatMul if Add is behind it. The largest of one is that one, and keeps it off. */
const char *onnx_keep_float(struct onnx_writer *w, const char *product) {
    return onnx_add_plain(w, "Max", 1, &product);
}

/* The result of a layer, its activation behind the operator. What saturation does not do is done to
 * what is quantised already: between QuantizeLinear and a product ONNX Runtime takes no Relu. */
void onnx_finish_layer(struct onnx_writer *w, const struct layer *layer, const char *name,
                       bool moved) {
    enum weft_operator op = layer->activation == NULL ? WEFT_OP_OPAQUE : layer->activation->op;
    const struct tensor_scale *scale =
        &w->plan->scales[value_number(w->plan->table, layer->result)];
    if (layer->activation != NULL && !saturates(scale, op)) {
        name = add_clip(w, layer->activation,
                        layer->is_quantized ? onnx_add_pair(w, layer->result, name) : name);
    }
    if (layer->kind == LAYER_PRODUCT && !layer->is_quantized && scale->is_set) {
        name = onnx_keep_float(w, name);
    }
    onnx_set_result(w, layer->result, name, moved);
}
