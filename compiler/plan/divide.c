/* Layers that have no room even row by row, divided into parts: each loads its part of the operands
 * from external memory (SLICE) and stores its part of the result there (PLACE). */
#include <string.h>

#include "base/integer.h"
#include "compiler/plan/region.h"

/* Columns and channels [first, end). */
struct part {
    int64_t first_column, end_column;
    int64_t first_channel, end_channel;
};

bool is_divided(const struct division *division) {
    return division->columns > 1 || division->blocks > 1 || division->flat;
}

/* ---- what can be divided ---- */

/* Is every output channel made of the same channel of the operands? */
static bool keeps_channels(const struct layer *layer) {
    return layer->kind != LAYER_CONV && layer->kind != LAYER_CONV_TRANSPOSE &&
           layer->kind != LAYER_MATMUL && layer->kind != LAYER_RESHAPE;
}

/* Channels that cannot be parted: those of a group. */
static int64_t channel_unit(const struct weft_config *config, const struct layer *layer) {
    int64_t outputs = layer->kind == LAYER_CONV ? layer->out.c / layer->groups : 1;
    return layer->kind == LAYER_CONV && layer->groups > 1 ? weft_round_up(config->block, outputs)
                                                          : (int64_t)config->block;
}

/* Columns of the result that cannot be parted: the repetitions of one. */
static int64_t column_unit(const struct layer *layer) {
    return layer->kind == LAYER_RESIZE ? layer->repeat[1] : 1;
}

/* Columns [first, end) of the operand that output columns [first, end) read, not clipped. */
static void columns_read(const struct layer *layer, int64_t first, int64_t end, int64_t *in_first,
                         int64_t *in_end) {
    struct layer turned = *layer;
    layer_turn(&turned);
    operations_of(layer)->rows_read(&turned, first, end, in_first, in_end);
}

/* Does every part of `columns` columns read some column that is there? */
static bool reads_something(const struct layer *layer, int64_t columns) {
    bool good = true;
    for (int64_t first = 0; first < layer->out.w && good; first += columns) {
        int64_t in_first = 0;
        int64_t in_end = 0;
        columns_read(layer, first, weft_min(first + columns, layer->out.w), &in_first, &in_end);
        good = in_first < layer->in.w && in_end > 0 && in_first < in_end;
    }
    return good;
}

static int64_t part_of(int64_t size, int64_t parts, int64_t unit) {
    return weft_round_up(weft_ceil_div(size, weft_max(parts, 1)), unit);
}

/* The largest divisor of the elements of a layer, up to a limit, that leaves few lanes unused; 0:
 * there is none. */
static int64_t flat_channels(const struct weft_config *config, const struct layer *layer) {
    int64_t elements = layer->out.n * layer->out.h * layer->out.w * layer->out.c;
    int64_t block = config->block;
    int64_t most = weft_min(64 * block, weft_max(config->act_bytes / 16, block));
    int64_t best = 0;
    for (int64_t d = block; d <= most; d++) {
        bool better = best == 0 || (best % block != 0 && d >= 4 * block) || d % block == 0;
        best = elements % d == 0 && better ? d : best;
    }
    return best;
}

static bool can_flatten(const struct weft_config *config, const struct layer *layer) {
    return (layer->kind == LAYER_TABLE || layer->kind == LAYER_BINARY) && !layer->broadcasts &&
           flat_channels(config, layer) > 0;
}

/* Are there parts of channels? Those of a group stay together, and groups are alike; softmax needs
 * all of a pixel, and a second operand is gathered as a whole. */
static bool has_channel_parts(const struct layer *layer) {
    if (layer->kind == LAYER_SOFTMAX || layer->kind == LAYER_MATMUL) {
        return false;
    }
    return layer->kind != LAYER_CONV || layer->groups == 1 || layer->out.c % layer->groups == 0;
}

/* Can it be divided at all? Names are no work; parts of what is loaded in another order, and of
 * matrices side by side, are not made. */
static bool has_parts(const struct layer *layer) {
    return layer->kind != LAYER_RESHAPE && layer->kind != LAYER_TRANSPOSE &&
           !layer->side_by_side[0] && !layer->side_by_side[2] &&
           reads_something(layer, layer->out.w);
}

