/* The cycle model of the machine: docs/timing.md in C.
 *
 * It runs a program without any data. Whoever wants the data registers an observer and carries out
 * each instruction when it starts; the compiler runs it without one, as its cost model. The model
 * goes from event to event: its cost depends on the number of instructions and bursts, not of
 * cycles.
 */
#ifndef WEFT_SIM_TIMING_TIMING_H
#define WEFT_SIM_TIMING_TIMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "isa/config.h"
#include "isa/isa.h"

/* Masters of the memory port, in the order of their priority. */
enum weft_master {
    WEFT_MASTER_FETCH,
    WEFT_MASTER_STORE,
    WEFT_MASTER_LOAD,
    WEFT_MASTERS,
};

/* The counters of isa/counters.def. */
struct weft_counters {
#define WEFT_COUNTER(name, doc) uint64_t name;
#include "isa/counters.def"
#undef WEFT_COUNTER
};

enum {
#define WEFT_COUNTER(name, doc) WEFT_COUNTER_INDEX_##name,
#include "isa/counters.def"
#undef WEFT_COUNTER
    WEFT_COUNTERS
};

/* Names of the counters, in the order of struct weft_counters. */
extern const char *const weft_counter_names[WEFT_COUNTERS];

/* A counter by its index in isa/counters.def. */
uint64_t weft_counter_get(const struct weft_counters *counters, unsigned index);

/* What external memory is: as fast everywhere, or DRAM, whose rows, banks and refreshes take time
 * besides (docs/timing.md). */
enum weft_dram {
    WEFT_DRAM_NONE,
#define WEFT_DRAM(NAME, ...) WEFT_DRAM_##NAME,
#include "sim/timing/dram.def"
#undef WEFT_DRAM
    WEFT_DRAMS,
};

/* By enum weft_dram; WEFT_DRAM_NONE is "none". */
extern const char *const weft_dram_names[WEFT_DRAMS];

/* External memory, where it is not as the configuration says. All 0: it is. */
struct weft_memory_settings {
    uint64_t latency;    /* cycles; 0: as the configuration says */
    uint64_t interval;   /* cycles from beat to beat; 0: 1 */
    enum weft_dram dram; /* latency is that of a row that is open */
    uint32_t clock;      /* kHz of the machine, by which times of DRAM become cycles:
                          * WEFT_DRAM_LEAST_CLOCK to WEFT_DRAM_MOST_CLOCK; without DRAM 0 */
};

enum {
    WEFT_DRAM_LEAST_CLOCK = 10000, /* rows are opened well inside the time between refreshes */
    WEFT_DRAM_MOST_CLOCK = 10000000,
};

/* DRAM and the machine's clock from NAME@MHZ ("ddr3-1600@400", "lpddr4-3200@62.5"), rounded to kHz.
 * False: it is something else, or the clock is outside its range; *memory stays as it was. */
bool weft_memory_read_dram(const char *text, struct weft_memory_settings *memory);

struct weft_timing_settings {
    struct weft_regions regions;
    struct weft_memory_settings memory;
    uint64_t watchdog; /* cycle in which to give up; 0: never */
    /* Not a machine: all instructions are in the queues of their units from the beginning, whatever
     * the depth, and nothing is fetched. Shows the compiler when each could start at best. For
     * programs without FENCE, and for those that the machine itself runs later: neither extents nor
     * the ownership of banks are looked at. */
    bool preloaded;
};

/* What accounts for its cycles: each of them counts for at most one counter. The four units, in the
 * order of enum weft_unit, account for every cycle. */
enum weft_lane {
    WEFT_LANE_DISPATCH = WEFT_UNITS,
    WEFT_LANE_LOAD_BURSTS,  /* pending bursts: load_limit, load_lost */
    WEFT_LANE_STORE_BURSTS, /* store_limit, store_lost */
    WEFT_LANES,
};

/* Called as things happen; any function may be NULL. Cycles never decrease from call to call. */
struct weft_observer {
    void *context;
    /* The instruction entered the queue of its unit, or passed (FENCE, HALT). */
    void (*dispatched)(void *context, uint32_t number, uint64_t cycle);
    /* The instruction started. Not called for one that faults at its start, nor for one that is
     * still at work after the watchdog's cycle. Carrying out instructions in the order of these
     * calls gives what the machine computes, for programs that the verifier accepts. */
    void (*started)(void *context, uint32_t number, const struct weft_instruction *instruction,
                    uint64_t cycle);
    void (*finished)(void *context, uint32_t number, uint64_t cycle);
    /* A burst was accepted in `cycle`; its first beat is in `first`. */
    void (*burst)(void *context, enum weft_master master, uint64_t address, uint32_t bytes,
                  uint64_t cycle, uint64_t first);
    /* From `cycle` on, the cycles of a lane count for the counter of this index, or WEFT_COUNTERS:
     * for none. Until the first call they count for none. The lengths of these intervals, to the
     * end of the run, add up to the counters. */
    void (*counting)(void *context, enum weft_lane lane, unsigned counter, uint64_t cycle);
};

struct weft_run_result {
    enum weft_fault fault; /* WEFT_FAULT_NONE: the program reached HALT */
    uint32_t fault_instruction;
    struct weft_counters counters;
};

/* The same machine with performance counters, to count what happens in it: they change nothing but
 * what can be read of it. */
static inline struct weft_config weft_counting(const struct weft_config *config) {
    struct weft_config counting = *config;
    counting.performance_counters = 1;
    return counting;
}

/* Runs a program of `count` instructions from start to HALT or a fault. An instruction with an
 * opcode that does not exist stands for one that could not be decoded: it faults at dispatch. The
 * fetch traffic is that of the program region; instructions past `count` or past its limit do not
 * exist. Errors: WEFT_ARGUMENT when `count` is above 2^31 - 1, WEFT_OUT_OF_MEMORY. */
bool weft_timing_run(const struct weft_config *config, const struct weft_instruction *instructions,
                     size_t count, const struct weft_timing_settings *settings,
                     const struct weft_observer *observer, struct weft_run_result *result,
                     struct weft_error *error);

#endif
