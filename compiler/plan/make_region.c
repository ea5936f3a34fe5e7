/* A region: what its layers need of its tensors. */
#include <string.h>

#include "base/integer.h"
#include "compiler/plan/packed.h"
#include "compiler/plan/region.h"

/* ---- halos and formats ---- */

static void need_halo(const struct layer *layer, struct tensor *tensor) {
    if (!sees_halo(layer)) {
        return; /* pools clip their windows */
    }
    for (int side = 0; side < 4; side++) {
        tensor->halo[side] = weft_max(tensor->halo[side], layer->pad[side]);
    }
}

bool table_has_zero(const struct tensor *tensor) {
    bool found = tensor->table == NULL;
    for (int byte = 0; byte < 256 && !found; byte++) {
        found = tensor->table[byte] == (uint8_t)tensor->zero;
    }
    return found;
}

/* What a layer needs of a tensor that it reads on chip. */
static void need_format(const struct region *region, const struct layer *reader,
                        struct tensor *tensor) {
    need_halo(reader, tensor);
    tensor->odd_pitch = tensor->odd_pitch || operations_of(reader)->reads_rows_at_once;
    tensor->can_pack = tensor->can_pack && reads_packed(region->config, reader);
}

/* The window that all who read a packed tensor share, where that takes fewer steps than rows that
 * begin a step each, several in one when they are short. */
static void need_window(const struct region *region, const struct layer *reader, bool is_first,
                        struct tensor *tensor) {
    const struct weft_config *config = region->config;
    int64_t block = config->block;
    int64_t bytes = reader->kernel[1] * reader->in.c;
    int64_t pitch =
        (tensor->shape.w + weft_max(tensor->halo[LEFT], tensor->halo[RIGHT])) * tensor->shape.c;
    int64_t together = bytes <= pitch && bytes <= block ? (block - bytes) / pitch + 1 : 1;
    int64_t steps = weft_ceil_div(reader->kernel[0], together) * weft_ceil_div(bytes, block);
    struct dense_window window = dense_window_of(config, reader);
    if (window.steps >= steps) {
        window.steps = 0;
    }
    if (is_first) {
        tensor->window = window;
    } else if (memcmp(&window, &tensor->window, sizeof window) != 0) {
        tensor->window.steps = 0;
    }
}

static void find_windows(struct region *region) {
    for (int i = 0; i < region->layer_count; i++) {
        const struct layer *layer = &region->layers[i];
        int t = region->tensors_of[i][0];
        struct tensor *tensor = &region->tensors[t];
        if (layer->kind == LAYER_CONV && tensor->can_pack) {
            need_window(region, layer, tensor->window.bytes == 0, tensor);
        }
    }
}

/* Does the kind take any strides between channel blocks and rows? */
static bool takes_any_strides(enum layer_kind kind) {
    return kind == LAYER_MATMUL || kind == LAYER_SOFTMAX || kind == LAYER_TABLE ||
           kind == LAYER_BINARY || kind == LAYER_TRANSPOSE;
}

/* Matrices that are in rows lie one after the other, so that one is read while the next is made. */
static void part_rows(struct region *region) {
    for (int t = 0; t < region->tensor_count; t++) {
        region->tensors[t].rows_apart = false;
    }
    for (int i = 0; i < region->layer_count; i++) {
        const struct layer *layer = &region->layers[i];
        for (int slot = 0; slot < 3 && layer->kind == LAYER_MATMUL; slot += 2) {
            struct tensor *tensor = &region->tensors[region->tensors_of[i][slot]];
            tensor->rows_apart = !layer->side_by_side[slot] && tensor->shape.h > 1;
        }
    }
    for (int i = 0; i < region->layer_count; i++) {
        const struct layer *layer = &region->layers[i];
        for (int slot = 0; slot < 3 && !is_done(region, i); slot++) {
            bool is_other = layer->kind == LAYER_MATMUL && layer->side_by_side[slot];
            bool is_used = slot == 2 ? operations_of(layer)->makes_on_chip
                                     : slot < (int)layer->input_count && reads_on_chip(layer, slot);
            if (is_used && (is_other || !takes_any_strides(layer->kind))) {
                region->tensors[region->tensors_of[i][slot]].rows_apart = false;
            }
        }
        if (layer->summed > 0) { /* the mean behind it reads rows at once, and is no user itself */
            region->tensors[region->tensors_of[i][2]].rows_apart = false;
        }
    }
}

