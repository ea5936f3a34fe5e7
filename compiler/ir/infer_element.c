/* Types of operators that work element by element, or along the last axis. */
#include <math.h>
#include <string.h>

#include "base/multiplier.h"
#include "compiler/ir/inference.h"

static bool is_integer(const struct weft_type *type) {
    return type->dtype != WEFT_F32 && type->dtype != WEFT_BOOL &&
           !weft_dtype_is_storage(type->dtype);
}

/* An integer of up to 32 bits with a scale. */
static bool is_scaled(const struct weft_type *type) {
    return type->quantization.count > 0 && is_integer(type) && type->dtype != WEFT_I64;
}

/* Quantised per tensor as i8, u8, i16 or i32. */
static bool is_target(const struct weft_type *type) {
    return is_scaled(type) && type->quantization.count == 1;
}

bool infer_quantize(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    struct weft_type result = inference_declared(inference, WEFT_I8);
    if (x->dtype != WEFT_F32) {
        return inference_wrong_type(inference, "the operand must be float");
    }
    if (!is_scaled(&result)) {
        return inference_wrong_type(inference,
                                    "the result must be a quantised integer of 8 to 32 bits");
    }
    const struct weft_attribute *rounding =
        weft_node_attribute(inference->node, WEFT_ATTR_rounding);
    inference->results[0] = inference_shaped(result, x);
    return rounding == NULL || strcmp(rounding->text, "even") == 0 ||
           inference_wrong(inference, "the rounding must be even, or not said");
}

bool infer_dequantize(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    if (!is_scaled(x)) {
        return inference_wrong_type(inference,
                                    "the operand must be a quantised integer of 8 to 32 bits");
    }
    inference->results[0] = weft_type_make(WEFT_F32, x->rank, x->dim);
    return true;
}

/* A factor, if there is one, is a positive float32 that sums of int32 are multiplied by. */
static bool check_factor(const struct inference *inference, const struct weft_type *x) {
    const struct weft_attribute *factor = weft_node_attribute(inference->node, WEFT_ATTR_factor);
    bool as_float = strcmp(weft_node_text(inference->node, WEFT_ATTR_rounding), "float") == 0;
    return factor == NULL ||
           (as_float && x->quantization.count == 1 && factor->number > 0 &&
            (double)(float)factor->number == factor->number && isfinite(factor->number)) ||
           inference_wrong(inference, "a factor must be a positive number of float32, of rounding "
                                      "float and operands with one scale");
}

static bool check_rounding(const struct inference *inference, enum weft_dtype dtype) {
    const char *rounding = weft_node_text(inference->node, WEFT_ATTR_rounding);
    if (dtype == WEFT_I64) {
        return strcmp(rounding, "reduced") == 0 || strcmp(rounding, "single") == 0 ||
               inference_wrong(inference, "rounding of int64 must be reduced or single");
    }
    if (dtype == WEFT_I32) {
        return strcmp(rounding, "gemmlowp") == 0 || strcmp(rounding, "single") == 0 ||
               strcmp(rounding, "float") == 0 ||
               inference_wrong(inference, "rounding must be gemmlowp, single or float");
    }
    return strcmp(rounding, "gemmlowp") == 0 ||
           inference_wrong(inference, "rounding of 8 and 16 bits must be gemmlowp");
}

bool infer_requantize(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    struct weft_type result = inference_declared(inference, WEFT_I8);
    if (!is_integer(x) || x->quantization.count == 0 ||
        (x->quantization.count > 1 && x->quantization.axis != x->rank - 1)) {
        return inference_wrong_type(inference,
                                    "the operand must be a quantised integer, per tensor or "
                                    "along its last axis");
    }
    if (!is_target(&result)) {
        return inference_wrong_type(
            inference, "the result must be int8, uint8, int16 or int32, quantised per tensor");
    }
    inference->results[0] = inference_shaped(result, x);
    return check_rounding(inference, x->dtype) && check_factor(inference, x);
}

bool infer_cast(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    inference->results[0] = inference_shaped(inference_declared(inference, x->dtype), x);
    return true;
}

