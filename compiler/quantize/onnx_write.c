/* The quantised graph that a plan says as a model of ONNX: operators of floats between
 * QuantizeLinear and DequantizeLinear (QDQ). */
#include <string.h>

#include "compiler/quantize/onnx_writer.h"
#include "compiler/quantize/steps.h"

/* ---- products ---- */

/* The order of the axes of weights in ONNX. */
static const int64_t *weight_order(enum weft_operator op) {
    static const int64_t dense[2] = {0, 1};
    static const int64_t transposed[4] = {3, 0, 1, 2}; /* [O, KH, KW, C] to [C, O, KH, KW] */
    return op == WEFT_OP_DENSE ? dense : op == WEFT_OP_CONV2D ? onnx_to_first_axes : transposed;
}

static const char *add_weights(struct onnx_writer *w, const struct layer *layer) {
    const struct weft_value *value = layer_weights_value(layer);
    const int64_t *order = weight_order(layer->root->op);
    const struct weft_quantization *scales = &layer->weights.quantization;
    struct weft_type type = value->type;
    int64_t dims[WEFT_MAX_RANK];
    type.dtype = layer->is_quantized ? WEFT_I8 : WEFT_F32;
    const void *data = onnx_permute(w, &type,
                                    layer->is_quantized ? (const void *)layer->weights.elements
                                                        : weft_value_data(value),
                                    order, dims);
    memcpy(type.dim, dims, type.rank * sizeof *dims);
    if (layer->is_quantized) {
        int64_t axis = layer->root->op == WEFT_OP_CONV2D_TRANSPOSE;
        return onnx_add_dequantized(w, "weights", &type, data, scales->scale, scales->count,
                                    scales->count == 1 ? -1 : axis);
    }
    const char *name = onnx_new_name(w, "weights");
    onnx_add_tensor(&w->message, name, WEFT_F32, type.rank, type.dim, data);
    return name;
}

/* NULL: there is none. */
static const char *add_bias(struct onnx_writer *w, const struct layer *layer) {
    if (!layer->is_quantized) {
        return layer->bias == NULL ? NULL : onnx_add_constant(w, layer->bias->inputs[1], false);
    }
    const struct weft_quantization *weights = &layer->weights.quantization;
    double input = w->plan->scales[value_number(w->plan->table, layer->root->inputs[0])].scale;
    double *scales = WEFT_NEW_ARRAY(w->plan->arena, weights->count, double);
    const struct weft_type type = weft_type_make(WEFT_I32, 1, &layer->channels);
    for (uint32_t i = 0; i < weights->count; i++) {
        scales[i] = input * weights->scale[i];
    }
    return onnx_add_dequantized(w, "bias", &type, layer->bias_elements, scales, weights->count,
                                weights->count == 1 ? -1 : 0);
}

static void add_window(struct onnx_writer *w, Onnx__NodeProto *node, const struct weft_node *from) {
    onnx_add_ints(&w->message, node, "strides", 2, weft_node_ints(from, WEFT_ATTR_strides));
    onnx_add_ints(&w->message, node, "pads", 4, weft_node_ints(from, WEFT_ATTR_padding));
}

static bool write_product(struct onnx_writer *w, const struct layer *layer) {
    const struct weft_node *root = layer->root;
    bool dense = root->op == WEFT_OP_DENSE;
    const char *x = onnx_operand(w, root->inputs[0], !dense);
    const char *weights = add_weights(w, layer);
    const char *inputs[3] = {x, weights, add_bias(w, layer)};
    const char *result = onnx_new_name(w, "product");
    Onnx__NodeProto *node = onnx_add_node(&w->message,
                                          dense                        ? "Gemm"
                                          : root->op == WEFT_OP_CONV2D ? "Conv"
                                                                       : "ConvTranspose",
                                          inputs[2] == NULL ? 2 : 3, inputs, result);
    if (dense) {
        onnx_add_int(&w->message, node, "transB", 1);
    } else {
        onnx_add_ints(&w->message, node, "kernel_shape", 2, root->inputs[1]->type.dim + 1);
        add_window(w, node, root);
    }
    if (root->op == WEFT_OP_CONV2D) {
        onnx_add_ints(&w->message, node, "dilations", 2, weft_node_ints(root, WEFT_ATTR_dilation));
        onnx_add_int(&w->message, node, "group", weft_node_int(root, WEFT_ATTR_groups));
    } else if (root->op == WEFT_OP_CONV2D_TRANSPOSE) {
        onnx_add_ints(&w->message, node, "output_padding", 2,
                      weft_node_ints(root, WEFT_ATTR_output_padding));
    }
    onnx_finish_layer(w, layer, result, !dense);
    return true;
}

/* ---- pools ---- */

static bool write_pool(struct onnx_writer *w, const struct weft_node *node) {
    const char *input = onnx_operand(w, node->inputs[0], true);
    const char *result = onnx_new_name(w, "pool");
    Onnx__NodeProto *made = onnx_add_node(
        &w->message, node->op == WEFT_OP_MAX_POOL2D ? "MaxPool" : "AveragePool", 1, &input, result);
    onnx_add_ints(&w->message, made, "kernel_shape", 2, weft_node_ints(node, WEFT_ATTR_kernel));
    add_window(w, made, node);
    onnx_set_result(w, node->results[0], result, true);
    return true;
}

