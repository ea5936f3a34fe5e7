/* Networks on the machine behind AXI (hw/tb/axi), byte for byte against LiteRT's reference kernels.
 *
 * usage: axi_networks [OPTION]... LIBRARIES DIGITS MODELS GOLDENS [NETWORK...]
 *   --config NAME      the machine: weft_rtl_NAME.so of the folder LIBRARIES
 *   --seeds N          random buses for the embedded network; before each run others, disturbed
 *   --network-seeds N  the same for each other network
 *   --first SEED       the first of these
 *   --latency N        of the ideal bus, from the machine's request to its first beat; 0: as in the
 *                      contract
 * First every network runs on an ideal bus: the embedded one with all its cases, the others, by
 * default the small ones, where MODELS stands, with one. Its cycles are printed beside those of the
 * contract. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"
#include "tests/golden/goldens.h"

enum {
    MOST_WORDS = 32,
    MOST_NUMBER = 1000000,
    FOLDERS = 4 /* words before the networks */
};

static const char *const small_networks[] = {"ad_autoencoder_int8", "kws_dscnn_int8",
                                             "ic_resnet8_int8",     "vww_mobilenetv1_025_96_int8",
                                             "sww_ds1dcnn_int8",    NULL};

struct settings {
    const char *config;
    uint64_t seeds;
    uint64_t network_seeds;
    uint64_t first;
    uint64_t latency;
};

struct network {
    const char *name;
    struct golden_set set;
    struct golden_cases cases;
    uint8_t *model; /* whose constants the host's operators read */
    struct weft_module *module;
    struct weft_session *session;
    struct weft_error error;
};

static void must(struct network *network, bool good, const char *what, uint64_t number) {
    if (!good) {
        printf("%s: %s %" PRIu64 ": %s\n", network->name, what, number, network->error.message);
        exit(1);
    }
}

static void open_network(struct network *network, const char *path,
                         const struct settings *settings) {
    struct weft_config config;
    size_t length = 0;
    const struct weft_compile_options options = {0};
    struct weft_session_options session_options = weft_session_defaults();
    session_options.memory.latency = settings->latency;
    network->cases = golden_cases_list(&network->set);
    must(network, weft_config_find(settings->config, &config, &network->error), settings->config,
         0);
    must(network, weft_file_read(path, &network->model, &length, &network->error), path, 0);
    must(network,
         weft_compile(network->model, length, &config, &options, &network->module, &network->error),
         path, 0);
    must(network,
         weft_session_open("rtl", network->module, &session_options, &network->session,
                           &network->error),
         settings->config, 0);
}

static void close_network(struct network *network) {
    weft_session_close(network->session);
    weft_module_free(network->module);
    free(network->model);
    golden_cases_free(&network->cases);
}

static void run_case(struct network *network, size_t number, const char *what, uint64_t seed) {
    const char *stem = network->cases.names[number % network->cases.count];
    bool equal = false;
    must(network,
         golden_run(&network->set, stem, network->module, network->session, &network->error) &&
             golden_compare(&network->set, stem, network->module, network->session, &equal,
                            &network->error),
         what, seed);
    weft_error_set(&network->error, WEFT_OK, 0, "case %s is not what LiteRT made of it", stem);
    must(network, equal, what, seed);
}

/* On an ideal bus, then on `seeds` random ones. */
static void check_network(struct network *network, size_t cases, uint64_t first, uint64_t seeds) {
    (void)unsetenv("WEFT_AXI_SEED");
    for (size_t i = 0; i < cases; i++) {
        run_case(network, i, "case", i);
    }
    uint64_t cycles = weft_session_counter(network->session, WEFT_COUNTER_INDEX_cycles);
    uint64_t contract = weft_module_cycles(network->module);
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        char text[24];
        (void)snprintf(text, sizeof text, "%" PRIu64, seed);
        (void)setenv("WEFT_AXI_SEED", text, 1);
        run_case(network, (size_t)seed, "seed", seed);
    }
    printf("%-30s contract %9" PRIu64 " cycles, ideal bus %9" PRIu64 " (%+.1f %%); %" PRIu64
           " random buses\n",
           network->name, contract, cycles,
           contract == 0 ? 0 : 100 * ((double)cycles - (double)contract) / (double)contract, seeds);
    (void)fflush(stdout);
}

static void check_digits(const char *digits, const struct settings *settings) {
    char path[1024];
    struct network network = {.name = "digits", .set = golden_set_of_digits(digits)};
    (void)snprintf(path, sizeof path, "%s/digits.tflite", digits);
    open_network(&network, path, settings);
    check_network(&network, network.cases.count, settings->first, settings->seeds);
    close_network(&network);
}

static void check_model(const char *name, const char *models, const char *goldens,
                        const struct settings *settings) {
    char path[1024];
    struct network network = {.name = name, .set = golden_set_of(goldens, name)};
    (void)snprintf(path, sizeof path, "%s/%s.tflite", models, name);
    open_network(&network, path, settings);
    check_network(&network, 1, settings->first, settings->network_seeds);
    close_network(&network);
}

int main(int argc, char **argv) {
    const char *words[MOST_WORDS + 1] = {NULL};
    struct settings settings = {.config = "small8"};
    const char *texts[] = {"100", "0", "1", "0"};
    uint64_t *const numbers[] = {&settings.seeds, &settings.network_seeds, &settings.first,
                                 &settings.latency};
    size_t count = 0;
    const struct option_spec specs[] = {{.name = "config", .value = &settings.config},
                                        {.name = "seeds", .value = &texts[0]},
                                        {.name = "network-seeds", .value = &texts[1]},
                                        {.name = "first", .value = &texts[2]},
                                        {.name = "latency", .value = &texts[3]}};
    bool good = read_options(argv[0], argc, argv, specs, sizeof specs / sizeof specs[0], words,
                             &count, MOST_WORDS);
    for (size_t i = 0; good && i < 4; i++) {
        good = read_number(texts[i], MOST_NUMBER, numbers[i]);
    }
    if (!good || count < FOLDERS) {
        return usage_error("axi_networks",
                           "give the folders of libraries, digits, models, goldens");
    }
    (void)setenv("WEFT_RTL_PATH", words[0], 1);
    printf("%s behind AXI:\n", settings.config);
    check_digits(words[1], &settings);
    if (access(words[2], F_OK) != 0 || access(words[3], F_OK) != 0) {
        printf("skipped: other networks (no %s or no %s)\n", words[2], words[3]);
        return 0;
    }
    for (const char *const *name = count > FOLDERS ? words + FOLDERS : small_networks;
         *name != NULL; name++) {
        check_model(*name, words[2], words[3], &settings);
    }
    return 0;
}
