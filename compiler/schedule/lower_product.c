/* Convolutions and fully connected layers. */
#include <string.h>

#include "base/integer.h"
#include "compiler/schedule/lower.h"

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

static const char *set_weights(const struct lowering *lowering, const struct weft_value *weights) {
    struct layer *layer = lowering->layer;
    layer->weights = (const int8_t *)machine_bytes(lowering->arena, weights);
    if (layer->weights == NULL) {
        return "weights that are not constant do not run on the machine";
    }
    if (weights->type.dtype != WEFT_I8 && weights->type.dtype != WEFT_U8) {
        return "only int8 and uint8 weights run on the machine";
    }
    layer->weight_zero = machine_zero(&weights->type);
    for (uint32_t i = 1; i < weights->type.quantization.count; i++) {
        if (weights->type.quantization.zero[i] != weights->type.quantization.zero[0]) {
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

const char *lower_product(const struct lowering *lowering, const struct weft_node *requantize,
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
    bool flattens = dense && made_inside(lowering, input) != NULL;
    input = flattens ? input->producer->inputs[0] : input;
    const char *reason = set_shapes(lowering, input, output);
    reason = reason == NULL ? set_weights(lowering, node->inputs[1]) : reason;
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
    turn_column(lowering->config, layer);
    return set_requant(lowering, product, requantize);
}
