#include "cli/tune_arguments.h"

#include <inttypes.h>
#include <string.h>

#include "base/parallel.h"
#include "cli/streams.h"
#include "sweep/slurm_job.h"

enum {
    MOST_SECONDS = 1000000 /* some days */
};

/* "60s" is a time, "60" so many schedules. */
static bool read_budget(const char *text, struct tune_arguments *a) {
    char digits[32];
    size_t length = strlen(text);
    bool is_time = length > 1 && length < sizeof digits && text[length - 1] == 's';
    uint64_t *to = is_time ? &a->seconds : &a->most;
    if (is_time) {
        memcpy(digits, text, length - 1);
        digits[length - 1] = '\0';
        text = digits;
    }
    return (read_number(text, is_time ? MOST_SECONDS : INT64_MAX, to) && *to > 0) ||
           usage_error("tune",
                       "--budget: expected seconds, as 60s, up to %ds, or a number of "
                       "schedules from 1 on",
                       MOST_SECONDS) == STATUS_GOOD;
}

static bool read_jobs(const char *text, struct tune_arguments *a) {
    uint64_t jobs = weft_cores();
    if (text != NULL && (!read_number(text, WEFT_MOST_THREADS, &jobs) || jobs == 0)) {
        return usage_error("tune", "--jobs: expected 1 to %d", WEFT_MOST_THREADS) == STATUS_GOOD;
    }
    a->options.jobs = (unsigned)jobs;
    return true;
}

static bool read_strategy(const char *name, struct tune_arguments *a) {
    if (name == NULL) {
        return true;
    }
    if (!check_name("tune", "strategy", tune_strategy_names, name)) {
        return false;
    }
    while (strcmp(tune_strategy_names[a->options.strategy], name) != 0) {
        a->options.strategy++;
    }
    return true;
}

/* Options that would have no effect. */
static bool check_hardware(const struct given *given, const struct tune_arguments *a) {
    static const enum option_id of_hardware[] = {OPTION_HARDWARE_GRID, OPTION_AREA,
                                                 OPTION_AREA_LIMIT, OPTION_OUT_CONFIG, OPTION_JSON};
    for (size_t i = 0; !a->hardware && i < sizeof of_hardware / sizeof *of_hardware; i++) {
        if (given_count(given, of_hardware[i]) > 0) {
            return usage_error("tune", "--grid, --area, --area-limit, --best-config and --json are "
                                       "for --hardware") == STATUS_GOOD;
        }
    }
    return true;
}

/* How many tasks of Slurm, which read files and write logs. */
static bool read_tasks(const struct given *given, struct tune_arguments *a) {
    const char *text = given_value(given, OPTION_TUNE_SLURM);
    uint64_t tasks = 0;
    if (text == NULL) {
        return given_count(given, OPTION_SBATCH) == 0 ||
               usage_error("tune", "--sbatch is for --slurm") == STATUS_GOOD;
    }
    if (!read_number(text, SLURM_MOST_TASKS, &tasks) || tasks == 0) {
        return usage_error("tune", "--slurm: expected 1 to %d tasks", SLURM_MOST_TASKS) ==
               STATUS_GOOD;
    }
    if (a->hardware || a->log == NULL || is_stream(a->model)) {
        return usage_error("tune", "--slurm needs --log LOG and the file of a model, and is not "
                                   "for --hardware") == STATUS_GOOD;
    }
    if (a->options.seed > INT64_MAX - tasks) {
        return usage_error("tune",
                           "--seed: tasks have this seed and those after it; expected at "
                           "most %" PRIu64,
                           INT64_MAX - tasks) == STATUS_GOOD;
    }
    a->slurm = (uint32_t)tasks;
    return true;
}

/* A search takes long: what cannot be written at its end is said now. The log is opened first. */
static bool check_outputs(const struct given *given) {
    static const enum option_id outputs[] = {OPTION_OUT_WEFT, OPTION_DECISIONS, OPTION_OUT_CONFIG,
                                             OPTION_JSON};
    struct weft_error error;
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        const char *path = given_value(given, outputs[i]);
        if (path != NULL && !is_stream(path) && !weft_file_check(path, &error)) {
            return report(path, &error) == STATUS_GOOD;
        }
        /* Which nothing could read as another machine's. */
        if (path != NULL && outputs[i] == OPTION_OUT_CONFIG &&
            !weft_config_check_file(path, &error)) {
            return report(path, &error) == STATUS_GOOD;
        }
    }
    return true;
}

bool tune_arguments_read(const struct given *given, struct tune_arguments *a) {
    const char *budget = given_value(given, OPTION_BUDGET);
    const char *seed = given_value(given, OPTION_SEED);
    *a = (struct tune_arguments){.model = given->operand,
                                 .out = given_value(given, OPTION_OUT_WEFT),
                                 .decisions = given_value(given, OPTION_DECISIONS),
                                 .log = given_value(given, OPTION_LOG),
                                 .hardware = given_count(given, OPTION_HARDWARE) > 0,
                                 .options.seed = 1};
    if (!open_options_read(given, &a->open)) {
        return false;
    }
    bool has_output = a->out != NULL || a->decisions != NULL || a->log != NULL ||
                      (a->hardware && (given_value(given, OPTION_OUT_CONFIG) != NULL ||
                                       given_value(given, OPTION_JSON) != NULL));
    if (budget == NULL || !has_output) {
        return usage_error("tune", "give %s", given->command->needs) == STATUS_GOOD;
    }
    if (!check_hardware(given, a)) {
        return false;
    }
    if (seed != NULL && !read_number(seed, INT64_MAX, &a->options.seed)) {
        return usage_error("tune", "--seed: expected a number") == STATUS_GOOD;
    }
    return read_budget(budget, a) && read_jobs(given_value(given, OPTION_JOBS), a) &&
           read_strategy(given_value(given, OPTION_STRATEGY), a) && read_tasks(given, a) &&
           check_outputs(given);
}
