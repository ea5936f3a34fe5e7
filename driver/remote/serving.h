/* A session as a server sees it: what its client asks, one request after the other.
 *
 * Nothing that comes is trusted. Lengths are those that driver/remote/protocol.def allows and that
 * what was loaded before asks for; programs are decoded and verified as those of a file are, and
 * one that the verifier rejects runs for its timing alone, as weft run does it. */
#ifndef WEFT_DRIVER_REMOTE_SERVING_H
#define WEFT_DRIVER_REMOTE_SERVING_H

#include "driver/remote/served_session.h"

/* Serves until the client goes or breaks the rules, or anything ends the connection; the client has
 * been told then, where that is possible. Returns false with the reason: WEFT_LOST when the client
 * has gone. */
bool serving_run(struct serving *serving, struct weft_error *error);

void serving_free(struct serving *serving);

#endif
