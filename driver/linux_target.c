/* The target linux: a real machine behind /dev/weftN, which the kernel module in linux/ makes
 * (docs/linux.md). */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "driver/target.h"
#include "linux/weft_ioctl.h"

enum {
    DEVICES = 16, /* that are looked at: /dev/weft0 and up */
    NAME_BYTES = 32,
};

/* Memory that the machine reaches, for one region. */
struct buffer {
    uint32_t handle; /* 0: there is none */
    uint64_t bytes;
    uint8_t *memory;
};

struct machine {
    char name[NAME_BYTES];
    int file;
    struct weft_ioctl_information information;
    uint64_t configuration; /* fingerprint that programs are for */
    struct buffer buffers[WEFT_REGIONS];
};

_Static_assert((int)WEFT_REGIONS == WEFT_IOCTL_REGIONS, "the device knows the regions");
_Static_assert((int)WEFT_REGION_PROGRAM == WEFT_IOCTL_REGION_PROGRAM, "and the program's");
_Static_assert((int)WEFT_COUNTERS <= WEFT_IOCTL_COUNTERS, "and has room for the counters");

static bool call(const struct machine *machine, unsigned long command, void *arguments,
                 const char *what, struct weft_error *error) {
    int result = 0;
    do {
        result = ioctl(machine->file, command, arguments);
    } while (result != 0 && errno == EINTR);
    return result == 0 || weft_fail(error, WEFT_TARGET, 0, "%s: it cannot %s: %s", machine->name,
                                    what, strerror(errno));
}

/* ---- opening ---- */

static void linux_close(void *machine) {
    struct machine *made = machine;
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        if (made->buffers[i].memory != NULL) {
            (void)munmap(made->buffers[i].memory, made->buffers[i].bytes);
        }
    }
    if (made->file >= 0) {
        (void)close(made->file); /* which ends and releases everything */
    }
    free(made);
}

static bool check_device(const struct machine *machine, const struct weft_config *config,
                         struct weft_error *error) {
    const struct weft_ioctl_information *information = &machine->information;
    if (information->version != WEFT_IOCTL_VERSION || information->counters != WEFT_COUNTERS) {
        return weft_fail(error, WEFT_TARGET, information->version,
                         "%s: its driver has version %" PRIu32 " with %" PRIu32
                         " counters, this program knows %d with %d",
                         machine->name, information->version, information->counters,
                         WEFT_IOCTL_VERSION, WEFT_COUNTERS);
    }
    return information->configuration == machine->configuration ||
           weft_fail(error, WEFT_FINGERPRINT, 0,
                     "%s is no %s: its fingerprint is %016" PRIx64 ", not %016" PRIx64,
                     machine->name, config->name, (uint64_t)information->configuration,
                     machine->configuration);
}

/* Opens /dev/weftN. *there: there is such a device, whether it can be used or not. */
static bool open_device(struct machine *machine, int number, const struct weft_config *config,
                        bool *there, struct weft_error *error) {
    (void)snprintf(machine->name, sizeof machine->name, "/dev/weft%d", number);
    machine->file = open(machine->name, O_RDWR | O_CLOEXEC);
    *there = machine->file >= 0 || (errno != ENOENT && errno != ENXIO && errno != ENODEV);
    if (machine->file < 0) {
        return weft_fail(error, WEFT_TARGET, 0, "%s cannot be opened: %s", machine->name,
                         strerror(errno));
    }
    if (call(machine, WEFT_IOCTL_INFORMATION, &machine->information, "say what it is", error) &&
        check_device(machine, config, error)) {
        return true;
    }
    (void)close(machine->file);
    machine->file = -1;
    return false;
}

