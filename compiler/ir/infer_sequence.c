/* Types of operators with a state. */
#include "compiler/ir/inference.h"

/* Is an operand a matrix, or with `columns` 0 a vector, of such elements? */
static bool has_shape(const struct weft_type *type, enum weft_dtype dtype, int64_t rows,
                      int64_t columns) {
    return type->dtype == dtype && type->rank == (columns > 0 ? 2 : 1) && type->dim[0] == rows &&
           (columns == 0 || type->dim[1] == columns);
}

/* Operands: rows; weights of the input, weights of the state, biases, of four gates each. */
bool infer_qnn_lstm(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    const struct weft_type *bias = inference_input(inference, 9);
    struct weft_type result = inference_declared(inference, WEFT_I8);
    int64_t cells = bias->rank == 1 ? bias->dim[0] : 0;
    int64_t bits = weft_node_int(inference->node, WEFT_ATTR_cell_bits);
    int64_t zero = weft_node_int(inference->node, WEFT_ATTR_hidden_zero);
    int64_t major = weft_node_int(inference->node, WEFT_ATTR_time_major);
    double hidden = weft_node_float(inference->node, WEFT_ATTR_hidden_scale);
    bool good = x->rank == 3 && x->dtype == WEFT_I8 && x->quantization.count == 1 &&
                result.dtype == WEFT_I8 && result.quantization.count == 1 && cells > 0 &&
                x->dim[2] > 0;
    for (uint32_t i = 0; good && i < 4; i++) {
        const struct weft_type *input = inference_input(inference, 1 + i);
        const struct weft_type *state = inference_input(inference, 5 + i);
        good = has_shape(input, WEFT_I8, cells, x->dim[2]) && input->quantization.count == 1 &&
               has_shape(state, WEFT_I8, cells, cells) && state->quantization.count == 1 &&
               input->quantization.zero[0] == 0 && state->quantization.zero[0] == 0 &&
               has_shape(inference_input(inference, 9 + i), WEFT_I32, cells, 0);
    }
    if (!good) {
        return inference_wrong_type(inference,
                                    "expected int8 rows [.., .., N], weights [C, N] and [C, C] "
                                    "without zero points and int32 biases [C]");
    }
    if (bits < 0 || bits > 6 || zero < INT8_MIN || zero > INT8_MAX || major < 0 || major > 1 ||
        !(hidden >= 0x1p-60 && hidden <= 0x1p60)) {
        return inference_wrong(inference, "cell_bits must be 0 to 6, hidden_zero an int8, "
                                          "hidden_scale 2^-60 to 2^60 and time_major 0 or 1");
    }
    inference->results[0] = inference_shaped(result, x);
    inference->results[0].dim[2] = cells;
    return true;
}
