/* The Linux driver: buses that are busy or stuck, processes that die in the middle, devices that
 * go. test_linux_jobs.c has jobs that end as they should. */
#include "tests/linux/bench.h"

/* ---- a bus that is busy, or stuck ---- */

static void the_next_job_begins_when_the_bus_is_quiet(void **state) {
    struct bench *bench = *state;
    bench->file.duration = FOR_EVER;
    bench->file.drain = 100 * MILLISECONDS;
    struct weft_ioctl_abort given = {.job = submit_one(bench->client)};
    u64 next = submit_one(bench->client);
    expect(bench->client, WEFT_IOCTL_ABORT, &given, 0);
    u64 aborted = bench->kernel.now;
    assert_outcome(bench->client, given.job, WEFT_OUTCOME_ABORTED);
    assert_true(bench->kernel.now - aborted < MILLISECONDS); /* which nobody has to wait for */
    bench->file.duration = 5000;
    assert_outcome(bench->client, next, WEFT_OUTCOME_DONE);
    u64 took = bench->kernel.now - aborted;
    assert_true(took >= 100 * MILLISECONDS && took < 110 * MILLISECONDS);
}

static void memory_stays_until_the_bus_is_quiet(void **state) {
    struct bench *bench = *state;
    bench->file.duration = FOR_EVER;
    bench->file.drain = 100 * MILLISECONDS;
    (void)submit_one(bench->client);
    weft_client_close(bench->client); /* the process died */
    bench->client = NULL;
    assert_int_equal(bench->kernel.accelerator.clients, 0);
    assert_int_equal(bench->kernel.shared_count, 2);
    kernel_advance(&bench->kernel, 99 * MILLISECONDS);
    assert_int_equal(bench->kernel.shared_count, 2);
    kernel_advance(&bench->kernel, 10 * MILLISECONDS);
    assert_int_equal(bench->kernel.shared_count, 0);
}

static void a_stuck_bus_lets_nobody_wait(void **state) {
    struct bench *bench = *state;
    u32 program = load(bench->client);
    u32 buffer = allocate(bench->client, 4096);
    struct weft_ioctl_submit job = job_of(program, buffer, 4096);
    bench->file.duration = FOR_EVER;
    bench->file.drain = FOR_EVER;
    struct weft_ioctl_abort given = {.job = submit(bench->client, job)};
    u64 next = submit(bench->client, job);
    expect(bench->client, WEFT_IOCTL_ABORT, &given, 0);
    u64 aborted = bench->kernel.now;
    assert_outcome(bench->client, next, WEFT_OUTCOME_LOST);
    assert_true(bench->kernel.now - aborted < 2 * SECONDS);
    expect(bench->client, WEFT_IOCTL_SUBMIT, &job, EIO);
    bench->file.busy_until = 0; /* somebody reset the bus */
    bench->file.duration = 5000;
    kernel_advance(&bench->kernel, SECONDS);
    assert_outcome(bench->client, submit(bench->client, job), WEFT_OUTCOME_DONE);
}

/* ---- processes that die ---- */

static void a_process_that_dies_ends_its_jobs_alone(void **state) {
    struct bench *bench = *state;
    struct weft_client *dying = open_file(bench);
    bench->file.duration = SECONDS;
    (void)submit_one(dying);
    u64 first = submit_one(bench->client);
    (void)submit_one(dying);
    u64 second = submit_one(bench->client);
    kernel_advance(&bench->kernel, 500 * MILLISECONDS); /* in the middle of the first */
    u64 died = bench->kernel.now;
    weft_client_close(dying);
    assert_int_equal(bench->file.starts, 2);
    assert_outcome(bench->client, first, WEFT_OUTCOME_DONE);
    assert_outcome(bench->client, second, WEFT_OUTCOME_DONE);
    assert_int_equal(bench->file.starts, 3);
    assert_true(bench->kernel.now - died < 2 * SECONDS + 10 * MILLISECONDS);
}

