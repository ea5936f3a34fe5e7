/* From the composites of a region to layers and tensors. */
#include <string.h>

#include "base/integer.h"
#include "compiler/plan/region.h"

struct listing {
    struct region *region;
    struct weft_error *error;
    struct weft_map *known; /* value -> number of its tensor + 1 */
    int64_t inputs;         /* of a layer that is listed alone */
};

/* ---- lowering ---- */

/* The operator that a chain is about: what a requantize, or a bias, of the chain works on. */
static enum weft_operator operator_of(const struct lowering *lowering,
                                      const struct weft_node *node) {
    const struct weft_node *inner = made_inside(lowering, node->inputs[0]);
    if (node->op == WEFT_OP_QNN_REQUANTIZE && inner != NULL) {
        inner = inner->op == WEFT_OP_BIAS_ADD ? made_inside(lowering, inner->inputs[0]) : inner;
        return inner->op;
    }
    return node->op;
}

const char *layer_lower(struct weft_arena *arena, const struct weft_config *config,
                        const struct weft_value *root, const struct weft_match *match,
                        struct layer *layer) {
    const struct lowering lowering = {arena, config, match, layer};
    const char *reason = "the machine has no operation for this";
    for (int kind = 0; kind < LAYER_KINDS; kind++) {
        const struct layer_operations *operations = layer_operations[kind];
        for (size_t i = 0; i < operations->pattern_count; i++) {
            *layer =
                (struct layer){.source = root->producer->source, .behind = -1, .spread = {1, 1}};
            const struct weft_node *node = skip_clip(&lowering, root);
            if (operations->patterns[i].op != operator_of(&lowering, node)) {
                continue;
            }
            reason = operations->patterns[i].lower(&lowering, node, root);
            reason = reason == NULL ? layer_lacks(config, layer) : reason;
            if (reason == NULL) {
                return NULL;
            }
        }
    }
    return reason;
}

/* ---- tensors ---- */

int region_add_tensor(struct region *region, const struct shape *shape, int32_t zero) {
    region->tensors = weft_arena_grow(region->arena, region->tensors, (size_t)region->tensor_count,
                                      &region->tensor_capacity, sizeof *region->tensors);
    region->tensors[region->tensor_count] = (struct tensor){.shape = *shape,
                                                            .zero = zero,
                                                            .producer = -1,
                                                            .last_use = -1,
                                                            .input = -1,
                                                            .output = -1,
                                                            .same_bytes = -1,
                                                            .within = -1};
    return region->tensor_count++;
}

static int add_value(struct listing *listing, const struct weft_value *value) {
    const struct shape shape = shape_of(&value->type);
    int index = region_add_tensor(listing->region, &shape, machine_zero(&value->type));
    weft_map_set(listing->known, value, (void *)(uintptr_t)(index + 1));
    return index;
}

static int known_tensor(const struct listing *listing, const struct weft_value *value) {
    return (int)(uintptr_t)weft_map_get(listing->known, value) - 1;
}

/* The channels to which a tensor of one is repeated for arithmetic by element: a block serves all.
 */
static int64_t repeated_channels(const struct region *region, const struct layer *layer) {
    return weft_min(layer->out.c, region->config->block);
}

/* A constant of one channel, repeated over `channels`. */
static const uint8_t *repeat_channels(struct weft_arena *arena, const uint8_t *bytes,
                                      struct shape *shape, int64_t channels) {
    int64_t pixels = shape->n * shape->h * shape->w;
    uint8_t *repeated = WEFT_NEW_ARRAY(arena, (size_t)(pixels * channels), uint8_t);
    for (int64_t i = 0; i < pixels; i++) {
        memset(repeated + i * channels, bytes[i], (size_t)channels);
    }
    shape->c = channels;
    return repeated;
}

/* A value from outside of a layer that is listed alone. */
static int outer_tensor(struct listing *listing, const struct weft_value *value) {
    int index = known_tensor(listing, value);
    if (index < 0) {
        index = add_value(listing, value);
        listing->region->tensors[index].input = listing->inputs++;
    }
    return index;
}

/* The tensor that a layer reads: the body of its composite has a copy of a constant, or an input
 * that stands for a value of the region. */
static int input_tensor(struct listing *listing, const struct weft_node *node,
                        const struct layer *layer, const struct weft_value *input) {
    struct region *region = listing->region;
    const uint8_t *constant = machine_bytes(region->arena, input);
    if (constant == NULL) {
        return node == NULL ? outer_tensor(listing, input)
                            : known_tensor(listing, node->inputs[input->index]);
    }
    int index = known_tensor(listing, input);
    if (index < 0) {
        index = add_value(listing, input);
        struct tensor *tensor = &region->tensors[index];
        tensor->constant = constant;
        if (layer->kind == LAYER_BINARY) {
            tensor->constant = tensor->shape.c == layer->out.c
                                   ? constant
                                   : repeat_channels(region->arena, constant, &tensor->shape,
                                                     repeated_channels(region, layer));
        }
    }
    return index;
}

