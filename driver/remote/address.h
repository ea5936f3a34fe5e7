/* HOST:PORT, [IPV6]:PORT or :PORT; a host is a name or a number. */
#ifndef WEFT_DRIVER_REMOTE_ADDRESS_H
#define WEFT_DRIVER_REMOTE_ADDRESS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
    ADDRESS_BYTES = 320, /* of an address as text */
};

/* Listens. Without a key the address must be one of this machine alone (127.0.0.0/8, ::1); port 0
 * takes one that is free. `text` is the address that was taken, with its port. Errors:
 * WEFT_ARGUMENT (no such address, not of this machine and no key), WEFT_REFUSED (it cannot be
 * had). */
bool address_listen(const char *address, bool has_key, int *socket, char text[ADDRESS_BYTES],
                    struct weft_error *error);

/* Connects before `deadline` (channel_now()). Errors: WEFT_ARGUMENT, as above; WEFT_REFUSED (nobody
 * answers there), WEFT_TIMEOUT. */
bool address_connect(const char *address, bool has_key, uint64_t deadline, int *socket,
                     struct weft_error *error);

#endif
