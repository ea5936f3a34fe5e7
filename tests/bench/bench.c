/* Cycles of real networks beside ideal and bars, and the speed of the simulators.
 *
 * usage: weft_bench OUT.json [--compare OLD.json] MODELS_DIR [MODELS_DIR...]
 * Each network is taken from the first folder that has NAME.tflite. Times are the best of several
 * runs.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/json_file.h"
#include "driver/session.h"
#include "tests/bench/models.h"
#include "tests/bench/tables.h"

enum {
    REPEATS = 5,
    /* A run that takes longer than this is done once, as that of a large network on the RTL. */
    LONG_RUN_SECONDS = 1
};

/* What runs a program. The RTL is that of ref16 (scripts/build). */
struct simulator {
    const char *target;
    bool timing_only;
};

enum {
    CYCLE,
    TIMING,
    RTL,
    SIMULATORS
};

static const struct simulator simulators[SIMULATORS] = {
    [CYCLE] = {"cycle", false}, [TIMING] = {"cycle", true}, [RTL] = {"rtl", false}};

struct network {
    const char *name;
    uint64_t ideal, bound, bar, goal;
};

static const struct network networks[] = {
#define WEFT_NETWORK(name, ideal, bound, bar, goal, cycles) {#name, ideal, bound, bar, goal},
#include "tests/bench/networks.def"
};

struct figures {
    uint64_t cycles;
    double compile_seconds;
    double rates[SIMULATORS]; /* simulated cycles a second */
    uint64_t counters[WEFT_COUNTERS];
};

static bool set_inputs(const struct weft_module *module, struct weft_session *session,
                       struct weft_error *error) {
    bool good = true;
    for (size_t i = 0; good && i < module->graph->input_count; i++) {
        size_t length = weft_type_bytes(&module->graph->inputs[i]->type);
        uint8_t *bytes = calloc(length, 1);
        for (size_t k = 0; bytes != NULL && k < length; k++) {
            bytes[k] = (uint8_t)(k * 37 + k / 11);
        }
        good = bytes != NULL && weft_session_set_input(session, i, bytes, length, error);
        free(bytes);
    }
    return good;
}

/* The best rate of a few runs, in simulated cycles a second. Keeps the cycles and counters of the
 * cycle simulator; those of others must be the same. */
static bool measure(const struct weft_module *module, const struct simulator *simulator,
                    struct figures *figures, double *rate, struct weft_error *error) {
    struct weft_session_options options = weft_session_defaults();
    struct weft_session *session = NULL;
    options.timing_only = simulator->timing_only;
    bool good = weft_session_open(simulator->target, module, &options, &session, error) &&
                (simulator->timing_only || set_inputs(module, session, error));
    uint64_t cycles = 0;
    double seconds = 0;
    *rate = 0;
    for (int i = 0; good && i < REPEATS && seconds < (double)LONG_RUN_SECONDS; i++) {
        good = weft_session_run(session, error);
        seconds = 0;
        for (uint32_t k = 0; good && k < module->segment_count; k++) {
            seconds += weft_session_segment(session, k)->seconds;
        }
        cycles = weft_session_counter(session, WEFT_COUNTER_INDEX_cycles);
        double now = seconds > 0 ? (double)cycles / seconds : 0;
        *rate = now > *rate ? now : *rate;
    }
    if (good && simulator == &simulators[CYCLE]) {
        figures->cycles = cycles;
        for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
            figures->counters[i] = weft_session_counter(session, i);
        }
    } else if (good && cycles != figures->cycles) {
        good = weft_fail(error, WEFT_INTERNAL, 0, "%" PRIu64 " cycles, %" PRIu64 " expected",
                         cycles, figures->cycles);
    }
    weft_session_close(session);
    return good;
}

static bool run_network(const uint8_t *bytes, size_t length, struct figures *figures,
                        struct weft_error *error) {
    struct weft_config config;
    struct weft_module *module = NULL;
    const struct weft_compile_options options = {0};
    if (!weft_config_find("ref16", &config, error)) {
        return false;
    }
    double start = weft_clock_seconds();
    if (!weft_compile(bytes, length, &config, &options, &module, error)) {
        return false;
    }
    figures->compile_seconds = weft_clock_seconds() - start;
    bool good = true;
    for (int i = 0; good && i < SIMULATORS; i++) {
        good = measure(module, &simulators[i], figures, &figures->rates[i], error);
    }
    weft_module_free(module);
    return good;
}

static void print_figures(const struct network *n, const struct figures *f) {
    double cycles = (double)f->cycles;
    printf("%-28s %10" PRIu64 " %8.3f %8.3f %8.3f %8.3f %9.3f %9.1f %9.1f %9.2f\n", n->name,
           f->cycles, cycles / (double)n->ideal, cycles / (double)n->bound, cycles / (double)n->bar,
           cycles / (double)n->goal, f->compile_seconds, f->rates[CYCLE] * 1e-6,
           f->rates[TIMING] * 1e-6, f->rates[RTL] * 1e-6);
}

static json_t *figures_json(const struct network *n, const struct figures *f) {
    json_t *counters = json_object();
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        json_object_set_new(counters, weft_counter_names[i],
                            json_integer((json_int_t)f->counters[i]));
    }
    double cycles = (double)f->cycles;
    return json_pack(
        "{s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o}", "cycles", (json_int_t)f->cycles,
        "to_ideal", cycles / (double)n->ideal, "to_bound", cycles / (double)n->bound, "to_bar",
        cycles / (double)n->bar, "to_goal", cycles / (double)n->goal, "compile_seconds",
        f->compile_seconds, "cycles_per_second", f->rates[CYCLE], "timing_cycles_per_second",
        f->rates[TIMING], "rtl_cycles_per_second", f->rates[RTL], "counters", counters);
}

/* The figures of all networks that one of the folders has. */
static json_t *run_networks(char *const *folders) {
    struct weft_error error;
    json_t *root = json_object();
    printf("%-28s %10s %8s %8s %8s %8s %9s %9s %9s %9s\n", "network on ref16", "cycles", "/ideal",
           "/bound", "/bar", "/goal", "compile s", "Mcycle/s", "timing", "rtl");
    for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++) {
        struct figures figures = {0};
        size_t length = 0;
        uint8_t *bytes = read_model(networks[i].name, folders, &length);
        if (bytes == NULL) {
            printf("%-28s skipped: no such model\n", networks[i].name);
            continue;
        }
        if (run_network(bytes, length, &figures, &error)) {
            print_figures(&networks[i], &figures);
            json_object_set_new(root, networks[i].name, figures_json(&networks[i], &figures));
        } else {
            printf("%-28s %s\n", networks[i].name, error.message);
        }
        free(bytes);
    }
    return root;
}

int main(int argc, char **argv) {
    struct weft_error error;
    json_error_t reason;
    json_t *before = NULL;
    int first = 2;
    if (argc > 3 && strcmp(argv[2], "--compare") == 0) {
        before = json_load_file(argv[3], 0, &reason);
        if (before == NULL) {
            fprintf(stderr, "weft_bench: %s: %s\n", argv[3], reason.text);
            return 2;
        }
        first = 4;
    }
    if (argc <= first) {
        fprintf(stderr, "usage: weft_bench OUT.json [--compare OLD.json] MODELS_DIR...\n");
        return 2;
    }
    json_t *root = run_networks(argv + first);
    print_stalls(root);
    if (before != NULL) {
        print_comparison(before, root);
    }
    if (!write_json_file(argv[1], root, &error)) {
        fprintf(stderr, "weft_bench: %s: %s\n", argv[1], error.message);
        return 2;
    }
    return 0;
}
