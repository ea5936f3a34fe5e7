#include "tests/linux/hostile.h"

#include <stdlib.h>

#include "tests/linux/register_file.h"

enum {
    CLIENTS = 3,
    MAPPINGS = 8,
    PROCESS_BYTES = 8192,
    CALLS = 400 /* of a sequence, at most */
};

struct sequence {
    const uint8_t *data;
    size_t left;
    struct kernel kernel;
    struct register_file file;
    struct weft_client *clients[CLIENTS];
    struct weft_buffer *mappings[MAPPINGS];
    struct weft_client *mapped_by[MAPPINGS]; /* a mapping keeps its file open */
    u64 jobs[CLIENTS];                       /* the last one of each */
    u32 programs[CLIENTS];
    u32 buffers[CLIENTS];
    bool is_removed;
    struct hostile_outcomes *outcomes;
};

static uint8_t process[PROCESS_BYTES]; /* what the process can be asked for */

static uint8_t next_byte(struct sequence *sequence) {
    if (sequence->left == 0) {
        return 0;
    }
    sequence->left--;
    return *sequence->data++;
}

/* Small, near a boundary, or anything. */
static u64 next_number(struct sequence *sequence) {
    static const u64 corners[] = {0,
                                  1,
                                  63,
                                  64,
                                  1023,
                                  1024,
                                  4095,
                                  4096,
                                  8192,
                                  0x7fffffff,
                                  0xffffffff,
                                  1ULL << 32,
                                  64U << 20,
                                  (64U << 20) + 1,
                                  ~0ULL - 4095,
                                  ~0ULL - 1023,
                                  ~0ULL - 1,
                                  ~0ULL};
    uint8_t kind = next_byte(sequence);
    u64 number = 0;
    if (kind < 100) {
        return kind % 8;
    }
    if (kind < 230) {
        return corners[kind % (sizeof corners / sizeof corners[0])];
    }
    for (int i = 0; i < 8; i++) {
        number = number << 8 | next_byte(sequence);
    }
    return number;
}

/* ---- calls ---- */

static void count(struct sequence *sequence, int error) {
    if (error > 0 || error < -255) {
        system_violation("returns what is no error number");
    }
    sequence->outcomes->errors[-error]++;
}

static int call(struct sequence *sequence, unsigned client, unsigned command, const void *arguments,
                size_t bytes) {
    u64 address = (u64)(uintptr_t)process;
    if (sequence->clients[client] == NULL) {
        return -1; /* nobody was asked */
    }
    if (next_byte(sequence) >= 250) {
        address += next_number(sequence) | 1024; /* some of it is not there */
    } else {
        memcpy(process, arguments, bytes);
    }
    int error = weft_client_ioctl(sequence->clients[client], command, address);
    count(sequence, error);
    return error;
}

static void call_allocate(struct sequence *sequence, unsigned client) {
    struct weft_ioctl_allocate allocate = {.bytes = next_number(sequence)};
    allocate.flags = next_byte(sequence) == 255;
    if (call(sequence, client, WEFT_IOCTL_ALLOCATE, &allocate, sizeof allocate) == 0) {
        memcpy(&allocate, process, sizeof allocate);
        sequence->buffers[client] = allocate.handle;
    }
}

static void call_program(struct sequence *sequence, unsigned client) {
    struct weft_ioctl_program program = {.address = (u64)(uintptr_t)process,
                                         .bytes = 64,
                                         .configuration = REGISTER_FILE_CONFIGURATION};
    if (next_byte(sequence) >= 220) {
        program.bytes = next_number(sequence);
        program.address += next_number(sequence);
    }
    program.configuration ^= next_byte(sequence) == 255;
    program.flags = next_byte(sequence) == 255;
    if (call(sequence, client, WEFT_IOCTL_PROGRAM, &program, sizeof program) == 0) {
        memcpy(&program, process, sizeof program);
        sequence->programs[client] = program.handle;
    }
}

static void call_free(struct sequence *sequence, unsigned client) {
    struct weft_ioctl_free given = {.handle = (u32)next_number(sequence)};
    given.reserved = next_byte(sequence) == 255;
    (void)call(sequence, client, WEFT_IOCTL_FREE, &given, sizeof given);
}

