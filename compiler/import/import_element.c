/* Operators that work element by element or along the last axis, and conversions. */
#include "base/integer.h"
#include "base/multiplier.h"
#include "compiler/import/importer.h"

/* ---- two operands ---- */

/* The operator of the graph for quantised tensors and for plain ones. */
struct pair {
    enum weft_operator qnn, plain;
};

static const struct {
    int32_t code;
    struct pair pair;
} operators[] = {
    {TFLITE_ADD, {WEFT_OP_QNN_ADD, WEFT_OP_ADD}},
    {TFLITE_SUB, {WEFT_OP_QNN_SUBTRACT, WEFT_OP_SUBTRACT}},
    {TFLITE_MUL, {WEFT_OP_QNN_MUL, WEFT_OP_MUL}},
    {TFLITE_DIV, {WEFT_OP_QNN_DIVIDE, WEFT_OP_DIVIDE}},
    {TFLITE_SQUARED_DIFFERENCE, {WEFT_OP_QNN_SQUARED_DIFFERENCE, WEFT_OP_SQUARED_DIFFERENCE}},
    {TFLITE_PRELU, {WEFT_OP_QNN_PRELU, WEFT_OP_PRELU}},
    {TFLITE_POW, {WEFT_OP_POWER, WEFT_OP_POWER}},
    {TFLITE_FLOOR_DIV, {WEFT_OP_FLOOR_DIVIDE, WEFT_OP_FLOOR_DIVIDE}},
    {TFLITE_FLOOR_MOD, {WEFT_OP_FLOOR_MODULO, WEFT_OP_FLOOR_MODULO}},
    {TFLITE_MAXIMUM, {WEFT_OP_MAXIMUM, WEFT_OP_MAXIMUM}},
    {TFLITE_MINIMUM, {WEFT_OP_MINIMUM, WEFT_OP_MINIMUM}},
    {TFLITE_LOGICAL_OR, {WEFT_OP_MAXIMUM, WEFT_OP_MAXIMUM}},
    {TFLITE_LOGICAL_AND, {WEFT_OP_MINIMUM, WEFT_OP_MINIMUM}},

    {TFLITE_RELU, {WEFT_OP_QNN_RELU, WEFT_OP_RELU}},
    {TFLITE_RELU6, {WEFT_OP_QNN_RELU6, WEFT_OP_RELU6}},
    {TFLITE_RELU_N1_TO_1, {WEFT_OP_QNN_RELU_N1_TO_1, WEFT_OP_RELU_N1_TO_1}},
    {TFLITE_LEAKY_RELU, {WEFT_OP_QNN_LEAKY_RELU, WEFT_OP_LEAKY_RELU}},
    {TFLITE_HARD_SWISH, {WEFT_OP_QNN_HARD_SWISH, WEFT_OP_HARD_SWISH}},
    {TFLITE_LOGISTIC, {WEFT_OP_QNN_LOGISTIC, WEFT_OP_LOGISTIC}},
    {TFLITE_TANH, {WEFT_OP_QNN_TANH, WEFT_OP_TANH}},
    {TFLITE_ABS, {WEFT_OP_QNN_ABS, WEFT_OP_ABS}},
    {TFLITE_NEG, {WEFT_OP_NEGATE, WEFT_OP_NEGATE}},
    {TFLITE_SIGN, {WEFT_OP_SIGN, WEFT_OP_SIGN}},
    {TFLITE_EXP, {WEFT_OP_QNN_EXP, WEFT_OP_EXP}},
    {TFLITE_LOG, {WEFT_OP_QNN_LOG, WEFT_OP_LOG}},
    {TFLITE_SQRT, {WEFT_OP_QNN_SQRT, WEFT_OP_SQRT}},
    {TFLITE_RSQRT, {WEFT_OP_QNN_RSQRT, WEFT_OP_RSQRT}},
    {TFLITE_SQUARE, {WEFT_OP_SQUARE, WEFT_OP_SQUARE}},
    {TFLITE_SIN, {WEFT_OP_SIN, WEFT_OP_SIN}},
    {TFLITE_COS, {WEFT_OP_COS, WEFT_OP_COS}},
    {TFLITE_CEIL, {WEFT_OP_CEIL, WEFT_OP_CEIL}},
    {TFLITE_FLOOR, {WEFT_OP_FLOOR, WEFT_OP_FLOOR}},
    {TFLITE_ROUND, {WEFT_OP_ROUND, WEFT_OP_ROUND}},
    {TFLITE_ELU, {WEFT_OP_QNN_ELU, WEFT_OP_ELU}},
    {TFLITE_GELU, {WEFT_OP_QNN_GELU, WEFT_OP_GELU}},
    {TFLITE_SOFTMAX, {WEFT_OP_QNN_SOFTMAX, WEFT_OP_SOFTMAX}},
    {TFLITE_LOG_SOFTMAX, {WEFT_OP_QNN_LOG_SOFTMAX, WEFT_OP_LOG_SOFTMAX}},
    {TFLITE_L2_NORMALIZATION, {WEFT_OP_QNN_L2_NORMALIZE, WEFT_OP_L2_NORMALIZE}},
};

