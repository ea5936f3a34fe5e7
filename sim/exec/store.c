/* STORE: copies runs of bytes from ACT to an external region. */
#include <string.h>

#include "sim/exec/instructions.h"

void weft_execute_store(struct weft_state *state, const struct weft_store_fields *store) {
    uint8_t *external = state->region[store->region].bytes;
    for (int64_t i = 0; i < store->count[0]; i++) {
        for (int64_t j = 0; j < store->count[1]; j++) {
            for (int64_t k = 0; k < store->count[2]; k++) {
                int64_t from = store->local + i * store->local_stride[0] +
                               j * store->local_stride[1] + k * store->local_stride[2];
                int64_t to = store->address + i * store->address_stride[0] +
                             j * store->address_stride[1] + k * store->address_stride[2];
                memcpy(external + to, state->act + from, store->run);
            }
        }
    }
}
