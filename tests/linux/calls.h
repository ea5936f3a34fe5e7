/* /dev/weft0 without a kernel: the open(), close(), ioctl(), mmap() and munmap() of a test program
 * (which is linked with --wrap) lead to the driver's logic, behind whose registers a machine of
 * driver/device.h runs. Its bus is the memory that the driver made, and nothing else. */
#ifndef WEFT_TESTS_LINUX_CALLS_H
#define WEFT_TESTS_LINUX_CALLS_H

#include "isa/config.h"
#include "tests/linux/system.h"

/* How the next calls behave; all 0: well. */
struct calls_plan {
    int open_error;      /* that open() fails with */
    int mmap_error;      /* that mmap() fails with */
    unsigned long fails; /* the command of ioctl() that fails with `error`, */
    int error;
    unsigned skips;      /* after so many that do not */
    unsigned interrupts; /* calls of WAIT that a signal interrupts */
    uint32_t version;    /* that INFORMATION says; 0: the true one */
    uint32_t counters;
    uint32_t outcome; /* that WAIT says; 0: the true one */
    uint32_t fault;
    bool hangs; /* the next run never ends */
};
extern struct calls_plan calls_plan;

/* Makes /dev/weftN: a machine of a configuration. */
void calls_open(int number, const struct weft_config *config, bool has_interrupt);

/* Takes it away; asserts that no file is open, and nothing left. */
void calls_close(void);

/* Files that are open, and mappings. */
unsigned calls_files(void);
unsigned calls_mappings(void);

/* Jobs that there ever were. */
uint64_t calls_jobs(void);

#endif
