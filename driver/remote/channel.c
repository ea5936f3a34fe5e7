#include "driver/remote/channel.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "driver/remote/tls.h"

enum {
    BUFFER_BYTES = 1 << 20,   /* that the kernel may keep of a socket, each way */
    MOST_WAIT = 1 << 30,      /* milliseconds of one poll() */
    KEEPALIVE_SECONDS = 1,    /* without a byte, after which the other machine is asked whether */
    KEEPALIVE_QUESTIONS = 3,  /* it is still there, and how often, a second apart */
    GONE_MILLISECONDS = 10000 /* that sent bytes may stay unconfirmed */
};

uint64_t channel_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- opening ---- */

static void set(int socket, int level, int name, int value) {
    /* What a socket does not know (those of tests are no TCP) it does without. */
    (void)setsockopt(socket, level, name, &value, sizeof value);
}

bool channel_open(struct channel *channel, int socket, uint64_t deadline,
                  struct weft_error *error) {
    *channel = (struct channel){.socket = socket, .deadline = deadline};
    set(socket, SOL_SOCKET, SO_SNDBUF, BUFFER_BYTES);
    set(socket, SOL_SOCKET, SO_RCVBUF, BUFFER_BYTES);
    set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    set(socket, IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_SECONDS);
    set(socket, IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_SECONDS);
    set(socket, IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_QUESTIONS);
    set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, GONE_MILLISECONDS);
    if (pthread_mutex_init(&channel->lock, NULL) != 0) {
        (void)close(socket);
        channel->socket = -1;
        return weft_fail(error, WEFT_OUT_OF_MEMORY, 0, "no memory for a lock");
    }
    return true;
}

void channel_close(struct channel *channel) {
    if (channel->socket >= 0) {
        tls_close(channel->tls);
        (void)close(channel->socket);
        (void)pthread_mutex_destroy(&channel->lock);
    }
    *channel = (struct channel){.socket = -1};
}

/* ---- waiting ---- */

static bool lost(struct channel *channel, struct weft_error *error) {
    channel->broken = true;
    return weft_fail(error, WEFT_LOST, 0, "the connection was lost");
}

static bool late(struct channel *channel, struct weft_error *error) {
    channel->broken = true;
    return weft_fail(error, WEFT_TIMEOUT, 0, "the other side is silent, or too slow");
}

/* Waits until the socket can be read (POLLIN) or written (POLLOUT). */
static bool wait_for(struct channel *channel, short events, uint64_t deadline,
                     struct weft_error *error) {
    struct pollfd polled = {.fd = channel->socket, .events = events};
    for (;;) {
        uint64_t now = channel_now();
        if (now >= deadline) {
            return late(channel, error);
        }
        uint64_t left = deadline - now;
        int ready = poll(&polled, 1, left > MOST_WAIT ? MOST_WAIT : (int)left);
        if (ready > 0) {
            return true; /* also for POLLHUP and POLLERR: the next call says what it is */
        }
        if (ready < 0 && errno != EINTR) {
            return lost(channel, error);
        }
    }
}

/* ---- TLS ---- */

/* The same, for what a call of TLS said that it wants. */
static bool wait_for_tls(struct channel *channel, enum tls_state state, uint64_t deadline,
                         struct weft_error *error) {
    return wait_for(channel, state == TLS_READS ? POLLIN : POLLOUT, deadline, error);
}

/* The lock is held: OpenSSL is for one thread at a time, and nothing can be told before its end. */
static bool shake_hands(struct channel *channel, const struct key *key, bool is_server,
                        struct weft_error *error) {
    if (!tls_open(channel->socket, key, is_server, &channel->tls, error)) {
        channel->broken = true;
        return false;
    }
    for (;;) {
        enum tls_state state = tls_handshake(channel->tls);
        if (state == TLS_DONE) {
            return true;
        }
        if (state == TLS_ENDED || state == TLS_FAILED) {
            channel->broken = true;
            return weft_fail(error, WEFT_REFUSED, 0,
                             "no TLS with this key: the other side has another key, or none");
        }
        if (!wait_for_tls(channel, state, channel->deadline, error)) {
            return false;
        }
    }
}

bool channel_secure(struct channel *channel, const struct key *key, bool is_server,
                    struct weft_error *error) {
    (void)pthread_mutex_lock(&channel->lock);
    bool good = shake_hands(channel, key, is_server, error);
    (void)pthread_mutex_unlock(&channel->lock);
    return good;
}

/* Sends through TLS; the lock is held. */
static bool send_secure(struct channel *channel, const struct iovec *parts, size_t count,
                        uint64_t deadline, struct weft_error *error) {
    struct tls_writer writer = {.parts = parts, .count = count};
    for (;;) {
        enum tls_state state = tls_write(channel->tls, &writer);
        if (state == TLS_DONE) {
            return true;
        }
        if (state == TLS_ENDED || state == TLS_FAILED) {
            return lost(channel, error);
        }
        if (!wait_for_tls(channel, state, deadline, error)) {
            return false;
        }
    }
}

