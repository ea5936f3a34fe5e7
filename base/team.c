#include "base/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/parallel.h"

enum {
    GLANCES = 20000 /* that a thread takes at what it waits for before it sleeps: some 50 us */
};

struct member {
    struct weft_team *team;
    pthread_t thread;
    unsigned number;
};

/* Rounds are short, so threads that look do not take the lock: it is there for those that sleep.
 * Whoever changes what others wait for looks then whether one sleeps; whoever goes to sleep says so
 * and looks then whether it has changed: one of both sees the other. */
struct weft_team {
    pthread_mutex_t lock;
    pthread_cond_t begun, left;
    atomic_uint round;     /* counts calls of weft_team_run() */
    atomic_bool is_open;   /* the round can be joined */
    atomic_bool ends;      /* no round will come */
    atomic_uint joined;    /* threads in the round, without the caller's */
    atomic_uint sleeping;  /* threads that wait for `begun` */
    atomic_bool is_waited; /* the caller waits for `left` */
    size_t count;
    atomic_size_t next;
    void (*work)(void *context, unsigned thread, size_t i);
    void *context;
    unsigned others;
    struct member member[WEFT_MOST_THREADS];
};

static void take_part(struct weft_team *team, unsigned thread) {
    for (size_t i = atomic_fetch_add(&team->next, 1); i < team->count;
         i = atomic_fetch_add(&team->next, 1)) {
        team->work(team->context, thread, i);
    }
}

/* Waits for another round than that which was seen. */
static void wait_for_round(struct weft_team *team, unsigned seen) {
    for (int i = 0; i < GLANCES && atomic_load(&team->round) == seen; i++) {
    }
    if (atomic_load(&team->round) != seen) {
        return;
    }
    (void)pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->sleeping, 1);
    while (atomic_load(&team->round) == seen) {
        (void)pthread_cond_wait(&team->begun, &team->lock);
    }
    atomic_fetch_sub(&team->sleeping, 1);
    (void)pthread_mutex_unlock(&team->lock);
}

/* Kernels begin a thread, or wake one, on the core of the thread that does so, and may leave both
 * there for many milliseconds while others are idle. So it is sent elsewhere; from there it may go
 * anywhere. */
static void send_elsewhere(pthread_t thread) {
#ifdef __linux__
    cpu_set_t all;
    const int core = sched_getcpu();
    if (core < 0 || core >= CPU_SETSIZE || sched_getaffinity(0, sizeof all, &all) != 0) {
        return;
    }
    cpu_set_t others = all;
    CPU_CLR((size_t)core, &others);
    if (CPU_COUNT(&others) > 0 && pthread_setaffinity_np(thread, sizeof others, &others) == 0) {
        (void)pthread_setaffinity_np(thread, sizeof all, &all);
    }
#else
    (void)thread;
#endif
}

static void begin_round(struct weft_team *team) {
    atomic_fetch_add(&team->round, 1);
    if (atomic_load(&team->sleeping) > 0) {
        (void)pthread_mutex_lock(&team->lock);
        (void)pthread_cond_broadcast(&team->begun);
        (void)pthread_mutex_unlock(&team->lock);
        for (unsigned i = 0; i < team->others; i++) {
            send_elsewhere(team->member[i].thread);
        }
    }
}

static void leave_round(struct weft_team *team) {
    if (atomic_fetch_sub(&team->joined, 1) == 1 && atomic_load(&team->is_waited)) {
        (void)pthread_mutex_lock(&team->lock);
        (void)pthread_cond_signal(&team->left);
        (void)pthread_mutex_unlock(&team->lock);
    }
}

/* Waits until all that joined have left: who has not come by now is not waited for. */
static void end_round(struct weft_team *team) {
    atomic_store(&team->is_open, false);
    for (int i = 0; i < GLANCES && atomic_load(&team->joined) > 0; i++) {
    }
    if (atomic_load(&team->joined) == 0) {
        return;
    }
    (void)pthread_mutex_lock(&team->lock);
    atomic_store(&team->is_waited, true);
    while (atomic_load(&team->joined) > 0) {
        (void)pthread_cond_wait(&team->left, &team->lock);
    }
    atomic_store(&team->is_waited, false);
    (void)pthread_mutex_unlock(&team->lock);
}

static void *serve(void *argument) {
    const struct member *member = argument;
    struct weft_team *team = member->team;
    unsigned seen = 0;
    weft_is_beside_others = true;
    while (!atomic_load(&team->ends)) {
        wait_for_round(team, seen);
        seen = atomic_load(&team->round);
        atomic_fetch_add(&team->joined, 1); /* from here on an open round stays open */
        if (atomic_load(&team->is_open)) {
            take_part(team, member->number);
        }
        leave_round(team);
    }
    return NULL;
}

static bool make_locks(struct weft_team *team) {
    if (pthread_mutex_init(&team->lock, NULL) != 0) {
        return false;
    }
    if (pthread_cond_init(&team->begun, NULL) != 0) {
        (void)pthread_mutex_destroy(&team->lock);
        return false;
    }
    if (pthread_cond_init(&team->left, NULL) != 0) {
        (void)pthread_cond_destroy(&team->begun);
        (void)pthread_mutex_destroy(&team->lock);
        return false;
    }
    return true;
}

struct weft_team *weft_team_open(unsigned threads) {
    if (weft_is_beside_others || threads < 2) {
        return NULL;
    }
    struct weft_team *team = calloc(1, sizeof *team);
    if (team == NULL || !make_locks(team)) {
        free(team);
        return NULL;
    }
    while (team->others + 1 < threads && team->others + 1 < WEFT_MOST_THREADS) {
        struct member *member = &team->member[team->others];
        *member = (struct member){.team = team, .number = team->others + 1};
        if (pthread_create(&member->thread, NULL, serve, member) != 0) {
            break;
        }
        send_elsewhere(member->thread);
        team->others++;
    }
    return team;
}

void weft_team_run(struct weft_team *team, size_t count,
                   void (*work)(void *context, unsigned thread, size_t i), void *context) {
    if (team == NULL || team->others == 0 || count < 2) {
        for (size_t i = 0; i < count; i++) {
            work(context, 0, i);
        }
        return;
    }
    team->work = work;
    team->context = context;
    team->count = count;
    atomic_store(&team->next, 0);
    atomic_store(&team->is_open, true);
    begin_round(team);
    weft_is_beside_others = true;
    take_part(team, 0);
    weft_is_beside_others = false;
    end_round(team);
}

unsigned weft_team_size(const struct weft_team *team) {
    return team == NULL ? 1 : team->others + 1;
}

void weft_team_close(struct weft_team *team) {
    if (team == NULL) {
        return;
    }
    atomic_store(&team->ends, true);
    begin_round(team);
    while (team->others > 0) {
        (void)pthread_join(team->member[--team->others].thread, NULL);
    }
    (void)pthread_cond_destroy(&team->left);
    (void)pthread_cond_destroy(&team->begun);
    (void)pthread_mutex_destroy(&team->lock);
    free(team);
}