/* Of one file nearly always. */
static struct weft_ioctl_region next_region(struct sequence *sequence, unsigned client) {
    uint8_t kind = next_byte(sequence);
    struct weft_ioctl_region region = {.handle = sequence->buffers[client]};
    if (kind < 160 || region.handle == 0) {
        return (struct weft_ioctl_region){0};
    }
    region.bytes = 1 + kind % 64U;
    region.flags = kind % 2;
    if (kind >= 250) {
        region.offset = next_number(sequence);
        region.bytes = next_number(sequence);
    } else if (kind >= 248) {
        region.handle = (u32)next_number(sequence);
        region.flags = next_byte(sequence);
    }
    return region;
}

static void call_submit(struct sequence *sequence, unsigned client) {
    struct weft_ioctl_submit submit = {.program = sequence->programs[client]};
    submit.watchdog = next_number(sequence);
    submit.time_limit = next_number(sequence);
    uint8_t kind = next_byte(sequence);
    for (u32 i = 1; i < WEFT_IOCTL_REGIONS; i++) {
        submit.regions[i] = next_region(sequence, client);
    }
    if (kind >= 240) {
        submit.program = (u32)next_number(sequence);
        submit.flags = kind == 255;
        submit.regions[0].handle = kind == 254;
    }
    if (call(sequence, client, WEFT_IOCTL_SUBMIT, &submit, sizeof submit) == 0) {
        memcpy(&submit, process, sizeof submit);
        sequence->jobs[client] = submit.job;
    }
}

static void call_wait(struct sequence *sequence, unsigned client) {
    struct weft_ioctl_wait wait = {.job = sequence->jobs[client],
                                   .time_out = next_number(sequence)};
    if (next_byte(sequence) >= 230) {
        wait.job = next_number(sequence);
    }
    sequence->kernel.has_signal = next_byte(sequence) >= 240;
    wait.reserved = next_byte(sequence) == 255;
    if (call(sequence, client, WEFT_IOCTL_WAIT, &wait, sizeof wait) == 0) {
        memcpy(&wait, process, sizeof wait);
        if (wait.outcome > WEFT_OUTCOME_LOST) {
            system_violation("tells an outcome that there is not");
        }
        sequence->outcomes->jobs[wait.outcome]++;
    }
    sequence->kernel.has_signal = false;
}

static void call_abort(struct sequence *sequence, unsigned client) {
    struct weft_ioctl_abort given = {.job = sequence->jobs[client]};
    if (next_byte(sequence) >= 200) {
        given.job = next_number(sequence);
    }
    (void)call(sequence, client, WEFT_IOCTL_ABORT, &given, sizeof given);
}

/* Any command, with any bytes. */
static void call_anything(struct sequence *sequence, unsigned client) {
    static const unsigned commands[] = {
        WEFT_IOCTL_INFORMATION, WEFT_IOCTL_ALLOCATE, WEFT_IOCTL_FREE,  WEFT_IOCTL_PROGRAM,
        WEFT_IOCTL_SUBMIT,      WEFT_IOCTL_WAIT,     WEFT_IOCTL_ABORT, 0};
    struct weft_ioctl_wait bytes;
    unsigned command = commands[next_byte(sequence) % 8];
    for (size_t i = 0; i < sizeof bytes; i++) {
        ((uint8_t *)&bytes)[i] = i < 64 ? next_byte(sequence) : 0;
    }
    if (command == 0) {
        command = (unsigned)next_number(sequence);
    }
    (void)call(sequence, client, command, &bytes, sizeof bytes);
}

/* ---- files, mappings, the machine ---- */

static void open_or_close(struct sequence *sequence, unsigned client) {
    if (sequence->clients[client] == NULL) {
        count(sequence,
              weft_client_open(&sequence->kernel.accelerator, &sequence->clients[client]));
        return;
    }
    for (int i = 0; i < MAPPINGS; i++) {
        if (sequence->mapped_by[i] == sequence->clients[client]) {
            weft_client_unmapped(sequence->mappings[i]);
            sequence->mapped_by[i] = NULL;
        }
    }
    weft_client_close(sequence->clients[client]);
    sequence->clients[client] = NULL;
}

