#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

_Thread_local bool weft_is_beside_others;

struct team {
    size_t count;
    atomic_size_t next;
    atomic_uint threads; /* that have begun */
    void (*work)(void *context, unsigned thread, size_t i);
    void *context;
};

unsigned weft_cores(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > WEFT_MOST_THREADS ? WEFT_MOST_THREADS : (unsigned)cores;
}

static void *take_part(void *argument) {
    struct team *team = argument;
    unsigned thread = atomic_fetch_add(&team->threads, 1);
    for (size_t i = atomic_fetch_add(&team->next, 1); i < team->count;
         i = atomic_fetch_add(&team->next, 1)) {
        team->work(team->context, thread, i);
    }
    return NULL;
}

static void *take_part_beside(void *argument) {
    weft_is_beside_others = true;
    return take_part(argument);
}

void weft_parallel(size_t count, unsigned threads,
                   void (*work)(void *context, unsigned thread, size_t i), void *context) {
    struct team team = {.count = count, .work = work, .context = context};
    pthread_t others[WEFT_MOST_THREADS];
    unsigned started = 0;
    while (started + 1 < threads && started + 1 < count && started < WEFT_MOST_THREADS &&
           pthread_create(&others[started], NULL, take_part_beside, &team) == 0) {
        started++;
    }
    bool before = weft_is_beside_others;
    weft_is_beside_others = before || started > 0;
    take_part(&team);
    weft_is_beside_others = before;
    while (started > 0) {
        pthread_join(others[--started], NULL);
    }
}
