/* From a chain of graph operators to one operation of the machine: limits, shapes and windows. */
#include "compiler/schedule/lower.h"

#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "compiler/module.h"
#include "compiler/schedule/segment.h"

bool shape_of(const struct weft_type *type, struct shape *shape) {
    int64_t dims[4] = {1, 1, 1, 1};
    if (type->rank > 4) {
        return false;
    }
    for (uint32_t i = 0; i < type->rank; i++) {
        dims[4 - type->rank + i] = type->dim[i];
    }
    *shape = (struct shape){dims[0], dims[1], dims[2], dims[3]};
    return true;
}

/* ---- limits and shapes ---- */

/* Larger ones are not worth counting exactly: sums of sizes below need no check. */
const char *check_size(const struct lowering *lowering, const struct shape *shape,
                       const int64_t pad[4]) {
    int64_t lanes = weft_round_up(shape->c, lowering->config->block);
    double rows = (double)shape->h + (double)pad[0] + (double)pad[2];
    double columns = (double)shape->w + (double)pad[1] + (double)pad[3];
    return (double)shape->n * rows * columns * (double)lanes <= WEFT_REGION_LIMIT
               ? NULL
               : "a tensor of more than 2^30 bytes, with its padding and unused lanes, does not "
                 "run "
                 "on the machine";
}

static bool is_byte(const struct weft_type *type) {
    return type->dtype == WEFT_I8 || type->dtype == WEFT_U8;
}

const char *set_tensor(const struct lowering *lowering, const struct weft_value *value,
                       struct shape *shape, int32_t *zero) {
    static const int64_t no_pad[4] = {0};
    if (!is_byte(&value->type)) {
        return "only int8 and uint8 run on the machine";
    }
    if (!shape_of(&value->type, shape)) {
        return "tensors of more than 4 dimensions do not run on the machine";
    }
    if (value->type.quantization.count != 1) {
        return "only tensors with one scale and zero point run on the machine";
    }
    if (weft_type_elements(&value->type) == 0) {
        return "empty tensors do not run on the machine";
    }
    *zero = machine_zero(&value->type);
    return check_size(lowering, shape, no_pad);
}

const char *set_shapes(const struct lowering *lowering, const struct weft_value *input,
                       const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    layer->input = WEFT_NEW_ARRAY(lowering->arena, 2, const struct weft_value *);
    layer->input[0] = input;
    layer->input_count = 1;
    layer->output = output;
    const char *reason = set_tensor(lowering, input, &layer->in, &layer->zero[0]);
    return reason == NULL ? set_tensor(lowering, output, &layer->out, &layer->out_zero) : reason;
}

const struct weft_node *made_inside(const struct lowering *lowering,
                                    const struct weft_value *value) {
    const struct weft_node *node = value->producer;
    bool outside = node == NULL || node->op == WEFT_OP_CONSTANT ||
                   (lowering->match != NULL && !weft_match_has(lowering->match, node));
    return outside ? NULL : node;
}

/* Steps over a clip that limits what another operator of the chain makes, and remembers its limits.
 */
static const struct weft_node *skip_clip(const struct lowering *lowering,
                                         const struct weft_value *root) {
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
}

void turn_column(const struct weft_config *config, struct layer *layer) {
    if (layer->in.w != 1 || layer->kernel[1] != 1 || layer->pad[1] != 0 || layer->pad[3] != 0 ||
        layer->out.w != 1 || layer->in.h * layer->in.c > config->act_bytes / 8 ||
        layer->out.h * layer->out.c > config->act_bytes / 8) {
        return;
    }
    layer_turn(layer);
}

/* ---- the activation memory ---- */

/* The least that rows of a tensor take, in banks of their own. */
static double least_bytes(const struct lowering *lowering, const struct shape *shape, int64_t rows,
                          bool packed) {
    double block = lowering->config->block;
    double bank = weft_bank_bytes(lowering->config, WEFT_MEMORY_ACT);
    double lanes = packed ? (double)shape->c : ceil((double)shape->c / block) * block;
    return ceil((double)rows * (double)shape->w * lanes / bank) * bank;
}

/* A layer is carried out in stripes of one row at least. */
static const char *check_rows(const struct lowering *lowering) {
    struct layer layer = *lowering->layer;
    int64_t first = 0;
    int64_t end = 0;
    if (layer.turned) {
        layer_turn(&layer);
    }
    rows_read(&layer, 0, 1, &first, &end);
    double bytes = 0;
    if (makes_on_chip(layer.kind)) {
        bytes += least_bytes(lowering, &layer.out, 1, false);
    }
    if (reads_on_chip(layer.kind)) {
        int64_t rows = weft_clamp(end, 0, layer.in.h) - weft_clamp(first, 0, layer.in.h);
        bool packed = layer.kind == LAYER_CONV && layer.in.c < lowering->config->block;
        bytes += least_bytes(lowering, &layer.in, rows, packed);
    }
    return bytes <= lowering->config->act_bytes
               ? NULL
               : "a row of the result, with what it is made of, does not fit the activation memory";
}

/* ---- all operators ---- */

static const char *lower(const struct lowering *lowering, const struct weft_value *root) {
    const struct weft_node *node = skip_clip(lowering, root);
    switch (node->op) {
    case WEFT_OP_QNN_REQUANTIZE:
        return made_inside(lowering, node->inputs[0]) == NULL ? lower_table(lowering, node, root)
                                                              : lower_product(lowering, node, root);
    case WEFT_OP_AVG_POOL2D:
    case WEFT_OP_MAX_POOL2D:
        return lower_pool(lowering, node, root);
    case WEFT_OP_QNN_MEAN:
        return lower_mean(lowering, node, root);
    case WEFT_OP_QNN_ADD:
    case WEFT_OP_QNN_SUBTRACT:
    case WEFT_OP_QNN_MUL:
    case WEFT_OP_MAXIMUM:
    case WEFT_OP_MINIMUM:
        return lower_binary(lowering, node, root);
    case WEFT_OP_PAD:
        return lower_pad(lowering, node, root);
    case WEFT_OP_RESHAPE:
        return lower_reshape(lowering, node, root);
    case WEFT_OP_RESIZE_NEAREST_NEIGHBOR:
        return lower_resize(lowering, node, root);
    case WEFT_OP_CONCATENATE:
    case WEFT_OP_QNN_CONCATENATE:
        return lower_concatenate(lowering, node, root);
    case WEFT_OP_SPLIT:
    case WEFT_OP_STRIDED_SLICE:
        return lower_slice(lowering, node, root);
    case WEFT_OP_CLIP:
    case WEFT_OP_QNN_RELU:
    case WEFT_OP_QNN_RELU6:
    case WEFT_OP_QNN_RELU_N1_TO_1:
    case WEFT_OP_QNN_LEAKY_RELU:
    case WEFT_OP_QNN_HARD_SWISH:
    case WEFT_OP_QNN_LOGISTIC:
    case WEFT_OP_QNN_TANH:
        return lower_table(lowering, node, root);
    default:
        return "the machine has no operation for this";
    }
}

const char *layer_lower(struct weft_arena *arena, const struct weft_config *config,
                        const struct weft_value *root, const struct weft_match *match,
                        struct layer *layer) {
    const struct lowering lowering = {arena, config, match, layer};
    *layer = (struct layer){.source = root->producer->source, .behind = -1, .spread = {1, 1}};
    const char *reason = lower(&lowering, root);
    return reason == NULL ? check_rows(&lowering) : reason;
}
