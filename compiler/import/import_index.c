/* Operators that work with indices of elements. */
#include "compiler/import/importer.h"

/* One constant number. */
static bool number_input(struct importer *importer, uint32_t input, int64_t *number) {
    uint32_t count = 0;
    return importer_integers(importer, input, 1, number, &count) &&
           (count == 1 || importer_wrong(importer, WEFT_MODEL, "expected one number"));
}

/* Inputs: x, the axis. */
bool import_cumsum(struct importer *importer) {
    const struct tflite_options *options = &importer->op->options;
    struct weft_value *x = NULL;
    struct weft_value *value = NULL;
    int64_t axis = 0;
    if (!importer_need_options(importer, TFLITE_TABLE_CUMSUM) || !importer_input(importer, 0, &x) ||
        !number_input(importer, 1, &axis) || !importer_axis(importer, axis, x->type.rank, &axis)) {
        return false;
    }
    const struct weft_attribute attributes[] = {
        weft_attr_int(importer->arena, WEFT_ATTR_axis, axis),
        weft_attr_int(importer->arena, WEFT_ATTR_exclusive, options->exclusive),
        weft_attr_int(importer->arena, WEFT_ATTR_reverse, options->reverse),
    };
    return importer_infer(importer, WEFT_OP_CUMSUM, 1, &x, 3, attributes, &value) &&
           importer_finish(importer, 0, value);
}

/* Inputs: x, how many. Outputs: elements, indices. */
bool import_topk(struct importer *importer) {
    struct weft_value *x = NULL;
    struct weft_type types[2];
    int64_t depth = 0;
    if (!importer_input(importer, 0, &x) || !number_input(importer, 1, &depth)) {
        return false;
    }
    struct weft_attribute attribute = weft_attr_int(importer->arena, WEFT_ATTR_depth, depth);
    struct weft_node *node =
        weft_graph_add_node(importer->graph, WEFT_OP_TOPK, 1, &x, 1, &attribute);
    node->source = (int32_t)importer->index;
    if (!importer_infer_node(importer, node, types) ||
        !importer_result_type(importer, 1, &types[0])) {
        return false;
    }
    types[1].dtype = types[0].dtype; /* of the indices, as the file says */
    types[0] = types[1];
    types[0].dtype = x->type.dtype;
    types[0].quantization = x->type.quantization;
    for (uint32_t i = 0; i < 2; i++) {
        if (!importer_finish(importer, i,
                             weft_node_add_result(importer->graph, node, &types[i], -1))) {
            return false;
        }
    }
    return true;
}

/* Inputs: indices, how many, the element where the index is, the other element. LiteRT copies these
 * two byte by byte, whatever their scales are, which converters choose for each by itself. */
bool import_one_hot(struct importer *importer) {
    struct weft_value *operands[3] = {NULL, NULL, NULL};
    struct weft_value *value = NULL;
    struct weft_type type = {0};
    int64_t depth = 0;
    int64_t axis = importer->op->options.axis;
    if (!importer_need_options(importer, TFLITE_TABLE_ONE_HOT) ||
        !importer_input(importer, 0, &operands[0]) || !number_input(importer, 1, &depth) ||
        !importer_input(importer, 2, &operands[1]) || !importer_input(importer, 3, &operands[2]) ||
        !importer_axis(importer, axis, operands[0]->type.rank + 1, &axis) ||
        !importer_result_type(importer, 0, &type)) {
        return false;
    }
    for (uint32_t i = 1; i < 3 && operands[1]->type.dtype == type.dtype; i++) {
        operands[i] = importer_relabel(importer, operands[i], &type);
    }
    const struct weft_attribute attributes[] = {
        weft_attr_int(importer->arena, WEFT_ATTR_axis, axis),
        weft_attr_int(importer->arena, WEFT_ATTR_depth, depth),
    };
    return importer_infer(importer, WEFT_OP_ONE_HOT, 3, operands, 2, attributes, &value) &&
           importer_finish(importer, 0, value);
}

/* Inputs: x, indices. */
bool import_gather_nd(struct importer *importer) {
    struct weft_value *operands[2] = {NULL, NULL};
    struct weft_value *value = NULL;
    return importer_inputs(importer, 2, operands) &&
           importer_infer(importer, WEFT_OP_GATHER_ND, 2, operands, 0, NULL, &value) &&
           importer_finish(importer, 0, value);
}

/* Inputs: indices, parts, the shape of the result. */
bool import_scatter_nd(struct importer *importer) {
    struct weft_value *operands[2] = {NULL, NULL};
    struct weft_value *value = NULL;
    int64_t dims[WEFT_MAX_RANK];
    uint32_t rank = 0;
    /* Zeros are those of the file's type. */
    if (!importer_raw_input(importer, 0, &operands[0]) ||
        !importer_raw_input(importer, 1, &operands[1]) ||
        !importer_integers(importer, 2, WEFT_MAX_RANK, dims, &rank)) {
        return false;
    }
    struct weft_attribute sizes = weft_attr_ints(importer->arena, WEFT_ATTR_sizes, rank, dims);
    return importer_infer(importer, WEFT_OP_SCATTER_ND, 2, operands, 1, &sizes, &value) &&
           importer_finish(importer, 0, value);
}
