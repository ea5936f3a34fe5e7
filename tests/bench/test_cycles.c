/* The cycles that the networks of the benchmark take on ref16, exactly as networks.def has them.
 *
 * Their bounds must hold them, and be at most four times as large. Those that are compiled in next
 * to no time may not take more with more effort. Eight frames of some of them, too.
 *
 * usage: test_cycles [--branching] MODELS_DIR...     --branching: encoders and networks that branch
 * Each network is taken from the first folder that has NAME.tflite; one that none has is skipped.
 * Exits with 77, which ctest counts as skipped, when there is none at all. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/module.h"
#include "tests/bench/models.h"

enum {
    SKIPPED = 77,
    MOST_CYCLES = 2000000, /* of networks that are compiled twice */
    FRAMES = 8
};

struct network {
    const char *name;
    uint64_t bar, cycles;
};
static const struct network pinned[] = {
#define WEFT_NETWORK(name, ideal, bound, bar, goal, cycles) {#name, bar, cycles},
#include "tests/bench/networks.def"
    {0}};
static const struct network branching[] = {
#define WEFT_BRANCHING(name, ideal, bar, cycles) {#name, bar, cycles},
#include "tests/bench/networks.def"
    {0}};

/* They have no bar. */
static const struct network framed[] = {
#define WEFT_FRAMES(name, cycles) {#name, UINT64_MAX, cycles},
#include "tests/bench/networks.def"
    {0}};

/* The cycles that the compiler predicts, and at most; 0 after a message. */
static uint64_t cycles_of(const uint8_t *bytes, size_t length,
                          const struct weft_compile_options *options, uint64_t *bound) {
    struct weft_config config;
    struct weft_module *module = NULL;
    struct weft_error error;
    if (!weft_config_find("ref16", &config, &error) ||
        !weft_compile(bytes, length, &config, options, &module, &error)) {
        printf("%s\n", error.message);
        return 0;
    }
    uint64_t cycles = weft_module_cycles(module);
    *bound = weft_module_bound(module);
    weft_module_free(module);
    return cycles;
}

/* Does a network take what it should? */
static bool check(const struct network *network, const uint8_t *bytes, size_t length) {
    uint64_t bound = 0;
    uint64_t cycles = cycles_of(bytes, length, &(struct weft_compile_options){.effort = 1}, &bound);
    bool good = cycles == network->cycles && cycles <= network->bar && cycles <= bound &&
                bound <= 4 * cycles;
    printf("%s: %" PRIu64 " cycles, %" PRIu64 " expected; %.1f %% of the bound\n", network->name,
           cycles, network->cycles, 100.0 * (double)cycles / (double)bound);
    if (cycles < MOST_CYCLES) {
        uint64_t more =
            cycles_of(bytes, length, &(struct weft_compile_options){.effort = 2}, &bound);
        good = good && more > 0 && more <= cycles && more <= bound;
        printf("%s: %" PRIu64 " cycles with twice the effort\n", network->name, more);
    }
    return good;
}

/* The same of frames, one after the other. */
static bool check_frames(const struct network *network, const uint8_t *bytes, size_t length) {
    uint64_t bound = 0;
    uint64_t cycles =
        cycles_of(bytes, length,
                  &(struct weft_compile_options){.frames = FRAMES, .one_by_one = true}, &bound);
    printf("%s: %d frames, %" PRIu64 " cycles, %" PRIu64 " expected\n", network->name, FRAMES,
           cycles, network->cycles);
    return cycles == network->cycles && cycles <= bound;
}

/* Checks those that are in the folders; adds those that are not as they should be to *wrong.
 * Returns how many are there. */
static size_t check_all(const struct network *networks, char **folders,
                        bool (*is_good)(const struct network *, const uint8_t *, size_t),
                        size_t *wrong) {
    size_t found = 0;
    for (const struct network *network = networks; network->name != NULL; network++) {
        size_t length = 0;
        uint8_t *bytes = read_model(network->name, folders, &length);
        if (bytes == NULL) {
            printf("%s: skipped, no such model\n", network->name);
            continue;
        }
        found++;
        *wrong += !is_good(network, bytes, length);
        free(bytes);
    }
    return found;
}

int main(int argc, char **argv) {
    bool others = argc > 1 && strcmp(argv[1], "--branching") == 0;
    char **folders = argv + 1 + others;
    size_t wrong = 0;
    size_t found = 0;
    if (argc >= 2 && others) {
        found = check_all(branching, folders, check, &wrong);
    } else if (argc >= 2) {
        found = check_all(pinned, folders, check, &wrong);
        found += check_all(framed, folders, check_frames, &wrong);
    }
    return wrong > 0 ? 1 : found == 0 ? SKIPPED : 0;
}
