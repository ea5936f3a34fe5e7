#include "cli/tune_slurm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/log_file.h"
#include "sweep/slurm_job.h"

/* What a log comes to. */
struct searched {
    uint64_t cycles; /* of all regions */
    int64_t tried;   /* schedules until then */
};

/* What tasks search, and what they made. */
struct searches {
    const struct given *given;
    const struct tune_arguments *arguments;
    const struct tune_log_head *head;
    const struct tuning *tuning;
    char folder[SLURM_PATH_BYTES];
    char job[SLURM_JOB_BYTES];
    uint32_t tasks;
    uint32_t missing; /* tasks without a log */
    uint64_t cycles;  /* of the best log so far */
    uint8_t *best;    /* NULL: there is none */
    size_t best_length;
};

/* A log, in whose lines nothing is believed but how many cycles they come to. */
static bool read_log(const struct searches *searches, const uint8_t *bytes, size_t length,
                     struct searched *searched, struct weft_error *error) {
    struct weft_arena arena = {0};
    struct tune_log log;
    if (setjmp(arena.on_failure)) {
        return weft_arena_failed(&arena, error);
    }
    bool good = tune_log_parse(&arena, (const char *)bytes, length, &log, error) &&
                log_check(&log, searches->head, error) &&
                tune_log_cycles(&log, searches->tuning, &searched->cycles, error);
    if (good) {
        searched->tried = log.line_count == 0 ? 0 : log.lines[log.line_count - 1].tried;
    }
    weft_arena_free(&arena);
    return good;
}

/* ---- what tasks are given ---- */

/* Options that tasks do not have, or have of their own. */
static bool is_ours(enum option_id id) {
    static const enum option_id ours[] = {OPTION_OUT_WEFT, OPTION_DECISIONS,  OPTION_LOG,
                                          OPTION_SEED,     OPTION_TUNE_SLURM, OPTION_SBATCH};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        if (id == ours[i]) {
            return true;
        }
    }
    return false;
}

/* The options of this command that tasks have, too. */
static void add_options(struct weft_text *text, const struct given *given) {
    for (const enum option_id *id = given->command->options; *id != OPTION_HELP; id++) {
        const struct option *option = &option_list[*id];
        for (size_t i = 0; !is_ours(*id) && i < given_count(given, *id); i++) {
            weft_text_add(text, " --%s", option->name);
            if (option->kind != VALUE_FLAG) {
                weft_text_add(text, "=");
                slurm_add_word(text, given_values(given, *id)[i]);
            }
        }
    }
}

static bool write_script(const struct searches *searches, struct weft_error *error) {
    const struct tune_arguments *a = searches->arguments;
    char program[SLURM_PATH_BYTES];
    struct weft_text text = {0};
    if (!own_path(program, sizeof program, error)) {
        return false;
    }
    weft_text_add(&text, "#!/bin/sh\n"
                         "# A task of a job array: a search with a seed of its own, whose log\n"
                         "# gets its name when it is whole.\nset -e\nfolder=");
    slurm_add_word(&text, searches->folder);
    weft_text_add(&text, "\nlog=$folder/$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID\n"
                         "[ ! -e \"$folder/start\" ] || cp \"$folder/start\" \"$log.partial\"\n");
    slurm_add_word(&text, program);
    weft_text_add(&text, " tune");
    add_options(&text, searches->given);
    if (given_value(searches->given, OPTION_JOBS) == NULL) {
        weft_text_add(&text, " --jobs=\"${SLURM_CPUS_PER_TASK:-1}\"");
    }
    weft_text_add(&text,
                  " --seed=$((%" PRIu64 " + SLURM_ARRAY_TASK_ID - 1)) --log=\"$log.partial\" -- ",
                  a->options.seed);
    slurm_add_word(&text, a->model);
    weft_text_add(&text, "\nmv \"$log.partial\" \"$log.log\"\n");
    return slurm_write(searches->folder, "task.sh", &text, error);
}

/* A copy of a log that is there, from which tasks go on. */
static bool copy_log(const struct searches *searches, struct weft_error *error) {
    const char *log = searches->arguments->log;
    struct weft_text copy = {0};
    uint8_t *bytes = NULL;
    size_t length = 0;
    if (access(log, F_OK) != 0) {
        return true;
    }
    struct searched searched;
    if (!weft_file_read(log, &bytes, &length, error)) {
        return false;
    }
    if (length > 0 && !read_log(searches, bytes, length, &searched, error)) {
        free(bytes);
        return false;
    }
    weft_text_add_bytes(&copy, (const char *)bytes, length);
    free(bytes);
    return slurm_write(searches->folder, "start", &copy, error);
}

/* ---- the job ---- */

