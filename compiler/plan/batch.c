/* Images in groups: a region of many images can be carried out for a few of them, and again for the
 * next, with the same places for all. What fits on chip for one image then does for any number. */
#include "base/integer.h"
#include "compiler/plan/region.h"

enum {
    NO_AXIS = 4
};

static int64_t *dimension(struct shape *shape, int axis) {
    int64_t *const dimensions[] = {&shape->n, &shape->h, &shape->w, &shape->c};
    return dimensions[axis < NO_AXIS ? axis : NO_AXIS - 1];
}

/* The outermost axis of more than one element; NO_AXIS: there is none. */
static int outermost(const struct shape *shape) {
    return shape->n > 1 ? 0 : shape->h > 1 ? 1 : shape->w > 1 ? 2 : shape->c > 1 ? 3 : NO_AXIS;
}

/* The axis along which a tensor has its images; NO_AXIS: it has none. */
static int image_axis(const struct shape *shape, int64_t images) {
    struct shape copy = *shape;
    int axis = outermost(shape);
    return axis < 3 && *dimension(&copy, axis) == images ? axis : NO_AXIS;
}

/* Does a window see one element along rows or columns, all of them, one after the other? */
static bool is_pointwise(const struct layer *layer, int axis) {
    int i = axis - 1;
    return layer->kernel[i] <= 1 && layer->stride[i] <= 1 && layer->pad[i] == 0 &&
           layer->pad[i + 2] == 0 && layer->spread[i] <= 1 && layer->repeat[i] <= 1;
}

/* Does a layer make every image of its result of the same images of its operands alone? */
static bool keeps_images(const struct region *region, int index, int64_t images) {
    const struct layer *layer = &region->layers[index];
    int axis = image_axis(&region->tensors[region->tensors_of[index][2]].shape, images);
    bool good = axis != NO_AXIS;
    for (uint32_t k = 0; k < layer->input_count && good; k++) {
        const struct tensor *tensor = &region->tensors[region->tensors_of[index][k]];
        struct shape shape = tensor->shape;
        good = tensor->constant != NULL       ? *dimension(&shape, axis) == 1
               : layer->kind == LAYER_RESHAPE ? image_axis(&shape, images) != NO_AXIS
                                              : image_axis(&shape, images) == axis;
    }
    if (!good || layer->kind == LAYER_RESHAPE) {
        return good;
    }
    if (layer->kind == LAYER_PLACE || layer->kind == LAYER_SLICE) {
        return layer->begin[axis] == 0 &&
               (layer->kind == LAYER_PLACE ? layer->axis != axis : layer->steps[axis] == 1);
    }
    if (layer->kind == LAYER_TRANSPOSE) {
        return layer->order[axis] == axis;
    }
    return axis == 0 || layer->kind == LAYER_BINARY ||
           (layer->kind != LAYER_MATMUL && is_pointwise(layer, axis));
}

/* Is every image of every tensor made of the same images alone? */
static bool can_group(const struct region *region, int64_t images) {
    bool good = images > 1;
    for (int t = 0; t < region->tensor_count && good; t++) {
        const struct tensor *tensor = &region->tensors[t];
        good = tensor->constant != NULL || image_axis(&tensor->shape, images) != NO_AXIS;
    }
    for (int i = 0; i < region->layer_count && good; i++) {
        good = keeps_images(region, i, images);
    }
    return good;
}

/* Elements of the first input along its outermost axis. */
static int64_t outermost_elements(const struct region *region) {
    for (int t = 0; t < region->tensor_count; t++) {
        if (region->tensors[t].input >= 0) {
            struct shape shape = region->tensors[t].shape;
            int axis = outermost(&shape);
            return axis == NO_AXIS ? 1 : *dimension(&shape, axis);
        }
    }
    return 1;
}

int64_t region_images(const struct region *region) {
    int64_t images = outermost_elements(region);
    return can_group(region, images) ? images : 1;
}

void region_group(struct region *region, int64_t group) {
    int64_t images = outermost_elements(region);
    region->images = images;
    region->group = group;
    region->groups = images / group;
    for (int i = 0; i < region->layer_count; i++) {
        struct layer *layer = &region->layers[i];
        const int *tensors = region->tensors_of[i];
        int from = image_axis(&region->tensors[tensors[0]].shape, images);
        int to = image_axis(&region->tensors[tensors[2]].shape, images);
        if (layer->kind != LAYER_RESHAPE && from != NO_AXIS) {
            *dimension(&layer->in, from) = group;
        }
        if (to != NO_AXIS) {
            *dimension(&layer->out, to) = group;
        }
    }
    for (int t = 0; t < region->tensor_count; t++) {
        struct tensor *tensor = &region->tensors[t];
        if (tensor->constant == NULL) {
            *dimension(&tensor->shape, image_axis(&tensor->shape, images)) = group;
        }
    }
}
