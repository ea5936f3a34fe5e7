#include "driver/remote/worker.h"

#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "driver/remote/confine.h"
#include "driver/remote/serving.h"

enum {
    TICK_MILLISECONDS = 200,  /* between two looks of the watcher */
    SIGN_MILLISECONDS = 1000, /* between two signs of life to the client */
    STACK_BYTES = 1 << 18,    /* of the watcher */
    TEXT_BYTES = 256,         /* of what it says */
    TLS_HANDSHAKE = 0x16,     /* the first byte that a client with a key sends */
};

struct session {
    const struct worker *worker;
    struct channel channel;
    struct serving serving;
    bool has_device;
};

/* ---- the watcher: a thread that ends the process when there is nothing left to work for ---- */

static const char *const ending_texts[] = {
    [ENDING_LATE] = "the client greeted, and asked for nothing",
    [ENDING_LEASE] = "the session asked for nothing while others waited, and lost the device",
    [ENDING_DEADLINE] = "the session had the device for longer than this server allows",
};

/* A frame that is made at once, for channel_try_send(). */
static void tell(struct session *session, enum frame_kind kind, const uint8_t *fields,
                 const char *text) {
    uint8_t bytes[FRAME_HEADER_BYTES + FRAME_MOST_FIELDS + TEXT_BYTES];
    size_t length = frame_write(bytes, kind, fields, strlen(text));
    (void)snprintf((char *)bytes + length, TEXT_BYTES, "%s", text);
    (void)channel_try_send(&session->channel, bytes, length + strlen(text));
}

static void tell_end(struct session *session, int ending) {
    char text[TEXT_BYTES];
    uint8_t fields[FRAME_ERROR_BYTES];
    encode_error(fields, &(struct frame_error){.position = 0});
    (void)snprintf(text, sizeof text, "%s %s", weft_error_name(WEFT_TIMEOUT), ending_texts[ending]);
    tell(session, FRAME_ERROR, fields, text);
}

static void tell_progress(struct session *session) {
    const struct serving_state *state = session->serving.state;
    uint8_t fields[FRAME_PROGRESS_BYTES];
    encode_progress(fields, &(struct frame_progress){.cycle = atomic_load(&state->cycle),
                                                     .last = atomic_load(&state->last)});
    tell(session, FRAME_PROGRESS, fields, "");
}

static void *watch(void *context) {
    struct session *session = context;
    const struct worker *worker = session->worker;
    const struct serving_state *state = session->serving.state;
    uint64_t told = channel_now();
    for (;;) {
        struct pollfd polled = {.fd = worker->client, .events = POLLRDHUP};
        if (poll(&polled, 1, TICK_MILLISECONDS) > 0) {
            _exit(0); /* the client has gone, and what is being done is for nobody */
        }
        int ending = atomic_load(&worker->shared->sessions[worker->number].ending);
        if (ending != ENDING_NO) {
            tell_end(session, ending);
            _exit(0);
        }
        uint64_t now = channel_now();
        if (!atomic_load(&state->is_working)) {
            told = now;
        } else if (now - told >= SIGN_MILLISECONDS) {
            tell_progress(session);
            told = now;
        }
    }
}

static bool start_watcher(struct session *session) {
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    bool good = pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
                pthread_create(&thread, &attributes, watch, session) == 0;
    (void)pthread_attr_destroy(&attributes);
    return good;
}

/* ---- what a session asks of the server ---- */

static bool lost_server(struct weft_error *error) {
    return weft_fail(error, WEFT_LOST, 0, "the server is ending");
}

static bool tell_waiting(struct session *session, uint32_t before, struct weft_error *error) {
    uint8_t fields[FRAME_WAITING_BYTES];
    encode_waiting(fields, &(struct frame_waiting){.before = before});
    return frame_send(&session->channel, FRAME_WAITING, fields, NULL, 0, error);
}

/* Waits for the next message, with a sign of life to the client every second. */
static bool wait_message(struct session *session, uint32_t before, struct message *message,
                         struct weft_error *error) {
    struct pollfd polled = {.fd = session->worker->server, .events = POLLIN};
    int file = -1;
    while (poll(&polled, 1, SIGN_MILLISECONDS) == 0) {
        if (!tell_waiting(session, before, error)) {
            return false;
        }
    }
    if (!message_receive(session->worker->server, true, message, &file)) {
        return lost_server(error);
    }
    if (file >= 0) {
        (void)close(file);
    }
    return true;
}

static bool take_device(void *context, struct weft_error *error) {
    struct session *session = context;
    struct message message = {.kind = MESSAGE_ASK};
    uint32_t before = 0;
    if (session->has_device) {
        return true; /* since an OPEN that failed */
    }
    if (!message_send(session->worker->server, &message, -1)) {
        return lost_server(error);
    }
    for (;;) {
        if (!wait_message(session, before, &message, error)) {
            return false;
        }
        if (message.kind == MESSAGE_GRANTED) {
            session->has_device = true;
            return true;
        }
        if (message.kind == MESSAGE_BUSY) {
            return weft_fail(error, WEFT_BUSY, message.number,
                             "%" PRIu32 " sessions wait for the device already, no more can",
                             message.number);
        }
        before = message.number;
        if (!tell_waiting(session, before, error)) {
            return false;
        }
    }
}

