/* weft sweep: runs models on many machines. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/constants.h"
#include "cli/machine.h"
#include "cli/streams.h"
#include "cli/technology.h"
#include "report/energy.h"
#include "sweep/run.h"
#include "sweep/slurm_job.h"
#include "sweep/store.h"

#define DEFAULT_SECONDS 600 /* cli/options.def says it, too */
#define MOST_SECONDS    1000000
#define PAUSE           0.2 /* seconds between two lines of progress */

struct shown {
    double started, last; /* seconds */
    bool is_terminal;
};

/* ---- progress ---- */

static bool show(void *context, const struct sweep_tally *tally, struct weft_error *error) {
    (void)error;
    struct shown *shown = context;
    double now = weft_clock_seconds();
    size_t done = tally->known + tally->ran;
    if (!shown->is_terminal || now < shown->last + PAUSE) {
        return true;
    }
    shown->last = now;
    fprintf(stderr, "\r\033[K%zu of %zu points, %zu refused, %.1f a second", done, tally->points,
            tally->refused, (double)tally->ran / (now - shown->started));
    return true;
}

static void print_tally(const char *path, const struct sweep_tally *tally, double seconds) {
    printf("%s: %zu point%s: %zu there already, %zu ran in %.1f s (%.1f a second), %zu of them "
           "refused\n",
           path, tally->points, tally->points == 1 ? "" : "s", tally->known, tally->ran, seconds,
           seconds > 0 ? (double)tally->ran / seconds : 0, tally->refused);
}

/* ---- what was given ---- */

static bool read_file(struct sweep_definition *definition, const char *path,
                      struct weft_error *error) {
    uint8_t *bytes = NULL;
    size_t length = 0;
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!stream_read(path, &bytes, &length, error)) {
        return false;
    }
    (void)snprintf(folder, sizeof folder, "%.*s",
                   slash == NULL || is_stream(path) ? 1
                   : slash == path                  ? 1
                                                    : (int)(slash - path),
                   slash == NULL || is_stream(path) ? "." : path);
    bool good = sweep_parse(definition, (const char *)bytes, length, folder, error);
    free(bytes);
    return good;
}

/* A plain number of an option; *number stays as it is where it is not given. */
static bool read_count(const struct given *given, enum option_id id, uint64_t least, uint64_t most,
                       uint64_t *number) {
    const char *text = given_value(given, id);
    uint64_t value = 0;
    if (text == NULL) {
        return true;
    }
    if (!read_number(text, most, &value) || value < least) {
        usage_error(given->command->name,
                    "--%s '%.40s': expected a number from %" PRIu64 " to %" PRIu64,
                    option_list[id].name, text, least, most);
        return false;
    }
    *number = value;
    return true;
}

/* Seconds, as 600 or 0.5. */
static bool read_time_limit(const struct given *given, double *seconds) {
    const char *text = given_value(given, OPTION_TIME_LIMIT);
    char *end = NULL;
    *seconds = text == NULL ? DEFAULT_SECONDS : strtod(text, &end);
    if (text != NULL && (text[0] == '\0' || strspn(text, "0123456789.") != strlen(text) ||
                         *end != '\0' || *seconds > MOST_SECONDS)) {
        usage_error(given->command->name, "--time-limit '%.40s': expected a number from 0 to %d",
                    text, MOST_SECONDS);
        return false;
    }
    return true;
}

static bool read_objective(const struct given *given, struct sweep_definition *definition) {
    const char *name = given_value(given, OPTION_OBJECTIVE);
    if (name == NULL) {
        return true;
    }
    if (!check_name(given->command->name, "objective", sweep_objective_names, name)) {
        return false;
    }
    if (definition->guided == 0) {
        usage_error(given->command->name, "--objective is for --guided N");
        return false;
    }
    for (int i = 0; i < SWEEP_OBJECTIVE_COUNT; i++) {
        if (strcmp(name, sweep_objective_names[i]) == 0) {
            definition->objective = (enum sweep_objective)i;
        }
    }
    return true;
}

static bool read_draws(const struct given *given, struct sweep_definition *definition) {
    definition->has_seed = definition->has_seed || given_count(given, OPTION_SEED) > 0;
    return read_count(given, OPTION_RANDOM, 1, SWEEP_MOST_POINTS, &definition->random) &&
           read_count(given, OPTION_GUIDED, 1, SWEEP_MOST_POINTS, &definition->guided) &&
           read_count(given, OPTION_SEED, 0, UINT64_MAX, &definition->seed) &&
           read_objective(given, definition);
}

/* Adds what options say. *what: of which the error is. */
static bool add_options(const struct given *given, struct sweep_definition *definition,
                        const char **what, struct weft_error *error) {
    bool good = true;
    for (size_t i = 0; good && i < given_count(given, OPTION_MODEL); i++) {
        *what = given_values(given, OPTION_MODEL)[i];
        good = sweep_add_model(definition, *what, error);
    }
    if (good && given_count(given, OPTION_CONFIG) > 0) {
        *what = NULL;
        good = sweep_add_config(definition, given_value(given, OPTION_CONFIG), error);
    }
    for (size_t i = 0; good && i < given_count(given, OPTION_GRID); i++) {
        *what = "--grid";
        good = sweep_add_grid(definition, given_values(given, OPTION_GRID)[i], error);
    }
    *what = good ? "sweep" : *what;
    return good && sweep_definition_check(definition, error);
}

