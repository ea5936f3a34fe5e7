/* weft tune --slurm: searches beside each other on other computers. */
#ifndef WEFT_CLI_TUNE_SLURM_H
#define WEFT_CLI_TUNE_SLURM_H

#include "cli/tune_arguments.h"
#include "compiler/tune/log.h"

/* Runs weft tune as a job array of Slurm: each task with the whole budget and a seed of its own,
 * from what the log at arguments->log holds. The best of their logs is that log then; of several
 * the one of the lowest seed. Prints what each came to. Goes on with a job that was submitted
 * before a kill. `head` is what such a log begins with, `tuning` is just opened. Errors:
 * WEFT_TARGET, there is no Slurm, or tasks failed (the log has the best of the others);
 * WEFT_DECISIONS, a task wrote no log of this model; WEFT_IO, WEFT_LIMIT, WEFT_OUT_OF_MEMORY. */
bool tune_slurm(const struct given *given, const struct tune_arguments *arguments,
                const struct tune_log_head *head, const struct tuning *tuning,
                struct weft_error *error);

#endif
