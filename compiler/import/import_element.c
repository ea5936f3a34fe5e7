/* Operators that work element by element or along the last axis, and conversions. */
#include "compiler/import/importer.h"

/* ---- two operands ---- */

/* The operator of the graph for quantised tensors and for plain ones. */
struct pair {
    enum weft_operator qnn, plain;
};

static struct pair binary_operators(int32_t code) {
    switch (code) {
    case TFLITE_ADD:
        return (struct pair){WEFT_OP_QNN_ADD, WEFT_OP_ADD};
    case TFLITE_SUB:
        return (struct pair){WEFT_OP_QNN_SUBTRACT, WEFT_OP_SUBTRACT};
    case TFLITE_MUL:
        return (struct pair){WEFT_OP_QNN_MUL, WEFT_OP_MUL};
    case TFLITE_MAXIMUM:
        return (struct pair){WEFT_OP_MAXIMUM, WEFT_OP_MAXIMUM};
    default:
        return (struct pair){WEFT_OP_MINIMUM, WEFT_OP_MINIMUM};
    }
}

/* int32 and int64 may bring a scale, which plain operators do not look at. */
static bool is_plain(const struct weft_type *type) {
    return type->dtype == WEFT_F32 || type->dtype == WEFT_I32 || type->dtype == WEFT_I64;
}

static struct weft_value *without_scale(struct importer *importer, struct weft_value *value) {
    struct weft_type plain = value->type;
    plain.quantization = (struct weft_quantization){0};
    return importer_relabel(importer, value, &plain);
}

bool import_binary(struct importer *importer) {
    struct pair pair = binary_operators(importer->op->code);
    struct weft_value *inputs[2] = {NULL, NULL};
    struct weft_value *value = NULL;
    struct weft_type type = {0};
    if (!importer_inputs(importer, 2, inputs) || !importer_result_type(importer, 0, &type)) {
        return false;
    }
    if (inputs[0]->type.dtype != inputs[1]->type.dtype || type.dtype != inputs[0]->type.dtype) {
        return importer_wrong_type(importer, WEFT_OPERATOR,
                                   "operands and result must have one element type");
    }
    bool plain = is_plain(&type);
    if (plain) {
        inputs[0] = without_scale(importer, inputs[0]);
        inputs[1] = without_scale(importer, inputs[1]);
        return importer_infer(importer, pair.plain, 2, inputs, 0, NULL, &value) &&
               importer_finish_activated(importer, value);
    }
    if (pair.qnn != pair.plain && (!importer_need_quantized(importer, inputs[0]) ||
                                   !importer_need_quantized(importer, inputs[1]))) {
        return false;
    }
    return importer_declare(importer, pair.qnn, 2, inputs, 0, NULL, &type, &value) &&
           importer_finish_activated(importer, value);
}

/* ---- one operand ---- */

static struct pair unary_operators(int32_t code) {
    switch (code) {
    case TFLITE_RELU:
        return (struct pair){WEFT_OP_QNN_RELU, WEFT_OP_RELU};
    case TFLITE_RELU6:
        return (struct pair){WEFT_OP_QNN_RELU6, WEFT_OP_RELU6};
    case TFLITE_RELU_N1_TO_1:
        return (struct pair){WEFT_OP_QNN_RELU_N1_TO_1, WEFT_OP_RELU_N1_TO_1};
    case TFLITE_LEAKY_RELU:
        return (struct pair){WEFT_OP_QNN_LEAKY_RELU, WEFT_OP_LEAKY_RELU};
    case TFLITE_HARD_SWISH:
        return (struct pair){WEFT_OP_QNN_HARD_SWISH, WEFT_OP_HARD_SWISH};
    case TFLITE_LOGISTIC:
        return (struct pair){WEFT_OP_QNN_LOGISTIC, WEFT_OP_LOGISTIC};
    case TFLITE_TANH:
        return (struct pair){WEFT_OP_QNN_TANH, WEFT_OP_TANH};
    case TFLITE_SOFTMAX:
        return (struct pair){WEFT_OP_QNN_SOFTMAX, WEFT_OP_SOFTMAX};
    case TFLITE_LOG_SOFTMAX:
        return (struct pair){WEFT_OP_QNN_LOG_SOFTMAX, WEFT_OP_LOG_SOFTMAX};
    default:
        return (struct pair){WEFT_OP_QNN_L2_NORMALIZE, WEFT_OP_L2_NORMALIZE};
    }
}

/* Does uint8 compute otherwise than int8? L2_NORMALIZATION does; HARD_SWISH where its 16-bit
 * result, zero point added, can wrap. */
static bool is_raw_unary(const struct importer *importer, const struct weft_type *in,
                         const struct weft_type *out) {
    return importer->op->code == TFLITE_L2_NORMALIZATION ||
           (importer->op->code == TFLITE_HARD_SWISH && in->quantization.count == 1 &&
            out->quantization.count == 1 &&
            weft_type_scale(in, 0) >= 32.0 * weft_type_scale(out, 0));
}

