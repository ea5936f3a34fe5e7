/* Requests about programs that a session has loaded. */
#ifndef WEFT_DRIVER_REMOTE_SERVING_RUN_H
#define WEFT_DRIVER_REMOTE_SERVING_RUN_H

#include "driver/remote/served_session.h"

/* RUN: receives its regions, runs, and answers. Errors: those of the channel, of the verifier (it
 * rejects the program, and the run is not for timing alone), of target_start(), WEFT_STATE,
 * WEFT_LIMIT, WEFT_PROTOCOL. */
bool serve_run(struct serving *serving, const struct frame *frame, struct weft_error *error);

/* READ. Errors: those of the channel and of the target, WEFT_PROTOCOL, WEFT_OUT_OF_MEMORY. */
bool serve_read(struct serving *serving, const struct frame *frame, struct weft_error *error);

/* TRACE. Errors: those of the channel, of the verifier and of recordings, WEFT_FAULT, WEFT_LIMIT,
 * WEFT_PROTOCOL. */
bool serve_trace(struct serving *serving, const struct frame *frame, struct weft_error *error);

#endif
