#include "tests/linux/uml/vhost_user.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- messages ---- */

enum request {
    GET_FEATURES = 1,
    SET_MEM_TABLE = 5,
    SET_VRING_NUM = 8,
    SET_VRING_ADDR = 9,
    SET_VRING_BASE = 10,
    SET_VRING_KICK = 12,
    SET_VRING_CALL = 13,
    GET_PROTOCOL_FEATURES = 15,
    SET_VRING_ENABLE = 18,
    GET_CONFIG = 24,
};

enum {
    VERSION = 1,
    REPLY = 4,
    NEED_REPLY = 8,
    MOST_FILES = VHOST_MEMORIES,
};

/* Protocol features, and the general one to have them; VIRTIO_F_VERSION_1. */
#define FEATURES          (1ULL << 30 | 1ULL << 32)
#define PROTOCOL_FEATURES (1ULL << 3 | 1ULL << 5) /* REPLY_ACK, SLAVE_REQ */

struct __attribute__((packed)) header {
    uint32_t request;
    uint32_t flags;
    uint32_t bytes;
};

struct __attribute__((packed)) memory_region {
    uint64_t address;
    uint64_t bytes;
    uint64_t user_address;
    uint64_t offset; /* in its file */
};

union payload {
    uint64_t number;
    struct {
        uint32_t index;
        uint32_t number;
    } state;
    struct __attribute__((packed)) {
        uint32_t index;
        uint32_t flags;
        uint64_t descriptors;
        uint64_t used;
        uint64_t available;
        uint64_t log;
    } ring;
    struct __attribute__((packed)) {
        uint32_t count;
        uint32_t padding;
        struct memory_region regions[VHOST_MEMORIES];
    } memory;
    uint8_t bytes[VHOST_MESSAGE_BYTES];
};

struct message {
    struct header header;
    union payload payload;
    int files[MOST_FILES]; /* that came with it; -1: none */
};