static struct pair operators_of(int32_t code) {
    size_t i = 0;
    while (operators[i].code != code) {
        i++;
    }
    return operators[i].pair;
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

/* Is this a sum or difference of int16 that LiteRT computes by shifts? All scales are powers of two
 * then, one of the operands' is the result's, the other is not larger. */
static bool has_shifts(const struct importer *importer, struct weft_value *const *inputs,
                       const struct weft_type *type, int64_t shifts[2]) {
    int32_t code = importer->op->code;
    int result = 0;
    if ((code != TFLITE_ADD && code != TFLITE_SUB) || type->dtype != WEFT_I16 ||
        type->quantization.count != 1 || !importer->op->options.pot_scale_int16 ||
        !weft_is_nearly_power((float)weft_type_scale(type, 0), &result)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        int operand = 0;
        if (inputs[i]->type.quantization.count != 1 || weft_type_zero(&inputs[i]->type, 0) != 0 ||
            !weft_is_nearly_power((float)weft_type_scale(&inputs[i]->type, 0), &operand)) {
            return false;
        }
        shifts[i] = result - operand;
    }
    return weft_type_zero(type, 0) == 0 && weft_min(shifts[0], shifts[1]) == 0 &&
           weft_max(shifts[0], shifts[1]) <= 31;
}

/* Slopes of int16 are int8 in the file, the graph has both alike. */
static void widen_slopes(struct importer *importer, struct weft_value *inputs[2]) {
    struct weft_type type = inputs[1]->type;
    if (importer->op->code == TFLITE_PRELU && inputs[0]->type.dtype == WEFT_I16 &&
        type.dtype == WEFT_I8 && !importer_was_uint8(importer, 1)) {
        type.dtype = WEFT_I16;
        inputs[1] = importer_add(importer, WEFT_OP_CAST, 1, &inputs[1], 0, NULL, &type);
    }
}

bool import_binary(struct importer *importer) {
    struct pair pair = operators_of(importer->op->code);
    struct weft_value *inputs[2] = {NULL, NULL};
    struct weft_value *value = NULL;
    struct weft_type type = {0};
    if (!importer_inputs(importer, 2, inputs) || !importer_result_type(importer, 0, &type)) {
        return false;
    }
    bool same = inputs[0]->type.dtype == inputs[1]->type.dtype;
    if (importer->op->code == TFLITE_PRELU && type.dtype == WEFT_I16 && same) {
        return importer_wrong_type(importer, WEFT_OPERATOR, "expected INT8 slopes of INT16");
    }
    widen_slopes(importer, inputs);
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
    int64_t numbers[2];
    bool shifted = has_shifts(importer, inputs, &type, numbers);
    struct weft_attribute shifts =
        weft_attr_ints(importer->arena, WEFT_ATTR_shifts, shifted ? 2 : 0, numbers);
    return importer_declare(importer, pair.qnn, 2, inputs, shifted ? 1 : 0, &shifts, &type,
                            &value) &&
           importer_finish_activated(importer, value);
}

/* ---- one operand ---- */

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
    struct pair pair = operators_of(importer->op->code);
    struct weft_value *x = NULL;
    struct weft_value *value = NULL;
    struct weft_type type = {0};
    if (!unary_operand(importer, &x, &type)) {
        return false;
    }
    bool plain = is_plain(&x->type) || pair.qnn == pair.plain ||
                 (importer->op->code == TFLITE_ABS && x->type.quantization.count == 0);
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

bool import_gelu(struct importer *importer) {
    struct weft_attribute approximate =
        weft_attr_int(importer->arena, WEFT_ATTR_approximate, importer->op->options.approximate);
    return importer_need_options(importer, TFLITE_TABLE_GELU) &&
           add_unary(importer, 1, &approximate);
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
