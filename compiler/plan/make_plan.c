/* From decisions to a plan. */
#include "compiler/plan/plan.h"

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
                const struct weft_config *config, const struct decisions *decisions,
                struct plan *plan) {
    size_t layers = (size_t)region->layer_count;
    size_t tensors = (size_t)region->tensor_count;
    *plan = (struct plan){.arena = arena,
                          .config = config,
                          .as_if = *config,
                          .region = region,
                          .decisions = decisions,
                          .layers = WEFT_NEW_ARRAY(arena, layers, const struct layer *),
                          .tilings = WEFT_NEW_ARRAY(arena, layers, struct tiling),
                          .chain_first = WEFT_NEW_ARRAY(arena, layers, int),
                          .chain_last = WEFT_NEW_ARRAY(arena, layers, int),
                          .host_of = WEFT_NEW_ARRAY(arena, layers, int),
                          .locations = WEFT_NEW_ARRAY(arena, tensors, struct location),
                          .buffers = WEFT_NEW_ARRAY(arena, layers, struct stripe_buffers),
                          .first_weights = WEFT_NEW_ARRAY(arena, layers, int),
                          .end_weights = WEFT_NEW_ARRAY(arena, layers, int),
                          .first_parameters = WEFT_NEW_ARRAY(arena, layers, int),
                          .end_parameters = WEFT_NEW_ARRAY(arena, layers, int)};
    plan->as_if.act_bytes = (uint32_t)decisions->as_if.act_bytes;
    plan->as_if.wgt_bytes = (uint32_t)decisions->as_if.wgt_bytes;
    plan->as_if.par_bytes = (uint32_t)decisions->as_if.par_bytes;
    for (size_t i = 0; i < layers; i++) {
        plan->layers[i] = &region->layers[i];
    }
    chain_follow(plan);
    beside_follow(plan);
}

void plan_finish(struct plan *plan, const struct room *room) {
    room_note(room);
    for (int t = 0; t < plan->region->tensor_count; t++) {
        plan->locations[t].fill = fill_of(plan, t);
    }
}

void plan_outside(struct plan *plan) {
    pieces_plan(plan);
    place_external(plan); /* another shape of a constant lies where the constant does */
}

static void plan_tilings(struct weft_arena *arena, const struct region *region,
                         const struct decisions *decisions, struct plan *plan) {
    plan_start(arena, region, region->config, decisions, plan);
    for (int i = 0; i < region->layer_count; i++) {
        tiling_follow(plan, i);
    }
}

static bool plan_places(struct plan *plan, struct weft_error *error) {
    struct room *room = room_start(plan);
    const struct item *blocked = room_place(room);
    if (blocked != NULL) {
        int layer = blocked->tensor < 0 ? blocked->layer : blocked->first;
        return weft_fail(error, WEFT_CAPACITY, (uint64_t)layer,
                         "layer %d (%s) does not fit the activation memory", layer,
                         plan->region->layers[layer].name);
    }
    plan_finish(plan, room);
    return true;
}

bool plan_make(struct weft_arena *arena, const struct region *region,
               const struct decisions *decisions, struct plan *plan, struct weft_error *error) {
    plan_tilings(arena, region, decisions, plan);
    return plan_places(plan, error);
}

bool plan_checked(struct weft_arena *arena, const struct region *region,
                  const struct decisions *decisions, struct plan *plan, struct weft_error *error) {
    if (!check_decisions(region, decisions, error)) {
        return false;
    }
    plan_tilings(arena, region, decisions, plan);
    if (!check_tilings(plan, error) || !plan_places(plan, error)) {
        return false;
    }
    plan_outside(plan);
    return check_pieces(plan, error);
}
