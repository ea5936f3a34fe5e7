/* Both simulators on the same program and memories, compared: the cycle simulator (docs/timing.md
 * in C) against the RTL (the same page in SystemVerilog).
 *
 *     struct weft_rtl_library library;        driver/rtl_library.h
 *     struct weft_rtl_machine *machine;
 *     weft_rtl_load(&config, false, &library, &error);
 *     library.interface->create(&machine, &error);
 *     struct weft_lockstep lockstep = {library.interface, machine};
 *
 *     struct weft_lockstep_report report = {0};
 *     set state.region[] and the on-chip memories of state (sim/exec/exec.h);
 *     if (!weft_lockstep_run(&lockstep, &state, &settings, &report, &error)) -> could not compare
 *     if (report.divergence != WEFT_SAME) -> report.text.bytes says what and where
 *     weft_lockstep_report_free(&report);
 *
 * What is compared: for every instruction the cycles in which it passed dispatch, started and
 * finished; for every external burst the cycle, master, address and bytes; the last cycle, the
 * fault code and its instruction; all counters; and after a run without fault all on-chip memories
 * and all external regions, byte for byte.
 *
 * What docs/timing.md leaves open is not: whether an instruction that faults in the cycle of its
 * start counts as started, starts of instructions that a watchdog cut off (the cycle simulator does
 * not report those), and what memories hold after a fault. */
#ifndef WEFT_DRIVER_LOCKSTEP_H
#define WEFT_DRIVER_LOCKSTEP_H

#include "driver/divergence.h"
#include "driver/rtl_model.h"
#include "sim/exec/exec.h"

struct weft_lockstep_settings {
    enum weft_host host; /* kernels of the cycle simulator */
    struct weft_memory_settings memory;
    uint64_t watchdog;     /* cycle in which both give up; 0: never */
    uint64_t memory_limit; /* bytes of what happened, which is kept; 0: WEFT_MEMORY_LIMIT */
    /* Compare times alone: the cycle simulator computes nothing. For programs that the verifier
     * would reject, whose data depend on more than the order of starts. */
    bool timing_only;
    /* Start the RTL as the run before left it, without a reset, as a driver does from program to
     * program. Only after a run that ended with HALT. Without it a run depends on its arguments
     * alone. */
    bool without_reset;
    /* Waveforms of the RTL; see struct weft_rtl_run. */
    const char *wave;
    uint64_t wave_from;
    uint64_t wave_to;
    /* Called whenever an instruction finishes on the RTL: the cycle, and the last one. May be NULL.
     */
    void (*progress)(void *context, uint64_t cycle, uint64_t last);
    void *progress_context;
};

/* The RTL that is compared. Both belong to the caller. */
struct weft_lockstep {
    const struct weft_rtl_interface *rtl;
    struct weft_rtl_machine *machine;
};

/* Runs the program that lies in region 0 of `state` on both and compares. On-chip memories and
 * regions of `state` are what both begin with; afterwards they hold what the cycle simulator made
 * of them (with timing_only: what they held before). The program: region 0 up to its limit, 64
 * bytes an instruction; instructions that are not legal are allowed and fault when they are
 * dispatched.
 *
 * True: the comparison was made, the report says what came out. A new report is all zeros; the next
 * run with it replaces its text. False: it could not be made. Errors: WEFT_OUT_OF_MEMORY,
 * WEFT_FINGERPRINT (the RTL has another configuration than the state), WEFT_ARGUMENT (too many
 * instructions; waveforms from a library without), WEFT_LIMIT, WEFT_IO (waveforms). */
bool weft_lockstep_run(const struct weft_lockstep *lockstep, struct weft_state *state,
                       const struct weft_lockstep_settings *settings,
                       struct weft_lockstep_report *report, struct weft_error *error);

void weft_lockstep_report_free(struct weft_lockstep_report *report);

#endif
