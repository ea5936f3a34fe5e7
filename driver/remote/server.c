#include "driver/remote/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limit.h"
#include "base/memory.h"
#include "driver/remote/address.h"
#include "driver/remote/cache.h"
#include "driver/remote/tls.h"
#include "driver/remote/worker.h"
#include "driver/rtl_library.h"
#include "driver/targets.h"

enum {
    TICK_MILLISECONDS = 50,      /* between two looks at the sessions */
    GRACE_MILLISECONDS = 500,    /* that a session has to say goodbye when it is ended */
    CROWDED_MILLISECONDS = 1000, /* old, when all places are taken and a client has not greeted */
    CONFIGURATIONS_BYTES = 4000,
};

struct session {
    pid_t worker; /* 0: there is no session */
    int control;  /* to the worker */
    bool asked;   /* for the device */
    size_t told;  /* how many are before it, as it knows; 0: nothing */
    uint64_t began;
    uint64_t granted; /* when it got the device; 0: it has not */
    uint64_t ended;   /* when it was told to end; 0: it was not */
};

struct weft_server {
    struct weft_server_options options;
    struct key key;
    const struct target *target;
    char configurations[CONFIGURATIONS_BYTES];
    char address[ADDRESS_BYTES];
    int listener;
    bool is_short; /* of files or memory: nobody can be let in for now */
    int stop[2];   /* a pipe: reading end, writing end */
    struct shared *shared;
    struct queue queue;
    struct cache cache;
    struct session sessions[QUEUE_SESSIONS];
};

/* ---- opening ---- */

static struct weft_server_options complete(const struct weft_server_options *options) {
    struct weft_server_options made = *options;
    made.listen = made.listen == NULL ? WEFT_SERVER_ADDRESS : made.listen;
    made.target = made.target == NULL ? target_cycle.name : made.target;
    made.memory_limit = weft_memory_limit(made.memory_limit);
    made.cycle_limit = made.cycle_limit == 0 ? WEFT_CYCLE_LIMIT : made.cycle_limit;
    made.cache = made.cache == 0 ? WEFT_SERVER_CACHE : made.cache;
    made.deadline = made.deadline == 0 ? WEFT_SERVER_DEADLINE : made.deadline;
    made.lease = made.lease == 0 ? WEFT_SERVER_LEASE : made.lease;
    made.greeting = made.greeting == 0 ? WEFT_SERVER_GREETING : made.greeting;
    made.waiting = made.waiting == 0 ? WEFT_SERVER_WAITING : made.waiting;
    return made;
}

static bool check(const struct weft_server_options *options, struct weft_error *error) {
    const uint64_t day = 86400000;
    if (options->deadline > day || options->lease > day || options->greeting > day) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "a session lasts a day at most");
    }
    if (options->waiting > WEFT_SERVER_MOST_WAITING) {
        return weft_fail(error, WEFT_ARGUMENT, options->waiting, "at most %d sessions can wait",
                         WEFT_SERVER_MOST_WAITING);
    }
    return options->key_file == NULL || tls_is_built ||
           weft_fail(error, WEFT_TARGET, 0,
                     "a key needs TLS, which this weft is built without: scripts/setup installs "
                     "libssl-dev, then build again");
}

/* The configurations of hw/configs whose RTL is built; the simulators have any. */
static bool find_configurations(struct weft_server *server, struct weft_error *error) {
    size_t used = 0;
    if (server->target != &target_rtl && server->target != &target_lockstep) {
        return true;
    }
    for (size_t i = 0; weft_builtin_configs[i].name != NULL; i++) {
        struct weft_config config;
        struct weft_rtl_library library;
        const char *name = weft_builtin_configs[i].name;
        if (weft_config_find(name, &config, error) &&
            weft_rtl_load(&config, false, &library, error)) {
            weft_rtl_unload(&library);
            used += (size_t)snprintf(server->configurations + used, CONFIGURATIONS_BYTES - used,
                                     "\n%.31s", name);
        }
    }
    return used > 0; /* the error of the last one says what to do */
}

