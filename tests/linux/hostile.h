/* Sequences of calls that no honest process makes, read from bytes: files are opened and closed in
 * the middle of things, arguments are good, nearly good or anything, memory runs out, runs fault,
 * hang, or leave a busy bus. What must hold is checked by the machine behind the registers and by
 * the system around the driver; at the end nothing may be left of it all. */
#ifndef WEFT_TESTS_LINUX_HOSTILE_H
#define WEFT_TESTS_LINUX_HOSTILE_H

#include <stddef.h>
#include <stdint.h>

/* How many jobs ended in each way, for a test that wants to see that all of them occur. */
struct hostile_outcomes {
    unsigned long jobs[5];     /* by enum weft_ioctl_outcome */
    unsigned long errors[256]; /* calls by error number; 0: those that succeeded */
};

void hostile_sequence(const uint8_t *data, size_t size, struct hostile_outcomes *outcomes);

#endif