/* What ONNX Runtime sums as integers. */
static bool write_global_average(struct onnx_writer *w, const struct layer *layer) {
    const struct weft_value *result = layer->result;
    const char *input = onnx_operand(w, layer->root->inputs[0], true);
    const char *mean = onnx_add_pair(w, result, onnx_add_plain(w, "GlobalAveragePool", 1, &input));
    bool flat = result->type.rank < 4;
    if (flat) {
        const char *inputs[2] = {mean,
                                 onnx_add_list(w, "shape", result->type.rank, result->type.dim)};
        mean = onnx_add_plain(w, "Reshape", 2, inputs);
    }
    *onnx_known_of(w, result) = (struct onnx_known){mean, !flat};
    return true;
}

/* ---- layers ---- */

typedef bool write_function(struct onnx_writer *w, const struct weft_node *node);

/* What writes an operator by itself; NULL: there is none. */
static write_function *writer_of(enum weft_operator op) {
    static const struct {
        enum weft_operator op;
        write_function *write;
    } writers[] = {
        {WEFT_OP_MAX_POOL2D, write_pool},
        {WEFT_OP_AVG_POOL2D, write_pool},
        {WEFT_OP_RESHAPE, onnx_write_reshape},
        {WEFT_OP_SQUEEZE, onnx_write_reshape},
        {WEFT_OP_EXPAND_DIMS, onnx_write_reshape},
        {WEFT_OP_TRANSPOSE, onnx_write_transpose},
        {WEFT_OP_PAD, onnx_write_pad},
        {WEFT_OP_TILE, onnx_write_tile},
        {WEFT_OP_STRIDED_SLICE, onnx_write_slice},
        {WEFT_OP_SPLIT, onnx_write_split},
        {WEFT_OP_UNPACK, onnx_write_split},
        {WEFT_OP_PACK, onnx_write_pack},
        {WEFT_OP_GATHER, onnx_write_gather},
        {WEFT_OP_GATHER_ND, onnx_write_gather},
        {WEFT_OP_ARGMAX, onnx_write_arg},
        {WEFT_OP_ARGMIN, onnx_write_arg},
        {WEFT_OP_TOPK, onnx_write_topk},
        {WEFT_OP_CUMSUM, onnx_write_cumsum},
        {WEFT_OP_SOFTMAX, onnx_write_softmax},
        {WEFT_OP_LOG_SOFTMAX, onnx_write_softmax},
        {WEFT_OP_L2_NORMALIZE, onnx_write_l2_normalize},
        {WEFT_OP_LAYER_NORM, onnx_write_layer_norm},
        {WEFT_OP_BATCH_MATMUL, onnx_write_matmul},
        {WEFT_OP_DENSE, onnx_write_matmul},
        {WEFT_OP_RESIZE_NEAREST_NEIGHBOR, onnx_write_resize},
        {WEFT_OP_RESIZE_BILINEAR, onnx_write_resize},
        {WEFT_OP_INTERPOLATE_AXIS, onnx_write_interpolation},
    };
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        if (writers[i].op == op) {
            return writers[i].write;
        }
    }
    return NULL;
}

static bool write_layer(struct onnx_writer *w, const struct layer *layer) {
    write_function *write = writer_of(layer->root->op);
    if (layer->kind == LAYER_PRODUCT) {
        return write_product(w, layer);
    }
    return layer_is_global_average(layer) ? write_global_average(w, layer)
           : write != NULL                ? write(w, layer->root)
                                          : onnx_write_elements(w, layer);
}

/* ---- all ---- */

static void write_inputs(struct onnx_writer *w) {
    for (size_t i = 0; i < w->plan->graph->input_count; i++) {
        const struct weft_value *input = w->plan->graph->inputs[i];
        const char *name = onnx_input_name(w, i);
        onnx_add_end(&w->message, false, name, input->type.dtype, input->type.rank,
                     input->type.dim);
        onnx_set_result(w, input, name, false);
    }
}

static void write_outputs(struct onnx_writer *w) {
    for (size_t i = 0; i < w->plan->graph->output_count; i++) {
        const struct weft_value *output = w->plan->graph->outputs[i];
        const char *name = onnx_output_name(w, i);
        const char *made = onnx_operand(w, output, false);
        onnx_add_node(&w->message, "Identity", 1, &made, name);
        onnx_add_end(&w->message, true, name, output->type.dtype, output->type.rank,
                     output->type.dim);
    }
}

bool weft_quantized_onnx(const struct weft_quantized *quantized, uint8_t **bytes, size_t *length,
                         struct weft_error *error) {
    const struct plan *plan = quantized->plan;
    struct onnx_writer w = {.plan = plan, .message = {.arena = plan->arena}, .error = error};
    char name[] = "main";
    onnx__graph_proto__init(&w.message.graph);
    w.message.graph.name = name;
    w.known = WEFT_NEW_ARRAY(plan->arena, plan->table->count, struct onnx_known);
    write_inputs(&w);
    for (size_t i = 0; i < plan->layer_count; i++) {
        if (!write_layer(&w, &plan->layers[i])) {
            return false;
        }
    }
    write_outputs(&w);
    return onnx_pack(&w.message, bytes, length, error);
}
