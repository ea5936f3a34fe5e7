/* Layers and tensors of a region. */
#include "base/integer.h"
#include "compiler/schedule/segment.h"

/* ---- lists ---- */

static int add_tensor(struct segment *segment, struct weft_map *known,
                      const struct weft_value *value, int producer) {
    struct tensor *tensor = &segment->tensors[segment->tensor_count];
    *tensor = (struct tensor){
        .value = value,
        .zero = value->type.quantization.count > 0 ? weft_type_zero(&value->type, 0) : 0,
        .producer = producer,
        .last_use = -1,
        .input = -1,
        .output = -1,
        .constant = weft_value_data(value),
        .same_bytes = -1};
    (void)shape_of(&value->type, &tensor->shape); /* the pattern table has checked the rank */
    weft_map_set(known, value, (void *)(uintptr_t)(segment->tensor_count + 1));
    return segment->tensor_count++;
}

static int tensor_of(const struct weft_map *known, const struct weft_value *value) {
    return (int)(uintptr_t)weft_map_get(known, value) - 1;
}

/* The tensor that a layer reads: its body has a copy of a constant, or an input that stands for a
 * value of the region. */
static int input_tensor(struct segment *segment, struct weft_map *known,
                        const struct weft_node *node, const struct weft_value *input) {
    if (weft_value_data(input) == NULL) {
        return tensor_of(known, node->inputs[input->index]);
    }
    int index = tensor_of(known, input);
    return index >= 0 ? index : add_tensor(segment, known, input, -1);
}

static bool list_layers(struct segment *segment, struct weft_map *known) {
    const struct weft_graph *graph = segment->graph;
    for (size_t i = 0; i < graph->input_count; i++) {
        int index = add_tensor(segment, known, graph->inputs[i], -1);
        segment->tensors[index].input = (int64_t)i;
    }
    for (int i = 0; i < segment->layer_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        struct layer *layer = &segment->layers[i];
        const char *reason =
            layer_lower(segment->arena, segment->config, node->body->outputs[0], layer);
        if (reason != NULL) {
            return weft_fail(segment->error, WEFT_INTERNAL, (uint64_t)i,
                             "layer %d was claimed for the machine: %s", i, reason);
        }
        for (uint32_t k = 0; k < layer->input_count; k++) {
            int index = input_tensor(segment, known, node, layer->input[k]);
            segment->tensors_of[i][k] = index;
            segment->tensors[index].last_use = i;
            layer->input[k] = segment->tensors[index].value;
        }
        layer->output = node->results[0];
        segment->tensors_of[i][2] = add_tensor(segment, known, node->results[0], i);
    }
    for (size_t i = 0; i < graph->output_count; i++) {
        segment->tensors[tensor_of(known, graph->outputs[i])].output = (int64_t)i;
    }
    return true;
}

/* ---- halos and formats ---- */

static void need_halo(const struct layer *layer, struct tensor *tensor) {
    if (layer->kind != LAYER_CONV && layer->kind != LAYER_DEPTHWISE) {
        return; /* pools clip their windows */
    }
    for (int side = 0; side < 4; side++) {
        /* turned: columns of the layer are rows of the tensor */
        int64_t pad = layer->pad[layer->turned ? side ^ 1 : side];
        tensor->halo[side] = weft_max(tensor->halo[side], pad);
    }
}

/* Can the layer read its input as rows of W * C bytes? */
static bool reads_packed(const struct segment *segment, const struct layer *layer) {
    return layer->kind == LAYER_CONV && layer->groups == 1 && !layer->turned &&
           layer->in.c < segment->config->block && layer->dilation[1] == 1;
}

const struct layer *reader_of(const struct segment *segment, int layer, uint32_t slot) {
    int sum = segment->layers[layer].sum;
    return &segment->layers[slot == 1 && sum >= 0 ? sum : layer];
}

static void find_formats(struct segment *segment) {
    for (int t = 0; t < segment->tensor_count; t++) {
        struct tensor *tensor = &segment->tensors[t];
        tensor->packed = tensor->input >= 0 && tensor->last_use >= 0;
        for (int i = 0; i < segment->layer_count; i++) {
            const struct layer *layer = &segment->layers[i];
            for (uint32_t k = 0; k < layer->input_count; k++) {
                if (segment->tensors_of[i][k] != t) {
                    continue;
                }
                const struct layer *reader = reader_of(segment, i, k);
                need_halo(reader, tensor);
                tensor->odd_pitch = tensor->odd_pitch || reader->kind == LAYER_DEPTHWISE ||
                                    reader->kind == LAYER_AVGPOOL;
                tensor->packed = tensor->packed && reads_packed(segment, reader);
            }
        }
    }
}

/* Same [N, H, W, C]: the result of a reshape can be the tensor itself. */
static bool same_shape(const struct shape *a, const struct shape *b) {
    return a->n == b->n && a->h == b->h && a->w == b->w && a->c == b->c;
}

/* A reshape that keeps [N, H, W, C] is no work at all: its result becomes another name of its
 * input. */
