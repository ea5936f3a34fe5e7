/* The trace of a run: what the cycle model tells an observer, kept.
 *
 *     struct weft_trace trace;
 *     weft_trace_record(&config, instructions, count, &settings, &trace, &error);
 *     ...
 *     weft_trace_free(&trace);
 *
 * docs/trace.md says what can be made of it on the command line.
 */
#ifndef WEFT_SIM_TRACE_TRACE_H
#define WEFT_SIM_TRACE_TRACE_H

#include "sim/timing/timing.h"

/* Cycles in which something happened to an instruction; 0: it did not. */
struct weft_trace_times {
    uint64_t dispatched;
    uint64_t started;
    uint64_t finished;
};

struct weft_trace_burst {
    uint64_t accepted; /* cycle */
    uint64_t first;    /* cycle of the first beat */
    uint64_t address;  /* in the region of its instruction; of fetch: in the program */
    uint32_t bytes;
    uint32_t number; /* of the instruction it is for; of fetch: the first one it brings */
    enum weft_master master;
};

/* From `cycle` on, a lane counts for another counter; WEFT_COUNTERS: for none. */
struct weft_trace_change {
    uint64_t cycle;
    unsigned counter;
};

struct weft_trace_changes {
    struct weft_trace_change *list; /* owned; cycles increase */
    size_t count;
    size_t capacity;
};

struct weft_trace {
    struct weft_config config;
    struct weft_timing_settings settings;
    struct weft_program program;     /* owned */
    struct weft_run_result result;   /* counted, even if the machine has no counters */
    struct weft_trace_times *times;  /* owned; by number of the instruction */
    struct weft_trace_burst *bursts; /* owned; in the order of acceptance */
    size_t burst_count;
    size_t burst_capacity;
    struct weft_trace_changes lanes[WEFT_LANES];
};

extern const char *const weft_lane_names[WEFT_LANES];
extern const char *const weft_master_names[WEFT_MASTERS];

/* Bytes that recordings may take, with what is made of them to be looked at. */
struct weft_trace_room {
    uint64_t limit;
    uint64_t used;
    bool is_bare; /* it is not looked at as a report, where each number is an object of its own */
};

/* Runs a program in the cycle model and keeps everything. Release *trace with weft_trace_free().
 * What is kept is added to room->used; NULL: there is no limit. Errors: WEFT_LIMIT,
 * WEFT_OUT_OF_MEMORY, those of weft_timing_run(). */
bool weft_trace_record(const struct weft_config *config,
                       const struct weft_instruction *instructions, size_t count,
                       const struct weft_timing_settings *settings, struct weft_trace_room *room,
                       struct weft_trace *trace, struct weft_error *error);

void weft_trace_free(struct weft_trace *trace);

/* The memory's latency and interval in the run, in cycles. */
uint64_t weft_trace_latency(const struct weft_trace *trace);
uint64_t weft_trace_interval(const struct weft_trace *trace);

/* Beats of a burst, and the last cycle in which it has the memory port. */
uint32_t weft_trace_beats(const struct weft_trace *trace, const struct weft_trace_burst *burst);
uint64_t weft_trace_burst_end(const struct weft_trace *trace, const struct weft_trace_burst *burst);

/* Cycles of a lane that count for one counter, both ends included. */
struct weft_trace_span {
    uint64_t first;
    uint64_t last;
    unsigned counter; /* index; WEFT_COUNTERS: none */
};

/* Span `index` < lanes[lane].count of a lane. */
struct weft_trace_span weft_trace_span_at(const struct weft_trace *trace, enum weft_lane lane,
                                          size_t index);

/* The instructions that started, in the order of their starts: what an order of execution is for
 * programs that the verifier accepts. *numbers is freed by the caller. */
bool weft_trace_order(const struct weft_trace *trace, uint32_t **numbers, size_t *count,
                      struct weft_error *error);

/* Cycles of the units by layer and counter: counts[layer * WEFT_COUNTERS + counter]. A cycle of a
 * unit belongs to its oldest instruction that has not finished, started or not, and so to the layer
 * of that; layer `layer_count` has what belongs to none (layer_of: -1, and cycles after the last
 * instruction of a unit). Summed over the layers these are the counters of the units. *counts is
 * freed by the caller. */
bool weft_trace_by_layer(const struct weft_trace *trace, const int32_t *layer_of,
                         uint32_t layer_count, uint64_t **counts, struct weft_error *error);

/* From `cycle` on, so many bytes of a memory are in use. */
struct weft_occupancy {
    uint64_t cycle;
    uint64_t bytes;
};

/* How much of an on-chip memory is in use over the run. A line of B bytes is in use from the start
 * of the first instruction that writes it to the finish of the last one that reads it before it is
 * written anew; what nobody reads is not in use. *points is freed by the caller. */
bool weft_trace_occupancy(const struct weft_trace *trace, enum weft_memory memory,
                          struct weft_occupancy **points, size_t *count, struct weft_error *error);

#endif
