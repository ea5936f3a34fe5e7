/* LSTM of int8. Its states are variables, which nothing else uses. */
#include <math.h>

#include "compiler/import/importer.h"

/* Inputs of UNIDIRECTIONAL_SEQUENCE_LSTM. */
enum {
    LSTM_WEIGHTS = 1, /* of the input, then of the state: of the input, forget, cell, output gate */
    LSTM_PEEPHOLES = 9,
    LSTM_BIASES = 12,
    LSTM_PROJECTION = 16,
    LSTM_OUTPUT_STATE = 18,
    LSTM_CELL_STATE = 19,
    LSTM_NORM = 20,
    LSTM_INPUTS = 24,
    LSTM_HIDDEN = 4, /* of the intermediate tensors: the output before a projection */
    LSTM_OPERANDS = 13,
};

/* A tensor with one scale that is only looked at. */
static const struct tflite_tensor *quantized_tensor(const struct importer *importer, int32_t tensor,
                                                    int32_t type) {
    const struct tflite_tensor *found = tensor < 0 ? NULL : &importer->file.tensors[tensor];
    bool good = found != NULL && found->type == type && found->scale_count == 1 &&
                isfinite(found->scale[0]) && found->scale[0] > 0 && found->zero_count <= 1;
    return good ? found : NULL;
}

static int64_t zero_of(const struct tflite_tensor *tensor) {
    return tensor->zero_count == 0 ? 0 : tensor->zero[0];
}

/* Parts that are not supported are left out. */
static bool check_parts(const struct importer *importer) {
    bool good = importer->op->input_count >= LSTM_NORM &&
                importer->op->options.activation == TFLITE_ACTIVATION_TANH;
    for (uint32_t i = 0; good && i < LSTM_OPERANDS; i++) {
        good =
            importer_has_input(importer, i < LSTM_PEEPHOLES ? i : LSTM_BIASES + i - LSTM_PEEPHOLES);
    }
    for (uint32_t i = LSTM_PEEPHOLES; good && i < LSTM_INPUTS; i++) {
        bool allowed = (i >= LSTM_BIASES && i < LSTM_PROJECTION) || i == LSTM_OUTPUT_STATE ||
                       i == LSTM_CELL_STATE;
        good = allowed || !importer_has_input(importer, i);
    }
    return good || importer_wrong(importer, WEFT_OPERATOR,
                                  "expected an LSTM with all gates and tanh, without peepholes, "
                                  "projection and normalisation");
}

/* cell_bits, hidden_scale, hidden_zero of the tensors that say how states are quantised, and the
 * quantisation that the result has with its state: LiteRT copies the bytes of one to the other,
 * whatever the file says of the result. */
static bool read_states(struct importer *importer, struct weft_type *result,
                        struct weft_attribute attributes[3]) {
    const struct tflite_operator *op = importer->op;
    const struct tflite_tensor *state =
        quantized_tensor(importer, op->inputs[LSTM_OUTPUT_STATE], TFLITE_INT8);
    const struct tflite_tensor *cell =
        quantized_tensor(importer, op->inputs[LSTM_CELL_STATE], TFLITE_INT16);
    const struct tflite_tensor *hidden =
        op->intermediate_count <= LSTM_HIDDEN
            ? NULL
            : quantized_tensor(importer, op->intermediates[LSTM_HIDDEN], TFLITE_INT8);
    struct weft_type kept = {0};
    int exponent = 0;
    if (state == NULL || hidden == NULL) {
        return importer_wrong(importer, WEFT_OPERATOR,
                              "expected one scale for the output state and the hidden output "
                              "(intermediate tensor 4) each");
    }
    if (cell == NULL || zero_of(cell) != 0) {
        return importer_wrong(importer, WEFT_OPERATOR,
                              "expected a cell state with one scale and the zero point 0");
    }
    if (frexpf(cell->scale[0], &exponent) != 0.5F || exponent - 1 < -15 || exponent - 1 > -9) {
        return importer_wrong(
            importer, WEFT_OPERATOR,
            weft_arena_print(importer->arena,
                             "its cell state has the scale %g, expected 2^-15, 2^-14, ... or 2^-9",
                             (double)cell->scale[0]));
    }
    if (!importer_raw_type(importer, op->inputs[LSTM_OUTPUT_STATE], &kept)) {
        return false;
    }
    result->quantization = kept.quantization;
    attributes[0] = weft_attr_int(importer->arena, WEFT_ATTR_cell_bits, exponent - 1 + 15);
    attributes[1] = weft_attr_float(WEFT_ATTR_hidden_scale, (double)hidden->scale[0]);
    attributes[2] = weft_attr_int(importer->arena, WEFT_ATTR_hidden_zero, zero_of(hidden));
    return true;
}

/* Those of an operator whose result has this type. */
static bool check_states(const struct importer *importer, const struct weft_type *result) {
    int64_t batch = result->rank == 3 ? result->dim[importer->op->options.time_major ? 1 : 0] : 0;
    int64_t elements = result->rank == 3 ? batch * result->dim[2] : 0;
    return importer_need_state(importer, LSTM_OUTPUT_STATE, TFLITE_INT8, elements) &&
           importer_need_state(importer, LSTM_CELL_STATE, TFLITE_INT16, elements);
}

static bool import_lstm_int8(struct importer *importer) {
    const struct tflite_options *options = &importer->op->options;
    struct weft_value *operands[LSTM_OPERANDS];
    struct weft_value *value = NULL;
    struct weft_type type = {0};
    struct weft_attribute attributes[5];
    if (!check_parts(importer) || !importer_result_type(importer, 0, &type) ||
        !check_states(importer, &type) || !read_states(importer, &type, attributes)) {
        return false;
    }
    for (uint32_t i = 0; i < LSTM_OPERANDS; i++) {
        uint32_t number = i < LSTM_PEEPHOLES ? i : LSTM_BIASES + i - LSTM_PEEPHOLES;
        if (!importer_input(importer, number, &operands[i])) {
            return false;
        }
    }
    if (!(options->cell_clip >= 0 && options->cell_clip <= 1e30F)) {
        return importer_wrong(importer, WEFT_MODEL, "its cell_clip must not be below 0");
    }
    attributes[3] = weft_attr_float(WEFT_ATTR_cell_clip, (double)options->cell_clip);
    attributes[4] = weft_attr_int(importer->arena, WEFT_ATTR_time_major, options->time_major);
    return importer_declare(importer, WEFT_OP_QNN_LSTM, LSTM_OPERANDS, operands, 5, attributes,
                            &type, &value) &&
           importer_finish(importer, 0, value);
}

bool import_lstm(struct importer *importer) {
    bool is_float = importer_has_input(importer, 0) &&
                    importer->file.tensors[importer->op->inputs[0]].type == TFLITE_FLOAT32;
    return importer_need_options(importer, TFLITE_TABLE_UNIDIRECTIONAL_SEQUENCE_LSTM) &&
           (is_float ? import_lstm_float(importer) : import_lstm_int8(importer));
}
