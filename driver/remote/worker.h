/* The process of a session: forked by the server, it talks to one client and ends with it. */
#ifndef WEFT_DRIVER_REMOTE_WORKER_H
#define WEFT_DRIVER_REMOTE_WORKER_H

#include <sys/types.h>

#include "driver/remote/message.h"

/* What a session is given. */
struct worker {
    int client; /* sockets: to its client, */
    int server; /* and to the server */
    pid_t parent;
    unsigned number; /* of the session */
    struct shared *shared;
    const struct target *target;
    const char *configurations; /* as struct serving */
    const struct key *key;      /* NULL: none */
    uint64_t memory_limit;
    uint64_t cycle_limit;
    uint64_t greeting; /* milliseconds in which the client must have greeted, */
    uint64_t deadline; /* that it may have the device, */
    uint64_t lease;    /* and that it may do nothing while others wait */
    uint32_t most_waiting;
};

/* Serves the client. To be called in a process of its own, with one thread, which it ends. */
_Noreturn void worker_run(const struct worker *worker);

#endif
