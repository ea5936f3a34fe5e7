/* Tensors of a region: formats and views. */
#include <string.h>

#include "base/integer.h"
#include "compiler/schedule/segment.h"

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
    int behind = segment->layers[layer].behind;
    return &segment->layers[slot == 1 && behind >= 0 ? behind : layer];
}

/* The byte that surrounds a tensor before its function is applied. Lines of packed tensors hold
 * parts of the halo too, which have to come out as the zero point. */
static void set_fill(struct tensor *tensor) {
    tensor->fill = tensor->zero;
    if (!tensor->packed || tensor->table == NULL) {
        return;
    }
    tensor->packed = false;
    for (int32_t byte = INT8_MIN; byte <= INT8_MAX && !tensor->packed; byte++) {
        if (tensor->table[(uint8_t)byte] == (uint8_t)tensor->zero) {
            tensor->packed = true;
            tensor->fill = byte;
        }
    }
}

static void find_formats(struct segment *segment) {
    for (int t = 0; t < segment->tensor_count; t++) {
        struct tensor *tensor = &segment->tensors[t];
        tensor->packed = tensor->input >= 0 && tensor->last_use >= 0;
        for (int i = 0; i < segment->layer_count; i++) {
            const struct layer *layer = &segment->layers[i];
            for (uint32_t k = 0; k < layer->input_count && reads_on_chip(layer->kind); k++) {
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
        set_fill(tensor);
    }
}

/* Who reads a tensor on chip last. Others read it, and some write it, as [N, H, W, C] in external
 * memory. */
static void find_uses(struct segment *segment) {
    for (int t = 0; t < segment->tensor_count; t++) {
        segment->tensors[t].last_use = -1;
    }
    for (int i = 0; i < segment->layer_count; i++) {
        const struct layer *layer = &segment->layers[i];
        struct tensor *to = &segment->tensors[segment->tensors_of[i][2]];
        if (is_done(segment, i)) {
            continue;
        }
        for (uint32_t k = 0; k < layer->input_count; k++) {
            struct tensor *from = &segment->tensors[segment->tensors_of[i][k]];
            if (reads_on_chip(layer->kind)) {
                from->last_use = i;
            } else {
                from->external = from->nhwc = true;
            }
        }
        if (!makes_on_chip(layer->kind)) {
            to->external = to->nhwc = true;
        }
        if (layer->kind == LAYER_RESHAPE) {
            to->same_bytes = segment->tensors_of[i][0];
        }
    }
}

bool segment_create(struct weft_arena *arena, const struct weft_config *config,
                    const struct weft_graph *graph, const struct schedule_style *style,
                    struct segment *segment, struct weft_error *error) {
    *segment = (struct segment){
        .style = *style, .arena = arena, .config = config, .graph = graph, .error = error};
    if (!segment_list(segment)) {
        return false;
    }
    segment->chain_first = WEFT_NEW_ARRAY(arena, (size_t)segment->layer_count, int);
    segment->chain_last = WEFT_NEW_ARRAY(arena, (size_t)segment->layer_count, int);
    for (int i = 0; i < segment->layer_count; i++) {
        segment->chain_first[i] = segment->chain_last[i] = i;
    }
    segment_dissolve(segment);
    find_uses(segment);
    if (style->behind) {
        fuse_behind(segment);
    }
    find_formats(segment);
    for (int t = 0; t < segment->tensor_count; t++) {
        struct tensor *tensor = &segment->tensors[t];
        if (tensor->input >= 0 || tensor->output >= 0 || tensor->constant != NULL) {
            tensor->external = tensor->nhwc = true;
        }
    }
    return true;
}

static void *copy_array(struct weft_arena *arena, const void *array, int count, size_t size) {
    void *copy = weft_arena_allocate(arena, (size_t)count, size);
    memcpy(copy, array, (size_t)count * size);
    return copy;
}

void segment_copy(const struct segment *segment, struct weft_arena *arena, struct segment *copy) {
    int layers = segment->layer_count;
    *copy = *segment;
    copy->arena = arena;
    copy->layers = copy_array(arena, segment->layers, layers, sizeof *copy->layers);
    copy->tensors =
        copy_array(arena, segment->tensors, segment->tensor_count, sizeof *copy->tensors);
    copy->tensors_of = copy_array(arena, segment->tensors_of, layers, sizeof *copy->tensors_of);
    copy->chain_first = copy_array(arena, segment->chain_first, layers, sizeof(int));
    copy->chain_last = copy_array(arena, segment->chain_last, layers, sizeof(int));
    copy->tilings = WEFT_NEW_ARRAY(arena, (size_t)layers, struct tiling);
    copy->first_weights = WEFT_NEW_ARRAY(arena, (size_t)layers, int);
    copy->first_parameters = WEFT_NEW_ARRAY(arena, (size_t)layers, int);
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
