/* What a comparison of both simulators came to: driver/lockstep.h makes it. */
#ifndef WEFT_DRIVER_DIVERGENCE_H
#define WEFT_DRIVER_DIVERGENCE_H

#include "base/text.h"
#include "sim/timing/timing.h"

/* What differs. The first one found is reported: the earliest cycle, and in one cycle the first in
 * this list. */
enum weft_divergence {
    WEFT_SAME,
    WEFT_DIVERGENCE_BURST,
    WEFT_DIVERGENCE_DISPATCHED,
    WEFT_DIVERGENCE_STARTED,
    WEFT_DIVERGENCE_FINISHED,
    WEFT_DIVERGENCE_END, /* last cycle, fault code or faulting instruction */
    WEFT_DIVERGENCE_RTL, /* the RTL broke its contract: an assertion, a memory access outside the
                            regions, no end; nothing differed before */
    WEFT_DIVERGENCE_COUNTER, /* the following have no cycle: that of the report is the last one */
    WEFT_DIVERGENCE_MEMORY,  /* on-chip */
    WEFT_DIVERGENCE_REGION,  /* external */
    WEFT_DIVERGENCES,
};

/* "same", "burst", "dispatched", ... */
extern const char *const weft_divergence_names[WEFT_DIVERGENCES];

struct weft_lockstep_report {
    enum weft_divergence divergence; /* of the last run */
    uint64_t cycle;                  /* in which they first differ */
    uint32_t instruction;            /* that it is about; UINT32_MAX: none in particular */
    struct weft_text text; /* what differs, and the instructions around; "" when nothing */
    struct weft_run_result expected; /* by the cycle simulator */
    struct weft_run_result found;    /* by the RTL; zeros after WEFT_DIVERGENCE_RTL */
    /* Compared and found the same, added up over the runs with this report. */
    uint64_t programs;
    uint64_t instructions; /* that passed dispatch */
    uint64_t bursts;
    uint64_t cycles;
    uint64_t bytes; /* of memories and regions */
};

#endif
