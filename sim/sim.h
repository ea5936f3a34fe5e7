/* The two simulators: timing and arithmetic joined. */
#ifndef WEFT_SIM_SIM_H
#define WEFT_SIM_SIM_H

#include "sim/exec/exec.h"
#include "sim/timing/timing.h"

/* Runs a program for its data alone. The regions of `state` must be set; on-chip memories keep what
 * they held. Where there is no time, the bound of an instruction (sim/timing/bound.h) stands for
 * it: before the sum of those carried out passes `settings->watchdog` (0: none), which counts that
 * of fetch as well, the run ends with WATCHDOG. Of `settings`, the latency and the interval of the
 * memory matter besides. Only the faults that do not depend on time are seen (ENCODING, ADDRESS,
 * WRITE, PROGRAM_END, DEADLOCK); of the counters, only `instructions` is set. Error:
 * WEFT_OUT_OF_MEMORY.
 */
bool weft_func_run(struct weft_state *state, enum weft_host host,
                   const struct weft_instruction *instructions, size_t count,
                   const struct weft_timing_settings *settings, struct weft_run_result *result,
                   struct weft_error *error);

/* Runs a program with its data and its exact timing. `settings->regions` are taken from the
 * state. `observer` may be NULL; its functions are called as by weft_timing_run(). */
bool weft_cycle_run(struct weft_state *state, enum weft_host host,
                    const struct weft_instruction *instructions, size_t count,
                    const struct weft_timing_settings *settings,
                    const struct weft_observer *observer, struct weft_run_result *result,
                    struct weft_error *error);

#endif
