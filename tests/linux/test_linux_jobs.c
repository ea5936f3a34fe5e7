/* The Linux driver: what the machine is given, how jobs end, and in which order.
 * test_linux_memory.c has buffers and programs, test_linux_death.c what dies. */
#include "tests/linux/bench.h"

#include "isa/registers.h"

static u64 written(const struct bench *bench, u32 offset) {
    return bench->file.halves[offset / 4] | (u64)bench->file.halves[offset / 4 + 1] << 32;
}

static u64 bus_of(struct bench *bench, struct weft_client *client, u32 handle) {
    struct weft_buffer *buffer = NULL;
    (void)bench;
    (void)map(client, handle, &buffer);
    u64 bus = buffer->bus;
    weft_client_unmapped(buffer);
    return bus;
}

/* ---- what the machine is given ---- */

static void base_and_limit_are_those_of_the_buffers(void **state) {
    struct bench *bench = *state;
    u32 first = allocate(bench->client, 8192);
    u32 second = allocate(bench->client, 4096);
    struct weft_ioctl_submit job = {.program = load(bench->client), .watchdog = 0x123456789aULL};
    job.regions[1] = (struct weft_ioctl_region){.handle = first, .offset = 1024, .bytes = 7168};
    job.regions[2] =
        (struct weft_ioctl_region){.handle = second, .bytes = 1, .flags = WEFT_REGION_WRITE};
    job.regions[7] = (struct weft_ioctl_region){
        .handle = first, .offset = 7168, .bytes = 1000, .flags = WEFT_REGION_WRITE};
    assert_outcome(bench->client, submit(bench->client, job), WEFT_OUTCOME_DONE);
    const u64 bus[] = {bus_of(bench, bench->client, first), bus_of(bench, bench->client, second)};
    const u64 base[] = {0, bus[0] + 1024, bus[1], 0, 0, 0, 0, bus[0] + 7168};
    const u64 limit[] = {64, 7168, 1, 0, 0, 0, 0, 1000};
    for (u32 i = 0; i < 8; i++) {
        assert_true(i == 0 || written(bench, WEFT_REGISTER_region_base + 8 * i) == base[i]);
        assert_int_equal(written(bench, WEFT_REGISTER_region_limit + 8 * i), limit[i]);
    }
    assert_int_equal(written(bench, WEFT_REGISTER_region_writable), 1 << 2 | 1 << 7);
    assert_true(written(bench, WEFT_REGISTER_watchdog) == 0x123456789aULL);
    struct weft_buffer *buffer = NULL;
    const u8 *bytes = map(bench->client, first, &buffer);
    assert_int_equal(bytes[7168], REGISTER_FILE_PATTERN);
    assert_int_equal(bytes[8167], REGISTER_FILE_PATTERN);
    assert_int_equal(bytes[8168], 0);
    assert_int_equal(bytes[1024], 0);
    weft_client_unmapped(buffer);
}

static void nothing_of_the_job_before_stays_in_the_registers(void **state) {
    struct bench *bench = *state;
    u32 program = load(bench->client);
    u32 buffer = allocate(bench->client, 4096);
    struct weft_ioctl_submit all = {.program = program};
    for (u32 i = 1; i < 8; i++) {
        all.regions[i] =
            (struct weft_ioctl_region){.handle = buffer, .bytes = 4096, .flags = WEFT_REGION_WRITE};
    }
    assert_outcome(bench->client, submit(bench->client, all), WEFT_OUTCOME_DONE);
    const struct weft_ioctl_submit none = {.program = program};
    assert_outcome(bench->client, submit(bench->client, none), WEFT_OUTCOME_DONE);
    for (u32 i = 1; i < 8; i++) {
        assert_int_equal(written(bench, WEFT_REGISTER_region_base + 8 * i), 0);
        assert_int_equal(written(bench, WEFT_REGISTER_region_limit + 8 * i), 0);
    }
    assert_int_equal(written(bench, WEFT_REGISTER_region_writable), 0);
}

