/* External memory, as docs/timing.md describes it, and the only model of it.
 *
 * struct weft_memory_model says when each beat of a burst happens; it knows times only, no data,
 * and the cycle simulator needs no more. struct weft_memory_port is the memory port cycle by cycle,
 * with data, for the bench of the RTL (hw/tb); its times are those of the model. */
#ifndef WEFT_SIM_TIMING_MEMORY_H
#define WEFT_SIM_TIMING_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/integer.h"
#include "isa/config.h"
#include "sim/timing/timing.h"

enum {
    WEFT_PORT_REGION_SHIFT = 40, /* region i begins at the byte address i << 40 */
    WEFT_DRAM_BANKS = 8,         /* of any DRAM, at most */
    WEFT_DRAM_WINDOW = 4,        /* activates in the time four_activates of sim/timing/dram.def */
};

/* Times of sim/timing/dram.def, in cycles, rounded up. */
struct weft_dram_cycles {
    uint64_t activate, precharge, open, write_recovery, write_to_read, read_to_write,
        activates_apart, four_activates, refresh_interval, refresh;
};

/* A bank of DRAM. Its cycles are those of commands: `latency` before the beat that belongs to
 * them. */
struct weft_dram_bank {
    bool is_open;
    uint64_t row;
    uint64_t opened;    /* cycle in which its row was activated */
    uint64_t closable;  /* first cycle in which it can be precharged */
    uint64_t refreshes; /* that had begun when it was activated: each closes all rows */
};

struct weft_dram_state {
    uint64_t banks, row_bytes; /* 0: no DRAM */
    struct weft_dram_cycles cycles;
    struct weft_dram_bank bank[WEFT_DRAM_BANKS];
    uint64_t activated[WEFT_DRAM_WINDOW]; /* cycles of the last ones, a ring */
    uint64_t activates;                   /* how many there were */
    bool has_written;                     /* the last burst */
};

struct weft_memory_model {
    uint64_t latency;  /* cycles from acceptance to the first beat, at least 1 */
    uint64_t interval; /* cycles from one beat to the next, at least 1 */
    uint64_t free;     /* first cycle in which no accepted burst has a beat */
    struct weft_dram_state dram;
};

/* A memory that no burst has used. */
struct weft_memory_model weft_memory_new(const struct weft_config *config,
                                         const struct weft_memory_settings *settings);

/* The cycle of the first beat of a burst that DRAM accepts: a part of weft_memory_accept(). */
uint64_t weft_memory_accept_in_dram(struct weft_memory_model *memory, uint64_t cycle,
                                    uint64_t address, uint64_t beats, bool is_write);

/* Accepts a burst of `beats` that begins at `address`, with its region in the bits from
 * WEFT_PORT_REGION_SHIFT on, in `cycle`, which must not be before that of the last call. Returns
 * the cycle of its first beat; beat k follows k * interval cycles later. */
static inline uint64_t weft_memory_accept(struct weft_memory_model *memory, uint64_t cycle,
                                          uint64_t address, uint64_t beats, bool is_write) {
    uint64_t first = memory->dram.banks == 0
                         ? weft_max_u64(cycle + memory->latency, memory->free)
                         : weft_memory_accept_in_dram(memory, cycle, address, beats, is_write);
    memory->free = first + beats * memory->interval;
    return first;
}

/* Cycles by which DRAM makes a burst wait at most, beside what memory without does. */
uint64_t weft_memory_most_wait(const struct weft_memory_model *memory);

/* The cycle of the last beat of a burst whose first beat is in `first`. */
static inline uint64_t weft_memory_last_beat(const struct weft_memory_model *memory, uint64_t first,
                                             uint64_t beats) {
    return first + (beats - 1) * memory->interval;
}

/* ---- the port, cycle by cycle ---- */

enum {
    WEFT_PORT_WIDTH = 32,    /* bytes of the widest beat */
    WEFT_PORT_BURSTS = 1024, /* more than the units of any configuration may have outstanding */
    WEFT_PORT_WRITES = 8,    /* more beats than STORE_DRAIN cycles can ask for */
    WEFT_PORT_JUNK = 0xa5,   /* read in the bytes of a beat that are not of the burst */
};

/* What is on the port in a cycle. */
enum weft_port_beat {
    WEFT_PORT_NONE,
    WEFT_PORT_FETCH, /* read data for fetch */
    WEFT_PORT_LOAD,  /* read data for load */
    WEFT_PORT_WRITE, /* write data are asked for */
};

/* Part of a burst, in host memory: the beats that are still to come. */
struct weft_port_burst {
    enum weft_master master;
    uint8_t *bytes; /* the next byte */
    uint32_t left;  /* bytes from there on */
    uint32_t lane;  /* of the beat, that the next byte lies in */
    uint64_t cycle; /* of the next beat */
};

/* A write beat whose data are on their way. */
struct weft_port_write {
    uint8_t *bytes;
    uint32_t lane;
    uint32_t count;
    uint64_t cycle; /* in which they must come */
};

struct weft_memory_port {
    struct weft_memory_model model;
    uint32_t width;
    uint32_t boundary; /* no burst crosses a multiple of this */
    uint8_t *regions[WEFT_REGIONS];
    uint64_t limits[WEFT_REGIONS];
    struct weft_port_burst burst[WEFT_PORT_BURSTS]; /* a ring */
    uint32_t burst_head;
    uint32_t burst_count;
    struct weft_port_write write[WEFT_PORT_WRITES]; /* a ring */
    uint32_t write_head;
    uint32_t write_count;
};

/* A port on which nothing is outstanding; regions may be NULL where the limit is 0. */
void weft_port_open(struct weft_memory_port *port, const struct weft_config *config,
                    uint8_t *const regions[WEFT_REGIONS], const uint64_t limits[WEFT_REGIONS],
                    const struct weft_memory_settings *settings);

/* A burst as the machine shows it on its port. */
struct weft_port_request {
    uint32_t master; /* enum weft_master */
    uint64_t address;
    uint32_t bytes;
    uint32_t beats;
};

/* Accepts a burst in `cycle`; *first is the cycle of its first beat. Nothing of it is trusted: that
 * it lies in a region, crosses no boundary, has the beats that its bytes need, that the port can
 * hold it. Error: WEFT_INTERNAL, position = cycle. Call it for cycles in order, at most once for
 * each. */
bool weft_port_accept(struct weft_memory_port *port, uint64_t cycle,
                      const struct weft_port_request *request, uint64_t *first,
                      struct weft_error *error);

/* What is on the port in `cycle`, and the data when it is a read: bit 0 of a beat is bit 0 of
 * data[0]. Call it once for every cycle in order, after bursts of earlier cycles were accepted and
 * data of earlier cycles written. */
enum weft_port_beat weft_port_step(struct weft_memory_port *port, uint64_t cycle,
                                   uint8_t data[WEFT_PORT_WIDTH]);

/* True when write data have to come in `cycle`: those asked for STORE_DRAIN cycles before. */
bool weft_port_write_due(const struct weft_memory_port *port, uint64_t cycle);

/* Takes the write data of `cycle`, or, without `valid`, notes that there are none. Bit i of
 * `strobe` is for byte i. Error: WEFT_INTERNAL, position = cycle: data that were not asked for,
 * that are late, or whose strobes are not the bytes of the burst. */
bool weft_port_write(struct weft_memory_port *port, uint64_t cycle, bool valid,
                     const uint8_t data[WEFT_PORT_WIDTH], uint32_t strobe,
                     struct weft_error *error);

/* True when no beat is to come. */
bool weft_port_is_idle(const struct weft_memory_port *port);

#endif
