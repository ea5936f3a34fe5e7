/* Real networks against LiteRT's reference kernels, byte for byte.
 *
 * usage: test_golden [--config NAME]... MODELS GOLDENS NETWORK...
 * For every network, on every configuration, on func and cycle: each case's output; and, with
 * fusion off, every tensor of the model, where the goldens have them. On the RTL, where it is
 * built: each case's output on ref16, one case on the others. Cycle simulator and RTL take the
 * cycles that the compiler predicted. Exits with 77, which ctest counts as skipped, when the
 * folders are not there.
 */
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "cli/cli.h"
#include "tests/golden/goldens.h"

enum {
    SKIPPED = 77,
    MOST_CONFIGS = 16,
    MOST_WORDS = 64
};

struct network {
    const char *name;
    struct golden_set set;
    struct golden_cases cases;
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
    bool equal = false;
    must(network, golden_compare(&network->set, stem, module, session, &equal, &network->error),
         stem);
    network->compared++;
    if (!equal) {
        fail(network, what, stem);
    }
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

static void tensors_path(const struct network *network, const char *stem, char path[1024]) {
    (void)snprintf(path, 1024, "%s/%s.tensors.json", network->set.outputs, stem);
}

static bool has_tensors(const struct network *network) {
    char path[1024];
    tensors_path(network, network->cases.names[0], path);
    return access(path, F_OK) == 0;
}

static void compare_tensors(struct network *network, struct weft_session *session,
                            const struct weft_module *module, const char *stem, const char *what) {
    char path[1024];
    json_error_t reason;
    tensors_path(network, stem, path);
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

/* Runs the cases of the network, at most limit of them. */
static void run_cases(struct network *network, const struct weft_module *module,
                      struct weft_session *session, compare *compare_case, const char *what,
                      unsigned limit) {
    for (size_t i = 0; i < network->cases.count && i < limit; i++) {
        const char *stem = network->cases.names[i];
        must(network, golden_run(&network->set, stem, module, session, &network->error), what);
        compare_case(network, session, module, stem, what);
    }
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

static void open_network(struct network *network, const char *models, const char *goldens) {
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s.tflite", models, network->name);
    must(network, weft_file_read(path, &network->model, &network->length, &network->error), path);
    network->set = golden_set_of(goldens, network->name);
    network->cases = golden_cases_list(&network->set);
    if (network->cases.count == 0) {
        fail(network, network->set.inputs, "there are no cases");
        exit(1);
    }
}

/* Returns how many comparisons went wrong. */
static unsigned check_network(const char *name, const char *const *configs, const char *models,
                              const char *goldens) {
    struct network network = {.name = name};
    open_network(&network, models, goldens);
    for (; *configs != NULL; configs++) {
        run_network(&network, *configs, false);
        if (has_tensors(&network)) {
            run_network(&network, *configs, true);
        }
    }
    printf("%s: %u tensors compared, %u wrong%s\n", name, network.compared, network.wrong,
           network.skipped_rtl ? " (RTL that is not built was skipped)" : "");
    golden_cases_free(&network.cases);
    free(network.model);
    return network.wrong;
}

int main(int argc, char **argv) {
    const char *words[MOST_WORDS + 1] = {NULL};
    const char *configs[MOST_CONFIGS + 1] = {NULL};
    size_t word_count = 0;
    size_t config_count = 0;
    const struct option_spec specs[] = {
        {.name = "config", .list = configs, .count = &config_count, .most = MOST_CONFIGS}};
    if (!read_options(argv[0], argc, argv, specs, 1, words, &word_count, MOST_WORDS)) {
        return 1;
    }
    if (word_count < 2 || access(words[0], F_OK) != 0 || access(words[1], F_OK) != 0) {
        printf("skipped: no models and goldens at %s\n", word_count < 1 ? "?" : words[0]);
        return SKIPPED;
    }
    for (size_t i = 0; config_count == 0 && weft_builtin_configs[i].name != NULL; i++) {
        configs[i] = weft_builtin_configs[i].name;
    }
    unsigned wrong = 0;
    for (const char *const *list = words + 2; *list != NULL; list++) {
        wrong += check_network(*list, configs, words[0], words[1]);
    }
    return wrong == 0 && word_count > 2 ? 0 : 1;
}