/* The first device of the configuration. The error is about the last one that is there. */
static bool find_device(struct machine *machine, const struct weft_config *config,
                        struct weft_error *error) {
    bool any = false;
    for (int i = 0; i < DEVICES; i++) {
        bool there = false;
        struct weft_error reason;
        if (open_device(machine, i, config, &there, &reason)) {
            return true;
        }
        if (there) {
            any = true;
            *error = reason;
        }
    }
    if (!any) {
        weft_error_set(error, WEFT_TARGET, 0,
                       "there is no machine: no /dev/weft0 to /dev/weft%d; the kernel module makes "
                       "them (docs/linux.md)",
                       DEVICES - 1);
    }
    return false;
}

static bool linux_open(const struct weft_config *config, const struct weft_session_options *options,
                       void **machine, struct weft_error *error) {
    if (options->memory.latency != 0 || options->memory.interval != 0 ||
        options->memory.dram != WEFT_DRAM_NONE) {
        return weft_fail(error, WEFT_TARGET, 0,
                         "target linux has a memory of its own, whose time cannot be chosen");
    }
    struct machine *made = weft_allocate(1, sizeof *made, "a machine", error);
    if (made == NULL) {
        return false;
    }
    made->file = -1;
    made->configuration = weft_config_fingerprint(config);
    if (!find_device(made, config, error)) {
        linux_close(made);
        return false;
    }
    *machine = made;
    return true;
}

/* ---- memory ---- */

static bool release_buffer(struct machine *machine, struct buffer *buffer,
                           struct weft_error *error) {
    struct weft_ioctl_free given = {.handle = buffer->handle};
    if (buffer->memory != NULL) {
        (void)munmap(buffer->memory, buffer->bytes);
        buffer->memory = NULL;
    }
    buffer->handle = 0;
    return given.handle == 0 || call(machine, WEFT_IOCTL_FREE, &given, "release memory", error);
}

/* A buffer of at least these bytes; one that is large enough is kept. */
static bool have_buffer(struct machine *machine, struct buffer *buffer, uint64_t bytes,
                        struct weft_error *error) {
    struct weft_ioctl_allocate given = {.bytes = bytes};
    if (buffer->memory != NULL && buffer->bytes >= bytes) {
        return true;
    }
    if (!release_buffer(machine, buffer, error)) {
        return false;
    }
    if (!call(machine, WEFT_IOCTL_ALLOCATE, &given, "give the memory of a region", error)) {
        return weft_fail_context(error, "%" PRIu64 " bytes", bytes);
    }
    buffer->handle = given.handle;
    buffer->bytes = given.bytes;
    void *memory = mmap(NULL, given.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, machine->file,
                        (off_t)given.offset);
    if (memory == MAP_FAILED) {
        return weft_fail(error, WEFT_TARGET, 0, "%s: its memory cannot be mapped: %s",
                         machine->name, strerror(errno));
    }
    buffer->memory = memory;
    return true;
}

static bool fill_regions(struct machine *machine, const struct target_run *run,
                         struct weft_ioctl_submit *job, struct weft_error *error) {
    for (unsigned i = WEFT_REGION_PROGRAM + 1; i < WEFT_REGIONS; i++) {
        struct buffer *buffer = &machine->buffers[i];
        uint64_t bytes = run->regions.limit[i];
        if (bytes == 0) {
            continue;
        }
        if (!have_buffer(machine, buffer, bytes, error)) {
            return weft_fail_context(error, "region %s", weft_region_names[i]);
        }
        memcpy(buffer->memory, run->bytes[i], bytes);
        job->regions[i] = (struct weft_ioctl_region){
            .handle = buffer->handle,
            .bytes = bytes,
            .flags = weft_region_is_writable(&run->regions, i) ? WEFT_REGION_WRITE : 0};
    }
    return true;
}

static void read_regions(const struct machine *machine, const struct target_run *run) {
    for (unsigned i = WEFT_REGION_PROGRAM + 1; i < WEFT_REGIONS; i++) {
        if (run->regions.limit[i] != 0 && weft_region_is_writable(&run->regions, i)) {
            memcpy(run->bytes[i], machine->buffers[i].memory, run->regions.limit[i]);
        }
    }
}

