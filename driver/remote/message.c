#include "driver/remote/message.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* Room for one open file beside a message, aligned as the kernel writes it. */
union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

bool message_send(int socket, const struct message *message, int file) {
    union control control = {.bytes = {0}};
    struct iovec part = {.iov_base = (void *)(uintptr_t)message, .iov_len = sizeof *message};
    struct msghdr packet = {.msg_iov = &part, .msg_iovlen = 1};
    if (file >= 0) {
        packet.msg_control = control.bytes;
        packet.msg_controllen = sizeof control.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&packet);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof file);
        memcpy(CMSG_DATA(header), &file, sizeof file);
    }
    return sendmsg(socket, &packet, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof *message;
}

/* The file that came with a packet; more than one has no room in it. */
static int file_of(struct msghdr *packet) {
    int file = -1;
    const struct cmsghdr *header = CMSG_FIRSTHDR(packet);
    if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(sizeof file)) {
        memcpy(&file, CMSG_DATA(header), sizeof file);
    }
    return file;
}

bool message_receive(int socket, bool waits, struct message *message, int *file) {
    union control control;
    struct iovec part = {.iov_base = message, .iov_len = sizeof *message};
    struct msghdr packet = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof control.bytes};
    ssize_t got = 0;
    do {
        got = recvmsg(socket, &packet, MSG_CMSG_CLOEXEC | (waits ? 0 : MSG_DONTWAIT));
    } while (got < 0 && errno == EINTR);
    *file = got < 0 ? -1 : file_of(&packet);
    if (got == (ssize_t)sizeof *message) {
        return true;
    }
    if (*file >= 0) {
        (void)close(*file);
        *file = -1;
    }
    return false;
}
