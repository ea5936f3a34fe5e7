#include "sweep/pool.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"

struct worker {
    pid_t process; /* 0: none */
    int socket;
    bool is_working;
    size_t index; /* of the request */
    double started;
};

struct state {
    const struct sweep_pool *pool;
    const char *requests;
    size_t count;
    size_t next;
    unsigned worker_count;
    struct worker workers[SWEEP_MOST_WORKERS];
    char *reply;
    struct weft_error *error;
};

/* ---- bytes between processes ---- */

static bool send_all(int socket, const void *bytes, size_t length) {
    const char *at = bytes;
    while (length > 0) {
        ssize_t sent = send(socket, at, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return false;
        }
        at += sent;
        length -= (size_t)sent;
    }
    return true;
}

static bool receive_all(int socket, void *bytes, size_t length) {
    char *at = bytes;
    while (length > 0) {
        ssize_t received = recv(socket, at, length, 0);
        if (received < 0 && errno == EINTR) {
            continue;
        }
        if (received <= 0) {
            return false;
        }
        at += received;
        length -= (size_t)received;
    }
    return true;
}

/* ---- a worker ---- */

static void limit_memory(uint64_t bytes) {
    const struct rlimit limit = {(rlim_t)bytes, (rlim_t)bytes};
    if (bytes > 0) {
        (void)setrlimit(RLIMIT_AS, &limit);
    }
}

static void no_core_file(void) {
    const struct rlimit limit = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &limit);
}

/* Never returns; nothing of the parent's is closed, flushed or freed. */
static void work(const struct state *state, int socket, pid_t parent) {
    const struct sweep_pool *pool = state->pool;
    struct weft_error error;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    no_core_file();
    if (getppid() != parent) {
        _exit(1);
    }
    void *request = weft_allocate(1, pool->request_size, "a request", &error);
    void *reply = weft_allocate(1, pool->reply_size, "a reply", &error);
    limit_memory(pool->bytes);
    weft_is_beside_others = state->worker_count > 1;
    while (request != NULL && reply != NULL && receive_all(socket, request, pool->request_size)) {
        pool->work(pool->context, request, reply);
        if (!send_all(socket, reply, pool->reply_size)) {
            break;
        }
    }
    _exit(0);
}

/* The workers before must not keep a socket of this one open, nor it theirs. */
static void close_others(const struct state *state, int socket) {
    for (unsigned i = 0; i < state->worker_count; i++) {
        const struct worker *other = &state->workers[i];
        if (other->process != 0 && other->socket != socket) {
            (void)close(other->socket);
        }
    }
}

static bool start_worker(struct state *state, struct worker *worker) {
    int sockets[2];
    pid_t parent = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
        return weft_fail(state->error, WEFT_IO, 0, "no socket for a worker: %s", strerror(errno));
    }
    pid_t process = fork();
    if (process == 0) {
        (void)close(sockets[0]);
        close_others(state, sockets[1]);
        work(state, sockets[1], parent);
    }
    (void)close(sockets[1]);
    if (process < 0) {
        (void)close(sockets[0]);
        return weft_fail(state->error, WEFT_IO, 0, "no process for a worker: %s", strerror(errno));
    }
    *worker = (struct worker){.process = process, .socket = sockets[0]};
    return true;
}

/* Ends a worker; the signal that ended it, or 0. */
static int end_worker(struct worker *worker) {
    int status = 0;
    (void)close(worker->socket);
    while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR) {
    }
    worker->process = 0;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void kill_worker(struct worker *worker) {
    if (worker->process != 0) {
        (void)kill(worker->process, SIGKILL);
        (void)end_worker(worker);
    }
}

/* ---- giving and taking ---- */

/* Gives a worker its next request, if there is one. A worker that is gone is seen when its reply is
 * waited for. */
static bool give(struct state *state, struct worker *worker) {
    const struct sweep_pool *pool = state->pool;
    worker->is_working = state->next < state->count;
    if (!worker->is_working) {
        return true;
    }
    if (worker->process == 0 && !start_worker(state, worker)) {
        return false;
    }
    worker->is_working = true;
    worker->index = state->next++;
    worker->started = weft_clock_seconds();
    (void)send_all(worker->socket, state->requests + worker->index * pool->request_size,
                   pool->request_size);
    return true;
}

static bool take(struct state *state, struct worker *worker) {
    const struct sweep_pool *pool = state->pool;
    size_t index = worker->index;
    if (receive_all(worker->socket, state->reply, pool->reply_size)) {
        return pool->done(pool->context, index, SWEEP_DONE, 0, state->reply, state->error) &&
               give(state, worker);
    }
    int ended_by = end_worker(worker);
    return pool->done(pool->context, index, SWEEP_ENDED, ended_by, NULL, state->error) &&
           give(state, worker);
}

static bool give_up(struct state *state, struct worker *worker) {
    const struct sweep_pool *pool = state->pool;
    kill_worker(worker);
    return pool->done(pool->context, worker->index, SWEEP_LATE, 0, NULL, state->error) &&
           give(state, worker);
}

/* Seconds that a worker has left. */
static double time_left(const struct sweep_pool *pool, const struct worker *worker) {
    return pool->seconds == 0 ? INFINITY : worker->started + pool->seconds - weft_clock_seconds();
}

/* Waits for what comes first; false: nothing is being worked on. */
static bool wait_for_some(struct state *state, struct pollfd *polled) {
    double least = INFINITY;
    bool any = false;
    for (unsigned i = 0; i < state->worker_count; i++) {
        const struct worker *worker = &state->workers[i];
        polled[i] =
            (struct pollfd){.fd = worker->is_working ? worker->socket : -1, .events = POLLIN};
        any = any || worker->is_working;
        least = worker->is_working ? fmin(least, time_left(state->pool, worker)) : least;
    }
    double milliseconds = fmin(fmax(least, 0), 3600) * 1000 + 1;
    if (any && poll(polled, state->worker_count, isinf(least) ? -1 : (int)milliseconds) < 0) {
        for (unsigned i = 0; i < state->worker_count; i++) {
            polled[i].revents = 0; /* interrupted */
        }
    }
    return any;
}

static bool run(struct state *state) {
    struct pollfd polled[SWEEP_MOST_WORKERS];
    for (unsigned i = 0; i < state->worker_count; i++) {
        if (!give(state, &state->workers[i])) {
            return false;
        }
    }
    while (wait_for_some(state, polled)) {
        for (unsigned i = 0; i < state->worker_count; i++) {
            struct worker *worker = &state->workers[i];
            bool good = true;
            if (worker->is_working && polled[i].revents != 0) {
                good = take(state, worker);
            } else if (worker->is_working && time_left(state->pool, worker) <= 0) {
                good = give_up(state, worker);
            }
            if (!good) {
                return false;
            }
        }
    }
    return true;
}

bool sweep_pool_run(const struct sweep_pool *pool, const void *requests, size_t count,
                    struct weft_error *error) {
    struct state *state = weft_allocate(1, sizeof *state, "workers", error);
    if (state == NULL) {
        return false;
    }
    state->pool = pool;
    state->requests = requests;
    state->count = count;
    state->worker_count = pool->workers < SWEEP_MOST_WORKERS ? pool->workers : SWEEP_MOST_WORKERS;
    state->error = error;
    state->reply = weft_allocate(1, pool->reply_size, "a reply", error);
    bool good = state->reply != NULL && run(state);
    for (unsigned i = 0; i < state->worker_count; i++) {
        kill_worker(&state->workers[i]);
    }
    free(state->reply);
    free(state);
    return good;
}