bool can_divide(const struct weft_config *config, const struct layer *layer,
                const struct division *division, int64_t most) {
    if (division->columns < 0 || division->blocks < 0 ||
        !can_multiply(config, layer, division->multiplied)) {
        return false;
    }
    if (!is_divided(division)) {
        return true;
    }
    if (!has_parts(layer)) {
        return false;
    }
    if (division->flat) {
        return division->columns <= 1 && division->blocks <= 1 && can_flatten(config, layer);
    }
    int64_t columns = part_of(layer->out.w, division->columns, column_unit(layer));
    int64_t channels = part_of(layer->out.c, division->blocks, channel_unit(config, layer));
    return division->columns <= layer->out.w && division->blocks <= layer->out.c &&
           weft_ceil_div(layer->out.w, columns) * weft_ceil_div(layer->out.c, channels) <= most &&
           (division->columns <= 1 || reads_something(layer, columns)) &&
           (division->blocks <= 1 || has_channel_parts(layer));
}

bool divide_more(const struct weft_config *config, const struct layer *layer,
                 struct division *division) {
    if (!has_parts(layer)) {
        return false;
    }
    if (!is_divided(division) && can_flatten(config, layer)) {
        division->flat = true;
        return true;
    }
    division->flat = false;
    int64_t in_first = 0;
    int64_t in_end = 0;
    int64_t columns = part_of(layer->out.w, division->columns, column_unit(layer));
    int64_t channels = part_of(layer->out.c, division->blocks, channel_unit(config, layer));
    columns_read(layer, 0, columns, &in_first, &in_end);
    /* Windows of neighbouring parts overlap: no more than they read twice is worth it. */
    int64_t overlap = layer->kernel[1] > 0 ? (layer->kernel[1] - 1) * layer->dilation[1] : 0;
    bool by_columns = columns > column_unit(layer) && reads_something(layer, (columns + 1) / 2);
    bool by_channels = channels > channel_unit(config, layer) && has_channel_parts(layer);
    if (by_columns && (in_end - in_first > 2 * overlap || !by_channels)) {
        division->columns = weft_max(division->columns, 1) * 2;
        return true;
    }
    if (by_channels) {
        division->blocks = weft_max(division->blocks, 1) * 2;
        return true;
    }
    if (by_columns) {
        division->columns = weft_max(division->columns, 1) * 2;
    }
    return by_columns;
}

/* ---- parts ---- */

/* A part of a tensor as one of its own; `part` has columns and channels of the tensor. */
static int add_slice(struct region *region, const struct layer *layer, int whole,
                     const struct part *part) {
    const struct tensor tensor = region->tensors[whole];
    struct shape shape = tensor.shape;
    shape.w = part->end_column - part->first_column;
    shape.c = part->end_channel - part->first_channel;
    if (same_shape(&shape, &tensor.shape)) {
        return whole;
    }
    int to = region_add_tensor(region, &shape, tensor.zero);
    const struct layer slice = {.kind = LAYER_SLICE,
                                .behind = -1,
                                .name = "slice",
                                .source = layer->source,
                                .output = layer->output,
                                .in = tensor.shape,
                                .out = shape,
                                .spread = {1, 1},
                                .begin = {0, 0, part->first_column, part->first_channel},
                                .steps = {1, 1, 1}};
    region_add_layer(region, &slice, to);
    region_add_operand(region, whole);
    return to;
}

/* Weights, biases and multipliers of the output channels from `first` on. */
static void skip_channels(struct layer *layer, int64_t first) {
    if (layer->weights != NULL) {
        int64_t inputs = keeps_channels(layer) ? 1 : layer->in.c / layer->groups;
        layer->weights += first * layer->kernel[0] * layer->kernel[1] * inputs;
        layer->bias += first;
        layer->requant.multiplier += first;
        layer->requant.shift += first;
        layer->ranges = NULL; /* blocks may begin and end elsewhere now */
    }
}

/* The multiplications of the elements [first, end) of `all`. */
static int64_t share_of(int64_t macs, int64_t first, int64_t end, int64_t all) {
    int64_t each = macs / all;
    double rest = (double)(macs % all) / (double)all;
    return each * (end - first) + (int64_t)(rest * (double)end) - (int64_t)(rest * (double)first);
}

/* The columns and channels of the first operand that a part of the result reads; what of the window
 * is outside becomes the padding of the part. */