/* Is it one of the region's inputs, perhaps in another shape, as a picture of one channel is whose
 * channels came first? */
static bool is_given(const struct region *region, const struct tensor *tensor) {
    while (tensor->same_bytes >= 0) {
        tensor = &region->tensors[tensor->same_bytes];
    }
    return tensor->input >= 0;
}

/* Is it a concatenation whose pixels are neighbours in external memory: not among the channels of
 * another one? */
static bool is_joined_alone(const struct region *region, const struct tensor *tensor) {
    const struct tensor *outer = tensor;
    while (outer->within >= 0) {
        outer = &region->tensors[outer->within];
    }
    return tensor->joined && outer->shape.c == tensor->shape.c;
}

static void find_formats(struct region *region) {
    for (int t = 0; t < region->tensor_count; t++) {
        struct tensor *tensor = &region->tensors[t];
        tensor->can_pack =
            (is_given(region, tensor) || is_joined_alone(region, tensor)) && tensor->last_use >= 0;
    }
    for (int i = 0; i < region->layer_count; i++) {
        const struct layer *layer = &region->layers[i];
        for (uint32_t k = 0; k < layer->input_count; k++) {
            if (!reads_on_chip(layer, (int)k)) {
                continue;
            }
            need_format(region, &region->layers[reader_of(region, i, (int)k)],
                        &region->tensors[region->tensors_of[i][k]]);
        }
    }
    find_windows(region);
    part_rows(region);
}

/* Who reads a tensor on chip last. Others read it, and some write it, as [N, H, W, C] in external
 * memory. */
static void find_uses(struct region *region) {
    for (int t = 0; t < region->tensor_count; t++) {
        region->tensors[t].last_use = -1;
    }
    for (int i = 0; i < region->layer_count; i++) {
        const struct layer *layer = &region->layers[i];
        struct tensor *to = &region->tensors[region->tensors_of[i][2]];
        if (is_done(region, i)) {
            continue;
        }
        for (uint32_t k = 0; k < layer->input_count; k++) {
            struct tensor *from = &region->tensors[region->tensors_of[i][k]];
            if (reads_on_chip(layer, (int)k)) {
                from->last_use = i;
            } else {
                from->nhwc = true;
            }
        }
        if (!operations_of(layer)->makes_on_chip) {
            to->nhwc = true;
        }
        if (layer->kind == LAYER_RESHAPE) {
            to->same_bytes = region->tensors_of[i][0];
        }
    }
}

/* Who needs each tensor on chip first: its producer, or the first that reads it; and how many read
 * it in all. */
static void count_uses(struct region *region) {
    for (int t = 0; t < region->tensor_count; t++) {
        struct tensor *tensor = &region->tensors[t];
        tensor->first_use = is_from_memory(tensor) ? 0 : tensor->producer;
    }
    for (int i = region->layer_count - 1; i >= 0; i--) {
        for (uint32_t k = 0; k < region->layers[i].input_count; k++) {
            struct tensor *tensor = &region->tensors[region->tensors_of[i][k]];
            tensor->readers += !is_done(region, i);
            if (is_from_memory(tensor) && reads_on_chip(&region->layers[i], (int)k)) {
                tensor->first_use = i;
            }
        }
    }
}

/* Goes through the operands and results that layers use on chip: counts them by tensor, or, from
 * where first_user[] says, lists their layers. */
static void walk_users(struct region *region, bool list) {
    for (int i = 0; i < region->layer_count; i++) {
        const struct layer *layer = &region->layers[i];
        for (int slot = 0; slot < 3 && !layer_is_idle(region, i); slot++) {
            bool uses = slot == 2 ? operations_of(layer)->makes_on_chip
                                  : slot < (int)layer->input_count && reads_on_chip(layer, slot);
            int *at = &region->first_user[region->tensors_of[i][slot]];
            if (uses && list) {
                region->users[*at] = i;
            }
            *at += uses;
        }
        if (!layer_is_idle(region, i) && layer->summed > 0) {
            int *at = &region->first_user[region->tensors_of[layer->summed][2]];
            if (list) {
                region->users[*at] = i;
            }
            (*at)++;
        }
    }
}