static bool find_target(struct weft_server *server, struct weft_error *error) {
    server->target = target_find(server->options.target, error);
    if (server->target == &target_remote) {
        return weft_fail(error, WEFT_TARGET, 0,
                         "a server has a device of its own, not target "
                         "remote");
    }
    return server->target != NULL && find_configurations(server, error);
}

static bool make_shared(struct weft_server *server, struct weft_error *error) {
    void *memory = mmap(NULL, sizeof *server->shared, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return weft_no_memory(error, "a server");
    }
    server->shared = memory;
    return true;
}

static bool open_server(struct weft_server *server, struct weft_error *error) {
    bool has_key = server->options.key_file != NULL;
    if (!check(&server->options, error) || !find_target(server, error) ||
        (has_key && !key_read(server->options.key_file, &server->key, error)) ||
        !make_shared(server, error)) {
        return false;
    }
    if (pipe2(server->stop, O_CLOEXEC | O_NONBLOCK) != 0) {
        return weft_fail(error, WEFT_IO, 0, "no pipe for the end of a server: %s", strerror(errno));
    }
    return address_listen(server->options.listen, has_key, &server->listener, server->address,
                          error);
}

bool weft_server_open(const struct weft_server_options *options, struct weft_server **server,
                      struct weft_error *error) {
    struct weft_server *made = weft_allocate(1, sizeof *made, "a server", error);
    if (made == NULL) {
        return false;
    }
    made->options = complete(options);
    made->listener = made->stop[0] = made->stop[1] = -1;
    made->queue = queue_new(made->options.waiting);
    made->cache = cache_new(made->options.cache);
    if (!open_server(made, error)) {
        weft_server_close(made);
        return false;
    }
    *server = made;
    return true;
}

const char *weft_server_address(const struct weft_server *server) {
    return server->address;
}

void weft_server_stop(const struct weft_server *server) {
    int error = errno;
    ssize_t written = write(server->stop[1], "", 1);
    (void)written; /* a full pipe has been told already */
    errno = error;
}

static void close_file(int file) {
    if (file >= 0) {
        (void)close(file);
    }
}

void weft_server_close(struct weft_server *server) {
    if (server == NULL) {
        return;
    }
    close_file(server->listener);
    close_file(server->stop[0]);
    close_file(server->stop[1]);
    cache_free(&server->cache);
    if (server->shared != NULL) {
        (void)munmap(server->shared, sizeof *server->shared);
    }
    explicit_bzero(&server->key, sizeof server->key);
    free(server);
}

/* ---- the device ---- */

static void publish(struct weft_server *server) {
    atomic_store(&server->shared->in_use, server->queue.holder != QUEUE_NOBODY);
    atomic_store(&server->shared->waiting, (uint_least32_t)server->queue.count);
}

static void kill_worker(const struct session *session) {
    (void)kill(session->worker, SIGKILL);
}

/* A worker that does not read what it is told is of no use. */
static void tell(const struct session *session, enum message_kind kind, size_t number) {
    const struct message message = {.kind = kind, .number = (uint32_t)number};
    if (!message_send(session->control, &message, -1)) {
        kill_worker(session);
    }
}

/* Gives the device on, and tells those who wait how many are before them, where that changed. */
static void hand_out(struct weft_server *server) {
    int next = queue_grant(&server->queue);
    if (next != QUEUE_NOBODY) {
        server->sessions[next].granted = channel_now();
        atomic_store(&server->shared->sessions[next].state.heard, channel_now());
        tell(&server->sessions[next], MESSAGE_GRANTED, 0);
    }
    for (size_t i = 0; i < server->queue.count; i++) {
        struct session *session = &server->sessions[server->queue.waiting[i]];
        size_t before = queue_before(&server->queue, server->queue.waiting[i]);
        /* Once each: clients that come and go, however many, must not fill its socket. */
        if (session->told != before) {
            session->told = before;
            tell(session, MESSAGE_BEFORE, before);
        }
    }
    publish(server);
}

/* ---- sessions ---- */