/* ---- layers ---- */

struct layer *region_add_layer(struct region *region, const struct layer *layer, int to) {
    int index = region->layer_count;
    size_t capacity = region->layer_capacity;
    region->layers = weft_arena_grow(region->arena, region->layers, (size_t)index,
                                     &region->layer_capacity, sizeof *region->layers);
    region->tensors_of = weft_arena_grow(region->arena, region->tensors_of, (size_t)index,
                                         &capacity, sizeof *region->tensors_of);
    region->layer_count++;
    region->layers[index] = *layer;
    region->layers[index].input_count = 0;
    region->tensors_of[index][2] = to;
    region->tensors[to].producer = index;
    return &region->layers[index];
}

void region_add_operand(struct region *region, int tensor) {
    int index = region->layer_count - 1;
    region->tensors_of[index][region->layers[index].input_count++] = tensor;
    region->tensors[tensor].last_use = index;
}

void region_add_place(struct region *region, const struct layer *user, int from, int to,
                      int64_t first_column, int64_t first_channel) {
    const struct layer place = {.kind = LAYER_PLACE,
                                .behind = -1,
                                .name = "place",
                                .source = user->source,
                                .output = user->output,
                                .in = region->tensors[from].shape,
                                .out = region->tensors[from].shape,
                                .spread = {1, 1},
                                .begin = {0, 0, first_column, first_channel}};
    region->tensors[to].joined = true;
    region_add_layer(region, &place, to);
    region_add_operand(region, from);
}

/* A layer that flips the top bits: uint8 tensors lie so on the machine, but not outside. */
static void add_flip(struct region *region, const struct weft_value *value, int from, int to) {
    const struct shape *shape = &region->tensors[from].shape;
    const struct layer layer = {.kind = LAYER_TABLE,
                                .behind = -1,
                                .name = "requantize",
                                .source = -1,
                                .output = value,
                                .in = *shape,
                                .out = *shape,
                                .table = flip_table(region->arena)};
    region_add_layer(region, &layer, to);
    region_add_operand(region, from);
}

/* A layer that spreads the rows and columns of a tensor apart, for the convolution `layer`; returns
 * its result. */
static int add_spread(struct region *region, const struct layer *layer, int from) {
    struct tensor *tensor = &region->tensors[from];
    if (layer->kind != LAYER_CONV || (layer->spread[0] == 1 && layer->spread[1] == 1)) {
        return from;
    }
    int to = region_add_tensor(region, &layer->in, tensor->zero);
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
    region_add_layer(region, &pad, to);
    region_add_operand(region, from);
    return to;
}

struct layer moving_layer(struct weft_arena *arena, const struct layer *user, const char *name,
                          const struct shape *in, int64_t channels, int64_t groups) {
    struct layer layer = {.behind = -1,
                          .name = name,
                          .source = user->source,
                          .output = user->output,
                          .in = *in,
                          .out = *in,
                          .spread = {1, 1},
                          .low = INT8_MIN,
                          .high = INT8_MAX};
    layer.out.c = channels;
    layer_moves_channels(arena, &layer, groups);
    return layer;
}

int region_repeat_channels(struct region *region, const struct layer *user, int from,
                           int64_t channels) {
    const struct tensor *tensor = &region->tensors[from];
    struct layer repeat =
        moving_layer(region->arena, user, "repeat", &tensor->shape, channels, tensor->shape.c);
    int8_t *weights = WEFT_NEW_ARRAY(region->arena, (size_t)channels, int8_t);
    memset(weights, 1, (size_t)channels);
    repeat.weights = weights;
    int to = region_add_tensor(region, &repeat.out, tensor->zero);
    region_add_layer(region, &repeat, to);
    region_add_operand(region, from);
    return to;
}

/* An operand as the layer reads it. */
static int add_operand(struct region *region, const struct layer *layer, int from) {
    bool repeats =
        layer->kind == LAYER_BINARY && is_repeated(region->tensors[from].shape.c, layer->out.c);
    return repeats ? region_repeat_channels(region, layer, from, repeated_channels(region, layer))
                   : add_spread(region, layer, from);
}

/* Is it worth it to bring a convolution's operand of few channels back from external memory? It has
 * a step for each tap as it is, one for each B bytes of a row of the window as rows of bytes. */
