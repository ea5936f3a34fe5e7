/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR Apache-2.0 */
/* How programs reach the accelerator through /dev/weftN: docs/linux.md tells the whole of it.
 *
 *     open -> INFORMATION -> ALLOCATE, mmap -> PROGRAM -> SUBMIT -> WAIT -> ... -> close
 *
 * All structures are the same for programs of 32 and 64 bits: fields lie at multiples of their
 * size, addresses and sizes have 64 bits. What is called reserved, and flags without a name, must
 * be 0. Handles and jobs belong to the open file. Nobody names a bus address: the driver sets base,
 * limit and the writable bit of every region from what SUBMIT says of buffers, after it checked
 * that they lie inside.
 *
 * What every command can fail with: EFAULT (its argument cannot be read or written), ENOTTY (no
 * such command), ENODEV (the device is gone). */
#ifndef WEFT_IOCTL_H
#define WEFT_IOCTL_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define WEFT_IOCTL_VERSION 1

#define WEFT_IOCTL_REGIONS 8
/* Room for counters in a result; INFORMATION says how many there are. */
#define WEFT_IOCTL_COUNTERS 64
/* Region 0 of the machine is the program, which PROGRAM made. */
#define WEFT_IOCTL_REGION_PROGRAM 0
/* Regions begin at multiples of this in their buffer. */
#define WEFT_IOCTL_ALIGNMENT 1024

/* Nothing of it changes while the file is open. */
struct weft_ioctl_information {
    __u32 version;       /* WEFT_IOCTL_VERSION */
    __u32 map_version;   /* of the registers */
    __u64 configuration; /* fingerprint of the machine's configuration */
    __u64 most_bytes;    /* that the buffers and programs of an open file may have in all */
    __u64 most_time;     /* nanoseconds that a job may run */
    __u32 counters;      /* of isa/counters.def, in this order in every result */
    __u32 most_handles;  /* buffers and programs of an open file */
    __u32 most_jobs;     /* of an open file that were not waited for */
    __u32 flags;         /* WEFT_INFORMATION_* */
};
#define WEFT_INFORMATION_INTERRUPT 1u /* jobs end with an interrupt; else the driver polls */

/* A buffer of zeros that the machine can reach. Errors: EINVAL (no bytes, flags), ENOSPC (more
 * bytes or handles than a file may have), ENOMEM. */
struct weft_ioctl_allocate {
    __u64 bytes;  /* out: the same in whole pages */
    __u64 offset; /* out: for mmap() of at most these bytes, MAP_SHARED */
    __u32 handle; /* out: 1 and up */
    __u32 flags;
};

/* Gives up a buffer or a program. Jobs and mappings that have it keep it until they end. Error:
 * ENOENT. */
struct weft_ioctl_free {
    __u32 handle;
    __u32 reserved;
};

/* Copies a program. Nobody can change it afterwards: it has no offset for mmap(). Errors: EINVAL
 * (bytes are no positive multiple of 64, flags), EILSEQ (the configuration is not the machine's),
 * ENOSPC, ENOMEM. */
struct weft_ioctl_program {
    __u64 address; /* of the instructions */
    __u64 bytes;
    __u64 configuration; /* fingerprint of the one it was compiled for */
    __u32 handle;        /* out */
    __u32 flags;
};

/* Part of a buffer as a region of the machine. Handle 0: there is no such region, and everything
 * else is 0. */
struct weft_ioctl_region {
    __u64 offset; /* a multiple of WEFT_IOCTL_ALIGNMENT */
    __u64 bytes;  /* not 0, and inside the buffer */
    __u32 handle;
    __u32 flags; /* WEFT_REGION_* */
};
#define WEFT_REGION_WRITE 1u /* STORE may write it */

/* Puts a job at the end of the device's queue; jobs of all files run one at a time, in the order in
 * which they came. regions[0] is empty. Errors: EINVAL, ENOENT (no such program or buffer), ERANGE
 * (a region is not inside its buffer), EBUSY (too many jobs were not waited for), EIO (the bus of
 * the machine is stuck since a job was aborted), ENOMEM. */
struct weft_ioctl_submit {
    __u64 watchdog;   /* cycles in which the machine gives up; 0: never */
    __u64 time_limit; /* nanoseconds that it may run; 0: the most there is, as is more */
    __u64 job;        /* out */
    __u32 program;
    __u32 flags;
    struct weft_ioctl_region regions[WEFT_IOCTL_REGIONS];
};

/* How a job ended. */
enum weft_ioctl_outcome {
    WEFT_OUTCOME_DONE = 0,     /* the program reached HALT */
    WEFT_OUTCOME_FAULT = 1,    /* fault and instruction say which: isa/faults.def */
    WEFT_OUTCOME_TIME_OUT = 2, /* it ran longer than its time limit, and was aborted */
    WEFT_OUTCOME_ABORTED = 3,  /* by ABORT, or its device is being removed */
    WEFT_OUTCOME_LOST = 4,     /* the machine neither runs nor has ended, or does not answer */
};

/* Waits for the end of a job and forgets it. Where it has not ended in time nothing is forgotten.
 * Errors: EINVAL, ENOENT, ETIMEDOUT, EINTR (a signal came). */
struct weft_ioctl_wait {
    __u64 job;
    __u64 time_out; /* nanoseconds; 0: do not wait */
    __u32 outcome;  /* out: enum weft_ioctl_outcome; what follows is 0 but for the first two */
    __u32 fault;
    __u32 instruction;
    __u32 reserved;
    __u64 counters[WEFT_IOCTL_COUNTERS]; /* out */
};

/* Ends a job; WAIT then says how, which is how it ended where it had. Errors: EINVAL, ENOENT. */
struct weft_ioctl_abort {
    __u64 job;
};

#define WEFT_IOCTL_INFORMATION _IOR(0xBD, 0, struct weft_ioctl_information)
#define WEFT_IOCTL_ALLOCATE    _IOWR(0xBD, 1, struct weft_ioctl_allocate)
#define WEFT_IOCTL_FREE        _IOW(0xBD, 2, struct weft_ioctl_free)
#define WEFT_IOCTL_PROGRAM     _IOWR(0xBD, 3, struct weft_ioctl_program)
#define WEFT_IOCTL_SUBMIT      _IOWR(0xBD, 4, struct weft_ioctl_submit)
#define WEFT_IOCTL_WAIT        _IOWR(0xBD, 5, struct weft_ioctl_wait)
#define WEFT_IOCTL_ABORT       _IOW(0xBD, 6, struct weft_ioctl_abort)

#endif