static struct part read_by(const struct layer *layer, const struct part *part,
                           struct layer *part_layer) {
    struct part in = {.first_channel = 0, .end_channel = layer->in.c};
    int64_t first = 0;
    int64_t end = 0;
    columns_read(layer, part->first_column, part->end_column, &first, &end);
    in.first_column = weft_max(first, 0);
    in.end_column = weft_min(end, layer->in.w);
    if (layer->kind == LAYER_PAD) {
        int64_t step = layer->spread[1];
        part_layer->pad[LEFT] = layer->pad[LEFT] + in.first_column * step - part->first_column;
        part_layer->pad[RIGHT] =
            part->end_column - (layer->pad[LEFT] + (in.end_column - 1) * step + 1);
    } else {
        part_layer->pad[LEFT] = in.first_column - first;
        part_layer->pad[RIGHT] = end - in.end_column;
    }
    if (layer->kind == LAYER_RESIZE) {
        part_layer->begin[2] = first - in.first_column;
    }
    if (layer->kind == LAYER_INTERPOLATE && layer->interpolated.along == 1) {
        part_layer->interpolated.places += part->first_column;
        part_layer->begin[2] -= in.first_column;
    }
    if (layer->kind == LAYER_CONV_TRANSPOSE) {
        part_layer->begin[2] += part->first_column - layer->spread[1] * in.first_column;
    }
    if (keeps_channels(layer)) {
        in.first_channel = part->first_channel;
        in.end_channel = part->end_channel;
        part_layer->groups = layer->kind == LAYER_DEPTHWISE ? in.end_channel - in.first_channel : 0;
    } else if (layer->groups > 1) {
        int64_t outputs = layer->out.c / layer->groups;
        int64_t inputs = layer->in.c / layer->groups;
        in.first_channel = part->first_channel / outputs * inputs;
        in.end_channel = part->end_channel / outputs * inputs;
        part_layer->groups = (part->end_channel - part->first_channel) / outputs;
    }
    part_layer->in.w = in.end_column - in.first_column;
    part_layer->in.c = in.end_channel - in.first_channel;
    return in;
}

/* What a part of a result reads of an operand that may be repeated along the columns, or block by
 * block. */
static struct part read_of(const struct tensor *tensor, const struct layer *layer,
                           const struct part *part) {
    struct part in = *part;
    if (is_repeated(tensor->shape.w, layer->out.w)) {
        in.first_column = 0;
        in.end_column = 1;
    }
    if (tensor->shape.c != layer->out.c) {
        in.first_channel = 0;
        in.end_channel = tensor->shape.c;
    }
    return in;
}

/* A layer that is not divided, or is a part of one; a multiplier is carried out as `multiplied`
 * says. */
static void add_whole(struct region *region, const struct layer *layer, const int operands[2],
                      int to, int64_t multiplied) {
    int64_t way = possible_way(region->config, layer, multiplied);
    if (way != MULTIPLIED_DENSE) {
        add_multiplied(region, layer, operands[0], to, way);
        return;
    }
    region_add_layer(region, layer, to);
    for (uint32_t k = 0; k < layer->input_count; k++) {
        region_add_operand(region, operands[k]);
    }
}

/* A part of layer `from` of the region `old`. */
static void add_part(struct region *region, const struct region *old, int from,
                     const struct part *part, int64_t multiplied) {
    const struct layer *layer = &old->layers[from];
    const int *tensors = old->tensors_of[from];
    struct layer made = *layer;
    int operands[2] = {0};
    made.out.w = part->end_column - part->first_column;
    made.out.c = part->end_channel - part->first_channel;
    int64_t before = part->first_column * layer->out.c +
                     part->first_channel * (part->end_column - part->first_column);
    int64_t behind = before + made.out.w * made.out.c;
    int64_t all = layer->out.w * layer->out.c;
    made.cut_macs = share_of(layer->cut_macs, before, behind, all);
    made.macs = share_of(layer->macs - layer->cut_macs, before, behind, all) + made.cut_macs;
    skip_channels(&made, part->first_channel);
    if (layer->kind == LAYER_SLICE) {
        made.begin[2] += part->first_column * layer->steps[2];
        made.begin[3] += part->first_channel;
        operands[0] = tensors[0];
    } else if (layer->kind == LAYER_BINARY) {
        for (uint32_t k = 0; k < 2; k++) {
            const struct part in = read_of(&region->tensors[tensors[k]], layer, part);
            operands[k] = add_slice(region, layer, tensors[k], &in);
        }
        made.in = region->tensors[operands[0]].shape;
    } else {
        const struct part in = read_by(layer, part, &made);
        operands[0] = add_slice(region, layer, tensors[0], &in);
        operands[1] = tensors[1]; /* of a product */
    }
    if (layer->kind == LAYER_PLACE) {
        made.begin[2] += part->first_column;
        made.begin[3] += part->first_channel;
        region_add_layer(region, &made, tensors[2]);
        region_add_operand(region, operands[0]);
        return;
    }
    int to = region_add_tensor(region, &made.out, region->tensors[tensors[2]].zero);
    add_whole(region, &made, operands, to, multiplied);
    region_add_place(region, layer, to, tensors[2], part->first_column, part->first_channel);
}

