/* The Linux driver: what machine it takes, buffers, programs, mappings, and who pays for them.
 * test_linux_jobs.c has what runs. */
#include "tests/linux/bench.h"

#include "isa/registers.h"

/* ---- the machine ---- */

static void another_machine_is_not_taken(void **state) {
    (void)state;
    struct kernel kernel;
    struct register_file file = register_file_of(&kernel);
    file.magic ^= 1;
    assert_int_equal(kernel_open(&kernel, &register_file_hardware, &file, true), -ENODEV);
    file = register_file_of(&kernel);
    file.version = 2;
    assert_int_equal(kernel_open(&kernel, &register_file_hardware, &file, true), -ENODEV);
    file = register_file_of(&kernel);
    file.is_gone = true;
    assert_int_equal(kernel_open(&kernel, &register_file_hardware, &file, true), -ENODEV);
    assert_int_equal(file.aborts, 0);
}

static void a_machine_that_somebody_left_running_is_stopped_first(void **state) {
    (void)state;
    struct kernel kernel;
    struct register_file file = register_file_of(&kernel);
    struct weft_client *client = NULL;
    file.is_running = true;
    file.ends_at = FOR_EVER;
    file.drain = 5 * MILLISECONDS;
    system_process(NULL, SIZE_MAX);
    assert_int_equal(kernel_open(&kernel, &register_file_hardware, &file, true), 0);
    assert_int_equal(file.aborts, 1);
    assert_int_equal(weft_client_open(&kernel.accelerator, &client), 0);
    u64 job = submit_one(client);
    assert_int_equal(file.starts, 0);
    assert_int_equal(wait_for(client, job).outcome, WEFT_OUTCOME_DONE);
    assert_int_equal(file.starts, 1);
    assert_true(kernel.now >= 5 * MILLISECONDS);
    weft_client_close(client);
    assert_int_equal(system_blocks(), 0);
}

static void information_tells_what_there_is(void **state) {
    struct bench *bench = *state;
    struct weft_ioctl_information information;
    memset(&information, 0xff, sizeof information);
    expect(bench->client, WEFT_IOCTL_INFORMATION, &information, 0);
    assert_int_equal(information.version, WEFT_IOCTL_VERSION);
    assert_int_equal(information.map_version, WEFT_REGISTER_MAP_VERSION);
    assert_true(information.configuration == REGISTER_FILE_CONFIGURATION);
    assert_int_equal(information.most_bytes, 64 << 20);
    assert_int_equal(information.most_time, 10 * SECONDS);
    assert_int_equal(information.counters, WEFT_COUNTER_COUNT);
    assert_int_equal(information.most_handles, 64);
    assert_int_equal(information.most_jobs, 16);
    assert_int_equal(information.flags, WEFT_INFORMATION_INTERRUPT);
}

static void commands_that_do_not_exist_are_no_commands(void **state) {
    struct bench *bench = *state;
    u64 bytes[64] = {0};
    expect(bench->client, 0, bytes, ENOTTY);
    expect(bench->client, ~0U, bytes, ENOTTY);
    expect(bench->client, WEFT_IOCTL_ABORT + 1, bytes, ENOTTY);
    /* The size is part of a command: a structure of another version is another command. */
    expect(bench->client, WEFT_IOCTL_SUBMIT + (8U << 16), bytes, ENOTTY);
}

/* ---- buffers ---- */

static void buffers_are_zeros_in_whole_pages(void **state) {
    struct bench *bench = *state;
    static const u64 sizes[][2] = {{1, 4096}, {4096, 4096}, {4097, 8192}, {1 << 20, 1 << 20}};
    for (size_t i = 0; i < 4; i++) {
        struct weft_ioctl_allocate given = {.bytes = sizes[i][0]};
        expect(bench->client, WEFT_IOCTL_ALLOCATE, &given, 0);
        assert_int_equal(given.bytes, sizes[i][1]);
        assert_int_equal(given.handle, i + 1);
        assert_int_equal(given.offset, given.handle * PAGE_BYTES);
        struct weft_buffer *buffer = NULL;
        const u8 *bytes = map(bench->client, given.handle, &buffer);
        for (u64 k = 0; k < given.bytes; k++) {
            assert_int_equal(bytes[k], 0);
        }
        weft_client_unmapped(buffer);
    }
}