/* Receives at least one byte, *got. */
static bool receive_secure(struct channel *channel, uint8_t *bytes, size_t length, size_t *got,
                           struct weft_error *error) {
    for (;;) {
        (void)pthread_mutex_lock(&channel->lock);
        enum tls_state state = tls_read(channel->tls, bytes, length, got);
        (void)pthread_mutex_unlock(&channel->lock);
        if (state == TLS_DONE) {
            return true;
        }
        if (state == TLS_ENDED || state == TLS_FAILED) {
            return lost(channel, error);
        }
        if (!wait_for_tls(channel, state, channel->deadline, error)) {
            return false;
        }
    }
}

/* ---- sending ---- */

/* Takes `sent` bytes off the front of the parts. */
static void take_sent(struct iovec *parts, size_t count, size_t *first, size_t sent) {
    while (*first < count && sent >= parts[*first].iov_len) {
        sent -= parts[(*first)++].iov_len;
    }
    if (*first < count) {
        parts[*first].iov_base = (uint8_t *)parts[*first].iov_base + sent;
        parts[*first].iov_len -= sent;
    }
}

static bool send_plain(struct channel *channel, const struct iovec *given, size_t count,
                       uint64_t deadline, struct weft_error *error) {
    struct iovec parts[CHANNEL_MOST_PARTS];
    size_t first = 0;
    memcpy(parts, given, count * sizeof *parts);
    take_sent(parts, count, &first, 0);
    while (first < count) {
        const struct msghdr message = {.msg_iov = parts + first, .msg_iovlen = count - first};
        ssize_t sent = sendmsg(channel->socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            take_sent(parts, count, &first, (size_t)sent);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (!wait_for(channel, POLLOUT, deadline, error)) {
                return false;
            }
        } else if (errno != EINTR) {
            return lost(channel, error);
        }
    }
    return true;
}

/* The lock is held. */
static bool send_locked(struct channel *channel, const struct iovec *parts, size_t count,
                        uint64_t deadline, struct weft_error *error) {
    if (channel->broken) {
        return weft_fail(error, WEFT_LOST, 0, "the connection was lost before");
    }
    return channel->tls == NULL ? send_plain(channel, parts, count, deadline, error)
                                : send_secure(channel, parts, count, deadline, error);
}

bool channel_send(struct channel *channel, const struct iovec *parts, size_t count,
                  struct weft_error *error) {
    (void)pthread_mutex_lock(&channel->lock);
    bool good = send_locked(channel, parts, count, channel->deadline, error);
    (void)pthread_mutex_unlock(&channel->lock);
    return good;
}

bool channel_try_send(struct channel *channel, const void *bytes, size_t length) {
    struct weft_error error;
    const struct iovec part = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = length};
    if (pthread_mutex_trylock(&channel->lock) != 0) {
        return false;
    }
    bool good = send_locked(channel, &part, 1, channel_now() + GONE_MILLISECONDS, &error);
    (void)pthread_mutex_unlock(&channel->lock);
    return good;
}

/* ---- receiving ---- */

/* Receives at least one byte, *got. */
static bool receive_plain(struct channel *channel, uint8_t *bytes, size_t length, size_t *got,
                          struct weft_error *error) {
    for (;;) {
        ssize_t received = recv(channel->socket, bytes, length, MSG_DONTWAIT);
        if (received > 0) {
            *got = (size_t)received;
            return true;
        }
        if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            if (!wait_for(channel, POLLIN, channel->deadline, error)) {
                return false;
            }
        } else if (received == 0 || errno != EINTR) {
            return lost(channel, error);
        }
    }
}

static bool receive_some(struct channel *channel, uint8_t *bytes, size_t length, size_t *got,
                         struct weft_error *error) {
    if (channel->broken) {
        return weft_fail(error, WEFT_LOST, 0, "the connection was lost before");
    }
    return channel->tls == NULL ? receive_plain(channel, bytes, length, got, error)
                                : receive_secure(channel, bytes, length, got, error);
}

bool channel_receive(struct channel *channel, void *bytes, size_t length,
                     struct weft_error *error) {
    uint8_t *to = bytes;
    while (length > 0) {
        size_t got = 0;
        if (!receive_some(channel, to, length, &got, error)) {
            return false;
        }
        to += got;
        length -= got;
    }
    return true;
}

bool channel_receive_start(struct channel *channel, void *bytes, size_t length,
                           uint64_t milliseconds, struct weft_error *error) {
    size_t got = 0;
    if (!receive_some(channel, bytes, length, &got, error)) {
        return false;
    }
    channel->deadline = channel_now() + milliseconds;
    return channel_receive(channel, (uint8_t *)bytes + got, length - got, error);
}
