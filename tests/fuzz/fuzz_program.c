/* Binary programs: decoded, verified, and run on the cycle model whatever the verifier says. */
#include <stdlib.h>

#include "isa/verify/verify.h"
#include "sim/timing/timing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct weft_error error;
    struct weft_config config;
    struct weft_program program;
    struct weft_proof proof;
    struct weft_run_result result;
    struct weft_timing_settings settings = {.watchdog = 20000, .regions.writable = 0xf4};
    if (!weft_config_find("small8", &config, &error) ||
        !weft_program_decode(data, size, &program, &error)) {
        return 0;
    }
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        settings.regions.limit[i] = 1 << 16;
    }
    settings.regions.limit[WEFT_REGION_PROGRAM] = size;
    bool verified = weft_verify(&config, program.instructions, program.count, &settings.regions,
                                &proof, &error);
    if (!weft_timing_run(&config, program.instructions, program.count, &settings, NULL, &result,
                         &error)) {
        abort();
    }
    /* The verifier's promise. */
    if (verified && result.fault != WEFT_FAULT_NONE && result.fault != WEFT_FAULT_WATCHDOG) {
        abort();
    }
    weft_program_free(&program);
    return 0;
}
