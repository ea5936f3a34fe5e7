/* TFLite models in the quantised dialect: the way in. */
#include "compiler/import/import.h"

#include <inttypes.h>

#include "compiler/import/importer.h"

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
