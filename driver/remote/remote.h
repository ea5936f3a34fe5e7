/* What a server of `weft serve` is asked for beside running programs, which is for target "remote"
 * of driver/session.h: what it offers, and recordings.
 *
 * Of `options`, server, key_file and progress are read, and what belongs to the machine. Errors of
 * all calls: those of weft_session_open() of target remote. */
#ifndef WEFT_DRIVER_REMOTE_REMOTE_H
#define WEFT_DRIVER_REMOTE_REMOTE_H

#include "driver/session.h"
#include "sim/trace/trace.h"

/* What a server offers. */
struct weft_remote_device {
    char target[32];           /* what runs the programs: "func", "cycle", "rtl", "lockstep" */
    char configurations[4096]; /* that it has, one a line; "": any */
    uint32_t in_use;           /* 1: a session has it */
    uint32_t waiting;          /* sessions that wait for it, */
    uint32_t most_waiting;     /* and how many can */
    bool has_key;              /* the server takes clients that have its key, and no others */
    uint64_t memory_limit;     /* bytes, of a session */
    uint64_t cycle_limit;      /* that a program may take */
    uint64_t deadline;         /* milliseconds, of a session */
    uint64_t lease;            /* milliseconds that it may do nothing while others wait */
};

bool weft_remote_device(const struct weft_session_options *options,
                        struct weft_remote_device *device, struct weft_error *error);

/* A session for recordings. */
struct weft_remote;

bool weft_remote_open(const struct weft_session_options *options, const struct weft_config *config,
                      struct weft_remote **remote, struct weft_error *error);

/* Records a program in the server's cycle model, as weft_trace_record() does here. What comes back
 * is read as a file is, in at most `memory_limit` bytes (0: WEFT_MEMORY_LIMIT), and must be about
 * this program. The bound of the program is its watchdog. Release *trace with weft_trace_free().
 * Errors: also WEFT_FAULT, those of the verifier and of weft_trace_read(). */
bool weft_remote_trace(struct weft_remote *remote, const struct weft_program *program,
                       const struct weft_regions *regions, uint64_t memory_limit,
                       struct weft_trace *trace, struct weft_error *error);

void weft_remote_close(struct weft_remote *remote);

#endif
