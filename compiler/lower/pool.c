/* Pools and means. */
#include <string.h>

#include "base/multiplier.h"
#include "compiler/lower/lower.h"

const char *lower_pool(const struct lowering *lowering, const struct weft_node *node,
                       const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    const char *reason = set_shapes(lowering, node->inputs[0], output);
    memcpy(layer->kernel, weft_node_ints(node, WEFT_ATTR_kernel), sizeof layer->kernel);
    reason = reason == NULL ? set_window(lowering, node) : reason;
    if (reason != NULL) {
        return reason;
    }
    layer->average = output->type.dtype == WEFT_U8 ? AVERAGE_UINT8 : AVERAGE_INT8;
    bool max = node->op == WEFT_OP_MAX_POOL2D;
    layer->kind = max ? LAYER_MAXPOOL : LAYER_AVGPOOL;
    layer->name = max ? "max_pool2d" : "avg_pool2d";
    find_turn(layer);
    if (!max && layer->kernel[0] * layer->kernel[1] > 1024) {
        return "the multiplier of an average is proved exact for windows of up to 1024 elements";
    }
    if (max && (layer->kernel[0] > 63 || layer->kernel[1] > 63)) {
        return "a maximum pool of the machine has a window of at most 63 by 63";
    }
    return NULL;
}

/* ---- mean ---- */

/* Which of [N, H, W, C] are reduced; axes of one element do not count. */
static const char *find_window(struct layer *layer, const struct weft_node *node,
                               bool *of_channels) {
    const struct weft_attribute *axes = weft_node_attribute(node, WEFT_ATTR_axes);
    const struct weft_type *type = &node->inputs[0]->type;
    layer->kernel[0] = layer->kernel[1] = 1;
    for (uint32_t i = 0; i < axes->count; i++) {
        int64_t axis = axes->ints[i] + 4 - type->rank;
        if (type->dim[axes->ints[i]] == 1) {
            continue;
        }
        if (axis == 0) {
            return "a mean over images does not run on the machine";
        }
        *of_channels = *of_channels || axis == 3;
        if (axis != 3) {
            layer->kernel[axis - 1] = type->dim[axes->ints[i]];
        }
    }
    return *of_channels && layer->kernel[0] * layer->kernel[1] > 1
               ? "a mean over channels and anything else does not run on the machine"
               : NULL;
}

/* A mean over channels is a product with weights of 1. */
static void add_up_channels(const struct lowering *lowering) {
    struct layer *layer = lowering->layer;
    struct requant *requant = &layer->requant;
    int8_t *weights = WEFT_NEW_ARRAY(lowering->arena, (size_t)layer->in.c, int8_t);
    memset(weights, 1, (size_t)layer->in.c);
    layer->kind = LAYER_CONV;
    layer->groups = 1;
    layer->weights = weights;
    layer->bias = WEFT_NEW_ARRAY(lowering->arena, 1, int32_t);
    layer->bias[0] = (int32_t)(uint32_t)(uint64_t)(-(int64_t)layer->zero[0] * layer->in.c);
    *requant = (struct requant){.rounding = WEFT_ROUNDING_GEMMLOWP,
                                .multiplier = WEFT_NEW_ARRAY(lowering->arena, 1, int32_t),
                                .shift = WEFT_NEW_ARRAY(lowering->arena, 1, int)};
    requant->multiplier[0] = layer->mean_multiplier;
    requant->shift[0] = layer->mean_shift;
    layer->out.c = 1;
}

const char *lower_mean(const struct lowering *lowering, const struct weft_node *node,
                       const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    bool of_channels = false;
    const char *reason = set_shapes(lowering, node->inputs[0], output);
    reason = reason == NULL ? find_window(layer, node, &of_channels) : reason;
    if (reason != NULL) {
        return reason;
    }
    layer->kind = LAYER_AVGPOOL;
    layer->name = "mean";
    layer->average = AVERAGE_MEAN;
    /* Axes that are dropped stay here, with one element. */
    layer->out = (struct shape){layer->in.n, layer->in.h / layer->kernel[0],
                                layer->in.w / layer->kernel[1], layer->in.c};
    for (int i = 0; i < 2; i++) {
        layer->stride[i] = layer->dilation[i] = 1;
    }
    weft_mean_multiplier(weft_type_scale(&node->inputs[0]->type, 0) /
                             weft_type_scale(&output->type, 0),
                         of_channels ? layer->in.c : layer->kernel[0] * layer->kernel[1],
                         &layer->mean_multiplier, &layer->mean_shift);
    if (of_channels) {
        add_up_channels(lowering);
    }
    find_turn(layer);
    return NULL;
}
