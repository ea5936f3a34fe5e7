/* The cycles that the networks of the benchmark take on ref16, exactly as networks.def has them.
 *
 * Their bounds must hold them, and be at most four times as large. Those that are compiled in next
 * to no time may not take more with more effort.
 *
 * usage: test_cycles MODELS_DIR...
 * Each network is taken from the first folder that has NAME.tflite; one that none has is skipped.
 * Exits with 77, which ctest counts as skipped, when there is none at all. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "compiler/module.h"
#include "tests/bench/models.h"

enum {
    SKIPPED = 77,
    MOST_CYCLES = 2000000 /* of networks that are compiled twice */
};

static const struct {
    const char *name;
    uint64_t cycles;
} networks[] = {
#define WEFT_NETWORK(name, ideal, bound, bar, goal, cycles) {#name, cycles},
#include "tests/bench/networks.def"
#undef WEFT_NETWORK
};

/* The cycles that the compiler predicts with an effort, and at most; 0 after a message. */
static uint64_t cycles_of(const uint8_t *bytes, size_t length, uint32_t effort, uint64_t *bound) {
    struct weft_config config;
    struct weft_module *module = NULL;
    struct weft_error error;
    const struct weft_compile_options options = {.effort = effort};
    if (!weft_config_find("ref16", &config, &error) ||
        !weft_compile(bytes, length, &config, &options, &module, &error)) {
        printf("%s\n", error.message);
        return 0;
    }
    uint64_t cycles = weft_module_cycles(module);
    *bound = weft_module_bound(module);
    weft_module_free(module);
    return cycles;
}

int main(int argc, char **argv) {
    size_t found = 0;
    size_t wrong = 0;
    for (size_t i = 0; argc > 1 && i < sizeof networks / sizeof networks[0]; i++) {
        size_t length = 0;
        uint8_t *bytes = read_model(networks[i].name, argv + 1, &length);
        if (bytes == NULL) {
            printf("%s: skipped, no such model\n", networks[i].name);
            continue;
        }
        uint64_t bound = 0;
        uint64_t cycles = cycles_of(bytes, length, 1, &bound);
        found++;
        wrong += cycles != networks[i].cycles || cycles > bound || bound > 4 * cycles;
        printf("%s: %" PRIu64 " cycles, %" PRIu64 " expected; %.1f %% of the bound\n",
               networks[i].name, cycles, networks[i].cycles,
               100.0 * (double)cycles / (double)bound);
        if (cycles < MOST_CYCLES) {
            uint64_t more = cycles_of(bytes, length, 2, &bound);
            wrong += more == 0 || more > cycles || more > bound;
            printf("%s: %" PRIu64 " cycles with twice the effort\n", networks[i].name, more);
        }
        free(bytes);
    }
    return wrong > 0 ? 1 : found == 0 ? SKIPPED : 0;
}
