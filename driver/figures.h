/* What each layer of a segment cost, and why: docs/trace.md, "Whose a cycle is".
 *
 * Every cycle of a run belongs to one layer, so layers, and groups of them, add up to the run. */
#ifndef WEFT_DRIVER_FIGURES_H
#define WEFT_DRIVER_FIGURES_H

#include "compiler/module.h"
#include "driver/owned.h"

/* Cycles of a unit: each is in one of them. */
struct weft_unit_cycles {
    uint64_t busy;
    uint64_t wait[WEFT_UNITS]; /* by producer */
    uint64_t empty;            /* it has no instruction */
};

/* Those of a unit over a whole run. */
struct weft_unit_cycles weft_counted_unit_cycles(const struct weft_counters *counters,
                                                 enum weft_unit unit);

struct weft_layer_figures {
    uint64_t cycles;          /* that belong to it: those of all layers add up to the run */
    uint64_t used[WEFT_USES]; /* the same by what they are spent on */
    uint64_t external_bytes;  /* that its instructions move, without their fetch */
    /* Its unit: the first of matrix, vector, store, load that has instructions of it; WEFT_UNITS:
     * it has none at all. */
    enum weft_unit unit;
    struct weft_unit_cycles on_unit; /* weft_trace_by_layer() of that unit */
    /* Of the waits of its unit those for instructions of other layers, all and those for the layer
     * that was waited for most; -1: none. */
    uint64_t waited;
    uint64_t waited_most;
    int32_t waits_for;
    uint32_t group;
    /* When it is computed: from the first start on its unit to the last finish on any; 0 and 0: it
     * has no instructions. What is loaded long before for it does not count. */
    uint64_t first, last;
};

/* Layers that are carried out together, stripe by stripe: a chain; or one layer. */
struct weft_group_figures {
    uint32_t first; /* layer */
    uint32_t count;
    uint64_t cycles;
    uint64_t used[WEFT_USES];
    int64_t macs;
    uint64_t external_bytes;
};

struct weft_figures {
    uint64_t cycles; /* of the run */
    uint32_t layer_count;
    struct weft_layer_figures *layers; /* owned */
    uint32_t group_count;
    struct weft_group_figures *groups; /* owned */
    size_t owned_count;
    struct weft_owned_cycles *owned; /* owned; weft_owned_cycles() */
};

/* What most of the cycles are about: those that belong to a layer, and those that its unit waited
 * for other layers. */
struct weft_verdict {
    enum weft_use use; /* WEFT_USES: it waits for layer `layer`, or there are no such cycles */
    int32_t layer;     /* -1: none */
    double share;      /* of these cycles, 0 to 1 */
    bool is_hidden;    /* there are none, but it has instructions: others take longer meanwhile */
};

/* Works the figures of a segment out of its history. Release *figures with weft_figures_free().
 * Error: WEFT_OUT_OF_MEMORY. */
bool weft_figures_make(const struct weft_segment *segment, const struct weft_history *history,
                       struct weft_figures *figures, struct weft_error *error);

void weft_figures_free(struct weft_figures *figures);

struct weft_verdict weft_layer_verdict(const struct weft_layer_figures *layer);
struct weft_verdict weft_group_verdict(const struct weft_group_figures *group);

/* Cycles from the end of one frame to that of the next, the mean over a run of a program of
 * `frames` frames: from the last STORE of the first one's outputs to that of the last one's. 0:
 * there is one frame, or the program does not make its outputs frame by frame. */
double weft_frame_period(const struct weft_segment *segment, const struct weft_trace *trace,
                         uint32_t frames);

/* Multiplications for each multiplier and cycle, 0 to 1; 0 without cycles. */
double weft_utilisation(const struct weft_config *config, int64_t macs, uint64_t cycles);

#endif
