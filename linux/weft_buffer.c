// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
#include "weft_buffer.h"

struct weft_owner *weft_owner_make(struct weft_accelerator *accelerator) {
    struct weft_owner *owner = weft_system_allocate(sizeof *owner);
    if (owner != NULL) {
        owner->accelerator = accelerator;
        owner->references = 1;
    }
    return owner;
}

void weft_owner_release(struct weft_owner *owner) {
    if (--owner->references == 0) {
        weft_system_free(owner);
    }
}

int weft_buffer_reserve(struct weft_owner *owner, u64 bytes, struct weft_buffer **buffer) {
    u64 most = owner->accelerator->most_bytes;
    struct weft_buffer *made = NULL;
    /* No sum before it is known to fit. */
    if (bytes > most || weft_buffer_pages(bytes) > most - owner->bytes) {
        return -ENOSPC;
    }
    made = weft_system_allocate(sizeof *made);
    if (made == NULL) {
        return -ENOMEM;
    }
    made->owner = owner;
    made->references = 1;
    made->length = bytes;
    made->bytes = weft_buffer_pages(bytes);
    owner->references++;
    owner->bytes += made->bytes;
    *buffer = made;
    return 0;
}

int weft_buffer_fill(struct weft_buffer *buffer) {
    buffer->memory =
        weft_system_allocate_shared(buffer->owner->accelerator, buffer->bytes, &buffer->bus);
    return buffer->memory == NULL ? -ENOMEM : 0;
}

void weft_buffer_hold(struct weft_buffer *buffer) {
    buffer->references++;
}

void weft_buffer_release(struct weft_buffer *buffer) {
    struct weft_owner *owner = buffer->owner;
    if (--buffer->references > 0) {
        return;
    }
    if (buffer->memory != NULL) {
        weft_system_free_shared(owner->accelerator, buffer->bytes, buffer->memory, buffer->bus);
    }
    owner->bytes -= buffer->bytes;
    weft_owner_release(owner);
    weft_system_free(buffer);
}
