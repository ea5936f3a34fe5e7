/* LSTM of floats, and SVDF. Their states are variables, which nothing else uses. */
#include "compiler/import/importer.h"

/* The activation of cells, or of results; NULL: it is not supported. */
static const char *activation_name(const struct importer *importer) {
    switch (importer->op->options.activation) {
    case TFLITE_ACTIVATION_NONE:
        return "none";
    case TFLITE_ACTIVATION_RELU:
        return "relu";
    case TFLITE_ACTIVATION_RELU_N1_TO_1:
        return "relu_n1_to_1";
    case TFLITE_ACTIVATION_RELU6:
        return "relu6";
    case TFLITE_ACTIVATION_TANH:
        return "tanh";
    default:
        return NULL;
    }
}

/* ---- LSTM ---- */

/* Inputs of UNIDIRECTIONAL_SEQUENCE_LSTM: rows, then the graph's tensors with two states among
 * them. */
enum {
    LSTM_OUTPUT_STATE = 18,
    LSTM_CELL_STATE = 19,
    LSTM_SHORT = 20, /* inputs of one without normalisation */
    LSTM_INPUTS = 24,
    LSTM_TENSORS = 21,
    LSTM_FORGET_STATE_WEIGHTS = 6,
    LSTM_PEEPHOLES = 9,
    LSTM_PEEPHOLES_END = 12,
};

/* The operands that are there, behind the rows, and which they are. */
static bool list_operands(struct importer *importer, struct weft_value *operands[LSTM_TENSORS + 1],
                          int64_t tensors[LSTM_TENSORS], uint32_t *count) {
    for (uint32_t i = 0; i < LSTM_INPUTS; i++) {
        if (i == LSTM_OUTPUT_STATE || i == LSTM_CELL_STATE ||
            (i > 0 && !importer_has_input(importer, i))) {
            continue;
        }
        struct weft_value **operand = &operands[*count];
        if (!importer_input(importer, i, operand)) {
            return false;
        }
        bool peephole = i >= LSTM_PEEPHOLES && i < LSTM_PEEPHOLES_END;
        if (peephole && (*operand)->type.dtype == WEFT_I8 &&
            !importer_infer(importer, WEFT_OP_QNN_DEQUANTIZE, 1, operand, 0, NULL, operand)) {
            return false;
        }
        if (i > 0) {
            tensors[*count - 1] = i < LSTM_OUTPUT_STATE ? i - 1 : i - 3;
        }
        *count += 1;
    }
    return true;
}

/* Weights of uint8 would have become int8; peepholes are of the weights' type. */
static bool check_weights(const struct importer *importer) {
    const struct tflite_file *file = &importer->file;
    const int32_t *inputs = importer->op->inputs;
    bool good = importer_has_input(importer, LSTM_FORGET_STATE_WEIGHTS);
    int32_t type = good ? file->tensors[inputs[LSTM_FORGET_STATE_WEIGHTS]].type : 0;
    for (uint32_t i = 1; good && i < importer->op->input_count; i++) {
        bool peephole = i >= LSTM_PEEPHOLES && i < LSTM_PEEPHOLES_END;
        const struct tflite_tensor *tensor = inputs[i] < 0 ? NULL : &file->tensors[inputs[i]];
        good = tensor == NULL ||
               (!importer_was_uint8(importer, i) && tensor->scale_count <= 1 &&
                (!peephole ||
                 (tensor->type == type && (tensor->zero_count == 0 || tensor->zero[0] == 0))));
    }
    return good || importer_wrong_type(importer, WEFT_OPERATOR,
                                       "expected FLOAT32 weights and peepholes, or INT8 with one "
                                       "scale each");
}

static bool check_lstm_states(struct importer *importer, const struct weft_type *x) {
    struct weft_value *weights = NULL;
    if (!importer_input(importer, LSTM_FORGET_STATE_WEIGHTS, &weights)) {
        return false;
    }
    if (weights->type.rank != 2 || x->rank != 3) {
        return importer_wrong(importer, WEFT_OPERATOR,
                              "expected rows of rank 3, and weights of its state of rank 2");
    }
    int64_t batch = x->dim[importer->op->options.time_major ? 1 : 0];
    return importer_need_state(importer, LSTM_OUTPUT_STATE, TFLITE_FLOAT32,
                               batch * weights->type.dim[1]) &&
           importer_need_state(importer, LSTM_CELL_STATE, TFLITE_FLOAT32,
                               batch * weights->type.dim[0]);
}

static bool check_lstm_options(const struct importer *importer) {
    const struct tflite_options *options = &importer->op->options;
    if (importer->op->input_count != LSTM_SHORT && importer->op->input_count != LSTM_INPUTS) {
        return importer_wrong(importer, WEFT_MODEL, "expected 20 or 24 inputs");
    }
    if (!(options->cell_clip >= 0 && options->cell_clip <= 1e30F) ||
        !(options->projection_clip >= 0 && options->projection_clip <= 1e30F)) {
        return importer_wrong(importer, WEFT_MODEL, "its clips must be 0 to 1e30");
    }
    return (activation_name(importer) != NULL && options->activation != TFLITE_ACTIVATION_NONE) ||
           importer_wrong(importer, WEFT_OPERATOR,
                          "expected activation TANH, RELU, RELU_N1_TO_1 or RELU6");
}

