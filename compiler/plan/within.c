/* Operands of concatenations that lie in the result from the beginning. */
#include <string.h>

#include "compiler/plan/region.h"

/* Is the tensor an operand or the result of a layer that is a name for other bytes, which must be
 * neighbours? */
static bool is_reshaped(const struct region *region, int tensor) {
    for (int i = 0; i < region->layer_count; i++) {
        const int *tensors = region->tensors_of[i];
        if (region->layers[i].kind == LAYER_RESHAPE && !is_done(region, i) &&
            (tensors[0] == tensor || tensors[2] == tensor)) {
            return true;
        }
    }
    return false;
}

/* Can an operand be made within the result? It has one place, is made by the region, and its bytes
 * in memory are those that layers read: none that a table is still to be applied to. */
static bool can_lie_within(const struct region *region, int index) {
    const struct tensor *tensor = &region->tensors[index];
    bool is_made = tensor->input < 0 && tensor->constant == NULL && tensor->output < 0;
    return is_made && tensor->within < 0 && !(tensor->joined && tensor->table != NULL) &&
           !is_reshaped(region, index);
}

void place_within(struct region *region) {
    for (int i = 0; i < region->layer_count; i++) {
        int from = region->tensors_of[i][0];
        int to = region->tensors_of[i][2];
        if (region->layers[i].kind != LAYER_PLACE || !can_lie_within(region, from)) {
            continue;
        }
        struct tensor *tensor = &region->tensors[from];
        tensor->within = to;
        memcpy(tensor->within_begin, region->layers[i].begin, sizeof tensor->within_begin);
        tensor->nhwc = region->tensors[to].nhwc = true;
        region->layers[i].kind = LAYER_RESHAPE;
        region->tensors_of[i][2] = from;
    }
}
