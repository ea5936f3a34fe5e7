/* The inputs of a model, from files, for run and cosim. */
#ifndef WEFT_CLI_INPUTS_H
#define WEFT_CLI_INPUTS_H

#include "cli/arguments.h"
#include "driver/weft.h"

/* Whether --mean and --std can have an effect. False after a message. */
bool inputs_check(const struct given *given);

/* Reads all inputs into the session, inside the limit on memory (0: the default), and shows
 * pictures where --show says so. Returns the exit status; prints its own errors. */
int inputs_set(const struct given *given, const struct weft_module *module, uint64_t memory_limit,
               struct weft_session *session);

#endif
