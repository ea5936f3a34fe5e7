// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
#include "weft_client.h"

#define INSTRUCTION_BYTES 64

union arguments {
    struct weft_ioctl_information information;
    struct weft_ioctl_allocate allocate;
    struct weft_ioctl_free free;
    struct weft_ioctl_program program;
    struct weft_ioctl_submit submit;
    struct weft_ioctl_wait wait;
    struct weft_ioctl_abort abort;
};

/* ---- open files ---- */

int weft_client_open(struct weft_accelerator *accelerator, struct weft_client **client) {
    int error = -ENOMEM;
    struct weft_client *made = weft_system_allocate(sizeof *made);
    if (made == NULL) {
        return error;
    }
    weft_system_lock(accelerator);
    if (accelerator->is_gone) {
        error = -ENODEV;
    } else {
        made->owner = weft_owner_make(accelerator);
    }
    if (made->owner != NULL) {
        accelerator->clients++;
        error = 0;
    }
    weft_system_unlock(accelerator);
    if (error != 0) {
        weft_system_free(made);
        return error;
    }
    *client = made;
    return 0;
}

void weft_client_close(struct weft_client *client) {
    struct weft_accelerator *accelerator = client->owner->accelerator;
    weft_system_lock(accelerator);
    for (u32 i = 0; i < WEFT_CLIENT_JOBS; i++) {
        if (client->jobs[i] != NULL) {
            weft_accelerator_abort(accelerator, client->jobs[i]);
            weft_job_release(client->jobs[i]);
        }
    }
    weft_accelerator_poll(accelerator);
    for (u32 i = 0; i < WEFT_CLIENT_HANDLES; i++) {
        if (client->buffers[i] != NULL) {
            weft_buffer_release(client->buffers[i]);
        }
    }
    weft_owner_release(client->owner);
    accelerator->clients--;
    weft_system_wake(accelerator);
    weft_system_unlock(accelerator);
    weft_system_free(client);
}

/* ---- handles ---- */

static struct weft_buffer *find_buffer(struct weft_client *client, u64 handle) {
    struct weft_buffer *buffer = NULL;
    if (handle >= 1 && handle <= WEFT_CLIENT_HANDLES) {
        buffer = client->buffers[array_index_nospec(handle - 1, WEFT_CLIENT_HANDLES)];
    }
    return buffer != NULL && buffer->is_ready ? buffer : NULL;
}

/* Reserves a buffer and a handle, *handle, for it. */
static int reserve(struct weft_client *client, u64 bytes, struct weft_buffer **buffer,
                   u32 *handle) {
    u32 at = 0;
    while (at < WEFT_CLIENT_HANDLES && client->buffers[at] != NULL) {
        at++;
    }
    if (at == WEFT_CLIENT_HANDLES) {
        return -ENOSPC;
    }
    int error = weft_buffer_reserve(client->owner, bytes, buffer);
    if (error == 0) {
        client->buffers[at] = *buffer;
        *handle = at + 1;
    }
    return error;
}

static void drop(struct weft_client *client, u32 handle) {
    struct weft_buffer *buffer = client->buffers[handle - 1];
    client->buffers[handle - 1] = NULL;
    weft_buffer_release(buffer);
}

/* A buffer of `bytes`, or the program at `address`. Its memory is made and filled without the
 * lock, when nobody else can find it. */
static int make_buffer(struct weft_client *client, u64 bytes, bool is_program, u64 address,
                       u32 *handle) {
    struct weft_accelerator *accelerator = client->owner->accelerator;
    struct weft_buffer *buffer = NULL;
    weft_system_lock(accelerator);
    int error = accelerator->is_gone ? -ENODEV : reserve(client, bytes, &buffer, handle);
    weft_system_unlock(accelerator);
    if (error != 0) {
        return error;
    }
    buffer->is_program = is_program;
    error = weft_buffer_fill(buffer);
    if (error == 0 && is_program && !weft_system_copy_in(buffer->memory, address, bytes)) {
        error = -EFAULT;
    }
    weft_system_lock(accelerator);
    if (error == 0) {
        buffer->is_ready = true;
    } else {
        drop(client, *handle);
    }
    weft_system_unlock(accelerator);
    return error;
}