static void regions_outside_of_buffers_are_refused(void **state) {
    struct bench *bench = *state;
    u32 program = load(bench->client);
    u32 buffer = allocate(bench->client, 8192);
    const struct {
        struct weft_ioctl_region region;
        int error;
    } wrong[] = {
        {{.handle = buffer, .bytes = 8193}, ERANGE},
        {{.handle = buffer, .bytes = ~0ULL}, ERANGE},
        {{.handle = buffer, .offset = 1024, .bytes = 7169}, ERANGE},
        {{.handle = buffer, .offset = 1024, .bytes = ~0ULL - 1023}, ERANGE},
        {{.handle = buffer, .offset = 8192, .bytes = 1}, ERANGE},
        {{.handle = buffer, .offset = ~0ULL - 1023, .bytes = 1024}, ERANGE},
        {{.handle = buffer, .offset = ~0ULL - 1023, .bytes = 2048}, ERANGE},
        {{.handle = buffer, .offset = 1ULL << 63, .bytes = 1ULL << 63}, ERANGE},
        {{.handle = buffer, .offset = 1, .bytes = 1}, EINVAL},
        {{.handle = buffer, .offset = 512, .bytes = 1}, EINVAL},
        {{.handle = buffer, .bytes = 0}, EINVAL},
        {{.handle = buffer, .bytes = 1, .flags = 2}, EINVAL},
        {{.handle = buffer, .bytes = 1, .flags = ~0U}, EINVAL},
        {{.bytes = 1}, EINVAL},
        {{.offset = 1024}, EINVAL},
        {{.flags = 1}, EINVAL},
        {{.handle = program, .bytes = 64}, ENOENT},
        {{.handle = program, .bytes = 64, .flags = 1}, ENOENT},
        {{.handle = 63, .bytes = 64}, ENOENT},
        {{.handle = ~0U, .bytes = 64}, ENOENT},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        for (u32 region = 1; region < 8; region++) {
            struct weft_ioctl_submit job = {.program = program};
            job.regions[region] = wrong[i].region;
            expect(bench->client, WEFT_IOCTL_SUBMIT, &job, wrong[i].error);
        }
    }
    assert_int_equal(bench->file.starts, 0);
}

static void jobs_without_a_program_are_refused(void **state) {
    struct bench *bench = *state;
    u32 buffer = allocate(bench->client, 4096);
    u32 program = load(bench->client);
    struct weft_ioctl_submit job = {.program = 0};
    expect(bench->client, WEFT_IOCTL_SUBMIT, &job, ENOENT);
    job.program = buffer;
    expect(bench->client, WEFT_IOCTL_SUBMIT, &job, ENOENT);
    job.program = program;
    job.flags = 1;
    expect(bench->client, WEFT_IOCTL_SUBMIT, &job, EINVAL);
    job.flags = 0;
    job.regions[0] = (struct weft_ioctl_region){.handle = buffer, .bytes = 64};
    expect(bench->client, WEFT_IOCTL_SUBMIT, &job, EINVAL);
    assert_int_equal(bench->file.starts, 0);
}

/* ---- how jobs end ---- */

static void the_result_has_every_counter(void **state) {
    struct bench *bench = *state;
    const struct weft_ioctl_wait wait = wait_for(bench->client, submit_one(bench->client));
    assert_int_equal(wait.outcome, WEFT_OUTCOME_DONE);
    assert_int_equal(wait.fault, 0);
    for (u32 i = 0; i < WEFT_COUNTER_COUNT; i++) {
        u64 offset = WEFT_REGISTER_counter + 8 * i;
        assert_true(wait.counters[i] == (offset | (offset + 4) << 32));
    }
    for (u32 i = WEFT_COUNTER_COUNT; i < WEFT_IOCTL_COUNTERS; i++) {
        assert_int_equal(wait.counters[i], 0);
    }
}

static void every_fault_is_told(void **state) {
    struct bench *bench = *state;
    for (u32 fault = 1; fault < 16; fault++) {
        bench->file.fault = fault;
        bench->file.instruction = 0xfffffff0 + fault;
        const struct weft_ioctl_wait wait = wait_for(bench->client, submit_one(bench->client));
        assert_int_equal(wait.outcome, WEFT_OUTCOME_FAULT);
        assert_int_equal(wait.fault, fault);
        assert_int_equal(wait.instruction, 0xfffffff0 + fault);
    }
    bench->file.fault = 0; /* the next one is not affected */
    assert_outcome(bench->client, submit_one(bench->client), WEFT_OUTCOME_DONE);
}

static void a_lost_interrupt_costs_time_alone(void **state) {
    struct bench *bench = *state;
    bench->kernel.loses_interrupts = true;
    u64 before = bench->kernel.now;
    assert_outcome(bench->client, submit_one(bench->client), WEFT_OUTCOME_DONE);
    assert_true(bench->kernel.now - before <= 200 * MILLISECONDS);
}

