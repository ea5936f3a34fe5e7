/* The end of a detector. */
#include "compiler/host/bind.h"
#include "kernels/detect.h"

static float number_of(const struct bind *bind, enum weft_attribute_key key) {
    return (float)weft_node_float(bind->node, key);
}

bool bind_detection_postprocess(const struct bind *bind) {
    const struct weft_type *scores = bind_input(bind, 1);
    struct weft_detection_postprocess_parameters *parameters =
        bind_kernel(bind, WEFT_KERNEL_detection_postprocess, 0);
    if (parameters == NULL) {
        return false;
    }
    *parameters = (struct weft_detection_postprocess_parameters){
        .boxes = (int32_t)scores->dim[1],
        .encoding = (int32_t)bind_input(bind, 0)->dim[2],
        .columns = (int32_t)scores->dim[2],
        .classes = bind_int(bind, WEFT_ATTR_classes),
        .detections = bind_int(bind, WEFT_ATTR_detections),
        .per_box = bind_int(bind, WEFT_ATTR_per_box),
        .per_class = bind_int(bind, WEFT_ATTR_per_class),
        .regular = bind_int(bind, WEFT_ATTR_regular),
        .score_threshold = number_of(bind, WEFT_ATTR_score_threshold),
        .overlap_threshold = number_of(bind, WEFT_ATTR_overlap_threshold),
        .scale = {number_of(bind, WEFT_ATTR_y_scale), number_of(bind, WEFT_ATTR_x_scale),
                  number_of(bind, WEFT_ATTR_h_scale), number_of(bind, WEFT_ATTR_w_scale)}};
    return true;
}
