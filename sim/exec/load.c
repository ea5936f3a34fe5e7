/* LOAD: copies runs of bytes from an external region to an on-chip memory, or decodes weights. */
#include <string.h>

#include "isa/coding.h"
#include "isa/footprint.h"
#include "sim/exec/instructions.h"

static uint8_t *destination(struct weft_state *state, uint32_t target) {
    switch (target) {
    case WEFT_TARGET_WGT:
        return (uint8_t *)state->wgt;
    case WEFT_TARGET_PAR:
        return state->par;
    case WEFT_TARGET_LUT:
        return state->lut;
    default:
        return (uint8_t *)state->act;
    }
}

/* The machine has no low bits of the address in WGT. */
static void load_units(struct weft_state *state, const struct weft_load_fields *load) {
    uint32_t local = load->local / (2 * state->config->block) * (2 * state->config->block);
    (void)weft_units_decode(state->config, state->region[load->region].bytes, load->address,
                            load->run, load->units, (uint8_t)load->base,
                            (uint8_t *)state->wgt + local);
}

void weft_execute_load(struct weft_state *state, const struct weft_load_fields *load) {
    if (weft_load_is_coded(load)) {
        load_units(state, load);
        return;
    }
    uint8_t *local = destination(state, load->memory);
    const uint8_t *external = state->region[load->region].bytes;
    for (int64_t i = 0; i < load->count[0]; i++) {
        for (int64_t j = 0; j < load->count[1]; j++) {
            for (int64_t k = 0; k < load->count[2]; k++) {
                int64_t to = load->local + i * load->local_stride[0] + j * load->local_stride[1] +
                             k * load->local_stride[2];
                int64_t from = load->address + i * load->address_stride[0] +
                               j * load->address_stride[1] + k * load->address_stride[2];
                memcpy(local + to, external + from, load->run);
            }
        }
    }
}
