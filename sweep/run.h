/* Runs a sweep: what its file does not have yet. */
#ifndef WEFT_SWEEP_RUN_H
#define WEFT_SWEEP_RUN_H

#include "sweep/definition.h"
#include "sweep/settings.h"

/* Runs the points of a definition that was checked into the file at `path`. The rows do not depend
 * on the number of workers, but for the seconds that each took, and for points that take longer
 * than they may. Workers are forked: other threads of the caller may be at anything but
 * Weft. Errors: those of options->progress(), those of sweep_store_open(), WEFT_IO,
 * WEFT_SWEEP (guided points in parts, or by what is not known, a clock for nothing, energies
 * or areas that cannot be compared with each other or with those of the file),
 * WEFT_OUT_OF_MEMORY; WEFT_TARGET: there is no Slurm, or it did not run all points. */
bool sweep_run(const struct sweep_definition *definition, const char *path,
               const struct sweep_options *options, struct sweep_tally *tally,
               struct weft_error *error);

#endif
