#include "base/team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/parallel.h"

enum {
    GLANCES = 4000 /* that a thread takes at whether there is work before it sleeps: some 10 us */
};

struct member {
    struct weft_team *team;
    pthread_t thread;
    unsigned number;
};

struct weft_team {
    pthread_mutex_t lock;
    pthread_cond_t begun, left;
    atomic_uint round; /* counts calls of weft_team_run(); changed with the lock */
    bool is_open;      /* the round can be joined */
    bool ends;
    unsigned joined; /* threads in the round, without the caller's */
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

/* Waits with the lock held; false: the team ends. */
static bool wait_for_round(struct weft_team *team, unsigned seen) {
    while (!team->ends && (!team->is_open || atomic_load(&team->round) == seen)) {
        (void)pthread_cond_wait(&team->begun, &team->lock);
    }
    return !team->ends;
}

static void *serve(void *argument) {
    const struct member *member = argument;
    struct weft_team *team = member->team;
    unsigned seen = 0;
    weft_is_beside_others = true;
    for (;;) {
        for (int i = 0; i < GLANCES && atomic_load(&team->round) == seen; i++) {
        }
        (void)pthread_mutex_lock(&team->lock);
        bool works = wait_for_round(team, seen);
        seen = atomic_load(&team->round);
        team->joined += works ? 1 : 0;
        (void)pthread_mutex_unlock(&team->lock);
        if (!works) {
            return NULL;
        }
        take_part(team, member->number);
        (void)pthread_mutex_lock(&team->lock);
        if (--team->joined == 0) {
            (void)pthread_cond_signal(&team->left);
        }
        (void)pthread_mutex_unlock(&team->lock);
    }
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
    (void)pthread_mutex_lock(&team->lock);
    team->work = work;
    team->context = context;
    team->count = count;
    atomic_store(&team->next, 0);
    team->is_open = true;
    atomic_fetch_add(&team->round, 1);
    (void)pthread_cond_broadcast(&team->begun);
    (void)pthread_mutex_unlock(&team->lock);
    weft_is_beside_others = true;
    take_part(team, 0);
    weft_is_beside_others = false;
    /* Who has not come by now is not waited for. */
    (void)pthread_mutex_lock(&team->lock);
    team->is_open = false;
    while (team->joined > 0) {
        (void)pthread_cond_wait(&team->left, &team->lock);
    }
    (void)pthread_mutex_unlock(&team->lock);
}

unsigned weft_team_size(const struct weft_team *team) {
    return team == NULL ? 1 : team->others + 1;
}

void weft_team_close(struct weft_team *team) {
    if (team == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&team->lock);
    team->ends = true;
    atomic_fetch_add(&team->round, 1);
    (void)pthread_cond_broadcast(&team->begun);
    (void)pthread_mutex_unlock(&team->lock);
    while (team->others > 0) {
        (void)pthread_join(team->member[--team->others].thread, NULL);
    }
    (void)pthread_cond_destroy(&team->left);
    (void)pthread_cond_destroy(&team->begun);
    (void)pthread_mutex_destroy(&team->lock);
    free(team);
}
