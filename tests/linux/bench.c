#include "tests/linux/bench.h"

#include <stdlib.h>

static int bench_make(void **state, bool has_interrupt) {
    struct bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    system_process(NULL, SIZE_MAX);
    system_fail(0);
    bench->file = register_file_of(&bench->kernel);
    assert_int_equal(
        kernel_open(&bench->kernel, &register_file_hardware, &bench->file, has_interrupt), 0);
    bench->client = open_file(bench);
    *state = bench;
    return 0;
}

int bench_open(void **state) {
    return bench_make(state, true);
}

int bench_open_polling(void **state) {
    return bench_make(state, false);
}

int bench_close(void **state) {
    struct bench *bench = *state;
    if (bench->client != NULL) {
        weft_client_close(bench->client);
    }
    assert_int_equal(bench->kernel.accelerator.clients, 0);
    assert_null(bench->kernel.accelerator.active);
    assert_null(bench->kernel.accelerator.first);
    assert_int_equal(bench->kernel.shared_count, 0);
    assert_int_equal(system_blocks(), 0);
    free(bench);
    return 0;
}

void expect(struct weft_client *client, unsigned command, void *arguments, int error) {
    assert_int_equal(weft_client_ioctl(client, command, (u64)(uintptr_t)arguments), -error);
}

struct weft_client *open_file(struct bench *bench) {
    struct weft_client *client = NULL;
    assert_int_equal(weft_client_open(&bench->kernel.accelerator, &client), 0);
    return client;
}

u32 allocate(struct weft_client *client, u64 bytes) {
    struct weft_ioctl_allocate allocate = {.bytes = bytes};
    expect(client, WEFT_IOCTL_ALLOCATE, &allocate, 0);
    assert_true(allocate.handle >= 1);
    return allocate.handle;
}

u32 load(struct weft_client *client) {
    u8 instruction[64] = {1, 2, 3};
    struct weft_ioctl_program program = {.address = (u64)(uintptr_t)instruction,
                                         .bytes = sizeof instruction,
                                         .configuration = REGISTER_FILE_CONFIGURATION};
    expect(client, WEFT_IOCTL_PROGRAM, &program, 0);
    return program.handle;
}

void release(struct weft_client *client, u32 handle) {
    struct weft_ioctl_free given = {.handle = handle};
    expect(client, WEFT_IOCTL_FREE, &given, 0);
}

u8 *map(struct weft_client *client, u32 handle, struct weft_buffer **buffer) {
    assert_int_equal(weft_client_map(client, handle, PAGE_BYTES, buffer), 0);
    return (*buffer)->memory;
}

struct weft_ioctl_submit job_of(u32 program, u32 buffer, u64 bytes) {
    struct weft_ioctl_submit job = {.program = program};
    job.regions[4] =
        (struct weft_ioctl_region){.handle = buffer, .bytes = bytes, .flags = WEFT_REGION_WRITE};
    return job;
}

u64 submit(struct weft_client *client, struct weft_ioctl_submit job) {
    expect(client, WEFT_IOCTL_SUBMIT, &job, 0);
    return job.job;
}

struct weft_ioctl_wait wait_for(struct weft_client *client, u64 job) {
    struct weft_ioctl_wait wait = {.job = job, .time_out = 3600 * SECONDS};
    expect(client, WEFT_IOCTL_WAIT, &wait, 0);
    return wait;
}

void assert_outcome(struct weft_client *client, u64 job, u32 outcome) {
    assert_int_equal(wait_for(client, job).outcome, outcome);
}

u64 submit_one(struct weft_client *client) {
    u32 program = load(client);
    u32 buffer = allocate(client, PAGE_BYTES);
    u64 job = submit(client, job_of(program, buffer, PAGE_BYTES));
    release(client, program);
    release(client, buffer);
    return job;
}
