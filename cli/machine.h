/* Options of the simulated machine that run and cosim share. */
#ifndef WEFT_CLI_MACHINE_H
#define WEFT_CLI_MACHINE_H

#include "driver/weft.h"

/* As they were given; NULL: not. */
struct machine_options {
    const char *watchdog; /* cycles */
    const char *latency;
    const char *interval;
    const char *wave; /* file */
    const char *from; /* cycles */
    const char *to;
    const char *segment;
};

/* Puts them into the options of a session for a module with `segments` segments. Error:
 * WEFT_ARGUMENT. */
bool machine_options_apply(const struct machine_options *given, uint32_t segments,
                           struct weft_session_options *options, struct weft_error *error);

#endif
