/* From decisions to a plan. */
#include "compiler/plan/plan.h"

#include <string.h>

/* The byte that surrounds a tensor before its function is applied. Lines of packed tensors hold
 * parts of the halo too, which have to come out as the zero point. */
static int32_t fill_of(const struct plan *plan, int index) {
    const struct tensor *tensor = &plan->region->tensors[index];
    int32_t byte = INT8_MIN;
    if (tensor->table == NULL || !keep_of(plan, index)->packed) {
        return tensor->zero;
    }
    while (tensor->table[(uint8_t)byte] != (uint8_t)tensor->zero) {
        byte++; /* there is one: choose.c */
    }
    return byte;
}

void plan_start(struct weft_arena *arena, const struct region *region,
                const struct decisions *decisions, struct plan *plan) {
    size_t layers = (size_t)region->layer_count;
    size_t tensors = (size_t)region->tensor_count;
    *plan = (struct plan){.arena = arena,
                          .config = region->config,
                          .region = region,
                          .decisions = decisions,
                          .layers = weft_arena_allocate(arena, layers, sizeof(struct layer)),
                          .tilings = WEFT_NEW_ARRAY(arena, layers, struct tiling),
                          .chain_first = WEFT_NEW_ARRAY(arena, layers, int),
                          .chain_last = WEFT_NEW_ARRAY(arena, layers, int),
                          .locations = WEFT_NEW_ARRAY(arena, tensors, struct location),
                          .buffers = WEFT_NEW_ARRAY(arena, layers, struct stripe_buffers),
                          .first_weights = WEFT_NEW_ARRAY(arena, layers, int),
                          .first_parameters = WEFT_NEW_ARRAY(arena, layers, int)};
    memcpy(plan->layers, region->layers, layers * sizeof *plan->layers);
    chain_follow(plan);
}

static void note_items(struct plan *plan, const struct items *items) {
    for (size_t i = 0; i < items->count; i++) {
        const struct item *item = &items->items[i];
        if (item->tensor >= 0) {
            plan->locations[item->tensor].view.base += item->address;
            continue;
        }
        int64_t *address = plan->buffers[item->layer].address[item->slot];
        address[item->side] = item->address;
        if (item->side == 0) {
            address[1] = item->address; /* until there is a second one */
        }
    }
}

void plan_finish(struct plan *plan, const struct items *items) {
    note_items(plan, items);
    for (int t = 0; t < plan->region->tensor_count; t++) {
        plan->locations[t].fill = fill_of(plan, t);
    }
    pieces_plan(plan);
    place_external(plan); /* another shape of a constant lies where the constant does */
}

bool plan_make(struct weft_arena *arena, const struct region *region,
               const struct decisions *decisions, struct plan *plan, struct weft_error *error) {
    struct items items = {0};
    plan_start(arena, region, decisions, plan);
    for (int i = 0; i < region->layer_count; i++) {
        tiling_follow(plan, i);
    }
    items_list(plan, &items);
    int64_t blocked = place_items(plan, &items);
    if (blocked >= 0) {
        const struct item *item = &items.items[blocked];
        return weft_fail(error, WEFT_CAPACITY, (uint64_t)item->layer,
                         "layer %d (%s) does not fit the activation memory", item->layer,
                         region->layers[item->layer].name);
    }
    plan_finish(plan, &items);
    return true;
}