static int free_handle(struct weft_client *client, u32 handle) {
    struct weft_accelerator *accelerator = client->owner->accelerator;
    int error = -ENOENT;
    weft_system_lock(accelerator);
    if (find_buffer(client, handle) != NULL) {
        drop(client, handle);
        error = 0;
    }
    weft_system_unlock(accelerator);
    return error;
}

/* ---- commands: information and memory ---- */

static int command_information(struct weft_client *client, union arguments *arguments) {
    struct weft_accelerator *accelerator = client->owner->accelerator;
    arguments->information = (struct weft_ioctl_information){
        .version = WEFT_IOCTL_VERSION,
        .map_version = accelerator->map_version,
        .configuration = accelerator->configuration,
        .most_bytes = accelerator->most_bytes,
        .most_time = accelerator->most_time,
        .counters = WEFT_COUNTER_COUNT,
        .most_handles = WEFT_CLIENT_HANDLES,
        .most_jobs = WEFT_CLIENT_JOBS,
        .flags = accelerator->has_interrupt ? WEFT_INFORMATION_INTERRUPT : 0,
    };
    return 0;
}

static int command_allocate(struct weft_client *client, union arguments *arguments) {
    struct weft_ioctl_allocate *allocate = &arguments->allocate;
    if (allocate->bytes == 0 || allocate->flags != 0) {
        return -EINVAL;
    }
    int error = make_buffer(client, allocate->bytes, false, 0, &allocate->handle);
    if (error == 0) {
        allocate->bytes = weft_buffer_pages(allocate->bytes);
        allocate->offset = allocate->handle * weft_system_page();
    }
    return error;
}

static void undo_allocate(struct weft_client *client, const union arguments *arguments) {
    (void)free_handle(client, arguments->allocate.handle);
}

static int command_free(struct weft_client *client, union arguments *arguments) {
    if (arguments->free.reserved != 0) {
        return -EINVAL;
    }
    return free_handle(client, arguments->free.handle);
}

static int command_program(struct weft_client *client, union arguments *arguments) {
    struct weft_ioctl_program *program = &arguments->program;
    if (program->bytes == 0 || program->bytes % INSTRUCTION_BYTES != 0 || program->flags != 0) {
        return -EINVAL;
    }
    if (program->configuration != client->owner->accelerator->configuration) {
        return -EILSEQ;
    }
    return make_buffer(client, program->bytes, true, program->address, &program->handle);
}

static void undo_program(struct weft_client *client, const union arguments *arguments) {
    (void)free_handle(client, arguments->program.handle);
}

/* ---- commands: jobs ---- */

static struct weft_job **find_job(struct weft_client *client, u64 number) {
    for (u32 i = 0; i < WEFT_CLIENT_JOBS; i++) {
        if (client->jobs[i] != NULL && client->jobs[i]->number == number) {
            return &client->jobs[i];
        }
    }
    return NULL;
}

static bool is_empty(const struct weft_ioctl_region *region) {
    return region->handle == 0 && region->flags == 0 && region->offset == 0 && region->bytes == 0;
}

static int check_submit(const struct weft_ioctl_submit *submit) {
    if (submit->flags != 0 || !is_empty(&submit->regions[WEFT_IOCTL_REGION_PROGRAM])) {
        return -EINVAL;
    }
    for (u32 i = 0; i < WEFT_IOCTL_REGIONS; i++) {
        const struct weft_ioctl_region *region = &submit->regions[i];
        if (!is_empty(region) &&
            (region->handle == 0 || region->bytes == 0 ||
             region->offset % WEFT_IOCTL_ALIGNMENT != 0 || (region->flags & ~WEFT_REGION_WRITE))) {
            return -EINVAL;
        }
    }
    return 0;
}

/* What the machine may reach of a buffer: nothing outside of it, whatever the process says. */
static int set_region(struct weft_job *job, u32 at, struct weft_buffer *buffer,
                      const struct weft_ioctl_region *region) {
    if (buffer == NULL || buffer->is_program) {
        return -ENOENT;
    }
    if (region->offset >= buffer->bytes || region->bytes > buffer->bytes - region->offset) {
        return -ERANGE;
    }
    weft_buffer_hold(buffer);
    job->buffers[at] = buffer;
    job->base[at] = buffer->bus + region->offset;
    job->limit[at] = region->bytes;
    if (region->flags & WEFT_REGION_WRITE) {
        job->writable |= 1U << at;
    }
    return 0;
}