static void list_users(struct region *region) {
    int count = 0;
    region->first_user = WEFT_NEW_ARRAY(region->arena, (size_t)region->tensor_count + 1, int);
    walk_users(region, false);
    for (int t = 0; t <= region->tensor_count; t++) {
        int users = region->first_user[t];
        region->first_user[t] = count;
        count += users;
    }
    region->users = WEFT_NEW_ARRAY(region->arena, (size_t)count, int);
    walk_users(region, true);
    /* Listing has moved every beginning to the next one's. */
    for (int t = region->tensor_count; t > 0; t--) {
        region->first_user[t] = region->first_user[t - 1];
    }
    region->first_user[0] = 0;
}

void region_finish(struct region *region, const struct region_form *form) {
    region_divide(region, form->divisions);
    absorb_moves(region);
    region_dissolve(region);
    absorb_interleaving(region);
    place_within(region);
    fuse_means(region);
    find_uses(region);
    if (form->behind) {
        fuse_behind(region);
    }
    find_formats(region);
    for (int t = 0; t < region->tensor_count; t++) {
        struct tensor *tensor = &region->tensors[t];
        if (tensor->input >= 0 || tensor->output >= 0 || tensor->constant != NULL) {
            tensor->nhwc = true;
        }
    }
    count_uses(region);
    list_users(region);
    region_abreast(region);
    region_find_scalings(region);
    region_lives(region);
    region_alike(region);
    region->coded = make_coded_sizes(region);
}

bool region_read(struct weft_arena *arena, const struct weft_config *config,
                 const struct weft_graph *graph, struct region *listed, struct weft_error *error) {
    *listed = (struct region){.arena = arena,
                              .config = config,
                              .graph = graph,
                              .images = 1,
                              .group = 1,
                              .groups = 1,
                              .counted = 1};
    if (!region_list(listed, error)) {
        return false;
    }
    listed->listed_coded = make_coded_sizes(listed);
    listed->packed = packed_start(arena, listed);
    for (int i = 0; i < listed->layer_count; i++) {
        find_scaling_ranges(arena, config, &listed->layers[i]);
    }
    region_find_scalings(listed);
    listed->listed_count = listed->layer_count;
    listed->listed = listed->layers;
    listed->listed_tensors = (const int(*)[3])listed->tensors_of;
    return true;
}

static void *copy_array(struct weft_arena *arena, const void *array, size_t count, size_t size) {
    void *copy = weft_arena_allocate(arena, count, size);
    if (count > 0) {
        memcpy(copy, array, count * size);
    }
    return copy;
}

/* A copy of what was listed, with images in groups if `group` is not 0. */
static void copy_listed(struct weft_arena *arena, const struct region *listed, int64_t group,
                        struct region *region) {
    size_t layers = (size_t)listed->layer_count;
    size_t tensors = (size_t)listed->tensor_count;
    *region = *listed;
    region->arena = arena;
    region->layers = copy_array(arena, listed->layers, layers, sizeof *region->layers);
    region->tensors_of = copy_array(arena, listed->tensors_of, layers, sizeof *region->tensors_of);
    region->tensors = copy_array(arena, listed->tensors, tensors, sizeof *region->tensors);
    region->layer_capacity = layers;
    region->tensor_capacity = tensors;
    region->function_capacity = listed->function_count;
    if (group > 0) {
        region_group(region, group);
    }
}

void region_list_group(struct weft_arena *arena, const struct region *listed, int64_t group,
                       struct region *region) {
    copy_listed(arena, listed, group, region);
    region->images = group;
    region->groups = region->counted = 1;
    region->listed = region->layers;
    region->listed_tensors = (const int(*)[3])region->tensors_of;
}

void region_create(struct weft_arena *arena, const struct region *listed,
                   const struct region_form *form, struct region *region) {
    copy_listed(arena, listed, form->group, region);
    region->order = form->order;
    region->parts = form->parts;
    region->counted = form->counted > 0 ? weft_min(form->counted, region->groups) : region->groups;
    region_finish(region, form);
}
