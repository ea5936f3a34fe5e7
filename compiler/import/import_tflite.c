/* TFLite models in the quantised dialect: the way in, and what the importers of operators share. */
#include "compiler/import/import.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "compiler/import/importer.h"

bool importer_wrong(const struct importer *importer, enum weft_error_code code, const char *what) {
    return weft_fail(importer->error, code, importer->index,
                     "operator %" PRIu32 " (%s version %" PRId32 "): %s", importer->index,
                     importer->op->name, importer->op->version, what);
}

/* The element types of tensors, as the file names them; of many the first ones. */
static const char *type_names(const struct importer *importer, uint32_t count,
                              const int32_t *tensors) {
    static const uint32_t most = 8;
    const char *names = count == 0 ? "none" : "";
    for (uint32_t i = 0; i < count && i < most; i++) {
        const struct tflite_tensor *tensor =
            tensors[i] < 0 ? NULL : &importer->file.tensors[tensors[i]];
        names = weft_arena_print(importer->arena, "%s%s%s%s", names, i == 0 ? "" : ", ",
                                 tensor == NULL ? "none" : tensor->type_name,
                                 tensor == NULL || tensor->scale_count == 0 ? "" : " (quantised)");
    }
    return count > most ? weft_arena_print(importer->arena, "%s, ...", names) : names;
}

bool importer_wrong_type(const struct importer *importer, enum weft_error_code code,
                         const char *what) {
    const struct tflite_operator *op = importer->op;
    return importer_wrong(importer, code,
                          weft_arena_print(importer->arena, "%s; inputs: %s; outputs: %s", what,
                                           type_names(importer, op->input_count, op->inputs),
                                           type_names(importer, op->output_count, op->outputs)));
}

/* ---- checks ---- */

bool importer_need_options(const struct importer *importer, int32_t table) {
    return importer->op->options.table == table ||
           importer_wrong(importer, WEFT_MODEL, "its options are missing");
}

bool importer_need_quantized(const struct importer *importer, const struct weft_value *value) {
    enum weft_dtype dtype = value->type.dtype;
    return ((dtype == WEFT_I8 || dtype == WEFT_I16) && value->type.quantization.count > 0) ||
           importer_wrong_type(importer, WEFT_OPERATOR,
                               "expected FLOAT32 or quantised INT8, UINT8 or INT16");
}

/* ---- building ---- */

struct weft_value *importer_add(struct importer *importer, enum weft_operator op,
                                uint32_t input_count, struct weft_value *const *inputs,
                                uint32_t attribute_count, const struct weft_attribute *attributes,
                                const struct weft_type *type) {
    struct weft_node *node =
        weft_graph_add_node(importer->graph, op, input_count, inputs, attribute_count, attributes);
    node->source = (int32_t)importer->index;
    return weft_node_add_result(importer->graph, node, type, -1);
}

/* Infers the one result of a node; an error becomes one of the operator. */
static bool infer(struct importer *importer, const struct weft_node *node, struct weft_type *type) {
    if (weft_node_infer(importer->arena, node, type, importer->error)) {
        return true;
    }
    importer->error->code = WEFT_MODEL;
    importer->error->position = importer->index;
    return weft_fail_context(importer->error, "operator %" PRIu32 " (%s version %" PRId32 ")",
                             importer->index, importer->op->name, importer->op->version);
}

bool importer_infer(struct importer *importer, enum weft_operator op, uint32_t input_count,
                    struct weft_value *const *inputs, uint32_t attribute_count,
                    const struct weft_attribute *attributes, struct weft_value **value) {
    struct weft_type type = {0};
    struct weft_node *node =
        weft_graph_add_node(importer->graph, op, input_count, inputs, attribute_count, attributes);
    node->source = (int32_t)importer->index;
    if (!infer(importer, node, &type)) {
        return false;
    }
    *value = weft_node_add_result(importer->graph, node, &type, -1);
    return true;
}

bool importer_declare(struct importer *importer, enum weft_operator op, uint32_t input_count,
                      struct weft_value *const *inputs, uint32_t attribute_count,
                      const struct weft_attribute *attributes, const struct weft_type *type,
                      struct weft_value **value) {
    struct weft_type inferred = {0};
    *value = importer_add(importer, op, input_count, inputs, attribute_count, attributes, type);
    return infer(importer, (*value)->producer, &inferred) &&
           (weft_type_equal(type, &inferred) ||
            importer_wrong_type(importer, WEFT_MODEL,
                                "the type of its output tensor is not what follows from its "
                                "inputs"));
}

struct weft_value *importer_reshape(struct importer *importer, struct weft_value *value,
                                    uint32_t rank, const int64_t *dims) {
    struct weft_type type = weft_type_make(value->type.dtype, rank, dims);
    type.quantization = value->type.quantization;
    return weft_shape_equal(&type, &value->type)
               ? value
               : importer_add(importer, WEFT_OP_RESHAPE, 1, &value, 0, NULL, &type);
}