bool import_lstm_float(struct importer *importer) {
    const struct tflite_options *options = &importer->op->options;
    struct weft_value *operands[LSTM_TENSORS + 1] = {NULL};
    struct weft_value *value = NULL;
    int64_t tensors[LSTM_TENSORS];
    uint32_t count = 0;
    if (!check_lstm_options(importer) || !check_weights(importer) ||
        !list_operands(importer, operands, tensors, &count) ||
        !check_lstm_states(importer, &operands[0]->type)) {
        return false;
    }
    bool hybrid = count > 1 && operands[1]->type.dtype == WEFT_I8;
    struct weft_attribute attributes[] = {
        weft_attr_int(importer->arena, WEFT_ATTR_time_major, options->time_major),
        weft_attr_ints(importer->arena, WEFT_ATTR_tensors, count - 1, tensors),
        weft_attr_text(WEFT_ATTR_activation, activation_name(importer)),
        weft_attr_float(WEFT_ATTR_cell_clip, (double)options->cell_clip),
        weft_attr_float(WEFT_ATTR_projection_clip, (double)options->projection_clip),
        weft_attr_int(importer->arena, WEFT_ATTR_asymmetric, options->asymmetric_inputs),
    };
    return importer_infer(importer, hybrid ? WEFT_OP_HYBRID_LSTM : WEFT_OP_LSTM, count, operands,
                          hybrid ? 6 : 5, attributes, &value) &&
           importer_finish(importer, 0, value);
}

/* ---- SVDF ---- */

/* Inputs: rows, weights of features, weights of time, a bias that may be missing, the state. */
enum {
    SVDF_BIAS = 3,
    SVDF_STATE = 4,
    SVDF_INPUTS = 5,
};

static bool check_svdf(const struct importer *importer, struct weft_value *const operands[3]) {
    const struct weft_type *x = &operands[0]->type;
    const struct weft_type *feature = &operands[1]->type;
    const struct weft_type *time = &operands[2]->type;
    bool good = x->rank == 2 && feature->rank == 2 && time->rank == 2 && feature->dim[0] > 0 &&
                importer->op->options.rank > 0 && !importer_was_uint8(importer, 1) &&
                !importer_was_uint8(importer, 2);
    if (!good) {
        return importer_wrong(
            importer, WEFT_OPERATOR,
            "expected rows and weights of rank 2, its rank above 0, and no UINT8");
    }
    return importer_need_state(importer, SVDF_STATE,
                               x->dtype == WEFT_F32 ? TFLITE_FLOAT32 : TFLITE_INT16,
                               x->dim[0] * weft_type_elements(time));
}

static bool add_float_svdf(struct importer *importer, uint32_t count,
                           struct weft_value *operands[4]) {
    const struct tflite_options *options = &importer->op->options;
    bool hybrid = operands[1]->type.dtype == WEFT_I8;
    struct weft_value *value = NULL;
    if (activation_name(importer) == NULL) {
        return importer_wrong(importer, WEFT_OPERATOR,
                              "expected activation NONE, TANH, RELU, RELU_N1_TO_1 or RELU6");
    }
    if (hybrid &&
        (operands[2]->type.dtype != WEFT_I8 || operands[1]->type.quantization.count != 1 ||
         operands[2]->type.quantization.count != 1 || weft_type_zero(&operands[2]->type, 0) != 0)) {
        return importer_wrong_type(importer, WEFT_OPERATOR,
                                   "expected INT8 weights with one scale and without zero points");
    }
    if (hybrid &&
        !importer_infer(importer, WEFT_OP_QNN_DEQUANTIZE, 1, &operands[2], 0, NULL, &operands[2])) {
        return false;
    }
    const struct weft_attribute attributes[] = {
        weft_attr_int(importer->arena, WEFT_ATTR_rank, options->rank),
        weft_attr_text(WEFT_ATTR_activation, activation_name(importer)),
        weft_attr_int(importer->arena, WEFT_ATTR_asymmetric, options->asymmetric_inputs),
    };
    return importer_infer(importer, hybrid ? WEFT_OP_HYBRID_SVDF : WEFT_OP_SVDF, count, operands,
                          hybrid ? 3 : 2, attributes, &value) &&
           importer_finish(importer, 0, value);
}

/* The reference wants RELU, and limits to the type alone. */
static bool add_integer_svdf(struct importer *importer, uint32_t count,
                             struct weft_value *operands[4]) {
    const struct tflite_tensor *state = &importer->file.tensors[importer->op->inputs[SVDF_STATE]];
    struct weft_value *value = NULL;
    struct weft_type type = {0};
    if (importer->op->options.activation != TFLITE_ACTIVATION_RELU) {
        return importer_wrong(importer, WEFT_OPERATOR, "expected activation RELU");
    }
    if (state->scale_count != 1 || (state->zero_count > 0 && state->zero[0] != 0)) {
        return importer_wrong(importer, WEFT_OPERATOR,
                              "expected a state with one scale and without a zero point");
    }
    const struct weft_attribute attributes[] = {
        weft_attr_int(importer->arena, WEFT_ATTR_rank, importer->op->options.rank),
        weft_attr_float(WEFT_ATTR_state_scale, (double)state->scale[0]),
    };
    return importer_result_type(importer, 0, &type) &&
           importer_declare(importer, WEFT_OP_QNN_SVDF, count, operands, 2, attributes, &type,
                            &value) &&
           importer_finish(importer, 0, value);
}

bool import_svdf(struct importer *importer) {
    struct weft_value *operands[4] = {NULL};
    uint32_t count = importer_has_input(importer, SVDF_BIAS) ? 4 : 3;
    if (!importer_need_options(importer, TFLITE_TABLE_SVDF) ||
        !importer_inputs(importer, count, operands)) {
        return false;
    }
    if (importer->op->input_count != SVDF_INPUTS) {
        return importer_wrong(importer, WEFT_MODEL, "expected 5 inputs");
    }
    return check_svdf(importer, operands) &&
           (operands[0]->type.dtype == WEFT_F32 ? add_float_svdf(importer, count, operands)
                                                : add_integer_svdf(importer, count, operands));
}
