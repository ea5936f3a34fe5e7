/* A server: gives clients of target remote, one after the other, the device that it has.
 *
 *     struct weft_server_options options = {.target = "cycle"};
 *     weft_server_open(&options, &server, &error);
 *     printf("%s\n", weft_server_address(server));
 *     weft_server_run(server, &error);          until weft_server_stop(), from a signal's handler
 *     weft_server_close(server);
 *
 * Each client is served by a process of its own, forked from the one that calls: it should have one
 * thread. docs/remote.md says what it does for whom, and how long. */
#ifndef WEFT_DRIVER_REMOTE_SERVER_H
#define WEFT_DRIVER_REMOTE_SERVER_H

#include "driver/session.h"

/* The address when nobody says. */
#define WEFT_SERVER_ADDRESS "127.0.0.1:7433"

enum {
    WEFT_SERVER_DEADLINE = 600000, /* milliseconds; the same, */
    WEFT_SERVER_LEASE = 10000,     /* of the lease, */
    WEFT_SERVER_GREETING = 5000,   /* and of greeting */
    WEFT_SERVER_WAITING = 16,      /* sessions */
    WEFT_SERVER_MOST_WAITING = 48,
};
#define WEFT_SERVER_CACHE (UINT64_C(1) << 28) /* bytes: 256 MiB */

/* Zeros and NULL stand for the values above, and those of containers. */
struct weft_server_options {
    const char *listen;    /* HOST:PORT or [IPV6]:PORT; port 0: one that is free */
    const char *target;    /* NULL: "cycle" */
    const char *key_file;  /* NULL: none, which only addresses of this machine alone allow */
    uint64_t memory_limit; /* bytes that a session may ask for */
    uint64_t cycle_limit;  /* that a program may take */
    uint64_t cache;        /* bytes of programs that are kept for sessions to come */
    uint64_t deadline;     /* milliseconds that a session may have the device, */
    uint64_t lease;        /* that it may do nothing with it while others wait, */
    uint64_t greeting;     /* and that it has to come to the point */
    uint32_t waiting;      /* sessions that can wait, at most WEFT_SERVER_MOST_WAITING */
};

struct weft_server;

/* Reads the key and listens. Errors: WEFT_TARGET (no such target, no RTL is built, a key without
 * TLS), WEFT_ARGUMENT and WEFT_IO (address, key, numbers), WEFT_REFUSED (the address cannot be
 * had), WEFT_OUT_OF_MEMORY. */
bool weft_server_open(const struct weft_server_options *options, struct weft_server **server,
                      struct weft_error *error);

/* Where it listens, with the port that was chosen. */
const char *weft_server_address(const struct weft_server *server);

/* Serves until it is stopped; then all sessions have ended. Error: WEFT_IO. */
bool weft_server_run(struct weft_server *server, struct weft_error *error);

/* Makes weft_server_run() return; can be called from the handler of a signal. */
void weft_server_stop(const struct weft_server *server);

void weft_server_close(struct weft_server *server);

#endif
