/* Work on several cores. */
#ifndef WEFT_BASE_PARALLEL_H
#define WEFT_BASE_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

/* The number of cores that are online, at least 1 and at most WEFT_MOST_THREADS. */
unsigned weft_cores(void);

enum {
    WEFT_MOST_THREADS = 16
};

/* True while this thread works beside others for weft_parallel() or a team (base/team.h): the other
 * cores have something to do. */
extern _Thread_local bool weft_is_beside_others;

/* Calls work(context, thread, i) once for each 0 <= i < count, on up to `threads` threads, the
 * caller's among them, and returns when all have been done. Calls must not depend on each other.
 * `thread`, less than `threads`, is the same for no two calls at a time: for memory that calls use
 * one after the other. Where threads cannot be had there are fewer, which changes nothing but the
 * time. */
void weft_parallel(size_t count, unsigned threads,
                   void (*work)(void *context, unsigned thread, size_t i), void *context);

#endif
