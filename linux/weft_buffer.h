/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Memory that the machine can reach: buffers of a client, and its programs. It counts for the
 * client until it is released, whoever has it by then. All functions want the lock (weft_system.h)
 * but where they say otherwise. */
#ifndef WEFT_BUFFER_H
#define WEFT_BUFFER_H

#include "weft_accelerator.h"

/* What an open file has, and what outlives it: memory that an aborted job still holds. */
struct weft_owner {
    struct weft_accelerator *accelerator;
    u32 references; /* of the open file, and of each buffer */
    u64 bytes;
};

struct weft_buffer {
    struct weft_owner *owner;
    u32 references; /* of the handle, of mappings, of jobs */
    bool is_program;
    bool is_ready; /* its memory and contents are made; before, nobody finds it */
    u64 bytes;     /* whole pages */
    u64 length;    /* of a program: its bytes */
    u64 bus;
    void *memory;
};

/* An owner with one reference. Error: NULL. */
struct weft_owner *weft_owner_make(struct weft_accelerator *accelerator);
void weft_owner_release(struct weft_owner *owner);

/* Bytes in whole pages. */
static inline u64 weft_buffer_pages(u64 bytes) {
    u64 page = weft_system_page();
    return (bytes + page - 1) & ~(page - 1);
}

/* A buffer without memory, with one reference, whose bytes count. Errors: ENOSPC, ENOMEM. */
int weft_buffer_reserve(struct weft_owner *owner, u64 bytes, struct weft_buffer **buffer);

/* Without the lock: makes its memory. Error: ENOMEM. */
int weft_buffer_fill(struct weft_buffer *buffer);

void weft_buffer_hold(struct weft_buffer *buffer);
void weft_buffer_release(struct weft_buffer *buffer);

#endif