bool infer_clip(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    int64_t min = weft_node_int(inference->node, WEFT_ATTR_min);
    int64_t max = weft_node_int(inference->node, WEFT_ATTR_max);
    if (x->dtype == WEFT_F32 || min > max || min < weft_dtype_min(x->dtype) ||
        max > weft_dtype_max(x->dtype)) {
        return inference_wrong(inference, "expected integers and min <= max inside their type");
    }
    inference->results[0] = *x;
    return true;
}

/* ---- two operands ---- */

/* Shifts, if there are any, are of int16. */
static bool check_shifts(const struct inference *inference, enum weft_dtype dtype) {
    const struct weft_attribute *shifts = weft_node_attribute(inference->node, WEFT_ATTR_shifts);
    if (shifts == NULL) {
        return true;
    }
    bool good = dtype == WEFT_I16 && shifts->count == 2;
    for (uint32_t i = 0; good && i < 2; i++) {
        good = shifts->ints[i] >= 0 && shifts->ints[i] <= 31;
    }
    return good || inference_wrong(inference, "shifts must be two from 0 to 31, of int16");
}

/* The result as it is declared: of the operands' one element type, which are broadcast to it. */
static bool broadcast_elements(const struct inference *inference, struct weft_type *result) {
    const struct weft_type *a = inference_input(inference, 0);
    const struct weft_type *b = inference_input(inference, 1);
    *result = inference_declared(inference, a->dtype);
    return (a->dtype == b->dtype && a->dtype == result->dtype &&
            inference_broadcast(a, b, 0, result)) ||
           inference_wrong_type(
               inference, "operands and result must have one element type and shapes that fit");
}

bool infer_qnn_binary(const struct inference *inference) {
    struct weft_type result;
    if (!broadcast_elements(inference, &result)) {
        return false;
    }
    if (!inference_is_per_tensor(inference_input(inference, 0)) ||
        !inference_is_per_tensor(inference_input(inference, 1)) ||
        !inference_is_per_tensor(&result)) {
        return inference_wrong_type(
            inference, "operands and result must be int8, uint8 or int16, quantised per tensor");
    }
    inference->results[0] = result;
    return check_shifts(inference, result.dtype);
}

/* Rounding as float32 does, or `own` in its place, is of bytes; `other` is another operator's. */
static bool check_exact(const struct inference *inference, enum weft_attribute_key own,
                        enum weft_attribute_key other) {
    const struct weft_node *node = inference->node;
    const struct weft_attribute *rounding = weft_node_attribute(node, WEFT_ATTR_rounding);
    bool has_own = weft_node_attribute(node, own) != NULL;
    if (weft_node_attribute(node, other) != NULL) {
        return inference_wrong(inference, "a factor is of qnn.mul, corrections are of qnn.add and "
                                          "qnn.subtract");
    }
    if (rounding == NULL && !has_own) {
        return true;
    }
    if (weft_dtype_bytes(inference->results[0].dtype) != 1 || (rounding != NULL && has_own)) {
        return inference_wrong(inference, "rounding, or a factor or corrections in its place, is "
                                          "of 8-bit tensors");
    }
    return rounding == NULL || strcmp(rounding->text, "float") == 0 ||
           inference_wrong(inference, "the rounding must be float, or not said");
}

bool infer_qnn_sum(const struct inference *inference) {
    enum {
        MOST = 1 << 24
    };
    const struct weft_attribute *corrections =
        weft_node_attribute(inference->node, WEFT_ATTR_corrections);
    if (!infer_qnn_binary(inference) ||
        !check_exact(inference, WEFT_ATTR_corrections, WEFT_ATTR_factor)) {
        return false;
    }
    bool good = corrections == NULL || corrections->count == 2;
    for (uint32_t i = 0; good && corrections != NULL && i < 2; i++) {
        good = corrections->ints[i] >= -MOST && corrections->ints[i] <= MOST;
    }
    return good || inference_wrong(inference, "corrections must be two from -2^24 to 2^24");
}

