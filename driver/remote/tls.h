/* TLS 1.3 with a pre-shared key on a connected socket, by OpenSSL: for driver/remote/channel.c
 * alone. No call waits: each says what must be waited for. Built without OpenSSL, tls_open() fails.
 */
#ifndef WEFT_DRIVER_REMOTE_TLS_H
#define WEFT_DRIVER_REMOTE_TLS_H

#include <stddef.h>
#include <sys/uio.h>

#include "base/error.h"
#include "driver/remote/key.h"

struct tls;

enum tls_state {
    TLS_DONE,
    TLS_READS,  /* call again when there is something to read, */
    TLS_WRITES, /* or room to write */
    TLS_ENDED,  /* the other side has gone */
    TLS_FAILED,
};

/* Was this built with OpenSSL? */
extern const bool tls_is_built;

/* A side of a connection. Errors: WEFT_TARGET (built without OpenSSL), WEFT_OUT_OF_MEMORY. */
bool tls_open(int socket, const struct key *key, bool is_server, struct tls **tls,
              struct weft_error *error);

enum tls_state tls_handshake(struct tls *tls);

/* Reads at least one byte, *got, when it is TLS_DONE, else none. */
enum tls_state tls_read(struct tls *tls, void *bytes, size_t length, size_t *got);

/* What is to be written; begins with `parts` and `count`, the rest being 0. */
struct tls_writer {
    const struct iovec *parts;
    size_t count;
    size_t part;   /* the next one that was not taken to its end, */
    size_t offset; /* and how far it was */
};

/* Writes all that is left. Call again with the same writer until it is TLS_DONE. */
enum tls_state tls_write(struct tls *tls, struct tls_writer *writer);

void tls_close(struct tls *tls); /* NULL: nothing */

#endif
