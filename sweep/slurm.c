#include "sweep/slurm.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "sweep/slurm_job.h"

#define JOB_NOTE "slurm_job"

/* ---- what tasks are given ---- */

static bool write_script(const char *folder, const struct sweep_options *options, uint32_t tasks,
                         struct weft_error *error) {
    struct weft_text text = {0};
    weft_text_add(&text, "#!/bin/sh\n"
                         "# A task of a job array: a part of the points, in a file of its own,\n"
                         "# which gets its name when it is whole.\nset -e\n");
    weft_text_add(&text, "part=");
    slurm_add_word(&text, folder);
    weft_text_add(&text, "/$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID\n");
    slurm_add_word(&text, options->program);
    weft_text_add(&text, " sweep ");
    slurm_add_word(&text, folder);
    weft_text_add(&text, "/points.json --part \"$SLURM_ARRAY_TASK_ID/%" PRIu32 "\" --workers %u",
                  tasks, options->workers == 0 ? 1 : options->workers);
    weft_text_add(&text, " --time-limit %.9g", options->seconds);
    if (options->bytes > 0) {
        weft_text_add(&text, " --memory-limit %" PRIu64, options->bytes);
    }
    if (options->technology_name != NULL) {
        weft_text_add(&text, " --technology ");
        slurm_add_word(&text, options->technology_name);
    }
    if (options->area_name != NULL) {
        weft_text_add(&text, " --area ");
        slurm_add_word(&text, options->area_name);
    }
    if (options->clock_text != NULL) {
        weft_text_add(&text, " --clock ");
        slurm_add_word(&text, options->clock_text);
    }
    weft_text_add(&text, " -o \"$part.partial\"\nmv \"$part.partial\" \"$part.sqlite\"\n");
    return slurm_write(folder, "task.sh", &text, error);
}

static bool write_points(const struct sweep_definition *definition,
                         const struct sweep_point *points, size_t count, const char *folder,
                         struct weft_error *error) {
    char here[SLURM_PATH_BYTES];
    struct weft_text text = {0};
    if (getcwd(here, sizeof here) == NULL) {
        return weft_fail(error, WEFT_IO, 0, "no current folder: %s", strerror(errno));
    }
    if (!sweep_print(definition, points, count, here, &text, error)) {
        weft_text_free(&text);
        return false;
    }
    return slurm_write(folder, "points.json", &text, error);
}

/* ---- what tasks made ---- */

/* Adds the file of a task, which is whole, and removes it. */
static bool merge(void *context, const char *path, struct weft_error *error) {
    if (!sweep_store_merge(context, path, error)) {
        return false;
    }
    (void)unlink(path);
    return true;
}

struct collector {
    const char *folder;
    struct sweep_store *store;
};

static bool collect(void *context, struct weft_error *error) {
    const struct collector *collector = context;
    return slurm_each(collector->folder, ".sqlite", merge, collector->store, error);
}

/* ---- the job ---- */

static bool wait_for(const char *job, struct collector *collector, struct weft_error *error) {
    return slurm_wait(job, collect, collector, error) &&
           sweep_store_set(collector->store, JOB_NOTE, "", error);
}

bool sweep_slurm_run(const struct sweep_definition *definition, const struct sweep_point *points,
                     size_t count, const char *path, const struct sweep_options *options,
                     struct sweep_store *store, struct weft_error *error) {
    char folder[SLURM_PATH_BYTES];
    char job[SLURM_JOB_BYTES];
    const struct slurm_request request = {.name = "weft-sweep",
                                          .folder = folder,
                                          .tasks = options->slurm < count ? options->slurm
                                                                          : (uint32_t)count,
                                          .option_count = options->sbatch_count,
                                          .options = options->sbatch};
    struct collector collector = {folder, store};
    return slurm_folder(path, folder, error) && slurm_make_folder(folder, error) &&
           write_points(definition, points, count, folder, error) &&
           write_script(folder, options, request.tasks, error) &&
           slurm_submit(&request, job, error) && sweep_store_set(store, JOB_NOTE, job, error) &&
           wait_for(job, &collector, error);
}

bool sweep_slurm_resume(const char *path, struct sweep_store *store, struct weft_error *error) {
    char folder[SLURM_PATH_BYTES];
    char job[64];
    struct collector collector = {folder, store};
    if (!slurm_folder(path, folder, error) ||
        !sweep_store_get(store, JOB_NOTE, job, sizeof job, error)) {
        return false;
    }
    return slurm_is_job(job) ? wait_for(job, &collector, error) : collect(&collector, error);
}
