#include "compiler/host/nearest.h"

#include <math.h>

#include "base/integer.h"

static bool is_set(const struct weft_node *node, enum weft_attribute_key key) {
    return weft_node_int(node, key) != 0;
}

bool resize_has_corners(const struct weft_node *node, int axis) {
    return is_set(node, WEFT_ATTR_align_corners) && node->results[0]->type.dim[axis] > 1;
}

float resize_ratio(const struct weft_node *node, int axis) {
    int64_t in = node->inputs[0]->type.dim[axis];
    int64_t out = node->results[0]->type.dim[axis];
    return resize_has_corners(node, axis) ? (float)(in - 1) / (float)(out - 1)
                                          : (float)in / (float)out;
}

/* Source: TFLite's GetNearestNeighbor(). */
int64_t weft_host_nearest(const struct weft_node *node, int axis, int64_t position) {
    bool centers = is_set(node, WEFT_ATTR_half_pixel_centers);
    float place = ((float)position + (centers ? 0.5F : 0.0F)) * resize_ratio(node, axis);
    float rounded = is_set(node, WEFT_ATTR_align_corners) ? roundf(place) : floorf(place);
    return weft_clamp((int64_t)rounded, 0, node->inputs[0]->type.dim[axis] - 1);
}