static void end_session(struct weft_server *server, unsigned number) {
    struct session *session = &server->sessions[number];
    kill_worker(session); /* it has gone, or must */
    while (waitpid(session->worker, NULL, 0) < 0 && errno == EINTR) {
    }
    (void)close(session->control);
    *session = (struct session){.control = -1};
    queue_leave(&server->queue, (int)number);
    hand_out(server);
}

static void ask(struct weft_server *server, unsigned number) {
    struct session *session = &server->sessions[number];
    if (session->asked) {
        kill_worker(session); /* no worker of ours asks twice */
        return;
    }
    session->asked = queue_ask(&server->queue, (int)number);
    if (session->asked) {
        hand_out(server);
    } else {
        tell(session, MESSAGE_BUSY, server->queue.count);
    }
}

static void keep(struct weft_server *server, const struct message *message, int file) {
    if (file >= 0 && image_is_sealed(file, (size_t)message->length)) {
        cache_keep(&server->cache, message->hash, (size_t)message->length, file);
    } else {
        close_file(file);
    }
}

static void find(struct weft_server *server, const struct session *session,
                 const struct message *message) {
    int file = cache_find(&server->cache, message->hash, (size_t)message->length);
    const struct message answer = {.kind = file < 0 ? MESSAGE_MISSING : MESSAGE_FOUND};
    if (!message_send(session->control, &answer, file)) {
        kill_worker(session);
    }
}

/* Takes one message of a worker, or its end. */
static void hear(struct weft_server *server, unsigned number) {
    struct session *session = &server->sessions[number];
    struct message message;
    int file = -1;
    if (!message_receive(session->control, false, &message, &file)) {
        end_session(server, number);
    } else if (message.kind == MESSAGE_KEEP) {
        keep(server, &message, file);
    } else {
        close_file(file);
        if (message.kind == MESSAGE_FIND) {
            find(server, session, &message);
        } else if (message.kind == MESSAGE_ASK) {
            ask(server, number);
        } else {
            kill_worker(session);
        }
    }
}

/* ---- time ---- */

static enum ending ending_of(const struct weft_server *server, unsigned number, uint64_t now) {
    const struct session *session = &server->sessions[number];
    const struct serving_state *state = &server->shared->sessions[number].state;
    if (!session->asked) {
        return now - session->began > server->options.greeting ? ENDING_LATE : ENDING_NO;
    }
    if (session->granted == 0) {
        return ENDING_NO; /* it waits */
    }
    if (now - session->granted > server->options.deadline) {
        return ENDING_DEADLINE;
    }
    uint64_t heard = atomic_load(&state->heard);
    bool is_idle =
        !atomic_load(&state->is_working) && now > heard && now - heard > server->options.lease;
    return is_idle && server->queue.count > 0 ? ENDING_LEASE : ENDING_NO;
}

/* Ends whose time is over: the worker says so to its client, if it still can. */
static void look_at_time(struct weft_server *server) {
    uint64_t now = channel_now();
    for (unsigned i = 0; i < QUEUE_SESSIONS; i++) {
        struct session *session = &server->sessions[i];
        if (session->worker == 0) {
            continue;
        }
        if (session->ended != 0) {
            if (now - session->ended > GRACE_MILLISECONDS) {
                kill_worker(session);
            }
            continue;
        }
        enum ending ending = ending_of(server, i, now);
        if (ending != ENDING_NO) {
            session->ended = now;
            atomic_store(&server->shared->sessions[i].ending, ending);
        }
    }
}

/* ---- clients ---- */

/* Where somebody waits to be let in, ends all clients that have been here for a while and have
 * asked for nothing. */
static void make_room(struct weft_server *server) {
    uint64_t now = channel_now();
    struct pollfd polled = {.fd = server->listener, .events = POLLIN};
    bool is_needed = poll(&polled, 1, 0) > 0;
    for (unsigned i = 0; is_needed && i < QUEUE_SESSIONS; i++) {
        const struct session *session = &server->sessions[i];
        if (session->worker != 0 && !session->asked &&
            now - session->began > CROWDED_MILLISECONDS) {
            end_session(server, i);
        }
    }
}

