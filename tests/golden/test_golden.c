/* Real networks against LiteRT's reference kernels, byte for byte.
 *
 * usage: test_golden MODELS GOLDENS [NETWORK...]
 * For every network, on every configuration, on func and cycle: each case's output; and, with
 * fusion off, every tensor of the model. On the RTL, where it is built: each case's output on
 * ref16, one case on the others. Cycle simulator and RTL take the cycles that the compiler
 * predicted. Exits with 77, which ctest counts as skipped, when the folders are not there.
 */
#include <dirent.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/file.h"
#include "cli/cli.h"

enum {
    SKIPPED = 77
};

static const char *const networks[] = {"ic_resnet8_int8",
                                       "kws_dscnn_int8",
                                       "ad_autoencoder_int8",
                                       "vww_mobilenetv1_025_96_int8",
                                       "sww_ds1dcnn_int8",
                                       "mobilenet_v2_1.0_224_int8",
                                       "mobilenet_v2_1.0_224_uint8",
                                       NULL};

struct network {
    const char *name;
    const char *goldens;
    uint8_t *model;
    size_t length;
    struct weft_error error;
    unsigned compared;
    unsigned wrong;
    bool skipped_rtl;
};

static void fail(struct network *network, const char *what, const char *detail) {
    network->wrong++;
    printf("%s: %s: %s\n", network->name, what, detail);
}

static void must(struct network *network, bool good, const char *what) {
    if (!good) {
        fail(network, what, network->error.message);
        exit(1);
    }
}

/* ---- outputs ---- */

static void compare_output(struct network *network, struct weft_session *session,
                           const struct weft_module *module, const char *stem, const char *what) {
    char path[1024];
    uint8_t *expected = NULL;
    const void *got = NULL;
    size_t length = 0;
    const struct weft_type *type = &module->graph->outputs[0]->type;
    (void)snprintf(path, sizeof path, "%s/%s/%s.output.npy", network->goldens, network->name, stem);
    must(network, npy_read(path, type, &expected, &network->error), path);
    must(network, weft_session_output(session, 0, &got, &length, &network->error), path);
    network->compared++;
    if (memcmp(got, expected, length) != 0) {
        fail(network, what, stem);
    }
    free(expected);
}

/* ---- every tensor ---- */

static uint32_t golden_crc(const json_t *table, int32_t tensor) {
    size_t index;
    json_t *entry;
    json_array_foreach((json_t *)table, index, entry) {
        if (json_integer_value(json_object_get(entry, "index")) == tensor) {
            return (uint32_t)strtoul(json_string_value(json_object_get(entry, "crc32")), NULL, 16);
        }
    }
    return 0;
}

static void compare_tensors(struct network *network, struct weft_session *session,
                            const struct weft_module *module, const char *stem, const char *what) {
    char path[1024];
    json_error_t reason;
    (void)snprintf(path, sizeof path, "%s/%s/%s.tensors.json", network->goldens, network->name,
                   stem);
    json_t *table = json_load_file(path, 0, &reason);
    if (table == NULL) {
        fail(network, path, reason.text);
        return;
    }
    if (json_array_size(table) != module->graph->output_count) {
        fail(network, what, "not every tensor of the model exists");
    }
    for (size_t i = 0; i < module->graph->output_count; i++) {
        const void *got = NULL;
        size_t length = 0;
        must(network, weft_session_output(session, i, &got, &length, &network->error), path);
        network->compared++;
        if ((uint32_t)crc32(0, got, (uInt)length) !=
            golden_crc(table, module->graph->outputs[i]->tensor)) {
            char detail[256];
            (void)snprintf(detail, sizeof detail, "%s, tensor %d", stem,
                           module->graph->outputs[i]->tensor);
            fail(network, what, detail);
        }
    }
    json_decref(table);
}

/* ---- runs ---- */

typedef void compare(struct network *network, struct weft_session *session,
                     const struct weft_module *module, const char *stem, const char *what);