static int set_regions(struct weft_client *client, struct weft_job *job,
                       const struct weft_ioctl_submit *submit) {
    struct weft_buffer *program = find_buffer(client, submit->program);
    int error = 0;
    if (program == NULL || !program->is_program) {
        return -ENOENT;
    }
    weft_buffer_hold(program);
    job->buffers[WEFT_IOCTL_REGION_PROGRAM] = program;
    job->base[WEFT_IOCTL_REGION_PROGRAM] = program->bus;
    job->limit[WEFT_IOCTL_REGION_PROGRAM] = program->length;
    for (u32 i = 0; error == 0 && i < WEFT_IOCTL_REGIONS; i++) {
        const struct weft_ioctl_region *region = &submit->regions[i];
        if (region->handle != 0) {
            error = set_region(job, i, find_buffer(client, region->handle), region);
        }
    }
    return error;
}

static int submit_job(struct weft_client *client, const struct weft_ioctl_submit *submit,
                      struct weft_job *job) {
    struct weft_accelerator *accelerator = client->owner->accelerator;
    u32 at = 0;
    while (at < WEFT_CLIENT_JOBS && client->jobs[at] != NULL) {
        at++;
    }
    if (accelerator->is_gone || accelerator->is_stuck) {
        return accelerator->is_gone ? -ENODEV : -EIO;
    }
    if (at == WEFT_CLIENT_JOBS) {
        return -EBUSY;
    }
    int error = set_regions(client, job, submit);
    if (error == 0) {
        client->jobs[at] = job;
        job->references++;
        job->watchdog = submit->watchdog;
        job->time_limit = accelerator->most_time;
        if (submit->time_limit != 0 && submit->time_limit < job->time_limit) {
            job->time_limit = submit->time_limit;
        }
        weft_accelerator_submit(accelerator, job);
    }
    return error;
}

static int command_submit(struct weft_client *client, union arguments *arguments) {
    struct weft_accelerator *accelerator = client->owner->accelerator;
    struct weft_ioctl_submit *submit = &arguments->submit;
    int error = check_submit(submit);
    if (error != 0) {
        return error;
    }
    struct weft_job *job = weft_system_allocate(sizeof *job);
    if (job == NULL) {
        return -ENOMEM;
    }
    job->references = 1;
    weft_system_lock(accelerator);
    error = submit_job(client, submit, job);
    submit->job = job->number;
    weft_job_release(job);
    weft_system_unlock(accelerator);
    return error;
}

/* Forgets a job; what it still does is aborted. */
static void forget_job(struct weft_client *client, u64 number) {
    struct weft_accelerator *accelerator = client->owner->accelerator;
    weft_system_lock(accelerator);
    struct weft_job **job = find_job(client, number);
    if (job != NULL) {
        weft_accelerator_abort(accelerator, *job);
        weft_job_release(*job);
        *job = NULL;
        weft_accelerator_poll(accelerator);
    }
    weft_system_unlock(accelerator);
}

static void undo_submit(struct weft_client *client, const union arguments *arguments) {
    forget_job(client, arguments->submit.job);
}

static void tell(const struct weft_job *job, struct weft_ioctl_wait *wait) {
    wait->outcome = job->outcome;
    wait->fault = job->fault;
    wait->instruction = job->instruction;
    memset(wait->counters, 0, sizeof wait->counters);
    memcpy(wait->counters, job->counters, sizeof job->counters);
}

static int command_wait(struct weft_client *client, union arguments *arguments) {
    struct weft_accelerator *accelerator = client->owner->accelerator;
    struct weft_ioctl_wait *wait = &arguments->wait;
    int error = wait->reserved == 0 ? 0 : -EINVAL;
    weft_system_lock(accelerator);
    u64 now = weft_system_now(accelerator);
    u64 until = wait->time_out > ~(u64)0 - now ? ~(u64)0 : now + wait->time_out;
    while (error == 0) {
        weft_accelerator_poll(accelerator);
        struct weft_job **job = find_job(client, wait->job);
        if (job == NULL) {
            error = -ENOENT;
        } else if ((*job)->has_ended) {
            tell(*job, wait);
            break;
        } else if (weft_system_now(accelerator) >= until) {
            error = -ETIMEDOUT;
        } else {
            error = weft_system_sleep(accelerator, until);
        }
    }
    weft_system_unlock(accelerator);
    return error;
}

