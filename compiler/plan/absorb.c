/* Layers that only pick or surround pixels, and go into the window that reads what they make: pads
 * of zero points, slices of rows and columns, pools of one pixel. */
#include "base/integer.h"
#include "compiler/plan/region.h"

/* What a window sees of an operand: from its pixel p to that of the operand before. */
struct picking {
    int64_t begin[2]; /* of rows and columns: pixel p is steps * p + begin */
    int64_t steps[2];
    bool pads; /* what it adds around the operand are zero points: as padding of the window */
};

/* Is the layer all that became of one that was listed? */
static bool is_whole(const struct region *region, int index) {
    int origin = region->origin[index];
    return (index == 0 || region->origin[index - 1] != origin) &&
           (index + 1 == region->layer_count || region->origin[index + 1] != origin);
}

/* ---- what goes into windows ---- */

static bool pick_pad(const struct region *region, const struct layer *layer, const int tensors[3],
                     struct picking *picking) {
    const struct tensor *from = &region->tensors[tensors[0]];
    *picking = (struct picking){{-layer->pad[TOP], -layer->pad[LEFT]}, {1, 1}, true};
    return layer->spread[0] == 1 && layer->spread[1] == 1 && layer->out_zero == from->zero;
}

/* A slice of all images and channels. */
static bool pick_slice(const struct layer *layer, struct picking *picking) {
    *picking = (struct picking){
        {layer->begin[1], layer->begin[2]}, {layer->steps[1], layer->steps[2]}, false};
    return layer->in.n == layer->out.n && layer->in.c == layer->out.c && layer->begin[0] == 0 &&
           layer->begin[3] == 0 && layer->steps[0] == 1 && layer->steps[1] > 0 &&
           layer->steps[2] > 0;
}

/* A pool of one pixel is a slice; means have scales of their own. */
static bool pick_pool(const struct layer *layer, struct picking *picking) {
    bool is_mean = layer->kind == LAYER_AVGPOOL && layer->average == AVERAGE_MEAN;
    bool pads = false;
    for (int side = 0; side < 4; side++) {
        pads = pads || layer->pad[side] != 0;
    }
    *picking = (struct picking){
        {-layer->pad[TOP], -layer->pad[LEFT]}, {layer->stride[0], layer->stride[1]}, false};
    return layer->kernel[0] == 1 && layer->kernel[1] == 1 && (!pads || layer->pads_inside) &&
           !is_mean && layer->low == INT8_MIN && layer->high == INT8_MAX;
}

static bool find_picking(const struct region *region, int index, struct picking *picking) {
    const struct layer *layer = &region->layers[index];
    const int *tensors = region->tensors_of[index];
    bool same = region->tensors[tensors[0]].zero == region->tensors[tensors[2]].zero;
    switch (layer->kind) {
    case LAYER_PAD:
        return same && pick_pad(region, layer, tensors, picking);
    case LAYER_SLICE:
        return same && pick_slice(layer, picking);
    case LAYER_AVGPOOL:
    case LAYER_MAXPOOL:
        return same && pick_pool(layer, picking);
    default:
        return false;
    }
}

/* ---- windows ---- */

/* A window that does not lie on a column of pixels, and is no mean. */
static bool has_free_window(const struct layer *layer) {
    bool is_mean = layer->kind == LAYER_AVGPOOL && layer->average == AVERAGE_MEAN;
    return operations_of(layer)->has_window && !layer->can_turn && !is_mean &&
           layer->spread[0] <= 1 && layer->spread[1] <= 1;
}

/* The last pixel that windows read along an axis. */
static int64_t last_read(const struct layer *layer, int axis, int64_t outputs) {
    return (outputs - 1) * layer->stride[axis] + (layer->kernel[axis] - 1) * layer->dilation[axis] -
           layer->pad[axis];
}

/* Do windows stay inside their operand? */
static bool stays_inside(const struct layer *layer) {
    return layer->pad[TOP] <= 0 && layer->pad[LEFT] <= 0 &&
           last_read(layer, 0, layer->out.h) < layer->in.h &&
           last_read(layer, 1, layer->out.w) < layer->in.w;
}

/* The window of a layer over what the picked operand was picked from. What lay around it may lie
 * inside now, so only a pad can go into windows that look at it; and pools look at nothing around
 * theirs, and have no dilation. */
static bool take_over(struct layer *layer, const struct picking *picking,
                      const struct tensor *from) {
    bool is_pool = !operations_of(layer)->has_products;
    bool skips = (picking->steps[0] > 1 && layer->kernel[0] > 1) ||
                 (picking->steps[1] > 1 && layer->kernel[1] > 1);
    if ((is_pool && skips) || (!stays_inside(layer) && !(picking->pads && sees_halo(layer)))) {
        return false;
    }
    const int64_t outputs[2] = {layer->out.h, layer->out.w};
    const int64_t inputs[2] = {from->shape.h, from->shape.w};
    for (int axis = 0; axis < 2; axis++) {
        int64_t steps = picking->steps[axis];
        layer->pad[axis] = layer->pad[axis] * steps - picking->begin[axis];
        layer->stride[axis] *= steps;
        layer->dilation[axis] *= layer->kernel[axis] == 1 ? 1 : steps;
        layer->pad[2 + axis] = last_read(layer, axis, outputs[axis]) + 1 - inputs[axis];
    }
    layer->in = from->shape;
    layer->pads_inside = is_pool;
    return true;
}

/* Does a pad stay before a pool? For one pool alone it is hidden in a chain behind the products
 * before it. */
static bool stays_pad(const struct layer *reader, const struct picking *picking, int readers) {
    return picking->pads && !operations_of(reader)->has_products && readers < 2;
}

/* The layer that makes the operand of layer `index` goes into it; false: it cannot. `readers`, by
 * tensor, are those before any was absorbed. */
static bool absorb_operand(struct region *region, const int *readers, int index) {
    struct layer *layer = &region->layers[index];
    int operand = region->tensors_of[index][0];
    int maker = region->tensors[operand].producer;
    struct picking picking;
    if (!has_free_window(layer) || layer->input_count != 1 || maker < 0 ||
        !is_whole(region, maker) || !is_whole(region, index) ||
        !find_picking(region, maker, &picking) || stays_pad(layer, &picking, readers[operand])) {
        return false;
    }
    int from = region->tensors_of[maker][0];
    struct layer taken = *layer;
    if (!take_over(&taken, &picking, &region->tensors[from])) {
        return false;
    }
    *layer = taken;
    region->tensors_of[index][0] = from;
    if (count_readers(region, operand) == 0 && region->tensors[operand].output < 0) {
        dissolve_layer(region, maker);
    }
    return true;
}

void absorb_moves(struct region *region) {
    int *readers = WEFT_NEW_ARRAY(region->arena, (size_t)region->tensor_count, int);
    for (int i = 0; i < region->layer_count; i++) {
        for (uint32_t k = 0; k < region->layers[i].input_count; k++) {
            readers[region->tensors_of[i][k]]++;
        }
    }
    for (int i = 0; i < region->layer_count; i++) {
        while (absorb_operand(region, readers, i)) {
            /* and what makes its operand now */
        }
    }
}
