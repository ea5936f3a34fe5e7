/* All targets, and what is the same of all when they run. */
#ifndef WEFT_DRIVER_TARGETS_H
#define WEFT_DRIVER_TARGETS_H

#include "driver/target.h"

/* The target of this name. Error: WEFT_TARGET. */
const struct target *target_find(const char *name, struct weft_error *error);

/* Can it do what the options ask? Error: WEFT_TARGET. */
bool target_check(const struct target *target, const struct weft_session_options *options,
                  struct weft_error *error);

/* Runs the program and fills did->result and did->seconds; *reached is set once they are, with or
 * without a fault. Errors: those of target->run(); WEFT_FAULT, position = the instruction. */
bool target_start(const struct target *target, void *machine, const struct target_run *run,
                  struct weft_segment_run *did, bool *reached, struct weft_error *error);

#endif
