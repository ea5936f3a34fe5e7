/* Registers with no machine behind them: runs take the time, and end as, the test says. What it
 * does on the bus is the least there is: it reads the first byte of each region when it starts, and
 * when it ends writes the first and last byte of those it may write. Whatever it cannot reach on
 * the bus, or may not, is a fault of the driver (system_violation). */
#ifndef WEFT_TESTS_LINUX_REGISTER_FILE_H
#define WEFT_TESTS_LINUX_REGISTER_FILE_H

#include "tests/linux/system.h"

#define REGISTER_FILE_CONFIGURATION 0x0123456789abcdefULL
#define REGISTER_FILE_PATTERN       0xa5 /* that it writes */
#define FOR_EVER                    (~(u64)0)

struct register_file {
    struct kernel *kernel;
    /* As the test wants them. */
    u64 duration;    /* of a run; FOR_EVER: it does not end */
    u64 drain;       /* time for which the bus is busy after an abort; FOR_EVER: it is stuck */
    u32 fault;       /* with which runs end */
    u32 instruction; /* that is at fault */
    bool ignores_start;
    bool is_gone; /* reads give ones, writes nothing */
    u32 magic;
    u32 version;
    /* What it is in. */
    u32 halves[1024]; /* that were written */
    bool is_running;
    bool has_ended;
    u64 ends_at;
    u64 busy_until;
    u32 starts;
    u32 aborts;
};

extern const struct hardware register_file_hardware;

/* Of a machine in reset, whose runs take 5 us and end well. */
struct register_file register_file_of(struct kernel *kernel);

#endif
