/* The key that a server and its clients share, and the file it is in: one line of 64 to 96
 * hexadecimal digits. */
#ifndef WEFT_DRIVER_REMOTE_KEY_H
#define WEFT_DRIVER_REMOTE_KEY_H

#include <stddef.h>

#include "base/error.h"

enum {
    KEY_LEAST_BYTES = 32,
    KEY_MOST_BYTES = 48, /* TLS keeps no more of a session's secret */
};

struct key {
    uint8_t bytes[KEY_MOST_BYTES];
    size_t length;
};

/* Reads a key file, which must be a regular file of this user (or of root), and which nobody else
 * can read or write. Errors: WEFT_IO, WEFT_ARGUMENT. */
bool key_read(const char *path, struct key *key, struct weft_error *error);

#endif
