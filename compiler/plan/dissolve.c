/* Layers that need no work of their own: reshapes that keep [N, H, W, C], and functions of one byte
 * that are applied in place to the tensor that they read. */
#include <string.h>

#include "base/integer.h"
#include "compiler/plan/region.h"

/* What becomes of a layer and its tensors, but for the names of these. */
static void end_layer(struct region *region, int index) {
    struct tensor *in = &region->tensors[region->tensors_of[index][0]];
    struct tensor *out = &region->tensors[region->tensors_of[index][2]];
    in->output = weft_max(in->output, out->output);
    in->last_use = (int)weft_max(in->last_use, out->last_use);
    region->layers[index].kind = LAYER_RESHAPE;
    out->producer = -1;
    out->output = -1;
}

void dissolve_layer(struct region *region, int index) {
    int from = region->tensors_of[index][0];
    int to = region->tensors_of[index][2];
    end_layer(region, index);
    for (int i = 0; i < region->layer_count; i++) {
        for (int k = 0; k < 3; k++) {
            int *tensor = &region->tensors_of[i][k];
            *tensor = *tensor == to ? from : *tensor;
        }
    }
}

int count_readers(const struct region *region, int tensor) {
    int count = 0;
    for (int i = 0; i < region->layer_count; i++) {
        for (uint32_t k = 0; k < region->layers[i].input_count && !is_done(region, i); k++) {
            count += region->tensors_of[i][k] == tensor;
        }
    }
    return count;
}

/* ---- the same for many layers, which would be looked through again and again ---- */

/* Where layers name a tensor: operand or result k of layer i is number 3 i + k. */
struct uses {
    struct region *region;
    int *first; /* by tensor; -1: there is none */
    int *next;  /* by number; -1: it is the last */
};

static struct uses list_uses(struct region *region) {
    size_t tensors = (size_t)region->tensor_count;
    struct uses uses = {region, WEFT_NEW_ARRAY(region->arena, tensors, int),
                        WEFT_NEW_ARRAY(region->arena, 3 * (size_t)region->layer_count, int)};
    for (size_t t = 0; t < tensors; t++) {
        uses.first[t] = -1;
    }
    for (int number = 0; number < 3 * region->layer_count; number++) {
        int tensor = region->tensors_of[number / 3][number % 3];
        if (tensor >= 0) {
            uses.next[number] = uses.first[tensor];
            uses.first[tensor] = number;
        }
    }
    return uses;
}

/* As dissolve_layer(). */
static void dissolve(struct uses *uses, int index) {
    struct region *region = uses->region;
    int from = region->tensors_of[index][0];
    int to = region->tensors_of[index][2];
    end_layer(region, index);
    if (from == to) {
        return;
    }
    for (int number = uses->first[to], next; number >= 0; number = next) {
        next = uses->next[number];
        region->tensors_of[number / 3][number % 3] = from;
        uses->next[number] = uses->first[from];
        uses->first[from] = number;
    }
    uses->first[to] = -1;
}

/* Is use `number` that of an operand that is read? */
static bool is_read(const struct region *region, int number) {
    int layer = number / 3;
    return (uint32_t)(number % 3) < region->layers[layer].input_count && !is_done(region, layer);
}

/* As count_readers(). */
static int readers_of(const struct uses *uses, int tensor) {
    int count = 0;
    for (int number = uses->first[tensor]; number >= 0; number = uses->next[number]) {
        count += is_read(uses->region, number);
    }
    return count;
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

static void drop_reshapes(struct uses *uses) {
    struct region *region = uses->region;
    for (int i = 0; i < region->layer_count; i++) {
        const struct tensor *in = &region->tensors[region->tensors_of[i][0]];
        const struct tensor *out = &region->tensors[region->tensors_of[i][2]];
        if (region->layers[i].kind == LAYER_RESHAPE && !is_done(region, i) &&
            same_shape(&in->shape, &out->shape) && in->input < 0 &&
            (in->output < 0 || out->output < 0)) {
            dissolve(uses, i);
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

static void reshape_inputs_first(const struct uses *uses) {
    struct region *region = uses->region;
    for (int i = 0; i < region->layer_count; i++) {
        int between = region->tensors_of[i][0];
        int function = region->tensors[between].producer;
        if (region->layers[i].kind == LAYER_RESHAPE && !is_done(region, i) && function >= 0 &&
            region->layers[function].kind == LAYER_TABLE && !is_done(region, function) &&
            region->tensors[region->tensors_of[function][0]].input >= 0 &&
            region->tensors[between].output < 0 && readers_of(uses, between) == 1) {
            reshape_first(region, i);
        }
    }
}

/* ---- functions of one byte ---- */

/* Does a layer read the tensor where it lies in external memory? */
static bool is_read_outside(const struct uses *uses, int tensor) {
    const struct region *region = uses->region;
    bool found = false;
    for (int number = uses->first[tensor]; number >= 0 && !found; number = uses->next[number]) {
        found = is_read(region, number) && !reads_on_chip(&region->layers[number / 3], number % 3);
    }
    return found;
}

/* Is it already in external memory when the region first looks at it? As is_from_memory(), before
 * names in external memory are given. */
static bool comes_from_memory(const struct region *region, const struct tensor *tensor) {
    return tensor->input >= 0 || tensor->constant != NULL ||
           !operations_of(&region->layers[tensor->producer])->makes_on_chip;
}

/* Can the operand of layer `index` become the result where it lies? Nothing else may want it as it
 * was; and what is in external memory before stays as it was there. */
static bool works_in_place(const struct uses *uses, int index) {
    const struct region *region = uses->region;
    int from = region->tensors_of[index][0];
    int to = region->tensors_of[index][2];
    const struct tensor *in = &region->tensors[from];
    const struct tensor *out = &region->tensors[to];
    return region->layers[index].kind == LAYER_TABLE && in->output < 0 &&
           readers_of(uses, from) == 1 &&
           (!comes_from_memory(region, in) ||
            (out->output < 0 && out->last_use >= 0 && !is_read_outside(uses, to)));
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

static void apply_in_place(struct uses *uses) {
    struct region *region = uses->region;
    for (int i = 0; i < region->layer_count; i++) {
        struct tensor *in = &region->tensors[region->tensors_of[i][0]];
        if (!works_in_place(uses, i)) {
            continue;
        }
        in->table = compose(region->arena, in->table, region->layers[i].table);
        in->zero = region->tensors[region->tensors_of[i][2]].zero;
        dissolve(uses, i);
    }
}

/* ---- results that nothing needs ---- */

/* A split has all its results, whoever uses them. */
static void drop_unused(struct uses *uses) {
    struct region *region = uses->region;
    for (int i = 0; i < region->layer_count; i++) {
        const struct tensor *out = &region->tensors[region->tensors_of[i][2]];
        if (region->layers[i].kind == LAYER_SLICE && out->last_use < 0 && out->output < 0) {
            dissolve(uses, i);
        }
    }
}

void region_dissolve(struct region *region) {
    struct uses uses = list_uses(region);
    drop_unused(&uses);
    find_identities(region);
    drop_reshapes(&uses);
    reshape_inputs_first(&uses);
    apply_in_place(&uses);
}
