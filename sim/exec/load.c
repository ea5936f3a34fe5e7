/* LOAD: copies runs of bytes from an external region to an on-chip memory. */
#include <string.h>

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

void weft_execute_load(struct weft_state *state, const struct weft_load_fields *load) {
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
