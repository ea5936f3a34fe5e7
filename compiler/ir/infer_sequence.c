/* Types of operators with a state. */
#include "compiler/ir/inference.h"

#include <string.h>

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

/* ---- LSTM of floats ---- */

/* The tensors of an LSTM: attribute `tensors`. */
enum {
    STATE_WEIGHTS = 4,
    PEEPHOLES = 8,
    BIASES = 11,
    PROJECTION = 15,
    PROJECTION_BIAS = 16,
    NORMS = 17,
    TENSORS = 21,
};

/* Its operands by tensor, NULL where there is none; false when `tensors` does not fit them. */
static bool list_tensors(const struct inference *inference,
                         const struct weft_type *tensors[TENSORS]) {
    const struct weft_attribute *list = weft_node_attribute(inference->node, WEFT_ATTR_tensors);
    bool good = list->count + 1 == inference->node->input_count;
    for (uint32_t i = 0; good && i < list->count; i++) {
        int64_t number = list->ints[i];
        good = number >= 0 && number < TENSORS && (i == 0 || number > list->ints[i - 1]);
        if (good) {
            tensors[number] = inference_input(inference, i + 1);
        }
    }
    return good;
}

/* Are tensors all there, or all not? Those of the input gate, which is the first, go with it. */
static bool is_complete(const struct weft_type *const *tensors, uint32_t count, bool input_gate,
                        bool wanted) {
    bool good = (tensors[0] != NULL) == (wanted && input_gate);
    for (uint32_t i = 1; good && i < count; i++) {
        good = (tensors[i] != NULL) == wanted;
    }
    return good;
}

static bool is_any_lstm(const struct weft_type *const tensors[TENSORS]) {
    bool gate = tensors[0] != NULL;
    return is_complete(tensors, 4, gate, true) &&
           is_complete(tensors + STATE_WEIGHTS, 4, gate, true) &&
           is_complete(tensors + PEEPHOLES, 3, gate, tensors[PEEPHOLES + 1] != NULL) &&
           is_complete(tensors + BIASES, 4, gate, true) &&
           is_complete(tensors + NORMS, 4, gate, tensors[NORMS + 1] != NULL) &&
           (tensors[PROJECTION] != NULL || tensors[PROJECTION_BIAS] == NULL);
}

/* Weights are of one type, everything else is float. */
static bool has_lstm_shapes(const struct weft_type *x, const struct weft_type *const *tensors,
                            enum weft_dtype weights, int64_t cells, int64_t outputs) {
    bool good = true;
    for (uint32_t i = 0; good && i < TENSORS; i++) {
        bool matrix = i < PEEPHOLES || i == PROJECTION;
        int64_t rows = i == PROJECTION || i == PROJECTION_BIAS ? outputs : cells;
        int64_t columns = i < STATE_WEIGHTS ? x->dim[2] : i < PEEPHOLES ? outputs : cells;
        good = tensors[i] == NULL ||
               (has_shape(tensors[i], matrix ? weights : WEFT_F32, rows, matrix ? columns : 0) &&
                (!matrix || weights == WEFT_F32 || tensors[i]->quantization.count == 1));
    }
    return good;
}

static bool check_activation(const struct inference *inference, bool may_be_none) {
    static const char *const names[] = {"relu", "relu_n1_to_1", "relu6", "tanh", "none"};
    const char *name = weft_node_text(inference->node, WEFT_ATTR_activation);
    bool known = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0] - (may_be_none ? 0 : 1); i++) {
        known = known || strcmp(name, names[i]) == 0;
    }
    return known || inference_wrong(inference, may_be_none ? "the activation must be none, relu, "
                                                             "relu_n1_to_1, relu6 or tanh"
                                                           : "the activation must be relu, "
                                                             "relu_n1_to_1, relu6 or tanh");
}

/* Attributes that are 0 or 1; that are not there count as 0. */
static bool is_flag(const struct weft_node *node, enum weft_attribute_key key) {
    const struct weft_attribute *attribute = weft_node_attribute(node, key);
    return attribute == NULL || (attribute->ints[0] >= 0 && attribute->ints[0] <= 1);
}

static bool is_limit(double limit) {
    return limit >= 0 && limit <= 1e30;
}

