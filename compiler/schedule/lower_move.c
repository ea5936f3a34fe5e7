/* Moving elements. */
#include <string.h>

#include "compiler/host/host.h"
#include "compiler/schedule/lower.h"

/* ---- pad ---- */

/* Channels are padded by a convolution with weights of 0 and 1: lanes move, bytes stay. */
static const char *pad_channels(const struct lowering *lowering, int64_t before, int32_t value) {
    enum {
        MOST = 1 << 24 /* weights */
    };
    struct layer *layer = lowering->layer;
    if (layer->out.c > MOST / layer->in.c) {
        return "channels are padded by a product with a square of weights, which would be too "
               "large";
    }
    int8_t *weights = WEFT_NEW_ARRAY(lowering->arena, (size_t)(layer->out.c * layer->in.c), int8_t);
    layer->bias = WEFT_NEW_ARRAY(lowering->arena, (size_t)layer->out.c, int32_t);
    for (int64_t o = 0; o < layer->out.c; o++) {
        bool inside = o >= before && o < before + layer->in.c;
        layer->bias[o] = inside ? 0 : value;
        if (inside) {
            weights[o * layer->in.c + o - before] = 1;
        }
    }
    layer->kind = LAYER_CONV;
    layer->groups = 1;
    layer->weights = weights;
    layer->out_zero = 0;
    for (int i = 0; i < 2; i++) {
        layer->kernel[i] = layer->stride[i] = layer->dilation[i] = 1;
    }
    double scale = 1.0;
    (void)requant_find(lowering->arena, false, 1, &scale, 0, INT8_MIN, INT8_MAX, &layer->requant);
    return NULL;
}

const char *lower_pad(const struct lowering *lowering, const struct weft_node *node,
                      const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    uint32_t rank = node->inputs[0]->type.rank;
    const char *reason = set_shapes(lowering, node->inputs[0], output);
    if (reason != NULL) {
        return reason;
    }
    layer->kind = LAYER_PAD;
    layer->name = "pad";
    if (node->input_count > 1) {
        const uint8_t *value = machine_bytes(lowering->arena, node->inputs[1]);
        if (value == NULL) {
            return "a padding that is not constant does not run on the machine";
        }
        layer->out_zero = (int32_t)weft_element(WEFT_I8, value, 0);
    }
    int64_t all[8] = {0};
    memcpy(all + 2 * (4 - rank), weft_node_ints(node, WEFT_ATTR_pads), 2 * rank * sizeof *all);
    if (all[0] != 0 || all[1] != 0) {
        return "images are not padded on the machine";
    }
    const int64_t pad[4] = {all[2], all[4], all[3], all[5]};
    memcpy(layer->pad, pad, sizeof pad);
    return all[6] == 0 && all[7] == 0 ? NULL
           : layer->in.h != layer->out.h || layer->in.w != layer->out.w
               ? "channels are not padded together with rows or columns on the machine"
               : pad_channels(lowering, all[6], layer->out_zero);
}

/* ---- reshape ---- */

const char *lower_reshape(const struct lowering *lowering, const struct weft_node *node,
                          const struct weft_value *output) {
    const char *reason = set_shapes(lowering, node->inputs[0], output);
    lowering->layer->kind = LAYER_RESHAPE;
    lowering->layer->name = "reshape";
    if (reason == NULL && weft_value_data(node->inputs[0]) != NULL) {
        return "a constant needs no machine to be reshaped";
    }
    return reason;
}

/* ---- resize ---- */

/* Finds how elements along an axis are repeated or left out evenly; false when they are not. */
static bool find_steps(const struct weft_node *node, int axis, struct layer *layer) {
    int64_t count = node->results[0]->type.dim[axis];
    int64_t first = weft_host_nearest(node, axis, 0);
    int64_t repeat = 1;
    while (repeat < count && weft_host_nearest(node, axis, repeat) == first) {
        repeat++;
    }
    int64_t step = repeat < count ? weft_host_nearest(node, axis, repeat) - first : 1;
    for (int64_t i = 0; i < count; i++) {
        if (weft_host_nearest(node, axis, i) != first + i / repeat * step) {
            return false;
        }
    }
    layer->begin[axis] = first;
    layer->repeat[axis - 1] = repeat;
    layer->stride[axis - 1] = step;
    return true;
}

