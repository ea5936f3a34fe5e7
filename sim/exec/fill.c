/* FILL: writes a constant into runs of bytes of ACT. */
#include <string.h>

#include "sim/exec/instructions.h"

void weft_execute_fill(struct weft_state *state, const struct weft_fill_fields *fill) {
    for (int64_t i = 0; i < fill->count[0]; i++) {
        for (int64_t j = 0; j < fill->count[1]; j++) {
            for (int64_t k = 0; k < fill->count[2]; k++) {
                int64_t to = fill->local + i * fill->local_stride[0] + j * fill->local_stride[1] +
                             k * fill->local_stride[2];
                memset(state->act + to, fill->value, fill->run);
            }
        }
    }
}
