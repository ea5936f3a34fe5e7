/* From the composites of a region to layers and tensors. */
#include <string.h>

#include "compiler/schedule/segment.h"

struct listing {
    struct segment *segment;
    struct weft_map *known; /* value -> number of its tensor + 1 */
};

/* ---- tensors ---- */

/* A tensor of the machine; its bytes are those of [N, H, W, C]. */
static int add_tensor(struct segment *segment, const struct shape *shape, int32_t zero) {
    segment->tensors[segment->tensor_count] = (struct tensor){.shape = *shape,
                                                              .zero = zero,
                                                              .producer = -1,
                                                              .last_use = -1,
                                                              .input = -1,
                                                              .output = -1,
                                                              .same_bytes = -1};
    return segment->tensor_count++;
}

static int add_value(struct listing *listing, const struct weft_value *value) {
    struct shape shape;
    (void)shape_of(&value->type, &shape); /* the pattern table has checked the rank */
    int index = add_tensor(listing->segment, &shape, machine_zero(&value->type));
    weft_map_set(listing->known, value, (void *)(uintptr_t)(index + 1));
    return index;
}

static int known_tensor(const struct listing *listing, const struct weft_value *value) {
    return (int)(uintptr_t)weft_map_get(listing->known, value) - 1;
}

/* A constant of one channel, repeated over `channels`. */
static const uint8_t *repeat_channels(struct weft_arena *arena, const uint8_t *bytes,
                                      struct shape *shape, int64_t channels) {
    int64_t pixels = shape->n * shape->h * shape->w;
    if (shape->c == channels) {
        return bytes;
    }
    uint8_t *repeated = WEFT_NEW_ARRAY(arena, (size_t)(pixels * channels), uint8_t);
    for (int64_t i = 0; i < pixels; i++) {
        memset(repeated + i * channels, bytes[i], (size_t)channels);
    }
    shape->c = channels;
    return repeated;
}

/* The tensor that a layer reads: its body has a copy of a constant, or an input that stands for a
 * value of the region. */
static int input_tensor(struct listing *listing, const struct weft_node *node,
                        const struct layer *layer, const struct weft_value *input) {
    struct segment *segment = listing->segment;
    const uint8_t *constant = machine_bytes(segment->arena, input);
    if (constant == NULL) {
        return known_tensor(listing, node->inputs[input->index]);
    }
    int index = known_tensor(listing, input);
    if (index < 0) {
        index = add_value(listing, input);
        struct tensor *tensor = &segment->tensors[index];
        tensor->constant = constant;
        if (layer->kind == LAYER_BINARY) {
            tensor->constant =
                repeat_channels(segment->arena, constant, &tensor->shape, layer->out.c);
        }
    }
    return index;
}

/* ---- layers ---- */

/* Appends a layer that makes `to`; its inputs are added by add_operand(). */
static struct layer *add_layer(struct segment *segment, const struct layer *layer, int to) {
    int index = segment->layer_count++;
    segment->layers[index] = *layer;
    segment->layers[index].input_count = 0;
    segment->tensors_of[index][2] = to;
    segment->tensors[to].producer = index;
    return &segment->layers[index];
}

static void add_operand(struct segment *segment, int tensor) {
    int index = segment->layer_count - 1;
    segment->tensors_of[index][segment->layers[index].input_count++] = tensor;
    segment->tensors[tensor].last_use = index;
}

/* A layer that flips the top bits: uint8 tensors lie so on the machine, but not outside. */
static void add_flip(struct segment *segment, const struct weft_value *value, int from, int to) {
    const struct shape *shape = &segment->tensors[from].shape;
    const struct layer layer = {.kind = LAYER_TABLE,
                                .behind = -1,
                                .name = "requantize",
                                .source = -1,
                                .output = value,
                                .in = *shape,
                                .out = *shape,
                                .table = flip_table(segment->arena)};
    add_layer(segment, &layer, to);
    add_operand(segment, from);
}

/* A layer that spreads the rows and columns of a tensor apart, for the convolution `layer`; returns
 * its result. */
static int add_spread(struct segment *segment, const struct layer *layer, int from) {
    struct tensor *tensor = &segment->tensors[from];
    if (layer->kind != LAYER_CONV || (layer->spread[0] == 1 && layer->spread[1] == 1)) {
        return from;
    }
    int to = add_tensor(segment, &layer->in, tensor->zero);
    struct layer pad = {.kind = LAYER_PAD,
                        .behind = -1,
                        .name = "pad",
                        .source = layer->source,
                        .in = tensor->shape,
                        .out = layer->in,
                        .out_zero = tensor->zero,
                        .low = INT8_MIN,
                        .high = INT8_MAX};
    memcpy(pad.spread, layer->spread, sizeof pad.spread);
    add_layer(segment, &pad, to);
    add_operand(segment, from);
    return to;
}

