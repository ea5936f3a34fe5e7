#include <stdlib.h>

#include "base/memory.h"
#include "sim/exec/exec.h"

static void *memory(const struct weft_config *config, enum weft_memory which,
                    struct weft_error *error) {
    return weft_allocate(1, (size_t)weft_memory_bytes(config, which) + WEFT_STATE_SLACK,
                         weft_memory_names[which], error);
}

bool weft_state_create(const struct weft_config *config, struct weft_state *state,
                       struct weft_error *error) {
    *state = (struct weft_state){.config = config};
    state->act = memory(config, WEFT_MEMORY_ACT, error);
    state->wgt = memory(config, WEFT_MEMORY_WGT, error);
    state->acc = memory(config, WEFT_MEMORY_ACC, error);
    state->par = memory(config, WEFT_MEMORY_PAR, error);
    state->lut = memory(config, WEFT_MEMORY_LUT, error);
    if (state->act == NULL || state->wgt == NULL || state->acc == NULL || state->par == NULL ||
        state->lut == NULL) {
        weft_state_free(state);
        return false;
    }
    return true;
}

void weft_state_memories(const struct weft_state *state, uint8_t *memories[WEFT_MEMORIES]) {
    memories[WEFT_MEMORY_ACT] = (uint8_t *)state->act;
    memories[WEFT_MEMORY_WGT] = (uint8_t *)state->wgt;
    memories[WEFT_MEMORY_ACC] = (uint8_t *)state->acc;
    memories[WEFT_MEMORY_PAR] = state->par;
    memories[WEFT_MEMORY_LUT] = state->lut;
}

struct weft_regions weft_state_regions(const struct weft_state *state) {
    struct weft_regions regions = {.writable = state->writable};
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        regions.limit[i] = state->region[i].limit;
    }
    return regions;
}

void weft_state_free(struct weft_state *state) {
    free(state->act);
    free(state->wgt);
    free(state->acc);
    free(state->par);
    free(state->lut);
    *state = (struct weft_state){0};
}
