/* Layers that need no work of their own: reshapes that keep [N, H, W, C], and functions of one byte
 * that are applied in place to the tensor that they read. */
#include <string.h>

#include "base/integer.h"
#include "compiler/plan/region.h"

void dissolve_layer(struct region *region, int index) {
    int from = region->tensors_of[index][0];
    int to = region->tensors_of[index][2];
    struct tensor *in = &region->tensors[from];
    struct tensor *out = &region->tensors[to];
    in->output = weft_max(in->output, out->output);
    in->last_use = (int)weft_max(in->last_use, out->last_use);
    for (int i = 0; i < region->layer_count; i++) {
        for (int k = 0; k < 3; k++) {
            int *tensor = &region->tensors_of[i][k];
            *tensor = *tensor == to ? from : *tensor;
        }
    }
    region->layers[index].kind = LAYER_RESHAPE;
    out->producer = -1;
    out->output = -1;
}

/* ---- reshapes ---- */

/* A function of one byte that gives every byte itself is a reshape. */
static void find_identities(struct region *region) {
    for (int i = 0; i < region->layer_count; i++) {
        struct layer *layer = &region->layers[i];
        const int *tensors = region->tensors_of[i];
        bool same = layer->kind == LAYER_TABLE &&
                    region->tensors[tensors[0]].zero == region->tensors[tensors[2]].zero;
        for (int b = 0; b < 256 && same; b++) {
            same = layer->table[b] == b;
        }
        layer->kind = same ? LAYER_RESHAPE : layer->kind;
    }
}

static void drop_reshapes(struct region *region) {
    for (int i = 0; i < region->layer_count; i++) {
        const struct tensor *in = &region->tensors[region->tensors_of[i][0]];
        const struct tensor *out = &region->tensors[region->tensors_of[i][2]];
        if (region->layers[i].kind == LAYER_RESHAPE && !is_done(region, i) &&
            same_shape(&in->shape, &out->shape) && in->input < 0 &&
            (in->output < 0 || out->output < 0)) {
            dissolve_layer(region, i);
        }
    }
}

/* Layer `index`, a reshape of what a function of one byte makes of an input of the region, before
 * that function, which can be applied then to what is loaded. Nothing else reads it. */
static void reshape_first(struct region *region, int index) {
    int between = region->tensors_of[index][0];
    int function = region->tensors[between].producer;
    const struct layer reshape = region->layers[index];
    const struct layer table = region->layers[function];
    const struct tensor *in = &region->tensors[region->tensors_of[function][0]];
    region->layers[function] = reshape;
    region->layers[index] = table;
    region->layers[index].in = region->layers[index].out = reshape.out;
    region->layers[index].output = reshape.output;
    region->layers[function].output = table.output;
    region->tensors[between].shape = reshape.out;
    region->tensors[between].zero = in->zero;
}

static void reshape_inputs_first(struct region *region) {
    for (int i = 0; i < region->layer_count; i++) {
        int between = region->tensors_of[i][0];
        int function = region->tensors[between].producer;
        if (region->layers[i].kind == LAYER_RESHAPE && !is_done(region, i) && function >= 0 &&
            region->layers[function].kind == LAYER_TABLE && !is_done(region, function) &&
            region->tensors[region->tensors_of[function][0]].input >= 0 &&
            region->tensors[between].output < 0 && count_readers(region, between) == 1) {
            reshape_first(region, i);
        }
    }
}

/* ---- functions of one byte ---- */

int count_readers(const struct region *region, int tensor) {
    int count = 0;
    for (int i = 0; i < region->layer_count; i++) {
        for (uint32_t k = 0; k < region->layers[i].input_count && !is_done(region, i); k++) {
            count += region->tensors_of[i][k] == tensor;
        }
    }
    return count;
}

/* Does a layer read the tensor where it lies in external memory? */
static bool is_read_outside(const struct region *region, int tensor) {
    for (int i = 0; i < region->layer_count; i++) {
        const struct layer *layer = &region->layers[i];
        for (uint32_t k = 0; k < layer->input_count && !is_done(region, i); k++) {
            if (!reads_on_chip(layer, (int)k) && region->tensors_of[i][k] == tensor) {
                return true;
            }
        }
    }
    return false;
}

/* Is it already in external memory when the region first looks at it? As is_from_memory(), before
 * names in external memory are given. */
static bool comes_from_memory(const struct region *region, const struct tensor *tensor) {
    return tensor->input >= 0 || tensor->constant != NULL ||
           !operations_of(&region->layers[tensor->producer])->makes_on_chip;
}

/* Can the operand of layer `index` become the result where it lies? Nothing else may want it as it
 * was; and what is in external memory before stays as it was there. */
static bool works_in_place(const struct region *region, int index) {
    int from = region->tensors_of[index][0];
    int to = region->tensors_of[index][2];
    const struct tensor *in = &region->tensors[from];
    const struct tensor *out = &region->tensors[to];
    return region->layers[index].kind == LAYER_TABLE && in->output < 0 &&
           count_readers(region, from) == 1 &&
           (!comes_from_memory(region, in) ||
            (out->output < 0 && out->last_use >= 0 && !is_read_outside(region, to)));
}

/* The second function after the first, which may be none. */
static const uint8_t *compose(struct weft_arena *arena, const uint8_t *first,
                              const uint8_t *second) {
    uint8_t *both = WEFT_NEW_ARRAY(arena, 256, uint8_t);
    for (int i = 0; i < 256; i++) {
        both[i] = second[first == NULL ? i : first[i]];
    }
    return both;
}

static void apply_in_place(struct region *region) {
    for (int i = 0; i < region->layer_count; i++) {
        struct tensor *in = &region->tensors[region->tensors_of[i][0]];
        if (!works_in_place(region, i)) {
            continue;
        }
        in->table = compose(region->arena, in->table, region->layers[i].table);
        in->zero = region->tensors[region->tensors_of[i][2]].zero;
        dissolve_layer(region, i);
    }
}

/* ---- results that nothing needs ---- */

/* A split has all its results, whoever uses them. */
static void drop_unused(struct region *region) {
    for (int i = 0; i < region->layer_count; i++) {
        const struct tensor *out = &region->tensors[region->tensors_of[i][2]];
        if (region->layers[i].kind == LAYER_SLICE && out->last_use < 0 && out->output < 0) {
            dissolve_layer(region, i);
        }
    }
}

void region_dissolve(struct region *region) {
    drop_unused(region);
    find_identities(region);
    drop_reshapes(region);
    reshape_inputs_first(region);
    apply_in_place(region);
}
