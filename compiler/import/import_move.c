/* Operators that move elements: shapes, parts, joining, choosing. */
#include <string.h>

#include "base/integer.h"
#include "compiler/import/importer.h"

/* Adds a node whose type follows from x, and makes it the result. */
static bool move(struct importer *importer, enum weft_operator op, struct weft_value *x,
                 uint32_t attribute_count, const struct weft_attribute *attributes) {
    struct weft_value *value = NULL;
    return importer_infer(importer, op, 1, &x, attribute_count, attributes, &value) &&
           importer_finish(importer, 0, value);
}

/* ---- pads ---- */

/* The value that PADV2 surrounds a tensor with, one element of the tensor's type. */
static bool pad_operands(struct importer *importer, struct weft_value **operands, uint32_t *count) {
    if (!importer_input(importer, 0, &operands[0])) {
        return false;
    }
    *count = 1;
    if (importer->op->code != TFLITE_PADV2) {
        return true;
    }
    *count = 2;
    if (!importer_input(importer, 2, &operands[1])) {
        return false;
    }
    return operands[1]->type.dtype == operands[0]->type.dtype ||
           importer_wrong_type(importer, WEFT_OPERATOR,
                               "input and padding value must have one element type");
}

bool import_pad(struct importer *importer) {
    struct weft_value *operands[2] = {NULL, NULL};
    struct weft_value *value = NULL;
    int64_t pads[2 * WEFT_MAX_RANK];
    uint32_t operand_count = 0;
    uint32_t count = 0;
    if (!pad_operands(importer, operands, &operand_count) ||
        !importer_integers(importer, 1, 2 * WEFT_MAX_RANK, pads, &count)) {
        return false;
    }
    if (count != 2 * operands[0]->type.rank) {
        return importer_wrong(importer, WEFT_MODEL, "expected two pads for each dimension");
    }
    struct weft_attribute attribute = weft_attr_ints(importer->arena, WEFT_ATTR_pads, count, pads);
    return importer_infer(importer, WEFT_OP_PAD, operand_count, operands, 1, &attribute, &value) &&
           importer_finish(importer, 0, value);
}

/* ---- shapes ---- */

/* The new shape is that of the output tensor, which the file fixes. */
bool import_reshape(struct importer *importer) {
    struct weft_value *x = NULL;
    struct weft_type type = {0};
    if (!importer_input(importer, 0, &x) || !importer_result_type(importer, 0, &type)) {
        return false;
    }
    if (weft_type_elements(&type) != weft_type_elements(&x->type)) {
        return importer_wrong(importer, WEFT_MODEL,
                              "input and output have different numbers of elements");
    }
    if (x->type.quantization.count > 1) {
        return importer_wrong(importer, WEFT_OPERATOR,
                              "a tensor with several scales is not supported");
    }
    struct weft_type reshaped = weft_type_make(x->type.dtype, type.rank, type.dim);
    reshaped.quantization = x->type.quantization;
    return importer_finish(importer, 0,
                           importer_add(importer, WEFT_OP_RESHAPE, 1, &x, 0, NULL, &reshaped));
}

bool import_squeeze(struct importer *importer) {
    const struct tflite_options *options = &importer->op->options;
    struct weft_value *x = NULL;
    int64_t axes[WEFT_MAX_RANK];
    uint32_t count = 0;
    if (!importer_input(importer, 0, &x)) {
        return false;
    }
    uint32_t dropped = 0;
    for (uint32_t i = 0; i < options->axis_count; i++) {
        int64_t axis = 0;
        if (!importer_axis(importer, options->axes[i], x->type.rank, &axis)) {
            return false;
        }
        dropped |= UINT32_C(1) << axis;
    }
    for (uint32_t i = 0; i < x->type.rank; i++) {
        bool drop = options->axis_count == 0 ? x->type.dim[i] == 1 : (dropped >> i & 1) != 0;
        if (drop) {
            axes[count++] = i;
        }
    }
    struct weft_attribute attribute = weft_attr_ints(importer->arena, WEFT_ATTR_axes, count, axes);
    return move(importer, WEFT_OP_SQUEEZE, x, 1, &attribute);
}

