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
    layer->input_count = 2;
    region->layers[behind].is_behind = true;
    region->layers[behind].product_is_first = is_first;
    region->layers[behind].input_count = 0;
}

void fuse_behind(struct region *region) {
    for (int i = 0; i < region->layer_count; i++) {
        int before = layer_before(region, i);
        if (region->layers[i].kind != LAYER_BINARY || before < 0 ||
            !operations_of(&region->layers[before])->has_products) {
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
