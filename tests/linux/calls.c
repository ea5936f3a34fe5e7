#include "tests/linux/calls.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver/device.h"
#include "tests/unit/test.h"

enum {
    FILE_NUMBER = 1000, /* of the first open file; those of the system are smaller */
    FILES = 8,
    MAPPINGS = 64,
};

struct calls_plan calls_plan;

static struct {
    bool is_there;
    char name[32];
    struct kernel kernel;
    struct weft_device *device;
    bool has_started;
    struct weft_client *files[FILES];
    struct weft_buffer *mappings[MAPPINGS];
} the;

/* ---- the machine ---- */

static u32 device_read(void *context, u32 offset, u64 now) {
    (void)context;
    if (calls_plan.hangs && offset == WEFT_REGISTER_status) {
        return WEFT_STATUS_RUNNING;
    }
    return weft_device_read32(the.device, offset, now);
}

static void device_write(void *context, u32 offset, u32 value, u64 now) {
    struct weft_error error;
    (void)context;
    if (offset == WEFT_REGISTER_start && calls_plan.hangs) {
        the.has_started = true;
    } else if (offset == WEFT_REGISTER_abort && the.has_started) {
        calls_plan.hangs = false;
    }
    ASSERT_GOOD(weft_device_write32(the.device, offset, value, now, &error), error);
}

static bool device_interrupt(void *context, u64 now) {
    (void)context;
    return weft_device_interrupt(the.device, now);
}

static u64 device_event(void *context) {
    (void)context;
    return weft_device_next_event(the.device);
}

/* It takes and gives its memory at the beginning and at the end of a run. */
static bool device_reaches(void *context, u64 bus, u64 bytes) {
    (void)context;
    (void)bus;
    (void)bytes;
    return weft_device_next_event(the.device) != UINT64_MAX;
}

static const struct hardware device_hardware = {.read32 = device_read,
                                                .write32 = device_write,
                                                .interrupt = device_interrupt,
                                                .next_event = device_event,
                                                .reaches = device_reaches};

static bool bus_read(void *context, uint64_t address, void *bytes, size_t length) {
    (void)context;
    const u8 *memory = kernel_memory(&the.kernel, address, length);
    if (memory == NULL) {
        system_violation("lets the machine read what is not its memory");
    }
    memcpy(bytes, memory, length);
    return true;
}

static bool bus_write(void *context, uint64_t address, const void *bytes, size_t length) {
    (void)context;
    u8 *memory = kernel_memory(&the.kernel, address, length);
    if (memory == NULL) {
        system_violation("lets the machine write what is not its memory");
    }
    memcpy(memory, bytes, length);
    return true;
}

void calls_open(int number, const struct weft_config *config, bool has_interrupt) {
    struct weft_error error;
    const struct weft_device_bus bus = {NULL, bus_read, bus_write};
    memset(&the, 0, sizeof the);
    calls_plan = (struct calls_plan){0};
    (void)snprintf(the.name, sizeof the.name, "/dev/weft%d", number);
    ASSERT_GOOD(weft_device_open("cycle", config, &bus, NULL, &the.device, &error), error);
    assert_int_equal(kernel_open(&the.kernel, &device_hardware, NULL, has_interrupt), 0);
    system_process(NULL, SIZE_MAX);
    the.is_there = true;
}

void calls_close(void) {
    assert_int_equal(calls_files(), 0);
    assert_int_equal(calls_mappings(), 0);
    assert_int_equal(the.kernel.shared_count, 0);
    assert_int_equal(system_blocks(), 0);
    weft_device_close(the.device);
    the.is_there = false;
}

unsigned calls_files(void) {
    unsigned count = 0;
    for (int i = 0; i < FILES; i++) {
        count += the.files[i] != NULL;
    }
    return count;
}

unsigned calls_mappings(void) {
    unsigned count = 0;
    for (int i = 0; i < MAPPINGS; i++) {
        count += the.mappings[i] != NULL;
    }
    return count;
}

uint64_t calls_jobs(void) {
    return the.kernel.accelerator.jobs;
}

/* ---- calls ---- */

