/* Limits, shapes and windows of layers. */
#include "compiler/lower/lower.h"

#include <string.h>

#include "base/integer.h"

struct shape shape_of(const struct weft_type *type) {
    int64_t dims[4] = {1, 1, 1, 1};
    for (uint32_t i = 0; i < type->rank; i++) {
        int64_t axis = (int64_t)i + 4 - type->rank;
        dims[type->rank > 4 && axis < 1 ? 1 : axis] *= type->dim[i];
    }
    return (struct shape){dims[0], dims[1], dims[2], dims[3]};
}

/* ---- limits and shapes ---- */

/* Larger ones are not worth counting exactly: sums of sizes below need no check. */
const char *check_size(const struct lowering *lowering, const struct shape *shape,
                       const int64_t pad[4]) {
    int64_t lanes = weft_round_up(shape->c, lowering->config->block);
    double rows = (double)shape->h + (double)pad[0] + (double)pad[2];
    double columns = (double)shape->w + (double)pad[1] + (double)pad[3];
    return (double)shape->n * rows * columns * (double)lanes <= (double)WEFT_REGION_LIMIT
               ? NULL
               : "a tensor of more than 2^30 bytes, with its padding and unused lanes, does not "
                 "run "
                 "on the machine";
}

static bool is_byte(const struct weft_type *type) {
    return type->dtype == WEFT_I8 || type->dtype == WEFT_U8;
}

const char *set_any_tensor(const struct lowering *lowering, const struct weft_value *value,
                           struct shape *shape, int32_t *zero) {
    static const int64_t no_pad[4] = {0};
    if (!is_byte(&value->type)) {
        return "only int8 and uint8 run on the machine";
    }
    if (value->type.quantization.count != 1) {
        return "only tensors with one scale and zero point run on the machine";
    }
    if (weft_type_elements(&value->type) == 0) {
        return "empty tensors do not run on the machine";
    }
    *shape = shape_of(&value->type);
    *zero = machine_zero(&value->type);
    return check_size(lowering, shape, no_pad);
}

static const char too_many_dimensions[] =
    "tensors of more than 4 dimensions run on the machine element by element alone";

const char *set_tensor(const struct lowering *lowering, const struct weft_value *value,
                       struct shape *shape, int32_t *zero) {
    const char *reason = set_any_tensor(lowering, value, shape, zero);
    return reason == NULL && value->type.rank > 4 ? too_many_dimensions : reason;
}

const char *set_any_shapes(const struct lowering *lowering, const struct weft_value *input,
                           const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    layer->input = WEFT_NEW_ARRAY(lowering->arena, 2, const struct weft_value *);
    layer->input[0] = input;
    layer->input_count = 1;
    layer->output = output;
    const char *reason = set_any_tensor(lowering, input, &layer->in, &layer->zero[0]);
    return reason == NULL ? set_any_tensor(lowering, output, &layer->out, &layer->out_zero)
                          : reason;
}

const char *set_shapes(const struct lowering *lowering, const struct weft_value *input,
                       const struct weft_value *output) {
    const char *reason = set_any_shapes(lowering, input, output);
    bool has_more = input->type.rank > 4 || output->type.rank > 4;
    return reason == NULL && has_more ? too_many_dimensions : reason;
}

const struct weft_node *made_inside(const struct lowering *lowering,
                                    const struct weft_value *value) {
    const struct weft_node *node = value->producer;
    bool outside = node == NULL || node->op == WEFT_OP_CONSTANT ||
                   (lowering->match != NULL && !weft_match_has(lowering->match, node));
    return outside ? NULL : node;
}

const struct weft_node *skip_clip(const struct lowering *lowering, const struct weft_value *root) {
    struct layer *layer = lowering->layer;
    const struct weft_node *clip = root->producer;
    const struct weft_node *inner =
        clip->op == WEFT_OP_CLIP ? made_inside(lowering, clip->inputs[0]) : NULL;
    layer->low = INT8_MIN;
    layer->high = INT8_MAX;
    if (inner == NULL) {
        return clip;
    }
    layer->low = (int32_t)weft_node_int(clip, WEFT_ATTR_min) - uint8_offset(&root->type);
    layer->high = (int32_t)weft_node_int(clip, WEFT_ATTR_max) - uint8_offset(&root->type);
    return inner;
}

const char *set_window(const struct lowering *lowering, const struct weft_node *node) {
    struct layer *layer = lowering->layer;
    memcpy(layer->stride, weft_node_ints(node, WEFT_ATTR_strides), sizeof layer->stride);
    memcpy(layer->pad, weft_node_ints(node, WEFT_ATTR_padding), sizeof layer->pad);
    const struct weft_attribute *dilation = weft_node_attribute(node, WEFT_ATTR_dilation);
    const int64_t outputs[2] = {layer->out.h, layer->out.w};
    for (int i = 0; i < 2; i++) {
        /* A stride to nowhere, and a dilation between no taps, can be any number. */
        layer->stride[i] = outputs[i] == 1 ? 1 : layer->stride[i];
        layer->dilation[i] = dilation == NULL || layer->kernel[i] == 1 ? 1 : dilation->ints[i];
    }
    return check_size(lowering, &layer->in, layer->pad);
}

const char *check_taps(const struct lowering *lowering) {
    const int64_t *kernel = lowering->layer->kernel;
    return kernel[0] * kernel[1] <= lowering->config->wgt_bytes / lowering->config->block
               ? NULL
               : "the window has more elements than the weight memory has room for";
}

static void exchange(int64_t *a, int64_t *b) {
    int64_t first = *a;
    *a = *b;
    *b = first;
}

void layer_turn(struct layer *layer) {
    layer->turned = !layer->turned;
    exchange(&layer->in.h, &layer->in.w);
    exchange(&layer->out.h, &layer->out.w);
    exchange(&layer->kernel[0], &layer->kernel[1]);
    exchange(&layer->stride[0], &layer->stride[1]);
    exchange(&layer->dilation[0], &layer->dilation[1]);
    exchange(&layer->pad[0], &layer->pad[1]);
    exchange(&layer->pad[2], &layer->pad[3]);
    exchange(&layer->spread[0], &layer->spread[1]);
    exchange(&layer->repeat[0], &layer->repeat[1]);
    exchange(&layer->begin[1], &layer->begin[2]);
    exchange(&layer->steps[1], &layer->steps[2]);
    layer->interpolated.along = 1 - layer->interpolated.along;
}

void find_turn(struct layer *layer) {
    layer->can_turn = !layer->clips && layer->in.w == 1 && layer->kernel[1] == 1 &&
                      layer->pad[1] == 0 && layer->pad[3] == 0 && layer->out.w == 1;
}

void layer_moves_channels(struct weft_arena *arena, struct layer *layer, int64_t groups) {
    double scale = 1.0;
    layer->kind = LAYER_CONV;
    layer->groups = groups;
    layer->out_zero = 0;
    layer->bias = WEFT_NEW_ARRAY(arena, (size_t)layer->out.c, int32_t);
    for (int i = 0; i < 2; i++) {
        layer->kernel[i] = layer->stride[i] = layer->dilation[i] = 1;
    }
    (void)requant_find(arena, WEFT_ROUNDING_GEMMLOWP, 1, &scale, scale, 0, INT8_MIN, INT8_MAX,
                       &layer->requant);
    find_turn(layer);
}
