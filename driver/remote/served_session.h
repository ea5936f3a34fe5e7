/* What a session of a server is: for driver/remote/serving.c, and what it is made of. */
#ifndef WEFT_DRIVER_REMOTE_SERVED_SESSION_H
#define WEFT_DRIVER_REMOTE_SERVED_SESSION_H

#include <stdatomic.h>

#include "driver/divergence.h"
#include "driver/remote/protocol.h"
#include "driver/remote/served_program.h"

/* What a session asks of the process that it runs in. */
struct serving_host {
    void *context;
    /* Waits until the session has the device; tells the client meanwhile. Errors: WEFT_BUSY,
     * WEFT_TIMEOUT, those of the channel. */
    bool (*take_device)(void *context, struct weft_error *error);
    /* The file of an image that was kept, to be closed by the caller; -1: there is none. */
    int (*find_image)(void *context, const uint8_t hash[WEFT_SHA256_BYTES], size_t length);
    /* Keeps an image for other sessions, or does not; the file stays the caller's. */
    void (*keep_image)(void *context, const uint8_t hash[WEFT_SHA256_BYTES], size_t length,
                       int file);
    /* Fills in what is said of the device. */
    void (*describe)(void *context, struct frame_device *device);
};

/* Of a session, for whoever watches it from another thread or process. */
struct serving_state {
    atomic_bool is_working; /* a request is being carried out: */
    atomic_uint_least64_t cycle;
    atomic_uint_least64_t last;  /* of so many, 0: nobody knows */
    atomic_uint_least64_t heard; /* channel_now() when the client last said something whole */
};

struct serving {
    /* Set by the caller: */
    struct channel *channel;
    const struct serving_host *host;
    const struct target *target;
    const char *configurations; /* that it has, one a line, each behind a line feed; "": any */
    uint64_t memory_limit;      /* bytes, of all that the client makes the session keep */
    uint64_t cycle_limit;       /* that a program may take */
    struct serving_state *state;
    /* Its own, zeros at the beginning: */
    bool is_greeted;
    struct weft_config config;
    struct weft_session_options options;
    struct weft_lockstep_report report;
    void *machine;
    void
        *timing_machine; /* of target cycle, for what the verifier rejects where there is no time */
    struct served_program *programs;
    size_t program_count;
    size_t program_capacity;
    uint64_t memory;
};

#endif
