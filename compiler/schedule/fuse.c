/* Arithmetic by element that is carried out behind a product. */
#include "compiler/schedule/segment.h"

/* The layer before `layer` that is more than a name, or -1. */
static int layer_before(const struct segment *segment, int layer) {
    do {
        layer--;
    } while (layer >= 0 && segment->layers[layer].kind == LAYER_RESHAPE);
    return layer;
}

/* Is the tensor made for the layer alone, as it comes from the product? */
static bool is_only_for(const struct segment *segment, int tensor, int layer) {
    const struct tensor *made = &segment->tensors[tensor];
    return count_readers(segment, tensor) == 1 && made->last_use == layer && made->output < 0 &&
           made->table == NULL;
}

/* Are both operands as large as the result? */
static bool repeats_nothing(const struct segment *segment, int layer) {
    const int *tensors = segment->tensors_of[layer];
    const struct shape *out = &segment->tensors[tensors[2]].shape;
    return same_shape(&segment->tensors[tensors[0]].shape, out) &&
           same_shape(&segment->tensors[tensors[1]].shape, out);
}

/* The two layers become one walk over tiles: what the product makes is never anywhere but where the
 * result of the other is to lie. */
static void put_behind(struct segment *segment, int product, int behind, bool is_first) {
    int *tensors = segment->tensors_of[product];
    const int *of_behind = segment->tensors_of[behind];
    struct layer *layer = &segment->layers[product];
    segment->tensors[tensors[2]].producer = -1;
    segment->tensors[tensors[2]].last_use = -1;
    segment->tensors[of_behind[2]].producer = product;
    tensors[1] = of_behind[is_first ? 1 : 0];
    tensors[2] = of_behind[2];
    layer->behind = behind;
    layer->input_count = 2;
    segment->layers[behind].is_behind = true;
    segment->layers[behind].product_is_first = is_first;
    segment->layers[behind].input_count = 0;
}

void fuse_behind(struct segment *segment) {
    for (int i = 0; i < segment->layer_count; i++) {
        int before = layer_before(segment, i);
        if (segment->layers[i].kind != LAYER_BINARY || before < 0 ||
            (segment->layers[before].kind != LAYER_CONV &&
             segment->layers[before].kind != LAYER_DEPTHWISE)) {
            continue;
        }
        int made = segment->tensors_of[before][2];
        bool is_first = segment->tensors_of[i][0] == made;
        if ((is_first || segment->tensors_of[i][1] == made) && is_only_for(segment, made, i) &&
            repeats_nothing(segment, i)) {
            put_behind(segment, before, i, is_first);
        }
    }
}