bool infer_lstm(const struct inference *inference) {
    const struct weft_node *node = inference->node;
    const struct weft_type *x = inference_input(inference, 0);
    const struct weft_type *tensors[TENSORS] = {NULL};
    enum weft_dtype weights = node->op == WEFT_OP_LSTM ? WEFT_F32 : WEFT_I8;
    if (!list_tensors(inference, tensors) || !is_any_lstm(tensors)) {
        return inference_wrong(inference, "`tensors` must name its operands, rising, and all of "
                                          "those that belong together");
    }
    const struct weft_type *state = tensors[STATE_WEIGHTS + 1];
    int64_t cells = state->rank == 2 ? state->dim[0] : 0;
    int64_t outputs = state->rank == 2 ? state->dim[1] : 0;
    if (x->rank != 3 || x->dtype != WEFT_F32 || x->dim[2] <= 0 || cells <= 0 || outputs <= 0 ||
        (tensors[PROJECTION] == NULL && cells != outputs) ||
        !has_lstm_shapes(x, tensors, weights, cells, outputs)) {
        return inference_wrong_type(inference, "expected float rows [.., .., N], weights [C, N] "
                                               "and [C, O], all alike, and float vectors [C]");
    }
    bool major = weft_node_int(node, WEFT_ATTR_time_major) != 0;
    if (!is_flag(node, WEFT_ATTR_time_major) || !is_flag(node, WEFT_ATTR_asymmetric) ||
        !is_limit(weft_node_float(node, WEFT_ATTR_cell_clip)) ||
        !is_limit(weft_node_float(node, WEFT_ATTR_projection_clip)) ||
        x->dim[major ? 1 : 0] > INT32_MAX / (cells > outputs ? cells : outputs)) {
        return inference_wrong(inference, "flags must be 0 or 1, limits 0 to 1e30, and states have "
                                          "fewer than 2^31 elements");
    }
    struct weft_type result = {.dtype = WEFT_F32};
    inference->results[0] = inference_shaped(result, x);
    inference->results[0].dim[2] = outputs;
    return check_activation(inference, false);
}

/* ---- SVDF ---- */

/* Rows, weights of features and of time, a bias that may be missing. */
static bool has_svdf_types(const struct inference *inference, const enum weft_dtype types[4]) {
    const struct weft_type *x = inference_input(inference, 0);
    const struct weft_type *feature = inference_input(inference, 1);
    const struct weft_type *time = inference_input(inference, 2);
    int64_t rank = weft_node_int(inference->node, WEFT_ATTR_rank);
    bool good = x->dtype == types[0] && x->rank == 2 && x->dim[0] > 0 && x->dim[1] > 0 &&
                feature->rank == 2 && time->rank == 2 && feature->dim[0] > 0 && time->dim[1] > 0 &&
                has_shape(feature, types[1], feature->dim[0], x->dim[1]) &&
                has_shape(time, types[2], feature->dim[0], time->dim[1]) && rank > 0 &&
                feature->dim[0] % rank == 0;
    if (good && inference->node->input_count > 3) {
        good = has_shape(inference_input(inference, 3), types[3], feature->dim[0] / rank, 0);
    }
    return good && (types[1] == WEFT_F32 || feature->quantization.count == 1);
}

static bool has_svdf_scales(const struct inference *inference, const struct weft_type *result) {
    bool good = inference_is_per_tensor(inference_input(inference, 0)) &&
                inference_input(inference, 2)->quantization.count == 1 &&
                result->dtype == WEFT_I8 && inference_is_per_tensor(result);
    double scale = weft_node_float(inference->node, WEFT_ATTR_state_scale);
    return good && scale >= 0x1p-60 && scale <= 0x1p60;
}

bool infer_svdf(const struct inference *inference) {
    static const enum weft_dtype types[][4] = {{WEFT_I8, WEFT_I8, WEFT_I16, WEFT_I32},
                                               {WEFT_F32, WEFT_F32, WEFT_F32, WEFT_F32},
                                               {WEFT_F32, WEFT_I8, WEFT_F32, WEFT_F32}};
    const struct weft_node *node = inference->node;
    const struct weft_type *x = inference_input(inference, 0);
    bool quantized = node->op == WEFT_OP_QNN_SVDF;
    struct weft_type result = {.dtype = WEFT_F32};
    if (quantized) {
        result = inference_declared(inference, WEFT_I8);
    }
    if (!has_svdf_types(inference, types[quantized                  ? 0
                                         : node->op == WEFT_OP_SVDF ? 1
                                                                    : 2]) ||
        (quantized && !has_svdf_scales(inference, &result))) {
        return inference_wrong_type(inference,
                                    "expected rows [.., N], weights [F, N] and [F, M], a bias "
                                    "[F / rank], of the types and scales of its kind");
    }
    int64_t units = inference_input(inference, 1)->dim[0] / weft_node_int(node, WEFT_ATTR_rank);
    int64_t memory = weft_type_elements(inference_input(inference, 2));
    if (!is_flag(node, WEFT_ATTR_asymmetric) || memory > INT32_MAX / x->dim[0]) {
        return inference_wrong(inference,
                               "asymmetric must be 0 or 1, and the state have fewer than "
                               "2^31 elements");
    }
    result.rank = 2;
    result.dim[0] = x->dim[0];
    result.dim[1] = units;
    inference->results[0] = result;
    return quantized || check_activation(inference, true);
}