static bool unary_operand(struct importer *importer, struct weft_value **x,
                          struct weft_type *type) {
    if (!importer_raw_input(importer, 0, x) ||
        !importer_raw_type(importer, importer->op->outputs[0], type)) {
        return false;
    }
    return is_raw_unary(importer, &(*x)->type, type) ||
           (importer_input(importer, 0, x) && importer_result_type(importer, 0, type));
}

static bool add_unary(struct importer *importer, uint32_t attribute_count,
                      const struct weft_attribute *attributes) {
    struct pair pair = unary_operators(importer->op->code);
    struct weft_value *x = NULL;
    struct weft_value *value = NULL;
    struct weft_type type = {0};
    if (!unary_operand(importer, &x, &type)) {
        return false;
    }
    bool plain = x->type.dtype == WEFT_F32;
    if (!plain && x->type.dtype != WEFT_U8 && !importer_need_quantized(importer, x)) {
        return false;
    }
    return importer_declare(importer, plain ? pair.plain : pair.qnn, 1, &x, attribute_count,
                            attributes, &type, &value) &&
           importer_finish(importer, 0, value);
}

bool import_unary(struct importer *importer) {
    return add_unary(importer, 0, NULL);
}

bool import_leaky_relu(struct importer *importer) {
    struct weft_attribute alpha =
        weft_attr_float(WEFT_ATTR_alpha, (double)importer->op->options.alpha);
    return importer_need_options(importer, TFLITE_TABLE_LEAKY_RELU) &&
           add_unary(importer, 1, &alpha);
}

bool import_softmax(struct importer *importer) {
    struct weft_attribute beta =
        weft_attr_float(WEFT_ATTR_beta, (double)importer->op->options.beta);
    return importer_need_options(importer, TFLITE_TABLE_SOFTMAX) && add_unary(importer, 1, &beta);
}

bool import_normalize(struct importer *importer) {
    if (importer->op->options.activation != TFLITE_ACTIVATION_NONE) {
        return importer_wrong(importer, WEFT_OPERATOR, "its fused activation is not supported");
    }
    return add_unary(importer, 0, NULL);
}

/* ---- conversions ---- */

bool import_quantize(struct importer *importer) {
    struct weft_attribute rounding = weft_attr_text(WEFT_ATTR_rounding, "gemmlowp");
    struct weft_value *x = NULL;
    struct weft_value *value = NULL;
    struct weft_type type = {0};
    if (!importer_input(importer, 0, &x) || !importer_result_type(importer, 0, &type)) {
        return false;
    }
    if (type.quantization.count == 0) {
        return importer_wrong_type(importer, WEFT_MODEL, "its output must be quantised");
    }
    bool from_float = x->type.dtype == WEFT_F32;
    return importer_declare(importer, from_float ? WEFT_OP_QNN_QUANTIZE : WEFT_OP_QNN_REQUANTIZE, 1,
                            &x, from_float ? 0 : 1, &rounding, &type, &value) &&
           importer_finish(importer, 0, value);
}

/* CAST converts the bare elements: of a uint8 tensor, as the file has them. */
bool import_cast(struct importer *importer) {
    struct weft_value *x = NULL;
    struct weft_value *value = NULL;
    struct weft_type type = {0};
    return importer_raw_input(importer, 0, &x) &&
           importer_raw_type(importer, importer->op->outputs[0], &type) &&
           importer_declare(importer, WEFT_OP_CAST, 1, &x, 0, NULL, &type, &value) &&
           importer_finish(importer, 0, value);
}

/* ---- conversions of constants, which are unpacked when they are read ---- */

/* Makes the constant that is input 0 the result, whose type the file may write in packed elements
 * too. */
static bool pass_on(struct importer *importer, const struct weft_value *constant) {
    int32_t output = importer->op->outputs[0];
    struct weft_type type = {0};
    const uint8_t *data = weft_value_data(constant);
    if (data == NULL) {
        return importer_wrong(importer, WEFT_OPERATOR, "its input must be a constant");
    }
    if (!importer_file_type(importer, output, &type)) {
        return false;
    }
    if (type.dtype != constant->type.dtype || !weft_shape_equal(&type, &constant->type)) {
        return importer_wrong_type(importer, WEFT_MODEL,
                                   "its output must have the shape and elements of its input");
    }
    importer->raw[output] = weft_graph_add_constant(importer->graph, &type, data, NULL, output);
    return true;
}

bool import_densify(struct importer *importer) {
    struct weft_value *x = NULL;
    return importer_raw_input(importer, 0, &x) && pass_on(importer, x);
}

bool import_dequantize(struct importer *importer) {
    struct weft_value *x = NULL;
    struct weft_value *value = NULL;
    if (!importer_input(importer, 0, &x)) {
        return false;
    }
    if (importer->file.tensors[importer->op->inputs[0]].type == TFLITE_FLOAT16) {
        return pass_on(importer, x);
    }
    return importer_infer(importer, WEFT_OP_QNN_DEQUANTIZE, 1, &x, 0, NULL, &value) &&
           importer_finish(importer, 0, value);
}
