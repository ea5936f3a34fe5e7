/* Sums that are carried out behind a product. */
#include "compiler/schedule/segment.h"

/* The layer before `layer` that is more than a name, or -1. */
static int layer_before(const struct segment *segment, int layer) {
    do {
        layer--;
    } while (layer >= 0 && segment->layers[layer].kind == LAYER_RESHAPE);
    return layer;
}

/* Is the tensor made for the sum alone? */
static bool is_only_for(const struct segment *segment, int tensor, int sum) {
    unsigned users = 0;
    for (int i = 0; i < segment->layer_count; i++) {
        for (uint32_t k = 0; k < segment->layers[i].input_count; k++) {
            users += segment->tensors_of[i][k] == tensor;
        }
    }
    const struct tensor *made = &segment->tensors[tensor];
    return users == 1 && made->last_use == sum && made->output < 0 && made->same_bytes < 0;
}

/* The product and the sum become one walk over tiles: what the product makes is never anywhere but
 * where the sum is to lie. */
static void put_behind(struct segment *segment, int product, int sum, bool is_first) {
    int *tensors = segment->tensors_of[product];
    const int *of_sum = segment->tensors_of[sum];
    struct layer *layer = &segment->layers[product];
    segment->tensors[tensors[2]].producer = -1;
    segment->tensors[tensors[2]].last_use = -1;
    segment->tensors[of_sum[2]].producer = product;
    tensors[1] = of_sum[is_first ? 1 : 0];
    tensors[2] = of_sum[2];
    layer->sum = sum;
    layer->input_count = 2;
    segment->layers[sum].is_behind = true;
    segment->layers[sum].product_is_first = is_first;
    segment->layers[sum].input_count = 0;
}

void fuse_sums(struct segment *segment) {
    for (int i = 0; i < segment->layer_count; i++) {
        int before = layer_before(segment, i);
        if (segment->layers[i].kind != LAYER_ADD || before < 0 ||
            (segment->layers[before].kind != LAYER_CONV &&
             segment->layers[before].kind != LAYER_DEPTHWISE)) {
            continue;
        }
        int made = segment->tensors_of[before][2];
        bool is_first = segment->tensors_of[i][0] == made;
        if ((is_first || segment->tensors_of[i][1] == made) && is_only_for(segment, made, i)) {
            put_behind(segment, before, i, is_first);
        }
    }
}
