/* Convolutions and fully connected layers. */
#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "compiler/lower/lower.h"

/* bias[o] - zero * sum of (w[o] - weight_zero): what makes raw bytes, zero point included, give the
 * right sum. Of layers whose zero points MATRIX subtracts, bias[o]. */
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
        bool is_subtracted = layer->kind == LAYER_CONV_TRANSPOSE || layer->clips;
        int32_t zero = is_subtracted ? 0 : layer->zero[0];
        layer->bias[o] = (int32_t)(start - (uint32_t)zero * sum);
    }
}

/* The rounding of a qnn.requantize of int32. */
static enum weft_rounding rounding_of(const struct weft_node *requantize) {
    const char *rounding = weft_node_text(requantize, WEFT_ATTR_rounding);
    return strcmp(rounding, "float") == 0    ? WEFT_ROUNDING_FLOAT
           : strcmp(rounding, "single") == 0 ? WEFT_ROUNDING_SINGLE
                                             : WEFT_ROUNDING_GEMMLOWP;
}

const char *set_requant(const struct lowering *lowering, const struct weft_value *product,
                        const struct weft_node *requantize) {
    struct layer *layer = lowering->layer;
    const struct weft_type *from = &product->type;
    int64_t channels = from->dim[from->rank - 1];
    double *scale = WEFT_NEW_ARRAY(lowering->arena, (size_t)channels, double);
    const struct weft_attribute *factor = weft_node_attribute(requantize, WEFT_ATTR_factor);
    for (int64_t i = 0; i < channels; i++) {
        scale[i] = factor != NULL ? factor->number : weft_type_scale(from, i);
    }
    double to = factor != NULL ? 1 : weft_type_scale(&requantize->results[0]->type, 0);
    if (!requant_find(lowering->arena, rounding_of(requantize), channels, scale, to,
                      layer->out_zero, layer->low, layer->high, &layer->requant)) {
        return "no 31-bit multiplier gives the reference's rounding for every sum";
    }
    return NULL;
}

/* Where the machine has no zero points of weights, they are taken off before, if bytes hold what is
 * left. `count` weights. */
static void take_off_zero(const struct lowering *lowering, int64_t count) {
    struct layer *layer = lowering->layer;
    if (lowering->config->weight_zero_point != 0 || layer->weight_zero == 0) {
        return;
    }
    int8_t *weights = WEFT_NEW_ARRAY(lowering->arena, (size_t)count, int8_t);
    for (int64_t i = 0; i < count; i++) {
        int32_t weight = layer->weights[i] - layer->weight_zero;
        if (weight < INT8_MIN || weight > INT8_MAX) {
            return;
        }
        weights[i] = (int8_t)weight;
    }
    layer->weights = weights;
    layer->weight_zero = 0;
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
    take_off_zero(lowering, weft_type_elements(&weights->type));
    return NULL;
}

bool set_outer_product(const struct lowering *lowering, const struct weft_value *operand,
                       const struct weft_value *weights) {
    const struct weft_config *config = lowering->config;
    const struct shape alike = {1, 1, 1, lowering->layer->out.c};
    const struct shape of_weights = shape_of(&weights->type);
    if (config->gemmlowp == 0 || alike.c == 1 || !same_shape(&of_weights, &alike)) {
        return false;
    }
    struct layer made = *lowering->layer;
    const struct lowering inner = {lowering->arena, config, lowering->match, &made};
    made.in = shape_of(&operand->type);
    made.zero[0] = machine_zero(&operand->type);
    if (made.in.c != 1 || made.in.n != made.out.n || made.in.h != made.out.h ||
        made.in.w != made.out.w || set_weights(&inner, weights) != NULL ||
        (made.weight_zero != 0 && config->weight_zero_point == 0)) {
        return false;
    }
    int32_t zero = made.out_zero;
    layer_moves_channels(lowering->arena, &made, 1);
    made.out_zero = zero;
    made.input[0] = operand;
    made.input_count = 1;
    fold_bias(&inner, NULL, made.out.c, 1);
    made.requant.rounding = WEFT_ROUNDING_GEMMLOWP;
    made.requant.multiplier[0] = made.multiplier[0];
    made.requant.shift[0] = made.shift[0];
    *lowering->layer = made;
    return true;
}

/* ---- windows ---- */

