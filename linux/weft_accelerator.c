// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
#include "weft_accelerator.h"

#include "isa/registers.h"
#include "weft_buffer.h"

#define MILLISECOND 1000000ULL
/* An aborted machine that is on the bus for longer is stuck. */
#define STUCK (1000 * MILLISECOND)
/* How often to look; slowly at what is stuck, and where an interrupt comes, which could get lost.
 */
#define PERIOD      (1 * MILLISECOND)
#define PERIOD_SLOW (100 * MILLISECOND)

_Static_assert(WEFT_COUNTER_COUNT <= WEFT_IOCTL_COUNTERS, "results have room for the counters");

/* ---- registers ---- */

static void write64(struct weft_accelerator *accelerator, u32 offset, u64 value) {
    weft_system_write32(accelerator, offset, (u32)value);
    weft_system_write32(accelerator, offset + 4, (u32)(value >> 32));
}

static u64 read64(struct weft_accelerator *accelerator, u32 offset) {
    u64 low = weft_system_read32(accelerator, offset);
    return low | (u64)weft_system_read32(accelerator, offset + 4) << 32;
}

static u32 read_status(struct weft_accelerator *accelerator) {
    return weft_system_read32(accelerator, WEFT_REGISTER_status);
}

int weft_accelerator_identify(struct weft_accelerator *accelerator) {
    u64 identity = read64(accelerator, WEFT_REGISTER_identity);
    accelerator->map_version = (u32)(identity >> 32);
    if ((u32)identity != WEFT_REGISTER_MAGIC ||
        accelerator->map_version != WEFT_REGISTER_MAP_VERSION) {
        return -ENODEV;
    }
    accelerator->configuration = read64(accelerator, WEFT_REGISTER_configuration);
    /* Whoever had it before may have left it running. */
    weft_system_write32(accelerator, WEFT_REGISTER_abort, WEFT_ABORT_RUN);
    weft_system_write32(accelerator, WEFT_REGISTER_interrupt, WEFT_INTERRUPT_PENDING);
    accelerator->is_stopping = true;
    accelerator->deadline = weft_system_now(accelerator) + STUCK;
    weft_accelerator_poll(accelerator);
    return 0;
}

bool weft_accelerator_interrupt(struct weft_accelerator *accelerator) {
    u32 value = weft_system_read32(accelerator, WEFT_REGISTER_interrupt);
    /* Of a device that is gone all bits are 1. */
    if ((value & WEFT_INTERRUPT_PENDING) == 0 || value == ~(u32)0) {
        return false;
    }
    weft_system_write32(accelerator, WEFT_REGISTER_interrupt,
                        WEFT_INTERRUPT_PENDING | WEFT_INTERRUPT_ENABLED);
    return true;
}

/* ---- jobs ---- */

void weft_job_release(struct weft_job *job) {
    if (--job->references > 0) {
        return;
    }
    for (u32 i = 0; i < WEFT_IOCTL_REGIONS; i++) {
        if (job->buffers[i] != NULL) {
            weft_buffer_release(job->buffers[i]);
        }
    }
    weft_system_free(job);
}

static void end_job(struct weft_accelerator *accelerator, struct weft_job *job, u32 outcome) {
    job->outcome = outcome;
    job->has_ended = true;
    weft_system_wake(accelerator);
}

static void start(struct weft_accelerator *accelerator, struct weft_job *job) {
    u32 interrupt = WEFT_INTERRUPT_PENDING;
    if (accelerator->has_interrupt) {
        interrupt |= WEFT_INTERRUPT_ENABLED;
    }
    /* So that the end of the run before cannot be taken for that of this one. */
    weft_system_write32(accelerator, WEFT_REGISTER_abort, WEFT_ABORT_RUN);
    for (u32 i = 0; i < WEFT_IOCTL_REGIONS; i++) {
        write64(accelerator, WEFT_REGISTER_region_base + 8 * i, job->base[i]);
        write64(accelerator, WEFT_REGISTER_region_limit + 8 * i, job->limit[i]);
    }
    write64(accelerator, WEFT_REGISTER_region_writable, job->writable);
    write64(accelerator, WEFT_REGISTER_watchdog, job->watchdog);
    weft_system_write32(accelerator, WEFT_REGISTER_interrupt, interrupt);
    accelerator->active = job;
    accelerator->deadline = weft_system_now(accelerator) + job->time_limit;
    weft_system_write32(accelerator, WEFT_REGISTER_start, WEFT_START_RUN);
}

/* The machine is off the bus: the memory of its job is the job's alone again. */
static void leave(struct weft_accelerator *accelerator) {
    struct weft_job *job = accelerator->active;
    accelerator->active = NULL;
    accelerator->is_stopping = false;
    accelerator->is_stuck = false;
    if (job != NULL) {
        weft_job_release(job);
    }
    weft_system_wake(accelerator);
}

static void collect(struct weft_accelerator *accelerator, u32 status) {
    struct weft_job *job = accelerator->active;
    job->fault = (status & WEFT_STATUS_FAULT_MASK) >> WEFT_STATUS_FAULT_SHIFT;
    job->instruction = weft_system_read32(accelerator, WEFT_REGISTER_status + 4);
    for (u32 i = 0; i < WEFT_COUNTER_COUNT; i++) {
        job->counters[i] = read64(accelerator, WEFT_REGISTER_counter + 8 * i);
    }
    end_job(accelerator, job, job->fault == 0 ? WEFT_OUTCOME_DONE : WEFT_OUTCOME_FAULT);
    leave(accelerator);
}