void weft_node_sum_multipliers(const struct weft_node *node, int bits, int32_t multiplier[3],
                               int shift[3]) {
    const struct weft_attribute *corrections = weft_node_attribute(node, WEFT_ATTR_corrections);
    weft_sum_multipliers(weft_type_scale(&node->inputs[0]->type, 0),
                         weft_type_scale(&node->inputs[1]->type, 0),
                         weft_type_scale(&node->results[0]->type, 0), bits, multiplier, shift);
    for (int i = 0; corrections != NULL && i < 2; i++) {
        multiplier[i] = weft_corrected(multiplier[i], corrections->ints[i]);
    }
}

bool infer_qnn_mul(const struct inference *inference) {
    const struct weft_attribute *factor = weft_node_attribute(inference->node, WEFT_ATTR_factor);
    int32_t multiplier = 0;
    int shift = 0;
    return infer_qnn_binary(inference) &&
           check_exact(inference, WEFT_ATTR_factor, WEFT_ATTR_corrections) &&
           (factor == NULL || weft_once_multiplier(factor->number, &multiplier, &shift) ||
            inference_wrong(inference, "a factor must be above 0, of 31 bits"));
}

void weft_node_product_multiplier(const struct weft_node *node, int32_t *multiplier, int *shift) {
    const struct weft_attribute *factor = weft_node_attribute(node, WEFT_ATTR_factor);
    if (factor == NULL || !weft_once_multiplier(factor->number, multiplier, shift)) {
        weft_product_multiplier(weft_type_scale(&node->inputs[0]->type, 0),
                                weft_type_scale(&node->inputs[1]->type, 0),
                                weft_type_scale(&node->results[0]->type, 0), multiplier, shift);
    }
}

bool infer_binary(const struct inference *inference) {
    const struct weft_type *a = inference_input(inference, 0);
    const struct weft_type *b = inference_input(inference, 1);
    struct weft_type result = {.dtype = a->dtype};
    if (a->dtype != b->dtype || a->quantization.count > 0 || b->quantization.count > 0 ||
        (a->dtype != WEFT_F32 && a->dtype != WEFT_I32 && a->dtype != WEFT_I64)) {
        return inference_wrong_type(
            inference, "operands must be float, int32 or int64, alike and not quantised");
    }
    if (!inference_broadcast(a, b, 0, &result)) {
        return inference_wrong(inference, "the shapes of the operands do not fit");
    }
    inference->results[0] = result;
    return true;
}

bool infer_elements(const struct inference *inference) {
    struct weft_type result;
    if (!broadcast_elements(inference, &result)) {
        return false;
    }
    inference->results[0] = result;
    return true;
}

/* ---- comparisons and choices ---- */

static bool check_relation(const struct inference *inference) {
    static const char *const relations[] = {"equal",      "not_equal", "less",
                                            "less_equal", "greater",   "greater_equal"};
    const char *relation = weft_node_text(inference->node, WEFT_ATTR_relation);
    bool known = false;
    for (size_t i = 0; i < sizeof relations / sizeof relations[0]; i++) {
        known = known || strcmp(relation, relations[i]) == 0;
    }
    return known || inference_wrong(inference, "the relation must be equal, not_equal, less, "
                                               "less_equal, greater or greater_equal");
}

bool infer_compare(const struct inference *inference) {
    const struct weft_type *a = inference_input(inference, 0);
    const struct weft_type *b = inference_input(inference, 1);
    struct weft_type result = {.dtype = WEFT_BOOL};
    if (a->dtype != b->dtype || !inference_broadcast(a, b, 0, &result)) {
        return inference_wrong_type(inference,
                                    "operands must have one element type and shapes that fit");
    }
    inference->results[0] = result;
    return check_relation(inference);
}

bool infer_qnn_compare(const struct inference *inference) {
    return (inference_is_per_tensor(inference_input(inference, 0)) &&
            inference_is_per_tensor(inference_input(inference, 1)) && infer_compare(inference)) ||
           inference_wrong_type(inference,
                                "operands must be int8, uint8 or int16, alike and quantised per "
                                "tensor, with shapes that fit, and the relation a known one");
}