bool importer_padding(const struct importer *importer, int64_t size, int64_t kernel,
                      int64_t dilation, int64_t stride, int64_t *before, int64_t *after) {
    *before = 0;
    *after = 0;
    if (stride < 1 || dilation < 1 || kernel < 1) {
        return importer_wrong(importer, WEFT_MODEL,
                              "strides, dilations and kernels must be positive");
    }
    if (importer->op->options.padding == TFLITE_PADDING_SAME) {
        int64_t reach = (kernel - 1) * dilation + 1;
        int64_t total = weft_max((weft_ceil_div(size, stride) - 1) * stride + reach - size, 0);
        *before = total / 2;
        *after = total - *before;
    } else if (importer->op->options.padding != TFLITE_PADDING_VALID) {
        return importer_wrong(importer, WEFT_MODEL, "padding must be SAME or VALID");
    }
    return true;
}

/* ---- fused activations ---- */

/* The real limits of an activation. */
static void real_limits(int32_t activation, double *low, double *high) {
    *low = activation == TFLITE_ACTIVATION_RELU_N1_TO_1 ? -1.0 : 0.0;
    *high = activation == TFLITE_ACTIVATION_RELU_N1_TO_1 ? 1.0
            : activation == TFLITE_ACTIVATION_RELU6      ? 6.0
                                                         : (double)INFINITY;
}

/* A real limit as the type holds it. */
static int64_t limit_of(const struct weft_type *type, double limit) {
    return type->quantization.count > 0 ? weft_type_limit(type, (float)limit)
           : isinf(limit)               ? weft_dtype_max(type->dtype)
                                        : (int64_t)limit;
}

static bool clip(struct importer *importer, int32_t activation, struct weft_value **value) {
    const struct weft_type *type = &(*value)->type;
    double low = 0.0;
    double high = 0.0;
    real_limits(activation, &low, &high);
    struct weft_attribute limits[] = {
        weft_attr_int(importer->arena, WEFT_ATTR_min, limit_of(type, low)),
        weft_attr_int(importer->arena, WEFT_ATTR_max, limit_of(type, high)),
    };
    return importer_infer(importer, WEFT_OP_CLIP, 1, value, 2, limits, value);
}

static bool activate(struct importer *importer, int32_t activation, struct weft_value **value) {
    enum weft_operator op = activation == TFLITE_ACTIVATION_RELU    ? WEFT_OP_RELU
                            : activation == TFLITE_ACTIVATION_RELU6 ? WEFT_OP_RELU6
                                                                    : WEFT_OP_RELU_N1_TO_1;
    if (activation == TFLITE_ACTIVATION_NONE) {
        return true;
    }
    if (activation != TFLITE_ACTIVATION_RELU && activation != TFLITE_ACTIVATION_RELU6 &&
        activation != TFLITE_ACTIVATION_RELU_N1_TO_1) {
        return importer_wrong(importer, WEFT_OPERATOR, "its fused activation is not supported");
    }
    if ((*value)->type.quantization.count > 1) {
        return importer_wrong(importer, WEFT_MODEL,
                              "an activation is fused to a tensor without one scale");
    }
    return (*value)->type.dtype == WEFT_F32 ? importer_infer(importer, op, 1, value, 0, NULL, value)
                                            : clip(importer, activation, value);
}

bool importer_finish_activated(struct importer *importer, struct weft_value *value) {
    struct weft_type type = {0};
    if (!importer_result_type(importer, 0, &type)) {
        return false;
    }
    /* The limits are those of the output's own scale. */
    if (type.dtype == value->type.dtype) {
        value = importer_relabel(importer, value, &type);
    }
    return activate(importer, importer->op->options.activation, &value) &&
           importer_finish(importer, 0, value);
}

/* ---- the table of operators ---- */

