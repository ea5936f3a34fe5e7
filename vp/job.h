/* What a program asks of the virtual platform, which is a process of its own (lib/weft_vp), and
 * what that answers: at the beginning of a file that both have mapped, with the platform's RAM
 * behind it. vp/process.h starts the process. */
#ifndef WEFT_VP_JOB_H
#define WEFT_VP_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "weft_isa.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WEFT_VP_VERSION = 2, /* changes with every change of this file */
    WEFT_VP_RAM_OFFSET = 1 << 16,
    WEFT_VP_TARGET_BYTES = 16,
    WEFT_VP_EXIT_VERSION = 3, /* exit status: the job is one of another version */
};

struct weft_vp_job {
    /* The same in every version: with others the process answers nothing. */
    uint32_t version;     /* WEFT_VP_VERSION */
    uint32_t bytes;       /* sizeof(struct weft_vp_job): structures of other headers are in it */
    uint32_t is_answered; /* set last */

    /* Asked: */
    struct weft_config config;         /* the accelerator */
    char target[WEFT_VP_TARGET_BYTES]; /* "cycle" or "rtl" */
    uint64_t ram_bytes;                /* a multiple of 4096, at most 2 GiB - 4096 */
    uint64_t cycle_ps;                 /* of processor and accelerator; at least 1 */
    uint64_t quantum_ns;               /* that the processor runs ahead; 0: a cycle */
    uint64_t memory_limit;             /* of a run of the accelerator; 0 as in driver/device.h */
    uint64_t cycle_limit;
    uint64_t last_cycle; /* of the system, in which it is given up */
    int32_t waves;       /* descriptor of an open file for a VCD of the buses; -1: none */

    /* Answered: */
    struct weft_error error; /* code WEFT_OK: the finisher was written to */
    uint32_t finisher;       /* what was written */
    uint64_t instructions;   /* of the processor */
    uint64_t cycles;         /* of the system, from reset to the finisher */
    double seconds;          /* that the simulation took */
    double cpu_seconds;      /* that it computed */
};

#ifdef __cplusplus
}
#endif

#endif
