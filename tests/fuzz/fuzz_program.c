/* Binary programs: decoded, verified, run on the cycle model whatever the verifier says, and on
 * both simulators with data, as driver/bare.h does it. */
#include <stdlib.h>
#include <string.h>

#include "driver/bare.h"
#include "isa/verify/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    REGION_BYTES = 1 << 16,
    CYCLES = 200000,
};

static void run_timing(const struct weft_bare_setup *setup) {
    struct weft_error error;
    struct weft_proof proof;
    struct weft_run_result result;
    const struct weft_program *program = setup->program;
    const struct weft_timing_settings settings = {.watchdog = 20000,
                                                  .regions = weft_bare_regions(setup)};
    bool verified = weft_verify(setup->config, program->instructions, program->count,
                                &settings.regions, &proof, &error);
    if (!weft_timing_run(setup->config, program->instructions, program->count, &settings, NULL,
                         &result, &error)) {
        abort();
    }
    /* The verifier's promise. */
    if (verified && result.fault != WEFT_FAULT_NONE && result.fault != WEFT_FAULT_WATCHDOG) {
        abort();
    }
}

/* The machine after a run; NULL: it could not be opened. *good: the run succeeded. */
static struct weft_bare *run_data(const struct weft_bare_setup *setup, const char *target,
                                  bool *good) {
    struct weft_error error;
    struct weft_bare *bare = NULL;
    const struct weft_session_options options = weft_session_defaults();
    if (!weft_bare_open(target, setup, &options, &bare, &error)) {
        return NULL;
    }
    bool is_proved = weft_bare_rejection(bare) == NULL;
    for (unsigned i = WEFT_REGION_PROGRAM + 1; is_proved && i < WEFT_REGIONS; i++) {
        uint8_t *bytes = weft_bare_region(bare, (enum weft_region)i);
        for (size_t k = 0; k < REGION_BYTES; k++) {
            bytes[k] = (uint8_t)(k * 31 + i);
        }
    }
    *good = weft_bare_run(bare, &error);
    return bare;
}

static void run_simulators(const struct weft_bare_setup *setup) {
    bool good[2] = {false, false};
    struct weft_bare *func = run_data(setup, "func", &good[0]);
    struct weft_bare *cycle = run_data(setup, "cycle", &good[1]);
    if ((func == NULL) != (cycle == NULL) || good[0] != good[1]) {
        abort();
    }
    for (unsigned i = 0; func != NULL && i < WEFT_REGIONS; i++) {
        enum weft_region region = (enum weft_region)i;
        size_t bytes = (size_t)weft_bare_regions(setup).limit[i];
        if (memcmp(weft_bare_region(func, region), weft_bare_region(cycle, region), bytes) != 0) {
            abort();
        }
    }
    weft_bare_close(func);
    weft_bare_close(cycle);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct weft_error error;
    struct weft_config config;
    struct weft_program program;
    if (!weft_config_find("small8", &config, &error) ||
        !weft_program_decode(data, size, &program, &error)) {
        return 0;
    }
    struct weft_bare_setup setup = {.config = &config, .program = &program, .cycle_limit = CYCLES};
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        setup.region_bytes[i] = REGION_BYTES;
    }
    run_timing(&setup);
    run_simulators(&setup);
    weft_program_free(&program);
    return 0;
}