static void what_was_given_up_stays_while_the_machine_needs_it(void **state) {
    struct bench *bench = *state;
    u64 job = submit_one(bench->client); /* gives up program and buffer at once */
    assert_int_equal(bench->kernel.shared_count, 2);
    assert_outcome(bench->client, job, WEFT_OUTCOME_DONE);
    assert_int_equal(bench->kernel.shared_count, 0);
}

static void a_thousand_processes_die_in_the_middle(void **state) {
    struct bench *bench = *state;
    for (u32 i = 0; i < 1000; i++) {
        struct weft_client *dying = open_file(bench);
        bench->file.duration = i % 3 == 0 ? FOR_EVER : 50000;
        bench->file.drain = i % 5 * 20000;
        for (u32 k = 0; k < i % 4; k++) {
            (void)submit_one(dying);
        }
        kernel_advance(&bench->kernel, i * 997 % 200000);
        weft_client_close(dying);
    }
    bench->file.duration = 5000;
    assert_outcome(bench->client, submit_one(bench->client), WEFT_OUTCOME_DONE);
    assert_int_equal(bench->kernel.shared_count, 0);
}

/* ---- the device goes ---- */

static void remove_device(struct bench *bench) {
    weft_system_lock(&bench->kernel.accelerator);
    weft_accelerator_remove(&bench->kernel.accelerator);
    weft_system_unlock(&bench->kernel.accelerator);
}

static void a_device_that_goes_ends_all_jobs(void **state) {
    struct bench *bench = *state;
    struct weft_client *late = NULL;
    u32 program = load(bench->client);
    bench->file.duration = FOR_EVER;
    u64 first = submit_one(bench->client);
    u64 second = submit_one(bench->client);
    remove_device(bench);
    assert_int_equal(weft_client_open(&bench->kernel.accelerator, &late), -ENODEV);
    struct weft_ioctl_allocate allocate = {.bytes = 1};
    expect(bench->client, WEFT_IOCTL_ALLOCATE, &allocate, ENODEV);
    struct weft_ioctl_submit job = {.program = program};
    expect(bench->client, WEFT_IOCTL_SUBMIT, &job, ENODEV);
    assert_outcome(bench->client, first, WEFT_OUTCOME_ABORTED);
    assert_outcome(bench->client, second, WEFT_OUTCOME_ABORTED);
    assert_false(weft_accelerator_is_left(&bench->kernel.accelerator));
    weft_client_close(bench->client);
    bench->client = NULL;
    assert_true(weft_accelerator_is_left(&bench->kernel.accelerator));
}

static void a_device_that_goes_with_a_stuck_bus_keeps_the_memory(void **state) {
    struct bench *bench = *state;
    bench->file.duration = FOR_EVER;
    bench->file.drain = FOR_EVER;
    (void)submit_one(bench->client);
    remove_device(bench);
    weft_client_close(bench->client);
    bench->client = NULL;
    assert_false(weft_accelerator_is_left(&bench->kernel.accelerator));
    kernel_advance(&bench->kernel, 2 * SECONDS);
    assert_true(weft_accelerator_is_left(&bench->kernel.accelerator));
    assert_int_equal(bench->kernel.shared_count, 2);
    bench->file.busy_until = 0;
    kernel_advance(&bench->kernel, SECONDS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST_BOTH(the_next_job_begins_when_the_bus_is_quiet),
        TEST_BOTH(memory_stays_until_the_bus_is_quiet),
        TEST_BOTH(a_stuck_bus_lets_nobody_wait),
        TEST_BOTH(a_process_that_dies_ends_its_jobs_alone),
        TEST(what_was_given_up_stays_while_the_machine_needs_it),
        TEST_BOTH(a_thousand_processes_die_in_the_middle),
        TEST_BOTH(a_device_that_goes_ends_all_jobs),
        TEST_BOTH(a_device_that_goes_with_a_stuck_bus_keeps_the_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