bool import_expand_dims(struct importer *importer) {
    struct weft_value *x = NULL;
    int64_t axis = 0;
    uint32_t count = 0;
    if (!importer_input(importer, 0, &x) || !importer_integers(importer, 1, 1, &axis, &count)) {
        return false;
    }
    if (count != 1) {
        return importer_wrong(importer, WEFT_MODEL, "expected one axis");
    }
    if (!importer_axis(importer, axis, x->type.rank + 1, &axis)) {
        return false;
    }
    struct weft_attribute attribute = weft_attr_int(importer->arena, WEFT_ATTR_axis, axis);
    return move(importer, WEFT_OP_EXPAND_DIMS, x, 1, &attribute);
}

bool import_transpose(struct importer *importer) {
    struct weft_value *x = NULL;
    int64_t order[WEFT_MAX_RANK];
    uint32_t count = 0;
    if (!importer_input(importer, 0, &x) ||
        !importer_integers(importer, 1, WEFT_MAX_RANK, order, &count)) {
        return false;
    }
    if (x->type.rank == 0) {
        return importer_wrong(importer, WEFT_OPERATOR,
                              "LiteRT does not write the transpose of a tensor without axes");
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!importer_axis(importer, order[i], x->type.rank, &order[i])) {
            return false;
        }
    }
    struct weft_attribute attribute =
        weft_attr_ints(importer->arena, WEFT_ATTR_permutation, count, order);
    return move(importer, WEFT_OP_TRANSPOSE, x, 1, &attribute);
}

/* ---- joining ---- */

/* The operands of an operator that takes many; NULL when one is missing. `raw`: as the model has
 * them, uint8 stays. */
static struct weft_value **join_operands(struct importer *importer, bool raw) {
    uint32_t count = importer->op->input_count;
    if (count < 1 || count > IMPORTER_MOST_PARTS) {
        importer_wrong(importer, WEFT_MODEL, "expected 1 to 1024 inputs");
        return NULL;
    }
    struct weft_value **operands = WEFT_NEW_ARRAY(importer->arena, count, struct weft_value *);
    for (uint32_t i = 0; i < count; i++) {
        if (!(raw ? importer_raw_input(importer, i, &operands[i])
                  : importer_input(importer, i, &operands[i]))) {
            return NULL;
        }
    }
    return operands;
}

/* Do all inputs have the scale of the output? */
static bool scales_agree(struct importer *importer, bool *agree) {
    struct weft_type out = {0};
    struct weft_type in = {0};
    *agree = true;
    if (!importer_result_type(importer, 0, &out)) {
        return false;
    }
    for (uint32_t i = 0; i < importer->op->input_count; i++) {
        if (!importer_has_input(importer, i)) {
            return importer_wrong(importer, WEFT_MODEL, "an input is missing");
        }
        if (!importer_raw_type(importer, importer->op->inputs[i], &in)) {
            return false;
        }
        in = importer_computed(importer, &in);
        *agree = *agree && weft_quantization_equal(&in.quantization, &out.quantization);
    }
    return true;
}

/* Only uint8 is rescaled to the output, with float32 arithmetic on the raw values. */
bool import_concatenation(struct importer *importer) {
    const struct tflite_options *options = &importer->op->options;
    struct weft_value *value = NULL;
    struct weft_type type = {0};
    bool agree = false;
    int64_t axis = 0;
    if (!importer_need_options(importer, TFLITE_TABLE_CONCATENATION) ||
        !scales_agree(importer, &agree)) {
        return false;
    }
    bool rescale = !agree && importer->op->input_count > 0 && importer_was_uint8(importer, 0);
    struct weft_value **operands = join_operands(importer, rescale);
    if (operands == NULL ||
        !importer_axis(importer, options->axis, operands[0]->type.rank, &axis) ||
        !importer_raw_type(importer, importer->op->outputs[0], &type)) {
        return false;
    }
    if (options->activation != TFLITE_ACTIVATION_NONE) {
        return importer_wrong(importer, WEFT_OPERATOR, "its fused activation is not supported");
    }
    if (!agree && !rescale && operands[0]->type.dtype != WEFT_F32) {
        return importer_wrong(importer, WEFT_MODEL, "inputs and output must have one scale");
    }
    struct weft_attribute attribute = weft_attr_int(importer->arena, WEFT_ATTR_axis, axis);
    if (rescale) {
        return importer_declare(importer, WEFT_OP_QNN_CONCATENATE, importer->op->input_count,
                                operands, 1, &attribute, &type, &value) &&
               importer_finish(importer, 0, value);
    }
    return importer_infer(importer, WEFT_OP_CONCATENATE, importer->op->input_count, operands, 1,
                          &attribute, &value) &&
           importer_finish(importer, 0, value);
}