static bool is_worth_packing(const struct weft_config *config, const struct layer *layer) {
    int64_t block = config->block;
    int64_t taps = layer->kernel[0] * layer->kernel[1];
    int64_t steps = layer->kernel[0] * weft_ceil_div(layer->kernel[1] * layer->in.c, block);
    int64_t results = layer->out.n * layer->out.h * layer->out.w;
    int64_t pixels = layer->in.n * layer->in.h * layer->in.w;
    enum {
        WAIT = 2000 /* cycles: storing ends, loading begins, and chains are broken */
    };
    return layer->groups == 1 && 2 * layer->in.c <= block && reads_packed(config, layer) &&
           (taps - steps) * results * weft_ceil_div(layer->out.c, block) > 2 * pixels + WAIT;
}

/* Is a tensor one that is loaded from external memory in any case, but for what changes its shape
 * or its bytes on the way (dissolve.c, absorb.c)? */
static bool is_loaded(const struct region *region, int tensor) {
    const struct tensor *t = &region->tensors[tensor];
    while (t->producer >= 0 && !t->joined) {
        enum layer_kind kind = region->layers[t->producer].kind;
        if (kind != LAYER_PAD && kind != LAYER_SLICE && kind != LAYER_RESHAPE &&
            kind != LAYER_TABLE) {
            return false;
        }
        t = &region->tensors[region->tensors_of[t->producer][0]];
    }
    return true;
}

/* An operand that the region has made, as a tensor that comes from external memory. */
static int add_packed(struct region *region, const struct layer *user, int from) {
    const struct tensor tensor = region->tensors[from];
    if (!is_worth_packing(region->config, user) || is_loaded(region, from)) {
        return from;
    }
    for (int i = tensor.producer + 1; i < region->layer_count; i++) { /* for another reader */
        int made = region->tensors_of[i][2];
        if (region->layers[i].kind == LAYER_PLACE && region->tensors_of[i][0] == from &&
            same_shape(&region->tensors[made].shape, &tensor.shape)) {
            return made;
        }
    }
    int to = region_add_tensor(region, &tensor.shape, tensor.zero);
    region_add_place(region, user, from, to, 0, 0);
    return to;
}

/* A layer and its result; a mean makes tensors whose axes still have to be dropped. */
static void add_result(struct listing *listing, const struct layer *layer,
                       const struct weft_node *node, const struct weft_value *result) {
    struct region *region = listing->region;
    struct shape shape = layer->side_by_side[2] ? shape_of(&result->type) : layer->out;
    int inputs[2] = {0};
    for (uint32_t k = 0; k < layer->input_count; k++) {
        inputs[k] = add_operand(region, layer, input_tensor(listing, node, layer, layer->input[k]));
    }
    inputs[0] = add_packed(region, layer, inputs[0]);
    int to = add_value(listing, result);
    bool alike = same_shape(&shape, &region->tensors[to].shape);
    int made = alike ? to : region_add_tensor(region, &shape, region->tensors[to].zero);
    region_add_layer(region, layer, made)->output = result;
    for (uint32_t k = 0; k < layer->input_count; k++) {
        region_add_operand(region, inputs[k]);
    }
    if (!alike) {
        const struct layer reshape = {.kind = LAYER_RESHAPE,
                                      .behind = -1,
                                      .name = "reshape",
                                      .source = layer->source,
                                      .output = result,
                                      .out = region->tensors[to].shape};
        region_add_layer(region, &reshape, to);
        region_add_operand(region, made);
    }
}

/* The layers of a concatenation: each operand, what becomes of its bytes if they change, goes to
 * its part of the result. */
static void add_places(struct listing *listing, const struct layer *layer,
                       const struct weft_node *node, const struct weft_value *result) {
    struct region *region = listing->region;
    int *from = WEFT_NEW_ARRAY(region->arena, layer->input_count, int);
    for (uint32_t k = 0; k < layer->input_count; k++) {
        from[k] = input_tensor(listing, node, layer, layer->input[k]);
    }
    int to = add_value(listing, result);
    int64_t begin = 0;
    for (uint32_t k = 0; k < layer->input_count; k++) {
        struct layer part = *layer;
        part.output = result;
        part.in = part.out = region->tensors[from[k]].shape;
        if (layer->input_tables[k] != NULL) {
            int changed = region_add_tensor(region, &part.in, region->tensors[to].zero);
            part.kind = LAYER_TABLE;
            part.table = layer->input_tables[k];
            region_add_layer(region, &part, changed);
            region_add_operand(region, from[k]);
            from[k] = changed;
        }
        part.kind = LAYER_PLACE;
        part.begin[layer->axis] = begin;
        region_add_layer(region, &part, to);
        region_add_operand(region, from[k]);
        const int64_t size[4] = {part.in.n, part.in.h, part.in.w, part.in.c};
        begin += size[layer->axis];
    }
    region->tensors[to].joined = true;
}

