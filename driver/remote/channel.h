/* A connected socket: bytes in and out, plain or through TLS, with times at which waiting ends.
 *
 * Two threads can share a channel when one alone receives: sending, and all of TLS, is under its
 * lock. A frame goes out as one call of channel_send(), so that frames never mix. */
#ifndef WEFT_DRIVER_REMOTE_CHANNEL_H
#define WEFT_DRIVER_REMOTE_CHANNEL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/uio.h>

#include "base/error.h"
#include "driver/remote/key.h"

/* A deadline that never comes. */
#define CHANNEL_FOREVER UINT64_MAX

enum {
    CHANNEL_MOST_PARTS = 17, /* of what is sent at once */
};

struct channel {
    int socket;
    struct tls *tls;    /* NULL: plain */
    uint64_t deadline;  /* of receiving and sending, as channel_now(); then WEFT_TIMEOUT; of the
                           thread that receives */
    atomic_bool broken; /* something failed; nothing is sent or received any more */
    pthread_mutex_t lock;
};

/* Milliseconds of a clock that nobody sets. */
uint64_t channel_now(void);

/* Takes a connected socket over: channel_close() closes it, a failure does. Error:
 * WEFT_OUT_OF_MEMORY. */
bool channel_open(struct channel *channel, int socket, uint64_t deadline, struct weft_error *error);

/* Makes the handshake of TLS 1.3 with a key, in which nobody else can send; from here on, all bytes
 * go through it. Errors:
 * WEFT_REFUSED (the other side has another key, or none), WEFT_TARGET (built without TLS),
 * WEFT_TIMEOUT, WEFT_OUT_OF_MEMORY. */
bool channel_secure(struct channel *channel, const struct key *key, bool is_server,
                    struct weft_error *error);
void channel_close(struct channel *channel);

/* Sends all parts, at most CHANNEL_MOST_PARTS, one after the other. Errors: WEFT_LOST,
 * WEFT_TIMEOUT. */
bool channel_send(struct channel *channel, const struct iovec *parts, size_t count,
                  struct weft_error *error);

/* The same of a few bytes, unless another thread is sending or makes the handshake: then nothing is
 * done. Takes no heed of channel->deadline, for threads that do not receive. Returns true when they
 * were sent. */
bool channel_try_send(struct channel *channel, const void *bytes, size_t length);

/* Receives exactly `length` bytes. Errors: WEFT_LOST (the other side has gone), WEFT_TIMEOUT. */
bool channel_receive(struct channel *channel, void *bytes, size_t length, struct weft_error *error);

/* The same of `length` > 0 bytes that begin something: channel->deadline is that of the first one;
 * the last one must be there so many milliseconds later. */
bool channel_receive_start(struct channel *channel, void *bytes, size_t length,
                           uint64_t milliseconds, struct weft_error *error);

#endif
