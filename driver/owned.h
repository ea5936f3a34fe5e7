/* Whose the cycles of a run are.
 *
 * A cycle in which matrix streams belongs to the layer that it streams for. Every other one belongs
 * to the layer of the instruction that is on the critical path in it: that is what the run was
 * waiting for. Instructions without a layer (FENCE, HALT) count with the one before them. */
#ifndef WEFT_DRIVER_OWNED_H
#define WEFT_DRIVER_OWNED_H

#include "compiler/schedule/segment.h"
#include "sim/trace/history.h"

/* What a cycle is spent on. */
enum weft_use {
    WEFT_USE_MATRIX,  /* matrix streams */
    WEFT_USE_VECTOR,  /* else: the run waits for slots of vector */
    WEFT_USE_LOAD,    /* for beats of load, or for FILL */
    WEFT_USE_STORE,   /* for beats of store */
    WEFT_USE_FETCH,   /* for beats of fetch */
    WEFT_USE_LATENCY, /* for what is on its way: in pipelines, in dispatch, in memory without beats
                       */
    WEFT_USES,
};

extern const char *const weft_use_names[WEFT_USES];

/* Cycles first to last, both included, that belong to a layer. */
struct weft_owned_cycles {
    uint64_t first;
    uint64_t last;
    uint32_t layer;
    enum weft_use use;
};

/* By instruction the layer that it counts with; 0 when there are none. *layers is freed by the
 * caller. Error: WEFT_OUT_OF_MEMORY. */
bool weft_layers_of(const struct weft_segment *segment, uint32_t **layers,
                    struct weft_error *error);

/* All cycles of a run in their order, each once. `layers` is that of weft_layers_of(); *list is
 * freed by the caller. Error: WEFT_OUT_OF_MEMORY. */
bool weft_own_cycles(const struct weft_history *history, const uint32_t *layers,
                     struct weft_owned_cycles **list, size_t *count, struct weft_error *error);

#endif
