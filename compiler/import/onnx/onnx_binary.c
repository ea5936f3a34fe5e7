/* Operators on two and more operands, element by element. */
#include <string.h>

#include "compiler/import/onnx/onnx_importer.h"

static bool is_named(const struct onnx_importer *importer, const char *name) {
    return strcmp(importer->node->op_type, name) == 0;
}

bool onnx_arithmetic(struct onnx_importer *importer) {
    enum weft_operator op = is_named(importer, "Add")   ? WEFT_OP_ADD
                            : is_named(importer, "Sub") ? WEFT_OP_SUBTRACT
                            : is_named(importer, "Mul") ? WEFT_OP_MUL
                                                        : WEFT_OP_DIVIDE;
    struct weft_value *a = onnx_computed_input(importer, 0);
    struct weft_value *b = onnx_computed_input(importer, 1);
    return onnx_finish_like(importer, onnx_binary(importer, op, a, b));
}

/* Of integers it has the sign of the divisor, and with fmod, as in C, that of the dividend. */
bool onnx_modulo(struct onnx_importer *importer) {
    struct weft_value *a = onnx_computed_input(importer, 0);
    struct weft_value *b = onnx_computed_input(importer, 1);
    if (onnx_int(importer, "fmod", 0) == 0) {
        return onnx_finish_like(importer, onnx_binary(importer, WEFT_OP_FLOOR_MODULO, a, b));
    }
    struct weft_value *size = onnx_unary(importer, WEFT_OP_ABS, a);
    struct weft_value *rest =
        onnx_binary(importer, WEFT_OP_FLOOR_MODULO, size, onnx_unary(importer, WEFT_OP_ABS, b));
    struct weft_value *sign = onnx_unary(importer, WEFT_OP_SIGN, a);
    return onnx_finish_like(importer, onnx_binary(importer, WEFT_OP_MUL, rest, sign));
}

/* The result has the type of the base; integers to a power of a float are computed as floats. */
bool onnx_pow(struct onnx_importer *importer) {
    struct weft_value *base = onnx_computed_input(importer, 0);
    struct weft_value *exponent = onnx_computed_input(importer, 1);
    if (base == NULL || exponent == NULL) {
        return false;
    }
    if (base->type.dtype != exponent->type.dtype || base->type.dtype != WEFT_I32) {
        base = onnx_cast(importer, base, WEFT_F32);
        exponent = onnx_cast(importer, exponent, WEFT_F32);
    }
    return onnx_finish_like(importer, onnx_binary(importer, WEFT_OP_POWER, base, exponent));
}

/* One operand after the other. */
bool onnx_variadic(struct onnx_importer *importer) {
    enum weft_operator op = is_named(importer, "Max")   ? WEFT_OP_MAXIMUM
                            : is_named(importer, "Min") ? WEFT_OP_MINIMUM
                                                        : WEFT_OP_ADD;
    struct weft_value *sum = onnx_computed_input(importer, 0);
    for (uint32_t i = 1; sum != NULL && i < importer->node->n_input; i++) {
        sum = onnx_binary(importer, op, sum, onnx_computed_input(importer, i));
    }
    if (is_named(importer, "Mean") && importer->node->n_input > 1) {
        sum = onnx_binary(importer, WEFT_OP_DIVIDE, sum,
                          onnx_scalar(importer, (float)importer->node->n_input));
    }
    return onnx_finish_like(importer, sum);
}

bool onnx_logic(struct onnx_importer *importer) {
    struct weft_value *a = onnx_input(importer, 0);
    struct weft_value *b = onnx_input(importer, 1);
    if (is_named(importer, "Xor")) {
        return onnx_finish(importer, onnx_compare(importer, "not_equal", a, b));
    }
    enum weft_operator op = is_named(importer, "And") ? WEFT_OP_MINIMUM : WEFT_OP_MAXIMUM;
    return onnx_finish(importer, onnx_binary(importer, op, a, b));
}

bool onnx_relation(struct onnx_importer *importer) {
    const char *relation = is_named(importer, "Equal")            ? "equal"
                           : is_named(importer, "Greater")        ? "greater"
                           : is_named(importer, "GreaterOrEqual") ? "greater_equal"
                           : is_named(importer, "Less")           ? "less"
                                                                  : "less_equal";
    struct weft_value *a = onnx_computed_input(importer, 0);
    struct weft_value *b = onnx_computed_input(importer, 1);
    return onnx_finish(importer, onnx_compare(importer, relation, a, b));
}

bool onnx_where(struct onnx_importer *importer) {
    struct weft_value *condition = onnx_input(importer, 0);
    struct weft_value *a = onnx_plain(importer, onnx_input(importer, 1));
    struct weft_value *b = onnx_plain(importer, onnx_input(importer, 2));
    return onnx_finish(importer, onnx_select(importer, condition, a, b));
}
