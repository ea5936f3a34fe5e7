/* What a target is to the driver. */
#ifndef WEFT_DRIVER_TARGET_H
#define WEFT_DRIVER_TARGET_H

#include "driver/session.h"

/* One start of the machine. */
struct target_run {
    const struct weft_instruction *instructions; /* the decoded program region */
    size_t count;
    uint8_t *bytes[WEFT_REGIONS]; /* of each region; NULL where the limit is 0 */
    struct weft_regions regions;
    const struct weft_session_options *options;
    uint64_t memory_limit; /* bytes that the target may take for itself; 0: WEFT_MEMORY_LIMIT */
    uint64_t watchdog;     /* that of the options, or the bound of the program */
    const struct weft_observer *observer; /* NULL: nobody looks */
    const char *wave;                     /* file for waveforms of this run; NULL: none */
    /* For machines that have no memory in common with the caller. The number of the program among
     * those of this machine: one number, from 0 without gaps, always means the same instructions
     * and limits, and, where they are not in `given`, the same constants. */
    uint32_t number;
    uint32_t given;  /* regions, as a mask, that the caller may have changed since the last run, */
    uint32_t wanted; /* and those that it reads after this one; others need not be kept alike */
};

struct target {
    const char *name;
    bool has_time;   /* counts cycles */
    bool skips_data; /* can run for its timing only */
    bool has_wave;   /* can write waveforms */
    bool is_real;    /* has a memory of its own, with another time than docs/timing.md says */
    /* The same of a machine that was opened, where targets have several kinds; NULL: as above. */
    bool (*is_real_machine)(const void *machine);
    /* A machine in reset, *machine. */
    bool (*open)(const struct weft_config *config, const struct weft_session_options *options,
                 void **machine, struct weft_error *error);
    /* Runs to HALT or a fault. False only when the run could not be carried out at all. */
    bool (*run)(void *machine, const struct target_run *run, struct weft_run_result *result,
                struct weft_error *error);
    /* Copies all on-chip memories out, as weft_rtl_interface does; lockstep: those of the cycle
     * simulator. A machine begins with zeros in them. */
    bool (*read_memories)(void *machine, void *const memories[WEFT_MEMORIES],
                          struct weft_error *error);
    void (*close)(void *machine);
};

/* Is it a machine with a memory of its own? */
bool target_is_real(const struct target *target, const void *machine);

/* ACC is int32 in these memories: turns it from the order of bytes of this machine to
 * little-endian, or back. */
void target_turn_acc(uint8_t *bytes, size_t length);

/* read_memories() of a state. */
void state_read(const struct weft_state *state, void *const memories[WEFT_MEMORIES]);

extern const struct target target_func;
extern const struct target target_cycle;
extern const struct target target_rtl;
extern const struct target target_lockstep;
extern const struct target target_remote; /* driver/remote */
extern const struct target target_linux;

#endif
