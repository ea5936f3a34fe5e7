/* Points as a job array of Slurm: each task is a weft sweep of a part of them, whose file lies in a
 * folder beside that of the sweep, which all computers must see. */
#ifndef WEFT_SWEEP_SLURM_H
#define WEFT_SWEEP_SLURM_H

#include "sweep/settings.h"
#include "sweep/store.h"

/* Runs points, which the store does not have, as a job array, and adds their rows to it. Errors:
 * WEFT_TARGET (sbatch or squeue fails, or a task did), WEFT_IO, WEFT_OUT_OF_MEMORY, those of the
 * store. */
bool sweep_slurm_run(const struct sweep_definition *definition, const struct sweep_point *points,
                     size_t count, const char *path, const struct sweep_options *options,
                     struct sweep_store *store, struct weft_error *error);

/* Waits for the job of a process that was killed, if there is one, and adds what it made. */
bool sweep_slurm_resume(const char *path, struct sweep_store *store, struct weft_error *error);

#endif
