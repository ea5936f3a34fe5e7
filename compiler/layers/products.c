/* What dense and depthwise products share. */
#include <string.h>

#include "base/integer.h"
#include "compiler/layers/layers.h"
#include "isa/record.h"

/* ---- patterns ---- */

static struct weft_pattern *op2(struct weft_arena *arena, enum weft_operator operator,
                                struct weft_pattern * a, struct weft_pattern *b) {
    return weft_pattern_op(arena, operator, 2, (struct weft_pattern *[]){a, b});
}

struct weft_pattern *scaled_product(struct weft_arena *arena, enum weft_operator operator,
                                    struct weft_pattern * input) {
    struct weft_pattern *constant = weft_pattern_constant(arena);
    struct weft_pattern *product = op2(arena, operator, input, constant);
    struct weft_pattern *biased =
        op2(arena, WEFT_OP_BIAS_ADD, product, weft_pattern_constant(arena));
    struct weft_pattern *sum = weft_pattern_or(arena, biased, product);
    return weft_pattern_optional(arena, weft_pattern_op(arena, WEFT_OP_QNN_REQUANTIZE, 1, &sum),
                                 WEFT_OP_CLIP);
}

struct weft_pattern *clipped_function(struct weft_arena *arena, enum weft_operator operator) {
    struct weft_pattern *x = weft_pattern_wildcard(arena);
    return weft_pattern_optional(arena, weft_pattern_op(arena, operator, 1, &x), WEFT_OP_CLIP);
}

struct weft_pattern *plain_function(struct weft_arena *arena, enum weft_operator operator) {
    struct weft_pattern *x = weft_pattern_wildcard(arena);
    return weft_pattern_op(arena, operator, 1, &x);
}

/* ---- rows ---- */

void rows_of_window(const struct layer *layer, int64_t first, int64_t end, int64_t *in_first,
                    int64_t *in_end) {
    *in_first = first * layer->stride[0] - layer->pad[TOP];
    *in_end = (end - 1) * layer->stride[0] - layer->pad[TOP] +
              (layer->kernel[0] - 1) * layer->dilation[0] + 1;
}

void same_rows(const struct layer *layer, int64_t first, int64_t end, int64_t *in_first,
               int64_t *in_end) {
    (void)layer;
    *in_first = first;
    *in_end = end;
}

/* ---- weights ---- */

/* The weight between input channel c and output channel o at (row, column) of the window;
 * weight_zero, which counts as nothing, where there is none. */
static int8_t weight_at(const struct layer *layer, int64_t o, int64_t row, int64_t column,
                        int64_t c) {
    int64_t inputs = layer->in.c / layer->groups;
    int64_t outputs = layer->out.c / layer->groups;
    if (o >= layer->out.c || row >= layer->kernel[0] || column >= layer->kernel[1] || c < 0 ||
        c >= layer->in.c || c / inputs != o / outputs) {
        return (int8_t)layer->weight_zero;
    }
    int64_t index =
        ((o * layer->kernel[0] + row) * layer->kernel[1] + column) * inputs + c % inputs;
    return layer->weights[index];
}

void fill_lane(const struct layer *layer, int64_t first, int64_t count, int64_t row, int64_t column,
               int64_t c, uint8_t *to) {
    int64_t there = weft_min(count, layer->out.c - first);
    bool is_inside = row < layer->kernel[0] && column < layer->kernel[1] && c < layer->in.c;
    if (layer->groups > 1) {
        for (int64_t n = 0; n < count; n++) {
            to[n] = (uint8_t)weight_at(layer, first + n, row, column, c);
        }
        return;
    }
    memset(to, (uint8_t)layer->weight_zero, (size_t)count);
    int64_t each = layer->kernel[0] * layer->kernel[1] * layer->in.c; /* of an output channel */
    int64_t at = first * each + (row * layer->kernel[1] + column) * layer->in.c + c;
    for (int64_t n = 0; n < there && is_inside; n++) {
        to[n] = (uint8_t)layer->weights[at + n * each];
    }
}

/* ---- parameters ---- */

static struct weft_lane_scaling scaling_of(const struct layer *layer, int64_t channel) {
    int64_t of = layer->requant.per_channel ? channel : 0;
    return (struct weft_lane_scaling){layer->bias[channel], layer->requant.multiplier[of],
                                      layer->requant.shift[of]};
}

/* Do short records hold the channel blocks from `first` to before `end`, above the shift *least?
 * The least and the most of each decide. */
static bool are_short(const struct weft_config *config, const struct layer *layer, int64_t first,
                      int64_t end, int *least) {
    if (config->short_records == 0 || !layer->requant.per_channel) {
        return false;
    }
    const struct scaling_range range = scaling_range_of(config, layer, first, end);
    const struct weft_lane_scaling low = {range.bias[0], range.multiplier, range.shift[0]};
    const struct weft_lane_scaling high = {range.bias[1], range.multiplier, range.shift[1]};
    *least = low.shift;
    return weft_is_short(&low, *least) && weft_is_short(&high, *least);
}

void pack_requant(struct packing *packing, int index, int64_t group) {
    const struct plan *plan = packing->plan;
    const struct layer *layer = plan->layers[index];
    uint32_t block = plan->config->block;
    int64_t first = group * plan->tilings[index].blocks;
    int64_t end =
        weft_min(first + plan->tilings[index].blocks, blocks_of(plan->config, layer->out.c));
    struct piece piece = {0};
    piece.is_short = are_short(plan->config, layer, first, end, &piece.shift);
    uint32_t record = weft_record_lines(layer->requant.per_channel, piece.is_short) * block;
    uint8_t *to = add_records(packing, (end - first) * record, &piece);
    for (int64_t o = first * block; to != NULL && o < weft_min(end * block, layer->out.c); o++) {
        uint8_t *at = to + (o / block - first) * record;
        const struct weft_lane_scaling scaling = scaling_of(layer, o);
        uint32_t lane = (uint32_t)(o % block);
        if (piece.is_short) {
            weft_record_write_short(at, block, lane, &scaling, piece.shift);
        } else if (layer->requant.per_channel) {
            weft_record_write(at, block, lane, &scaling);
        } else {
            weft_record_write_bias(at, lane, scaling.bias);
        }
    }
}