/* The process has the result. */
static void finish_wait(struct weft_client *client, const union arguments *arguments) {
    forget_job(client, arguments->wait.job);
}

static int command_abort(struct weft_client *client, union arguments *arguments) {
    struct weft_accelerator *accelerator = client->owner->accelerator;
    int error = -ENOENT;
    weft_system_lock(accelerator);
    struct weft_job **job = find_job(client, arguments->abort.job);
    if (job != NULL) {
        weft_accelerator_abort(accelerator, *job);
        weft_accelerator_poll(accelerator);
        error = 0;
    }
    weft_system_unlock(accelerator);
    return error;
}

/* ---- ioctl ---- */

static const struct command {
    unsigned number;
    unsigned bytes;
    bool takes;
    bool gives;
    int (*carry_out)(struct weft_client *client, union arguments *arguments);
    /* What it did is taken back when the process cannot be told. */
    void (*undo)(struct weft_client *client, const union arguments *arguments);
    void (*finish)(struct weft_client *client, const union arguments *arguments);
} commands[] = {
    {WEFT_IOCTL_INFORMATION, sizeof(struct weft_ioctl_information), false, true,
     command_information, NULL, NULL},
    {WEFT_IOCTL_ALLOCATE, sizeof(struct weft_ioctl_allocate), true, true, command_allocate,
     undo_allocate, NULL},
    {WEFT_IOCTL_FREE, sizeof(struct weft_ioctl_free), true, false, command_free, NULL, NULL},
    {WEFT_IOCTL_PROGRAM, sizeof(struct weft_ioctl_program), true, true, command_program,
     undo_program, NULL},
    {WEFT_IOCTL_SUBMIT, sizeof(struct weft_ioctl_submit), true, true, command_submit, undo_submit,
     NULL},
    {WEFT_IOCTL_WAIT, sizeof(struct weft_ioctl_wait), true, true, command_wait, NULL, finish_wait},
    {WEFT_IOCTL_ABORT, sizeof(struct weft_ioctl_abort), true, false, command_abort, NULL, NULL},
};

static int carry_out(struct weft_client *client, const struct command *command, u64 address) {
    union arguments arguments;
    memset(&arguments, 0, sizeof arguments);
    if (command->takes && !weft_system_copy_in(&arguments, address, command->bytes)) {
        return -EFAULT;
    }
    int error = command->carry_out(client, &arguments);
    if (error != 0) {
        return error;
    }
    if (command->gives && !weft_system_copy_out(address, &arguments, command->bytes)) {
        if (command->undo != NULL) {
            command->undo(client, &arguments);
        }
        return -EFAULT;
    }
    if (command->finish != NULL) {
        command->finish(client, &arguments);
    }
    return 0;
}

int weft_client_ioctl(struct weft_client *client, unsigned command, u64 address) {
    for (u32 i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (commands[i].number == command) {
            return carry_out(client, &commands[i], address);
        }
    }
    return -ENOTTY;
}

/* ---- mmap ---- */

int weft_client_map(struct weft_client *client, u64 handle, u64 bytes,
                    struct weft_buffer **buffer) {
    struct weft_accelerator *accelerator = client->owner->accelerator;
    int error = 0;
    weft_system_lock(accelerator);
    struct weft_buffer *found = find_buffer(client, handle);
    if (found == NULL) {
        error = -ENOENT;
    } else if (found->is_program) {
        error = -EACCES;
    } else if (bytes == 0 || bytes > found->bytes) {
        error = -EINVAL;
    } else {
        weft_buffer_hold(found);
        *buffer = found;
    }
    weft_system_unlock(accelerator);
    return error;
}

void weft_client_mapped(struct weft_buffer *buffer) {
    struct weft_accelerator *accelerator = buffer->owner->accelerator;
    weft_system_lock(accelerator);
    weft_buffer_hold(buffer);
    weft_system_unlock(accelerator);
}

void weft_client_unmapped(struct weft_buffer *buffer) {
    struct weft_accelerator *accelerator = buffer->owner->accelerator;
    weft_system_lock(accelerator);
    weft_buffer_release(buffer);
    weft_system_unlock(accelerator);
}
