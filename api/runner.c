#include <stdlib.h>
#include <string.h>

#include "api/objects.h"
#include "api/options.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "driver/lockstep.h"
#include "report/json.h"
#include "report/page/page.h"
#include "report/statistics.h"
#include "report/trace_json.h"

/* How the target remote is named, with its server. */
#define REMOTE_PREFIX "remote://"

const char *weft_runner_target(size_t index) {
    for (size_t i = 0; weft_target_names[i] != NULL; i++) {
        if (i == index) {
            return weft_target_names[i];
        }
    }
    return NULL;
}

/* The server belongs to the name of the target; kernels are those of here, and a key is for
 * servers. */
static bool take_server(const char **target, struct weft_session_options *run, bool has_kernels,
                        struct weft_error *error) {
    bool is_remote = strncmp(*target, REMOTE_PREFIX, strlen(REMOTE_PREFIX)) == 0;
    if (!is_remote && strcmp(*target, "remote") == 0) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "target remote needs " REMOTE_PREFIX "HOST:PORT");
    }
    if (is_remote && has_kernels) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "option kernels is about the simulators here; a server takes its own");
    }
    if (!is_remote && run->key_file != NULL) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "option key_file is for target remote");
    }
    if (is_remote) {
        run->server = *target + strlen(REMOTE_PREFIX);
        *target = "remote";
    }
    return true;
}

/* The session has this for as long as it lives, the caller's function can be another for each run.
 */
static void tell_progress(void *context, uint64_t cycle, uint64_t last) {
    const struct weft_runner *runner = context;
    if (runner->progress != NULL) {
        runner->progress(runner->progress_context, cycle, last);
    }
}

void weft_runner_on_progress(struct weft_runner *runner,
                             void (*progress)(void *context, uint64_t cycle, uint64_t last),
                             void *context) {
    runner->progress = progress;
    runner->progress_context = context;
}

/* What a session needs for as long as it lives is the runner's: the texts of its options. */
static bool open_session(struct weft_runner *runner, const char *target,
                         const struct weft_options *options, struct weft_error *error) {
    struct weft_session_options *run = &runner->run;
    *run = weft_session_defaults();
    run->progress = tell_progress;
    run->progress_context = runner;
    /* Not of a server, which would have to be one of target lockstep. */
    run->lockstep = strcmp(target, "lockstep") == 0 ? &runner->compared : NULL;
    return options_check(options, RUN, error) && options_copy(options, &runner->options, error) &&
           options_to_run(runner->options, run, error) &&
           take_server(&target, run, options_have(options, OPTION_kernels), error) &&
           weft_session_open(target, runner->network->module, run, &runner->session, error);
}

/* The name that stays: one of the list. */
static const char *name_of(const char *target) {
    size_t i = 0;
    while (weft_target_names[i] != NULL && strcmp(weft_target_names[i], target) != 0) {
        i++;
    }
    return weft_target_names[i] == NULL ? "remote" : weft_target_names[i];
}

bool weft_runner_open(struct weft_network *network, const char *target,
                      const struct weft_options *options, struct weft_runner **runner,
                      struct weft_failure *failure) {
    struct weft_error error;
    struct weft_runner *made = weft_allocate(1, sizeof *made, "a runner", &error);
    if (made == NULL) {
        return failed(failure, &error);
    }
    network_hold(network);
    made->network = network;
    made->target = name_of(target);
    if (!open_session(made, target, options, &error)) {
        weft_runner_close(made);
        return failed(failure, &error);
    }
    *runner = made;
    return true;
}

void weft_runner_close(struct weft_runner *runner) {
    if (runner != NULL) {
        weft_session_close(runner->session);
        weft_lockstep_report_free(&runner->compared);
        weft_options_free(runner->options);
        weft_network_free(runner->network);
        free(runner);
    }
}

bool weft_runner_set_input(struct weft_runner *runner, size_t index, const void *bytes,
                           size_t length, struct weft_failure *failure) {
    struct weft_error error;
    return weft_session_set_input(runner->session, index, bytes, length, &error) ||
           failed(failure, &error);
}

bool weft_runner_run(struct weft_runner *runner, struct weft_failure *failure) {
    struct weft_error error;
    double start = weft_clock_seconds();
    runner->has_run = weft_session_run(runner->session, &error);
    runner->seconds = weft_clock_seconds() - start;
    return runner->has_run || failed(failure, &error);
}

bool weft_runner_output(const struct weft_runner *runner, size_t index, const void **bytes,
                        size_t *length, struct weft_failure *failure) {
    struct weft_error error;
    return weft_session_output(runner->session, index, bytes, length, &error) ||
           failed(failure, &error);
}

bool weft_runner_reset(struct weft_runner *runner, struct weft_failure *failure) {
    struct weft_error error;
    return weft_session_reset(runner->session, &error) || failed(failure, &error);
}

