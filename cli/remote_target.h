/* --target remote://HOST:PORT, and the key that goes with it. */
#ifndef WEFT_CLI_REMOTE_TARGET_H
#define WEFT_CLI_REMOTE_TARGET_H

#include "cli/cli.h"

#define REMOTE_PREFIX "remote://"

/* Does the target name a server? */
bool is_remote(const char *target);

/* What the driver calls the target. */
const char *target_name(const char *target);

/* Takes what a command was given for its target, NULL or a name, into the options of a session. Of
 * what has no effect on it, complains. False after a message. */
bool remote_target_apply(const struct given *given, const char *target,
                         struct weft_session_options *options);

#endif
