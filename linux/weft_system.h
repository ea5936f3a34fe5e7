/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What the driver's logic (weft_accelerator.c, weft_client.c) asks of the system around it: of the
 * kernel (weft_kernel.c), or of a test (tests/linux/system.c).
 *
 * One lock guards an accelerator with all its clients. It is a mutex: who holds it may sleep, but
 * must not touch the memory of a process, since mmap() takes the lock inside that of the process.
 */
#ifndef WEFT_SYSTEM_H
#define WEFT_SYSTEM_H

#include "weft_types.h"

struct weft_accelerator;

/* Half a register. Writes reach the machine in their order, and after what the processor wrote to
 * memory before. */
u32 weft_system_read32(struct weft_accelerator *accelerator, u32 offset);
void weft_system_write32(struct weft_accelerator *accelerator, u32 offset, u32 value);

/* Nanoseconds since some moment. */
u64 weft_system_now(struct weft_accelerator *accelerator);

void weft_system_lock(struct weft_accelerator *accelerator);
void weft_system_unlock(struct weft_accelerator *accelerator);

/* With the lock, which it gives up meanwhile: sleeps until weft_system_wake(), or until that time
 * at the latest, or less. Not 0: a signal came, and the call is to return this. */
int weft_system_sleep(struct weft_accelerator *accelerator, u64 until);

/* With the lock: a job has ended, or the last client has left. */
void weft_system_wake(struct weft_accelerator *accelerator);

/* With the lock: calls weft_accelerator_poll() at that time, or soon after; replaces what was asked
 * for before. */
void weft_system_poll_at(struct weft_accelerator *accelerator, u64 time);

/* Zeroed memory of the kernel; NULL: there is none. */
void *weft_system_allocate(size_t bytes);
void weft_system_free(void *memory);

/* Zeroed memory that machine and processor see alike, `bytes` being whole pages; NULL: there is
 * none. *bus is its address for the machine, a multiple of a page. */
void *weft_system_allocate_shared(struct weft_accelerator *accelerator, u64 bytes, u64 *bus);
void weft_system_free_shared(struct weft_accelerator *accelerator, u64 bytes, void *memory,
                             u64 bus);
u64 weft_system_page(void);

/* Without the lock: memory of the calling process. False: some of it is not there. */
bool weft_system_copy_in(void *to, u64 address, u64 bytes);
bool weft_system_copy_out(u64 address, const void *from, u64 bytes);

#endif
