#include "tests/linux/system.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    PAGE = 4096,
    ACCESS = 10,    /* nanoseconds that a register takes */
    SLEEPS = 100000 /* of one test, at most: more would be for ever */
};

#define NEVER (~(u64)0)
/* Where memory lies on the bus, far from any address of the process. */
#define BUS 0x7000000000ULL

static struct {
    u8 *process;
    size_t process_bytes;
    bool is_read_only;
    u32 blocks;
    u32 fail_after; /* 0: never */
} the;

_Noreturn void system_violation(const char *what) {
    fprintf(stderr, "the driver %s\n", what);
    abort();
}

void system_process(void *memory, size_t bytes) {
    the.process = memory;
    the.process_bytes = bytes;
    the.is_read_only = false;
}

void system_process_read_only(void) {
    the.is_read_only = true;
}

u32 system_blocks(void) {
    return the.blocks;
}

void system_fail(u32 calls) {
    the.fail_after = calls;
}

static bool fails(void) {
    if (the.fail_after > 1) {
        the.fail_after--;
        return false;
    }
    return the.fail_after == 1;
}

static struct kernel *kernel_of(struct weft_accelerator *accelerator) {
    return (struct kernel *)accelerator; /* its first member */
}

/* ---- registers and time ---- */

u32 weft_system_read32(struct weft_accelerator *accelerator, u32 offset) {
    struct kernel *kernel = kernel_of(accelerator);
    kernel->now += ACCESS;
    return kernel->hardware->read32(kernel->context, offset, kernel->now);
}

void weft_system_write32(struct weft_accelerator *accelerator, u32 offset, u32 value) {
    struct kernel *kernel = kernel_of(accelerator);
    kernel->now += ACCESS;
    kernel->hardware->write32(kernel->context, offset, value, kernel->now);
}

u64 weft_system_now(struct weft_accelerator *accelerator) {
    return kernel_of(accelerator)->now;
}

void weft_system_poll_at(struct weft_accelerator *accelerator, u64 time) {
    struct kernel *kernel = kernel_of(accelerator);
    if (!kernel->is_locked) {
        system_violation("asks to be polled without the lock");
    }
    kernel->poll_at = time;
}

/* ---- the lock, and sleeping ---- */

void weft_system_lock(struct weft_accelerator *accelerator) {
    struct kernel *kernel = kernel_of(accelerator);
    if (kernel->is_locked) {
        system_violation("takes the lock twice");
    }
    kernel->is_locked = true;
}

void weft_system_unlock(struct weft_accelerator *accelerator) {
    struct kernel *kernel = kernel_of(accelerator);
    if (!kernel->is_locked) {
        system_violation("gives up a lock that it does not have");
    }
    kernel->is_locked = false;
}

void weft_system_wake(struct weft_accelerator *accelerator) {
    if (!kernel_of(accelerator)->is_locked) {
        system_violation("wakes without the lock");
    }
}

static void poll_now(struct kernel *kernel) {
    weft_system_lock(&kernel->accelerator);
    weft_accelerator_poll(&kernel->accelerator);
    weft_system_unlock(&kernel->accelerator);
}

static void take_events(struct kernel *kernel) {
    if (kernel->accelerator.has_interrupt && !kernel->loses_interrupts &&
        kernel->hardware->interrupt(kernel->context, kernel->now) &&
        weft_accelerator_interrupt(&kernel->accelerator)) {
        poll_now(kernel);
    }
    if (kernel->now >= kernel->poll_at) {
        kernel->poll_at = NEVER;
        poll_now(kernel);
    }
}

static u64 next_event(struct kernel *kernel, u64 until) {
    u64 event = kernel->hardware->next_event(kernel->context);
    u64 next = kernel->poll_at < until ? kernel->poll_at : until;
    return event < next ? event : next;
}

void kernel_advance(struct kernel *kernel, u64 time) {
    u64 until = kernel->now + time;
    while (kernel->now < until) {
        u64 next = next_event(kernel, until);
        kernel->now = next > kernel->now ? next : kernel->now + ACCESS;
        take_events(kernel);
    }
}

static void let_others_run(struct kernel *kernel) {
    void (*meanwhile)(struct kernel * kernel) = kernel->meanwhile;
    kernel->meanwhile = NULL;
    if (meanwhile != NULL) {
        meanwhile(kernel);
    }
}