static bool add_composite(struct listing *listing, const struct weft_node *node) {
    struct region *region = listing->region;
    for (uint32_t i = 0; i < node->result_count; i++) {
        struct layer layer;
        const char *reason =
            layer_lower(region->arena, region->config, node->body->outputs[i], NULL, &layer);
        if (reason != NULL) {
            return weft_fail(listing->error, WEFT_INTERNAL, 0,
                             "operator %d was claimed for the machine: %s", node->source, reason);
        }
        (layer.kind == LAYER_PLACE ? add_places : add_result)(listing, &layer, node,
                                                              node->results[i]);
    }
    return true;
}

/* ---- all ---- */

static void add_input(struct listing *listing, const struct weft_value *value, int64_t number) {
    struct region *region = listing->region;
    int index = add_value(listing, value);
    if (value->type.dtype == WEFT_U8) {
        int raw = index;
        index = add_value(listing, value);
        add_flip(region, value, raw, index);
        index = raw;
    }
    region->tensors[index].input = number;
}

static void add_output(struct listing *listing, const struct weft_value *value, int64_t number) {
    struct region *region = listing->region;
    int index = known_tensor(listing, value);
    if (value->type.dtype == WEFT_U8) {
        struct shape shape = region->tensors[index].shape;
        int raw = region_add_tensor(region, &shape, 0);
        add_flip(region, value, index, raw);
        index = raw;
    }
    region->tensors[index].output = number;
}

/* ---- the order of layers ---- */

/* Puts layer `from` before layer `to`, which comes before it. */
static void move_before(struct region *region, int from, int to) {
    const struct layer layer = region->layers[from];
    int tensors[3];
    memcpy(tensors, region->tensors_of[from], sizeof tensors);
    for (int i = from; i > to; i--) {
        region->layers[i] = region->layers[i - 1];
        memcpy(region->tensors_of[i], region->tensors_of[i - 1], sizeof tensors);
    }
    region->layers[to] = layer;
    memcpy(region->tensors_of[to], tensors, sizeof tensors);
    for (int i = to; i <= from; i++) {
        region->tensors[region->tensors_of[i][2]].producer = i;
        for (uint32_t k = 0; k < region->layers[i].input_count; k++) {
            int *last = &region->tensors[region->tensors_of[i][k]].last_use;
            *last = *last < i ? i : *last;
        }
    }
}

/* Moves the layer that makes a tensor up to where its operands are there. */
static void make_early(struct region *region, int tensor) {
    int made = region->tensors[tensor].producer;
    if (made < 0 || operations_of(&region->layers[made])->gathers_weights) {
        return;
    }
    if (region->layers[made].kind == LAYER_RESHAPE) {
        make_early(region, region->tensors_of[made][0]);
        made = region->tensors[tensor].producer;
    }
    int first = 0;
    for (uint32_t k = 0; k < region->layers[made].input_count; k++) {
        int before = region->tensors[region->tensors_of[made][k]].producer;
        first = before >= first ? before + 1 : first;
    }
    move_before(region, made, first);
}

/* The weights that a layer gathers were stored just before, and take a while to come back: they are
 * made as early as can be, and layers that do not need the result are carried out meanwhile, as far
 * as the next such layer. */
static void fill_waits(struct region *region) {
    bool *needs = WEFT_NEW_ARRAY(region->arena, (size_t)region->tensor_count, bool);
    for (int i = region->layer_count - 1; i >= 0; i--) { /* what is waited for first comes first */
        if (operations_of(&region->layers[i])->gathers_weights) {
            make_early(region, region->tensors_of[i][1]);
        }
    }
    for (int i = 0; i < region->layer_count; i++) {
        if (!operations_of(&region->layers[i])->gathers_weights) {
            continue;
        }
        memset(needs, 0, (size_t)region->tensor_count * sizeof *needs);
        needs[region->tensors_of[i][2]] = true;
        for (int j = i + 1; j < region->layer_count; j++) {
            bool waits = operations_of(&region->layers[j])->gathers_weights;
            for (uint32_t k = 0; k < region->layers[j].input_count; k++) {
                waits = waits || needs[region->tensors_of[j][k]];
            }
            if (waits) {
                needs[region->tensors_of[j][2]] = true;
            } else {
                move_before(region, j, i++);
            }
        }
    }
}

bool region_list(struct region *region, struct weft_error *error) {
    const struct weft_graph *graph = region->graph;
    struct weft_arena *arena = region->arena;
    struct listing listing = {region, error, weft_map_new(arena), 0};
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
    fill_waits(region);
    return true;
}

void region_list_layer(struct region *region, const struct layer *layer) {
    struct listing listing = {region, NULL, weft_map_new(region->arena), 0};
    (layer->kind == LAYER_PLACE ? add_places : add_result)(&listing, layer, NULL, layer->output);
    region->tensors[known_tensor(&listing, layer->output)].output = 0;
}
