/* A server for tests (driver/remote/server.h), in a process of its own. */
#ifndef WEFT_TESTS_UNIT_REMOTE_SERVER_H
#define WEFT_TESTS_UNIT_REMOTE_SERVER_H

#include <sys/types.h>

#include "driver/remote/remote.h"
#include "driver/remote/server.h"

struct remote_server {
    pid_t process;
    char address[64];
};

/* Starts one at a port that is free; `options->listen` is set here. */
struct remote_server remote_server_start(const struct weft_server_options *options);

/* Ends it, and asserts that it ran until now and ends as it should. */
void remote_server_stop(const struct remote_server *server);

/* What it says of its device. */
struct weft_remote_device remote_server_device(const struct remote_server *server);

/* Waits until a session has the device or none has, and so many wait; fails the test after a
 * time-out. */
void remote_server_await(const struct remote_server *server, bool in_use, uint32_t waiting);

/* Options of a session on the server. */
struct weft_session_options remote_options(const struct remote_server *server);

/* A socket that is connected to it, and says nothing. */
int remote_server_connect(const struct remote_server *server);

/* The process of a session, which is not `other`; waits until there is exactly one, as those that
 * asked for the device alone end. */
pid_t remote_server_worker(const struct remote_server *server, pid_t other);

#endif