static void an_interrupt_of_another_device_is_not_taken(void **state) {
    struct bench *bench = *state;
    assert_false(weft_accelerator_interrupt(&bench->kernel.accelerator));
    bench->file.is_gone = true;
    assert_false(weft_accelerator_interrupt(&bench->kernel.accelerator));
    bench->file.is_gone = false;
}

static void an_interrupt_ends_a_job_without_anybody_waiting(void **state) {
    struct bench *bench = *state;
    u64 job = submit_one(bench->client);
    u64 next = submit_one(bench->client);
    kernel_advance(&bench->kernel, 10 * MILLISECONDS);
    assert_int_equal(bench->file.starts, 2);
    struct weft_ioctl_wait wait = {.job = next, .time_out = 0};
    expect(bench->client, WEFT_IOCTL_WAIT, &wait, 0);
    wait.job = job;
    expect(bench->client, WEFT_IOCTL_WAIT, &wait, 0);
}

static void a_job_that_takes_too_long_is_aborted(void **state) {
    struct bench *bench = *state;
    bench->file.duration = FOR_EVER;
    u32 program = load(bench->client);
    struct weft_ioctl_submit job = job_of(program, allocate(bench->client, 4096), 4096);
    job.time_limit = 20 * MILLISECONDS;
    u64 before = bench->kernel.now;
    const struct weft_ioctl_wait wait = wait_for(bench->client, submit(bench->client, job));
    assert_int_equal(wait.outcome, WEFT_OUTCOME_TIME_OUT);
    assert_int_equal(wait.counters[0], 0);
    u64 took = bench->kernel.now - before;
    assert_true(took >= 20 * MILLISECONDS && took < 30 * MILLISECONDS);
    assert_false(bench->file.is_running);
    bench->file.duration = 5000;
    assert_outcome(bench->client, submit(bench->client, job), WEFT_OUTCOME_DONE);
}

static void no_job_takes_longer_than_the_most_there_is(void **state) {
    struct bench *bench = *state;
    static const u64 limits[] = {0, ~0ULL, 11 * SECONDS};
    bench->file.duration = FOR_EVER;
    for (size_t i = 0; i < 3; i++) {
        u32 program = load(bench->client);
        struct weft_ioctl_submit job = job_of(program, allocate(bench->client, 4096), 4096);
        job.time_limit = limits[i];
        u64 before = bench->kernel.now;
        assert_outcome(bench->client, submit(bench->client, job), WEFT_OUTCOME_TIME_OUT);
        u64 took = bench->kernel.now - before;
        assert_true(took >= 10 * SECONDS && took < 11 * SECONDS);
    }
}

static void a_start_that_is_not_taken_is_no_success(void **state) {
    struct bench *bench = *state;
    assert_outcome(bench->client, submit_one(bench->client), WEFT_OUTCOME_DONE);
    bench->file.ignores_start = true; /* and the run before has ended well */
    assert_outcome(bench->client, submit_one(bench->client), WEFT_OUTCOME_LOST);
    bench->file.ignores_start = false;
    assert_outcome(bench->client, submit_one(bench->client), WEFT_OUTCOME_DONE);
}

static void a_machine_that_is_gone_loses_its_jobs(void **state) {
    struct bench *bench = *state;
    bench->file.duration = FOR_EVER;
    u64 first = submit_one(bench->client);
    u64 second = submit_one(bench->client);
    bench->file.is_gone = true;
    assert_outcome(bench->client, first, WEFT_OUTCOME_LOST);
    assert_outcome(bench->client, second, WEFT_OUTCOME_LOST);
    bench->file.is_gone = false; /* it is back, in reset */
    bench->file.is_running = false;
    kernel_advance(&bench->kernel, SECONDS);
}

/* ---- waiting ---- */

static void a_job_is_waited_for_once(void **state) {
    struct bench *bench = *state;
    struct weft_client *other = open_file(bench);
    u64 job = submit_one(bench->client);
    struct weft_ioctl_wait wait = {.job = job, .time_out = SECONDS};
    expect(other, WEFT_IOCTL_WAIT, &wait, ENOENT);
    wait.reserved = 1;
    expect(bench->client, WEFT_IOCTL_WAIT, &wait, EINVAL);
    wait.reserved = 0;
    expect(bench->client, WEFT_IOCTL_WAIT, &wait, 0);
    expect(bench->client, WEFT_IOCTL_WAIT, &wait, ENOENT);
    wait.job = job + 1;
    expect(bench->client, WEFT_IOCTL_WAIT, &wait, ENOENT);
    weft_client_close(other);
}