static void remove_file(const struct searches *searches, const char *name) {
    char path[SLURM_PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/%s", searches->folder, name);
    (void)unlink(path);
}

/* Removes what tasks that ended well left, and the folder if nothing else is in it. */
static void clean(const struct searches *searches) {
    char name[SLURM_NAME_BYTES];
    for (uint32_t task = 1; task <= searches->tasks; task++) {
        (void)snprintf(name, sizeof name, "%s-%" PRIu32 ".log", searches->job, task);
        remove_file(searches, name);
        if (searches->missing == 0) {
            (void)snprintf(name, sizeof name, "%s-%" PRIu32 ".out", searches->job, task);
            remove_file(searches, name);
        }
    }
    remove_file(searches, "job");
    remove_file(searches, "start");
    remove_file(searches, "task.sh");
    (void)rmdir(searches->folder);
}

/* The job that a command which was killed has submitted: "JOB TASKS". */
static bool find_job(struct searches *searches) {
    char path[SLURM_PATH_BYTES];
    char text[64];
    uint64_t tasks = 0;
    (void)snprintf(path, sizeof path, "%s/job", searches->folder);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    size_t length = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[length] = '\0';
    text[strcspn(text, "\n")] = '\0';
    char *space = strchr(text, ' ');
    if (space == NULL) {
        return false;
    }
    *space = '\0';
    if (!slurm_is_job(text) || !weft_read_number(space + 1, SLURM_MOST_TASKS, &tasks) ||
        tasks == 0) {
        return false;
    }
    (void)snprintf(searches->job, sizeof searches->job, "%.*s", SLURM_JOB_BYTES - 1, text);
    searches->tasks = (uint32_t)tasks;
    return true;
}

static bool submit(struct searches *searches, struct weft_error *error) {
    const struct given *given = searches->given;
    const struct slurm_request request = {.name = "weft-tune",
                                          .folder = searches->folder,
                                          .tasks = searches->arguments->slurm,
                                          .option_count = given_count(given, OPTION_SBATCH),
                                          .options = given_values(given, OPTION_SBATCH)};
    struct weft_text note = {0};
    searches->tasks = request.tasks;
    remove_file(searches, "start");
    if (!copy_log(searches, error) || !write_script(searches, error) ||
        !slurm_submit(&request, searches->job, error)) {
        clean(searches);
        return false;
    }
    weft_text_add(&note, "%s %" PRIu32 "\n", searches->job, request.tasks);
    return slurm_write(searches->folder, "job", &note, error);
}

/* ---- what tasks made ---- */

/* Looks at the log of a task, and keeps it if it is the best so far. */
static bool take_task(struct searches *searches, uint32_t task, struct weft_error *error) {
    char path[SLURM_PATH_BYTES];
    uint8_t *bytes = NULL;
    size_t length = 0;
    struct searched searched;
    (void)snprintf(path, sizeof path, "%s/%s-%" PRIu32 ".log", searches->folder, searches->job,
                   task);
    if (access(path, F_OK) != 0) {
        searches->missing++;
        return true;
    }
    if (!weft_file_read(path, &bytes, &length, error)) {
        return false;
    }
    if (!read_log(searches, bytes, length, &searched, error)) {
        free(bytes);
        return weft_fail_context(error, "%.300s", path);
    }
    printf("task %" PRIu32 ", seed %" PRIu64 ": %" PRIu64 " cycles after %" PRId64 " schedules\n",
           task, searches->arguments->options.seed + task - 1, searched.cycles, searched.tried);
    if (searches->best == NULL || searched.cycles < searches->cycles) {
        free(searches->best);
        searches->best = bytes;
        searches->best_length = length;
        searches->cycles = searched.cycles;
    } else {
        free(bytes);
    }
    return true;
}

static bool collect(struct searches *searches, struct weft_error *error) {
    for (uint32_t task = 1; task <= searches->tasks; task++) {
        if (!take_task(searches, task, error)) {
            return false;
        }
    }
    if (searches->best != NULL &&
        !weft_file_write(searches->arguments->log, searches->best, searches->best_length, error)) {
        return false;
    }
    clean(searches);
    return searches->missing == 0 ||
           weft_fail(error, WEFT_TARGET, 0,
                     "%" PRIu32 " of %" PRIu32 " tasks of Slurm's job made no log; %.200s has what "
                     "they said",
                     searches->missing, searches->tasks, searches->folder);
}

bool tune_slurm(const struct given *given, const struct tune_arguments *arguments,
                const struct tune_log_head *head, const struct tuning *tuning,
                struct weft_error *error) {
    struct searches searches = {
        .given = given, .arguments = arguments, .head = head, .tuning = tuning};
    if (!slurm_folder(arguments->log, searches.folder, error) ||
        !slurm_make_folder(searches.folder, error)) {
        return false;
    }
    bool good = (find_job(&searches) || submit(&searches, error)) &&
                slurm_wait(searches.job, NULL, NULL, error) && collect(&searches, error);
    free(searches.best);
    return good;
}
