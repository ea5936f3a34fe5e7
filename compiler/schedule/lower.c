/* From a chain of graph operators to one operation of the machine. */
#include <string.h>

#include "base/fixed_point.h"
#include "base/integer.h"
#include "compiler/module.h"
#include "compiler/schedule/layer.h"

struct lowering {
    struct weft_arena *arena;
    const struct weft_config *config;
    struct layer *layer;
};

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

/* A tensor that is too large to be worth counting exactly: sums of sizes below need no check. */
static const char *check_size(const struct lowering *lowering, const struct shape *shape,
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

static const char *set_shapes(const struct lowering *lowering, const struct weft_value *input,
                              const struct weft_value *output) {
    static const int64_t no_pad[4] = {0};
    struct layer *layer = lowering->layer;
    layer->input[0] = input;
    layer->input_count = 1;
    layer->output = output;
    if (input->type.dtype != WEFT_I8 || output->type.dtype != WEFT_I8) {
        return "only int8 runs on the machine";
    }
    if (!shape_of(&input->type, &layer->in) || !shape_of(&output->type, &layer->out)) {
        return "tensors of more than 4 dimensions do not run on the machine";
    }
    if (input->type.quantization.count == 0 || output->type.quantization.count == 0) {
        return "tensors without a scale and zero point do not run on the machine";
    }
    if (weft_type_elements(&input->type) == 0 || weft_type_elements(&output->type) == 0) {
        return "empty tensors do not run on the machine";
    }
    layer->zero[0] = weft_type_zero(&input->type, 0);
    layer->out_zero = weft_type_zero(&output->type, 0);
    const char *reason = check_size(lowering, &layer->in, no_pad);
    return reason == NULL ? check_size(lowering, &layer->out, no_pad) : reason;
}

/* Steps over a clip and remembers its limits. */
static const struct weft_value *skip_clip(struct layer *layer, const struct weft_value *value) {
    layer->low = INT8_MIN;
    layer->high = INT8_MAX;
    if (value->producer->op == WEFT_OP_CLIP) {
        layer->low = (int32_t)weft_node_int(value->producer, WEFT_ATTR_min);
        layer->high = (int32_t)weft_node_int(value->producer, WEFT_ATTR_max);
        value = value->producer->inputs[0];
    }
    return value;
}

static const char *set_window(const struct lowering *lowering, const struct weft_node *node) {
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

/* Depthwise windows keep a line of weights for each element. */
static const char *check_taps(const struct lowering *lowering) {
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

/* A window of one column can as well lie along the columns, where depthwise mode has its shift
 * register. Long tensors are left alone: they are carried out in stripes of rows. */
static void turn(const struct weft_config *config, struct layer *layer) {
    if (layer->in.w != 1 || layer->kernel[1] != 1 || layer->pad[1] != 0 || layer->pad[3] != 0 ||
        layer->out.w != 1 || layer->in.h * layer->in.c > config->act_bytes / 8 ||
        layer->out.h * layer->out.c > config->act_bytes / 8) {
        return;
    }
    layer_turn(layer);
}

/* ---- convolution ---- */

/* bias[o] - zero * sum of (w[o] - weight_zero): what makes raw bytes, zero point included, give the
 * right sum. */
static void fold_bias(const struct lowering *lowering, const uint8_t *bias, int64_t outputs,
                      int64_t taps) {
    struct layer *layer = lowering->layer;
    layer->bias = WEFT_NEW_ARRAY(lowering->arena, (size_t)outputs, int32_t);
    for (int64_t o = 0; o < outputs; o++) {
        uint32_t sum = 0;
        for (int64_t t = 0; t < taps; t++) {
            sum += (uint32_t)(layer->weights[o * taps + t] - layer->weight_zero);
        }
        uint32_t start = 0;
        if (bias != NULL) {
            memcpy(&start, bias + 4 * o, sizeof start);
        }
        layer->bias[o] = (int32_t)(start - (uint32_t)layer->zero[0] * sum);
    }
}

static const char *set_requant(const struct lowering *lowering, const struct weft_value *product,
                               const struct weft_node *requantize) {
    struct layer *layer = lowering->layer;
    const struct weft_type *from = &product->type;
    double out_scale = weft_type_scale(&requantize->results[0]->type, 0);
    int64_t channels = from->dim[from->rank - 1];
    double *scale = WEFT_NEW_ARRAY(lowering->arena, (size_t)channels, double);
    for (int64_t i = 0; i < channels; i++) {
        scale[i] = weft_type_scale(from, i) / out_scale;
    }
    bool single = strcmp(weft_node_text(requantize, WEFT_ATTR_rounding), "single") == 0;
    if (!requant_find(lowering->arena, single, channels, scale, layer->out_zero, layer->low,
                      layer->high, &layer->requant)) {
        return "no 31-bit multiplier gives the reference's rounding for every sum";
    }
    return NULL;
}

static const char *set_weights(struct layer *layer, const struct weft_value *weights) {
    layer->weights = (const int8_t *)weft_value_data(weights);
    if (layer->weights == NULL) {
        return "weights that are not constant do not run on the machine";
    }
    if (weights->type.dtype != WEFT_I8) {
        return "only int8 weights run on the machine";
    }
    layer->weight_zero = weft_type_zero(&weights->type, 0);
    for (uint32_t i = 1; i < weights->type.quantization.count; i++) {
        if (weights->type.quantization.zero[i] != layer->weight_zero) {
            return "weights whose zero point differs between channels do not run on the machine";
        }
    }
    return NULL;
}

/* A flattened tensor is read by a window as large as itself, so all of it must be on chip. */
static const char *check_flattened(const struct lowering *lowering) {
    const struct shape *in = &lowering->layer->in;
    const struct shape *out = &lowering->layer->out;
    int64_t bank = weft_bank_bytes(lowering->config, WEFT_MEMORY_ACT);
    int64_t block = lowering->config->block;
    int64_t bytes = weft_round_up(in->h * in->w * weft_round_up(in->c, block), bank) +
                    weft_round_up(weft_round_up(out->c, block), bank);
    return bytes <= lowering->config->act_bytes
               ? NULL
               : "a tensor that does not fit the activation memory is reshaped before a product";
}

/* The chain below a requantize: [bias_add] (conv2d | dense [reshape]). */
static const char *lower_product(const struct lowering *lowering,
                                 const struct weft_node *requantize,
                                 const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    const struct weft_value *product = requantize->inputs[0];
    const uint8_t *bias = NULL;
    if (product->producer->op == WEFT_OP_BIAS_ADD) {
        bias = weft_value_data(product->producer->inputs[1]);
        product = product->producer->inputs[0];
        if (bias == NULL) {
            return "a bias that is not constant does not run on the machine";
        }
    }
    const struct weft_node *node = product->producer;
    const struct weft_value *input = node->inputs[0];
    const struct weft_type *w = &node->inputs[1]->type;
    bool dense = node->op == WEFT_OP_QNN_DENSE;
    bool flattens = dense && input->producer != NULL && input->producer->op == WEFT_OP_RESHAPE;
    input = flattens ? input->producer->inputs[0] : input;
    const char *reason = set_shapes(lowering, input, output);
    reason = reason == NULL ? set_weights(layer, node->inputs[1]) : reason;
    if (reason != NULL) {
        return reason;
    }
    layer->name = dense ? "dense" : "conv2d";
    layer->groups = 1;
    int64_t taps = weft_type_elements(w) / w->dim[0];
    if (flattens && (layer->in.n != 1 || product->type.dim[0] != 1)) {
        return "a reshape of several rows is not part of a product";
    }
    reason = flattens ? check_flattened(lowering) : NULL;
    if (dense) {
        /* A product with a flattened [H, W, C] is a convolution as large as its input. */
        layer->kernel[0] = flattens ? layer->in.h : 1;
        layer->kernel[1] = flattens ? layer->in.w : 1;
        for (int i = 0; i < 2; i++) {
            layer->stride[i] = layer->dilation[i] = 1;
        }
    } else {
        layer->kernel[0] = w->dim[1];
        layer->kernel[1] = w->dim[2];
        layer->groups = weft_node_int(node, WEFT_ATTR_groups);
        reason = set_window(lowering, node);
    }
    layer->macs = weft_type_elements(&product->type) * taps;
    layer->kind = LAYER_CONV;
    if (layer->groups > 1 && layer->groups == layer->in.c && layer->out.c == layer->in.c) {
        layer->kind = LAYER_DEPTHWISE;
        layer->name = "depthwise_conv2d";
        reason = reason == NULL ? check_taps(lowering) : reason;
    }
    if (reason != NULL) {
        return reason;
    }
    fold_bias(lowering, bias, w->dim[0], taps);
    turn(lowering->config, layer);
    return set_requant(lowering, product, requantize);
}

/* ---- pools, sums, pads ---- */

static const char *lower_pool(const struct lowering *lowering, const struct weft_node *node,
                              const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    const char *reason = set_shapes(lowering, node->inputs[0], output);
    memcpy(layer->kernel, weft_node_ints(node, WEFT_ATTR_kernel), sizeof layer->kernel);
    reason = reason == NULL ? set_window(lowering, node) : reason;
    if (reason != NULL) {
        return reason;
    }
    bool max = node->op == WEFT_OP_MAX_POOL2D;
    layer->kind = max ? LAYER_MAXPOOL : LAYER_AVGPOOL;
    layer->name = max ? "max_pool2d" : "avg_pool2d";
    turn(lowering->config, layer);
    if (!max && layer->kernel[0] * layer->kernel[1] > 1024) {
        return "the multiplier of an average is proved exact for windows of up to 1024 elements";
    }
    if (max && (layer->kernel[0] > 63 || layer->kernel[1] > 63)) {
        return "a maximum pool of the machine has a window of at most 63 by 63";
    }
    return max ? NULL : check_taps(lowering);
}

/* TFLite's ADD for int8: both operands scaled by half their ratio to the larger scale, with 20 more
 * bits. */
static const char *lower_add(const struct lowering *lowering, const struct weft_node *node,
                             const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    const char *reason = set_shapes(lowering, node->inputs[0], output);
    if (reason != NULL) {
        return reason;
    }
    layer->kind = LAYER_ADD;
    layer->name = "add";
    layer->input[1] = node->inputs[1];
    layer->input_count = 2;
    layer->zero[1] = weft_type_zero(&node->inputs[1]->type, 0);
    double a = weft_type_scale(&node->inputs[0]->type, 0);
    double b = weft_type_scale(&node->inputs[1]->type, 0);
    double out = weft_type_scale(&output->type, 0);
    double twice_max = 2.0 * (a > b ? a : b);
    const double scales[3] = {a / twice_max, b / twice_max, twice_max / ((1 << 20) * out)};
    for (int i = 0; i < 3; i++) {
        weft_quantize_multiplier(scales[i], &layer->sum_multiplier[i], &layer->sum_shift[i]);
        if (layer->sum_shift[i] > 0) {
            return "the result's scale is too small for the reference's arithmetic";
        }
    }
    return NULL;
}

static const char *lower_pad(const struct lowering *lowering, const struct weft_node *node,
                             const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    const char *reason = set_shapes(lowering, node->inputs[0], output);
    if (reason != NULL) {
        return reason;
    }
    const int64_t *pads = weft_node_ints(node, WEFT_ATTR_pads);
    int64_t all[8] = {0};
    memcpy(all + 2 * (4 - node->inputs[0]->type.rank), pads,
           2 * node->inputs[0]->type.rank * sizeof *pads);
    if (all[0] != 0 || all[1] != 0 || all[6] != 0 || all[7] != 0) {
        return "only rows and columns are padded on the machine";
    }
    layer->kind = LAYER_PAD;
    layer->name = "pad";
    const int64_t pad[4] = {all[2], all[4], all[3], all[5]};
    memcpy(layer->pad, pad, sizeof pad);
    return NULL;
}

static const char *lower_reshape(const struct lowering *lowering, const struct weft_node *node,
                                 const struct weft_value *output) {
    const char *reason = set_shapes(lowering, node->inputs[0], output);
    lowering->layer->kind = LAYER_RESHAPE;
    lowering->layer->name = "reshape";
    if (reason == NULL && weft_value_data(node->inputs[0]) != NULL) {
        return "a constant needs no machine to be reshaped";
    }
    return reason;
}

const char *layer_lower(struct weft_arena *arena, const struct weft_config *config,
                        const struct weft_value *root, struct layer *layer) {
    struct lowering lowering = {arena, config, layer};
    *layer = (struct layer){.source = root->producer->source, .sum = -1};
    const struct weft_value *value = skip_clip(layer, root);
    const struct weft_node *node = value->producer;
    switch (node->op) {
    case WEFT_OP_QNN_REQUANTIZE:
        return lower_product(&lowering, node, root);
    case WEFT_OP_AVG_POOL2D:
    case WEFT_OP_MAX_POOL2D:
        return lower_pool(&lowering, node, root);
    case WEFT_OP_QNN_ADD:
        return lower_add(&lowering, node, root);
    case WEFT_OP_PAD:
        return lower_pad(&lowering, node, root);
    case WEFT_OP_RESHAPE:
        return lower_reshape(&lowering, node, root);
    default:
        return "the machine has no operation for this";
    }
}