static const struct {
    int32_t code;
    import_function *import;
} operators[] = {
    {TFLITE_ADD, import_binary},
    {TFLITE_ARG_MAX, import_arg_max},
    {TFLITE_AVERAGE_POOL_2D, import_pool},
    {TFLITE_BATCH_MATMUL, import_batch_matmul},
    {TFLITE_CAST, import_cast},
    {TFLITE_CONCATENATION, import_concatenation},
    {TFLITE_CONV_2D, import_conv2d},
    {TFLITE_DENSIFY, import_densify},
    {TFLITE_DEPTHWISE_CONV_2D, import_depthwise},
    {TFLITE_DEQUANTIZE, import_dequantize},
    {TFLITE_EXPAND_DIMS, import_expand_dims},
    {TFLITE_FULLY_CONNECTED, import_fully_connected},
    {TFLITE_GATHER, import_gather},
    {TFLITE_HARD_SWISH, import_unary},
    {TFLITE_L2_NORMALIZATION, import_normalize},
    {TFLITE_LEAKY_RELU, import_leaky_relu},
    {TFLITE_LOGISTIC, import_unary},
    {TFLITE_LOG_SOFTMAX, import_normalize},
    {TFLITE_MAXIMUM, import_binary},
    {TFLITE_MAX_POOL_2D, import_pool},
    {TFLITE_MEAN, import_reduce},
    {TFLITE_MINIMUM, import_binary},
    {TFLITE_MUL, import_binary},
    {TFLITE_PACK, import_pack},
    {TFLITE_PAD, import_pad},
    {TFLITE_PADV2, import_pad},
    {TFLITE_QUANTIZE, import_quantize},
    {TFLITE_REDUCE_MAX, import_reduce},
    {TFLITE_RELU, import_unary},
    {TFLITE_RELU6, import_unary},
    {TFLITE_RELU_N1_TO_1, import_unary},
    {TFLITE_RESHAPE, import_reshape},
    {TFLITE_RESIZE_BILINEAR, import_resize},
    {TFLITE_RESIZE_NEAREST_NEIGHBOR, import_resize},
    {TFLITE_SOFTMAX, import_softmax},
    {TFLITE_SPLIT, import_split},
    {TFLITE_SQUEEZE, import_squeeze},
    {TFLITE_STRIDED_SLICE, import_strided_slice},
    {TFLITE_SUB, import_binary},
    {TFLITE_TANH, import_unary},
    {TFLITE_TRANSPOSE, import_transpose},
    {TFLITE_TRANSPOSE_CONV, import_transpose_conv},
    {TFLITE_UNPACK, import_unpack},
};

enum {
    MOST_OUTPUTS = 1024 /* of split and unpack in the graph */
};

/* Every output is a tensor that nothing else makes, not even another output of the operator. */
static bool check_outputs(const struct importer *importer) {
    const struct tflite_operator *op = importer->op;
    bool many = op->code == TFLITE_SPLIT || op->code == TFLITE_UNPACK;
    bool good = op->output_count > 0 && op->output_count <= (many ? MOST_OUTPUTS : 1U);
    for (uint32_t i = 0; good && i < op->output_count; i++) {
        good = importer->raw[op->outputs[i]] == NULL;
        for (uint32_t k = 0; good && k < i; k++) {
            good = op->outputs[k] != op->outputs[i];
        }
    }
    return good || importer_wrong(importer, WEFT_MODEL,
                                  "expected as many outputs as the operator has, tensors that "
                                  "nothing else makes");
}

static bool import_operator(struct importer *importer) {
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (operators[i].code == importer->op->code) {
            return check_outputs(importer) && operators[i].import(importer);
        }
    }
    return importer_wrong(importer, WEFT_OPERATOR, "this operator is not supported");
}

/* ---- the way in ---- */

static bool add_inputs(struct importer *importer) {
    for (uint32_t i = 0; i < importer->file.input_count; i++) {
        int32_t index = importer->file.inputs[i];
        struct weft_type type = {0};
        if (!importer_raw_type(importer, index, &type)) {
            return false;
        }
        if (importer->raw[index] != NULL) {
            return importer_wrong(importer, WEFT_MODEL, "a tensor is an input twice");
        }
        importer->raw[index] = weft_graph_add_input(importer->graph, &type, NULL, index);
    }
    return true;
}

static bool add_outputs(struct importer *importer) {
    for (uint32_t i = 0; i < importer->file.output_count; i++) {
        struct weft_value *value = NULL;
        struct weft_type type = {0};
        if (!importer_raw_type(importer, importer->file.outputs[i], &type) ||
            !importer_raw(importer, importer->file.outputs[i], &value)) {
            return false;
        }
        weft_graph_add_output(importer->graph, value);
    }
    return true;
}

bool weft_import_tflite(struct weft_arena *arena, const uint8_t *bytes, size_t length,
                        struct weft_graph **graph, struct weft_error *error) {
    static const struct tflite_operator inputs = {.name = "inputs"};
    struct importer importer = {.arena = arena, .op = &inputs, .error = error};
    if (!tflite_file_read(arena, bytes, length, &importer.file, error)) {
        return false;
    }
    importer.graph = weft_graph_new(arena, "main");
    importer.raw = WEFT_NEW_ARRAY(arena, importer.file.tensor_count, struct weft_value *);
    importer.values = WEFT_NEW_ARRAY(arena, importer.file.tensor_count, struct weft_value *);
    if (!add_inputs(&importer)) {
        return false;
    }
    for (importer.index = 0; importer.index < importer.file.operator_count; importer.index++) {
        importer.op = &importer.file.operators[importer.index];
        if (!import_operator(&importer)) {
            return false;
        }
    }
    if (!add_outputs(&importer)) {
        return false;
    }
    weft_graph_name(importer.graph);
    *graph = importer.graph;
    return weft_graph_verify(importer.graph, error);
}