/* The taps along an axis of all results together, without those in the padding. */
static double taps_along(const struct weft_axis_window *window) {
    double taps = 0;
    for (int64_t k = 0; k < window->kernel; k++) {
        int64_t first = 0;
        int64_t end = 0;
        weft_tap_outputs(window, k, &first, &end);
        taps += (double)(end - first);
    }
    return taps;
}

/* Is it worth it to carry out each tap by itself? Then one tap meets the operand for all results,
 * which begins their sums, and products with padding are a hundredth or more. Where taps are
 * neighbours, it is not if loading their weights takes longer than the products that are left, if
 * these are few, or if starting all taps of a tile costs as much as it saves. Windows of very many
 * taps would make very long programs. *share: the products that are left. */
static bool can_clip(const struct weft_config *config, const struct layer *layer, double *share) {
    const double most_taps = 128;
    const double most_share = 0.99;
    const double least_cycles = 256; /* of a tap */
    const double start_cycles = 16;  /* of a tap of a tile */
    double block = config->block;
    double load_cycles = block * block / config->memory_width;
    const struct weft_axis_window rows = axis_window(layer, 0);
    const struct weft_axis_window columns = axis_window(layer, 1);
    if (layer->kind != LAYER_CONV || layer->groups != 1 || layer->in.c < config->block ||
        (layer->zero[0] != 0 && config->activation_zero_point == 0) || weft_whole_tap(&rows) < 0 ||
        weft_whole_tap(&columns) < 0) {
        return false;
    }
    bool is_apart = layer->dilation[0] > 1 || layer->dilation[1] > 1;
    double taps = (double)layer->kernel[0] * (double)layer->kernel[1];
    double pixels = (double)layer->out.h * (double)layer->out.w;
    double left = taps_along(&rows) * taps_along(&columns) / taps;
    double in_blocks = ceil((double)layer->in.c / block);
    double out_blocks = ceil((double)layer->out.c / block);
    double tile = fmin(pixels * out_blocks, weft_acc_bank_entries(config));
    *share = left / pixels;
    return taps <= most_taps && *share <= most_share &&
           (is_apart || (left > load_cycles && left * in_blocks * out_blocks >= least_cycles &&
                         (1 - *share) * tile * in_blocks >= start_cycles));
}

/* Leaves products with padding out where that is worth it. */
static void clip(const struct weft_config *config, struct layer *layer) {
    double share = 1;
    layer->clips = can_clip(config, layer, &share);
    if (layer->clips) {
        int64_t carried_out = layer->macs - layer->cut_macs;
        layer->cut_macs += carried_out - (int64_t)((double)carried_out * share);
    }
}

/* The window turned round. */
static void turn_window(const struct lowering *lowering) {
    struct layer *layer = lowering->layer;
    int64_t taps = layer->kernel[0] * layer->kernel[1];
    int64_t depth = layer->in.c;
    int8_t *turned = WEFT_NEW_ARRAY(lowering->arena, (size_t)(layer->out.c * taps * depth), int8_t);
    for (int64_t k = 0; k < layer->out.c * taps; k++) {
        int64_t from = k / taps * taps + taps - 1 - k % taps;
        memcpy(turned + k * depth, layer->weights + from * depth, (size_t)depth);
    }
    layer->weights = turned;
}

/* Can a transposed convolution be carried out phase by phase? Each needs taps, and all of them fit
 * a bank; with other taps for each phase, zero points are no part of the bias. */
static bool has_phases(const struct weft_config *config, const struct layer *layer) {
    int64_t tile = (int64_t)config->block * config->block;
    return (layer->spread[0] > 1 || layer->spread[1] > 1) && layer->kernel[0] >= layer->spread[0] &&
           layer->kernel[1] >= layer->spread[1] &&
           layer->kernel[0] <= weft_bank_bytes(config, WEFT_MEMORY_WGT) / tile / layer->kernel[1] &&
           (layer->zero[0] == 0 || config->activation_zero_point != 0);
}

/* The window begins begin[] from a result, in the operand spread apart, of which the operand has
 * every spread[]-th row and column. */
static void set_phases(struct layer *layer) {
    layer->kind = LAYER_CONV_TRANSPOSE;
    for (int i = 0; i < 2; i++) {
        layer->begin[1 + i] = -layer->pad[i];
        layer->pad[i] /= layer->spread[i];
        layer->pad[2 + i] /= layer->spread[i];
    }
}

