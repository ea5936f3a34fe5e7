/* Runs TFLite models and compares their outputs with golden ones, byte for byte.
 *
 * usage: replay [--config NAME] [--target NAME]... [--keep-regions] [--report] [--seconds N] DIR
 * DIR holds a folder for each case: model.tflite, input0.npy ..., and output0.npy ..., the golden
 * outputs. With more inputs than the model has they are run in one session, one after the other,
 * and the first ones once more after a reset. Targets are those of `weft run`; without --target,
 * all but the RTL. run.py makes cases and their goldens with LiteRT; those it once found wrong are
 * in regressions/. Every case has a process of its own: what crashes or does not end in N seconds
 * (600) is one wrong case, the others still run. --keep-regions leaves small regions to the machine
 * on func, too. --report says how long compiling took and what the host was left with, and why, on
 * each target.
 */
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

enum {
    MOST_TARGETS = 8
};

/* How the process of a case ends. */
enum {
    GOOD = 0,
    WRONG = 1,
    GOOD_ON_MACHINE = 3 /* good, and the machine had a part in it */
};

struct replay {
    const char *folder;
    const char *targets[MOST_TARGETS];
    size_t target_count;
    uint64_t most_seconds; /* that one case may take */
    bool keep_regions;
    bool report;
    struct weft_config config;
    const char *name;   /* of the case */
    const char *target; /* that is running */
    bool on_machine;    /* has the case a program? */
    struct weft_error error;
};

/* ---- one case ---- */

/* run.py reads these lines: CASE on TARGET: MESSAGE. */
static bool fail(const struct replay *replay, const char *what) {
    printf("%s on %s: %s\n", replay->name, replay->target, what);
    return false;
}

static void path_of(const struct replay *replay, const char *what, size_t index, char path[1024]) {
    (void)snprintf(path, 1024, "%s/%s/%s%zu.npy", replay->folder, replay->name, what, index);
}

/* Those of a run, counted from 0. */
static bool set_inputs(struct replay *replay, const struct weft_module *module,
                       struct weft_session *session, size_t run) {
    bool good = true;
    size_t count = module->graph->input_count;
    for (size_t i = 0; good && i < count; i++) {
        char path[1024];
        uint8_t *bytes = NULL;
        const struct weft_type *type = &module->graph->inputs[i]->type;
        path_of(replay, "input", run * count + i, path);
        good = npy_read(path, type, &bytes, &replay->error) &&
               weft_session_set_input(session, i, bytes, weft_type_bytes(type), &replay->error);
        free(bytes);
    }
    return good || fail(replay, replay->error.message);
}

/* Are both floats not a number? IEEE 754 does not say which one an operation gives. */
static bool both_nan(const uint8_t *a, const uint8_t *b) {
    float x;
    float y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return isnan(x) && isnan(y);
}

static size_t count_differing(const struct weft_type *type, const uint8_t *a, const uint8_t *b) {
    size_t size = weft_dtype_bytes(type->dtype);
    size_t count = 0;
    for (size_t i = 0; i < weft_type_bytes(type); i += size) {
        count +=
            memcmp(a + i, b + i, size) != 0 && !(type->dtype == WEFT_F32 && both_nan(a + i, b + i));
    }
    return count;
}

static bool compare_output(struct replay *replay, const struct weft_module *module,
                           const struct weft_session *session, size_t index, size_t run) {
    char path[1024];
    char what[64];
    uint8_t *expected = NULL;
    const void *got = NULL;
    size_t length = 0;
    const struct weft_type *type = &module->graph->outputs[index]->type;
    path_of(replay, "output", run * module->graph->output_count + index, path);
    bool good = npy_read(path, type, &expected, &replay->error) &&
                weft_session_output(session, index, &got, &length, &replay->error);
    size_t differ = good ? count_differing(type, got, expected) : 0;
    free(expected);
    (void)snprintf(what, sizeof what, "output %zu: %zu of %" PRId64 " elements differ (run %zu)",
                   index, differ, weft_type_elements(type), run);
    return !good ? fail(replay, replay->error.message) : differ == 0 || fail(replay, what);
}