static void sizes_that_cannot_be_are_refused(void **state) {
    struct bench *bench = *state;
    const u64 most = bench->kernel.accelerator.most_bytes;
    const u64 sizes[] = {most + 1,     1ULL << 32,   1ULL << 63, ~0ULL,
                         ~0ULL - 4094, ~0ULL - 4095, 0 - most};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct weft_ioctl_allocate given = {.bytes = sizes[i]};
        expect(bench->client, WEFT_IOCTL_ALLOCATE, &given, ENOSPC);
    }
    struct weft_ioctl_allocate nothing = {.bytes = 0};
    expect(bench->client, WEFT_IOCTL_ALLOCATE, &nothing, EINVAL);
    struct weft_ioctl_allocate flags = {.bytes = 1, .flags = 1};
    expect(bench->client, WEFT_IOCTL_ALLOCATE, &flags, EINVAL);
    assert_int_equal(bench->kernel.shared_count, 0);
}

static void a_file_has_so_many_bytes_and_no_more(void **state) {
    struct bench *bench = *state;
    const u64 most = bench->kernel.accelerator.most_bytes;
    u32 most_of_it = allocate(bench->client, most - PAGE_BYTES);
    u32 rest = allocate(bench->client, 1);
    struct weft_ioctl_allocate more = {.bytes = 1};
    expect(bench->client, WEFT_IOCTL_ALLOCATE, &more, ENOSPC);
    struct weft_client *other = open_file(bench); /* another file has its own */
    release(other, allocate(other, most));
    weft_client_close(other);
    release(bench->client, rest);
    release(bench->client, allocate(bench->client, PAGE_BYTES));
    release(bench->client, most_of_it);
    release(bench->client, allocate(bench->client, most));
}

static void a_file_has_so_many_handles_and_no_more(void **state) {
    struct bench *bench = *state;
    for (u32 i = 0; i < WEFT_CLIENT_HANDLES; i++) {
        assert_int_equal(allocate(bench->client, 1), i + 1);
    }
    struct weft_ioctl_allocate more = {.bytes = 1};
    expect(bench->client, WEFT_IOCTL_ALLOCATE, &more, ENOSPC);
    release(bench->client, 17);
    assert_int_equal(allocate(bench->client, 1), 17);
}

static void handles_belong_to_their_file(void **state) {
    struct bench *bench = *state;
    struct weft_client *other = open_file(bench);
    struct weft_buffer *buffer = NULL;
    u32 handle = allocate(bench->client, 1);
    struct weft_ioctl_free given = {.handle = handle};
    expect(other, WEFT_IOCTL_FREE, &given, ENOENT);
    assert_int_equal(weft_client_map(other, handle, 1, &buffer), -ENOENT);
    struct weft_ioctl_submit job = job_of(load(other), handle, 64);
    job.regions[4].handle = 2; /* its program is 1 */
    expect(other, WEFT_IOCTL_SUBMIT, &job, ENOENT);
    weft_client_close(other);
}

static void handles_that_are_none_are_refused(void **state) {
    struct bench *bench = *state;
    const u64 handles[] = {0, 2, 64, 65, 0x80000001, 0xffffffff, 1ULL << 32, ~0ULL};
    struct weft_buffer *buffer = NULL;
    (void)allocate(bench->client, 1);
    for (size_t i = 0; i < sizeof handles / sizeof handles[0]; i++) {
        struct weft_ioctl_free given = {.handle = (u32)handles[i]};
        expect(bench->client, WEFT_IOCTL_FREE, &given, ENOENT);
        assert_int_equal(weft_client_map(bench->client, handles[i], 1, &buffer), -ENOENT);
    }
    struct weft_ioctl_free reserved = {.handle = 1, .reserved = 1};
    expect(bench->client, WEFT_IOCTL_FREE, &reserved, EINVAL);
}

/* ---- mappings ---- */

static void a_mapping_is_of_a_buffer_and_not_larger(void **state) {
    struct bench *bench = *state;
    struct weft_buffer *buffer = NULL;
    u32 handle = allocate(bench->client, 5000);
    u32 program = load(bench->client);
    assert_int_equal(weft_client_map(bench->client, handle, 0, &buffer), -EINVAL);
    assert_int_equal(weft_client_map(bench->client, handle, 8193, &buffer), -EINVAL);
    assert_int_equal(weft_client_map(bench->client, handle, ~0ULL, &buffer), -EINVAL);
    assert_int_equal(weft_client_map(bench->client, program, 4096, &buffer), -EACCES);
    assert_int_equal(weft_client_map(bench->client, handle, 8192, &buffer), 0);
    weft_client_unmapped(buffer);
}