static void drop_reshapes(struct segment *segment) {
    for (int i = 0; i < segment->layer_count; i++) {
        int from = segment->tensors_of[i][0];
        int to = segment->tensors_of[i][2];
        struct tensor *in = &segment->tensors[from];
        struct tensor *out = &segment->tensors[to];
        if (segment->layers[i].kind != LAYER_RESHAPE || !same_shape(&in->shape, &out->shape) ||
            in->input >= 0 || (in->output >= 0 && out->output >= 0)) {
            continue;
        }
        in->output = weft_max(in->output, out->output);
        in->last_use = (int)weft_max(in->last_use, out->last_use);
        for (int k = i; k < segment->layer_count; k++) {
            for (uint32_t j = 0; j < segment->layers[k].input_count; j++) {
                if (segment->tensors_of[k][j] == to) {
                    segment->tensors_of[k][j] = from;
                }
            }
        }
        segment->tensors_of[i][2] = from;
        out->producer = -1;
        out->output = -1;
    }
}

/* Other reshapes read and write [N, H, W, C] in external memory. */
static void place_reshapes(struct segment *segment) {
    for (int i = 0; i < segment->layer_count; i++) {
        int from = segment->tensors_of[i][0];
        int to = segment->tensors_of[i][2];
        if (segment->layers[i].kind != LAYER_RESHAPE || from == to) {
            continue;
        }
        segment->tensors[from].external = segment->tensors[from].nhwc = true;
        segment->tensors[to].external = segment->tensors[to].nhwc = true;
        segment->tensors[to].same_bytes = from;
    }
}

bool segment_create(struct weft_arena *arena, const struct weft_config *config,
                    const struct weft_graph *graph, const struct schedule_style *style,
                    struct segment *segment, struct weft_error *error) {
    size_t layers = graph->node_count;
    *segment = (struct segment){
        .style = *style, .arena = arena, .config = config, .graph = graph, .error = error};
    segment->layer_count = (int)layers;
    segment->layers = WEFT_NEW_ARRAY(arena, layers, struct layer);
    segment->tilings = WEFT_NEW_ARRAY(arena, layers, struct tiling);
    segment->chain_first = WEFT_NEW_ARRAY(arena, layers, int);
    segment->chain_last = WEFT_NEW_ARRAY(arena, layers, int);
    for (int i = 0; i < segment->layer_count; i++) {
        segment->chain_first[i] = segment->chain_last[i] = i;
    }
    segment->tensors_of = weft_arena_allocate(arena, layers, sizeof *segment->tensors_of);
    /* of each layer the result and, at most, two constants */
    segment->tensors = WEFT_NEW_ARRAY(arena, 3 * layers + graph->input_count, struct tensor);
    segment->first_weights = WEFT_NEW_ARRAY(arena, layers, int);
    segment->first_parameters = WEFT_NEW_ARRAY(arena, layers, int);
    if (!list_layers(segment, weft_map_new(arena))) {
        return false;
    }
    drop_reshapes(segment);
    if (style->sums_behind) {
        fuse_sums(segment);
    }
    find_formats(segment);
    place_reshapes(segment);
    for (int t = 0; t < segment->tensor_count; t++) {
        struct tensor *tensor = &segment->tensors[t];
        if (tensor->input >= 0 || tensor->output >= 0 || tensor->constant != NULL) {
            tensor->external = tensor->nhwc = true;
        }
    }
    return true;
}

/* ---- views ---- */

/* Bytes from column to column. */
static int64_t view_pixel_bytes(const struct segment *segment, const struct tensor *tensor) {
    return tensor->packed ? tensor->shape.c : segment->config->block;
}

int64_t view_pitch(const struct segment *segment, const struct tensor *tensor) {
    int64_t side = weft_max(tensor->halo[LEFT], tensor->halo[RIGHT]);
    int64_t columns = tensor->shape.w + side;
    if (!tensor->packed && tensor->odd_pitch && columns % 2 == 0) {
        columns++; /* rows of a window then lie in different sub-banks */
    }
    return columns * view_pixel_bytes(segment, tensor);
}

struct view view_at(const struct segment *segment, const struct tensor *tensor, int64_t address,
                    const struct stripe *stripe, int64_t *bytes) {
    int64_t block = segment->config->block;
    struct view view = {.pixel = view_pixel_bytes(segment, tensor),
                        .pitch = view_pitch(segment, tensor),
                        .first_row = stripe->first,
                        .row_step = stripe->row_step,
                        .first_image = stripe->first_image,
                        .first_block = stripe->first_block};
    int64_t lead = tensor->halo[LEFT] * view.pixel;
    view.base = address + lead;
    view.plane = weft_ceil_div(stripe->end - stripe->first, stripe->row_step) * view.pitch + lead;
    if (tensor->packed) {
        /* A dense read takes B bytes, wherever it starts. */
        view.plane = weft_round_up(view.plane + block, block);
        view.image = view.plane;
    } else {
        int64_t bank = weft_bank_bytes(segment->config, WEFT_MEMORY_ACT);
        int64_t planes = stripe_blocks(segment, tensor, stripe);
        /* Planes in banks of their own let vector write one while matrix reads another; not worth
         * it for tiny ones. */
        if (planes > 1 && view.plane * 4 >= bank &&
            weft_round_up(view.plane, bank) * planes <= (int64_t)segment->config->act_bytes / 4) {
            view.plane = weft_round_up(view.plane, bank);
        }
        view.image = view.plane * planes;
    }
    *bytes = view.image * (stripe->end_image - stripe->first_image);
    return view;
}
