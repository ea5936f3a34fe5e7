/* Real networks through a server of weft serve: outputs are the stored goldens, counters and times
 * of layers those of a run here.
 *
 * usage: remote_goldens DIGITS MODELS GOLDENS [NETWORK...]
 * Without NETWORK, the small ones. Ends with 77 when there are no goldens beside the tree (then the
 * embedded network alone was run), with 1 when anything differs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "compiler/module.h"
#include "tests/golden/goldens.h"
#include "tests/unit/remote_server.h"

static const char *const small_networks[] = {"ic_resnet8_int8",     "kws_dscnn_int8",
                                             "ad_autoencoder_int8", "vww_mobilenetv1_025_96_int8",
                                             "sww_ds1dcnn_int8",    NULL};
static const char *const targets[] = {"func", "cycle", NULL};

enum {
    SKIPPED = 77
};

struct network {
    const char *name;
    struct golden_set set;
    struct weft_module *module;
    unsigned cases;
    unsigned failures;
};

static void complain(struct network *network, const char *target, const char *what,
                     const char *detail) {
    fprintf(stderr, "%s, server with target %s: %s: %s\n", network->name, target, what, detail);
    network->failures++;
}

static bool same_counters(const struct weft_module *module, const struct weft_session *local,
                          const struct weft_session *remote) {
    for (uint32_t i = 0; i < module->segment_count; i++) {
        const struct weft_segment_run *a = weft_session_segment(local, i);
        const struct weft_segment_run *b = weft_session_segment(remote, i);
        size_t layers = module->segments[i].layer_count * sizeof(uint64_t);
        if (a == NULL || b == NULL || memcmp(&a->result, &b->result, sizeof a->result) != 0 ||
            memcmp(a->layer_finish, b->layer_finish, layers) != 0) {
            return false;
        }
    }
    return true;
}

static void run_case(struct network *network, const char *target, const char *name,
                     struct weft_session *local, struct weft_session *remote) {
    struct weft_error error;
    bool equal = false;
    network->cases++;
    if (!golden_run(&network->set, name, network->module, local, &error) ||
        !golden_run(&network->set, name, network->module, remote, &error) ||
        !golden_compare(&network->set, name, network->module, remote, &equal, &error)) {
        complain(network, target, name, error.message);
    } else if (!equal) {
        complain(network, target, name, "other bytes than the golden");
    } else if (!same_counters(network->module, local, remote)) {
        complain(network, target, name, "other counters or times than here");
    }
}

static void run_target(struct network *network, const char *target) {
    const struct weft_server_options options = {.target = target};
    const struct remote_server server = remote_server_start(&options);
    const struct weft_session_options here = weft_session_defaults();
    const struct weft_session_options there = remote_options(&server);
    struct weft_session *local = NULL;
    struct weft_session *remote = NULL;
    struct weft_error error;
    struct golden_cases cases = golden_cases_list(&network->set);
    if (!weft_session_open(target, network->module, &here, &local, &error) ||
        !weft_session_open("remote", network->module, &there, &remote, &error)) {
        complain(network, target, "opening", error.message);
    }
    for (size_t i = 0; remote != NULL && i < cases.count; i++) {
        run_case(network, target, cases.names[i], local, remote);
    }
    golden_cases_free(&cases);
    weft_session_close(local);
    weft_session_close(remote);
    remote_server_stop(&server);
}

static unsigned run_network(const char *name, const char *model, struct golden_set set) {
    struct network network = {.name = name, .set = set};
    struct weft_error error;
    struct weft_config config;
    const struct weft_compile_options options = {.model_name = name};
    uint8_t *bytes = NULL;
    size_t length = 0;
    if (!weft_config_find("ref16", &config, &error) ||
        !weft_file_read(model, &bytes, &length, &error) ||
        !weft_compile(bytes, length, &config, &options, &network.module, &error)) {
        fprintf(stderr, "%s: %s\n", model, error.message);
        free(bytes);
        return 1;
    }
    for (size_t i = 0; targets[i] != NULL; i++) {
        run_target(&network, targets[i]);
    }
    printf("%s: %u runs on servers, %u wrong\n", name, network.cases, network.failures);
    weft_module_free(network.module);
    free(bytes);
    return network.failures + (network.cases == 0);
}

int main(int argc, char **argv) {
    unsigned failures = 0;
    char path[1024];
    if (argc < 4) {
        fprintf(stderr, "usage: remote_goldens DIGITS MODELS GOLDENS [NETWORK...]\n");
        return 2;
    }
    (void)snprintf(path, sizeof path, "%s/digits.tflite", argv[1]);
    failures += run_network("digits", path, golden_set_of_digits(argv[1]));
    FILE *folder = fopen(argv[3], "r");
    if (folder == NULL) {
        printf("skipped: real networks (no %s)\n", argv[3]);
        return failures == 0 ? SKIPPED : 1;
    }
    (void)fclose(folder);
    const char *const *names = argc > 4 ? (const char *const *)(argv + 4) : small_networks;
    for (size_t i = 0; names[i] != NULL; i++) {
        (void)snprintf(path, sizeof path, "%s/%s.tflite", argv[2], names[i]);
        failures += run_network(names[i], path, golden_set_of(argv[3], names[i]));
    }
    return failures == 0 ? 0 : 1;
}
