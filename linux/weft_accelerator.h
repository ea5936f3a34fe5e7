/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* An accelerator: its registers, and the jobs that it carries out one after another.
 *
 * A job that is on the machine keeps its memory until the machine is off the bus, whatever becomes
 * of those who wait for it: an aborted run may still have bursts on their way. All functions want
 * the lock (weft_system.h) but where they say otherwise. */
#ifndef WEFT_ACCELERATOR_H
#define WEFT_ACCELERATOR_H

#include "weft_ioctl.h"
#include "weft_system.h"

enum {
#define WEFT_COUNTER(name, doc) WEFT_COUNTER_NUMBER_##name,
#include "isa/counters.def"
#undef WEFT_COUNTER
    WEFT_COUNTER_COUNT,
};

struct weft_buffer;

struct weft_job {
    struct weft_job *next; /* in the queue */
    u32 references;        /* of its client, and of the accelerator */
    u64 number;
    /* As the machine gets them. */
    u64 base[WEFT_IOCTL_REGIONS];
    u64 limit[WEFT_IOCTL_REGIONS];
    u32 writable;
    u64 watchdog;
    u64 time_limit;                                  /* nanoseconds */
    struct weft_buffer *buffers[WEFT_IOCTL_REGIONS]; /* with a reference each; NULL: no region */
    bool has_ended;
    u32 outcome; /* enum weft_ioctl_outcome */
    u32 fault;
    u32 instruction;
    u64 counters[WEFT_COUNTER_COUNT];
};

struct weft_accelerator {
    /* Set by who makes it, before weft_accelerator_identify(). */
    bool has_interrupt;
    u64 most_bytes; /* of a client */
    u64 most_time;  /* nanoseconds of a job */

    u32 map_version;
    u64 configuration;       /* fingerprint */
    struct weft_job *active; /* on the machine */
    bool is_stopping;        /* the machine was aborted, and is not off the bus yet */
    bool is_stuck;           /* and for a second or more */
    bool is_gone;            /* being removed: nothing starts any more */
    u64 deadline;            /* of the active job; while stopping: when it counts as stuck */
    struct weft_job *first;  /* those that wait for the machine */
    struct weft_job *last;
    u64 jobs;    /* that there ever were */
    u32 clients; /* open files */
};

/* Looks whether this is the machine, and stops whatever it does. Error: ENODEV. */
int weft_accelerator_identify(struct weft_accelerator *accelerator);

/* Takes a job, and a reference to it, into the queue. */
void weft_accelerator_submit(struct weft_accelerator *accelerator, struct weft_job *job);

/* Looks what the machine does: ends jobs, starts the next one. To be called after an interrupt, at
 * the time that weft_system_poll_at() was given, and as often as one likes. */
void weft_accelerator_poll(struct weft_accelerator *accelerator);

/* Without the lock, after an interrupt: did this machine raise it? Then it is acknowledged, and
 * weft_accelerator_poll() must follow. */
bool weft_accelerator_interrupt(struct weft_accelerator *accelerator);

/* Ends a job, unless it has ended. weft_accelerator_poll() must follow. */
void weft_accelerator_abort(struct weft_accelerator *accelerator, struct weft_job *job);

/* Ends all jobs, and lets none begin any more. */
void weft_accelerator_remove(struct weft_accelerator *accelerator);

/* After weft_accelerator_remove(): is nothing left of it? If its bus is stuck, nothing but the
 * memory of the active job, which the machine may still write to and nobody may have again. */
bool weft_accelerator_is_left(const struct weft_accelerator *accelerator);

/* Gives up a reference. */
void weft_job_release(struct weft_job *job);

#endif
