/* Comparisons, and choices by their results. */
#include <string.h>

#include "compiler/import/importer.h"

/* ---- comparisons ---- */

static const char *relation_of(int32_t code) {
    switch (code) {
    case TFLITE_NOT_EQUAL:
        return "not_equal";
    case TFLITE_LESS:
        return "less";
    case TFLITE_LESS_EQUAL:
        return "less_equal";
    case TFLITE_GREATER:
        return "greater";
    case TFLITE_GREATER_EQUAL:
        return "greater_equal";
    default:
        return "equal";
    }
}

/* Do elements of this type count as numbers with a scale? int16 ones do in EQUAL and NOT_EQUAL
 * alone, and only if they have one. */
static bool looks_at_scales(const struct importer *importer, const struct weft_type *type) {
    bool equality = importer->op->code == TFLITE_EQUAL || importer->op->code == TFLITE_NOT_EQUAL;
    return type->dtype == WEFT_I8 || type->dtype == WEFT_U8 ||
           (type->dtype == WEFT_I16 && equality && type->quantization.count > 0);
}

static bool add_comparison(struct importer *importer, struct weft_value *const inputs[2],
                           const char *text, bool scales) {
    struct weft_value *value = NULL;
    struct weft_attribute relation = weft_attr_text(WEFT_ATTR_relation, text);
    return importer_infer(importer, scales ? WEFT_OP_QNN_COMPARE : WEFT_OP_COMPARE, 2, inputs, 1,
                          &relation, &value) &&
           importer_finish(importer, 0, value);
}

bool import_compare(struct importer *importer) {
    struct weft_value *inputs[2] = {NULL, NULL};
    if (!importer_inputs(importer, 2, inputs)) {
        return false;
    }
    bool scales = looks_at_scales(importer, &inputs[0]->type);
    return (!scales || (importer_need_quantized(importer, inputs[0]) &&
                        importer_need_quantized(importer, inputs[1]))) &&
           add_comparison(importer, inputs, relation_of(importer->op->code), scales);
}

/* Equal to false. */
bool import_logical_not(struct importer *importer) {
    static const uint8_t no = 0;
    const struct weft_type type = {.dtype = WEFT_BOOL};
    struct weft_value *inputs[2] = {NULL, NULL};
    if (!importer_input(importer, 0, &inputs[0])) {
        return false;
    }
    inputs[1] = weft_graph_add_constant(importer->graph, &type, &no, NULL, -1);
    return add_comparison(importer, inputs, "equal", false);
}

/* ---- choices ---- */

/* SELECT takes a condition for each element of the first axis, too. */
static struct weft_value *condition_of_rows(struct importer *importer, struct weft_value *condition,
                                            const struct weft_type *x) {
    int64_t dims[WEFT_MAX_RANK];
    if (importer->op->code != TFLITE_SELECT || condition->type.rank != 1 || x->rank < 2) {
        return condition;
    }
    for (uint32_t i = 0; i < x->rank; i++) {
        dims[i] = i == 0 ? condition->type.dim[0] : 1;
    }
    return importer_reshape(importer, condition, x->rank, dims);
}

/* The type of the result. LiteRT makes a scalar of one element, whatever the ranks of its operands.
 */
static struct weft_type chosen_type(struct weft_value *const inputs[3],
                                    const struct weft_type *result) {
    struct weft_type type = *result;
    for (uint32_t i = 0; weft_type_elements(result) == 1 && i < 3; i++) {
        if (inputs[i]->type.rank > type.rank) {
            type.rank = inputs[i]->type.rank;
            memcpy(type.dim, inputs[i]->type.dim, sizeof type.dim);
        }
    }
    return type;
}

/* Inputs: the condition, elements where it is true, elements where it is not. */
bool import_select(struct importer *importer) {
    struct weft_value *inputs[3] = {NULL, NULL, NULL};
    struct weft_value *value = NULL;
    struct weft_type type = {0};
    if (!importer_inputs(importer, 3, inputs) || !importer_result_type(importer, 0, &type)) {
        return false;
    }
    inputs[0] = condition_of_rows(importer, inputs[0], &inputs[1]->type);
    const struct weft_type chosen = chosen_type(inputs, &type);
    return importer_declare(importer, WEFT_OP_SELECT, 3, inputs, 0, NULL, &chosen, &value) &&
           importer_finish(importer, 0, importer_reshape(importer, value, type.rank, type.dim));
}
