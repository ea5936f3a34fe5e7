/* target_remote on a connection that somebody else made. */
#ifndef WEFT_DRIVER_REMOTE_CLIENT_H
#define WEFT_DRIVER_REMOTE_CLIENT_H

#include "driver/target.h"

/* As target_remote.open(), on a socket that is connected to a server, without TLS; it is taken
 * over, also on failure. */
bool client_attach(int socket, const struct weft_config *config,
                   const struct weft_session_options *options, void **machine,
                   struct weft_error *error);

#endif
