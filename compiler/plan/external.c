/* Where tensors lie in external memory. */
#include "base/integer.h"
#include "compiler/plan/plan.h"

static int64_t external_bytes(const struct plan *plan, const struct tensor *tensor) {
    const struct shape *s = &tensor->shape;
    int64_t channels =
        tensor->nhwc ? s->c : blocks_of(plan->config, s->c) * (int64_t)plan->config->block;
    return s->n * s->h * s->w * channels;
}

static void place_own(struct plan *plan, int index) {
    const struct tensor *tensor = &plan->region->tensors[index];
    struct location *location = &plan->locations[index];
    bool input = tensor->input >= 0;
    bool output = tensor->output >= 0;
    int64_t *end = input ? &plan->input_bytes : output ? &plan->output_bytes : &plan->scratch_bytes;
    location->region = input    ? WEFT_REGION_INPUTS
                       : output ? WEFT_REGION_OUTPUTS
                                : WEFT_REGION_SCRATCH;
    location->offset = *end;
    *end = weft_round_up(*end + external_bytes(plan, tensor), plan->config->memory_burst);
}

void place_external(struct plan *plan) {
    const struct region *region = plan->region;
    for (int t = 0; t < region->tensor_count; t++) {
        const struct tensor *tensor = &region->tensors[t];
        struct location *location = &plan->locations[t];
        bool leaves = !is_dead(tensor) && !location->is_between && !keep_of(plan, t)->resident;
        location->external = tensor->nhwc || leaves;
        if (location->external && !is_dead(tensor) && tensor->same_bytes < 0 &&
            tensor->constant == NULL) {
            place_own(plan, t); /* pieces_plan() has placed those that are constant */
        }
    }
    for (int t = 0; t < region->tensor_count; t++) {
        int owner = t;
        while (region->tensors[owner].same_bytes >= 0) {
            owner = region->tensors[owner].same_bytes;
        }
        plan->locations[t].region = plan->locations[owner].region;
        plan->locations[t].offset = plan->locations[owner].offset;
    }
}
