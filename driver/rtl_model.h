/* The RTL of one configuration as a machine to run: what a shared library weft_rtl_NAME.so hands
 * out.
 *
 * The library is the SystemVerilog of hw/rtl in its bench (hw/tb), translated by Verilator. It has
 * one symbol, WEFT_RTL_SYMBOL, a weft_rtl_interface_function. driver/rtl_library.h loads it;
 * tests have a machine behind the same interface that is no RTL.
 *
 *     create -> [write_memories] -> run -> [read_memories] -> run ... -> destroy
 *
 * A machine belongs to one thread at a time; machines do not share anything. No function prints,
 * exits or waits for ever. */
#ifndef WEFT_DRIVER_RTL_MODEL_H
#define WEFT_DRIVER_RTL_MODEL_H

#include "sim/timing/timing.h"

/* Changes with every change of this file. */
#define WEFT_RTL_VERSION 3

#define WEFT_RTL_SYMBOL "weft_rtl_interface"

struct weft_rtl_machine;

/* One start of the machine. */
struct weft_rtl_run {
    /* External memory; NULL where the limit is 0. Region i begins at the byte address i << 40. */
    uint8_t *bytes[WEFT_REGIONS];
    struct weft_regions regions;
    struct weft_memory_settings memory;
    uint64_t watchdog; /* of the machine: cycle in which to give up; 0: never */
    /* The bench's own watchdog: not to have ended after this cycle is an error. 0: 1000 cycles
     * after `watchdog`, one of the two must be set. */
    uint64_t give_up;
    /* May be NULL. `started` is called with the instruction NULL: the RTL knows its number alone.
     * Cycles count as in the cycle simulator: cycle 0 is the one in which start is written. */
    const struct weft_observer *observer;
    /* Waveforms (FST) of cycles wave_from to wave_to; NULL: none. Only when has_wave. */
    const char *wave;
    uint64_t wave_from;
    uint64_t wave_to;
};

struct weft_rtl_interface {
    uint32_t version;        /* WEFT_RTL_VERSION; nothing else may be looked at when it differs */
    uint64_t fingerprint;    /* weft_config_fingerprint() of the configuration */
    const char *config_name; /* its name */
    bool has_wave;           /* can write waveforms (and is slower) */
    bool has_dram;           /* DRAM can be behind its memory port */

    /* A machine in reset, on-chip memories 0. Errors: WEFT_OUT_OF_MEMORY, WEFT_INTERNAL (the RTL is
     * broken: wrong identity or configuration, an assertion). */
    bool (*create)(struct weft_rtl_machine **machine, struct weft_error *error);
    void (*destroy)(struct weft_rtl_machine *machine);

    /* Reset. On-chip memories keep what they hold. Error: WEFT_INTERNAL. */
    bool (*reset)(struct weft_rtl_machine *machine, struct weft_error *error);

    /* Sets the registers, starts, waits for the interrupt, and reads status and counters through
     * the register slave. The machine starts as its last run left it: after one that did not end
     * with HALT it needs a reset. False when the run could not be carried out or the RTL did what
     * its contract forbids: WEFT_ARGUMENT, WEFT_IO (waveforms), WEFT_INTERNAL; the message says
     * what and in which cycle, position = the cycle. The observer has then been told of everything
     * before. */
    bool (*run)(struct weft_rtl_machine *machine, const struct weft_rtl_run *run,
                struct weft_run_result *result, struct weft_error *error);

    /* Copies all on-chip memories in, or those out whose entries are not NULL. Each has
     * weft_memory_bytes() in the form in which struct weft_state (sim/exec) holds it. */
    bool (*write_memories)(struct weft_rtl_machine *machine,
                           const void *const memories[WEFT_MEMORIES], struct weft_error *error);
    bool (*read_memories)(struct weft_rtl_machine *machine, void *const memories[WEFT_MEMORIES],
                          struct weft_error *error);
};

typedef const struct weft_rtl_interface *weft_rtl_interface_function(void);

#endif