static bool read_all(int file, void *bytes, size_t length) {
    uint8_t *at = bytes;
    while (length > 0) {
        ssize_t got = read(file, at, length);
        if (got <= 0 && !(got < 0 && errno == EINTR)) {
            return false;
        }
        at += got > 0 ? got : 0;
        length -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* The header comes with the files. */
static bool receive_header(int socket, struct message *message) {
    union {
        char bytes[CMSG_SPACE(sizeof message->files)];
        struct cmsghdr aligned;
    } control;
    struct iovec vector = {&message->header, sizeof message->header};
    struct msghdr given = {.msg_iov = &vector,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
    ssize_t got = 0;
    do {
        got = recvmsg(socket, &given, MSG_WAITALL);
    } while (got < 0 && errno == EINTR);
    for (int i = 0; i < MOST_FILES; i++) {
        message->files[i] = -1;
    }
    struct cmsghdr *first = CMSG_FIRSTHDR(&given);
    if (first != NULL && first->cmsg_type == SCM_RIGHTS) {
        memcpy(message->files, CMSG_DATA(first), first->cmsg_len - CMSG_LEN(0));
    }
    return got == (ssize_t)sizeof message->header;
}

static bool reply(const struct vhost *vhost, const struct message *message, const void *payload,
                  uint32_t bytes) {
    struct __attribute__((packed)) {
        struct header header;
        uint8_t payload[VHOST_MESSAGE_BYTES];
    } answer = {.header = {message->header.request, VERSION | REPLY, bytes}};
    memcpy(answer.payload, payload, bytes);
    size_t length = sizeof answer.header + bytes;
    return write(vhost->socket, &answer, length) == (ssize_t)length;
}

static bool reply_number(const struct vhost *vhost, const struct message *message,
                         uint64_t number) {
    return reply(vhost, message, &number, sizeof number);
}

/* ---- what they say ---- */

static bool set_memory(struct vhost *vhost, const struct message *message) {
    uint32_t count = message->payload.memory.count;
    for (uint32_t i = 0; i < count && i < VHOST_MEMORIES; i++) {
        const struct memory_region *region = &message->payload.memory.regions[i];
        void *memory = mmap(NULL, region->bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                            message->files[i], (off_t)region->offset);
        if (memory == MAP_FAILED) {
            return false;
        }
        vhost->memories[i].memory = memory;
        vhost->memories[i].address = region->address;
        vhost->memories[i].bytes = region->bytes;
        (void)close(message->files[i]);
    }
    return count <= VHOST_MEMORIES;
}

static bool set_ring(struct vhost *vhost, const struct message *message) {
    const union payload *payload = &message->payload;
    uint32_t index = payload->state.index & 0xff;
    if (index >= VHOST_QUEUES) {
        return false;
    }
    struct vhost_queue *queue = &vhost->queues[index];
    switch (message->header.request) {
    case SET_VRING_NUM:
        queue->count = payload->state.number;
        break;
    case SET_VRING_BASE:
        queue->next = (uint16_t)payload->state.number;
        break;
    case SET_VRING_ADDR: /* addresses of the process are those of its memory */
        queue->descriptors = payload->ring.descriptors;
        queue->available = payload->ring.available;
        queue->used = payload->ring.used;
        break;
    case SET_VRING_KICK:
        queue->kick = message->files[0];
        break;
    case SET_VRING_CALL:
        queue->call = message->files[0];
        break;
    default:
        queue->is_enabled = payload->state.number != 0;
        break;
    }
    return true;
}

static bool carry_out(struct vhost *vhost, struct message *message, bool *replied) {
    *replied = true;
    switch (message->header.request) {
    case GET_FEATURES:
        return reply_number(vhost, message, FEATURES);
    case GET_PROTOCOL_FEATURES:
        return reply_number(vhost, message, PROTOCOL_FEATURES);
    case GET_CONFIG:
        return reply(vhost, message, &message->payload, message->header.bytes);
    default:
        break;
    }
    *replied = false;
    switch (message->header.request) {
    case SET_MEM_TABLE:
        return set_memory(vhost, message);
    case SET_VRING_NUM:
    case SET_VRING_BASE:
    case SET_VRING_ADDR:
    case SET_VRING_KICK:
    case SET_VRING_CALL:
    case SET_VRING_ENABLE:
        return set_ring(vhost, message);
    default:
        return true; /* features, owner, the file for requests of ours: nothing to do */
    }
}

bool vhost_message(struct vhost *vhost) {
    struct message message = {0};
    bool replied = false;
    if (!receive_header(vhost->socket, &message) || message.header.bytes > sizeof message.payload ||
        !read_all(vhost->socket, &message.payload, message.header.bytes) ||
        !carry_out(vhost, &message, &replied)) {
        return false;
    }
    return replied || (message.header.flags & NEED_REPLY) == 0 || reply_number(vhost, &message, 0);
}

bool vhost_listen(struct vhost *vhost, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    *vhost = (struct vhost){.socket = -1};
    for (int i = 0; i < VHOST_QUEUES; i++) {
        vhost->queues[i].kick = vhost->queues[i].call = -1;
    }
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return false;
    }
    strcpy(address.sun_path, path);
    int listening = socket(AF_UNIX, SOCK_STREAM, 0);
    bool good = listening >= 0 &&
                bind(listening, (const struct sockaddr *)&address, sizeof address) == 0 &&
                listen(listening, 1) == 0;
    if (good) {
        vhost->socket = accept(listening, NULL, NULL);
    }
    if (listening >= 0) {
        (void)close(listening);
    }
    return good && vhost->socket >= 0;
}

/* ---- memory and rings ---- */

uint8_t *vhost_memory(const struct vhost *vhost, uint64_t address, uint64_t bytes) {
    for (int i = 0; i < VHOST_MEMORIES; i++) {
        uint64_t base = vhost->memories[i].address;
        uint64_t size = vhost->memories[i].bytes;
        if (address >= base && address - base <= size && bytes <= size - (address - base)) {
            return vhost->memories[i].memory + (address - base);
        }
    }
    return NULL;
}

struct descriptor {
    uint64_t address;
    uint32_t bytes;
    uint16_t flags;
    uint16_t next;
};
enum {
    DESCRIPTOR_NEXT = 1,
    DESCRIPTOR_IN = 2, /* the device writes it */
    NO_CALL = 1,       /* flag of the available ring */
};

struct ring {
    uint16_t flags;
    _Atomic uint16_t index;
    uint16_t entries[];
};

struct used_ring {
    uint16_t flags;
    _Atomic uint16_t index;
    struct {
        uint32_t head;
        uint32_t bytes;
    } entries[];
};

static void *ring_at(const struct vhost *vhost, uint64_t address, uint64_t bytes) {
    return vhost_memory(vhost, address, bytes);
}

/* Gathers what the kernel wrote, and finds the place for the answer. */
static void follow(struct vhost *vhost, const struct vhost_queue *queue,
                   struct vhost_buffer *buffer) {
    const struct descriptor *list =
        ring_at(vhost, queue->descriptors, queue->count * sizeof(struct descriptor));
    uint32_t at = buffer->head;
    for (uint32_t i = 0; i < queue->count && at < queue->count; i++) {
        const struct descriptor *descriptor = &list[at];
        uint8_t *memory = vhost_memory(vhost, descriptor->address, descriptor->bytes);
        if (memory != NULL && (descriptor->flags & DESCRIPTOR_IN) != 0) {
            buffer->in = memory;
            buffer->in_bytes = descriptor->bytes;
        } else if (memory != NULL && descriptor->bytes <= sizeof buffer->out - buffer->out_bytes) {
            memcpy(buffer->out + buffer->out_bytes, memory, descriptor->bytes);
            buffer->out_bytes += descriptor->bytes;
        }
        if ((descriptor->flags & DESCRIPTOR_NEXT) == 0) {
            return;
        }
        at = descriptor->next;
    }
}

bool vhost_next(struct vhost *vhost, unsigned number, struct vhost_buffer *buffer) {
    struct vhost_queue *queue = &vhost->queues[number];
    const struct ring *ring =
        queue->is_enabled ? ring_at(vhost, queue->available, 4 + 2 * (uint64_t)queue->count) : NULL;
    if (ring == NULL || atomic_load_explicit(&ring->index, memory_order_acquire) == queue->next) {
        return false;
    }
    *buffer = (struct vhost_buffer){.head = ring->entries[queue->next % queue->count]};
    queue->next++;
    follow(vhost, queue, buffer);
    return true;
}

void vhost_return(struct vhost *vhost, unsigned number, const struct vhost_buffer *buffer,
                  size_t bytes, bool tells) {
    struct vhost_queue *queue = &vhost->queues[number];
    struct used_ring *ring = ring_at(vhost, queue->used, 4 + 8 * (uint64_t)queue->count);
    const struct ring *available = ring_at(vhost, queue->available, 4);
    const uint64_t one = 1;
    if (ring == NULL || available == NULL) {
        return;
    }
    uint16_t index = atomic_load_explicit(&ring->index, memory_order_relaxed);
    ring->entries[index % queue->count].head = buffer->head;
    ring->entries[index % queue->count].bytes = (uint32_t)bytes;
    atomic_store_explicit(&ring->index, (uint16_t)(index + 1), memory_order_seq_cst);
    if (tells && queue->call >= 0 && (available->flags & NO_CALL) == 0) {
        (void)!write(queue->call, &one, sizeof one);
    }
}

void vhost_close(struct vhost *vhost) {
    for (int i = 0; i < VHOST_MEMORIES; i++) {
        if (vhost->memories[i].memory != NULL) {
            (void)munmap(vhost->memories[i].memory, vhost->memories[i].bytes);
        }
    }
    (void)close(vhost->socket);
}