int __real_open(const char *path, int flags, ...);
int __real_close(int file);
int __real_ioctl(int file, unsigned long command, ...);
void *__real_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
int __real_munmap(void *address, size_t bytes);
int __wrap_open(const char *path, int flags, ...);
int __wrap_close(int file);
int __wrap_ioctl(int file, unsigned long command, ...);
void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
int __wrap_munmap(void *address, size_t bytes);

static bool is_ours(int file) {
    return file >= FILE_NUMBER && file < FILE_NUMBER + FILES;
}

static int fail_with(int error) {
    errno = error;
    return -1;
}

static int open_weft(const char *path) {
    int at = 0;
    if (!the.is_there || strcmp(path, the.name) != 0) {
        return fail_with(ENOENT);
    }
    if (calls_plan.open_error != 0) {
        return fail_with(calls_plan.open_error);
    }
    while (the.files[at] != NULL) {
        at++;
        assert_true(at < FILES);
    }
    int error = weft_client_open(&the.kernel.accelerator, &the.files[at]);
    return error == 0 ? FILE_NUMBER + at : fail_with(-error);
}

int __wrap_open(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    int mode = (flags & O_CREAT) != 0 ? va_arg(list, int) : 0;
    va_end(list);
    return strncmp(path, "/dev/weft", 9) == 0 ? open_weft(path) : __real_open(path, flags, mode);
}

int __wrap_close(int file) {
    if (!is_ours(file)) {
        return __real_close(file);
    }
    weft_client_close(the.files[file - FILE_NUMBER]);
    the.files[file - FILE_NUMBER] = NULL;
    return 0;
}

/* What the plan makes of a call that went well. */
static void change_result(unsigned long command, void *arguments) {
    struct weft_ioctl_information *information = arguments;
    struct weft_ioctl_wait *wait = arguments;
    if (command == WEFT_IOCTL_INFORMATION && calls_plan.version != 0) {
        information->version = calls_plan.version;
    }
    if (command == WEFT_IOCTL_INFORMATION && calls_plan.counters != 0) {
        information->counters = calls_plan.counters;
    }
    if (command == WEFT_IOCTL_WAIT && calls_plan.outcome != 0) {
        wait->outcome = calls_plan.outcome;
        wait->fault = calls_plan.fault;
    }
}

int __wrap_ioctl(int file, unsigned long command, ...) {
    va_list list;
    va_start(list, command);
    void *arguments = va_arg(list, void *);
    va_end(list);
    if (!is_ours(file)) {
        return __real_ioctl(file, command, arguments);
    }
    if (command == calls_plan.fails && calls_plan.skips-- == 0) {
        return fail_with(calls_plan.error);
    }
    if (command == WEFT_IOCTL_WAIT && calls_plan.interrupts > 0) {
        calls_plan.interrupts--;
        the.kernel.has_signal = true;
    }
    int error = weft_client_ioctl(the.files[file - FILE_NUMBER], (unsigned)command,
                                  (u64)(uintptr_t)arguments);
    if (error != 0) {
        return fail_with(-error);
    }
    change_result(command, arguments);
    return 0;
}

static void *map_weft(int file, size_t bytes, u64 offset) {
    int at = 0;
    struct weft_buffer *buffer = NULL;
    int error = calls_plan.mmap_error;
    if (error == 0) {
        error = -weft_client_map(the.files[file - FILE_NUMBER], offset / weft_system_page(), bytes,
                                 &buffer);
    }
    if (error != 0) {
        errno = error;
        return MAP_FAILED;
    }
    while (the.mappings[at] != NULL) {
        at++;
        assert_true(at < MAPPINGS);
    }
    the.mappings[at] = buffer;
    return buffer->memory;
}

void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset) {
    if (!is_ours(file)) {
        return __real_mmap(address, bytes, protection, flags, file, offset);
    }
    assert_int_equal(flags, MAP_SHARED);
    return map_weft(file, bytes, (u64)offset);
}

int __wrap_munmap(void *address, size_t bytes) {
    for (int i = 0; i < MAPPINGS; i++) {
        if (the.mappings[i] != NULL && the.mappings[i]->memory == address) {
            assert_int_equal(the.mappings[i]->bytes, bytes);
            weft_client_unmapped(the.mappings[i]);
            the.mappings[i] = NULL;
            return 0;
        }
    }
    return __real_munmap(address, bytes);
}