/* A transposed convolution is a convolution of the operand with its rows and columns spread apart,
 * and of the window turned round. */
static const char *set_transposed(const struct lowering *lowering, const struct weft_node *node) {
    struct layer *layer = lowering->layer;
    const int64_t *cut = weft_node_ints(node, WEFT_ATTR_padding);
    const int64_t *more = weft_node_ints(node, WEFT_ATTR_output_padding);
    const int64_t *strides = weft_node_ints(node, WEFT_ATTR_strides);
    const int64_t size[2] = {layer->in.h, layer->in.w};
    for (int i = 0; i < 2; i++) {
        layer->spread[i] = size[i] == 1 ? 1 : strides[i];
        layer->stride[i] = layer->dilation[i] = 1;
        layer->pad[i] = layer->kernel[i] - 1 - cut[i];
        layer->pad[2 + i] = layer->kernel[i] - 1 - cut[2 + i] + more[i];
        if (layer->pad[i] < 0 || layer->pad[2 + i] < 0) {
            return "a transposed convolution that cuts off more than its window is wide does not "
                   "run on the machine";
        }
    }
    turn_window(lowering);
    if (has_phases(lowering->config, layer)) {
        set_phases(layer);
        return check_size(lowering, &layer->in, layer->pad);
    }
    double rows = (double)layer->in.h * (double)layer->spread[0];
    double columns = (double)layer->in.w * (double)layer->spread[1];
    if (rows * columns > INT32_MAX) {
        return "a transposed convolution whose operand, spread apart, has more than 2^31 pixels "
               "does not run on the machine";
    }
    layer->in.h = (layer->in.h - 1) * layer->spread[0] + 1;
    layer->in.w = (layer->in.w - 1) * layer->spread[1] + 1;
    return check_size(lowering, &layer->in, layer->pad);
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

/* The window of `node`. A product with a flattened [H, W, C] is a convolution as large as its
 * input.
 */
static const char *set_operator(const struct lowering *lowering, const struct weft_node *node,
                                bool flattens) {
    struct layer *layer = lowering->layer;
    const struct weft_type *w = &node->inputs[1]->type;
    layer->kind = LAYER_CONV;
    layer->groups = 1;
    if (node->op == WEFT_OP_QNN_DENSE) {
        layer->name = "dense";
        layer->kernel[0] = flattens ? layer->in.h : 1;
        layer->kernel[1] = flattens ? layer->in.w : 1;
        for (int i = 0; i < 2; i++) {
            layer->stride[i] = layer->dilation[i] = 1;
        }
        return flattens ? check_flattened(lowering) : NULL;
    }
    layer->kernel[0] = w->dim[1];
    layer->kernel[1] = w->dim[2];
    if (node->op == WEFT_OP_QNN_CONV2D_TRANSPOSE) {
        layer->name = "conv2d_transpose";
        return set_transposed(lowering, node);
    }
    layer->name = "conv2d";
    layer->groups = weft_node_int(node, WEFT_ATTR_groups);
    const char *reason = set_window(lowering, node);
    if (layer->groups > 1 && layer->groups == layer->in.c && layer->out.c == layer->in.c) {
        layer->kind = LAYER_DEPTHWISE;
        layer->name = "depthwise_conv2d";
        reason = reason == NULL ? check_taps(lowering) : reason;
    }
    return reason;
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
    bool flattens = made_inside(lowering, input) != NULL;
    input = flattens ? input->producer->inputs[0] : input;
    const char *reason = set_shapes(lowering, input, output);
    reason = reason == NULL ? set_weights(lowering, node->inputs[1]) : reason;
    if (reason == NULL && flattens && (layer->in.n != 1 || product->type.dim[0] != 1)) {
        reason = "a reshape of several rows is not part of a product";
    }
    reason = reason == NULL ? set_operator(lowering, node, flattens) : reason;
    if (reason != NULL) {
        return reason;
    }
    int64_t taps = weft_type_elements(w) / w->dim[0];
    layer->cut_macs = weft_node_cut_macs(node);
    layer->macs = weft_node_model_macs(node);
    if (node->op == WEFT_OP_QNN_CONV2D) {
        clip(lowering->config, layer);
    }
    fold_bias(lowering, bias, w->dim[0], taps);
    if (node->op != WEFT_OP_QNN_CONV2D_TRANSPOSE) {
        find_turn(layer);
    }
    return set_requant(lowering, product, requantize);
}
