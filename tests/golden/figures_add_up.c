/* Figures of real networks: layers and groups add up to the cycles of the run, and no layer has
 * more multiplications than the machine can do in the cycles that are its own.
 *
 * usage: figures_add_up MODELS CONFIG NETWORK... Exits with 77, which ctest counts as skipped, when
 * the folder is not there. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "report/model_figures.h"

enum {
    SKIPPED = 77
};

static struct weft_error error;

static void must(bool good, const char *what) {
    if (!good) {
        printf("%s: %s\n", what, error.message);
        exit(1);
    }
}

/* What is wrong with the figures of a segment; NULL: nothing. */
static const char *wrong_with(const struct weft_module *module, uint32_t index,
                              const struct weft_figures *figures) {
    const struct weft_segment *segment = &module->segments[index];
    uint64_t layers = 0;
    uint64_t groups = 0;
    for (uint32_t i = 0; i < figures->layer_count; i++) {
        const struct weft_layer_figures *layer = &figures->layers[i];
        layers += layer->cycles;
        if (layer->cycles > 0 && layer->unit == WEFT_UNITS) {
            return "a layer without instructions has cycles";
        }
        if (segment->layers[i].macs > 0 && layer->unit == WEFT_UNITS) {
            return "a layer that multiplies has no instructions";
        }
        int64_t done = segment->layers[i].macs - segment->layers[i].cut_macs;
        if (weft_utilisation(&module->config, done, layer->cycles) > 1) {
            return "a layer multiplies more than the machine can";
        }
    }
    for (uint32_t i = 0; i < figures->group_count; i++) {
        groups += figures->groups[i].cycles;
    }
    return layers != figures->cycles   ? "layers do not add up to the run"
           : groups != figures->cycles ? "groups do not add up to the run"
                                       : NULL;
}

static bool check(const struct weft_module *module, const char *name) {
    static const struct weft_session_options none = {0};
    struct weft_trace_file traces;
    struct model_figures figures;
    uint64_t cycles = 0;
    const char *wrong = NULL;
    must(traces_of(module, &none, UINT64_C(1) << 33, &traces, &error), name);
    must(figures_of_traces(module, &traces, &figures, &error), name);
    for (uint32_t i = 0; wrong == NULL && i < module->segment_count; i++) {
        wrong = wrong_with(module, i, &figures.segments[i]);
        cycles += figures.segments[i].cycles;
    }
    if (wrong == NULL && cycles != weft_module_cycles(module)) {
        wrong = "not the cycles that the compiler predicted";
    }
    printf("%s on %s: %" PRIu64 " cycles, %" PRIu32 " segments: %s\n", name, module->config.name,
           cycles, module->segment_count, wrong == NULL ? "they add up" : wrong);
    model_figures_free(&figures);
    weft_trace_file_free(&traces);
    return wrong == NULL;
}

static bool check_network(const char *folder, const char *config_name, const char *name) {
    struct weft_config config;
    struct weft_module *module = NULL;
    uint8_t *bytes = NULL;
    size_t length = 0;
    char path[1024];
    const struct weft_compile_options options = {.model_name = name};
    (void)snprintf(path, sizeof path, "%s/%s.tflite", folder, name);
    must(weft_config_find(config_name, &config, &error), config_name);
    must(weft_file_read(path, &bytes, &length, &error), path);
    must(weft_compile(bytes, length, &config, &options, &module, &error), path);
    bool good = check(module, name);
    weft_module_free(module);
    free(bytes);
    return good;
}

int main(int argc, char **argv) {
    bool good = true;
    if (argc < 4) {
        printf("usage: figures_add_up MODELS CONFIG NETWORK...\n");
        return 1;
    }
    if (access(argv[1], F_OK) != 0) {
        printf("skipped: there is no %s\n", argv[1]);
        return SKIPPED;
    }
    for (int i = 3; i < argc; i++) {
        good = check_network(argv[1], argv[2], argv[i]) && good;
    }
    return good ? 0 : 1;
}
