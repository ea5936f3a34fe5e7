/* A job array of Slurm and the folder that its tasks share with us, which all computers must see:
 * what weft sweep --slurm and weft tune --slurm have in common. */
#ifndef WEFT_SWEEP_SLURM_JOB_H
#define WEFT_SWEEP_SLURM_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

enum {
    SLURM_PATH_BYTES = 4096,
    SLURM_NAME_BYTES = 64, /* of a file in the folder, with the / before it */
    SLURM_JOB_BYTES = 24,  /* of a job's number */
    SLURM_MOST_TASKS = 10000,
};

/* How sbatch is asked for an array. */
struct slurm_request {
    const char *name;   /* of the job */
    const char *folder; /* has task.sh, and gets what each task says: JOB-TASK.out */
    uint32_t tasks;     /* 1 to `tasks` */
    size_t option_count;
    const char *const *options; /* more of sbatch */
};

/* "PATH.slurm", absolute. Errors: WEFT_IO, WEFT_LIMIT. */
bool slurm_folder(const char *path, char folder[SLURM_PATH_BYTES], struct weft_error *error);

/* Makes it unless it is there. Error: WEFT_IO. */
bool slurm_make_folder(const char *folder, struct weft_error *error);

/* Appends a word of the shell: the text in quotes. */
void slurm_add_word(struct weft_text *text, const char *word);

/* Writes a file of the folder, and frees its text. Errors: those of weft_file_write(),
 * WEFT_OUT_OF_MEMORY. */
bool slurm_write(const char *folder, const char *name, struct weft_text *text,
                 struct weft_error *error);

/* Calls `found` for each file of the folder whose name ends so; a folder that is not there has
 * none. Errors: WEFT_IO, those of `found`. */
bool slurm_each(const char *folder, const char *end,
                bool (*found)(void *context, const char *path, struct weft_error *error),
                void *context, struct weft_error *error);

/* Submits the folder's task.sh; the number of its job. Errors: WEFT_TARGET, sbatch is not there, or
 * refuses; WEFT_IO. */
bool slurm_submit(const struct slurm_request *request, char job[SLURM_JOB_BYTES],
                  struct weft_error *error);

/* Is it a number that slurm_submit() gave? */
bool slurm_is_job(const char *text);

/* Waits until no task of the job waits or runs; a job that Slurm has forgotten does not. Meanwhile
 * `look`, unless it is NULL, is called twice a second, and once when it has ended. Errors:
 * WEFT_TARGET, squeue fails; WEFT_IO; those of `look`. */
bool slurm_wait(const char *job, bool (*look)(void *context, struct weft_error *error),
                void *context, struct weft_error *error);

#endif