bool import_pack(struct importer *importer) {
    struct weft_value *value = NULL;
    int64_t axis = 0;
    if (!importer_need_options(importer, TFLITE_TABLE_PACK)) {
        return false;
    }
    struct weft_value **operands = join_operands(importer, false);
    if (operands == NULL ||
        !importer_axis(importer, importer->op->options.axis, operands[0]->type.rank + 1, &axis)) {
        return false;
    }
    struct weft_attribute attribute = weft_attr_int(importer->arena, WEFT_ATTR_axis, axis);
    return importer_infer(importer, WEFT_OP_PACK, importer->op->input_count, operands, 1,
                          &attribute, &value) &&
           importer_finish(importer, 0, value);
}

/* ---- splitting ---- */

/* A node with a result for each output of the operator, in order. */
static bool add_parts(struct importer *importer, enum weft_operator op, struct weft_value *x,
                      uint32_t attribute_count, const struct weft_attribute *attributes) {
    struct weft_node *node =
        weft_graph_add_node(importer->graph, op, 1, &x, attribute_count, attributes);
    node->source = (int32_t)importer->index;
    uint32_t count = importer->op->output_count;
    if (count > IMPORTER_MOST_PARTS || weft_node_expected_results(node) != count) {
        return importer_wrong(importer, WEFT_MODEL, "the number of its outputs is wrong");
    }
    struct weft_type *types = WEFT_NEW_ARRAY(importer->arena, count, struct weft_type);
    if (!importer_infer_node(importer, node, types)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        weft_node_add_result(importer->graph, node, &types[i], -1);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!importer_finish(importer, i, node->results[i])) {
            return false;
        }
    }
    return true;
}

/* Inputs: the axis, and what is split into equal parts. */
bool import_split(struct importer *importer) {
    struct weft_value *x = NULL;
    int64_t axis = 0;
    uint32_t count = 0;
    uint32_t parts = importer->op->output_count;
    if (!importer_integers(importer, 0, 1, &axis, &count) || !importer_input(importer, 1, &x)) {
        return false;
    }
    if (count != 1 || parts > IMPORTER_MOST_PARTS) {
        return importer_wrong(importer, WEFT_MODEL, "expected one axis, and at most 1024 outputs");
    }
    if (!importer_axis(importer, axis, x->type.rank, &axis)) {
        return false;
    }
    if (x->type.dim[axis] % parts != 0) {
        return importer_wrong(importer, WEFT_MODEL, "the axis can not be split into equal parts");
    }
    int64_t sizes[IMPORTER_MOST_PARTS];
    for (uint32_t i = 0; i < parts; i++) {
        sizes[i] = x->type.dim[axis] / parts;
    }
    struct weft_attribute attributes[] = {
        weft_attr_int(importer->arena, WEFT_ATTR_axis, axis),
        weft_attr_ints(importer->arena, WEFT_ATTR_sizes, parts, sizes),
    };
    return add_parts(importer, WEFT_OP_SPLIT, x, 2, attributes);
}

/* The one size of -1 stands for what the others leave. */
static bool fill_rest(const struct importer *importer, int64_t dim, uint32_t count,
                      int64_t *sizes) {
    int64_t sum = 0;
    int64_t *rest = NULL;
    bool good = true;
    for (uint32_t i = 0; good && i < count; i++) {
        good = sizes[i] >= 0 ? sizes[i] <= dim : sizes[i] == -1 && rest == NULL;
        rest = sizes[i] < 0 ? &sizes[i] : rest;
        sum += sizes[i] < 0 ? 0 : sizes[i];
    }
    if (!good || sum > dim) {
        return importer_wrong(importer, WEFT_MODEL, "its sizes do not add up to the axis");
    }
    if (rest != NULL) {
        *rest = dim - sum;
    }
    return true;
}

