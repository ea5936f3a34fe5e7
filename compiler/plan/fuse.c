/* Arithmetic by element that is carried out behind a product. */
#include "compiler/plan/region.h"

/* The layer before `layer` that is more than a name, or -1. */
static int layer_before(const struct region *region, int layer) {
    do {
        layer--;
    } while (layer >= 0 && region->layers[layer].kind == LAYER_RESHAPE);
    return layer;
}

/* Is the tensor made for the layer alone, as it comes from the product? */
static bool is_only_for(const struct region *region, int tensor, int layer) {
    const struct tensor *made = &region->tensors[tensor];
    return count_readers(region, tensor) == 1 && made->last_use == layer && made->output < 0 &&
           made->table == NULL;
}

/* Are both operands as large as the result? */
static bool repeats_nothing(const struct region *region, int layer) {
    const int *tensors = region->tensors_of[layer];
    const struct shape *out = &region->tensors[tensors[2]].shape;
    return same_shape(&region->tensors[tensors[0]].shape, out) &&
           same_shape(&region->tensors[tensors[1]].shape, out);
}

/* ---- means ---- */

enum {
    LEAST_ACC_BANKS = 4 /* of which the sums keep one */
};

/* Is the layer a mean of all of an image, which is never turned? */
static bool is_whole_mean(const struct layer *layer) {
    int64_t pads = 0;
    for (int side = 0; side < 4; side++) {
        pads += layer->pad[side];
    }
    return operations_of(layer)->emit_sums != NULL && layer->in.n == 1 && pads == 0 &&
           !layer->pads_inside && !layer->can_turn && layer->kernel[0] == layer->in.h &&
           layer->kernel[1] == layer->in.w && layer->in.h > 1;
}

bool can_sum_behind(const struct region *region, int mean) {
    const struct layer *layer = &region->layers[mean];
    if (!is_whole_mean(layer)) {
        return false;
    }
    const struct weft_config *config = region->config;
    const struct tensor *from = &region->tensors[region->tensors_of[mean][0]];
    const struct layer *maker = from->producer < 0 ? NULL : &region->layers[from->producer];
    return maker != NULL && operations_of(maker)->makes_on_chip && !maker->can_turn &&
           maker->summed == 0 && !maker->side_by_side[2] && !from->joined && from->input < 0 &&
           weft_banks(config, WEFT_MEMORY_ACC) >= LEAST_ACC_BANKS &&
           blocks_of(config, layer->in.c) <= (int64_t)weft_acc_bank_entries(config);
}

void fuse_means(struct region *region) {
    for (int i = 0; i < region->layer_count; i++) {
        if (can_sum_behind(region, i)) {
            struct tensor *from = &region->tensors[region->tensors_of[i][0]];
            region->layers[from->producer].summed = i;
            region->layers[i].is_behind = true;
            region->layers[i].input_count = 0;
            region->tensors[region->tensors_of[i][2]].producer = from->producer;
            from->odd_pitch = true;
        }
    }
}

/* ---- arithmetic by element ---- */

/* The two layers become one walk over tiles: what the product makes is never anywhere but where the
 * result of the other is to lie. */
static void put_behind(struct region *region, int product, int behind, bool is_first) {
    int *tensors = region->tensors_of[product];
    const int *of_behind = region->tensors_of[behind];
    struct layer *layer = &region->layers[product];
    region->tensors[tensors[2]].producer = -1;
    region->tensors[tensors[2]].last_use = -1;
    region->tensors[of_behind[2]].producer = product;
    tensors[1] = of_behind[is_first ? 1 : 0];
    tensors[2] = of_behind[2];
    layer->behind = behind;
    layer->summed = region->layers[behind].summed;
    if (layer->summed > 0) {
        region->tensors[region->tensors_of[layer->summed][2]].producer = product;
    }
    layer->input_count = 2;
    region->layers[behind].is_behind = true;
    region->layers[behind].product_is_first = is_first;
    region->layers[behind].input_count = 0;
}

void fuse_behind(struct region *region) {
    for (int i = 0; i < region->layer_count; i++) {
        int before = layer_before(region, i);
        if (region->layers[i].kind != LAYER_BINARY || before < 0 ||
            !operations_of(&region->layers[before])->has_products ||
            operations_of(&region->layers[before])->gathers_weights ||
            region->layers[before].summed > 0) {
            continue;
        }
        int made = region->tensors_of[before][2];
        bool is_first = region->tensors_of[i][0] == made;
        if ((is_first || region->tensors_of[i][1] == made) && is_only_for(region, made, i) &&
            repeats_nothing(region, i)) {
            put_behind(region, before, i, is_first);
        }
    }
}
