/* A kernel around the logic of the Linux driver (linux/weft_system.h), for tests: one thread, one
 * machine behind its registers, a clock that goes when the test or a sleeper lets it.
 *
 * It ends the process (system_violation) when the driver does what a driver must not: takes a lock
 * twice, copies from or to a process with the lock, releases what is not there, gives memory back
 * that the machine may still reach, or sleeps for ever. */
#ifndef WEFT_TESTS_LINUX_SYSTEM_H
#define WEFT_TESTS_LINUX_SYSTEM_H

#include "linux/weft_client.h"

/* What is behind the registers. Times are nanoseconds, one cycle each. */
struct hardware {
    u32 (*read32)(void *context, u32 offset, u64 now);
    void (*write32)(void *context, u32 offset, u32 value, u64 now);
    bool (*interrupt)(void *context, u64 now); /* is the request raised? */
    u64 (*next_event)(void *context);          /* ~0: none */
    /* Could the machine still read or write these bytes of the bus? */
    bool (*reaches)(void *context, u64 bus, u64 bytes);
};

struct shared_memory {
    u8 *memory;
    u64 bus;
    u64 bytes;
};

struct kernel {
    struct weft_accelerator accelerator;
    const struct hardware *hardware;
    void *context;
    u64 now;
    u64 poll_at; /* ~0: nobody asked for it */
    bool is_locked;
    bool loses_interrupts;
    bool has_signal; /* the next sleep is interrupted by one */
    /* What another thread does while one sleeps, or gets shared memory; called once. */
    void (*meanwhile)(struct kernel *kernel);
    void *meanwhile_context;
    struct shared_memory shared[256];
    u32 shared_count;
    u32 sleeps;
};

/* A kernel with a machine that was identified, or not: the error number. */
int kernel_open(struct kernel *kernel, const struct hardware *hardware, void *context,
                bool has_interrupt);

/* Lets time pass: interrupts are taken, and the driver polls where it wanted to. */
void kernel_advance(struct kernel *kernel, u64 time);

/* The memory at an address of the bus; NULL: these bytes are not all memory that the driver made.
 */
u8 *kernel_memory(const struct kernel *kernel, u64 bus, u64 bytes);

/* The memory that the process has: what is copied must lie in it. */
void system_process(void *memory, size_t bytes);

/* It can be read alone; system_process() makes it writable again. */
void system_process_read_only(void);

/* Blocks of the kernel's memory that are in use. */
u32 system_blocks(void);

/* From the n-th call on (1: the next) nobody gets memory, of either kind; 0: everybody does. */
void system_fail(u32 calls);

_Noreturn void system_violation(const char *what);

#endif
