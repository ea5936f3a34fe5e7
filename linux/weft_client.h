/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* An open file of /dev/weftN: its handles, its jobs, and what ioctl() does. No function wants the
 * lock (weft_system.h); each takes it. */
#ifndef WEFT_CLIENT_H
#define WEFT_CLIENT_H

#include "weft_buffer.h"

enum {
    WEFT_CLIENT_HANDLES = 64,
    WEFT_CLIENT_JOBS = 16,
};

struct weft_client {
    struct weft_owner *owner;
    struct weft_buffer *buffers[WEFT_CLIENT_HANDLES]; /* that of handle h is at h - 1 */
    struct weft_job *jobs[WEFT_CLIENT_JOBS];          /* that were not waited for */
};

/* Errors: ENODEV, ENOMEM. */
int weft_client_open(struct weft_accelerator *accelerator, struct weft_client **client);

/* Ends all its jobs, and releases what it has. */
void weft_client_close(struct weft_client *client);

/* `address` is that of the argument in the process. 0, or minus an error number of weft_ioctl.h. */
int weft_client_ioctl(struct weft_client *client, unsigned command, u64 address);

/* The buffer of a handle, if it has these bytes, for a mapping, with a reference for it. Errors:
 * ENOENT, EINVAL (more bytes than it has), EACCES (a program). */
int weft_client_map(struct weft_client *client, u64 handle, u64 bytes, struct weft_buffer **buffer);

/* A mapping came by copying another, or went. */
void weft_client_mapped(struct weft_buffer *buffer);
void weft_client_unmapped(struct weft_buffer *buffer);

#endif