/* ---- another shape ---- */

static int add_reshaped(struct region *region, const struct layer *layer, int from, int to,
                        const struct shape *shape) {
    const struct layer reshape = {.kind = LAYER_RESHAPE,
                                  .behind = -1,
                                  .name = "reshape",
                                  .source = layer->source,
                                  .output = layer->output,
                                  .spread = {1, 1},
                                  .out = *shape};
    to = to < 0 ? region_add_tensor(region, shape, region->tensors[from].zero) : to;
    region_add_layer(region, &reshape, to);
    region_add_operand(region, from);
    return to;
}

static void add_flat(struct region *region, const struct region *old, int from) {
    const struct layer *layer = &old->layers[from];
    const int *tensors = old->tensors_of[from];
    int64_t channels = flat_channels(region->config, layer);
    struct layer flat = *layer;
    int operands[2] = {0};
    flat.out = (struct shape){
        1, layer->out.n * layer->out.h * layer->out.w * layer->out.c / channels, 1, channels};
    flat.in = flat.out;
    for (uint32_t k = 0; k < layer->input_count; k++) {
        operands[k] = add_reshaped(region, layer, tensors[k], -1, &flat.out);
    }
    int to = region_add_tensor(region, &flat.out, region->tensors[tensors[2]].zero);
    region_add_layer(region, &flat, to);
    for (uint32_t k = 0; k < layer->input_count; k++) {
        region_add_operand(region, operands[k]);
    }
    (void)add_reshaped(region, layer, to, tensors[2], &layer->out);
}

/* ---- all ---- */

static void divide_layer(struct region *region, const struct region *old, int from,
                         const struct division *division) {
    const struct layer *layer = &old->layers[from];
    int64_t columns = part_of(layer->out.w, division->columns, column_unit(layer));
    int64_t channels = part_of(layer->out.c, division->blocks, channel_unit(region->config, layer));
    struct part part;
    for (part.first_channel = 0; part.first_channel < layer->out.c;
         part.first_channel = part.end_channel) {
        part.end_channel = weft_min(part.first_channel + channels, layer->out.c);
        for (part.first_column = 0; part.first_column < layer->out.w;
             part.first_column = part.end_column) {
            part.end_column = weft_min(part.first_column + columns, layer->out.w);
            add_part(region, old, from, &part, division->multiplied);
        }
    }
}

void region_divide(struct region *region, const struct division *divisions) {
    const struct region old = *region;
    size_t capacity = 0;
    region->divisions = divisions;
    region->listed_count = old.layer_count;
    region->listed = old.layers;
    region->listed_tensors = (const int(*)[3])old.tensors_of;
    region->layers = NULL;
    region->tensors_of = NULL;
    region->layer_count = 0;
    region->layer_capacity = 0;
    for (int at = 0; at < old.layer_count; at++) {
        int i = region->order == NULL ? at : region->order[at];
        int first = region->layer_count;
        /* A layer of fewer images may have too few elements for another shape, and needs none. */
        bool is_small = divisions != NULL && divisions[i].flat &&
                        flat_channels(region->config, &old.layers[i]) == 0;
        if (divisions == NULL || !is_divided(&divisions[i]) || is_small) {
            add_whole(region, &old.layers[i], old.tensors_of[i], old.tensors_of[i][2],
                      divisions == NULL ? MULTIPLIED_DENSE : divisions[i].multiplied);
        } else if (divisions[i].flat) {
            add_flat(region, &old, i);
        } else {
            divide_layer(region, &old, i, &divisions[i]);
        }
        for (int k = first; k < region->layer_count; k++) {
            region->origin = weft_arena_grow(region->arena, region->origin, (size_t)k, &capacity,
                                             sizeof *region->origin);
            region->origin[k] = i;
        }
    }
}
