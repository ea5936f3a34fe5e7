/* The client's end of a connection to a server: requests, and what comes back for them. */
#ifndef WEFT_DRIVER_REMOTE_CONNECTION_H
#define WEFT_DRIVER_REMOTE_CONNECTION_H

#include "driver/remote/protocol.h"
#include "driver/session.h"

struct connection {
    struct channel channel;
    char server[64]; /* for messages */
    bool is_real;    /* the server's machine has a memory of its own */
    void (*progress)(void *context, uint64_t cycle, uint64_t last); /* NULL: nobody asks */
    void *progress_context;
};

/* Connects to options->server and greets it. Errors: those of weft_session_open() of target remote
 * that are about the server. */
bool connection_open(const struct weft_session_options *options, struct connection *connection,
                     struct weft_error *error);

/* The same on a socket that is connected already, and that it takes over, without TLS. */
bool connection_attach(int socket, const char *server, struct connection *connection,
                       struct weft_error *error);

void connection_close(struct connection *connection);

/* Sends a request. */
bool connection_send(struct connection *connection, enum frame_kind kind, const uint8_t *fields,
                     const struct iovec *tail, size_t count, struct weft_error *error);

/* Receives the next frame that is an answer, which must be one of two; its tail is still to come.
 * An ERROR of the server becomes the error. After anything else that is wrong the connection is of
 * no more use. */
bool connection_receive(struct connection *connection, enum frame_kind expected,
                        enum frame_kind other, struct frame *frame, struct weft_error *error);

/* Receives bytes of a tail. */
bool connection_take(struct connection *connection, void *bytes, size_t length,
                     struct weft_error *error);

/* Fails because of what an answer says; nothing more is sent or received. */
bool connection_broken(struct connection *connection, struct weft_error *error, const char *what);

/* Opens a machine of a configuration on the server: waits until the device is this session's.
 * Errors: those of weft_session_open() of target remote. */
bool connection_open_machine(struct connection *connection, const struct weft_config *config,
                             const struct weft_session_options *options, struct weft_error *error);

/* A program as it goes to a server. */
struct connection_program {
    uint32_t number;
    const struct weft_regions *regions;
    const uint8_t *instructions; /* regions->limit[WEFT_REGION_PROGRAM] bytes */
    const uint8_t *constants;    /* NULL: the region begins as zeros */
};

/* Gives the server a program, unless it has it from somebody already. */
bool connection_load(struct connection *connection, const struct connection_program *program,
                     struct weft_error *error);

#endif
