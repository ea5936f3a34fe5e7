/* What a client and a server say to each other about one small program, as bytes: for tests and
 * fuzzers, which cut and change them. */
#ifndef WEFT_TESTS_UNIT_REMOTE_BYTES_H
#define WEFT_TESTS_UNIT_REMOTE_BYTES_H

#include "base/text.h"
#include "driver/remote/protocol.h"
#include "driver/target.h"

enum {
    REMOTE_INPUTS = 32, /* bytes of the regions of the program */
    REMOTE_OUTPUTS = 16,
};

/* The program: 32 bytes of the inputs to ACT, 16 of them to the outputs; for small8. */
struct remote_program {
    struct weft_config config;
    struct weft_program program; /* owned */
    uint8_t *encoded;            /* owned */
    struct weft_session_options options;
    uint8_t inputs[REMOTE_INPUTS];
    uint8_t outputs[REMOTE_OUTPUTS];
    struct target_run run; /* of these */
};

/* Aborts when it cannot be made. */
struct remote_program *remote_program_new(void);
void remote_program_free(struct remote_program *made);

/* Appends a frame. */
void remote_bytes_add(struct weft_text *bytes, enum frame_kind kind, const uint8_t *fields,
                      const void *tail, size_t length);

/* Everything that a client sends: HELLO, LIST, OPEN, LOAD, IMAGE, RUN, READ, TRACE. */
void remote_bytes_of_client(const struct remote_program *made, struct weft_text *bytes);

/* Everything that a server answers to a client that greets, opens, loads, runs and reads ACT. */
void remote_bytes_of_server(const struct remote_program *made, struct weft_text *bytes);

/* Serves a client that sends these bytes, and then no more; what is answered is appended to
 * `answers`, which may be NULL. The error with which it ended is returned. */
struct weft_error remote_bytes_serve(const void *bytes, size_t length, struct weft_text *answers);

/* Is a client to a server that sends these bytes, and then no more: opens, runs twice, reads. True
 * when all of it succeeded. */
bool remote_bytes_be_client(struct remote_program *made, const void *bytes, size_t length,
                            struct weft_error *error);

#endif
