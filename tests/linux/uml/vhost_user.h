/* The device's side of vhost-user as User-Mode Linux speaks it (arch/um/drivers/virtio_uml.c): one
 * connection, the memory of the kernel, two queues with split rings. */
#ifndef WEFT_TESTS_LINUX_UML_VHOST_USER_H
#define WEFT_TESTS_LINUX_UML_VHOST_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    VHOST_QUEUES = 2,
    VHOST_MEMORIES = 2,
    VHOST_MESSAGE_BYTES = 256, /* of what is in a buffer, at most */
};

struct vhost_queue {
    uint32_t count;
    uint64_t descriptors, available, used; /* addresses in the kernel's memory */
    uint16_t next;                         /* of the available ones */
    int kick, call;                        /* files; -1: none */
    bool is_enabled;
};

struct vhost {
    int socket;
    struct {
        uint64_t address;
        uint64_t bytes;
        uint8_t *memory;
    } memories[VHOST_MEMORIES];
    struct vhost_queue queues[VHOST_QUEUES];
};

/* A buffer that the kernel made available: what it wrote, and where it waits for an answer. */
struct vhost_buffer {
    uint16_t head;
    uint8_t out[VHOST_MESSAGE_BYTES];
    size_t out_bytes;
    uint8_t *in; /* NULL: none */
    size_t in_bytes;
};

/* Waits at the path of a socket for one connection. False: errno says why. */
bool vhost_listen(struct vhost *vhost, const char *path);

/* Reads a message and does what it says. False: the kernel has gone, or says what is none. */
bool vhost_message(struct vhost *vhost);

/* The next available buffer of a queue. False: there is none. */
bool vhost_next(struct vhost *vhost, unsigned queue, struct vhost_buffer *buffer);

/* Gives it back, with `bytes` of an answer in it, and tells the kernel if it is to be told. */
void vhost_return(struct vhost *vhost, unsigned queue, const struct vhost_buffer *buffer,
                  size_t bytes, bool tells);

/* The kernel's memory at a physical address; NULL: these bytes are not all of it. */
uint8_t *vhost_memory(const struct vhost *vhost, uint64_t address, uint64_t bytes);

void vhost_close(struct vhost *vhost);

#endif
