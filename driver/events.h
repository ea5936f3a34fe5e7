/* What happened in a run, as a list that can be compared: for driver/lockstep.h alone. */
#ifndef WEFT_DRIVER_EVENTS_H
#define WEFT_DRIVER_EVENTS_H

#include "driver/divergence.h"
#include "sim/timing/memory.h"

/* The address of a burst has its region from this bit up, as on the port of the RTL. */
#define REGION_SHIFT WEFT_PORT_REGION_SHIFT

struct event {
    uint64_t cycle;
    enum weft_divergence kind; /* BURST, DISPATCHED, STARTED, FINISHED, END */
    enum weft_master master;   /* BURST */
    uint64_t address;          /* BURST; END: the fault */
    uint32_t bytes;            /* BURST */
    uint32_t number;           /* of the instruction; BURST: 0 */
};

struct events {
    struct event *list; /* owned */
    size_t count;
    size_t capacity;
    size_t most; /* entries that the list may have */
    /* Of the cycle simulator, whose bursts have no region: that of the last LOAD and STORE. */
    bool adds_region;
    uint64_t region[WEFT_MASTERS];
    /* Called whenever an instruction finishes; may be NULL. */
    void (*progress)(void *context, uint64_t cycle, uint64_t last);
    void *progress_context;
    uint64_t last;
    bool failed; /* an event could not be kept: */
    struct weft_error error;
};

/* An observer that adds what happens to `events`. */
struct weft_observer events_observer(struct events *events);

/* Adds the end of a run. */
void events_add_end(struct events *events, const struct weft_run_result *result);

/* Puts the events in order: by cycle, then kind, then the rest. */
void events_sort(struct events *events);

/* < 0, 0 or > 0, in that order. */
int event_compare(const struct event *a, const struct event *b);

/* The first event of a kind about an instruction (END: any); NULL when there is none. */
const struct event *events_find(const struct events *events, enum weft_divergence kind,
                                uint32_t number);

void events_free(struct events *events);

#endif
