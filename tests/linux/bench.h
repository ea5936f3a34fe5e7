/* What the tests of the Linux driver's logic share: a kernel with a machine that is no more than
 * its registers, and processes that call the driver. */
#ifndef WEFT_TESTS_LINUX_BENCH_H
#define WEFT_TESTS_LINUX_BENCH_H

#include "tests/unit/test.h"

#include "tests/linux/register_file.h"

enum {
    PAGE_BYTES = 4096,
};
#define MILLISECONDS 1000000ULL
#define SECONDS      1000000000ULL

struct bench {
    struct kernel kernel;
    struct register_file file;
    struct weft_client *client; /* an open file */
};

/* With an interrupt; for cmocka's setup and teardown, which asserts that nothing is left. */
int bench_open(void **state);
int bench_close(void **state);

/* The same without an interrupt. */
int bench_open_polling(void **state);

/* Calls ioctl() with arguments of the process; asserts what comes of it: 0 or an error number. */
void expect(struct weft_client *client, unsigned command, void *arguments, int error);

/* Steps that succeed. */
struct weft_client *open_file(struct bench *bench);
u32 allocate(struct weft_client *client, u64 bytes);
u32 load(struct weft_client *client);
void release(struct weft_client *client, u32 handle);
/* The bytes of a handle, as mmap() gives them. */
u8 *map(struct weft_client *client, u32 handle, struct weft_buffer **buffer);

/* A program of 64 bytes, and `region` 4 on all of a buffer, to be written. */
struct weft_ioctl_submit job_of(u32 program, u32 buffer, u64 bytes);
u64 submit(struct weft_client *client, struct weft_ioctl_submit job);
/* Waits up to an hour: how it ended. */
struct weft_ioctl_wait wait_for(struct weft_client *client, u64 job);
void assert_outcome(struct weft_client *client, u64 job, u32 outcome);
/* All at once: a job with a program and a buffer of its own, which are given up at once. */
u64 submit_one(struct weft_client *client);

/* A test with an interrupt, and one with as well as without. */
#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_open, bench_close)
#define TEST_BOTH(name)                                                                            \
    TEST(name), {                                                                                  \
#name " (polling)", name, bench_open_polling, bench_close, NULL                            \
    }

#endif
