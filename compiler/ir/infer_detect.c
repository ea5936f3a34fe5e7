/* The type of the end of a detector. */
#include "compiler/ir/inference.h"

/* Is an attribute a number from 1 to this? */
static bool is_count(const struct inference *inference, enum weft_attribute_key key, int64_t most) {
    int64_t number = weft_node_int(inference->node, key);
    return number >= 1 && number <= most;
}

static bool check_shapes(const struct inference *inference) {
    const struct weft_type *boxes = inference_input(inference, 0);
    const struct weft_type *scores = inference_input(inference, 1);
    const struct weft_type *anchors = inference_input(inference, 2);
    int64_t classes = weft_node_int(inference->node, WEFT_ATTR_classes);
    return boxes->rank == 3 && boxes->dim[0] == 1 && boxes->dim[1] >= 1 && boxes->dim[2] >= 4 &&
           scores->rank == 3 && scores->dim[0] == 1 && scores->dim[1] == boxes->dim[1] &&
           anchors->rank == 2 && anchors->dim[0] == boxes->dim[1] && anchors->dim[1] == 4 &&
           classes >= 1 && (scores->dim[2] == classes || scores->dim[2] - 1 == classes);
}

static bool check_attributes(const struct inference *inference) {
    static const int64_t most = 1 << 20;
    double overlap = weft_node_float(inference->node, WEFT_ATTR_overlap_threshold);
    int64_t regular = weft_node_int(inference->node, WEFT_ATTR_regular);
    return is_count(inference, WEFT_ATTR_detections, most) &&
           is_count(inference, WEFT_ATTR_per_box, most) &&
           is_count(inference, WEFT_ATTR_per_class, INT32_MAX) && regular >= 0 && regular <= 1 &&
           overlap > 0 && overlap <= 1;
}

bool infer_detection_postprocess(const struct inference *inference) {
    const struct weft_node *node = inference->node;
    for (uint32_t i = 0; i < 3; i++) {
        if (inference_input(inference, i)->dtype != WEFT_F32) {
            return inference_wrong_type(inference, "the operands must be float");
        }
    }
    if (!check_shapes(inference)) {
        return inference_wrong(inference,
                               "expected boxes [1, N, 4 or more], scores [1, N, classes or one "
                               "more] and anchors [N, 4]");
    }
    if (!check_attributes(inference)) {
        return inference_wrong(inference,
                               "detections, per_box and per_class must be at least 1, regular 0 or "
                               "1, overlap_threshold above 0 and at most 1");
    }
    const int64_t found =
        weft_node_int(node, WEFT_ATTR_detections) * weft_node_int(node, WEFT_ATTR_per_box);
    inference->results[0] = weft_type_make(WEFT_F32, 3, (const int64_t[]){1, found, 4});
    inference->results[1] = weft_type_make(WEFT_F32, 2, (const int64_t[]){1, found});
    inference->results[2] = inference->results[1];
    inference->results[3] = weft_type_make(WEFT_F32, 1, (const int64_t[]){1});
    return true;
}