/* A layer and its result; a mean makes tensors whose axes still have to be dropped. */
static void add_result(struct listing *listing, const struct layer *layer,
                       const struct weft_node *node, const struct weft_value *result) {
    struct segment *segment = listing->segment;
    struct shape shape = result_shape(layer);
    int inputs[2] = {0};
    for (uint32_t k = 0; k < layer->input_count; k++) {
        inputs[k] = add_spread(segment, layer, input_tensor(listing, node, layer, layer->input[k]));
    }
    int to = add_value(listing, result);
    bool alike = same_shape(&shape, &segment->tensors[to].shape);
    int made = alike ? to : add_tensor(segment, &shape, segment->tensors[to].zero);
    add_layer(segment, layer, made)->output = result;
    for (uint32_t k = 0; k < layer->input_count; k++) {
        add_operand(segment, inputs[k]);
    }
    if (!alike) {
        const struct layer reshape = {.kind = LAYER_RESHAPE,
                                      .behind = -1,
                                      .name = "reshape",
                                      .source = layer->source,
                                      .output = result,
                                      .out = segment->tensors[to].shape};
        add_layer(segment, &reshape, to);
        add_operand(segment, made);
    }
}

/* The layers of a concatenation: each operand, what becomes of its bytes if they change, goes to
 * its part of the result. */
static void add_places(struct listing *listing, const struct layer *layer,
                       const struct weft_node *node, const struct weft_value *result) {
    struct segment *segment = listing->segment;
    int *from = WEFT_NEW_ARRAY(segment->arena, layer->input_count, int);
    for (uint32_t k = 0; k < layer->input_count; k++) {
        from[k] = input_tensor(listing, node, layer, layer->input[k]);
    }
    int to = add_value(listing, result);
    int64_t begin = 0;
    for (uint32_t k = 0; k < layer->input_count; k++) {
        struct layer part = *layer;
        part.output = result;
        part.in = part.out = segment->tensors[from[k]].shape;
        if (layer->input_tables[k] != NULL) {
            int changed = add_tensor(segment, &part.in, segment->tensors[to].zero);
            part.kind = LAYER_TABLE;
            part.table = layer->input_tables[k];
            add_layer(segment, &part, changed);
            add_operand(segment, from[k]);
            from[k] = changed;
        }
        part.kind = LAYER_PLACE;
        part.begin[layer->axis] = begin;
        add_layer(segment, &part, to);
        add_operand(segment, from[k]);
        const int64_t size[4] = {part.in.n, part.in.h, part.in.w, part.in.c};
        begin += size[layer->axis];
    }
    segment->tensors[to].joined = true;
}

static bool add_composite(struct listing *listing, const struct weft_node *node) {
    struct segment *segment = listing->segment;
    for (uint32_t i = 0; i < node->result_count; i++) {
        struct layer layer;
        const char *reason =
            layer_lower(segment->arena, segment->config, node->body->outputs[i], NULL, &layer);
        if (reason != NULL) {
            return weft_fail(segment->error, WEFT_INTERNAL, 0,
                             "operator %d was claimed for the machine: %s", node->source, reason);
        }
        (layer.kind == LAYER_PLACE ? add_places : add_result)(listing, &layer, node,
                                                              node->results[i]);
    }
    return true;
}

/* ---- all ---- */

static void add_input(struct listing *listing, const struct weft_value *value, int64_t number) {
    struct segment *segment = listing->segment;
    int index = add_value(listing, value);
    if (value->type.dtype == WEFT_U8) {
        int raw = index;
        index = add_value(listing, value);
        add_flip(segment, value, raw, index);
        index = raw;
    }
    segment->tensors[index].input = number;
}

static void add_output(struct listing *listing, const struct weft_value *value, int64_t number) {
    struct segment *segment = listing->segment;
    int index = known_tensor(listing, value);
    if (value->type.dtype == WEFT_U8) {
        struct shape shape = segment->tensors[index].shape;
        int raw = add_tensor(segment, &shape, 0);
        add_flip(segment, value, index, raw);
        index = raw;
    }
    segment->tensors[index].output = number;
}

/* How many layers a region can become at most: each input and output may need a flip, each result
 * of a composite one more, and each operand of a concatenation two. */
static size_t most_layers(const struct weft_graph *graph) {
    size_t count = graph->input_count + graph->output_count;
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        count += 2 * (node->result_count + node->body->node_count + node->input_count);
        for (size_t k = 0; k < node->body->node_count; k++) {
            count += 2 * node->body->nodes[k]->input_count;
        }
    }
    return count;
}

bool segment_list(struct segment *segment) {
    const struct weft_graph *graph = segment->graph;
    struct weft_arena *arena = segment->arena;
    size_t most = most_layers(graph);
    struct listing listing = {segment, weft_map_new(arena)};
    segment->layers = WEFT_NEW_ARRAY(arena, most, struct layer);
    segment->tilings = WEFT_NEW_ARRAY(arena, most, struct tiling);
    segment->tensors_of = weft_arena_allocate(arena, most, sizeof *segment->tensors_of);
    /* of each layer the result and, at most, two constants */
    segment->tensors = WEFT_NEW_ARRAY(arena, 3 * most + graph->input_count, struct tensor);
    segment->first_weights = WEFT_NEW_ARRAY(arena, most, int);
    segment->first_parameters = WEFT_NEW_ARRAY(arena, most, int);
    for (size_t i = 0; i < graph->input_count; i++) {
        add_input(&listing, graph->inputs[i], (int64_t)i);
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        if (!add_composite(&listing, graph->nodes[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < graph->output_count; i++) {
        add_output(&listing, graph->outputs[i], (int64_t)i);
    }
    return true;
}