static void waiting_ends_in_time_and_leaves_the_job(void **state) {
    struct bench *bench = *state;
    bench->file.duration = SECONDS;
    struct weft_ioctl_wait wait = {.job = submit_one(bench->client)};
    u64 before = bench->kernel.now;
    expect(bench->client, WEFT_IOCTL_WAIT, &wait, ETIMEDOUT);
    assert_true(bench->kernel.now - before < MILLISECONDS);
    wait.time_out = 5 * MILLISECONDS;
    expect(bench->client, WEFT_IOCTL_WAIT, &wait, ETIMEDOUT);
    assert_true(bench->kernel.now - before < 10 * MILLISECONDS);
    wait.time_out = ~0ULL; /* no sum of times wraps */
    expect(bench->client, WEFT_IOCTL_WAIT, &wait, 0);
    assert_int_equal(wait.outcome, WEFT_OUTCOME_DONE);
}

static void a_signal_interrupts_waiting_and_leaves_the_job(void **state) {
    struct bench *bench = *state;
    bench->file.duration = SECONDS;
    struct weft_ioctl_wait wait = {.job = submit_one(bench->client), .time_out = 60 * SECONDS};
    bench->kernel.has_signal = true;
    expect(bench->client, WEFT_IOCTL_WAIT, &wait, EINTR);
    expect(bench->client, WEFT_IOCTL_WAIT, &wait, 0);
    assert_int_equal(wait.outcome, WEFT_OUTCOME_DONE);
}

/* What another thread of the process does with the job that one waits for. */
static void wait_as_well(struct kernel *kernel) {
    struct bench *bench = kernel->meanwhile_context;
    assert_outcome(bench->client, 1, WEFT_OUTCOME_DONE);
}

static void two_may_wait_and_one_gets_the_result(void **state) {
    struct bench *bench = *state;
    struct weft_ioctl_wait wait = {.job = submit_one(bench->client), .time_out = SECONDS};
    bench->kernel.meanwhile = wait_as_well;
    bench->kernel.meanwhile_context = bench;
    expect(bench->client, WEFT_IOCTL_WAIT, &wait, ENOENT);
}

static void abort_it(struct kernel *kernel) {
    struct bench *bench = kernel->meanwhile_context;
    struct weft_ioctl_abort given = {.job = 1};
    expect(bench->client, WEFT_IOCTL_ABORT, &given, 0);
}

static void an_abort_wakes_who_waits(void **state) {
    struct bench *bench = *state;
    bench->file.duration = FOR_EVER;
    struct weft_ioctl_wait wait = {.job = submit_one(bench->client), .time_out = ~0ULL};
    bench->kernel.meanwhile = abort_it;
    bench->kernel.meanwhile_context = bench;
    expect(bench->client, WEFT_IOCTL_WAIT, &wait, 0);
    assert_int_equal(wait.outcome, WEFT_OUTCOME_ABORTED);
    assert_true(bench->kernel.now < SECONDS);
}

static void results_that_cannot_be_told_are_kept(void **state) {
    struct bench *bench = *state;
    static u8 memory[sizeof(struct weft_ioctl_wait)];
    u64 job = submit_one(bench->client);
    const struct weft_ioctl_wait wait = {.job = job, .time_out = SECONDS};
    memcpy(memory, &wait, sizeof wait);
    system_process(memory, sizeof memory - 1);
    expect(bench->client, WEFT_IOCTL_WAIT, memory, EFAULT);
    system_process(memory, sizeof memory);
    expect(bench->client, WEFT_IOCTL_WAIT, memory, 0);
}

/* ---- the queue ---- */

static void jobs_of_all_files_run_one_at_a_time_in_their_order(void **state) {
    struct bench *bench = *state;
    struct weft_client *other = open_file(bench);
    u64 jobs[6];
    for (u32 i = 0; i < 6; i++) {
        jobs[i] = submit_one(i % 2 == 0 ? bench->client : other);
        assert_int_equal(jobs[i], i + 1);
    }
    for (u32 i = 0; i < 6; i++) {
        assert_outcome(i % 2 == 0 ? bench->client : other, jobs[i], WEFT_OUTCOME_DONE);
        assert_true(bench->file.starts == (i < 5 ? i + 2 : 6));
    }
    weft_client_close(other);
}

