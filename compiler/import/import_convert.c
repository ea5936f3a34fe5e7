/* Conversions between element types and scales. */
#include "compiler/import/importer.h"

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
