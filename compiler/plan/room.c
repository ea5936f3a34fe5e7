/* Is there room for layers, and into how many parts must they be divided for that? */
#include "compiler/plan/plan.h"

/* ---- one layer ---- */

/* A region of layer `index` of another one, which was just listed, alone. */
static void pick_layer(struct weft_arena *arena, const struct region *listed, int index,
                       struct region *region) {
    const struct layer *layer = &listed->listed[index];
    const int *tensors = listed->listed_tensors[index];
    int operands[2] = {0};
    *region = (struct region){
        .arena = arena,
        .config = listed->config,
        .images = 1,
        .group = 1,
        .groups = 1,
        .counted = 1,
        .listed = layer,
        .listed_coded = listed->listed_coded == NULL ? NULL : &listed->listed_coded[2 * index]};
    for (uint32_t k = 0; k < layer->input_count; k++) {
        const struct tensor *tensor = &listed->tensors[tensors[k]];
        bool again = k == 1 && tensors[0] == tensors[1];
        operands[k] = again ? operands[0] : region_add_tensor(region, &tensor->shape, tensor->zero);
        region->tensors[operands[k]].input = again ? 0 : (int64_t)k;
    }
    const struct tensor *result = &listed->tensors[tensors[2]];
    int to = region_add_tensor(region, &result->shape, result->zero);
    region->tensors[to].output = 0;
    region->tensors[to].joined = layer->kind == LAYER_PLACE;
    region_add_layer(region, layer, to);
    for (uint32_t k = 0; k < layer->input_count; k++) {
        region_add_operand(region, operands[k]);
    }
}

/* The style that needs the least room. */
static const struct style modest = {0};

static bool has_room_alone(const struct region *listed, int index, const struct division *division,
                           struct weft_error *error) {
    struct weft_arena arena = {0};
    if (setjmp(arena.on_failure)) {
        weft_arena_free(&arena);
        return weft_arena_failed(&arena, error);
    }
    const struct region_form form = {.divisions = division};
    struct region region;
    struct decisions decisions;
    struct plan plan;
    pick_layer(&arena, listed, index, &region);
    region_finish(&region, &form);
    bool good =
        choose_decisions(&arena, &region, region.config, &modest, NULL, &decisions, &plan, error);
    weft_arena_free(&arena);
    return good;
}

bool room_for_layer(const struct region *listed, int index, struct division *division,
                    struct weft_error *error) {
    while (!has_room_alone(listed, index, division, error)) {
        if (error->code != WEFT_CAPACITY ||
            !divide_more(listed->config, &listed->listed[index], division)) {
            return false;
        }
    }
    return true;
}

bool room_for_layers(const struct region *listed, struct division *divisions,
                     struct weft_error *error) {
    for (int i = 0; i < listed->listed_count; i++) {
        if (!can_sum_behind(listed, i) && !room_for_layer(listed, i, &divisions[i], error)) {
            error->position = (uint64_t)i;
            return false;
        }
    }
    return true;
}

/* ---- all of a region ---- */

/* Plans the region with its divisions; position of the error: the layer as it was listed. */
static bool has_room(const struct region *listed, const struct division *divisions,
                     struct weft_error *error) {
    struct weft_arena arena = {0};
    if (setjmp(arena.on_failure)) {
        weft_arena_free(&arena);
        return weft_arena_failed(&arena, error);
    }
    const struct region_form form = {.divisions = divisions};
    struct region region;
    struct decisions decisions;
    struct plan plan;
    region_create(&arena, listed, &form, &region);
    bool good =
        choose_decisions(&arena, &region, region.config, &modest, NULL, &decisions, &plan, error);
    if (!good && error->code == WEFT_CAPACITY) {
        error->position = (uint64_t)region.origin[error->position];
    }
    weft_arena_free(&arena);
    return good;
}

/* Divides layers until the region has room; position of the error: the layer as it was listed. */
static bool divide_for_room(const struct region *region, struct division *divisions,
                            struct weft_error *error) {
    if (!room_for_layers(region, divisions, error)) {
        return false;
    }
    /* Together layers may need more than alone: one may read a tensor that another wants padded. */
    while (!has_room(region, divisions, error)) {
        if (error->code != WEFT_CAPACITY ||
            !divide_more(region->config, &region->listed[error->position],
                         &divisions[error->position])) {
            return false;
        }
    }
    return true;
}

/* The node of the region's graph that a layer, as it was listed, is part of: what pads an operand
 * comes before the layer that reads it. */
static uint64_t node_of(const struct region *region, uint64_t listed) {
    const struct weft_graph *graph = region->graph;
    for (int i = (int)listed; i < region->listed_count; i++) {
        const struct weft_value *output = region->listed[i].output;
        for (size_t k = 0; output != NULL && k < graph->node_count; k++) {
            if (graph->nodes[k] == output->producer) {
                return k;
            }
        }
    }
    return graph->node_count;
}

bool room_for_region(struct weft_arena *arena, const struct region *listed, int64_t group,
                     struct division **divisions, struct weft_error *error) {
    struct region images;
    if (group > 0) {
        region_list_group(arena, listed, group, &images);
        listed = &images;
    }
    *divisions = NULL;
    if (has_room(listed, NULL, error)) {
        return true;
    }
    if (error->code != WEFT_CAPACITY) {
        return false;
    }
    *divisions = WEFT_NEW_ARRAY(arena, (size_t)listed->listed_count, struct division);
    if (divide_for_room(listed, *divisions, error)) {
        return true;
    }
    error->position = node_of(listed, error->position);
    return false;
}
