/* Cutting the runs of a LOAD or STORE into bursts. */
#ifndef WEFT_SIM_TIMING_BURST_H
#define WEFT_SIM_TIMING_BURST_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/config.h"

/* A walk over the bursts of a three-level strided copy, in the order of docs/timing.md. */
struct weft_burst_walk {
    uint32_t run;
    uint32_t count[3];
    int64_t address_stride[3];
    int64_t local_stride[3];
    uint32_t boundary; /* no burst crosses a multiple of this many bytes, a power of two */
    uint32_t width;    /* bytes of a beat, a power of two */
    uint32_t index[3];
    int64_t run_address; /* of the current run */
    int64_t run_local;
    uint32_t done; /* bytes of the current run before the current burst */
};

struct weft_burst {
    uint64_t address; /* byte offset in the region */
    int64_t local;    /* byte address in the on-chip memory */
    uint32_t bytes;
    uint32_t beats;
    bool last; /* of the instruction */
};

struct weft_burst_walk weft_burst_walk_load(const struct weft_config *config,
                                            const struct weft_load_fields *load);
struct weft_burst_walk weft_burst_walk_store(const struct weft_config *config,
                                             const struct weft_store_fields *store);

/* The current burst. */
struct weft_burst weft_burst_current(const struct weft_burst_walk *walk);

/* Moves behind the current burst, which must not be the last one. */
void weft_burst_advance(struct weft_burst_walk *walk, const struct weft_burst *current);

/* Bursts and beats of a whole copy; UINT64_MAX when a number does not fit. */
struct weft_burst_sum {
    uint64_t bursts;
    uint64_t beats;
};

/* At most: every run counts as the one that lies worst of those that the strides allow. Exact where
 * all strides that are used are multiples of a burst. */
struct weft_burst_sum weft_burst_walk_most(const struct weft_burst_walk *walk);

/* At least: every run counts as if it began on a boundary. */
struct weft_burst_sum weft_burst_walk_least(const struct weft_burst_walk *walk);

/* Beats of `width` bytes, a power of two, that the bytes [address, address + bytes) touch; `bytes`
 * is at most UINT32_MAX - 2 * width. */
uint32_t weft_beats(uint64_t address, uint32_t bytes, uint32_t width);

#endif