const char *lower_resize(const struct lowering *lowering, const struct weft_node *node,
                         const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    const char *reason = set_shapes(lowering, node->inputs[0], output);
    if (reason != NULL) {
        return reason;
    }
    layer->kind = LAYER_RESIZE;
    layer->name = "resize_nearest_neighbor";
    return find_steps(node, 1, layer) && find_steps(node, 2, layer)
               ? NULL
               : "rows and columns that are not all repeated, or left out, alike do not run on the "
                 "machine";
}

/* ---- concatenation ---- */

const char *lower_concatenate(const struct lowering *lowering, const struct weft_node *node,
                              const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    const char *reason = set_shapes(lowering, node->inputs[0], output);
    layer->kind = LAYER_PLACE;
    layer->name = "concatenate";
    layer->axis = (int)(weft_node_int(node, WEFT_ATTR_axis) + 4 - output->type.rank);
    layer->input_count = node->input_count;
    layer->input = WEFT_NEW_ARRAY(lowering->arena, node->input_count, const struct weft_value *);
    layer->input_tables = WEFT_NEW_ARRAY(lowering->arena, node->input_count, const uint8_t *);
    for (uint32_t k = 0; k < node->input_count && reason == NULL; k++) {
        struct shape shape;
        int32_t zero = 0;
        layer->input[k] = node->inputs[k];
        reason = set_tensor(lowering, node->inputs[k], &shape, &zero);
        if (reason == NULL && node->op == WEFT_OP_QNN_CONCATENATE) {
            layer->input_tables[k] = function_table(lowering, node, k);
            reason = layer->input_tables[k] == NULL ? "the host's kernel does not cover this either"
                                                    : NULL;
        }
    }
    return reason;
}

/* ---- slices ---- */

/* Result `result` of a split. */
static void set_part(struct layer *layer, const struct weft_node *split, uint32_t result) {
    int64_t axis = weft_node_int(split, WEFT_ATTR_axis);
    const int64_t *sizes = weft_node_ints(split, WEFT_ATTR_sizes);
    for (uint32_t i = 0; i < result; i++) {
        layer->begin[axis + 4 - split->inputs[0]->type.rank] += sizes[i];
    }
}

/* Channels are neighbours in memory: what is not a run of them is not loaded in one piece. */
static const char *set_slice(struct layer *layer, const struct weft_node *slice) {
    const int64_t *begin = weft_node_ints(slice, WEFT_ATTR_begin);
    const int64_t *steps = weft_node_ints(slice, WEFT_ATTR_steps);
    uint32_t rank = slice->inputs[0]->type.rank;
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t axis = i + 4 - rank;
        layer->begin[axis] = begin[i];
        if (slice->results[0]->type.dim[i] == 1) {
            continue; /* a step to nowhere can be any number */
        }
        if (axis < 3) {
            layer->steps[axis] = steps[i];
        } else if (steps[i] != 1) {
            return "channels are not sliced with steps on the machine";
        }
    }
    return NULL;
}

const char *lower_slice(const struct lowering *lowering, const struct weft_node *node,
                        const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    const char *reason = set_shapes(lowering, node->inputs[0], output);
    layer->kind = LAYER_SLICE;
    layer->name = node->op == WEFT_OP_SPLIT ? "split" : "strided_slice";
    layer->steps[0] = layer->steps[1] = layer->steps[2] = 1;
    if (reason != NULL) {
        return reason;
    }
    if (node->op == WEFT_OP_SPLIT) {
        set_part(layer, node, output->index);
        return NULL;
    }
    return set_slice(layer, node);
}