uint64_t weft_runner_cycles(const struct weft_runner *runner) {
    return weft_session_counter(runner->session, WEFT_COUNTER_INDEX_cycles);
}

bool weft_runner_counter(const struct weft_runner *runner, const char *name, uint64_t *value,
                         struct weft_failure *failure) {
    struct weft_error error;
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        if (strcmp(weft_counter_names[i], name) == 0) {
            *value = weft_session_counter(runner->session, i);
            return true;
        }
    }
    weft_error_set(&error, WEFT_ARGUMENT, 0, "there is no counter '%.40s'", name);
    return failed(failure, &error);
}

const char *weft_runner_counter_name(size_t index) {
    return index < WEFT_COUNTERS ? weft_counter_names[index] : NULL;
}

bool weft_runner_is_modelled(const struct weft_runner *runner) {
    return weft_session_is_modelled(runner->session);
}

uint64_t weft_runner_memory(const struct weft_runner *runner) {
    return weft_session_memory(runner->session);
}

/* ---- reports ---- */

/* What reports say of the machine: its clock is known where DRAM is beside it. */
static struct origin origin_of(const struct weft_runner *runner) {
    return (struct origin){.options = &runner->run,
                           .clock = (double)runner->run.memory.clock / 1e3};
}

static bool make_report(const struct weft_runner *runner, const struct model_figures *figures,
                        char **json, struct weft_error *error) {
    const struct origin origin = origin_of(runner);
    json_t *root = statistics_json(runner->session, runner->network->module, figures, &origin,
                                   runner->target, runner->seconds);
    char *text = root == NULL ? NULL : json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
    json_decref(root);
    bool good = json_complete(text, error);
    json_end();
    char *copy = good ? strdup(text) : NULL; /* weft_free() is not jansson's */
    json_release(text);
    if (good && copy == NULL) {
        return weft_no_memory(error, "a report");
    }
    *json = good ? copy : *json;
    return good;
}

static bool report_run(const struct weft_runner *runner, char **json, struct weft_error *error) {
    const struct weft_module *module = runner->network->module;
    struct model_figures figures = {0};
    if (!runner->has_run) {
        return weft_fail(error, WEFT_STATE, 0, "a report is of a run that succeeded");
    }
    bool counts = weft_runner_cycles(runner) > 0 && weft_runner_is_modelled(runner);
    if (counts && !figures_of_session(module, runner->session, &runner->run, module->arena.limit,
                                      &figures, error)) {
        return false;
    }
    bool good = make_report(runner, counts ? &figures : NULL, json, error);
    model_figures_free(&figures);
    return good;
}

bool weft_runner_report(const struct weft_runner *runner, char **json,
                        struct weft_failure *failure) {
    struct weft_error error;
    return report_run(runner, json, &error) || failed(failure, &error);
}

/* What shows every cycle is of a machine whose cycles are modelled. */
static bool check_modelled(const struct weft_runner *runner, struct weft_error *error) {
    return weft_session_is_modelled(runner->session) ||
           weft_fail(error, WEFT_TARGET, 0, "cycles of this machine are not modelled");
}

static bool write_page(const struct weft_runner *runner, const char *path,
                       struct weft_error *error) {
    const struct weft_module *module = runner->network->module;
    const struct origin origin = origin_of(runner);
    json_t *data = NULL;
    bool good =
        report_data_of_module(module, &runner->run, &origin, module->arena.limit, &data, error);
    if (good) {
        struct page_content page = {&report_page, data};
        good = weft_file_write_content(path, page_print, &page, error);
        json_decref(data);
    }
    json_end();
    return good;
}

bool weft_runner_page(const struct weft_runner *runner, const char *path,
                      struct weft_failure *failure) {
    struct weft_error error;
    return (check_modelled(runner, &error) && write_page(runner, path, &error)) ||
           failed(failure, &error);
}

static bool write_trace(const struct weft_runner *runner, const char *path,
                        struct weft_error *error) {
    const struct weft_module *module = runner->network->module;
    const struct origin origin = origin_of(runner);
    struct weft_trace_file traces;
    struct chrome_trace trace;
    if (!traces_of(module, &runner->run, module->arena.limit, &traces, error)) {
        return false;
    }
    bool good = chrome_trace_make(module, &traces, &origin, &trace, error);
    if (good) {
        good = weft_file_write_content(path, chrome_trace_write, &trace, error);
        json_end();
        chrome_trace_free(&trace);
    }
    weft_trace_file_free(&traces);
    return good;
}

bool weft_runner_trace(const struct weft_runner *runner, const char *path,
                       struct weft_failure *failure) {
    struct weft_error error;
    return (check_modelled(runner, &error) && write_trace(runner, path, &error)) ||
           failed(failure, &error);
}