/* One run, compared. */
static bool run_once(struct replay *replay, const struct weft_module *module,
                     struct weft_session *session, size_t run) {
    bool good = set_inputs(replay, module, session, run);
    if (good && !weft_session_run(session, &replay->error)) {
        return fail(replay, replay->error.message);
    }
    bool all_good = good;
    for (size_t i = 0; good && i < module->graph->output_count; i++) {
        all_good = compare_output(replay, module, session, i, run) && all_good;
    }
    return all_good;
}

static bool exists(const struct replay *replay, const char *what, size_t index) {
    char path[1024];
    path_of(replay, what, index, path);
    return access(path, F_OK) == 0;
}

static bool run_session(struct replay *replay, const struct weft_module *module,
                        struct weft_session *session) {
    const struct weft_graph *graph = module->graph;
    size_t runs = 1;
    while (graph->input_count > 0 && exists(replay, "input", runs * graph->input_count)) {
        runs++;
    }
    bool good = true;
    for (size_t run = 0; good && run < runs; run++) {
        good = run_once(replay, module, session, run);
    }
    if (good && runs > 1) {
        good = weft_session_reset(session, &replay->error) ? run_once(replay, module, session, 0)
                                                           : fail(replay, replay->error.message);
    }
    return !exists(replay, "output", runs * graph->output_count)
               ? good
               : fail(replay, "there are more golden outputs");
}

/* run.py reads these lines, too: CASE takes S s on TARGET, CASE leaves OPERATOR on TARGET:
 * REASON. */
static void report_module(const struct replay *replay, const struct weft_module *module,
                          double seconds) {
    const struct weft_graph *graph = module->graph;
    printf("%s takes %.3f s on %s\n", replay->name, seconds, replay->target);
    for (size_t i = 0; i < graph->node_count; i++) {
        if (weft_is_host_operator(graph->nodes[i])) {
            printf("%s leaves %s on %s: %s\n", replay->name,
                   weft_operator_name(graph->nodes[i]->op), replay->target,
                   weft_node_text(graph->nodes[i], WEFT_ATTR_reason));
        }
    }
}

