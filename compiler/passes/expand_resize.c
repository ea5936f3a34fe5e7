/* resize_bilinear of floats becomes interpolate_axis, of rows, then of columns: for quantising, as
 * the machine has that and no sums of four. */
#include <math.h>

#include "compiler/host/nearest.h"
#include "compiler/passes/rules.h"

/* Source: TFLite's ComputeInterpolationValues(): places are those of centres or of corners. */
static struct weft_value *interpolate(struct weft_rewrite *rewrite, const struct weft_node *node,
                                      struct weft_value *x, int axis) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    struct weft_type type = x->type;
    int64_t last = type.dim[axis] - 1;
    type.dim[axis] = node->results[0]->type.dim[axis];
    size_t count = (size_t)type.dim[axis];
    double *places = WEFT_NEW_ARRAY(arena, count, double);
    struct weft_attribute attributes[WEFT_INTERPOLATION_ATTRIBUTES];
    double ratio = (double)resize_ratio(node, axis);
    double centre = weft_node_int(node, WEFT_ATTR_half_pixel_centers) != 0 ? 0.5 : 0;
    for (size_t i = 0; i < count; i++) {
        places[i] = fmin(fmax(((double)i + centre) * ratio - centre, 0), (double)last);
    }
    weft_attr_interpolation(arena, axis, (uint32_t)count, places, attributes);
    return weft_rewrite_node(rewrite, WEFT_OP_INTERPOLATE_AXIS, 1, &x,
                             WEFT_INTERPOLATION_ATTRIBUTES, attributes, &type);
}

static struct weft_value *expand(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    struct weft_value *x = node->inputs[0];
    if (x->type.dtype != WEFT_F32) {
        return NULL;
    }
    return interpolate(rewrite, node, interpolate(rewrite, node, x, 1), 2);
}

struct weft_graph *weft_pass_expand_resize(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    const struct weft_rule rule = {
        rule_unary(arena, WEFT_OP_RESIZE_BILINEAR, weft_pattern_wildcard(arena)), expand, NULL};
    return weft_rewrite(graph, 1, &rule);
}
