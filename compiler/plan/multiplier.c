/* Depthwise products with a multiplier: each channel of the operand makes several neighbouring ones
 * of the result. In dense mode every tap is a pass; in depthwise mode lanes stay where they are, so
 * channels are moved by a dense layer of one tap, before or after.
 */
#include <string.h>

#include "base/integer.h"
#include "compiler/plan/region.h"

enum {
    MOST_MOVING_WEIGHTS = 1 << 22 /* bytes of weights that do nothing but move channels */
};

static int64_t multiplier_of(const struct layer *layer) {
    bool is_depthwise = layer->kind == LAYER_CONV && layer->groups > 1 &&
                        layer->groups == layer->in.c && layer->out.c > layer->in.c;
    return is_depthwise ? layer->out.c / layer->in.c : 1;
}

bool can_multiply(const struct weft_config *config, const struct layer *layer, int64_t way) {
    int64_t multiplier = multiplier_of(layer);
    int64_t taps = layer->kernel[0] * layer->kernel[1];
    int64_t block = config->block;
    if (way == MULTIPLIED_DENSE) {
        return true;
    }
    if (way < 0 || way >= MULTIPLIED_WAYS || multiplier == 1 || taps > config->wgt_bytes / block) {
        return false;
    }
    return way == MULTIPLIED_REPEATED ||
           (layer->in.c % block == 0 && layer->out.c * multiplier <= MOST_MOVING_WEIGHTS / block);
}

int64_t possible_way(const struct weft_config *config, const struct layer *layer, int64_t way) {
    while (way > MULTIPLIED_DENSE && !can_multiply(config, layer, way)) {
        way--;
    }
    return way;
}

/* ---- a pass for each multiple ---- */

/* The channel of a result in model order that lies `at` when the blocks of channels that each block
 * of the operand makes lie one after another. */
static int64_t channel_at(int64_t block, int64_t multiplier, int64_t at) {
    int64_t operand = at / block / multiplier * block + at % block;
    return operand * multiplier + at / block % multiplier;
}

/* The product with its channels in that order. */
static struct layer in_passes(struct weft_arena *arena, int64_t block,
                              const struct layer *product) {
    struct layer layer = *product;
    size_t channels = (size_t)product->out.c;
    size_t taps = (size_t)(product->kernel[0] * product->kernel[1]);
    int8_t *weights = WEFT_NEW_ARRAY(arena, channels * taps, int8_t);
    int32_t *bias = WEFT_NEW_ARRAY(arena, channels, int32_t);
    layer.multiplied = product->out.c / product->in.c;
    layer.weights = weights;
    layer.bias = bias;
    layer.ranges = NULL;
    if (layer.requant.per_channel) {
        layer.requant.multiplier = WEFT_NEW_ARRAY(arena, channels, int32_t);
        layer.requant.shift = WEFT_NEW_ARRAY(arena, channels, int);
    }
    for (size_t i = 0; i < channels; i++) {
        size_t from = (size_t)channel_at(block, layer.multiplied, (int64_t)i);
        memcpy(weights + i * taps, product->weights + from * taps, taps);
        bias[i] = product->bias[from];
        if (layer.requant.per_channel) {
            layer.requant.multiplier[i] = product->requant.multiplier[from];
            layer.requant.shift[i] = product->requant.shift[from];
        }
    }
    return layer;
}

/* Brings the result `from` of passes into model order. */
static void add_interleaved(struct region *region, const struct layer *product, int from, int to) {
    int64_t block = region->config->block;
    int64_t multiplier = product->out.c / product->in.c;
    int64_t inputs = block * multiplier; /* what a block of the operand makes is a group */
    struct layer interleave = moving_layer(region->arena, product, "interleave", &product->out,
                                           product->out.c, product->in.c / block);
    int8_t *weights = WEFT_NEW_ARRAY(region->arena, (size_t)(product->out.c * inputs), int8_t);
    for (int64_t at = 0; at < product->out.c; at++) {
        weights[channel_at(block, multiplier, at) * inputs + at % inputs] = 1;
    }
    interleave.weights = weights;
    interleave.interleaves = multiplier;
    region_add_layer(region, &interleave, to);
    region_add_operand(region, from);
}

/* ---- all ---- */

void add_multiplied(struct region *region, const struct layer *product, int from, int to,
                    int64_t way) {
    struct layer layer = *product;
    layer.kind = LAYER_DEPTHWISE;
    layer.name = "depthwise_conv2d";
    if (way == MULTIPLIED_REPEATED) {
        from = region_repeat_channels(region, product, from, product->out.c);
        layer.in.c = layer.groups = layer.out.c;
        region_add_layer(region, &layer, to);
        region_add_operand(region, from);
        return;
    }
    layer = in_passes(region->arena, region->config->block, &layer);
    int passes = region_add_tensor(region, &layer.out, region->tensors[to].zero);
    region_add_layer(region, &layer, passes);
    region_add_operand(region, from);
    add_interleaved(region, product, passes, to);
}

/* ---- order that readers take as it is ---- */

/* Does every layer that reads the tensor sum over its channels, with weights for each? */
static bool is_summed(const struct region *region, int tensor) {
    bool good = region->tensors[tensor].output < 0;
    for (int i = 0; i < region->layer_count && good; i++) {
        const struct layer *layer = &region->layers[i];
        for (uint32_t k = 0; k < layer->input_count && !is_done(region, i); k++) {
            bool reads = region->tensors_of[i][k] == tensor;
            good = good && (!reads || (layer->kind == LAYER_CONV && layer->groups == 1));
        }
    }
    return good;
}

/* The weights of a convolution of the result of passes. */
static void reorder_weights(const struct region *region, int64_t multiplier, struct layer *layer) {
    int64_t sums = layer->out.c * layer->kernel[0] * layer->kernel[1];
    int8_t *weights = WEFT_NEW_ARRAY(region->arena, (size_t)(sums * layer->in.c), int8_t);
    for (int64_t i = 0; i < sums; i++) {
        for (int64_t at = 0; at < layer->in.c; at++) {
            weights[i * layer->in.c + at] =
                layer->weights[i * layer->in.c + channel_at(region->config->block, multiplier, at)];
        }
    }
    layer->weights = weights;
}

void absorb_interleaving(struct region *region) {
    for (int i = 0; i < region->layer_count; i++) {
        int to = region->tensors_of[i][2];
        int64_t multiplier = region->layers[i].interleaves;
        if (multiplier == 0 || !is_summed(region, to)) {
            continue;
        }
        for (int k = 0; k < region->layer_count; k++) {
            if (region->tensors_of[k][0] == to && !is_done(region, k)) {
                reorder_weights(region, multiplier, &region->layers[k]);
            }
        }
        struct tensor *from = &region->tensors[region->tensors_of[i][0]];
        from->table = region->tensors[to].table;
        from->zero = region->tensors[to].zero;
        dissolve_layer(region, i);
    }
}
