/* Where tensors lie in external memory. */
#include "base/integer.h"
#include "compiler/plan/plan.h"

static int64_t external_bytes(const struct plan *plan, const struct tensor *tensor) {
    const struct shape *s = &tensor->shape;
    int64_t channels =
        tensor->nhwc ? s->c : blocks_of(plan->config, s->c) * (int64_t)plan->config->block;
    return s->n * s->h * s->w * channels;
}

/* Of an input or output there is one for each group of images; scratch memory is used again. */
static void place_own(struct plan *plan, int index) {
    const struct tensor *tensor = &plan->region->tensors[index];
    struct location *location = &plan->locations[index];
    bool input = tensor->input >= 0;
    bool output = tensor->output >= 0;
    int64_t *end = input ? &plan->input_bytes : output ? &plan->output_bytes : &plan->scratch_bytes;
    int64_t bytes = external_bytes(plan, tensor);
    location->region = input    ? WEFT_REGION_INPUTS
                       : output ? WEFT_REGION_OUTPUTS
                                : WEFT_REGION_SCRATCH;
    location->offset = *end;
    bytes = location->is_outside ? bytes * plan->region->groups : bytes;
    *end = weft_round_up(*end + bytes, plan->config->memory_burst);
}

/* The tensor whose place it has. */
static int owner_of(const struct region *region, int index) {
    while (region->tensors[index].same_bytes >= 0) {
        index = region->tensors[index].same_bytes;
    }
    return index;
}

void place_external(struct plan *plan) {
    const struct region *region = plan->region;
    for (int t = 0; t < region->tensor_count; t++) {
        const struct tensor *tensor = &region->tensors[t];
        if (tensor->input >= 0 || tensor->output >= 0) {
            plan->locations[owner_of(region, t)].is_outside = true;
        }
    }
    for (int t = 0; t < region->tensor_count; t++) {
        const struct tensor *tensor = &region->tensors[t];
        struct location *location = &plan->locations[t];
        bool is_kept = location->is_between ? !leaves_chain(tensor) : keep_of(plan, t)->resident;
        bool leaves = !is_dead(tensor) && !is_kept && tensor->readers > 0;
        location->external = tensor->nhwc || leaves;
        if (location->external && !is_dead(tensor) && tensor->same_bytes < 0 &&
            tensor->within < 0 && tensor->constant == NULL) {
            place_own(plan, t); /* pieces_plan() has placed those that are constant */
        }
    }
    for (int t = 0; t < region->tensor_count; t++) {
        const struct location *owner = &plan->locations[owner_of(region, t)];
        struct location *location = &plan->locations[t];
        location->region = owner->region;
        location->offset = owner->offset;
        location->group_bytes = owner->is_outside ? tensor_bytes(&region->tensors[t]) : 0;
    }
}
