/* Options of the simulated machine, and its progress, for run and cosim. */
#ifndef WEFT_CLI_MACHINE_H
#define WEFT_CLI_MACHINE_H

#include "cli/arguments.h"
#include "driver/session.h"

/* As they were given; NULL: not. */
struct machine_options {
    const char *watchdog; /* cycles */
    const char *latency;
    const char *interval;
    const char *dram; /* NAME@MHZ */
    const char *wave; /* file */
    const char *from; /* cycles */
    const char *to;
    const char *segment;
    const char *clock; /* MHz, for milliseconds and inferences a second */
};

struct machine_options machine_options_of(const struct given *given);

/* Puts them into the options of a session. Error: WEFT_ARGUMENT. */
bool machine_options_apply(const struct machine_options *given,
                           struct weft_session_options *options, struct weft_error *error);

/* NAME@MHZ; NULL: no DRAM. Error: WEFT_ARGUMENT. */
bool machine_dram(const char *text, struct weft_memory_settings *memory, struct weft_error *error);

/* The clock in MHz, 0 when it is not given. Error: WEFT_ARGUMENT. */
bool machine_clock(const struct machine_options *given, double *clock, struct weft_error *error);

/* The clock of a machine with that memory: DRAM says it where nobody else does (*clock is 0).
 * Error: WEFT_ARGUMENT, they say two. */
bool machine_one_clock(const struct weft_memory_settings *memory, double *clock,
                       struct weft_error *error);

/* Shows how far the RTL is on standard error, when that is a terminal. */
void machine_show_progress(struct weft_session_options *options);

/* Removes the line again. */
void machine_end_progress(void);

#endif