/* Stops the machine: its job ends now, its memory is released later. */
static void stop(struct weft_accelerator *accelerator, u32 outcome) {
    weft_system_write32(accelerator, WEFT_REGISTER_abort, WEFT_ABORT_RUN);
    accelerator->is_stopping = true;
    accelerator->deadline = weft_system_now(accelerator) + STUCK;
    end_job(accelerator, accelerator->active, outcome);
}

/* ---- what the machine does ---- */

static void look_at_run(struct weft_accelerator *accelerator) {
    u32 status = read_status(accelerator);
    bool answers = status != ~(u32)0; /* of a device that is gone all bits are 1 */
    if (answers && (status & WEFT_STATUS_RUNNING) != 0) {
        if (weft_system_now(accelerator) >= accelerator->deadline) {
            stop(accelerator, WEFT_OUTCOME_TIME_OUT);
        }
    } else if (answers && (status & WEFT_STATUS_ENDED) != 0) {
        collect(accelerator, status);
    } else {
        stop(accelerator, WEFT_OUTCOME_LOST); /* or it did not take the start, or was reset */
    }
}

/* Nobody knows when the machine will take another job: those that wait shall not. */
static void give_up_waiting(struct weft_accelerator *accelerator, u32 outcome) {
    while (accelerator->first != NULL) {
        struct weft_job *job = accelerator->first;
        accelerator->first = job->next;
        end_job(accelerator, job, outcome);
        weft_job_release(job);
    }
    accelerator->last = NULL;
}

static void look_at_bus(struct weft_accelerator *accelerator) {
    if ((read_status(accelerator) & WEFT_STATUS_RUNNING) == 0) {
        leave(accelerator);
    } else if (!accelerator->is_stuck && weft_system_now(accelerator) >= accelerator->deadline) {
        accelerator->is_stuck = true;
        give_up_waiting(accelerator, WEFT_OUTCOME_LOST);
        weft_system_wake(accelerator);
    }
}

static void start_next(struct weft_accelerator *accelerator) {
    struct weft_job *job = accelerator->first;
    if (job == NULL || accelerator->active != NULL || accelerator->is_stopping) {
        return;
    }
    accelerator->first = job->next;
    if (accelerator->first == NULL) {
        accelerator->last = NULL;
    }
    start(accelerator, job);
}

static void poll_again(struct weft_accelerator *accelerator) {
    u64 now = weft_system_now(accelerator);
    u64 next = now + PERIOD;
    if (accelerator->is_stuck || (accelerator->has_interrupt && !accelerator->is_stopping)) {
        next = now + PERIOD_SLOW;
    }
    if (next > accelerator->deadline && now < accelerator->deadline) {
        next = accelerator->deadline;
    }
    weft_system_poll_at(accelerator, next);
}

void weft_accelerator_poll(struct weft_accelerator *accelerator) {
    if (accelerator->active != NULL && !accelerator->is_stopping) {
        look_at_run(accelerator);
    }
    if (accelerator->is_stopping) {
        look_at_bus(accelerator);
    }
    start_next(accelerator);
    if (accelerator->active != NULL || accelerator->is_stopping) {
        poll_again(accelerator);
    }
}

/* ---- the queue ---- */

void weft_accelerator_submit(struct weft_accelerator *accelerator, struct weft_job *job) {
    job->references++;
    job->next = NULL;
    job->number = ++accelerator->jobs;
    if (accelerator->last == NULL) {
        accelerator->first = job;
    } else {
        accelerator->last->next = job;
    }
    accelerator->last = job;
    weft_accelerator_poll(accelerator);
}

static void take_from_queue(struct weft_accelerator *accelerator, struct weft_job *job) {
    struct weft_job *before = NULL;
    for (struct weft_job *at = accelerator->first; at != job; at = at->next) {
        before = at;
    }
    if (before == NULL) {
        accelerator->first = job->next;
    } else {
        before->next = job->next;
    }
    if (accelerator->last == job) {
        accelerator->last = before;
    }
}

void weft_accelerator_abort(struct weft_accelerator *accelerator, struct weft_job *job) {
    if (job->has_ended) {
        return;
    }
    if (job == accelerator->active) {
        stop(accelerator, WEFT_OUTCOME_ABORTED);
    } else {
        take_from_queue(accelerator, job);
        end_job(accelerator, job, WEFT_OUTCOME_ABORTED);
        weft_job_release(job);
    }
}

void weft_accelerator_remove(struct weft_accelerator *accelerator) {
    accelerator->is_gone = true;
    give_up_waiting(accelerator, WEFT_OUTCOME_ABORTED);
    if (accelerator->active != NULL && !accelerator->is_stopping) {
        stop(accelerator, WEFT_OUTCOME_ABORTED);
    }
    weft_accelerator_poll(accelerator);
}

bool weft_accelerator_is_left(const struct weft_accelerator *accelerator) {
    return accelerator->clients == 0 && (!accelerator->is_stopping || accelerator->is_stuck);
}