static void map_or_unmap(struct sequence *sequence, unsigned client) {
    unsigned at = next_byte(sequence) % MAPPINGS;
    if (sequence->mapped_by[at] != NULL) {
        weft_client_unmapped(sequence->mappings[at]);
        sequence->mapped_by[at] = NULL;
    } else if (sequence->clients[client] != NULL) {
        u64 handle = next_number(sequence);
        int error = weft_client_map(sequence->clients[client], handle, next_number(sequence),
                                    &sequence->mappings[at]);
        count(sequence, error);
        sequence->mapped_by[at] = error == 0 ? sequence->clients[client] : NULL;
    }
}

static void change_machine(struct sequence *sequence) {
    struct register_file *file = &sequence->file;
    uint8_t kind = next_byte(sequence);
    file->duration = (kind & 1) != 0 ? FOR_EVER : 3000;
    file->fault = (kind & 2) != 0 ? kind >> 4 : 0;
    file->drain = (kind & 4) != 0 ? 5000000 : 0;
    file->ignores_start = (kind & 0x18) == 0x18;
    sequence->kernel.loses_interrupts = (kind & 0x60) == 0x60;
    if (next_byte(sequence) >= 240) {
        file->drain = 3000000000;
    }
}

static void remove_device(struct sequence *sequence) {
    if (next_byte(sequence) >= 250 && !sequence->is_removed) {
        sequence->is_removed = true;
        weft_system_lock(&sequence->kernel.accelerator);
        weft_accelerator_remove(&sequence->kernel.accelerator);
        weft_system_unlock(&sequence->kernel.accelerator);
    }
}

static void step(struct sequence *sequence) {
    unsigned client = next_byte(sequence) % CLIENTS;
    switch (next_byte(sequence) % 16) {
    case 0:
        open_or_close(sequence, client);
        break;
    case 1:
    case 2:
        call_allocate(sequence, client);
        break;
    case 3:
        call_program(sequence, client);
        break;
    case 4:
        call_free(sequence, client);
        break;
    case 5:
    case 6:
        call_submit(sequence, client);
        break;
    case 7:
        for (unsigned i = next_byte(sequence) >= 230 ? WEFT_CLIENT_JOBS + 2 : 1; i > 0; i--) {
            call_submit(sequence, client);
        }
        break;
    case 8:
    case 9:
        call_wait(sequence, client);
        break;
    case 10:
        call_abort(sequence, client);
        break;
    case 11:
        call_anything(sequence, client);
        break;
    case 12:
        map_or_unmap(sequence, client);
        break;
    case 13:
        change_machine(sequence);
        break;
    case 14:
        kernel_advance(&sequence->kernel, (u64)next_byte(sequence) * 100000);
        break;
    default:
        system_fail(next_byte(sequence) >= 200 ? 1U + next_byte(sequence) % 4U : 0);
        remove_device(sequence);
        break;
    }
}

/* ---- a sequence ---- */

static void begin(struct sequence *sequence) {
    system_process(process, sizeof process);
    system_fail(0);
    sequence->file = register_file_of(&sequence->kernel);
    if (kernel_open(&sequence->kernel, &register_file_hardware, &sequence->file,
                    next_byte(sequence) % 2 != 0) != 0) {
        system_violation("does not know its machine");
    }
    sequence->kernel.accelerator.most_time = 50000000;
    for (unsigned i = 0; i < CLIENTS; i++) {
        open_or_close(sequence, i);
    }
}

static void end(struct sequence *sequence) {
    system_fail(0);
    for (unsigned i = 0; i < CLIENTS; i++) {
        if (sequence->clients[i] != NULL) {
            open_or_close(sequence, i);
        }
    }
    /* The bus is busy for 3 s at most. */
    kernel_advance(&sequence->kernel, 4000000000);
    if (sequence->kernel.accelerator.clients != 0 || sequence->kernel.accelerator.active != NULL ||
        sequence->kernel.accelerator.first != NULL || sequence->kernel.shared_count != 0 ||
        system_blocks() != 0) {
        system_violation("leaves something behind");
    }
}

void hostile_sequence(const uint8_t *data, size_t size, struct hostile_outcomes *outcomes) {
    struct sequence *sequence = calloc(1, sizeof *sequence);
    if (sequence == NULL) {
        return;
    }
    sequence->data = data;
    sequence->left = size;
    sequence->outcomes = outcomes;
    begin(sequence);
    for (int i = 0; i < CALLS && sequence->left > 0; i++) {
        sequence->kernel.sleeps = 0;
        step(sequence);
    }
    end(sequence);
    free(sequence);
}
