/* Threads that wait for work: for work that comes often and is short. */
#ifndef WEFT_BASE_TEAM_H
#define WEFT_BASE_TEAM_H

#include <stddef.h>

struct weft_team;

/* Up to `threads` threads (WEFT_MOST_THREADS of base/parallel.h at most), the caller's among them.
 * A thread that works beside others (base/parallel.h) has a team of one. NULL, which is such a
 * team, too, where there is no memory; where threads cannot be had there are fewer. */
struct weft_team *weft_team_open(unsigned threads);

/* Calls work(context, thread, i) once for each 0 <= i < count, and returns when all have been done.
 * Calls must not depend on each other. `thread`, less than weft_team_size(), is the same for no two
 * calls at a time. One caller at a time. */
void weft_team_run(struct weft_team *team, size_t count,
                   void (*work)(void *context, unsigned thread, size_t i), void *context);

/* Threads of a team, at least 1. */
unsigned weft_team_size(const struct weft_team *team);

/* Ends the threads. */
void weft_team_close(struct weft_team *team);

#endif