/* ---- running ---- */

static bool check_outcome(const struct machine *machine, const struct weft_ioctl_wait *wait,
                          struct weft_error *error) {
    const char *why = "the machine was lost: it neither runs nor has it ended";
    if (wait->outcome == WEFT_OUTCOME_DONE ||
        (wait->outcome == WEFT_OUTCOME_FAULT && wait->fault < WEFT_FAULTS)) {
        return true;
    }
    if (wait->outcome == WEFT_OUTCOME_TIME_OUT) {
        return weft_fail(error, WEFT_TARGET, 0,
                         "%s: the run was aborted, which took more than %" PRIu64 " ms",
                         machine->name, (uint64_t)machine->information.most_time / 1000000);
    }
    if (wait->outcome == WEFT_OUTCOME_ABORTED) {
        why = "the run was aborted, the device is being removed";
    } else if (wait->outcome == WEFT_OUTCOME_FAULT) {
        why = "the machine has a fault that is not known";
    }
    return weft_fail(error, WEFT_TARGET, wait->fault, "%s: %s", machine->name, why);
}

static bool carry_out(struct machine *machine, struct weft_ioctl_submit *job,
                      struct weft_ioctl_wait *wait, struct weft_error *error) {
    if (!call(machine, WEFT_IOCTL_SUBMIT, job, "take the run", error)) {
        return false;
    }
    /* Whatever is before it in the queue takes so long at most, too. */
    *wait = (struct weft_ioctl_wait){.job = job->job, .time_out = UINT64_MAX};
    return call(machine, WEFT_IOCTL_WAIT, wait, "wait for the run", error) &&
           check_outcome(machine, wait, error);
}

static void tell(const struct weft_ioctl_wait *wait, struct weft_run_result *result) {
    *result = (struct weft_run_result){.fault = (enum weft_fault)wait->fault,
                                       .fault_instruction = wait->instruction};
#define WEFT_COUNTER(name, doc) result->counters.name = wait->counters[WEFT_COUNTER_INDEX_##name];
#include "isa/counters.def"
#undef WEFT_COUNTER
}

static bool linux_run(void *machine, const struct target_run *run, struct weft_run_result *result,
                      struct weft_error *error) {
    struct machine *made = machine;
    struct weft_ioctl_program program = {.address = (uintptr_t)run->bytes[WEFT_REGION_PROGRAM],
                                         .bytes = run->regions.limit[WEFT_REGION_PROGRAM],
                                         .configuration = made->configuration};
    if (!call(made, WEFT_IOCTL_PROGRAM, &program, "take the program", error)) {
        return false;
    }
    /* The bound of a program is about the memory of the model; here the driver's time limit ends
     * what takes too long. */
    struct weft_ioctl_submit job = {.watchdog = run->options->watchdog, .program = program.handle};
    struct weft_ioctl_wait wait;
    bool good = fill_regions(made, run, &job, error) && carry_out(made, &job, &wait, error);
    struct weft_ioctl_free given = {.handle = program.handle};
    struct weft_error late; /* of a run that failed before: nobody asks for it */
    if (!call(made, WEFT_IOCTL_FREE, &given, "release the program", good ? error : &late) ||
        !good) {
        return false;
    }
    read_regions(made, run);
    tell(&wait, result);
    return true;
}

static bool linux_read(void *machine, void *const memories[WEFT_MEMORIES],
                       struct weft_error *error) {
    const struct machine *made = machine;
    (void)memories;
    return weft_fail(error, WEFT_TARGET, 0, "%s: nobody can read the memories of its machine",
                     made->name);
}

const struct target target_linux = {.name = "linux",
                                    .has_time = true,
                                    .is_real = true,
                                    .open = linux_open,
                                    .run = linux_run,
                                    .read_memories = linux_read,
                                    .close = linux_close};