static void a_file_has_so_many_jobs_and_no_more(void **state) {
    struct bench *bench = *state;
    u32 program = load(bench->client);
    u32 buffer = allocate(bench->client, 4096);
    struct weft_ioctl_submit job = job_of(program, buffer, 4096);
    for (u32 i = 0; i < WEFT_CLIENT_JOBS; i++) {
        (void)submit(bench->client, job);
    }
    expect(bench->client, WEFT_IOCTL_SUBMIT, &job, EBUSY);
    kernel_advance(&bench->kernel, SECONDS);
    expect(bench->client, WEFT_IOCTL_SUBMIT, &job, EBUSY); /* they ended, nobody waited */
    assert_outcome(bench->client, 3, WEFT_OUTCOME_DONE);
    (void)submit(bench->client, job);
}

static void jobs_are_aborted_wherever_they_are(void **state) {
    struct bench *bench = *state;
    struct weft_client *other = open_file(bench);
    u64 jobs[4];
    bench->file.duration = SECONDS;
    for (int i = 0; i < 4; i++) {
        jobs[i] = submit_one(bench->client);
    }
    struct weft_ioctl_abort given = {.job = jobs[3]}; /* the last of the queue */
    expect(other, WEFT_IOCTL_ABORT, &given, ENOENT);
    expect(bench->client, WEFT_IOCTL_ABORT, &given, 0);
    expect(bench->client, WEFT_IOCTL_ABORT, &given, 0); /* again changes nothing */
    given.job = jobs[1];
    expect(bench->client, WEFT_IOCTL_ABORT, &given, 0);
    u64 last = submit_one(bench->client);
    given.job = jobs[0]; /* on the machine */
    expect(bench->client, WEFT_IOCTL_ABORT, &given, 0);
    static const u32 outcomes[] = {WEFT_OUTCOME_ABORTED, WEFT_OUTCOME_ABORTED, WEFT_OUTCOME_DONE,
                                   WEFT_OUTCOME_ABORTED};
    for (int i = 0; i < 4; i++) {
        assert_outcome(bench->client, jobs[i], outcomes[i]);
    }
    assert_outcome(bench->client, last, WEFT_OUTCOME_DONE);
    expect(bench->client, WEFT_IOCTL_ABORT, &given, ENOENT);
    assert_int_equal(bench->file.starts, 3);
    weft_client_close(other);
}

static void what_has_ended_is_not_aborted(void **state) {
    struct bench *bench = *state;
    struct weft_ioctl_abort given = {.job = submit_one(bench->client)};
    kernel_advance(&bench->kernel, MILLISECONDS);
    u32 aborts = bench->file.aborts;
    expect(bench->client, WEFT_IOCTL_ABORT, &given, 0);
    assert_int_equal(bench->file.aborts, aborts);
    assert_outcome(bench->client, given.job, WEFT_OUTCOME_DONE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_BOTH(base_and_limit_are_those_of_the_buffers),
        TEST_BOTH(nothing_of_the_job_before_stays_in_the_registers),
        TEST(regions_outside_of_buffers_are_refused),
        TEST(jobs_without_a_program_are_refused),
        TEST_BOTH(the_result_has_every_counter),
        TEST_BOTH(every_fault_is_told),
        TEST(a_lost_interrupt_costs_time_alone),
        TEST(an_interrupt_of_another_device_is_not_taken),
        TEST_BOTH(an_interrupt_ends_a_job_without_anybody_waiting),
        TEST_BOTH(a_job_that_takes_too_long_is_aborted),
        TEST_BOTH(no_job_takes_longer_than_the_most_there_is),
        TEST_BOTH(a_start_that_is_not_taken_is_no_success),
        TEST_BOTH(a_machine_that_is_gone_loses_its_jobs),
        TEST_BOTH(a_job_is_waited_for_once),
        TEST_BOTH(waiting_ends_in_time_and_leaves_the_job),
        TEST_BOTH(a_signal_interrupts_waiting_and_leaves_the_job),
        TEST_BOTH(two_may_wait_and_one_gets_the_result),
        TEST_BOTH(an_abort_wakes_who_waits),
        TEST(results_that_cannot_be_told_are_kept),
        TEST_BOTH(jobs_of_all_files_run_one_at_a_time_in_their_order),
        TEST_BOTH(a_file_has_so_many_jobs_and_no_more),
        TEST_BOTH(jobs_are_aborted_wherever_they_are),
        TEST_BOTH(what_has_ended_is_not_aborted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