static int find_image(void *context, const uint8_t hash[WEFT_SHA256_BYTES], size_t length) {
    const struct session *session = context;
    struct message message = {.kind = MESSAGE_FIND, .length = length};
    int file = -1;
    memcpy(message.hash, hash, sizeof message.hash);
    if (!message_send(session->worker->server, &message, -1) ||
        !message_receive(session->worker->server, true, &message, &file)) {
        return -1;
    }
    return file;
}

static void keep_image(void *context, const uint8_t hash[WEFT_SHA256_BYTES], size_t length,
                       int file) {
    const struct session *session = context;
    struct message message = {.kind = MESSAGE_KEEP, .length = length};
    memcpy(message.hash, hash, sizeof message.hash);
    (void)message_send(session->worker->server, &message, file); /* or it is sent again one day */
}

static void describe(void *context, struct frame_device *device) {
    const struct session *session = context;
    const struct worker *worker = session->worker;
    device->in_use = atomic_load(&worker->shared->in_use);
    device->waiting = atomic_load(&worker->shared->waiting);
    device->most_waiting = worker->most_waiting;
    device->has_key = worker->key != NULL;
    device->deadline = worker->deadline;
    device->lease = worker->lease;
}

/* ---- the session ---- */

/* Tells a client of the other kind that it is one, in its own language. */
static bool turn_away(struct session *session, uint8_t first) {
    /* A fatal alert of TLS: handshake_failure. */
    static const uint8_t alert[] = {0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28};
    struct weft_error reason;
    struct weft_error error;
    if (first == TLS_HANDSHAKE) {
        const struct iovec part = {.iov_base = (void *)(uintptr_t)alert, .iov_len = sizeof alert};
        (void)channel_send(&session->channel, &part, 1, &error);
        return false;
    }
    (void)weft_fail(&reason, WEFT_REFUSED, 0,
                    "it takes clients that have its key alone (--key-file)");
    (void)frame_send_error(&session->channel, &reason, &error);
    return false;
}

/* Lets in who has the key. The watcher, which runs already, ends it when that takes too long. */
static bool let_in(struct session *session) {
    const struct worker *worker = session->worker;
    struct weft_error error;
    struct pollfd polled = {.fd = worker->client, .events = POLLIN};
    uint8_t first = 0;
    if (poll(&polled, 1, (int)worker->greeting) <= 0 ||
        recv(worker->client, &first, 1, MSG_PEEK | MSG_DONTWAIT) != 1) {
        return false;
    }
    if ((first == TLS_HANDSHAKE) != (worker->key != NULL)) {
        return turn_away(session, first);
    }
    return worker->key == NULL || channel_secure(&session->channel, worker->key, true, &error);
}

/* Lets the last bytes through: a socket that is closed with bytes left to be read takes back what
 * it has sent. */
static void say_goodbye(int client) {
    enum {
        MILLISECONDS = 200
    };
    char bytes[4096];
    uint64_t end = channel_now() + MILLISECONDS;
    struct pollfd polled = {.fd = client, .events = POLLIN};
    (void)shutdown(client, SHUT_WR);
    while (channel_now() < end && poll(&polled, 1, MILLISECONDS) > 0 &&
           recv(client, bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
    }
}

static void serve(const struct worker *worker) {
    struct weft_error error;
    struct session session = {.worker = worker};
    const struct serving_host host = {.context = &session,
                                      .take_device = take_device,
                                      .find_image = find_image,
                                      .keep_image = keep_image,
                                      .describe = describe};
    session.serving = (struct serving){.channel = &session.channel,
                                       .host = &host,
                                       .target = worker->target,
                                       .configurations = worker->configurations,
                                       .memory_limit = worker->memory_limit,
                                       .cycle_limit = worker->cycle_limit,
                                       .state = &worker->shared->sessions[worker->number].state};
    if (!channel_open(&session.channel, worker->client, channel_now() + worker->greeting, &error) ||
        !start_watcher(&session)) {
        return;
    }
    confine_threads();
    if (let_in(&session)) {
        (void)serving_run(&session.serving, &error);
    }
    say_goodbye(worker->client);
    _exit(0); /* here, while what the watcher looks at is still there */
}

/* The process has nothing of the server's but copies: _exit() leaves their ends to the server. */
_Noreturn void worker_run(const struct worker *worker) {
    enum {
        BESIDE_SECONDS = 5, /* to begin and to end */
    };
    if (confine(worker->parent, worker->client, worker->server, worker->memory_limit,
                worker->deadline / 1000 + BESIDE_SECONDS)) {
        serve(worker);
    }
    _exit(0);
}