static void what_is_mapped_stays_and_counts_until_it_is_not(void **state) {
    struct bench *bench = *state;
    const u64 most = bench->kernel.accelerator.most_bytes;
    struct weft_buffer *buffer = NULL;
    u32 handle = allocate(bench->client, most);
    u8 *bytes = map(bench->client, handle, &buffer);
    weft_client_mapped(buffer); /* a fork copies it */
    release(bench->client, handle);
    bytes[most - 1] = 1;
    struct weft_ioctl_allocate more = {.bytes = 1};
    expect(bench->client, WEFT_IOCTL_ALLOCATE, &more, ENOSPC);
    weft_client_unmapped(buffer);
    expect(bench->client, WEFT_IOCTL_ALLOCATE, &more, ENOSPC);
    weft_client_unmapped(buffer);
    assert_int_equal(bench->kernel.shared_count, 0);
    (void)allocate(bench->client, most);
}

/* ---- programs ---- */

static void programs_are_whole_instructions_for_this_machine(void **state) {
    struct bench *bench = *state;
    static u8 instructions[128];
    const struct weft_ioctl_program good = {.address = (u64)(uintptr_t)instructions,
                                            .bytes = sizeof instructions,
                                            .configuration = REGISTER_FILE_CONFIGURATION};
    static const struct {
        u64 bytes;
        int error;
    } sizes[] = {
        {0, EINVAL},     {1, EINVAL},          {63, EINVAL},         {65, EINVAL},
        {~0ULL, EINVAL}, {1ULL << 40, ENOSPC}, {~0ULL - 63, ENOSPC}, {(64ULL << 20) + 64, ENOSPC}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct weft_ioctl_program program = good;
        program.bytes = sizes[i].bytes;
        expect(bench->client, WEFT_IOCTL_PROGRAM, &program, sizes[i].error);
    }
    struct weft_ioctl_program other = good;
    other.configuration ^= 1ULL << 63;
    expect(bench->client, WEFT_IOCTL_PROGRAM, &other, EILSEQ);
    other = good;
    other.flags = 1;
    expect(bench->client, WEFT_IOCTL_PROGRAM, &other, EINVAL);
    assert_int_equal(bench->kernel.shared_count, 0);
}

static void a_program_is_a_copy(void **state) {
    struct bench *bench = *state;
    u8 instruction[64];
    memset(instruction, 7, sizeof instruction);
    struct weft_ioctl_program program = {.address = (u64)(uintptr_t)instruction,
                                         .bytes = sizeof instruction,
                                         .configuration = REGISTER_FILE_CONFIGURATION};
    expect(bench->client, WEFT_IOCTL_PROGRAM, &program, 0);
    memset(instruction, 8, sizeof instruction);
    const u8 *copy = bench->kernel.shared[0].memory;
    for (int i = 0; i < 64; i++) {
        assert_int_equal(copy[i], 7);
    }
}

/* What another thread does while the program of handle 1 is being copied. */
static void try_handle(struct kernel *kernel) {
    struct bench *bench = kernel->meanwhile_context;
    struct weft_ioctl_free given = {.handle = 1};
    struct weft_ioctl_submit job = {.program = 1};
    expect(bench->client, WEFT_IOCTL_SUBMIT, &job, ENOENT);
    expect(bench->client, WEFT_IOCTL_FREE, &given, ENOENT);
    bench->file.fault = 1; /* so that one can see that this ran */
}

static void what_is_being_made_is_nobodys(void **state) {
    struct bench *bench = *state;
    bench->kernel.meanwhile = try_handle;
    bench->kernel.meanwhile_context = bench;
    assert_int_equal(load(bench->client), 1);
    assert_int_equal(bench->file.fault, 1);
}

/* ---- a process whose memory is not there ---- */

static void arguments_that_are_not_there_leave_nothing(void **state) {
    struct bench *bench = *state;
    static u8 memory[1024];
    static const unsigned commands[] = {
        WEFT_IOCTL_INFORMATION, WEFT_IOCTL_ALLOCATE, WEFT_IOCTL_FREE, WEFT_IOCTL_PROGRAM,
        WEFT_IOCTL_SUBMIT,      WEFT_IOCTL_WAIT,     WEFT_IOCTL_ABORT};
    system_process(memory, sizeof memory);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        expect(bench->client, commands[i], NULL, EFAULT);
        expect(bench->client, commands[i], memory + sizeof memory - 4, EFAULT);
    }
    struct weft_ioctl_program program = {.address = (u64)(uintptr_t)memory + 1000,
                                         .bytes = 64,
                                         .configuration = REGISTER_FILE_CONFIGURATION};
    memcpy(memory, &program, sizeof program);
    expect(bench->client, WEFT_IOCTL_PROGRAM, memory, EFAULT);
    assert_int_equal(bench->kernel.shared_count, 0);
}

