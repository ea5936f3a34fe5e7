/* Operators that are not in the schema: the end of a detector. */
#include <math.h>
#include <string.h>

#include "compiler/import/flexbuffer.h"
#include "compiler/import/importer.h"

/* What the options say, each at the place of its attribute. */
struct option {
    const char *name;
    enum weft_attribute_key key;
    bool is_float;
    bool is_needed;
    double otherwise;
};

static const struct option options[] = {
    {"max_detections", WEFT_ATTR_detections, false, true, 0},
    {"max_classes_per_detection", WEFT_ATTR_per_box, false, true, 0},
    {"num_classes", WEFT_ATTR_classes, false, true, 0},
    {"detections_per_class", WEFT_ATTR_per_class, false, false, 100},
    {"use_regular_nms", WEFT_ATTR_regular, false, false, 0},
    {"nms_score_threshold", WEFT_ATTR_score_threshold, true, true, 0},
    {"nms_iou_threshold", WEFT_ATTR_overlap_threshold, true, true, 0},
    {"y_scale", WEFT_ATTR_y_scale, true, true, 0},
    {"x_scale", WEFT_ATTR_x_scale, true, true, 0},
    {"h_scale", WEFT_ATTR_h_scale, true, true, 0},
    {"w_scale", WEFT_ATTR_w_scale, true, true, 0},
};

enum {
    OPTIONS = sizeof options / sizeof options[0]
};

static bool read_options(struct importer *importer, struct weft_attribute attributes[OPTIONS]) {
    const struct flexbuffer buffer = {importer->op->custom, importer->op->custom_length};
    for (size_t i = 0; i < OPTIONS; i++) {
        const struct option *option = &options[i];
        double number = option->otherwise;
        bool found = flexbuffer_number(&buffer, option->name, &number);
        if ((!found && option->is_needed) || !(fabs(number) <= (option->is_float ? 1e30 : 1e9)) ||
            (!option->is_float && number != floor(number))) {
            return importer_wrong(importer, WEFT_MODEL,
                                  weft_arena_print(importer->arena,
                                                   "its option %s is missing or out of range",
                                                   option->name));
        }
        attributes[i] = option->is_float
                            ? weft_attr_float(option->key, (double)(float)number)
                            : weft_attr_int(importer->arena, option->key, (int64_t)number);
    }
    return true;
}

/* An operand as float: the reference takes quantised bytes, too, and scales them itself. */
static bool float_input(struct importer *importer, uint32_t number, struct weft_value **value) {
    if (!importer_raw_input(importer, number, value)) {
        return false;
    }
    if ((*value)->type.dtype == WEFT_U8 && (*value)->type.quantization.count == 1) {
        return importer_infer(importer, WEFT_OP_QNN_DEQUANTIZE, 1, value, 0, NULL, value);
    }
    return true;
}

/* Inputs: boxes, scores, anchors. Outputs: boxes, classes, scores, how many boxes. */
static bool import_detection(struct importer *importer) {
    struct weft_value *operands[3] = {NULL, NULL, NULL};
    struct weft_attribute attributes[OPTIONS];
    struct weft_type types[4];
    for (uint32_t i = 0; i < 3; i++) {
        if (!float_input(importer, i, &operands[i])) {
            return false;
        }
    }
    if (!read_options(importer, attributes)) {
        return false;
    }
    struct weft_node *node = weft_graph_add_node(importer->graph, WEFT_OP_DETECTION_POSTPROCESS, 3,
                                                 operands, OPTIONS, attributes);
    node->source = (int32_t)importer->index;
    if (importer->op->output_count != 4) {
        return importer_wrong(importer, WEFT_MODEL, "expected 4 outputs");
    }
    if (!importer_infer_node(importer, node, types)) {
        return false;
    }
    for (uint32_t i = 0; i < 4; i++) {
        if (!importer_finish(importer, i,
                             weft_node_add_result(importer->graph, node, &types[i], -1))) {
            return false;
        }
    }
    return true;
}

bool import_custom(struct importer *importer) {
    return strcmp(importer->op->name, "TFLite_Detection_PostProcess") == 0
               ? import_detection(importer)
               : importer_wrong(importer, WEFT_OPERATOR, "this operator is not supported");
}
