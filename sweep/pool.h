/* Work in processes of its own: what crashes, takes too long or too much memory is a bad outcome of
 * one piece of work. */
#ifndef WEFT_SWEEP_POOL_H
#define WEFT_SWEEP_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
    SWEEP_MOST_WORKERS = 256
};

enum sweep_outcome {
    SWEEP_DONE,
    SWEEP_LATE,  /* it took longer than its time */
    SWEEP_ENDED, /* its process ended; the detail is the signal, or 0 */
};

struct sweep_pool {
    unsigned workers;
    double seconds; /* that a piece may take; 0: any */
    uint64_t bytes; /* of address space that a process may take; 0: any */
    size_t request_size;
    size_t reply_size;
    void *context;
    /* In a process of its own, which works on one piece after the other. */
    void (*work)(void *context, const void *request, void *reply);
    /* In this process, as outcomes come, in any order; `reply` of SWEEP_DONE alone. False: stop. */
    bool (*done)(void *context, size_t index, enum sweep_outcome outcome, int detail,
                 const void *reply, struct weft_error *error);
};

/* Works on `count` requests, which lie one behind the other. Workers are forked: other
 * threads of the caller must hold nothing that work() takes. Processes end with this one. Errors:
 * WEFT_IO (no processes can be had), WEFT_OUT_OF_MEMORY, those of done(). */
bool sweep_pool_run(const struct sweep_pool *pool, const void *requests, size_t count,
                    struct weft_error *error);

#endif
