/* How a sweep is run, and how far it is. */
#ifndef WEFT_SWEEP_SETTINGS_H
#define WEFT_SWEEP_SETTINGS_H

#include "compiler/ir/ir.h"
#include "driver/area.h"
#include "driver/energy.h"

struct sweep_tally {
    size_t models;
    size_t unread; /* of these: their files cannot be read, or are no models */
    size_t points; /* so far; guided ones are added as they are chosen */
    size_t known;  /* of these: the file had them */
    size_t ran;
    size_t refused; /* of those that ran: they have an error */
};

struct sweep_options {
    unsigned workers;                  /* processes; 0: as many as there are cores */
    double seconds;                    /* that a point may take; 0: any */
    uint64_t bytes;                    /* of memory that a compilation may take; 0: the default */
    weft_constant_read *read_constant; /* as sweep_models_read() takes it */
    bool retry;                        /* points whose row is an error are run again */
    uint32_t part, parts; /* of the points only those of part 1 to `parts`; 0 and 0: all */
    uint32_t slurm;       /* so many tasks of a job array of Slurm run the points; 0: workers do */
    const char *program;  /* of Slurm: the path of weft */
    size_t sbatch_count;  /* of Slurm: more options of sbatch */
    const char *const *sbatch;
    const struct weft_technology *technology; /* of which the energy is; NULL: none */
    double clock;                             /* MHz, for leakage; 0: without it */
    const struct weft_area_model *area;       /* of which the area is; NULL: none */
    const char *technology_name;              /* as they were given, for tasks of Slurm */
    const char *clock_text;
    const char *area_name;
    /* Called after each point, and now and then; NULL: no. False: the sweep ends with that error,
     * and what it was at is lost. */
    bool (*progress)(void *context, const struct sweep_tally *tally, struct weft_error *error);
    void *context;
};

#endif