/* Runs the cases of the network's folder, at most limit of them. */
static void run_cases(struct network *network, const struct weft_module *module,
                      struct weft_session *session, compare *compare_case, const char *what,
                      unsigned limit) {
    static const char ending[] = ".input.npy";
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s", network->goldens, network->name);
    DIR *folder = opendir(path);
    if (folder == NULL) {
        fail(network, path, "no such folder");
        return;
    }
    for (const struct dirent *entry = readdir(folder); entry != NULL && limit > 0;
         entry = readdir(folder)) {
        const char *dot = strstr(entry->d_name, ending);
        if (dot == NULL) {
            continue;
        }
        char stem[128];
        uint8_t *input = NULL;
        const struct weft_type *type = &module->graph->inputs[0]->type;
        (void)snprintf(stem, sizeof stem, "%.*s", (int)(dot - entry->d_name), entry->d_name);
        (void)snprintf(path, sizeof path, "%s/%s/%s", network->goldens, network->name,
                       entry->d_name);
        must(network, npy_read(path, type, &input, &network->error), path);
        must(network,
             weft_session_set_input(session, 0, input, weft_type_bytes(type), &network->error) &&
                 weft_session_run(session, &network->error),
             what);
        free(input);
        compare_case(network, session, module, stem, what);
        limit--;
    }
    (void)closedir(folder);
}

/* Runs at most `cases` cases on a target. RTL that is not built is skipped. */
static void run_target(struct network *network, const struct weft_module *module,
                       const char *target, compare *compare_case, const char *config_name,
                       unsigned cases) {
    const struct weft_session_options defaults = weft_session_defaults();
    struct weft_session *session = NULL;
    char what[128];
    (void)snprintf(what, sizeof what, "%s, %s, %s", config_name, target,
                   compare_case == compare_tensors ? "every tensor" : "outputs");
    if (!weft_session_open(target, module, &defaults, &session, &network->error)) {
        must(network, strcmp(target, "rtl") == 0 && network->error.code == WEFT_TARGET, what);
        network->skipped_rtl = true;
        return;
    }
    run_cases(network, module, session, compare_case, what, cases);
    if (strcmp(target, "func") != 0 &&
        weft_session_counter(session, WEFT_COUNTER_INDEX_cycles) != weft_module_cycles(module)) {
        fail(network, what, "not the cycles that the compiler predicted");
    }
    weft_session_close(session);
}

static void run_network(struct network *network, const char *config_name, bool keep_tensors) {
    struct weft_config config;
    struct weft_module *module = NULL;
    const struct weft_compile_options options = {.keep_tensors = keep_tensors};
    compare *compare_case = keep_tensors ? compare_tensors : compare_output;
    must(network,
         weft_config_find(config_name, &config, &network->error) &&
             weft_compile(network->model, network->length, &config, &options, &module,
                          &network->error),
         config_name);
    run_target(network, module, "func", compare_case, config_name, UINT_MAX);
    run_target(network, module, "cycle", compare_case, config_name, UINT_MAX);
    if (!keep_tensors) {
        run_target(network, module, "rtl", compare_case, config_name,
                   strcmp(config_name, "ref16") == 0 ? UINT_MAX : 1);
    }
    weft_module_free(module);
}

static bool exists(const char *folder) {
    DIR *opened = opendir(folder);
    if (opened != NULL) {
        (void)closedir(opened);
    }
    return opened != NULL;
}

int main(int argc, char **argv) {
    unsigned wrong = 0;
    if (argc < 3 || !exists(argv[1]) || !exists(argv[2])) {
        printf("skipped: no models and goldens at %s\n", argc < 2 ? "?" : argv[1]);
        return SKIPPED;
    }
    const char *const *list = argc > 3 ? (const char *const *)argv + 3 : networks;
    for (; *list != NULL; list++) {
        struct network network = {.name = *list, .goldens = argv[2]};
        char path[1024];
        (void)snprintf(path, sizeof path, "%s/%s.tflite", argv[1], *list);
        must(&network, weft_file_read(path, &network.model, &network.length, &network.error), path);
        for (size_t i = 0; weft_builtin_configs[i].name != NULL; i++) {
            run_network(&network, weft_builtin_configs[i].name, false);
            run_network(&network, weft_builtin_configs[i].name, true);
        }
        printf("%s: %u tensors compared, %u wrong%s\n", *list, network.compared, network.wrong,
               network.skipped_rtl ? " (RTL that is not built was skipped)" : "");
        wrong += network.wrong;
        free(network.model);
    }
    return wrong == 0 ? 0 : 1;
}
