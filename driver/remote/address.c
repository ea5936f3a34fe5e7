#include "driver/remote/address.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "driver/remote/channel.h"

/* ---- text ---- */

struct parts {
    char host[256];
    char port[8];
};

static bool malformed(const char *address, struct weft_error *error) {
    return weft_fail(error, WEFT_ARGUMENT, 0,
                     "address '%.200s': expected HOST:PORT or [IPV6]:PORT, PORT from 0 to 65535",
                     address);
}

static bool is_port(const char *text) {
    unsigned long port = 0;
    size_t length = strlen(text);
    if (length == 0 || length > 5 || strspn(text, "0123456789") != length) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        port = port * 10 + (unsigned long)(text[i] - '0');
    }
    return port <= 65535;
}

/* The host is the machine itself where there is none before the colon. */
static bool split(const char *address, struct parts *parts, struct weft_error *error) {
    const char *colon = strrchr(address, ':');
    const char *host = address;
    if (colon == NULL || !is_port(colon + 1)) {
        return malformed(address, error);
    }
    size_t length = (size_t)(colon - address);
    if (length >= 2 && host[0] == '[' && host[length - 1] == ']') {
        host++;
        length -= 2;
    } else if (memchr(host, ':', length) != NULL) {
        return malformed(address, error);
    }
    if (length >= sizeof parts->host) {
        return malformed(address, error);
    }
    if (length == 0) {
        host = "127.0.0.1";
        length = strlen(host);
    }
    memcpy(parts->host, host, length);
    parts->host[length] = '\0';
    memcpy(parts->port, colon + 1, strlen(colon + 1) + 1);
    return true;
}

static void print(const struct sockaddr *name, socklen_t length, char text[ADDRESS_BYTES]) {
    char host[256] = "?";
    char port[8] = "?";
    (void)getnameinfo(name, length, host, sizeof host, port, sizeof port,
                      NI_NUMERICHOST | NI_NUMERICSERV);
    (void)snprintf(text, ADDRESS_BYTES, name->sa_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host,
                   port);
}

/* ---- which machine ---- */

static bool is_loopback(const struct sockaddr *name) {
    if (name->sa_family == AF_INET) {
        struct sockaddr_in internet;
        memcpy(&internet, name, sizeof internet);
        return ntohl(internet.sin_addr.s_addr) >> 24 == 127;
    }
    if (name->sa_family == AF_INET6) {
        struct sockaddr_in6 internet;
        memcpy(&internet, name, sizeof internet);
        return IN6_IS_ADDR_LOOPBACK(&internet.sin6_addr) != 0;
    }
    return false;
}

static bool resolve(const char *address, int flags, struct addrinfo **found,
                    struct weft_error *error) {
    struct parts parts;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags};
    if (!split(address, &parts, error)) {
        return false;
    }
    int status = getaddrinfo(parts.host, parts.port, &hints, found);
    return status == 0 || weft_fail(error, WEFT_ARGUMENT, 0, "address '%.200s': %s", address,
                                    gai_strerror(status));
}

static bool may_use(const char *address, const struct addrinfo *found, bool has_key,
                    struct weft_error *error) {
    return has_key || is_loopback(found->ai_addr) ||
           weft_fail(error, WEFT_ARGUMENT, 0,
                     "address '%.200s' is not of this machine alone: that needs a key (--key-file)",
                     address);
}

/* ---- listening ---- */

static bool listen_at(const char *address, const struct addrinfo *found, int *made,
                      char text[ADDRESS_BYTES], struct weft_error *error) {
    enum {
        BACKLOG = 1024, /* connections that wait to be accepted */
    };
    const int on = 1;
    struct sockaddr_storage name = {0};
    socklen_t length = sizeof name;
    int listener = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener >= 0) {
        (void)setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    }
    if (listener < 0 || bind(listener, found->ai_addr, found->ai_addrlen) != 0 ||
        listen(listener, BACKLOG) != 0 ||
        getsockname(listener, (struct sockaddr *)&name, &length) != 0) {
        (void)weft_fail(error, WEFT_REFUSED, 0, "cannot listen at '%.200s': %s", address,
                        strerror(errno));
        if (listener >= 0) {
            (void)close(listener);
        }
        return false;
    }
    print((const struct sockaddr *)&name, length, text);
    *made = listener;
    return true;
}

bool address_listen(const char *address, bool has_key, int *socket, char text[ADDRESS_BYTES],
                    struct weft_error *error) {
    struct addrinfo *found = NULL;
    if (!resolve(address, AI_PASSIVE, &found, error)) {
        return false;
    }
    bool good =
        may_use(address, found, has_key, error) && listen_at(address, found, socket, text, error);
    freeaddrinfo(found);
    return good;
}

/* ---- connecting ---- */

/* 0, or what went wrong. */
static int wait_connected(int connecting, uint64_t deadline) {
    struct pollfd polled = {.fd = connecting, .events = POLLOUT};
    int status = 0;
    socklen_t length = sizeof status;
    for (;;) {
        uint64_t now = channel_now();
        if (now >= deadline) {
            return ETIMEDOUT;
        }
        int ready = poll(&polled, 1, (int)(deadline - now));
        if (ready > 0) {
            break;
        }
        if (ready < 0 && errno != EINTR) {
            return errno;
        }
    }
    return getsockopt(connecting, SOL_SOCKET, SO_ERROR, &status, &length) == 0 ? status : errno;
}

static int connect_to(const struct addrinfo *found, uint64_t deadline, int *made) {
    int connecting = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (connecting < 0) {
        return errno;
    }
    int status = connect(connecting, found->ai_addr, found->ai_addrlen) == 0 ? 0 : errno;
    if (status == EINPROGRESS) {
        status = wait_connected(connecting, deadline);
    }
    if (status != 0) {
        (void)close(connecting);
        return status;
    }
    *made = connecting;
    return 0;
}

/* Tries all addresses of a name. */
static bool connect_any(const char *address, const struct addrinfo *found, bool has_key,
                        uint64_t deadline, int *made, struct weft_error *error) {
    int status = 0;
    for (; found != NULL; found = found->ai_next) {
        if (!may_use(address, found, has_key, error)) {
            return false;
        }
        status = connect_to(found, deadline, made);
        if (status == 0) {
            return true;
        }
    }
    return weft_fail(error, status == ETIMEDOUT ? WEFT_TIMEOUT : WEFT_REFUSED, 0,
                     "cannot connect: %s", strerror(status));
}

bool address_connect(const char *address, bool has_key, uint64_t deadline, int *socket,
                     struct weft_error *error) {
    struct addrinfo *found = NULL;
    if (!resolve(address, 0, &found, error)) {
        return false;
    }
    bool good = connect_any(address, found, has_key, deadline, socket, error);
    freeaddrinfo(found);
    return good;
}