static int free_place(const struct weft_server *server) {
    for (int i = 0; i < QUEUE_SESSIONS; i++) {
        if (server->sessions[i].worker == 0) {
            return i;
        }
    }
    return QUEUE_NOBODY;
}

static void become_worker(const struct weft_server *server, unsigned number, int client,
                          int control, pid_t parent) {
    const struct worker worker = {.client = client,
                                  .server = control,
                                  .parent = parent,
                                  .number = number,
                                  .shared = server->shared,
                                  .target = server->target,
                                  .configurations = server->configurations,
                                  .key = server->options.key_file == NULL ? NULL : &server->key,
                                  .memory_limit = server->options.memory_limit,
                                  .cycle_limit = server->options.cycle_limit,
                                  .greeting = server->options.greeting,
                                  .deadline = server->options.deadline,
                                  .lease = server->options.lease,
                                  .most_waiting = server->options.waiting};
    worker_run(&worker);
}

static void begin_session(struct weft_server *server, unsigned number, int client,
                          const int pair[2]) {
    pid_t parent = getpid();
    memset(&server->shared->sessions[number], 0, sizeof server->shared->sessions[number]);
    pid_t worker = fork();
    if (worker == 0) {
        become_worker(server, number, client, pair[1], parent);
    }
    if (worker < 0) {
        (void)close(pair[0]);
        return;
    }
    server->sessions[number] =
        (struct session){.worker = worker, .control = pair[0], .began = channel_now()};
}

/* Takes one client, where there is a place. Without files for its session it waits to be let in. */
static void take_client(struct weft_server *server) {
    int place = free_place(server);
    int pair[2] = {-1, -1};
    if (place < 0) {
        return;
    }
    bool has_pair = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0;
    int client = has_pair ? accept4(server->listener, NULL, NULL, SOCK_CLOEXEC) : -1;
    if (client < 0) {
        server->is_short =
            errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
        close_file(pair[0]);
    } else {
        begin_session(server, (unsigned)place, client, pair);
        (void)close(client);
    }
    close_file(pair[1]);
}

/* ---- the loop ---- */

static bool step(struct weft_server *server, bool *stopped, struct weft_error *error) {
    enum {
        STOP,
        LISTENER,
        WORKERS
    };
    struct pollfd polled[WORKERS + QUEUE_SESSIONS];
    unsigned numbers[QUEUE_SESSIONS];
    nfds_t count = WORKERS;
    bool is_full = free_place(server) < 0;
    polled[STOP] = (struct pollfd){.fd = server->stop[0], .events = POLLIN};
    polled[LISTENER] = (struct pollfd){.fd = server->listener, .events = POLLIN};
    for (unsigned i = 0; i < QUEUE_SESSIONS; i++) {
        if (server->sessions[i].worker != 0) {
            numbers[count - WORKERS] = i;
            polled[count++] = (struct pollfd){.fd = server->sessions[i].control, .events = POLLIN};
        }
    }
    bool looks_again = count > WORKERS || server->is_short;
    if (is_full || server->is_short) {
        polled[LISTENER].fd = -1; /* it would end all waiting at once */
    }
    server->is_short = false;
    if (poll(polled, count, looks_again ? TICK_MILLISECONDS : -1) < 0 && errno != EINTR) {
        return weft_fail(error, WEFT_IO, 0, "the server cannot wait: %s", strerror(errno));
    }
    *stopped = polled[STOP].revents != 0;
    for (nfds_t i = WORKERS; i < count; i++) {
        if (polled[i].revents != 0) {
            hear(server, numbers[i - WORKERS]);
        }
    }
    look_at_time(server);
    if (is_full) {
        make_room(server);
    } else if (polled[LISTENER].revents != 0) {
        take_client(server);
    }
    return true;
}

bool weft_server_run(struct weft_server *server, struct weft_error *error) {
    bool stopped = false;
    bool good = true;
    while (good && !stopped) {
        good = step(server, &stopped, error);
    }
    for (unsigned i = 0; i < QUEUE_SESSIONS; i++) {
        if (server->sessions[i].worker != 0) {
            end_session(server, i);
        }
    }
    return good;
}
