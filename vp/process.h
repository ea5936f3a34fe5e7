/* The virtual platform as a process: memory is filled, the process runs, memory is read.
 *
 *     struct weft_vp vp;
 *     weft_vp_create(64 << 20, &vp, &error);
 *     memcpy(vp.ram, image, length);
 *     vp.job->config = ...
 *     weft_vp_run(&vp, print, context, &error);
 *     weft_vp_free(&vp);
 */
#ifndef WEFT_VP_PROCESS_H
#define WEFT_VP_PROCESS_H

#include <stddef.h>

#include "vp/job.h"

struct weft_vp {
    struct weft_vp_job *job; /* all that is asked, and the answer */
    uint8_t *ram;            /* job->ram_bytes, zeros; those from address 0x80000000 on */
    int file;
    size_t bytes; /* that are mapped */
};

/* Memory for a platform, and a job with defaults: ref16 on target cycle, 100 MHz, a quantum of 10
 * us, 10^12 cycles, no waveforms. Errors: WEFT_ARGUMENT (ram_bytes), WEFT_OUT_OF_MEMORY. */
bool weft_vp_create(uint64_t ram_bytes, struct weft_vp *vp, struct weft_error *error);
void weft_vp_free(struct weft_vp *vp);

/* Runs the job to its end; it ends, too, when the thread that called this does. `print` gets what
 * the UART sends as it comes, and may be NULL. The program is the file weft_vp in the folder
 * WEFT_VP_PATH, or in ../lib of the executable. True: the finisher was written to, job->finisher
 * says with what. Errors: WEFT_TARGET (it is not built, is of another version, or could not be
 * started; the target of the accelerator is not available), WEFT_STATE (the processor waits for
 * ever), WEFT_LIMIT (it did not end in time), WEFT_IO (waveforms), WEFT_OUT_OF_MEMORY,
 * WEFT_INTERNAL (it crashed). */
bool weft_vp_run(struct weft_vp *vp, void (*print)(void *context, const char *bytes, size_t length),
                 void *context, struct weft_error *error);

#endif