int weft_system_sleep(struct weft_accelerator *accelerator, u64 until) {
    struct kernel *kernel = kernel_of(accelerator);
    u64 next = next_event(kernel, until);
    weft_system_unlock(accelerator);
    if (next == NEVER || ++kernel->sleeps > SLEEPS) {
        system_violation("sleeps for ever");
    }
    let_others_run(kernel);
    kernel->now = next > kernel->now ? next : kernel->now;
    take_events(kernel);
    weft_system_lock(accelerator);
    if (kernel->has_signal) {
        kernel->has_signal = false;
        return -EINTR;
    }
    return 0;
}

/* ---- memory ---- */

void *weft_system_allocate(size_t bytes) {
    void *memory = fails() ? NULL : calloc(1, bytes);
    the.blocks += memory == NULL ? 0 : 1;
    return memory;
}

void weft_system_free(void *memory) {
    if (memory == NULL) {
        system_violation("frees NULL");
    }
    the.blocks--;
    free(memory);
}

u64 weft_system_page(void) {
    return PAGE;
}

void *weft_system_allocate_shared(struct weft_accelerator *accelerator, u64 bytes, u64 *bus) {
    struct kernel *kernel = kernel_of(accelerator);
    const u32 most = sizeof kernel->shared / sizeof kernel->shared[0];
    if (bytes == 0 || bytes % PAGE != 0 || kernel->is_locked) {
        system_violation("wants memory that is not in pages, or with the lock");
    }
    let_others_run(kernel);
    if (kernel->shared_count == most || fails()) {
        return NULL;
    }
    /* Behind all others, with a page between. */
    u64 place = BUS;
    for (u32 i = 0; i < kernel->shared_count; i++) {
        u64 end = kernel->shared[i].bus + kernel->shared[i].bytes + PAGE;
        place = end > place ? end : place;
    }
    u8 *memory = calloc(bytes, 1);
    if (memory != NULL) {
        kernel->shared[kernel->shared_count++] =
            (struct shared_memory){.memory = memory, .bus = place, .bytes = bytes};
        *bus = place;
    }
    return memory;
}

void weft_system_free_shared(struct weft_accelerator *accelerator, u64 bytes, void *memory,
                             u64 bus) {
    struct kernel *kernel = kernel_of(accelerator);
    if (kernel->hardware->reaches(kernel->context, bus, bytes)) {
        system_violation("gives memory back that the machine can still reach");
    }
    for (u32 i = 0; i < kernel->shared_count; i++) {
        struct shared_memory *shared = &kernel->shared[i];
        if (shared->memory == memory && shared->bus == bus && shared->bytes == bytes) {
            free(memory);
            *shared = kernel->shared[--kernel->shared_count];
            return;
        }
    }
    system_violation("gives memory back that it does not have");
}

u8 *kernel_memory(const struct kernel *kernel, u64 bus, u64 bytes) {
    for (u32 i = 0; i < kernel->shared_count; i++) {
        const struct shared_memory *shared = &kernel->shared[i];
        if (bus >= shared->bus && bus - shared->bus <= shared->bytes &&
            bytes <= shared->bytes - (bus - shared->bus)) {
            return shared->memory + (bus - shared->bus);
        }
    }
    return NULL;
}

/* ---- the process ---- */

static struct kernel *last_opened;

static bool is_of_process(u64 address, u64 bytes) {
    if (last_opened != NULL && last_opened->is_locked) {
        system_violation("touches the memory of a process with the lock");
    }
    u64 begin = (u64)(uintptr_t)the.process;
    return address >= begin && address - begin <= the.process_bytes &&
           bytes <= the.process_bytes - (address - begin);
}

bool weft_system_copy_in(void *to, u64 address, u64 bytes) {
    if (!is_of_process(address, bytes)) {
        return false;
    }
    memcpy(to, (const void *)(uintptr_t)address, bytes); // NOLINT(performance-no-int-to-ptr)
    return true;
}

bool weft_system_copy_out(u64 address, const void *from, u64 bytes) {
    if (!is_of_process(address, bytes) || the.is_read_only) {
        return false;
    }
    memcpy((void *)(uintptr_t)address, from, bytes); // NOLINT(performance-no-int-to-ptr)
    return true;
}

/* ---- a kernel ---- */

int kernel_open(struct kernel *kernel, const struct hardware *hardware, void *context,
                bool has_interrupt) {
    *kernel = (struct kernel){.hardware = hardware, .context = context, .poll_at = NEVER};
    last_opened = kernel;
    kernel->now = 1000;
    kernel->accelerator.has_interrupt = has_interrupt;
    kernel->accelerator.most_bytes = 64 << 20;
    kernel->accelerator.most_time = 10000000000ULL;
    weft_system_lock(&kernel->accelerator);
    int error = weft_accelerator_identify(&kernel->accelerator);
    weft_system_unlock(&kernel->accelerator);
    return error;
}
