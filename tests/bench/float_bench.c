/* Milliseconds of one inference of float networks, which the host carries out, and the bytes that a
 * session takes.
 *
 * usage: float_bench MODEL...
 * A line for each: the file, milliseconds fused and not fused (the best of several runs), MB of the
 * module and a session, fused and not. tests/bench/float_bench.py puts ONNX Runtime beside them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/file.h"
#include "driver/session.h"

enum {
    LEAST_RUNS = 10,
    MOST_RUNS = 200
};

/* Small numbers of both signs: no denormal, nothing that overflows. */
static bool set_inputs(const struct weft_module *module, struct weft_session *session,
                       struct weft_error *error) {
    bool good = true;
    for (size_t i = 0; good && i < module->graph->input_count; i++) {
        int64_t count = weft_type_elements(&module->graph->inputs[i]->type);
        size_t length = weft_type_bytes(&module->graph->inputs[i]->type);
        float *floats = calloc((size_t)count, sizeof *floats);
        for (int64_t k = 0; floats != NULL && k < count; k++) {
            floats[k] = (float)(k * 37 % 256 - 128) / 64.0F;
        }
        good = floats != NULL && length == (size_t)count * sizeof *floats &&
               weft_session_set_input(session, i, floats, length, error);
        free(floats);
    }
    return good;
}

/* A session with and one without fusion; they take turns, so that what else the computer does
 * hits both. */
enum {
    FUSED,
    UNFUSED,
    SESSIONS
};

/* The best of runs that take a second together. */
static bool best_runs(struct weft_session *const sessions[SESSIONS], double best[SESSIONS],
                      struct weft_error *error) {
    double total = 0;
    bool good = true;
    best[FUSED] = best[UNFUSED] = 1e9;
    for (int i = 0; good && i < MOST_RUNS && (i < LEAST_RUNS || total < 2); i++) {
        for (int k = 0; good && k < SESSIONS; k++) {
            double start = weft_clock_seconds();
            good = weft_session_run(sessions[k], error);
            double seconds = weft_clock_seconds() - start;
            total += seconds;
            best[k] = seconds < best[k] ? seconds : best[k];
        }
    }
    return good;
}

static bool compile(const char *path, uint8_t **bytes, struct weft_module **module,
                    struct weft_error *error) {
    const struct weft_compile_options options = {.host_only = true};
    struct weft_config config;
    size_t length = 0;
    return weft_file_read(path, bytes, &length, error) &&
           weft_config_find("ref16", &config, error) &&
           weft_compile(*bytes, length, &config, &options, module, error);
}

static bool measure(const char *path, struct weft_error *error) {
    struct weft_session_options options = weft_session_defaults();
    struct weft_module *module = NULL;
    struct weft_session *sessions[SESSIONS] = {NULL};
    uint8_t *bytes = NULL;
    double best[SESSIONS] = {0};
    bool good = compile(path, &bytes, &module, error);
    for (int k = 0; good && k < SESSIONS; k++) {
        options.no_fusion = k == UNFUSED;
        good = weft_session_open("func", module, &options, &sessions[k], error) &&
               set_inputs(module, sessions[k], error);
    }
    if (good && best_runs(sessions, best, error)) {
        printf("%s %.3f %.3f %.1f %.1f\n", path, best[FUSED] * 1e3, best[UNFUSED] * 1e3,
               (double)weft_session_memory(sessions[FUSED]) * 1e-6,
               (double)weft_session_memory(sessions[UNFUSED]) * 1e-6);
    } else {
        good = false;
    }
    weft_session_close(sessions[FUSED]);
    weft_session_close(sessions[UNFUSED]);
    weft_module_free(module);
    free(bytes);
    return good;
}

int main(int argc, char **argv) {
    struct weft_error error;
    for (int i = 1; i < argc; i++) {
        if (!measure(argv[i], &error)) {
            fprintf(stderr, "float_bench: %s: %s\n", argv[i], error.message);
            return 2;
        }
    }
    return 0;
}
