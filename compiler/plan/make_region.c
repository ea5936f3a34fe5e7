/* A region: what its layers need of its tensors. */
#include <string.h>

#include "base/integer.h"
#include "compiler/plan/region.h"

/* ---- halos and formats ---- */

static void need_halo(const struct layer *layer, struct tensor *tensor) {
    if (!operations_of(layer)->has_products) {
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

/* Can the layer read its input as rows of W * C bytes? */
static bool reads_packed(const struct region *region, const struct layer *layer) {
    return layer->kind == LAYER_CONV && layer->in.c < region->config->block &&
           layer->dilation[1] == 1;
}

/* What a layer needs of a tensor that it reads on chip. */
static void need_format(const struct region *region, const struct layer *reader,
                        struct tensor *tensor) {
    need_halo(reader, tensor);
    tensor->odd_pitch = tensor->odd_pitch || operations_of(reader)->reads_rows_at_once;
    tensor->can_pack = tensor->can_pack && reads_packed(region, reader);
}

static void find_formats(struct region *region) {
    for (int t = 0; t < region->tensor_count; t++) {
        struct tensor *tensor = &region->tensors[t];
        tensor->can_pack = tensor->input >= 0 && tensor->last_use >= 0;
    }
    for (int i = 0; i < region->layer_count; i++) {
        const struct layer *layer = &region->layers[i];
        for (uint32_t k = 0; k < layer->input_count && operations_of(layer)->reads_on_chip; k++) {
            need_format(region, &region->layers[reader_of(region, i, (int)k)],
                        &region->tensors[region->tensors_of[i][k]]);
        }
    }
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
            if (operations_of(layer)->reads_on_chip) {
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
            if (is_from_memory(tensor) && operations_of(&region->layers[i])->reads_on_chip) {
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
            bool uses = slot == 2
                            ? operations_of(layer)->makes_on_chip
                            : slot < (int)layer->input_count && operations_of(layer)->reads_on_chip;
            int *at = &region->first_user[region->tensors_of[i][slot]];
            if (uses && list) {
                region->users[*at] = i;
            }
            *at += uses;
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

void region_finish(struct region *region, bool behind, const struct division *divisions) {
    region_divide(region, divisions);
    region_dissolve(region);
    absorb_interleaving(region);
    find_uses(region);
    if (behind) {
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
}

bool region_read(struct weft_arena *arena, const struct weft_config *config,
                 const struct weft_graph *graph, struct region *listed, struct weft_error *error) {
    *listed = (struct region){.arena = arena, .config = config, .graph = graph, .groups = 1};
    if (!region_list(listed, error)) {
        return false;
    }
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

void region_create(struct weft_arena *arena, const struct region *listed,
                   const struct region_form *form, struct region *region) {
    size_t layers = (size_t)listed->layer_count;
    size_t tensors = (size_t)listed->tensor_count;
    *region = *listed;
    region->arena = arena;
    region->layers = copy_array(arena, listed->layers, layers, sizeof *region->layers);
    region->tensors_of = copy_array(arena, listed->tensors_of, layers, sizeof *region->tensors_of);
    region->tensors = copy_array(arena, listed->tensors, tensors, sizeof *region->tensors);
    region->layer_capacity = layers;
    region->tensor_capacity = tensors;
    if (form->group > 0) {
        region_group(region, form->group);
    }
    region_finish(region, form->behind, form->divisions);
}