/* "I/N" */
static bool read_part(const struct given *given, struct sweep_options *options) {
    const char *text = given_value(given, OPTION_PART);
    uint64_t part = 0;
    uint64_t parts = 0;
    char first[16] = "";
    const char *slash = text == NULL ? NULL : strchr(text, '/');
    if (text == NULL) {
        return true;
    }
    if (slash != NULL && (size_t)(slash - text) < sizeof first) {
        memcpy(first, text, (size_t)(slash - text));
    }
    if (slash == NULL || !read_number(first, SWEEP_MOST_POINTS, &part) ||
        !read_number(slash + 1, SWEEP_MOST_POINTS, &parts) || part == 0 || part > parts) {
        usage_error(given->command->name, "--part '%.40s': expected I/N, I from 1 to N", text);
        return false;
    }
    options->part = (uint32_t)part;
    options->parts = (uint32_t)parts;
    return true;
}

static bool read_run_options(const struct given *given, struct sweep_options *options) {
    uint64_t workers = 0;
    uint64_t tasks = 0;
    *options = (struct sweep_options){.read_constant = constant_read,
                                      .retry = given_count(given, OPTION_RETRY) > 0,
                                      .sbatch_count = given_count(given, OPTION_SBATCH),
                                      .sbatch = given_values(given, OPTION_SBATCH)};
    if (!read_count(given, OPTION_WORKERS, 1, 256, &workers) ||
        !read_time_limit(given, &options->seconds) ||
        !read_count(given, OPTION_SLURM, 1, SLURM_MOST_TASKS, &tasks) ||
        !read_memory_limit(given->command->name, given_value(given, OPTION_SWEEP_MEMORY),
                           &options->bytes) ||
        !read_part(given, options)) {
        return false;
    }
    if (tasks == 0 && options->sbatch_count > 0) {
        usage_error(given->command->name, "--sbatch is for --slurm N");
        return false;
    }
    if (options->parts > 0 && tasks > 0) {
        usage_error(given->command->name, "--part is what the tasks of --slurm do");
        return false;
    }
    options->workers = (unsigned)workers;
    options->slurm = (uint32_t)tasks;
    return true;
}

/* ---- the command ---- */

static bool merge_files(const struct given *given, const char *path, const char **what,
                        struct weft_error *error) {
    struct sweep_store *store = NULL;
    *what = path;
    if (given_count(given, OPTION_MERGE) == 0) {
        return true;
    }
    bool is_new = access(path, F_OK) != 0;
    bool good = sweep_store_open(path, true, &store, error);
    for (size_t i = 0; good && i < given_count(given, OPTION_MERGE); i++) {
        *what = given_values(given, OPTION_MERGE)[i];
        good = sweep_store_merge(store, *what, error);
    }
    sweep_store_close(store);
    if (!good && is_new) {
        (void)unlink(path); /* a sweep of which a part is missing is none */
    }
    return good;
}

static int run(const struct given *given, struct sweep_definition *definition) {
    const char *path = given_value(given, OPTION_OUT_SWEEP);
    const char *what = path;
    char program[PATH_MAX];
    struct sweep_options options;
    struct sweep_tally tally;
    struct weft_technology technology;
    bool has_technology = false;
    const struct machine_options machine = machine_options_of(given);
    struct weft_error error;
    struct shown shown = {weft_clock_seconds(), 0, isatty(STDERR_FILENO) != 0};
    if (!read_draws(given, definition) || !read_run_options(given, &options) ||
        !technology_read(given, &technology, &has_technology) ||
        !area_read(given, WEFT_DEFAULT_AREA, &options.area)) {
        return STATUS_ERROR;
    }
    if (!machine_clock(&machine, &options.clock, &error) ||
        !own_path(program, sizeof program, &error)) {
        return report("sweep", &error);
    }
    options.program = program;
    options.technology = has_technology ? &technology : NULL;
    options.technology_name = given_value(given, OPTION_TECHNOLOGY);
    options.clock_text = machine.clock;
    options.area_name = given_value(given, OPTION_AREA);
    options.progress = show;
    options.context = &shown;
    bool is_merge = given_count(given, OPTION_MERGE) > 0 && given->operand == NULL &&
                    given_count(given, OPTION_MODEL) == 0 && given_count(given, OPTION_GRID) == 0 &&
                    definition->random == 0 && definition->guided == 0;
    if (is_merge && (has_technology || machine.clock != NULL || options.area_name != NULL)) {
        return usage_error(given->command->name,
                           "--technology, --clock and --area are for points that are run, and "
                           "there are none; weft sweep show takes them for all rows");
    }
    if (!merge_files(given, path, &what, &error)) {
        return report(what, &error);
    }
    if (is_merge) {
        return STATUS_GOOD; /* that was all */
    }
    if (!add_options(given, definition, &what, &error)) {
        return report(what, &error);
    }
    bool good = sweep_run(definition, path, &options, &tally, &error);
    if (shown.last > 0) {
        fprintf(stderr, "\r\033[K");
    }
    if (!good) {
        return report(path, &error);
    }
    print_tally(path, &tally, weft_clock_seconds() - shown.started);
    if (tally.unread == tally.models) { /* its rows say why, but nobody may have asked for that */
        weft_error_set(&error, WEFT_SWEEP, 0,
                       "no model of the sweep can be read; weft sweep show says why");
        return report(path, &error);
    }
    return STATUS_GOOD;
}

int command_sweep(const struct given *given) {
    struct weft_error error;
    if (given_value(given, OPTION_OUT_SWEEP) == NULL) {
        return usage_error(given->command->name, "give %s", given->command->needs);
    }
    struct sweep_definition *definition = weft_allocate(1, sizeof *definition, "a sweep", &error);
    if (definition == NULL ||
        (given->operand != NULL && !read_file(definition, given->operand, &error))) {
        int status = report(given->operand, &error);
        if (definition != NULL) {
            sweep_definition_free(definition);
        }
        free(definition);
        return status;
    }
    int status = run(given, definition);
    sweep_definition_free(definition);
    free(definition);
    return status;
}