/* Inputs: what is split, sizes, the axis. */
bool import_split_v(struct importer *importer) {
    struct weft_value *x = NULL;
    int64_t sizes[IMPORTER_MOST_PARTS];
    int64_t axis = 0;
    uint32_t parts = 0;
    uint32_t count = 0;
    if (!importer_input(importer, 0, &x) ||
        !importer_integers(importer, 1, IMPORTER_MOST_PARTS, sizes, &parts) ||
        !importer_integers(importer, 2, 1, &axis, &count)) {
        return false;
    }
    if (count != 1 || parts != importer->op->output_count) {
        return importer_wrong(importer, WEFT_MODEL,
                              "expected one axis, and a size for each output");
    }
    if (!importer_axis(importer, axis, x->type.rank, &axis) ||
        !fill_rest(importer, x->type.dim[axis], parts, sizes)) {
        return false;
    }
    struct weft_attribute attributes[] = {
        weft_attr_int(importer->arena, WEFT_ATTR_axis, axis),
        weft_attr_ints(importer->arena, WEFT_ATTR_sizes, parts, sizes),
    };
    return add_parts(importer, WEFT_OP_SPLIT, x, 2, attributes);
}

bool import_unpack(struct importer *importer) {
    struct weft_value *x = NULL;
    int64_t axis = 0;
    if (!importer_need_options(importer, TFLITE_TABLE_UNPACK) || !importer_input(importer, 0, &x) ||
        !importer_axis(importer, importer->op->options.axis, x->type.rank, &axis)) {
        return false;
    }
    struct weft_attribute attribute = weft_attr_int(importer->arena, WEFT_ATTR_axis, axis);
    return add_parts(importer, WEFT_OP_UNPACK, x, 1, &attribute);
}

/* ---- choosing ---- */

/* Inputs: x, indices. */
bool import_gather(struct importer *importer) {
    const struct tflite_options *options = &importer->op->options;
    struct weft_value *operands[2] = {NULL, NULL};
    struct weft_value *value = NULL;
    int64_t axis = 0;
    if (!importer_need_options(importer, TFLITE_TABLE_GATHER) ||
        !importer_inputs(importer, 2, operands) ||
        !importer_axis(importer, options->axis, operands[0]->type.rank, &axis)) {
        return false;
    }
    if (operands[1]->type.dtype == WEFT_I16) {
        struct weft_type type = operands[1]->type;
        type.dtype = WEFT_I32;
        if (!importer_declare(importer, WEFT_OP_CAST, 1, &operands[1], 0, NULL, &type,
                              &operands[1])) {
            return false;
        }
    }
    int64_t batch = options->batch_dims;
    batch = batch < 0 ? batch + operands[1]->type.rank : batch;
    struct weft_attribute attributes[] = {
        weft_attr_int(importer->arena, WEFT_ATTR_axis, axis),
        weft_attr_int(importer->arena, WEFT_ATTR_batch_dims, batch),
    };
    return importer_infer(importer, WEFT_OP_GATHER, 2, operands, 2, attributes, &value) &&
           importer_finish(importer, 0, value);
}

bool import_resize(struct importer *importer) {
    const struct tflite_options *options = &importer->op->options;
    bool bilinear = importer->op->code == TFLITE_RESIZE_BILINEAR;
    struct weft_value *x = NULL;
    int64_t size[2] = {0, 0};
    uint32_t count = 0;
    /* Bilinear: of uint8 in float, of int8 in fixed point. */
    if (!importer_need_options(importer, bilinear ? TFLITE_TABLE_RESIZE_BILINEAR
                                                  : TFLITE_TABLE_RESIZE_NEAREST_NEIGHBOR) ||
        !(bilinear ? importer_raw_input(importer, 0, &x) : importer_input(importer, 0, &x)) ||
        !importer_integers(importer, 1, 2, size, &count)) {
        return false;
    }
    if (count != 2) {
        return importer_wrong(importer, WEFT_MODEL, "expected the size as rows and columns");
    }
    struct weft_attribute attributes[] = {
        weft_attr_ints(importer->arena, WEFT_ATTR_size, 2, size),
        weft_attr_int(importer->arena, WEFT_ATTR_align_corners, options->align_corners),
        weft_attr_int(importer->arena, WEFT_ATTR_half_pixel_centers, options->half_pixel_centers),
    };
    return move(importer, bilinear ? WEFT_OP_RESIZE_BILINEAR : WEFT_OP_RESIZE_NEAREST_NEIGHBOR, x,
                3, attributes);
}