static double seconds_of(clockid_t clock) {
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Compiles; *seconds: what that took of the clock or of processors, whichever is less, so that
 * other work on the computer does not count. */
static bool compile(struct replay *replay, const uint8_t *model, size_t length,
                    const struct weft_compile_options *options, struct weft_module **module,
                    double *seconds) {
    double wall = seconds_of(CLOCK_MONOTONIC);
    double processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    bool good = weft_compile(model, length, &replay->config, options, module, &replay->error);
    wall = seconds_of(CLOCK_MONOTONIC) - wall;
    processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - processor;
    *seconds = wall < processor ? wall : processor;
    return good;
}

static bool run_target(struct replay *replay, const uint8_t *model, size_t length) {
    struct weft_module *module = NULL;
    struct weft_session *session = NULL;
    struct weft_session_options options = weft_session_defaults();
    bool host_only = strcmp(replay->target, "host") == 0;
    /* On func what users get; on targets with time what the machine could do alone, too. */
    struct weft_compile_options compiling = {.host_only = host_only,
                                             .keep_regions = replay->keep_regions ||
                                                             strcmp(replay->target, "func") != 0};
    double seconds = 0;
    bool good = compile(replay, model, length, &compiling, &module, &seconds);
    if (good && replay->report) {
        report_module(replay, module, seconds);
    }
    good = good && weft_session_open(host_only ? "func" : replay->target, module, &options,
                                     &session, &replay->error);
    if (good) {
        replay->on_machine = replay->on_machine || module->segment_count > 0;
        good = run_session(replay, module, session);
    } else {
        (void)fail(replay, replay->error.message);
    }
    weft_session_close(session);
    weft_module_free(module);
    return good;
}

static bool run_case(struct replay *replay) {
    char path[1024];
    uint8_t *model = NULL;
    size_t length = 0;
    bool good = true;
    (void)snprintf(path, sizeof path, "%s/%s/model.tflite", replay->folder, replay->name);
    replay->target = "disk";
    if (!weft_file_read(path, &model, &length, &replay->error)) {
        return fail(replay, replay->error.message);
    }
    for (size_t i = 0; i < replay->target_count; i++) {
        replay->target = replay->targets[i];
        good = run_target(replay, model, length) && good;
    }
    free(model);
    return good;
}

/* ---- all cases ---- */

/* Returns how the case ended. */
static int run_apart(struct replay *replay) {
    int status = 0;
    (void)fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        (void)alarm((unsigned)replay->most_seconds);
        bool good = run_case(replay);
        exit(!good ? WRONG : replay->on_machine ? GOOD_ON_MACHINE : GOOD);
    }
    replay->target = "any target";
    if (child < 0 || waitpid(child, &status, 0) != child) {
        (void)fail(replay, "no process for it");
    } else if (WIFSIGNALED(status)) {
        (void)fail(replay, WTERMSIG(status) == SIGALRM ? "it does not end" : "it crashes");
    } else if (WEXITSTATUS(status) == GOOD || WEXITSTATUS(status) == GOOD_ON_MACHINE) {
        return WEXITSTATUS(status);
    } else if (WEXITSTATUS(status) != WRONG) {
        (void)fail(replay, "it is aborted"); /* by a sanitizer, which says why */
    }
    return WRONG;
}

static int is_case(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static int run_all(struct replay *replay) {
    struct dirent **entries = NULL;
    int count = scandir(replay->folder, &entries, is_case, alphasort);
    int wrong = 0;
    int on_machine = 0;
    for (int i = 0; i < count; i++) {
        replay->name = entries[i]->d_name;
        int end = run_apart(replay);
        wrong += end == WRONG;
        on_machine += end == GOOD_ON_MACHINE;
        free(entries[i]);
    }
    free((void *)entries);
    if (count <= 0) {
        fprintf(stderr, "replay: no cases in %s\n", replay->folder);
        return STATUS_ERROR;
    }
    printf("%d cases replayed, %d wrong; %d with a program for the machine\n", count, wrong,
           on_machine);
    return wrong == 0 ? STATUS_GOOD : STATUS_ERROR;
}

int main(int argc, char **argv) {
    struct replay replay = {.targets = {"host", "func", "cycle"}};
    const char *config = "ref16";
    const char *seconds = "600";
    const char *keep_regions = NULL;
    const char *with_report = NULL;
    const struct option_spec specs[] = {
        {.name = "config", .value = &config},
        {.name = "seconds", .value = &seconds},
        {.name = "keep-regions", .is_flag = true, .value = &keep_regions},
        {.name = "report", .is_flag = true, .value = &with_report},
        {.name = "target",
         .list = replay.targets,
         .count = &replay.target_count,
         .most = MOST_TARGETS},
    };
    size_t count = 0;
    if (!read_options(argv[0], argc, argv, specs, sizeof specs / sizeof specs[0], &replay.folder,
                      &count, 1)) {
        return STATUS_ERROR;
    }
    if (count != 1 || !read_number(seconds, 86400, &replay.most_seconds)) {
        return usage_error("replay", "give the folder of the cases, and seconds as a number");
    }
    replay.keep_regions = keep_regions != NULL;
    replay.report = with_report != NULL;
    if (!weft_config_find(config, &replay.config, &replay.error)) {
        return report(config, &replay.error);
    }
    replay.target_count = replay.target_count == 0 ? 3 : replay.target_count;
    return run_all(&replay);
}