static void what_nobody_can_be_told_of_is_taken_back(void **state) {
    struct bench *bench = *state;
    u32 program = load(bench->client);
    u32 buffer = allocate(bench->client, 1);
    u8 instruction[64] = {0};
    struct weft_ioctl_allocate more = {.bytes = 1};
    struct weft_ioctl_program other = {.address = (u64)(uintptr_t)instruction,
                                       .bytes = sizeof instruction,
                                       .configuration = REGISTER_FILE_CONFIGURATION};
    struct weft_ioctl_submit job = job_of(program, buffer, 64);
    bench->file.duration = FOR_EVER;
    system_process_read_only();
    expect(bench->client, WEFT_IOCTL_ALLOCATE, &more, EFAULT);
    expect(bench->client, WEFT_IOCTL_PROGRAM, &other, EFAULT);
    assert_int_equal(bench->kernel.shared_count, 2);
    expect(bench->client, WEFT_IOCTL_SUBMIT, &job, EFAULT);
    assert_int_equal(bench->file.starts, 1);
    assert_false(bench->file.is_running);
    assert_null(bench->kernel.accelerator.active);
    system_process(NULL, SIZE_MAX);
    assert_int_equal(allocate(bench->client, 1), 3);
    struct weft_ioctl_wait wait = {.job = 1};
    expect(bench->client, WEFT_IOCTL_WAIT, &wait, ENOENT);
}

/* ---- without memory ---- */

/* Everything that a process does, once: the number of the call that failed; 0: none. */
static int whole_life(struct bench *bench) {
    struct weft_client *client = NULL;
    u8 instruction[64] = {0};
    struct weft_ioctl_program program = {.address = (u64)(uintptr_t)instruction,
                                         .bytes = sizeof instruction,
                                         .configuration = REGISTER_FILE_CONFIGURATION};
    struct weft_ioctl_allocate buffer = {.bytes = 100};
    int failed = 1;
    int error = weft_client_open(&bench->kernel.accelerator, &client);
    if (error == 0) {
        failed = 2;
        error = weft_client_ioctl(client, WEFT_IOCTL_PROGRAM, (u64)(uintptr_t)&program);
    }
    if (error == 0) {
        failed = 3;
        error = weft_client_ioctl(client, WEFT_IOCTL_ALLOCATE, (u64)(uintptr_t)&buffer);
    }
    if (error == 0) {
        struct weft_ioctl_submit job = job_of(program.handle, buffer.handle, 64);
        failed = 4;
        error = weft_client_ioctl(client, WEFT_IOCTL_SUBMIT, (u64)(uintptr_t)&job);
    }
    if (client != NULL) {
        weft_client_close(client);
    }
    assert_true(error == 0 || error == -ENOMEM);
    return error == 0 ? 0 : failed;
}

static void without_memory_calls_fail_and_leave_nothing(void **state) {
    struct bench *bench = *state;
    u32 blocks = system_blocks();
    bool failed[5] = {false};
    u32 calls = 0;
    do {
        system_fail(++calls);
        failed[whole_life(bench)] = true;
        system_fail(0);
        assert_int_equal(system_blocks(), blocks);
        assert_int_equal(bench->kernel.shared_count, 0);
    } while (!failed[0]);
    assert_true(failed[1] && failed[2] && failed[3] && failed[4]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_machine_is_not_taken),
        cmocka_unit_test(a_machine_that_somebody_left_running_is_stopped_first),
        TEST(information_tells_what_there_is),
        TEST(commands_that_do_not_exist_are_no_commands),
        TEST(buffers_are_zeros_in_whole_pages),
        TEST(sizes_that_cannot_be_are_refused),
        TEST(a_file_has_so_many_bytes_and_no_more),
        TEST(a_file_has_so_many_handles_and_no_more),
        TEST(handles_belong_to_their_file),
        TEST(handles_that_are_none_are_refused),
        TEST(a_mapping_is_of_a_buffer_and_not_larger),
        TEST(what_is_mapped_stays_and_counts_until_it_is_not),
        TEST(programs_are_whole_instructions_for_this_machine),
        TEST(a_program_is_a_copy),
        TEST(what_is_being_made_is_nobodys),
        TEST(arguments_that_are_not_there_leave_nothing),
        TEST(what_nobody_can_be_told_of_is_taken_back),
        TEST(without_memory_calls_fail_and_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