bool infer_select(const struct inference *inference) {
    const struct weft_type *condition = inference_input(inference, 0);
    const struct weft_type *a = inference_input(inference, 1);
    const struct weft_type *b = inference_input(inference, 2);
    struct weft_type values = inference_declared(inference, a->dtype);
    if (condition->dtype != WEFT_BOOL || a->dtype != b->dtype || a->dtype != values.dtype ||
        !inference_broadcast(a, b, 0, &values)) {
        return inference_wrong_type(inference, "expected a bool condition, and operands and a "
                                               "result of one element type and shapes that fit");
    }
    inference->results[0] = values;
    return inference_broadcast(condition, &values, 0, &inference->results[0]) ||
           inference_wrong(inference, "the shapes of condition and operands do not fit");
}

/* ---- one operand ---- */

bool infer_qnn_unary(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    struct weft_type result = inference_declared(inference, x->dtype);
    if (x->dtype != result.dtype || !inference_is_per_tensor(x) ||
        !inference_is_per_tensor(&result)) {
        return inference_wrong_type(inference,
                                    "operand and result must be int8, uint8 or int16, alike "
                                    "and quantised per tensor");
    }
    inference->results[0] = inference_shaped(result, x);
    return true;
}

static bool is_one_byte(const struct weft_type *type) {
    return (type->dtype == WEFT_I8 || type->dtype == WEFT_U8) && type->quantization.count <= 1;
}

bool infer_qnn_table(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    struct weft_type result = inference_declared(inference, x->dtype);
    const int64_t *table = weft_node_ints(inference->node, WEFT_ATTR_table);
    if (!is_one_byte(x) || !is_one_byte(&result)) {
        return inference_wrong_type(inference,
                                    "operand and result must be int8 or uint8, not along an axis");
    }
    for (int i = 0; i < 256; i++) {
        if (table[i] < weft_dtype_min(result.dtype) || table[i] > weft_dtype_max(result.dtype)) {
            return inference_wrong(inference, "the table must have values of the result's type");
        }
    }
    inference->results[0] = inference_shaped(result, x);
    return true;
}

bool infer_negate(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    struct weft_type result = inference_declared(inference, x->dtype);
    inference->results[0] = inference_shaped(result, x);
    return (x->dtype == result.dtype && x->dtype != WEFT_BOOL) ||
           inference_wrong_type(inference, "operand and result must be numbers of one type");
}

bool infer_float_unary(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    inference->results[0] = *x;
    return x->dtype == WEFT_F32 || inference_wrong_type(inference, "the operand must be float");
}

bool infer_qnn_softmax(const struct inference *inference) {
    if (inference_input(inference, 0)->rank < 1) {
        return inference_wrong_type(inference,
                                    "operand and result must be quantised per tensor and "
                                    "have a last axis");
    }
    return infer_qnn_unary(inference);
}

static bool is_vector_of(const struct weft_type *type, int64_t count) {
    return type->dtype == WEFT_F32 && type->rank == 1 && type->dim[0] == count;
}

bool infer_layer_norm(const struct inference *inference) {
    const struct weft_type *x = inference_input(inference, 0);
    double epsilon = weft_node_float(inference->node, WEFT_ATTR_epsilon);
    if (x->rank < 1 || !is_vector_of(inference_input(inference, 1), x->dim[x->rank - 1]) ||
        !is_vector_of(inference_input(inference, 2), x->dim[x->rank - 1])) {
        return inference_wrong(inference, "expected [..., C], [C] and [C] of floats");
    }
    if (!(epsilon >= 0) || epsilon > 1e30) {
        return inference_wrong(inference, "epsilon must be 0 or above");
    }
    return infer_float_unary(inference);
}

bool infer_float_softmax(const struct inference *inference) {
    return inference_input(inference, 0)->rank < 1
               ? inference_wrong(inference, "the operand must have a last axis")
               : infer_float_unary(inference);
}
