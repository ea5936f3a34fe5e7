/* External memory, as docs/timing.md describes it: when each beat of a burst happens. The one model
 * of it, shared by the cycle simulator and, through DPI, by the RTL bench. It knows times only, no
 * data. */
#ifndef WEFT_SIM_TIMING_MEMORY_H
#define WEFT_SIM_TIMING_MEMORY_H

#include <stdint.h>

struct weft_memory_model {
    uint64_t latency;  /* cycles from acceptance to the first beat, at least 1 */
    uint64_t interval; /* cycles from one beat to the next, at least 1 */
    uint64_t free;     /* first cycle in which no accepted burst has a beat */
};

/* A memory that no burst has used. */
struct weft_memory_model weft_memory_new(uint64_t latency, uint64_t interval);

/* Accepts a burst of `beats` in `cycle`, which must not be before that of the last call. Returns
 * the cycle of its first beat; beat k follows k * interval cycles later. */
uint64_t weft_memory_accept(struct weft_memory_model *memory, uint64_t cycle, uint64_t beats);

/* The cycle of the last beat of a burst whose first beat is in `first`. */
uint64_t weft_memory_last_beat(const struct weft_memory_model *memory, uint64_t first,
                               uint64_t beats);

#endif
